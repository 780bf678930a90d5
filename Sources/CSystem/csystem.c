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

const int QV_NOT_A_FILE = EINVAL, QV_NAME_TAKEN = EEXIST, QV_NAME_IN_USE = EBUSY, QV_MISSING = ENOENT, QV_LINK = ELOOP, QV_NO_SPACE = ENOSPC, QV_NO_QUOTA = EDQUOT, QV_TOO_LARGE = EFBIG;
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

/* One lock on the whole file, of this open file description where the system has that. */
static int lock_call(int descriptor, int call, struct flock *lock) {
    memset(lock, 0, sizeof *lock);
    lock->l_type = F_WRLCK;
    lock->l_whence = SEEK_SET;
    return fcntl(descriptor, call, lock);
}

#ifdef F_OFD_SETLK
enum { SET_LOCK = F_OFD_SETLK, GET_LOCK = F_OFD_GETLK };
#else
enum { SET_LOCK = F_SETLK, GET_LOCK = F_GETLK };
#endif

int qv_lock_exclusive(int descriptor) {
    struct flock lock;
    return lock_call(descriptor, SET_LOCK, &lock);
}

int qv_is_locked(int descriptor) {
    struct flock lock;
    return lock_call(descriptor, GET_LOCK, &lock) == 0 && lock.l_type != F_UNLCK;
}

int qv_open_beneath(int directory, const char *path, int flags, mode_t mode) {
#ifdef __linux__
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = (uint64_t)(unsigned)flags;
    how.mode = (flags & (O_CREAT | O_TMPFILE)) ? mode : 0;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
    int descriptor;
    do {
        descriptor = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
    } while (descriptor < 0 && (errno == EINTR || errno == EAGAIN));
    return descriptor;
#else
    return openat(directory, path, flags | O_NOFOLLOW_ANY, mode);
#endif
}

int qv_rename_noreplace(int old_directory, const char *old_path, int new_directory, const char *new_path) {
#ifdef __linux__
    int result = renameat2(old_directory, old_path, new_directory, new_path, RENAME_NOREPLACE);
    if (result == 0 || (errno != EINVAL && errno != ENOSYS)) return result;
    /* A file system without the flag: a hard link refuses to replace as well. */
    if (linkat(old_directory, old_path, new_directory, new_path, 0) != 0) return -1;
    return unlinkat(old_directory, old_path, 0);
#else
    return renameatx_np(old_directory, old_path, new_directory, new_path, RENAME_EXCL);
#endif
}

int qv_name_file(int descriptor, int directory, const char *name) {
#ifdef __linux__
    /* The quick way needs a right that not every system gives. */
    if (linkat(descriptor, "", directory, name, AT_EMPTY_PATH) == 0) return 0;
    if (errno != ENOENT && errno != EPERM && errno != EINVAL) return -1;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW);
#else
    (void)descriptor, (void)directory, (void)name;
    errno = EOPNOTSUPP;
    return -1;
#endif
}

int qv_allocate(int descriptor, off_t offset, off_t length) {
#ifdef __linux__
    /* In memory it would cost as much as the write itself, and gain nothing. */
    struct statfs system;
    if (fstatfs(descriptor, &system) == 0 && system.f_type == TMPFS_MAGIC) return 0;
    int result;
    do {
        result = fallocate(descriptor, FALLOC_FL_KEEP_SIZE, offset, length);
    } while (result != 0 && errno == EINTR);
    return result;
#else
    (void)descriptor, (void)offset, (void)length;
    errno = EOPNOTSUPP;
    return -1;
#endif
}

#ifdef __linux__
static const char access_list[] = "system.posix_acl_access";

/* Kept by the kernel itself for the content that a file has. */
static int is_of_content(const char *name) {
    return strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0;
}

static int copy_attribute(int from, int to, const char *name) {
    char value[65536], there[65536];
    ssize_t length = fgetxattr(from, name, value, sizeof value);
    if (length < 0) return errno == ENODATA ? 0 : -1;
    if (fgetxattr(to, name, there, sizeof there) == length && memcmp(value, there, (size_t)length) == 0) return 0;
    return fsetxattr(to, name, value, (size_t)length, 0);
}

int qv_copy_attributes(int from, int to) {
    char names[65536];
    ssize_t length = flistxattr(from, names, sizeof names);
    if (length < 0) return errno == ENOTSUP ? 0 : -1;
    for (ssize_t at = 0; at < length; at += (ssize_t)strlen(names + at) + 1) {
        if (!is_of_content(names + at) && copy_attribute(from, to, names + at) != 0) return -1;
    }
    /* The folder's default list may have given the new file one that the old file had not. */
    if (fgetxattr(from, access_list, NULL, 0) >= 0 || errno != ENODATA) return 0;
    return fremovexattr(to, access_list) == 0 || errno == ENODATA || errno == ENOTSUP ? 0 : -1;
}
#else
int qv_copy_attributes(int from, int to) {
    (void)from, (void)to;
    return 0;
}
#endif

const int QV_MEMORY = 1, QV_NETWORK = 2;

int qv_medium(const char *folder) {
#ifdef __linux__
    /* Those that linux/magic.h does not name. */
    enum { RAMFS = 0x858458f6, CIFS = 0xff534d42, SMB2 = 0xfe534d42, FUSE = 0x65735546 };
    static const uint32_t remote[] = {NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, CIFS, SMB2, V9FS_MAGIC, CEPH_SUPER_MAGIC,
                                      AFS_SUPER_MAGIC, AFS_FS_MAGIC, CODA_SUPER_MAGIC, FUSE};
    struct statfs system;
    if (statfs(folder, &system) != 0) return 0;
    uint32_t type = (uint32_t)system.f_type;
    if (type == TMPFS_MAGIC || type == RAMFS) return QV_MEMORY;
    for (size_t i = 0; i < sizeof remote / sizeof *remote; i++) {
        if (type == remote[i]) return QV_NETWORK;
    }
#else
    (void)folder;
#endif
    return 0;
}

int qv_sync_data(int descriptor) {
#ifdef __APPLE__
    return fcntl(descriptor, F_FULLFSYNC);
#else
    return fdatasync(descriptor);
#endif
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

void qv_wipe_stack(void) {
    volatile unsigned char room[1 << 16];
    for (size_t i = 0; i < sizeof room; i++) room[i] = 0;
}
