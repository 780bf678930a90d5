#include "decode.h"

#include "csystem.h"

#include <errno.h>
#include <stdio.h>
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

/* Becomes a program of the system, which reads the file and writes to standard output. */
static _Noreturn void become(const char *path, char *const words[]) {
    extern char **environ;
    (void)lseek(STDIN_FILENO, 0, SEEK_SET);
    execve(path, words, environ);
    decode_fail(DECODE_NO_PROGRAM, strrchr(path, '/') + 1);
}

/* Draws pages as PPM pictures, one after the other. */
static _Noreturn void render(char *first, char *last, char *dpi) {
    char *const words[] = {"pdftoppm", "-cropbox", "-r", dpi, "-f", first, "-l", last, "-", NULL};
    become("/usr/bin/pdftoppm", words);
}

/* Says that text follows, where a program that gives some is installed. */
static void announce_text(const char *path) {
    if (access(path, X_OK) != 0) decode_fail(DECODE_NO_PROGRAM, strrchr(path, '/') + 1);
    decode_write("QVDT", 4);
}

/* Writes the text of a PDF, a form feed behind each page. */
static _Noreturn void extract(void) {
    static const char path[] = "/usr/bin/pdftotext";
    char *const words[] = {"pdftotext", "-enc", "UTF-8", "-eol", "unix", "-", "-", NULL};
    announce_text(path);
    become(path, words);
}

/* The folder that has the data of each language (`chi_sim+eng`), or why there is none. */
static const char *language_folder(const char *languages) {
    static const char *const folders[] = {
        "/usr/share/tesseract-ocr/5/tessdata", "/usr/share/tesseract-ocr/4.00/tessdata", "/usr/share/tessdata"};
    char missing[64] = "";
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (access(folders[i], R_OK) != 0) continue;
        size_t length;
        missing[0] = 0;
        for (const char *at = languages; *at != 0; at += length + (at[length] == '+')) {
            char path[256];
            length = strcspn(at, "+");
            (void)snprintf(path, sizeof path, "%s/%.*s.traineddata", folders[i], (int)length, at);
            if (access(path, R_OK) == 0) continue;
            (void)snprintf(missing, sizeof missing, "%.*s", (int)length, at);
            break;
        }
        if (missing[0] == 0) return folders[i];
    }
    decode_fail(DECODE_NO_LANGUAGE, missing);
}

/* Runs tesseract on a picture, with a setting of its own. */
static _Noreturn void recognize(char *languages, char *setting, char *segmentation) {
    static const char path[] = "/usr/bin/tesseract";
    if (access(path, X_OK) != 0) decode_fail(DECODE_NO_PROGRAM, "tesseract");
    char *const folder = (char *)language_folder(languages);
    char *const words[] = {"tesseract", "stdin", "stdout", "--tessdata-dir", folder, "-l", languages,
                           "-c", setting, "--psm", segmentation, NULL};
    /* A second thread costs it more than it brings. */
    if (putenv("OMP_THREAD_LIMIT=1") != 0) decode_fail(QV_IMAGE_NO_MEMORY, "");
    announce_text(path);
    become(path, words);
}

static int confine(int becomes_another, const char *seconds) {
    /* Programs with their libraries, fonts, and what they know of languages. */
    static const char *const system_files[] = {
        "/usr", "/lib", "/lib64", "/etc/fonts", "/etc/ld.so.cache", "/etc/poppler", "/var/cache/fontconfig",
        "/var/lib/ghostscript/fonts",
    };
    enum { COUNT = sizeof system_files / sizeof *system_files };
    struct qv_confinement wanted = {
        .readable = system_files, .count = becomes_another ? COUNT : 0, .becomes_another = becomes_another,
        .byte_count = 3ULL << 30, .seconds = strtoull(seconds, NULL, 10)};
    return qv_confine(&wanted);
}

int main(int count, char **words) {
    static const char usage[] =
        "qvault-decode [--no-sandbox] SECONDS picture | pages | render FIRST LAST DPI | extract | recognize LANGUAGES | "
        "locate LANGUAGES SEGMENTATION | codes\n";
    int is_optional = count > 1 && strcmp(words[1], "--no-sandbox") == 0;
    words += is_optional;
    count -= is_optional;
    int is_picture = count == 3 && strcmp(words[2], "picture") == 0;
    int is_pages = count == 3 && strcmp(words[2], "pages") == 0;
    int is_rendering = count == 6 && strcmp(words[2], "render") == 0;
    int is_extracting = count == 3 && strcmp(words[2], "extract") == 0;
    int is_recognizing = count == 4 && strcmp(words[2], "recognize") == 0;
    int is_locating = count == 5 && strcmp(words[2], "locate") == 0;
    int is_reading = count == 3 && strcmp(words[2], "codes") == 0;
    int becomes_another = is_rendering || is_extracting || is_recognizing || is_locating;
    if (!is_picture && !is_pages && !is_reading && !becomes_another) {
        (void)!write(STDERR_FILENO, usage, sizeof usage - 1);
        return 2;
    }
    struct stat status;
    if (fstat(STDIN_FILENO, &status) != 0 || status.st_size <= 0) decode_fail(QV_IMAGE_UNKNOWN, "");
    decode_input input = {.length = (size_t)status.st_size};
    if (!becomes_another) input.bytes = mmap(NULL, input.length, PROT_READ, MAP_PRIVATE, STDIN_FILENO, 0);
    if (input.bytes == MAP_FAILED) decode_fail(QV_IMAGE_NO_MEMORY, "");
    int confined = confine(becomes_another, words[1]);
    if (confined < 0) decode_fail(DECODE_NOT_CONFINED, strerror(errno));
    if (confined == 0 && !is_optional) decode_fail(DECODE_NO_SANDBOX, "");
    if (is_rendering) render(words[3], words[4], words[5]);
    if (is_extracting) extract();
    /* The text that a picture shows, with its blanks; or where each word stands, as a table. */
    if (is_recognizing) recognize(words[3], "preserve_interword_spaces=1", "3");
    if (is_locating) recognize(words[3], "tessedit_create_tsv=1", words[4]);
    if (is_pages) decode_pages(&input);
    if (is_reading) decode_codes(&input);
    decode(&input);
}
