/* Pictures for the tests of CImage: pixels that are the same each time, PNGs of any kind, streams that fail. */
#ifndef QUICKVAULT_TESTS_PICTURES_H
#define QUICKVAULT_TESTS_PICTURES_H

#include "check.h"
#include "cimage.h"

#include <png.h>

/* Bytes that grow. */
typedef struct {
    uint8_t *bytes;
    size_t length;
    size_t most; /* writing beyond this fails; 0 for no limit */
} buffer;

static inline int buffer_write(void *context, const uint8_t *bytes, size_t count) {
    buffer *b = context;
    if (b->most > 0 && b->length + count > b->most) return -1;
    uint8_t *larger = realloc(b->bytes, b->length + count);
    CHECK(larger != NULL);
    memcpy(larger + b->length, bytes, count);
    b->bytes = larger;
    b->length += count;
    return 0;
}

static inline void buffer_free(buffer *b) {
    free(b->bytes);
    *b = (buffer){NULL, 0, 0};
}

static inline qv_input buffer_input(const buffer *b) { return (qv_input){b->bytes, b->length, NULL, NULL}; }

/* The same as a stream: `most` is where reading fails. */
static inline int buffer_read(void *context, size_t place, uint8_t *out, size_t count) {
    const buffer *b = context;
    CHECK(place <= b->length && count <= b->length - place);
    if (b->most > 0 && place + count > b->most) return -1;
    memcpy(out, b->bytes + place, count);
    return 0;
}

static inline qv_input buffer_stream(buffer *b) { return (qv_input){NULL, b->length, buffer_read, b}; }

/* Smooth colours with some noise, as a photograph has them. */
static inline uint8_t *photograph(uint32_t width, uint32_t height, uint64_t seed) {
    uint8_t *bytes = malloc((size_t)width * height * 3);
    CHECK(bytes != NULL);
    uint8_t *at = bytes;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint32_t noise = (uint32_t)(check_random(&seed) % 24);
            *at++ = (uint8_t)(40 + 160 * x / width + noise);
            *at++ = (uint8_t)(60 + 120 * y / height + noise);
            *at++ = (uint8_t)(200 - 150 * (x + y) / (width + height) + noise);
        }
    }
    return bytes;
}

static inline void png_put(png_structp png, png_bytep bytes, size_t count) {
    CHECK(buffer_write(png_get_io_ptr(png), bytes, count) == 0);
}

static inline void png_no_flush(png_structp png) { (void)png; }

/* What a PNG is to be. */
typedef struct {
    uint32_t width, height;
    int depth, type, is_interlaced, orientation; /* orientation 0: no EXIF */
    uint32_t per_metre;                          /* 0: no word on it */
    const uint8_t *profile;
    uint32_t profile_length;
} png_wish;

static inline size_t png_row_length(const png_wish *wish) {
    size_t channels = wish->type == PNG_COLOR_TYPE_RGB ? 3 : wish->type == PNG_COLOR_TYPE_RGB_ALPHA ? 4
                      : wish->type == PNG_COLOR_TYPE_GRAY_ALPHA ? 2 : 1;
    return ((size_t)wish->width * channels * (size_t)wish->depth + 7) / 8;
}

static inline void png_put_facts(png_structp png, png_infop info, const png_wish *wish) {
    if (wish->type == PNG_COLOR_TYPE_PALETTE) {
        png_color colours[256];
        int count = 1 << wish->depth;
        for (int i = 0; i < count; i++) colours[i] = (png_color){(png_byte)(i * 37), (png_byte)(i * 91), (png_byte)(i * 173)};
        png_set_PLTE(png, info, colours, count);
    }
    if (wish->per_metre > 0) png_set_pHYs(png, info, wish->per_metre, wish->per_metre, PNG_RESOLUTION_METER);
    if (wish->profile != NULL) png_set_iCCP(png, info, "any", 0, wish->profile, wish->profile_length);
    if (wish->orientation == 0) return;
    uint8_t exif[26] = {'M', 'M', 0, '*', 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, (uint8_t)wish->orientation};
    png_set_eXIf_1(png, info, sizeof exif, exif);
}

/* Writes rows as they are stored, one behind the other. */
static inline buffer png_of(const png_wish *wish, const uint8_t *rows) {
    buffer out = {NULL, 0, 0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    CHECK(png != NULL && info != NULL);
    png_set_write_fn(png, &out, png_put, png_no_flush);
    png_set_IHDR(
        png, info, wish->width, wish->height, wish->depth, wish->type, wish->is_interlaced ? PNG_INTERLACE_ADAM7 : 0, 0, 0);
    png_put_facts(png, info, wish);
    png_write_info(png, info);
    size_t length = png_row_length(wish);
    png_bytep *list = malloc(wish->height * sizeof *list);
    CHECK(list != NULL);
    for (uint32_t y = 0; y < wish->height; y++) list[y] = (png_bytep)(uintptr_t)(rows + y * length);
    png_write_image(png, list);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    free(list);
    return out;
}

/* A photograph as a PNG of 8 bits and three colours. */
static inline buffer png_photograph(uint32_t width, uint32_t height) {
    uint8_t *bytes = photograph(width, height, 9);
    const png_wish wish = {.width = width, .height = height, .depth = 8, .type = PNG_COLOR_TYPE_RGB};
    buffer out = png_of(&wish, bytes);
    free(bytes);
    return out;
}

/* The same as a JPEG. */
static inline buffer jpeg_photograph(uint32_t width, uint32_t height, int quality) {
    char message[QV_IMAGE_MESSAGE];
    uint8_t *bytes = photograph(width, height, 9);
    const qv_pixels pixels = {.width = width, .height = height, .bytes = bytes};
    buffer out = {NULL, 0, 0};
    CHECK(qv_jpeg_write(&pixels, quality, &out.bytes, &out.length, message) == QV_IMAGE_DONE);
    free(bytes);
    return out;
}

static inline qv_pixels read_whole(const buffer *b) {
    char message[QV_IMAGE_MESSAGE];
    qv_pixels out;
    const qv_input input = buffer_input(b);
    CHECK(qv_image_read(&input, QV_IMAGE_SIDE, QV_IMAGE_SIDE, &out, message) == QV_IMAGE_DONE);
    return out;
}

static inline void pixels_free(qv_pixels *pixels) {
    qv_image_free(pixels->bytes, (size_t)pixels->width * pixels->height * 3);
    qv_image_free(pixels->profile, pixels->profile_length);
    *pixels = (qv_pixels){0};
}

#endif
