/*
 * CSystem: the few system calls that Swift does not import, or imports badly. Every function does one thing, and
 * returns -1 or NULL with errno set on failure, like the call beneath it.
 */
#ifndef QUICKVAULT_CSYSTEM_H
#define QUICKVAULT_CSYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Pages of zeros for a secret: locked if the limit allows, not dumped, not inherited by a forked child's swap. */
void *qv_secret_map(size_t byte_count);
/* Gives such pages back. The caller has wiped them. */
void qv_secret_unmap(void *base, size_t byte_count);

/* No core dump, no backtrace, and no ptrace by the same user for this process. */
int qv_harden_process(void);

/* Microseconds since 1970, 0 before. */
uint64_t qv_now_microseconds(void);
/* Columns of a terminal; 80 if it does not say. */
int qv_terminal_columns(int descriptor);
/* Fills bytes from the kernel's generator. */
int qv_fill_random(void *bytes, size_t count);
/* Cores that are running; -1 if the system does not say. */
int qv_core_count(void);
/* Returns 1 if another thread can be started. */
int qv_starts_threads(void);
/* Sleeps about so long, or until a signal comes. */
void qv_pause(int milliseconds);

/* The folder of the stick or disk with that place, from 0 on, among those that are plugged in, as desktops mount them. 1, or 0 where
 * there are no more; a path that does not fit is passed over. */
int qv_plugged_folder(unsigned place, char *path, size_t room);

/* Error numbers that the library tells apart, and the system's words for any. */
extern const int QV_NOT_A_FILE, QV_NAME_TAKEN, QV_NAME_IN_USE, QV_MISSING, QV_LINK, QV_NO_SPACE, QV_NO_QUOTA, QV_TOO_LARGE, QV_TOO_LONG;
extern const int QV_DENIED, QV_NOT_PERMITTED, QV_NOT_SUPPORTED, QV_TOO_MANY_LINKS;
const char *qv_error_text(int error_number);

/* Opens whichever of the descriptors 0 to 2 is closed on /dev/null. No other file gets one of these numbers then, and
 * no message is written into it. */
int qv_fill_standard_descriptors(void);
/* The descriptor, moved above 2 if it is one of the standard ones; it is closed on exec then. -1 stays -1. */
int qv_above_standard(int descriptor);

/* An open-file-description write lock on the whole file; does not wait (EAGAIN or EACCES: someone holds it). */
int qv_lock_exclusive(int descriptor);
/* Gives that lock up, also where a process that was forked meanwhile has the descriptor still. */
void qv_unlock(int descriptor);

/* 1 if another open file description, or process, has that lock; 0 if not, or if it cannot be told. */
int qv_is_locked(int descriptor);

/* openat2(2) that refuses to leave `directory` or to follow any symbolic link. */
int qv_open_beneath(int directory, const char *path, int flags, mode_t mode);

/* rename(2) within one folder that refuses to replace (EEXIST). */
int qv_rename_noreplace(int old_directory, const char *old_path, int new_directory, const char *new_path);

/* Gives a file that was made without a name one in `directory`; refuses to replace (EEXIST). */
int qv_name_file(int descriptor, int directory, const char *name);

/* Space for bytes offset to offset + length - 1, so that a full disk shows before anything is written; EOPNOTSUPP if the file
 * system has none of it. */
int qv_allocate(int descriptor, off_t offset, off_t length);

/* The first offset from offset on where something may be written; length where there is none, offset where the file system
 * does not tell. */
off_t qv_next_data(int descriptor, off_t offset, off_t length);

/* Gives one file the extended attributes of another: access control list, security label, those of the user. */
int qv_copy_attributes(int from, int to);

/* The extended attributes of a file, without those that the kernel keeps for its content: each as its name with the NUL, the
 * length of the value in 4 bytes, big-endian, and the value. Says how many bytes that takes, and fills the buffer as far as whole
 * ones fit; 0 where the file system has none. -1 and errno for an error. */
ssize_t qv_extended_attributes(int descriptor, unsigned char *buffer, size_t size);

/* Sets one of them; 0, or -1 and errno. */
int qv_set_extended_attribute(int descriptor, const char *name, const void *value, size_t length);

/* Takes one of them away; 0, also where there is none, or -1 and errno. */
int qv_remove_extended_attribute(int descriptor, const char *name);

/* The medium of the files of a folder: 0 a device, else one of these. */
extern const int QV_MEMORY, QV_NETWORK;
int qv_medium(const char *folder);

/* fdatasync where it exists, else the strongest equivalent. */
int qv_sync_data(int descriptor);

/* From now on signals that would end the process are remembered instead; blocking calls return EINTR. SIGPIPE and
 * SIGXFSZ do nothing: the call fails instead. SIGCHLD gets its default action. */
int qv_watch_interrupts(void);
/* The signal that came, or 0. */
int qv_interrupted(void);
/* Forgets it: the work is ended as it should be. */
void qv_forget_interrupt(void);
/* The number of times that the process was stopped and continued: the terminal is then no longer as it was set. */
int qv_continued(void);
/* As many open files as the system allows: a deep tree holds one for each level. */
void qv_raise_file_limit(void);
/* Ends the process by that signal, as if it had not been watched. */
void qv_die_by(int signal_number);

