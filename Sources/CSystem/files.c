#define _GNU_SOURCE
#include "csystem.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/magic.h>
#include <linux/openat2.h>
#include <mntent.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#endif

int qv_fits(const char *pattern, const char *name) { return fnmatch(pattern, name, 0) == 0; }

/* One lock on the whole file, of this open file description where the system has that. */
static int lock_call(int descriptor, int call, short type, struct flock *lock) {
    memset(lock, 0, sizeof *lock);
    lock->l_type = type;
    lock->l_whence = SEEK_SET;
    return fcntl(descriptor, call, lock);
}

#ifdef F_OFD_SETLK
enum { SET_LOCK = F_OFD_SETLK, GET_LOCK = F_OFD_GETLK };
#else
enum { SET_LOCK = F_SETLK, GET_LOCK = F_GETLK };
#endif

int qv_lock_exclusive(int descriptor) {
    struct flock lock;
    return lock_call(descriptor, SET_LOCK, F_WRLCK, &lock);
}

void qv_unlock(int descriptor) {
    struct flock lock;
    (void)lock_call(descriptor, SET_LOCK, F_UNLCK, &lock);
}

int qv_is_locked(int descriptor) {
    struct flock lock;
    return lock_call(descriptor, GET_LOCK, F_WRLCK, &lock) == 0 && lock.l_type != F_UNLCK;
}

int qv_open_beneath(int directory, const char *path, int flags, mode_t mode) {
#ifdef __linux__
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = (uint64_t)(unsigned)flags;
    how.mode = (flags & (O_CREAT | O_TMPFILE)) ? mode : 0;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
    int descriptor;
    do {
        descriptor = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
    } while (descriptor < 0 && (errno == EINTR || errno == EAGAIN));
    return descriptor;
#else
    return openat(directory, path, flags | O_NOFOLLOW_ANY, mode);
#endif
}

int qv_rename_noreplace(int old_directory, const char *old_path, int new_directory, const char *new_path) {
#ifdef __linux__
    int result = renameat2(old_directory, old_path, new_directory, new_path, RENAME_NOREPLACE);
    if (result == 0 || (errno != EINVAL && errno != ENOSYS)) return result;
    /* A file system without the flag: a hard link refuses to replace as well. */
    if (linkat(old_directory, old_path, new_directory, new_path, 0) != 0) return -1;
    return unlinkat(old_directory, old_path, 0);
#else
    return renameatx_np(old_directory, old_path, new_directory, new_path, RENAME_EXCL);
#endif
}

int qv_name_file(int descriptor, int directory, const char *name) {
#ifdef __linux__
    /* The quick way needs a right that not every system gives. */
    if (linkat(descriptor, "", directory, name, AT_EMPTY_PATH) == 0) return 0;
    if (errno != ENOENT && errno != EPERM && errno != EINVAL) return -1;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW);
#else
    (void)descriptor, (void)directory, (void)name;
    errno = EOPNOTSUPP;
    return -1;
#endif
}

off_t qv_next_data(int descriptor, off_t offset, off_t length) {
#ifdef SEEK_DATA
    off_t next = lseek(descriptor, offset, SEEK_DATA);
    if (next >= 0) return next;
    if (errno == ENXIO) return length;
#else
    (void)descriptor, (void)length;
#endif
    return offset;
}

int qv_allocate(int descriptor, off_t offset, off_t length) {
#ifdef __linux__
    /* In memory it would cost as much as the write itself, and gain nothing. */
    struct statfs system;
    if (fstatfs(descriptor, &system) == 0 && system.f_type == TMPFS_MAGIC) return 0;
    int result;
    do {
        result = fallocate(descriptor, FALLOC_FL_KEEP_SIZE, offset, length);
    } while (result != 0 && errno == EINTR);
    return result;
#else
    (void)descriptor, (void)offset, (void)length;
    errno = EOPNOTSUPP;
    return -1;
#endif
}

#ifdef __linux__
static const char access_list[] = "system.posix_acl_access";

/* Kept by the kernel itself for the content that a file has. */
static int is_of_content(const char *name) {
    return strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0;
}

static int copy_attribute(int from, int to, const char *name) {
    char value[65536], there[65536];
    ssize_t length = fgetxattr(from, name, value, sizeof value);
    if (length < 0) return errno == ENODATA ? 0 : -1;
    if (fgetxattr(to, name, there, sizeof there) == length && memcmp(value, there, (size_t)length) == 0) return 0;
    return fsetxattr(to, name, value, (size_t)length, 0);
}

