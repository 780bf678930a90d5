/* CSystem: memory, clocks, descriptors and files. It works in a folder of its own beneath the current one. */
#define _GNU_SOURCE
#include "check.h"
#include "csystem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <time.h>

static int folder;

static int make_file(const char *name, const char *text) {
    int file = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    CHECK(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    return file;
}

/* Whether the kernel keeps a place out of dumps (dd among its flags). */
static int is_kept_out(const void *base) {
    FILE *maps = fopen("/proc/self/smaps", "re");
    char line[512];
    int is_here = 0, found = 0;
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) is_here = (uintptr_t)base >= from && (uintptr_t)base < to;
        if (is_here && strncmp(line, "VmFlags:", 8) == 0) found = strstr(line, " dd") != NULL;
    }
    (void)fclose(maps);
    return found;
}

static void test_memory(void) {
    enum { SIZE = 3 * 4096 };
    uint8_t *base = qv_secret_map(SIZE);
    CHECK(base != NULL && (uintptr_t)base % 4096 == 0);
    for (int i = 0; i < SIZE; i++) CHECK(base[i] == 0);
    memset(base, 0xA5, SIZE);
    CHECK(is_kept_out(base));
    qv_secret_unmap(base, SIZE);
    CHECK(msync(base, SIZE, MS_ASYNC) == -1 && errno == ENOMEM);
    CHECK(qv_secret_map(0) == NULL && errno == EINVAL);
    CHECK(qv_secret_map(SIZE_MAX / 2) == NULL && errno == ENOMEM);
    uint8_t bytes[2][300] = {{0}, {0}};
    for (size_t count = 0; count <= 256; count += 32) {
        memset(bytes, 0, sizeof bytes);
        CHECK(qv_fill_random(bytes[0], count) == 0 && qv_fill_random(bytes[1], count) == 0);
        CHECK((memcmp(bytes[0], bytes[1], 256) == 0) == (count == 0));
        for (size_t i = count; i < 300; i++) CHECK(bytes[0][i] == 0 && bytes[1][i] == 0);
    }
}

static const uint64_t TRACE = 0x7A6C5D4E3F2B1A09u;

/* On the stack itself, and not where AddressSanitizer keeps frames. */
__attribute__((noinline, no_sanitize("address"))) static void leave_trace(void) {
    volatile uint64_t room[1024];
    for (int i = 0; i < 512; i++) room[i] = TRACE;
}

static void *with_wiping(void *wipes) {
    leave_trace();
    if (wipes != NULL) qv_wipe_stack();
    return NULL;
}

/* A thread on a stack that can be searched: a trace is left there, unless it is wiped. */
static void test_wiping(void) {
    enum { SIZE = 1 << 20 };
    size_t left[2] = {0, 0};
    for (int wipes = 0; wipes < 2; wipes++) {
        uint64_t *stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        pthread_attr_t settings;
        pthread_t thread;
        CHECK(stack != MAP_FAILED && pthread_attr_init(&settings) == 0);
        CHECK(pthread_attr_setstack(&settings, stack, SIZE) == 0);
        CHECK(pthread_create(&thread, &settings, with_wiping, wipes ? stack : NULL) == 0 && pthread_join(thread, NULL) == 0);
        for (size_t i = 0; i < SIZE / sizeof *stack; i++) left[wipes] += stack[i] == TRACE;
        (void)pthread_attr_destroy(&settings);
        (void)munmap(stack, SIZE);
    }
    CHECK(left[0] >= 512);
    CHECK(left[1] == 0);
}

