/* CSystem: signals, programs, and what keeps them in. */
#define _GNU_SOURCE
#include "check.h"
#include "csystem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

/* All that a descriptor gives, up to its end. */
static size_t read_all(int file, char *text, size_t room) {
    size_t length = 0;
    for (ssize_t got; length < room - 1 && (got = read(file, text + length, room - 1 - length)) > 0;) length += (size_t)got;
    text[length] = 0;
    close(file);
    return length;
}

/* Waits until a process ended, and leaves it to be reaped. */
static void wait_for_end(pid_t process) {
    siginfo_t info;
    while (waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT) != 0) CHECK(errno == EINTR);
}

static int is_default(int number) {
    struct sigaction now;
    CHECK(sigaction(number, NULL, &now) == 0);
    return now.sa_handler == SIG_DFL;
}

static void harden(void) {
    signal(SIGSEGV, SIG_IGN);
    CHECK(qv_harden_process() == 0);
    struct rlimit core;
    CHECK(getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_cur == 0 && core.rlim_max == 0);
    CHECK(prctl(PR_GET_DUMPABLE) == 0 && is_default(SIGSEGV) && is_default(SIGABRT) && is_default(SIGBUS));
}

/* An alarm each millisecond: the first may come before the call that it is to end. */
static void alarm_often(int microseconds) {
    const struct itimerval often = {{0, microseconds}, {0, microseconds}};
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
}

static void watch(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF,
                                  SIGUSR1, SIGUSR2, SIGXCPU, SIGIO, SIGPWR};
    int ends[2];
    char byte;
    /* What the parent ignores stays ignored. */
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) signal(numbers[i], SIG_DFL);
    signal(SIGHUP, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    CHECK(qv_watch_interrupts() == 0 && qv_interrupted() == 0 && is_default(SIGCHLD));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        CHECK(raise(numbers[i]) == 0 && qv_interrupted() == numbers[i]);
        qv_forget_interrupt();
        CHECK(qv_interrupted() == 0);
    }
    CHECK(raise(SIGHUP) == 0 && qv_interrupted() == 0);
    int before = qv_continued();
    CHECK(raise(SIGCONT) == 0 && qv_continued() == before + 1 && qv_interrupted() == 0);
    /* Calls fail, and are not begun again. */
    CHECK(pipe(ends) == 0);
    alarm_often(1000);
    CHECK(read(ends[0], &byte, 1) == -1 && errno == EINTR && qv_interrupted() == SIGALRM);
    qv_pause(1000000);
    int64_t time = 1000000;
    CHECK(qv_read_until(ends[0], &byte, 1, &time) == QV_READ_NOTHING);
    alarm_often(0);
    close(ends[0]);
    CHECK(write(ends[1], "x", 1) == -1 && errno == EPIPE);
    const struct rlimit none = {0, 0};
    int file = memfd_create("limit", MFD_CLOEXEC);
    CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0 && write(file, "x", 1) == -1 && errno == EFBIG);
}

static void die_watched(void) {
    CHECK(qv_watch_interrupts() == 0);
    qv_die_by(SIGTERM);
}

static void die_blocked(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    qv_die_by(SIGINT);
}

/* A process that may make no threads. */
static void refuse_threads(void) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    CHECK(filter != NULL && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAGAIN), SCMP_SYS(clone), 0) == 0);
    CHECK(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAGAIN), SCMP_SYS(clone3), 0) == 0 && seccomp_load(filter) == 0);
    CHECK(qv_starts_threads() == 0);
}

static void test_signals(void) {
    CHECK(check_apart(harden) == 0);
    CHECK(check_apart(watch) == 0);
    int status = check_apart(die_watched);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    status = check_apart(die_blocked);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGINT);
    CHECK(qv_starts_threads() == 1);
    if (qv_sandbox_layers() & 2) CHECK(check_apart(refuse_threads) == 0);
}

