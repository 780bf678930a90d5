#define _GNU_SOURCE
#include "csystem.h"
#include "calls.h"
#include "landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Lowers a limit; one that is lower already stays. */
static int limit(int resource, rlim_t most) {
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0) return -1;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < most) most = limit.rlim_max;
    limit = (struct rlimit){most, most};
    return setrlimit((__rlimit_resource_t)resource, &limit);
}

int qv_confine(const struct qv_confinement *wanted) {
    int layers = qv_sandbox_layers();
    int rules = layers & 1 ? qv_landlock_rules(wanted->readable, wanted->count) : -1;
    struct sock_fprog calls = {0, NULL};
    int compiled = layers & 2 ? qv_calls_compile(wanted->becomes_another ? QV_CALLS_RENDERING : QV_CALLS_COMPUTING, &calls) : 0;
    /* A layer that the kernel has is set up, or nothing is read. */
    if ((layers & 1 && rules < 0) || compiled != 0) return -1;
    if (limit(RLIMIT_AS, wanted->byte_count) != 0 || limit(RLIMIT_CPU, wanted->seconds) != 0 ||
        limit(RLIMIT_FSIZE, 0) != 0 || limit(RLIMIT_CORE, 0) != 0 || limit(RLIMIT_NOFILE, 64) != 0)
        return -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    if (rules >= 0 && qv_landlock_restrict(rules) != 0) return -1;
    if (rules >= 0) close(rules);
    if (calls.filter != NULL && qv_calls_restrict(&calls) != 0) return -1;
    return layers == 3 ? 1 : 0;
}

/* Milliseconds of a clock that nobody sets. */
static int64_t now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

long qv_read_until(int descriptor, void *bytes, size_t count, int64_t *milliseconds) {
    int64_t start = now();
    struct pollfd item = {.fd = descriptor, .events = POLLIN};
    int ready = poll(&item, 1, *milliseconds > 100 ? 100 : (int)(*milliseconds < 0 ? 0 : *milliseconds));
    long got = ready > 0 ? read(descriptor, bytes, count) : -1;
    if (ready < 0 || (ready > 0 && got < 0)) {
        if (errno != EINTR) return QV_READ_FAILED;
        got = -1;
    }
    *milliseconds -= now() - start;
    return got < 0 ? QV_READ_NOTHING : got;
}

/* In a child: a session of its own, default signals, those files as 0, 1, 2 and so on and no others, and the program. */
static _Noreturn void become(char *const words[], char *const environment[], const int files[], size_t count) {
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int moved[QV_FILES_MOST];
    bool is_ready = setsid() >= 0 && count <= QV_FILES_MOST;
    /* None of them may be in the place of another. */
    for (size_t i = 0; is_ready && i < count; i++) {
        moved[i] = fcntl(files[i], F_DUPFD_CLOEXEC, QV_FILES_MOST);
        is_ready = moved[i] >= 0;
    }
    for (size_t i = 0; is_ready && i < count; i++) is_ready = dup2(moved[i], (int)i) >= 0;
    if (is_ready) {
        closefrom((int)count);
        execve(words[0], words, environment);
    }
    _exit(127);
}

int qv_start_with(char *const words[], char *const environment[], const int files[], size_t count, pid_t *process) {
    *process = fork();
    if (*process == 0) become(words, environment, files, count);
    return *process > 0 ? 0 : -1;
}

int qv_start_program(char *const words[], char *const environment[], int input, pid_t *process) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    for (int i = 0; i < 2; i++) {
        ends[i] = qv_above_standard(ends[i]);
        (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    }
    /* A whole row of pixels and more at once. */
    (void)fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);
    *process = fork();
    if (*process == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (chdir("/") != 0) _exit(127);
        become(words, environment, (int[]){input, ends[1], nothing}, 3);
    }
    int error = errno;
    close(ends[1]);
    if (*process > 0) return ends[0];
    close(ends[0]);
    errno = error;
    return -1;
}

int qv_end_program(pid_t process) {
    int status = 0;
    (void)kill(process, SIGKILL);
    while (waitpid(process, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return status;
}
