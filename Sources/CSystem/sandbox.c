#define _GNU_SOURCE
#include "csystem.h"
#include "calls.h"
#include "landlock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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

/* What the child does before it becomes the command: nothing that takes a lock. */
static void become(
    const char *command, const struct qv_apart *apart, const struct sock_fprog *calls, int input, int output) {
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (setsid() < 0 || nothing < 0 || chdir(apart->folder) != 0) return;
    if (dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(nothing, STDERR_FILENO) < 0) return;
    if (apart->is_sandboxed) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
        if (qv_landlock_restrict(apart->rules) != 0 || qv_calls_restrict(calls) != 0) return;
    }
    closefrom(STDERR_FILENO + 1);
    char *const words[] = {"sh", "-c", (char *)command, NULL};
    execve("/bin/sh", words, apart->environment);
}

int qv_run_apart(const char *command, const struct qv_apart *apart, int input, pid_t *process) {
    int ends[2];
    struct sock_fprog calls = {0, NULL};
    if (apart->is_sandboxed && (apart->rules < 0 || qv_calls_compile(QV_CALLS_FEEDING, &calls) != 0)) return -1;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        qv_calls_free(&calls);
        return -1;
    }
    for (int i = 0; i < 2; i++) {
        ends[i] = qv_above_standard(ends[i]);
        (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    }
    /* What it starts in sessions of their own comes to this process when it ends, and is found by qv_end_apart. */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    *process = fork();
    if (*process == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        become(command, apart, &calls, input, ends[1]);
        _exit(127);
    }
    int error = errno;
    qv_calls_free(&calls);
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
    /* All of its group at once; in the sandbox nothing leaves that. */
    (void)kill(-process, SIGKILL);
    /* Elsewhere: what went to other sessions, until nothing is left, or it makes more and more. */
    enum { ROUNDS_AT_MOST = 100 };
    for (int count = 1, round = 0; count > 0 && round < ROUNDS_AT_MOST; round++) {
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
