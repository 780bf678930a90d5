/* What the tests of C share: a check that says where it failed, random numbers that are the same each time, and children. */
#ifndef QUICKVAULT_TESTS_CHECK_H
#define QUICKVAULT_TESTS_CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long checks;

/* The first failure ends the program: what follows would build on it. */
static inline _Noreturn void check_failed(const char *file, int line, const char *condition) {
    (void)fprintf(stderr, "%s:%d: %s\n", file, line, condition);
    _exit(1);
}

#define CHECK(condition) (checks++, (condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition))

/* The last line of each program; c-tests.sh adds the numbers up. */
static inline int check_end(const char *name) {
    printf("%s: %lu checks\n", name, checks);
    return 0;
}

/* SplitMix64 (Steele, Lea and Flood, 2014). */
static inline uint64_t check_random(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline void check_fill(uint64_t *state, void *bytes, size_t count) {
    uint8_t *at = bytes;
    for (size_t i = 0; i < count; i++) at[i] = (uint8_t)check_random(state);
}

/* The bytes that hexadecimal digits stand for; returns how many. */
static inline size_t check_hex(const char *digits, uint8_t *out) {
    size_t count = strlen(digits) / 2;
    for (size_t i = 0; i < count; i++) {
        const char pair[3] = {digits[2 * i], digits[2 * i + 1], 0};
        out[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return count;
}

/* Runs a body in a process of its own, for what changes the process for good; its status as waitpid has it. A failed check there
 * ends it with 1, a report of a sanitizer with 99. Its checks count too. */
static inline int check_apart(void (*body)(void)) {
    unsigned long *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    (void)fflush(NULL);
    *shared = checks;
    pid_t child = fork();
    if (child == 0) {
        body();
        *shared = checks;
        _exit(0);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    checks += *shared > checks ? *shared - checks : 0;
    (void)munmap(shared, sizeof *shared);
    return status;
}

/* Skips are told: a skipped check says nothing. */
static inline void check_skip(const char *what) { printf("skipped: %s\n", what); }

#endif