static void test_reading(void) {
    int ends[2];
    char bytes[8];
    int64_t time = 3;
    CHECK(pipe(ends) == 0 && qv_read_until(ends[0], bytes, sizeof bytes, &time) == QV_READ_NOTHING && time < 3);
    time = -5;
    CHECK(qv_read_until(ends[0], bytes, sizeof bytes, &time) == QV_READ_NOTHING && time <= -5);
    CHECK(write(ends[1], "0123456789", 10) == 10);
    CHECK(qv_read_until(ends[0], bytes, sizeof bytes, &time) == 8 && memcmp(bytes, "01234567", 8) == 0);
    CHECK(qv_read_until(ends[0], bytes, sizeof bytes, &time) == 2 && memcmp(bytes, "89", 2) == 0);
    close(ends[1]);
    CHECK(qv_read_until(ends[0], bytes, sizeof bytes, &time) == 0);
    close(ends[0]);
    CHECK(qv_read_until(ends[0], bytes, sizeof bytes, &time) == QV_READ_FAILED && errno == EBADF);
}

/* Files under the numbers of their places, also where they change places, and no others. */
static void test_start_with(void) {
    char text[64];
    pid_t process = 0;
    int ends[2], status = 0, input = memfd_create("input", MFD_CLOEXEC), other = memfd_create("other", 0);
    CHECK(pipe2(ends, O_CLOEXEC) == 0 && write(input, "in", 2) == 2 && lseek(input, 0, SEEK_SET) == 0);
    char script[128];
    (void)snprintf(script, sizeof script, "cat; cat <&3 >/dev/null || echo no; test -e /proc/self/fd/%d && echo open; exit 4", other);
    char *words[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, script, NULL}, *environment[] = {NULL};
    CHECK(qv_start_with(words, environment, (int[]){input, ends[1], 2}, 3, &process) == 0);
    close(ends[1]);
    (void)read_all(ends[0], text, sizeof text);
    CHECK(strcmp(text, "inno\n") == 0 && getsid(process) == process);
    CHECK(waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 4);
    /* A file that is not there; more than there may be. */
    CHECK(qv_start_with(words, environment, (int[]){input, -1, 2}, 3, &process) == 0);
    CHECK(waitpid(process, &status, 0) == process && WEXITSTATUS(status) == 127);
    int many[QV_FILES_MOST + 1] = {0};
    CHECK(qv_start_with(words, environment, many, QV_FILES_MOST + 1, &process) == 0);
    CHECK(waitpid(process, &status, 0) == process && WEXITSTATUS(status) == 127);
    close(input);
    close(other);
}

