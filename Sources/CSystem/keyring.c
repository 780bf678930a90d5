/* The user's keyring in the kernel: keyctl(2), which the C library does not have. */
#define _GNU_SOURCE
#include "csystem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/keyctl.h>
#include <sys/syscall.h>
#endif

#ifdef __linux__
static long keyctl(int operation, unsigned long a, unsigned long b, unsigned long c, unsigned long d) {
    return syscall(SYS_keyctl, operation, a, b, c, d);
}

int qv_keyring_find(const char *description) {
    long key = keyctl(KEYCTL_SEARCH, (unsigned long)KEY_SPEC_USER_KEYRING, (unsigned long)"user", (unsigned long)description, 0);
    if (key >= 0) return (int)key;
    return errno == ENOKEY || errno == EKEYEXPIRED || errno == EKEYREVOKED ? 0 : -1;
}

int qv_keyring_store(const char *description, const void *payload, size_t byte_count, unsigned seconds) {
    long key = syscall(SYS_add_key, "user", description, payload, byte_count, KEY_SPEC_USER_KEYRING);
    if (key < 0) return -1;
    /* The owner's other sessions too: not every one of them holds this keyring. */
    enum { POSSESSOR_ALL = 0x3f000000, USER_ALL = 0x003f0000 };
    if (keyctl(KEYCTL_SETPERM, (unsigned long)key, POSSESSOR_ALL | USER_ALL, 0, 0) == 0 &&
        keyctl(KEYCTL_SET_TIMEOUT, (unsigned long)key, seconds, 0, 0) == 0)
        return (int)key;
    int error = errno;
    qv_keyring_drop((int)key);
    errno = error;
    return -1;
}

int qv_keyring_renew(int key, const void *payload, size_t byte_count, unsigned seconds) {
    if (keyctl(KEYCTL_UPDATE, (unsigned long)key, (unsigned long)payload, byte_count, 0) != 0) return -1;
    return (int)keyctl(KEYCTL_SET_TIMEOUT, (unsigned long)key, seconds, 0, 0);
}

long qv_keyring_read(int key, void *buffer, size_t byte_count) {
    return keyctl(KEYCTL_READ, (unsigned long)key, (unsigned long)buffer, byte_count, 0);
}

int qv_keyring_drop(int key) {
    if (keyctl(KEYCTL_INVALIDATE, (unsigned long)key, 0, 0, 0) == 0) return 0;
    return (int)keyctl(KEYCTL_UNLINK, (unsigned long)key, (unsigned long)KEY_SPEC_USER_KEYRING, 0, 0);
}

/* The serial numbers in the user's keyring, in memory to be freed; their count, or -1. */
static long keys_of_user(int32_t **keys) {
    *keys = NULL;
    for (size_t room = 4096;; room *= 2) {
        int32_t *larger = realloc(*keys, room);
        if (larger == NULL) return -1;
        *keys = larger;
        long used = keyctl(KEYCTL_READ, (unsigned long)KEY_SPEC_USER_KEYRING, (unsigned long)*keys, room, 0);
        if (used < 0) return -1;
        /* For a larger keyring, only its size is returned. */
        if ((size_t)used <= room) return used / (long)sizeof **keys;
    }
}

static int has_prefix(int32_t key, const char *prefix) {
    char text[256];
    long length = keyctl(KEYCTL_DESCRIBE, (unsigned long)key, (unsigned long)text, sizeof text, 0);
    if (length <= 0 || length > (long)sizeof text || strncmp(text, "user;", 5) != 0) return 0;
    return strncmp(strrchr(text, ';') + 1, prefix, strlen(prefix)) == 0;
}

int qv_keyring_drop_all(const char *prefix) {
    int32_t *keys;
    long count = keys_of_user(&keys);
    int dropped = 0, failed = 0;
    for (long i = 0; i < count; i++) {
        if (!has_prefix(keys[i], prefix)) continue;
        if (qv_keyring_drop(keys[i]) == 0) {
            dropped++;
        } else {
            failed = 1;
        }
    }
    free(keys);
    return failed ? -1 : dropped;
}
#else
static int no_keyring(void) {
    errno = EOPNOTSUPP;
    return -1;
}
int qv_keyring_find(const char *description) { (void)description; return no_keyring(); }
int qv_keyring_store(const char *description, const void *payload, size_t byte_count, unsigned seconds) {
    (void)description, (void)payload, (void)byte_count, (void)seconds;
    return no_keyring();
}
int qv_keyring_renew(int key, const void *payload, size_t byte_count, unsigned seconds) {
    (void)key, (void)payload, (void)byte_count, (void)seconds;
    return no_keyring();
}
long qv_keyring_read(int key, void *buffer, size_t byte_count) {
    (void)key, (void)buffer, (void)byte_count;
    return no_keyring();
}
int qv_keyring_drop(int key) { (void)key; return no_keyring(); }
int qv_keyring_drop_all(const char *prefix) { (void)prefix; return no_keyring(); }
#endif
