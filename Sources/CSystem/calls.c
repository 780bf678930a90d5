/* Lists of system calls that a program may make (libseccomp): by name, so that they are the same on all architectures. What is
 * not on a list is refused. */
#define _GNU_SOURCE
#include "calls.h"

#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <linux/seccomp.h>
#include <seccomp.h>

/* For a program that reads its input from memory and writes its output: memory, threads, clocks. */
static const char *const computing[] = {
    "read", "readv", "write", "writev", "close", "lseek", "_llseek", "fstat", "fstat64", "mmap", "mmap2", "munmap", "mprotect",
    "mremap", "madvise", "brk", "futex", "futex_time64", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack",
    "restart_syscall", "exit", "exit_group", "clock_gettime", "clock_gettime64", "clock_nanosleep", "clock_nanosleep_time64",
    "gettimeofday", "getrandom", "sched_yield", "sched_getaffinity", "set_robust_list", "rseq", "gettid", "getpid", "sysinfo",
    NULL};

/* For starting another program, and reading files that Landlock allows. */
static const char *const rendering[] = {
    "execve", "open", "openat", "stat", "stat64", "lstat", "lstat64", "newfstatat", "fstatat64", "statx", "access", "faccessat",
    "faccessat2", "readlink", "readlinkat", "getdents64", "pread64", "set_tid_address", "getuid", "geteuid", "getgid", "getegid",
    "uname", "statfs", "statfs64", "fstatfs", "fstatfs64", "getcwd", "fadvise64", "getrusage", "arch_prctl", "getrlimit",
    "ugetrlimit", "time", NULL};

/* For a shell and what it starts: processes of its own, files that Landlock guards, the internet. No call reaches keys, other
 * processes' memory, namespaces, mounts, System V or POSIX queues, or what Landlock does not guard: modes, owners, attributes
 * and times of files, and news of their changes. */
static const char *const feeding[] = {
    "execveat", "fork", "vfork", "wait4", "waitid", "waitpid", "kill", "tkill", "tgkill", "pipe", "pipe2", "dup", "dup2", "dup3",
    "getppid", "getpgrp", "getpgid", "getsid", "getresuid", "getresgid", "getgroups", "capget", "umask", "alarm", "pause",
    "nanosleep", "getitimer", "setitimer", "timer_create", "timer_settime", "timer_settime64", "timer_gettime", "timer_delete",
    "timer_getoverrun", "times", "clock_getres", "clock_getres_time64", "rt_sigpending", "rt_sigsuspend", "rt_sigtimedwait",
    "rt_sigtimedwait_time64", "rt_sigqueueinfo", "signalfd", "signalfd4", "eventfd", "eventfd2", "timerfd_create",
    "timerfd_settime", "timerfd_settime64", "timerfd_gettime", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait",
    "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "ppoll_time64", "select", "_newselect", "pselect6", "pselect6_time64",
    "connect", "bind", "getsockname", "getpeername", "getsockopt", "setsockopt", "sendto", "sendmsg", "sendmmsg", "recvfrom",
    "recvmsg", "recvmmsg", "recvmmsg_time64", "shutdown", "openat2", "close_range", "pwrite64", "preadv", "preadv2", "pwritev",
    "pwritev2", "getdents", "ftruncate", "ftruncate64", "fallocate", "fsync", "fdatasync", "sync_file_range", "flock", "mkdir",
    "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "chdir",
    "fchdir", "sendfile", "sendfile64", "splice", "tee", "copy_file_range", "readahead", "memfd_create", "msync", "mincore",
    "mlock", "mlock2", "munlock", "mlockall", "munlockall", "membarrier", "getcpu", "sched_getparam", "sched_getscheduler",
    "sched_get_priority_max", "sched_get_priority_min", "getpriority", "setrlimit", "pkey_alloc", "pkey_free", "pkey_mprotect",
    "get_robust_list", "prctl", "seccomp", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self",
    "futex_waitv", "riscv_flush_icache", "cachestat", "map_shadow_stack", NULL};

