#include "decode.h"

#include "csystem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
