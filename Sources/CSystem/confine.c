#define _GNU_SOURCE
#include "csystem.h"
#include "landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What a program needs that reads its input from memory and writes its output: memory, threads, clocks. */
static const int computing[] = {
    SYS_read, SYS_write, SYS_writev, SYS_close, SYS_lseek, SYS_fstat, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap,
    SYS_madvise, SYS_brk, SYS_futex, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_exit,
    SYS_exit_group, SYS_clock_gettime, SYS_clock_nanosleep, SYS_gettimeofday, SYS_getrandom, SYS_sched_yield,
    SYS_sched_getaffinity, SYS_set_robust_list, SYS_rseq, SYS_gettid, SYS_getpid, SYS_sysinfo,
};

/* What starting another program takes, and reading files that Landlock allows. */
static const int rendering[] = {
    SYS_execve, SYS_openat, SYS_newfstatat, SYS_faccessat, SYS_readlinkat, SYS_getdents64, SYS_fcntl, SYS_pread64,
    SYS_ioctl, SYS_set_tid_address, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_uname,
    SYS_statfs, SYS_fstatfs, SYS_getcwd, SYS_fadvise64, SYS_getrusage, SYS_statx, 439 /* faccessat2 */,
#if defined(__x86_64__)
    SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_arch_prctl, SYS_getrlimit,
#endif
};

#if defined(__x86_64__)
static const uint32_t ARCHITECTURE = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
static const uint32_t ARCHITECTURE = AUDIT_ARCH_AARCH64;
#else
static const uint32_t ARCHITECTURE = 0;
#endif

static int allow_calls(int is_rendering) {
    enum { COMPUTING = sizeof computing / sizeof *computing, RENDERING = sizeof rendering / sizeof *rendering };
    struct sock_filter steps[2 * (COMPUTING + RENDERING) + 24];
    size_t n = 0;
#define STEP(...) steps[n++] = (struct sock_filter)__VA_ARGS__
    const uint32_t no = SECCOMP_RET_ERRNO | EPERM;
    STEP(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
    STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    STEP(BPF_STMT(BPF_RET | BPF_K, no));
    STEP(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    size_t count = COMPUTING + (is_rendering ? RENDERING : 0);
    for (size_t i = 0; i < count; i++) {
        int call = i < COMPUTING ? computing[i] : rendering[i - COMPUTING];
        STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1));
        STEP(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    }
    /* The C library falls back from clone3, whose flags stand in memory, to clone. */
    STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 435 /* clone3 */, 0, 1));
    STEP(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS));
    /* Signals to itself (abort), and its own limits. */
    STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 3));
    STEP(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)));
    STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 0, 9));
    STEP(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 3));
    STEP(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)));
    STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 5));
    STEP(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    /* Threads, and no other process. */
    STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3));
    STEP(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)));
    STEP(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1));
    STEP(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    STEP(BPF_STMT(BPF_RET | BPF_K, no));
#undef STEP
    struct sock_fprog program = {(unsigned short)n, steps};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int limit(int resource, rlim_t most) {
    struct rlimit limit = {most, most};
    return setrlimit(resource, &limit);
}

int qv_confine(const struct qv_confinement *wanted) {
    if (limit(RLIMIT_AS, wanted->byte_count) != 0 || limit(RLIMIT_CPU, wanted->seconds) != 0 ||
        limit(RLIMIT_FSIZE, 0) != 0 || limit(RLIMIT_CORE, 0) != 0 || limit(RLIMIT_NOFILE, 64) != 0)
        return -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    int rules = qv_landlock_rules(wanted->readable, wanted->count), layers = qv_sandbox_layers();
    int is_whole = rules >= 0 && qv_landlock_restrict(rules) == 0;
    if (rules >= 0) close(rules);
    if ((layers & 2) == 0 || ARCHITECTURE == 0 || allow_calls(wanted->is_rendering) != 0) is_whole = 0;
    return is_whole ? 1 : 0;
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
        for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (setsid() >= 0 && nothing >= 0 && chdir("/") == 0 && dup2(input, STDIN_FILENO) >= 0 &&
            dup2(ends[1], STDOUT_FILENO) >= 0 && dup2(nothing, STDERR_FILENO) >= 0) {
            closefrom(STDERR_FILENO + 1);
            execve(words[0], words, environment);
        }
        _exit(127);
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
