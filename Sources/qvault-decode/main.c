#include "decode.h"

#include "csystem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void decode_write(const void *bytes, size_t count) {
    const uint8_t *at = bytes;
    while (count > 0) {
        ssize_t done = write(STDOUT_FILENO, at, count);
        if (done <= 0) _exit(1);
        at += done;
        count -= (size_t)done;
    }
}

void decode_write_number(uint64_t number, int byte_count) {
    uint8_t bytes[8];
    for (int i = 0; i < byte_count; i++) bytes[i] = (uint8_t)(number >> (8 * (byte_count - 1 - i)));
    decode_write(bytes, (size_t)byte_count);
}

void decode_fail(int reason, const char *message) {
    size_t length = strnlen(message, QV_IMAGE_MESSAGE);
    decode_write("QVDE", 4);
    decode_write_number((uint64_t)reason, 1);
    decode_write_number(length, 2);
    decode_write(message, length);
    _exit(1);
}

void decode_reply(const decode_picture *picture) {
    decode_check_size(picture->width, picture->height);
    size_t profile_length = picture->profile_length <= QV_IMAGE_ICC ? picture->profile_length : 0;
    decode_write("QVDP", 4);
    decode_write_number(picture->width, 4);
    decode_write_number(picture->height, 4);
    decode_write_number((uint64_t)picture->orientation, 1);
    decode_write_number(profile_length, 4);
    decode_write(picture->profile, profile_length);
    for (uint32_t y = 0; y < picture->height; y++) {
        decode_write(picture->bytes + y * picture->stride, (size_t)picture->width * 3);
    }
    _exit(0);
}

void decode_check_size(uint64_t width, uint64_t height) {
    if (width == 0 || height == 0) decode_fail(QV_IMAGE_CORRUPT, "a picture without pixels");
    if (width > QV_IMAGE_SIDE || height > QV_IMAGE_SIDE || width * height > QV_IMAGE_DRAWN)
        decode_fail(QV_IMAGE_TOO_LARGE, "");
}

void decode_flatten(uint8_t *bytes, size_t count) {
    const uint8_t *in = bytes;
    for (uint8_t *out = bytes; count > 0; count--, in += 4, out += 3) {
        unsigned alpha = in[3];
        for (int c = 0; c < 3; c++) out[c] = decode_over_white(in[c], alpha);
    }
}

void decode_flatten_premultiplied(uint8_t *bytes, size_t count) {
    const uint8_t *in = bytes;
    for (uint8_t *out = bytes; count > 0; count--, in += 4, out += 3) {
        uint8_t alpha = in[3];
        /* A colour that is more than its alpha cannot have come from anything. */
        for (int c = 0; c < 3; c++) out[c] = (uint8_t)((in[c] < alpha ? in[c] : alpha) + (255 - alpha));
    }
}

static int starts_with(const decode_input *input, size_t place, const char *bytes, size_t count) {
    return input->length >= place + count && memcmp(input->bytes + place, bytes, count) == 0;
}

static _Noreturn void decode(const decode_input *input) {
    if (starts_with(input, 0, "RIFF", 4) && starts_with(input, 8, "WEBP", 4)) decode_webp(input);
    if (starts_with(input, 0, "II*\0", 4) || starts_with(input, 0, "MM\0*", 4) || starts_with(input, 0, "II+\0", 4) ||
        starts_with(input, 0, "MM\0+", 4))
        decode_tiff(input);
    if (starts_with(input, 4, "ftyp", 4)) decode_heif(input);
    decode_fail(QV_IMAGE_UNKNOWN, "");
}

/* Becomes pdftoppm, which draws pages as PPM pictures one after the other. */
static _Noreturn void render(char *first, char *last, char *dpi) {
    static const char path[] = "/usr/bin/pdftoppm";
    char *const words[] = {"pdftoppm", "-cropbox", "-r", dpi, "-f", first, "-l", last, "-", NULL};
    extern char **environ;
    (void)lseek(STDIN_FILENO, 0, SEEK_SET);
    execve(path, words, environ);
    decode_fail(DECODE_NO_RENDERER, "");
}

static int confine(int is_rendering, const char *seconds) {
    /* The renderer with its libraries, and fonts. */
    static const char *const system_files[] = {
        "/usr", "/lib", "/lib64", "/etc/fonts", "/etc/ld.so.cache", "/etc/poppler", "/var/cache/fontconfig",
        "/var/lib/ghostscript/fonts",
    };
    enum { COUNT = sizeof system_files / sizeof *system_files };
    struct qv_confinement wanted = {
        .readable = system_files, .count = is_rendering ? COUNT : 0, .is_rendering = is_rendering,
        .byte_count = 3ULL << 30, .seconds = strtoull(seconds, NULL, 10)};
    return qv_confine(&wanted);
}

int main(int count, char **words) {
    static const char usage[] = "qvault-decode [--no-sandbox] SECONDS picture | pages | render FIRST LAST DPI\n";
    int is_optional = count > 1 && strcmp(words[1], "--no-sandbox") == 0;
    words += is_optional;
    count -= is_optional;
    int is_picture = count == 3 && strcmp(words[2], "picture") == 0;
    int is_pages = count == 3 && strcmp(words[2], "pages") == 0;
    int is_rendering = count == 6 && strcmp(words[2], "render") == 0;
    if (!is_picture && !is_pages && !is_rendering) {
        (void)!write(STDERR_FILENO, usage, sizeof usage - 1);
        return 2;
    }
    struct stat status;
    if (fstat(STDIN_FILENO, &status) != 0 || status.st_size <= 0) decode_fail(QV_IMAGE_UNKNOWN, "");
    decode_input input = {.length = (size_t)status.st_size};
    if (!is_rendering) input.bytes = mmap(NULL, input.length, PROT_READ, MAP_PRIVATE, STDIN_FILENO, 0);
    if (input.bytes == MAP_FAILED) decode_fail(QV_IMAGE_NO_MEMORY, "");
    int confined = confine(is_rendering, words[1]);
    if (confined < 0) decode_fail(DECODE_NOT_CONFINED, strerror(errno));
    if (confined == 0 && !is_optional) decode_fail(DECODE_NO_SANDBOX, "");
    if (is_rendering) render(words[3], words[4], words[5]);
    if (is_pages) decode_pages(&input);
    decode(&input);
}