static void test_shell(void) {
    char text[64];
    pid_t process = 0;
    int file = qv_run_shell("printf 'one '; cat; printf two; exit 3", &process), status = 0;
    CHECK(file > 2 && fcntl(file, F_GETFD) == FD_CLOEXEC && process > 0);
    CHECK(read_all(file, text, sizeof text) == 7 && strcmp(text, "one two") == 0);
    CHECK(waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

static void test_beside(void) {
    char text[64];
    pid_t process = 0;
    int streams[2], status = 0;
    CHECK(qv_run_beside("read -r one; printf '%s %s' \"$1\" \"$one\"; exit 4", "two words", &process, streams) == 0);
    CHECK(streams[0] > 2 && streams[1] > 2 && fcntl(streams[0], F_GETFD) == FD_CLOEXEC);
    CHECK(write(streams[1], "line\n", 5) == 5 && close(streams[1]) == 0);
    CHECK(read_all(streams[0], text, sizeof text) == 14 && strcmp(text, "two words line") == 0);
    CHECK(waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 4);
}

static void test_program(void) {
    char text[1024], *cat[] = {"/bin/cat", NULL}, *env[] = {"/usr/bin/env", NULL}, *none[] = {"/there/is/none", NULL};
    static char look[] = "read -r all </proc/$$/stat; echo ${all##*)}; ls /proc/self/fd";
    char *shell[] = {"/bin/sh", "-c", look, NULL};
    char *sleep_long[] = {"/bin/sleep", "100000", NULL}, *variables[] = {"ONE=1", "TWO=2", NULL};
    pid_t process = 0;
    int input = qv_memory_file("input");
    CHECK(input > 2 && pwrite(input, "what it reads", 13, 0) == 13);
    int file = qv_start_program(cat, variables, input, &process);
    CHECK(file > 2 && fcntl(file, F_GETFD) == FD_CLOEXEC);
    CHECK(read_all(file, text, sizeof text) == 13 && strcmp(text, "what it reads") == 0);
    wait_for_end(process);
    CHECK(qv_end_program(process) == 0);
    file = qv_start_program(env, variables, input, &process);
    CHECK(read_all(file, text, sizeof text) == 12 && strcmp(text, "ONE=1\nTWO=2\n") == 0);
    wait_for_end(process);
    CHECK(qv_end_program(process) == 0);
    /* A session of its own, and no other file than the three. */
    file = qv_start_program(shell, variables, input, &process);
    long session = 0;
    CHECK(read_all(file, text, sizeof text) > 0 && sscanf(text, "%*s %*d %*d %ld", &session) == 1 && session == process);
    CHECK(strstr(text, "\n0\n1\n2\n") != NULL && strstr(text, "\n4") == NULL);
    wait_for_end(process);
    CHECK(qv_end_program(process) == 0);
    file = qv_start_program(none, variables, input, &process);
    CHECK(file > 2 && read_all(file, text, sizeof text) == 0);
    wait_for_end(process);
    int status = qv_end_program(process);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 127);
    file = qv_start_program(sleep_long, variables, input, &process);
    CHECK(file > 2);
    status = qv_end_program(process);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && read_all(file, text, sizeof text) == 0);
    /* No process has that number. */
    CHECK(qv_end_program(0x7ffffff0) == -1 && errno == ECHILD);
    close(input);
}