static uint64_t microseconds(clockid_t id) {
    struct timespec now;
    CHECK(clock_gettime(id, &now) == 0);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void test_machine(void) {
    uint64_t before = microseconds(CLOCK_BOOTTIME) / 1000, then = qv_boot_milliseconds();
    CHECK(before <= then && then <= microseconds(CLOCK_BOOTTIME) / 1000);
    /* A clock that is set between two looks gives another result: three looks in a row are not all disturbed. */
    int agrees = 0;
    for (int i = 0; i < 3; i++) {
        before = microseconds(CLOCK_REALTIME), then = qv_now_microseconds();
        agrees |= before <= then && then <= microseconds(CLOCK_REALTIME);
    }
    CHECK(agrees);
    CHECK(qv_core_count() == get_nprocs());
    before = microseconds(CLOCK_MONOTONIC);
    qv_pause(0);
    qv_pause(2);
    CHECK(microseconds(CLOCK_MONOTONIC) - before >= 2000);
    static const int numbers[] = {0, ENOENT, EACCES, 99999};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char wanted[128];
        (void)snprintf(wanted, sizeof wanted, "%s", strerror(numbers[i]));
        CHECK(strcmp(qv_error_text(numbers[i]), wanted) == 0 && wanted[0] != 0);
    }
    CHECK(QV_NOT_A_FILE == EINVAL && QV_NAME_TAKEN == EEXIST && QV_NAME_IN_USE == EBUSY && QV_MISSING == ENOENT);
    CHECK(QV_LINK == ELOOP && QV_NO_SPACE == ENOSPC && QV_NO_QUOTA == EDQUOT && QV_TOO_LARGE == EFBIG && QV_DENIED == EACCES);
    CHECK(QV_NOT_PERMITTED == EPERM && QV_NOT_SUPPORTED == EOPNOTSUPP && QV_TOO_MANY_LINKS == EMLINK);
}

static void test_terminal(void) {
    int ends[2], terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    CHECK(terminal >= 0 && pipe(ends) == 0);
    struct winsize size = {.ws_row = 24, .ws_col = 132};
    CHECK(ioctl(terminal, TIOCSWINSZ, &size) == 0 && qv_terminal_columns(terminal) == 132);
    size.ws_col = 0;
    CHECK(ioctl(terminal, TIOCSWINSZ, &size) == 0 && qv_terminal_columns(terminal) == 80);
    CHECK(qv_terminal_columns(ends[0]) == 80 && qv_terminal_columns(-1) == 80);
    close(terminal);
    close(ends[0]);
    close(ends[1]);
}

static void fill_descriptors(void) {
    int above = open("/dev/null", O_RDWR);
    CHECK(qv_above_standard(above) == above && qv_above_standard(-1) == -1);
    close(0);
    close(1);
    close(2);
    /* Each fails as if it were closed. */
    CHECK(qv_fill_standard_descriptors() == 0);
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int i = 0; i < 3; i++) CHECK((fcntl(i, F_GETFL) & O_ACCMODE) == modes[i]);
    /* What is open stays; what took a standard number is moved above. */
    close(0);
    CHECK(open("/dev/zero", O_RDONLY) == 0 && qv_fill_standard_descriptors() == 0);
    int moved = qv_above_standard(0);
    uint8_t byte = 1;
    CHECK(moved > 2 && fcntl(moved, F_GETFD) == FD_CLOEXEC && read(moved, &byte, 1) == 1 && byte == 0);
    CHECK(fcntl(0, F_GETFD) == -1 && errno == EBADF);
    CHECK(qv_above_standard(0) == -1 && errno == EBADF);
    struct rlimit few = {64, 0}, now;
    CHECK(getrlimit(RLIMIT_NOFILE, &now) == 0);
    few.rlim_max = now.rlim_max;
    CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
    qv_raise_file_limit();
    CHECK(getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_cur == now.rlim_max && now.rlim_max == few.rlim_max);
}

static void test_locks(void) {
    int one = make_file("lock", "x"), other = openat(folder, "lock", O_RDWR | O_CLOEXEC);
    CHECK(other >= 0 && qv_is_locked(one) == 0 && qv_is_locked(other) == 0);
    CHECK(qv_lock_exclusive(one) == 0 && qv_lock_exclusive(one) == 0);
    CHECK(qv_is_locked(other) == 1 && qv_is_locked(one) == 0);
    CHECK(qv_lock_exclusive(other) == -1 && (errno == EAGAIN || errno == EACCES));
    close(one);
    CHECK(qv_is_locked(other) == 0 && qv_lock_exclusive(other) == 0);
    /* A copy of the descriptor, as a forked process has it, keeps the lock until it is given up. */
    int copy = dup(other), third = openat(folder, "lock", O_RDWR | O_CLOEXEC);
    close(other);
    CHECK(qv_is_locked(third) == 1);
    qv_unlock(copy);
    CHECK(qv_is_locked(third) == 0 && qv_lock_exclusive(third) == 0);
    close(copy);
    close(third);
    CHECK(qv_lock_exclusive(-1) == -1 && errno == EBADF && qv_is_locked(-1) == 0);
}