/* Milliseconds since the machine started, those in which it slept too. */
uint64_t qv_boot_milliseconds(void);

/* The user's keyring in the kernel: what it keeps no disk ever sees. A key that is not there is 0. */
int qv_keyring_find(const char *description);
/* Adds a key, or replaces what it holds; it goes by itself after `seconds`. */
int qv_keyring_store(const char *description, const void *payload, size_t byte_count, unsigned seconds);
/* Replaces what the key with this number holds, and its time; fails if it is gone. */
int qv_keyring_renew(int key, const void *payload, size_t byte_count, unsigned seconds);
/* Copies at most `byte_count` bytes of a key; returns how many it has. */
long qv_keyring_read(int key, void *buffer, size_t byte_count);
int qv_keyring_drop(int key);
/* Drops the keys whose descriptions begin so; returns how many, or -1 if one is still there. */
int qv_keyring_drop_all(const char *prefix);

/* A file in memory that no folder names, and that programs started from here have open too. */
int qv_memory_file(const char *name);
/* Makes a file in memory unchangeable, for good and for everybody. */
int qv_seal(int file);

/* 1 if a name fits a pattern of a shell (POSIX.1-2017, XCU 2.13), in which a dot at the beginning is nothing special. */
int qv_fits(const char *pattern, const char *name);

/* Text of GB 18030 as UTF-8; returns its bytes, or -1 where it is none, or longer than `room`. */
ssize_t qv_from_gb18030(const uint8_t *text, size_t size, uint8_t *utf8, size_t room);

/* Starts a shell command without input; returns a descriptor that its output is read from. */
int qv_run_shell(const char *command, pid_t *process);

/* Starts a shell command, in which `argument` is $1, that speaks with this process: its output is read from streams[0], and
   its input written to streams[1]. Returns 0, or -1 with errno. */
int qv_run_beside(const char *command, const char *argument, pid_t *process, int streams[2]);

/* How a shell command of somebody else's making is run. */
struct qv_apart {
    const char *folder;
    /* All the variables that it has. */
    char *const *environment;
    /* Whether it is kept from files and system calls, and the rules of the files (qv_sandbox_rules), which it takes then. */
    int is_sandboxed, rules;
};
/* Starts it: it reads `input`, and its own session has no terminal. Errors that it prints go nowhere; no other file is open.
 * Returns a descriptor that its output is read from, or -1; also where a layer of the sandbox cannot be set up. */
int qv_run_apart(const char *command, const struct qv_apart *apart, int input, pid_t *process);
/* Rules (Landlock) that let a command read the folders of the system and these files and folders, and write nothing.
 * Returns a descriptor, or -1 where the kernel has no such rules. */
int qv_sandbox_rules(const char *const readable[], size_t count);
/* The layers of a sandbox that this kernel has: 1 for Landlock, 2 for seccomp. */
int qv_sandbox_layers(void);
/* Ends a process that was started so and what it started, also in other sessions: all children of this process. */
void qv_end_apart(pid_t process);

/* The limits of a process that takes hostile input. */
struct qv_confinement {
    /* Files and folders that it may read and execute; it writes none. */
    const char *const *readable;
    size_t count;
    /* Whether it starts another program and opens files at all. */
    int becomes_another;
    /* Limits: bytes of memory, and seconds of work. */
    uint64_t byte_count, seconds;
};
/*
 * Confines this process: no new rights, no file but those (Landlock), no call but those that computing takes (seccomp), no
 * network, no other process. Returns 1; 0 where the kernel lacks one of both layers, with the other one in place; -1 where a
 * limit, or a layer that the kernel has, cannot be set up.
 */
int qv_confine(const struct qv_confinement *wanted);

/* Starts a program, `words[0]` its path, in a session of its own; its errors go nowhere, no other file is open, and it ends with
 * the thread that started it. Returns a descriptor that its output is read from. */
int qv_start_program(char *const words[], char *const environment[], int input, pid_t *process);
/* Files that a program gets at most. */
enum { QV_FILES_MOST = 32 };
/* Starts a program, `words[0]` its path, in a session of its own, with these files as its descriptors 0, 1, 2 and so on, and no
 * others. It goes on where this process ends. 0, or -1 and errno. */
int qv_start_with(char *const words[], char *const environment[], const int files[], size_t count, pid_t *process);
/* Ends it; its status as waitpid has it. */
int qv_end_program(pid_t process);

/* What reading gave instead of bytes. */
enum { QV_READ_NOTHING = -1, QV_READ_FAILED = -2 };
/* Reads what is there, waits for it at most 100 ms, and takes the time off `milliseconds`. Bytes, 0 at the end, or one of the
 * above. */
long qv_read_until(int descriptor, void *bytes, size_t count, int64_t *milliseconds);

/* Overwrites what functions that returned may have left on the stack: 64 KiB of it. */
void qv_wipe_stack(void);

#endif
