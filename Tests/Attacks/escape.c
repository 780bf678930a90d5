/*
 * What a decoder that was taken over could try: escape [render]. Confines itself as qvault-decode does, tries each thing, and
 * prints those that work. Built and run by documents.py.
 */
#define _GNU_SOURCE
#include "csystem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int failed;

/* Prints what worked and must not have, or did not and should have. */
static void expect(int works, int wanted, const char *what) {
    if ((works != 0) == wanted) return;
    failed = 1;
    printf("%s: %s\n", what, works ? "works" : "does not work");
}

static int opens(const char *path, int flags) {
    int file = open(path, flags, 0600);
    if (file >= 0) close(file);
    return file >= 0;
}

static void *thread(void *value) { return value; }

int main(int count, char **words) {
    int is_rendering = count > 1 && strcmp(words[1], "render") == 0;
    int parent = getppid(), spare = dup(1);
    static const char *const readable[] = {"/usr", "/lib", "/lib64"};
    struct qv_confinement wanted = {
        .readable = readable, .count = is_rendering ? 3 : 0, .becomes_another = is_rendering, .byte_count = 1ULL << 30,
        .seconds = 20};
    if (qv_confine(&wanted) != 1) return 77;

    expect(opens("/etc/passwd", O_RDONLY), 0, "read /etc/passwd");
    expect(opens("/proc/self/environ", O_RDONLY), 0, "read /proc");
    expect(opens("/tmp/escaped", O_WRONLY | O_CREAT), 0, "write a file");
    expect(opens("/dev/shm/escaped", O_WRONLY | O_CREAT), 0, "write into memory's folder");
    expect(opens("/dev/null", O_WRONLY), 0, "write a device");
    expect(opens("/usr/bin/env", O_RDONLY), is_rendering, "read a program");
    expect(unlink("/tmp/escape-me") == 0 || errno == ENOENT, 0, "remove a file");
    expect(mkdir("/tmp/escaped-folder", 0700) == 0, 0, "make a folder");
    expect(chmod("/tmp", 01777) == 0, 0, "change a mode");
    expect(socket(AF_INET, SOCK_STREAM, 0) >= 0, 0, "open a socket");
    expect(socket(AF_UNIX, SOCK_STREAM, 0) >= 0, 0, "open a local socket");
    int ends[2];
    expect(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, 0, "make a pair of sockets");
    expect(kill(parent, 0) == 0, 0, "signal the parent");
    expect(syscall(SYS_tgkill, parent, parent, 0) == 0, 0, "signal the parent's thread");
    expect(syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), 0) == 0, 1, "signal itself");
    struct rlimit limit;
    expect(prlimit((pid_t)parent, RLIMIT_NOFILE, NULL, &limit) == 0, 0, "read the parent's limits");
    expect(ptrace(PTRACE_ATTACH, parent, NULL, NULL) == 0, 0, "trace the parent");
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)0x400000, 1};
    expect(process_vm_readv((pid_t)parent, &here, 1, &there, 1, 0) == 1, 0, "read the parent's memory");
    expect(syscall(SYS_add_key, "user", "escape", "x", 1, -3) >= 0, 0, "add a key");
    expect(syscall(SYS_keyctl, 0, -4, 0) >= 0, 0, "use the keyring");
    expect(syscall(SYS_bpf, 0, NULL, 0) >= 0 || errno != EPERM, 0, "use bpf");
    expect(syscall(425, 1, NULL) >= 0 || errno != EPERM, 0, "use io_uring");
    expect(fork() >= 0, 0, "start a process");
    expect(syscall(435, NULL, 0) >= 0 || errno != ENOSYS, 0, "use clone3");
    expect(memfd_create("escape", 0) >= 0, 0, "make a file in memory");
    expect(prctl(PR_SET_DUMPABLE, 1) == 0, 0, "change how it may be traced");
    expect(fcntl(spare, F_GETFD) >= 0, is_rendering, "look at a descriptor");
    pthread_t one;
    expect(pthread_create(&one, NULL, thread, NULL) == 0 && pthread_join(one, NULL) == 0, 1, "start a thread");
    expect(mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED, 1, "get memory");
    expect(mmap(NULL, 2ULL << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED, 0, "get too much memory");
    return failed;
}
