/* Functions of qvault-decode that end the process: each runs in one of its own, and its answer is read. */
#ifndef QUICKVAULT_TESTS_DECODING_H
#define QUICKVAULT_TESTS_DECODING_H

#include "check.h"
#include "decode.h"

/* What a process answered, and what it ended with. */
typedef struct {
    uint8_t *bytes;
    size_t length;
    int code;
} answer;

/* The input of the next decoder. */
static decode_input given;

static inline answer answer_of(void (*body)(void)) {
    int ends[2];
    answer out = {NULL, 0, -1};
    (void)fflush(NULL);
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        body();
        _exit(50);
    }
    close(ends[1]);
    ssize_t got = 1;
    while (got > 0) {
        out.bytes = realloc(out.bytes, out.length + 65536);
        if (out.bytes == NULL) abort();
        got = read(ends[0], out.bytes + out.length, 65536);
        out.length += got > 0 ? (size_t)got : 0;
    }
    close(ends[0]);
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    out.code = WEXITSTATUS(status);
    return out;
}

static inline uint64_t number_at(const answer *a, size_t place, size_t count) {
    uint64_t number = 0;
    CHECK(place + count <= a->length);
    for (size_t i = 0; i < count; i++) number = number << 8 | a->bytes[place + i];
    return number;
}

/* Whether a decoder gave this reason, in the form of a failure, and nothing behind it. */
static inline int answers_reason(void (*body)(void), int reason) {
    answer a = answer_of(body);
    CHECK(a.code == 1 && a.length >= 7 && memcmp(a.bytes, "QVDE", 4) == 0);
    CHECK(number_at(&a, 5, 2) <= QV_IMAGE_MESSAGE && a.length == 7 + number_at(&a, 5, 2));
    int is_same = a.bytes[4] == reason;
    if (!is_same) (void)fprintf(stderr, "reason %d instead of %d: %.*s\n", a.bytes[4], reason, (int)a.length - 7, a.bytes + 7);
    free(a.bytes);
    return is_same;
}

/* Checks the head of an answer, and returns its pixels; for the caller to free. */
static inline uint8_t *pixels_of(
    void (*body)(void), uint32_t width, uint32_t height, int orientation, size_t profile_length) {
    answer a = answer_of(body);
    size_t length = (size_t)width * height * 3;
    if (a.code != 0 && a.length > 7) (void)fprintf(stderr, "reason %d: %.*s\n", a.bytes[4], (int)a.length - 7, a.bytes + 7);
    CHECK(a.code == 0 && a.length == 17 + profile_length + length && memcmp(a.bytes, "QVDP", 4) == 0);
    CHECK(number_at(&a, 4, 4) == width && number_at(&a, 8, 4) == height && number_at(&a, 12, 1) == (uint64_t)orientation);
    CHECK(number_at(&a, 13, 4) == profile_length);
    memmove(a.bytes, a.bytes + 17 + profile_length, length);
    return a.bytes;
}

/* Whether each cut of the input is refused with this reason, or with the other one. */
static inline void check_cuts(void (*body)(void), int reason, int other) {
    const decode_input whole = given;
    for (size_t length = 0; length < whole.length; length += 1 + whole.length / 12) {
        uint8_t *cut = malloc(length + 1);
        CHECK(cut != NULL);
        memcpy(cut + 1, whole.bytes, length);
        given = (decode_input){cut + 1, length};
        answer a = answer_of(body);
        CHECK(a.code == 1 && a.length >= 7 && (a.bytes[4] == reason || a.bytes[4] == other));
        free(a.bytes);
        free(cut);
    }
    given = whole;
}

#endif