/* The commands of fcntl that reach nothing but the descriptor: none names a process that is to get a signal. */
static const int descriptor_commands[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW,
                                          F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_GETPIPE_SZ, F_SETPIPE_SZ, F_GET_SEALS,
                                          F_ADD_SEALS};

/* The same of ioctl: what stands in a terminal's input is not among them. */
static const unsigned long device_requests[] = {TCGETS, TIOCGWINSZ, TIOCGPGRP, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};

enum { NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET };

static int allow_all(scmp_filter_ctx filter, const char *const *names) {
    for (; *names != NULL; names++) {
        int call = seccomp_syscall_resolve_name(*names);
        /* A call that this architecture, or this library, does not know is refused. */
        if (call == __NR_SCMP_ERROR || call < 0) continue;
        if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) != 0) return -1;
    }
    return 0;
}

static int allow_if(scmp_filter_ctx filter, int call, struct scmp_arg_cmp condition) {
    return call < 0 ? 0 : seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, condition);
}

static int fill(scmp_filter_ctx filter, enum qv_calls calls) {
    int failed = allow_all(filter, computing);
    /* Its own limits, and no other process's. */
    failed |= allow_if(filter, SCMP_SYS(prlimit64), SCMP_A0(SCMP_CMP_EQ, 0));
    /* The flags of clone3 stand in memory; the C library falls back to clone. */
    failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    if (calls == QV_CALLS_FEEDING) {
        failed |= allow_all(filter, feeding);
        failed |= allow_if(filter, SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, NAMESPACES, 0));
        failed |= allow_if(filter, SCMP_SYS(socket), SCMP_A0(SCMP_CMP_EQ, AF_INET));
        failed |= allow_if(filter, SCMP_SYS(socket), SCMP_A0(SCMP_CMP_EQ, AF_INET6));
        failed |= allow_if(filter, SCMP_SYS(socketpair), SCMP_A0(SCMP_CMP_EQ, AF_UNIX));
    } else {
        /* Threads, and signals to itself (abort). */
        failed |= allow_if(filter, SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
        failed |= allow_if(filter, SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));
    }
    if (calls == QV_CALLS_COMPUTING) return failed;
    failed |= allow_all(filter, rendering);
    for (size_t i = 0; i < sizeof descriptor_commands / sizeof *descriptor_commands; i++) {
        struct scmp_arg_cmp is_command = SCMP_A1_32(SCMP_CMP_EQ, (uint32_t)descriptor_commands[i]);
        failed |= allow_if(filter, SCMP_SYS(fcntl), is_command);
        failed |= allow_if(filter, SCMP_SYS(fcntl64), is_command);
    }
    for (size_t i = 0; i < sizeof device_requests / sizeof *device_requests; i++) {
        failed |= allow_if(filter, SCMP_SYS(ioctl), SCMP_A1_32(SCMP_CMP_EQ, (uint32_t)device_requests[i]));
    }
    return failed;
}

/* The filter's program, from the file that the library writes it to. */
static int take(int file, struct sock_fprog *program) {
    off_t size = lseek(file, 0, SEEK_END);
    if (size <= 0 || (size_t)size / sizeof *program->filter > USHRT_MAX) return -1;
    program->filter = malloc((size_t)size);
    if (program->filter == NULL || pread(file, program->filter, (size_t)size, 0) != size) return -1;
    program->len = (unsigned short)((size_t)size / sizeof *program->filter);
    return 0;
}

int qv_calls_compile(enum qv_calls calls, struct sock_fprog *program) {
    *program = (struct sock_fprog){0, NULL};
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int file = memfd_create("calls", MFD_CLOEXEC);
    int failed = filter == NULL || file < 0 || seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)) != 0 ||
                 seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) != 0 ||
                 fill(filter, calls) != 0 || seccomp_export_bpf(filter, file) != 0 || take(file, program) != 0;
    if (filter != NULL) seccomp_release(filter);
    if (file >= 0) close(file);
    if (failed) qv_calls_free(program);
    return failed ? -1 : 0;
}

int qv_calls_restrict(const struct sock_fprog *program) { return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program); }

void qv_calls_free(struct sock_fprog *program) {
    free(program->filter);
    *program = (struct sock_fprog){0, NULL};
}
