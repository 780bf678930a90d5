#define _GNU_SOURCE
#include "landlock.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Landlock: its numbers are those of all architectures. Headers of Debian 12 lack the newer rights. */
enum { LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445, LANDLOCK_RESTRICT = 446, LANDLOCK_VERSION = 1, LANDLOCK_BENEATH = 1 };
struct landlock_rules {
    uint64_t files, net, scoped;
};
struct __attribute__((packed)) landlock_place {
    uint64_t allowed;
    int32_t parent;
};
static const uint64_t EXECUTE = 1, WRITE_FILE = 2, READ_FILE = 4, READ_FOLDER = 8;

int qv_landlock_version(void) {
    long version = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION);
    return version > 0 ? (int)version : 0;
}

static void allow(int rules, const char *path, uint64_t rights) {
    int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0) return;
    struct stat status;
    if (fstat(place, &status) == 0) {
        if (!S_ISDIR(status.st_mode)) rights &= EXECUTE | WRITE_FILE | READ_FILE;
        struct landlock_place beneath = {rights, place};
        (void)syscall(LANDLOCK_ADD, rules, LANDLOCK_BENEATH, &beneath, 0);
    }
    close(place);
}

int qv_landlock_rules(const char *const readable[], size_t count) {
    int version = qv_landlock_version();
    if (version == 0) return -1;
    /* All rights of files that this kernel knows: what is not allowed below is refused. */
    static const int known[] = {0, 13, 14, 15, 15, 16};
    int bits = version < 6 ? known[version] : 16;

    struct landlock_rules wanted = {.files = (1ULL << bits) - 1, .scoped = version >= 6 ? 3 : 0};
    size_t size = version >= 6 ? sizeof wanted : sizeof wanted.files;
    int rules = (int)syscall(LANDLOCK_CREATE, &wanted, size, 0);
    if (rules < 0) return -1;
    for (size_t i = 0; i < count; i++) allow(rules, readable[i], EXECUTE | READ_FILE | READ_FOLDER);
    return rules;
}

void qv_landlock_allow_devices(int rules) {
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) allow(rules, devices[i], READ_FILE | WRITE_FILE);
}

int qv_landlock_restrict(int rules) { return (int)syscall(LANDLOCK_RESTRICT, rules, 0); }