int qv_copy_attributes(int from, int to) {
    char names[65536];
    ssize_t length = flistxattr(from, names, sizeof names);
    if (length < 0) return errno == ENOTSUP ? 0 : -1;
    for (ssize_t at = 0; at < length; at += (ssize_t)strlen(names + at) + 1) {
        if (!is_of_content(names + at) && copy_attribute(from, to, names + at) != 0) return -1;
    }
    /* The folder's default list may have given the new file one that the old file had not. */
    if (fgetxattr(from, access_list, NULL, 0) >= 0 || errno != ENODATA) return 0;
    return fremovexattr(to, access_list) == 0 || errno == ENODATA || errno == ENOTSUP ? 0 : -1;
}

ssize_t qv_extended_attributes(int descriptor, unsigned char *buffer, size_t size) {
    char names[65536];
    unsigned char value[65536];
    size_t used = 0;
    ssize_t length = flistxattr(descriptor, names, sizeof names);
    if (length < 0) return errno == ENOTSUP ? 0 : -1;
    for (ssize_t at = 0; at < length; at += (ssize_t)strlen(names + at) + 1) {
        if (is_of_content(names + at)) continue;
        ssize_t count = fgetxattr(descriptor, names + at, value, sizeof value);
        if (count < 0 && errno == ENODATA) continue;
        if (count < 0) return -1;
        size_t name = strlen(names + at) + 1, end = used + name + 4 + (size_t)count;
        if (end <= size) {
            memcpy(buffer + used, names + at, name);
            for (size_t i = 0; i < 4; i++) buffer[used + name + i] = (unsigned char)((uint32_t)count >> (24 - 8 * i));
            memcpy(buffer + used + name + 4, value, (size_t)count);
        }
        used = end;
    }
    return (ssize_t)used;
}

int qv_set_extended_attribute(int descriptor, const char *name, const void *value, size_t length) {
    return fsetxattr(descriptor, name, value, length, 0);
}

int qv_remove_extended_attribute(int descriptor, const char *name) {
    return fremovexattr(descriptor, name) == 0 || errno == ENODATA || errno == ENOTSUP ? 0 : -1;
}
#else
int qv_copy_attributes(int from, int to) {
    (void)from, (void)to;
    return 0;
}

ssize_t qv_extended_attributes(int descriptor, unsigned char *buffer, size_t size) {
    (void)descriptor, (void)buffer, (void)size;
    return 0;
}

int qv_set_extended_attribute(int descriptor, const char *name, const void *value, size_t length) {
    (void)descriptor, (void)name, (void)value, (void)length;
    errno = ENOTSUP;
    return -1;
}

int qv_remove_extended_attribute(int descriptor, const char *name) {
    (void)descriptor, (void)name;
    return 0;
}
#endif

const int QV_MEMORY = 1, QV_NETWORK = 2;

int qv_medium(const char *folder) {
#ifdef __linux__
    /* Those that linux/magic.h does not name. */
    enum { RAMFS = 0x858458f6, CIFS = 0xff534d42, SMB2 = 0xfe534d42, FUSE = 0x65735546 };
    static const uint32_t remote[] = {NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, CIFS, SMB2, V9FS_MAGIC, CEPH_SUPER_MAGIC,
                                      AFS_SUPER_MAGIC, AFS_FS_MAGIC, CODA_SUPER_MAGIC, FUSE};
    struct statfs system;
    if (statfs(folder, &system) != 0) return 0;
    uint32_t type = (uint32_t)system.f_type;
    if (type == TMPFS_MAGIC || type == RAMFS) return QV_MEMORY;
    for (size_t i = 0; i < sizeof remote / sizeof *remote; i++) {
        if (type == remote[i]) return QV_NETWORK;
    }
#else
    (void)folder;
#endif
    return 0;
}

int qv_sync_data(int descriptor) {
#ifdef __APPLE__
    return fcntl(descriptor, F_FULLFSYNC);
#else
    return fdatasync(descriptor);
#endif
}

int qv_plugged_folder(unsigned place, char *path, size_t room) {
    int found = 0;
#ifdef __linux__
    static const char *const above[] = {"/media/", "/run/media/"};
    FILE *table = setmntent("/proc/self/mounts", "re");
    struct mntent entry;
    char line[8192];
    while (table != NULL && !found && getmntent_r(table, &entry, line, sizeof line) != NULL) {
        bool is_plugged = false;
        for (size_t i = 0; i < sizeof above / sizeof *above; i++) {
            is_plugged = is_plugged || strncmp(entry.mnt_dir, above[i], strlen(above[i])) == 0;
        }
        if (!is_plugged || strlen(entry.mnt_dir) >= room || place-- > 0) continue;
        strcpy(path, entry.mnt_dir);
        found = 1;
    }
    if (table != NULL) endmntent(table);
#else
    (void)place, (void)path, (void)room;
#endif
    return found;
}
