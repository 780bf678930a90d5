#define _GNU_SOURCE
#include "csystem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#ifdef __linux__
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#endif

void *qv_secret_map(size_t byte_count) {
    void *base = mmap(NULL, byte_count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return NULL;
    /* Best effort: where RLIMIT_MEMLOCK is too small the secret is still wiped and kept out of dumps. */
    (void)mlock(base, byte_count);
#ifdef __linux__
    (void)madvise(base, byte_count, MADV_DONTDUMP);
#endif
    return base;
}

void qv_secret_unmap(void *base, size_t byte_count) { munmap(base, byte_count); }

int qv_harden_process(void) {
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0) return -1;
    /* A crash prints no trace of memory, and waits for no key: the runtime's handlers do both on a terminal. */
    static const int crashes[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) signal(crashes[i], SIG_DFL);
#ifdef __linux__
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#else
    return 0;
#endif
}

uint64_t qv_now_microseconds(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0 || now.tv_sec < 0) return 0;
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void qv_pause(int milliseconds) {
    struct timespec time = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
    nanosleep(&time, NULL);
}

const int QV_NOT_A_FILE = EINVAL, QV_NAME_TAKEN = EEXIST, QV_NAME_IN_USE = EBUSY, QV_MISSING = ENOENT, QV_LINK = ELOOP, QV_NO_SPACE = ENOSPC, QV_NO_QUOTA = EDQUOT, QV_TOO_LARGE = EFBIG, QV_TOO_LONG = E2BIG;
const int QV_DENIED = EACCES, QV_NOT_PERMITTED = EPERM, QV_NOT_SUPPORTED = EOPNOTSUPP, QV_TOO_MANY_LINKS = EMLINK;

const char *qv_error_text(int error_number) { return strerror(error_number); }

int qv_terminal_columns(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void *return_at_once(void *nothing) { return nothing; }

int qv_starts_threads(void) {
    pthread_t thread;
    return pthread_create(&thread, NULL, return_at_once, NULL) == 0 && pthread_join(thread, NULL) == 0;
}

int qv_fill_random(void *bytes, size_t count) {
    unsigned char *at = bytes;
    while (count > 0) {
        ssize_t got = getrandom(at, count, 0);
        if (got < 0 && errno != EINTR) return -1;
        if (got > 0) at += got, count -= (size_t)got;
    }
    return 0;
}

int qv_core_count(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }

int qv_fill_standard_descriptors(void) {
    /* Each mode is the opposite of the descriptor's use: reading or writing fails with EBADF as if it were closed. */
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (fcntl(descriptor, F_GETFD) != -1) continue;
        if (errno != EBADF || open("/dev/null", modes[descriptor]) != descriptor) return -1;
    }
    return 0;
}

int qv_above_standard(int descriptor) {
    if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(descriptor);
    errno = error;
    return copy;
}

void qv_raise_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

uint64_t qv_boot_milliseconds(void) {
    struct timespec now;
#ifdef __linux__
    if (clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
#else
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0; /* On Darwin it goes on while the machine sleeps. */
#endif
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

#ifdef __linux__
int qv_memory_file(const char *name) { return qv_above_standard(memfd_create(name, MFD_ALLOW_SEALING)); }

int qv_seal(int file) { return fcntl(file, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE); }
#else
int qv_memory_file(const char *name) {
    (void)name;
    errno = EOPNOTSUPP;
    return -1;
}

int qv_seal(int file) {
    (void)file;
    errno = EOPNOTSUPP;
    return -1;
}
#endif

int qv_run_shell(const char *command, pid_t *process) {
    int ends[2];
    if (pipe(ends) != 0) return -1;
    for (int i = 0; i < 2; i++) {
        ends[i] = qv_above_standard(ends[i]);
        (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    char *const words[] = {"sh", "-c", (char *)command, NULL};
    int error = posix_spawn(process, "/bin/sh", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error == 0) return ends[0];
    close(ends[0]);
    errno = error;
    return -1;
}

int qv_run_beside(const char *command, const char *argument, pid_t *process, int streams[2]) {
    int ends[4];
    if (pipe(ends) != 0) return -1;
    if (pipe(ends + 2) != 0) {
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    for (int i = 0; i < 4; i++) {
        ends[i] = qv_above_standard(ends[i]);
        (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[3], STDOUT_FILENO);
    char *const words[] = {"sh", "-c", (char *)command, "sh", (char *)argument, NULL};
    int error = posix_spawn(process, "/bin/sh", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    close(ends[3]);
    streams[0] = ends[2];
    streams[1] = ends[1];
    if (error == 0) return 0;
    close(ends[1]);
    close(ends[2]);
    errno = error;
    return -1;
}

void qv_wipe_stack(void) {
    volatile unsigned char room[1 << 16];
    for (size_t i = 0; i < sizeof room; i++) room[i] = 0;
}