/* A shell command apart: its output, and what it ended with; -1 where it was not started. */
static int apart(const char *command, const struct qv_apart *how, char *text, size_t room) {
    pid_t process = 0;
    int status = -1, input = qv_memory_file("input");
    CHECK(input > 2 && pwrite(input, "input", 5, 0) == 5);
    int file = qv_run_apart(command, how, input, &process);
    close(input);
    if (file < 0) return -1;
    (void)read_all(file, text, room);
    CHECK(waitpid(process, &status, 0) == process && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void run_apart(void) {
    char text[256], *variables[] = {"NAME=value", "PATH=/usr/bin:/bin", NULL}, secret[] = "secret-XXXXXX", command[600];
    struct qv_apart how = {.folder = "/", .environment = variables, .is_sandboxed = 0, .rules = -1};
    CHECK(apart("pwd; echo $NAME; cat; exit 5", &how, text, sizeof text) == 5 && strcmp(text, "/\nvalue\ninput") == 0);
    how.folder = "/there is none";
    CHECK(apart("echo x", &how, text, sizeof text) == 127 && text[0] == 0);
    how.folder = "/";
    how.is_sandboxed = 1;
    CHECK(apart("echo x", &how, text, sizeof text) == -1);
    int file = mkstemp(secret);
    char *folder = realpath(".", NULL);
    CHECK(file > 2 && folder != NULL && write(file, "hidden", 6) == 6 && close(file) == 0);
    (void)snprintf(command, sizeof command, "cat '%s/%s'; echo x >'%s/%s'", folder, secret, folder, secret);
    how.is_sandboxed = 0;
    CHECK(apart("true", &how, text, sizeof text) == 0);
    if (qv_sandbox_layers() == 3) {
        how.is_sandboxed = 1;
        how.rules = qv_sandbox_rules(NULL, 0);
        CHECK(how.rules >= 0 && apart(command, &how, text, sizeof text) != 0 && text[0] == 0);
        CHECK(apart("echo works; cat /etc/passwd >/dev/null", &how, text, sizeof text) == 0 && strcmp(text, "works\n") == 0);
        close(how.rules);
        const char *readable[] = {folder};
        how.rules = qv_sandbox_rules(readable, 1);
        CHECK(how.rules >= 0 && apart(command, &how, text, sizeof text) != 0 && strcmp(text, "hidden") == 0);
        close(how.rules);
    } else {
        check_skip("commands in a sandbox: this kernel lacks a layer");
        CHECK(qv_sandbox_layers() & 1 || qv_sandbox_rules(NULL, 0) == -1);
    }
    (void)unlink(secret);
    free(folder);
}

/* What it started goes too, in another session as well: nobody holds its output open, and no child is left. */
static void end_apart(void) {
    char text[64], *variables[] = {"PATH=/usr/bin:/bin", NULL};
    const struct qv_apart how = {.folder = "/", .environment = variables, .rules = -1};
    pid_t process = 0;
    int input = qv_memory_file("input"), file;
    file = qv_run_apart("sleep 100000 & setsid sleep 100000 & echo begun; wait", &how, input, &process);
    CHECK(file > 2 && read(file, text, 6) == 6 && memcmp(text, "begun\n", 6) == 0);
    qv_end_apart(process);
    CHECK(read_all(file, text, sizeof text) == 0);
    CHECK(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
}

static void test_layers(void) {
    uint32_t action = SECCOMP_RET_ERRNO;
    int has_rules = syscall(444, NULL, 0, 1) > 0, has_filter = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
    CHECK(qv_sandbox_layers() == (has_rules | has_filter << 1));
}

/* What a confined process cannot do; the limits of bytes are AddressSanitizer's to break. */
static void confine(void) {
    int layers = qv_sandbox_layers(), ends[2];
    const struct qv_confinement wanted = {.byte_count = RLIM_INFINITY, .seconds = 60};
    CHECK(pipe(ends) == 0 && qv_confine(&wanted) == (layers == 3));
    struct rlimit now;
    CHECK(getrlimit(RLIMIT_CPU, &now) == 0 && now.rlim_max <= 60);
    CHECK(getrlimit(RLIMIT_FSIZE, &now) == 0 && now.rlim_max == 0 && getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_max <= 64);
    CHECK(layers == 0 || open("/etc/passwd", O_RDONLY) == -1);
    if (layers & 2) CHECK(socket(AF_UNIX, SOCK_STREAM, 0) == -1 && errno == EPERM && fork() == -1 && kill(getppid(), 0) == -1);
    CHECK(write(ends[1], "x", 1) == 1 && read(ends[0], &(char){0}, 1) == 1);
}

static void confine_renderer(void) {
    static const char *const readable[] = {"/usr", "/lib", "/lib64"};
    const struct qv_confinement wanted = {
        .readable = readable, .count = 3, .becomes_another = 1, .byte_count = RLIM_INFINITY, .seconds = 60};
    int layers = qv_sandbox_layers();
    CHECK(qv_confine(&wanted) == (layers == 3));
    CHECK(open("/usr", O_RDONLY | O_DIRECTORY) >= 0 && (!(layers & 1) || open("/etc/passwd", O_RDONLY) == -1));
}

/* A limit that cannot be set: nothing is read then. */
static void confine_in_vain(void) {
    const struct qv_confinement wanted = {.byte_count = RLIM_INFINITY, .seconds = 60};
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    CHECK(filter != NULL && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prlimit64), 0) == 0);
    CHECK(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(setrlimit), 0) == 0 && seccomp_load(filter) == 0);
    CHECK(qv_confine(&wanted) == -1);
}

int main(void) {
    test_signals();
    test_reading();
    test_start_with();
    test_shell();
    test_beside();
    test_program();
    test_layers();
    CHECK(check_apart(run_apart) == 0);
    CHECK(check_apart(end_apart) == 0);
    CHECK(check_apart(confine) == 0);
    CHECK(check_apart(confine_renderer) == 0);
    if (qv_sandbox_layers() & 2) CHECK(check_apart(confine_in_vain) == 0);
    return check_end("system_process");
}
