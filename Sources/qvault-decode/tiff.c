#include "decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

/* The file, and where it is read. */
typedef struct {
    const decode_input *input;
    uint64_t place;
} cursor;

static tmsize_t read_some(thandle_t handle, void *out, tmsize_t count) {
    cursor *c = handle;
    uint64_t left = c->place < c->input->length ? c->input->length - c->place : 0;
    uint64_t here = (uint64_t)count < left ? (uint64_t)count : left;
    memcpy(out, c->input->bytes + c->place, here);
    c->place += here;
    return (tmsize_t)here;
}

static tmsize_t write_none(thandle_t handle, void *bytes, tmsize_t count) {
    (void)handle, (void)bytes, (void)count;
    return 0;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    cursor *c = handle;
    uint64_t base = whence == SEEK_CUR ? c->place : whence == SEEK_END ? c->input->length : 0;
    return c->place = base + offset;
}

static int close_none(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t size(thandle_t handle) { return ((cursor *)handle)->input->length; }

static int map(thandle_t handle, void **base, toff_t *length) {
    *base = (void *)(uintptr_t)((cursor *)handle)->input->bytes;
    *length = ((cursor *)handle)->input->length;
    return 1;
}

static void unmap(thandle_t handle, void *base, toff_t length) { (void)handle, (void)base, (void)length; }

/* The library's last words. */
static char said[QV_IMAGE_MESSAGE];

static void on_error(const char *module, const char *format, va_list values) {
    (void)module;
    (void)vsnprintf(said, sizeof said, format, values);
}

/* Whether another page follows; pictures of a smaller size are none. */
static int has_more_pages(TIFF *file) {
    enum { REDUCED_AT_MOST = 16 };
    for (int i = 0; i < REDUCED_AT_MOST && TIFFReadDirectory(file); i++) {
        uint32_t kind = 0;
        if (!TIFFGetField(file, TIFFTAG_SUBFILETYPE, &kind) || (kind & FILETYPE_REDUCEDIMAGE) == 0) return 1;
    }
    return 0;
}

void decode_tiff(const decode_input *input) {
    cursor place = {input, 0};
    TIFFSetErrorHandler(on_error);
    TIFFSetWarningHandler(NULL);
    TIFF *file = TIFFClientOpen("picture", "r", &place, read_some, write_none, seek, close_none, size, map, unmap);
    if (file == NULL) decode_fail(QV_IMAGE_CORRUPT, said);
    uint32_t width = 0, height = 0;
    TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(file, TIFFTAG_IMAGELENGTH, &height);
    decode_check_size(width, height);
    uint16_t orientation = 1;
    TIFFGetFieldDefaulted(file, TIFFTAG_ORIENTATION, &orientation);
    if (orientation < 1 || orientation > 8) orientation = 1;
    size_t count = (size_t)width * height;
    uint32_t *pixels = malloc(count * sizeof *pixels);
    if (pixels == NULL) decode_fail(QV_IMAGE_NO_MEMORY, "");
    char message[1024];
    if (!TIFFRGBAImageOK(file, message)) decode_fail(QV_IMAGE_UNSUPPORTED, message);
    /* Asked for in its own orientation, no row is turned: the copy says how it is shown. */
    if (!TIFFReadRGBAImageOriented(file, width, height, pixels, orientation, 1)) decode_fail(QV_IMAGE_CORRUPT, said);
    uint8_t *bytes = (uint8_t *)pixels;
    for (size_t i = 0; i < count; i++) {
        uint32_t pixel = pixels[i];
        /* The library gives colours times their alpha. */
        uint8_t rest = (uint8_t)(255 - TIFFGetA(pixel));
        bytes[3 * i] = (uint8_t)(TIFFGetR(pixel) + rest);
        bytes[3 * i + 1] = (uint8_t)(TIFFGetG(pixel) + rest);
        bytes[3 * i + 2] = (uint8_t)(TIFFGetB(pixel) + rest);
    }
    decode_picture out = {
        .width = width, .height = height, .orientation = orientation, .bytes = bytes, .stride = (size_t)width * 3};
    uint32_t profile_length = 0;
    void *profile = NULL;
    if (TIFFGetField(file, TIFFTAG_ICCPROFILE, &profile_length, &profile)) {
        uint8_t *copy = profile_length <= QV_IMAGE_ICC ? malloc(profile_length) : NULL;
        if (copy != NULL) memcpy(copy, profile, profile_length);
        out.profile = copy;
        out.profile_length = copy == NULL ? 0 : profile_length;
    }
    if (has_more_pages(file)) decode_fail(DECODE_PAGES_OF_TIFF, "");
    decode_reply(&out);
}