static void test_names(void) {
    close(make_file("a", "first"));
    close(make_file("b", "second"));
    CHECK(mkdirat(folder, "inner", 0700) == 0 && symlinkat("a", folder, "link") == 0 && symlinkat("inner", folder, "way") == 0);
    int file = qv_open_beneath(folder, "a", O_RDONLY | O_CLOEXEC, 0);
    CHECK(file >= 0);
    close(file);
    file = qv_open_beneath(folder, "inner/new", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    struct stat status;
    CHECK(file >= 0 && fstat(file, &status) == 0 && (status.st_mode & 0777 & ~0640u) == 0 && (status.st_mode & 0600) == 0600);
    close(file);
    static const struct {
        const char *path;
        int error;
    } refused[] = {{"link", ELOOP}, {"way/new", ELOOP}, {"../a", EXDEV},
                   {"/etc", EXDEV}, {"none", ENOENT}, {"inner/../../a", EXDEV}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        CHECK(qv_open_beneath(folder, refused[i].path, O_RDONLY, 0) == -1 && errno == refused[i].error);
    CHECK(qv_rename_noreplace(folder, "a", folder, "b") == -1 && errno == EEXIST);
    CHECK(qv_rename_noreplace(folder, "none", folder, "c") == -1 && errno == ENOENT);
    CHECK(qv_rename_noreplace(folder, "a", folder, "c") == 0 && faccessat(folder, "a", F_OK, 0) == -1);
    char text[16] = {0};
    file = openat(folder, "c", O_RDONLY | O_CLOEXEC);
    CHECK(file >= 0 && read(file, text, sizeof text) == 5 && strcmp(text, "first") == 0);
    close(file);
}

static void test_nameless(void) {
    int file = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) {
        check_skip("files without a name: this file system has none");
        CHECK(qv_name_file(-1, folder, "named") == -1);
        return;
    }
    CHECK(write(file, "x", 1) == 1 && qv_name_file(file, folder, "b") == -1 && errno == EEXIST);
    CHECK(qv_name_file(file, folder, "named") == 0);
    struct stat one, other;
    CHECK(fstat(file, &one) == 0 && fstatat(folder, "named", &other, 0) == 0 && one.st_ino == other.st_ino && one.st_nlink == 1);
    close(file);
}

static void test_content(void) {
    int file = make_file("content", "abc");
    struct stat status;
    struct statfs system;
    CHECK(fstatfs(file, &system) == 0);
    int result = qv_allocate(file, 0, 1 << 20);
    CHECK(result == 0 || errno == EOPNOTSUPP);
    CHECK(fstat(file, &status) == 0 && status.st_size == 3);
    CHECK(result != 0 || system.f_type == TMPFS_MAGIC || status.st_blocks >= 2048);
    CHECK(qv_sync_data(file) == 0 && qv_sync_data(-1) == -1 && errno == EBADF);
    int ends[2];
    CHECK(pipe(ends) == 0 && qv_sync_data(ends[0]) == -1 && errno == EINVAL);
    CHECK(qv_allocate(ends[1], 0, 10) == -1 && qv_allocate(-1, 0, 10) == -1 && errno == EBADF);
    int holes = make_file("holes", "");
    CHECK(ftruncate(holes, 1 << 20) == 0 && pwrite(holes, "x", 1, 700000) == 1);
    off_t next = qv_next_data(holes, 0, 1 << 20);
    CHECK(next == 0 || (next > 600000 && next <= 700000));
    CHECK(qv_next_data(holes, 700000, 1 << 20) == 700000);
    next = qv_next_data(holes, 800000, 1 << 20);
    CHECK(next == 800000 || next == 1 << 20);
    CHECK(qv_next_data(-1, 5, 10) == 5);
    int to = make_file("copy", ""), has_any = fsetxattr(file, "user.one", "1234", 4, 0) == 0;
    CHECK(qv_copy_attributes(file, to) == 0);
    CHECK(qv_copy_attributes(-1, to) == -1 && errno == EBADF);
    if (!has_any) {
        check_skip("attributes of files: this file system has none");
    } else {
        char value[8] = {0};
        CHECK(fgetxattr(to, "user.one", value, sizeof value) == 4 && memcmp(value, "1234", 4) == 0);
        CHECK(fsetxattr(file, "user.two", "", 0, 0) == 0 && fsetxattr(file, "user.one", "5", 1, 0) == 0);
        CHECK(qv_copy_attributes(file, to) == 0 && qv_copy_attributes(file, to) == 0);
        CHECK(fgetxattr(to, "user.one", value, sizeof value) == 1 && value[0] == '5');
        CHECK(fgetxattr(to, "user.two", value, sizeof value) == 0);
        CHECK(qv_copy_attributes(file, -1) == -1);
        unsigned char list[64];
        ssize_t count = qv_extended_attributes(file, list, sizeof list);
        CHECK(count >= 9 + 4 + 1 + 9 + 4 && qv_extended_attributes(file, list, 3) == count);
        CHECK(qv_set_extended_attribute(file, "user.three", "3", 1) == 0);
        CHECK(qv_extended_attributes(file, NULL, 0) == count + 11 + 4 + 1);
        CHECK(qv_remove_extended_attribute(file, "user.three") == 0);
        CHECK(qv_remove_extended_attribute(file, "user.three") == 0);
        CHECK(qv_extended_attributes(file, NULL, 0) == count);
    }
    CHECK(qv_extended_attributes(-1, NULL, 0) == -1 && errno == EBADF);
    CHECK(qv_set_extended_attribute(-1, "user.one", "", 0) == -1 && errno == EBADF);
    CHECK(qv_remove_extended_attribute(-1, "user.one") == -1 && errno == EBADF);
    for (int i = 0; i < 2; i++) close(ends[i]);
    close(file);
    close(to);
}

static void test_medium(void) {
    struct statfs system;
    CHECK(qv_medium("/proc") == 0 && qv_medium("/there is none") == 0);
    CHECK(QV_MEMORY > 0 && QV_NETWORK > 0 && QV_MEMORY != QV_NETWORK);
    if (statfs("/dev/shm", &system) == 0 && system.f_type == TMPFS_MAGIC) CHECK(qv_medium("/dev/shm") == QV_MEMORY);
    CHECK(statfs("/", &system) == 0 && (system.f_type != EXT4_SUPER_MAGIC || qv_medium("/") == 0));
}

static void test_memory_file(void) {
    int file = qv_memory_file("a file");
    char target[64] = {0}, path[64];
    CHECK(file > 2 && fcntl(file, F_GETFD) == 0 && write(file, "content", 7) == 7);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    CHECK(readlink(path, target, sizeof target - 1) > 0 && strncmp(target, "/memfd:a file", 13) == 0);
    CHECK(qv_seal(file) == 0);
    CHECK(pwrite(file, "C", 1, 0) == -1 && errno == EPERM && ftruncate(file, 0) == -1 && ftruncate(file, 99) == -1);
    CHECK(fcntl(file, F_ADD_SEALS, F_SEAL_SEAL) == -1 && errno == EPERM && qv_seal(file) == -1);
    char text[8] = {0};
    CHECK(pread(file, text, 7, 0) == 7 && strcmp(text, "content") == 0);
    close(file);
    CHECK(qv_seal(file) == -1 && errno == EBADF && qv_seal(folder) == -1);
}

/* Two sticks of which one has a name that the table of mounts escapes, in mounts of this process alone. */
static void plug_in(void) {
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 || mount("none", "/media", "tmpfs", 0, NULL) != 0) {
        puts("skipped: sticks, since nothing can be mounted");
        (void)fflush(stdout);
        return;
    }
    static const char *const sticks[] = {"/media/a b\\c#\n二", "/media/d"};
    for (size_t i = 0; i < 2; i++) CHECK(mkdir(sticks[i], 0700) == 0 && mount("none", sticks[i], "tmpfs", 0, NULL) == 0);
    char path[64] = "";
    unsigned count = 0;
    int found = 0;
    for (; qv_plugged_folder(count, path, sizeof path) == 1; count++) {
        CHECK(strncmp(path, "/media/", 7) == 0 || strncmp(path, "/run/media/", 11) == 0);
        for (int i = 0; i < 2; i++) found |= (strcmp(path, sticks[i]) == 0) << i;
    }
    CHECK(count >= 2 && found == 3 && qv_plugged_folder(count + 5, path, sizeof path) == 0);
    /* A path that does not fit is passed over. */
    for (count = 0; qv_plugged_folder(count, path, 10) == 1; count++) CHECK(strlen(path) < 10);
}

int main(void) {
    char name[] = "system-XXXXXX";
    CHECK(mkdtemp(name) != NULL && (folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) > 2);
    test_memory();
    test_wiping();
    test_machine();
    test_terminal();
    CHECK(check_apart(fill_descriptors) == 0);
    test_locks();
    test_names();
    test_nameless();
    test_content();
    test_medium();
    test_memory_file();
    CHECK(check_apart(plug_in) == 0);
    return check_end("system");
}
