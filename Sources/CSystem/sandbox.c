#define _GNU_SOURCE
#include "csystem.h"
#include "landlock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int qv_sandbox_rules(const char *const readable[], size_t count) {
    /* Programs, libraries, certificates, and how names of hosts are found. */
    static const char *const system_folders[] = {
        "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix/store",
        "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager",
    };
    enum { FOLDERS = sizeof system_folders / sizeof *system_folders };
    const char **all = malloc((FOLDERS + count) * sizeof *all);
    if (all == NULL) return -1;
    memcpy(all, system_folders, sizeof system_folders);
    if (count > 0) memcpy(all + FOLDERS, readable, count * sizeof *all);
    int rules = qv_landlock_rules(all, FOLDERS + count);
    free(all);
    if (rules >= 0) qv_landlock_allow_devices(rules);
    return rules;
}

/* Calls that reach keys, other processes or the system, change what Landlock does not guard (the mode, owner, times and
 * attributes of files), or tell of changes of files. Numbers are those of calls that headers of Debian 12 lack. */
static int refuse_calls(void) {
    static const int refused[] = {
        SYS_fchmod, SYS_fchmodat, 452 /* fchmodat2 */, SYS_fchown, SYS_fchownat, SYS_utimensat,
        SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
        463 /* setxattrat */, 466 /* removexattrat */, 468 /* file_getattr */, 469 /* file_setattr */,
#if defined(__x86_64__)
        SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat, SYS_inotify_init,
#endif
        SYS_inotify_init1, SYS_fanotify_init, SYS_fanotify_mark,
        SYS_setpriority, SYS_sched_setparam, SYS_sched_setscheduler, SYS_sched_setattr, SYS_sched_setaffinity,
        SYS_ioprio_set, SYS_migrate_pages, SYS_move_pages, SYS_shmget, SYS_shmat, SYS_shmctl, SYS_msgget, SYS_msgctl,
        SYS_semget, SYS_semctl, SYS_mq_open, SYS_mq_unlink,
        428 /* open_tree */, 429 /* move_mount */, 430 /* fsopen */, 432 /* fsmount */, 433 /* fspick */,
        442 /* mount_setattr */, SYS_quotactl, SYS_acct, SYS_swapon, SYS_swapoff, SYS_reboot, SYS_sethostname,
        SYS_keyctl, SYS_add_key, SYS_request_key, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp,
        SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_mount, SYS_umount2, SYS_unshare, SYS_setns, SYS_chroot,
        SYS_pivot_root, 425 /* io_uring_setup */, 438 /* pidfd_getfd */, 440 /* process_madvise */,
    };
#if defined(__x86_64__)
    const uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
    const uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
    return -1;
#endif
    enum { COUNT = sizeof refused / sizeof *refused };
    struct sock_filter steps[COUNT + 16];
    size_t n = 0;
#define STEP(...) steps[n++] = (struct sock_filter)__VA_ARGS__
    const uint32_t no = SECCOMP_RET_ERRNO | EPERM;
    STEP(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
    STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0));
    STEP(BPF_STMT(BPF_RET | BPF_K, no));
    STEP(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    /* Numbers of another calling convention of the same machine. */
    STEP(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
    STEP(BPF_STMT(BPF_RET | BPF_K, no));
    for (size_t i = 0; i < COUNT; i++) {
        STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)refused[i], (uint8_t)(COUNT - i + 7), 0));
    }
    /* Sockets of the internet alone. */
    STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 4));
    STEP(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)));
    STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 6, 0));
    STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 5, 0));
    STEP(BPF_STMT(BPF_RET | BPF_K, no));
    /* Its own limits alone. */
    STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 3));
    STEP(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)));
    STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
    STEP(BPF_STMT(BPF_RET | BPF_K, no));
    STEP(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
#undef STEP
    struct sock_fprog program = {(unsigned short)n, steps};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* What the child does before it becomes the command: nothing that takes a lock. */
static void become(const char *command, const struct qv_apart *apart, int input, int output) {
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (setsid() < 0 || nothing < 0 || chdir(apart->folder) != 0) return;
    if (dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(nothing, STDERR_FILENO) < 0) return;
    if (apart->is_sandboxed) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
        if (apart->rules >= 0 && qv_landlock_restrict(apart->rules) != 0) return;
        (void)refuse_calls();
    }
    closefrom(STDERR_FILENO + 1);
    char *const words[] = {"sh", "-c", (char *)command, NULL};
    execve("/bin/sh", words, apart->environment);
}

int qv_run_apart(const char *command, const struct qv_apart *apart, int input, pid_t *process) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    for (int i = 0; i < 2; i++) {
        ends[i] = qv_above_standard(ends[i]);
        (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    }
    /* What it starts in sessions of their own comes to this process when it ends, and is found by qv_end_apart. */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    *process = fork();
    if (*process == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        become(command, apart, input, ends[1]);
        _exit(127);
    }
    int error = errno;
    close(ends[1]);
    if (*process > 0) return ends[0];
    close(ends[0]);
    errno = error;
    return -1;
}

/* Ends and reaps the children of one thread, as the kernel lists them; the number of them. */
static int end_children(const char *thread) {
    char path[64], *line = NULL;
    size_t room = 0;
    (void)snprintf(path, sizeof path, "/proc/self/task/%.20s/children", thread);
    FILE *list = fopen(path, "re");
    if (list == NULL) return 0;
    int count = 0;
    if (getline(&line, &room, list) > 0) {
        for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " ")) {
            pid_t child = (pid_t)atol(word);
            if (child > 0 && kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child) count++;
        }
    }
    free(line);
    (void)fclose(list);
    return count;
}

void qv_end_apart(pid_t process) {
    /* Without a list of children: all of its session that did not leave its group. */
    (void)kill(-process, SIGKILL);
    for (int count = 1; count > 0;) {
        count = 0;
        DIR *threads = opendir("/proc/self/task");
        if (threads == NULL) break;
        for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
            if (entry->d_name[0] != '.') count += end_children(entry->d_name);
        }
        (void)closedir(threads);
    }
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {}
}

int qv_sandbox_layers(void) {
    uint32_t action = SECCOMP_RET_ERRNO;
    int has_filter = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
    return (qv_landlock_version() > 0 ? 1 : 0) | (has_filter ? 2 : 0);
}
