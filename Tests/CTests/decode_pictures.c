/* qvault-decode: WebP and TIFF pictures that their libraries write, and damaged ones. */
#include "decoding.h"

#include <math.h>

#include <tiffio.h>
#include <webp/encode.h>

enum { WIDE = 37, HIGH = 23, COUNT = WIDE * HIGH };

static void webp(void) { decode_webp(&given); }
static void tiff(void) { decode_tiff(&given); }

static void make_random(uint8_t *bytes, size_t count, uint64_t seed) { check_fill(&seed, bytes, count); }

static void test_webp(void) {
    uint8_t rgb[COUNT * 3], rgba[COUNT * 4], *file = NULL;
    make_random(rgb, sizeof rgb, 71);
    make_random(rgba, sizeof rgba, 72);
    given.length = WebPEncodeLosslessRGB(rgb, WIDE, HIGH, 3 * WIDE, &file);
    given.bytes = file;
    uint8_t *got = pixels_of(webp, WIDE, HIGH, 1, 0);
    CHECK(memcmp(got, rgb, sizeof rgb) == 0);
    free(got);
    check_cuts(webp, QV_IMAGE_CORRUPT, QV_IMAGE_CORRUPT);
    WebPFree(file);
    for (int i = 0; i < COUNT; i++) rgba[4 * i + 3] = (uint8_t)(rgba[4 * i + 3] | 1); /* colours stay where something is seen */
    given.length = WebPEncodeLosslessRGBA(rgba, WIDE, HIGH, 4 * WIDE, &file);
    given.bytes = file;
    got = pixels_of(webp, WIDE, HIGH, 1, 0);
    for (int i = 0; i < COUNT * 3; i++) {
        double alpha = rgba[i / 3 * 4 + 3], wanted = (rgba[i / 3 * 4 + i % 3] * alpha + 255 * (255 - alpha)) / 255;
        CHECK(fabs(got[i] - wanted) <= 0.5);
    }
    free(got);
    check_cuts(webp, QV_IMAGE_CORRUPT, QV_IMAGE_CORRUPT);
    WebPFree(file);
    given.length = WebPEncodeRGB(rgb, WIDE, HIGH, 3 * WIDE, 90, &file);
    given.bytes = file;
    free(pixels_of(webp, WIDE, HIGH, 1, 0));
    check_cuts(webp, QV_IMAGE_CORRUPT, QV_IMAGE_CORRUPT);
    WebPFree(file);
    /* Headers of an animation, and of a picture beyond the limits. */
    static const uint8_t animation[] = "RIFF\x16\0\0\0WEBPVP8X\x0A\0\0\0\2\0\0\0\4\0\0\4\0\0";
    static const uint8_t large[] = "RIFF\x16\0\0\0WEBPVP8X\x0A\0\0\0\0\0\0\0\xFF\x7F\0\xFF\x7F\0";
    given = (decode_input){animation, sizeof animation - 1};
    CHECK(answers_reason(webp, DECODE_ANIMATION));
    given = (decode_input){large, sizeof large - 1};
    CHECK(answers_reason(webp, QV_IMAGE_TOO_LARGE));
}

/* A file of libtiff in memory. */
typedef struct {
    uint8_t *bytes;
    toff_t length, place, room;
} memory;

static tmsize_t read_memory(thandle_t handle, void *out, tmsize_t count) {
    memory *m = handle;
    toff_t left = m->place < m->length ? m->length - m->place : 0, here = (toff_t)count < left ? (toff_t)count : left;
    if (here > 0) memcpy(out, m->bytes + m->place, here);
    m->place += here;
    return (tmsize_t)here;
}

static tmsize_t write_memory(thandle_t handle, void *bytes, tmsize_t count) {
    memory *m = handle;
    CHECK(m->place + (toff_t)count <= m->room);
    memcpy(m->bytes + m->place, bytes, (size_t)count);
    m->place += (toff_t)count;
    if (m->place > m->length) m->length = m->place;
    return count;
}

static toff_t seek_memory(thandle_t handle, toff_t offset, int whence) {
    memory *m = handle;
    return m->place = offset + (whence == SEEK_CUR ? m->place : whence == SEEK_END ? m->length : 0);
}

static int close_memory(thandle_t handle) { return (void)handle, 0; }
static toff_t size_of_memory(thandle_t handle) { return ((memory *)handle)->length; }

/* What a TIFF is to be; `is_known` says whether its samples are read. */
typedef struct {
    uint16_t meaning, colours, bits, extra, planes, compression;
    int is_tiled, orientation;
    const char *mode;
} tiff_wish;

enum { TILE = 16, ROOM = 1 << 20 };

/* Writes samples as they stand, one row behind the other, of all planes. */
static void write_tiff(TIFF *file, const tiff_wish *w, const uint8_t *samples) {
    uint16_t count = (uint16_t)(w->colours + (w->extra > 0)), kind = (uint16_t)(w->extra - 1);
    int is_separate = w->planes == PLANARCONFIG_SEPARATE;
    size_t bytes = w->bits / 8, in_row = (is_separate ? 1 : count) * bytes;
    TIFFSetField(file, TIFFTAG_IMAGEWIDTH, WIDE);
    TIFFSetField(file, TIFFTAG_IMAGELENGTH, HIGH);
    TIFFSetField(file, TIFFTAG_PHOTOMETRIC, w->meaning);
    TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, count);
    TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, w->bits);
    TIFFSetField(file, TIFFTAG_PLANARCONFIG, w->planes);
    TIFFSetField(file, TIFFTAG_COMPRESSION, w->compression);
    TIFFSetField(file, TIFFTAG_ORIENTATION, w->orientation);
    TIFFSetField(file, TIFFTAG_ICCPROFILE, 3, "icc");
    if (w->extra > 0) TIFFSetField(file, TIFFTAG_EXTRASAMPLES, 1, &kind);
    if (w->is_tiled) {
        TIFFSetField(file, TIFFTAG_TILEWIDTH, TILE);
        TIFFSetField(file, TIFFTAG_TILELENGTH, TILE);
    } else {
        TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, 7);
    }
    for (uint16_t plane = 0; plane < (is_separate ? count : 1); plane++, samples += WIDE * HIGH * in_row) {
        for (uint32_t y = 0; y < HIGH && !w->is_tiled; y++)
            CHECK(TIFFWriteScanline(file, (void *)(uintptr_t)(samples + y * WIDE * in_row), y, plane) == 1);
        for (uint32_t top = 0; top < HIGH && w->is_tiled; top += TILE) {
            for (uint32_t left = 0; left < WIDE; left += TILE) {
                uint8_t tile[TILE * TILE * 8] = {0};
                uint32_t across = WIDE - left < TILE ? WIDE - left : TILE;
                for (uint32_t y = 0; y < TILE && top + y < HIGH; y++)
                    memcpy(tile + y * TILE * in_row, samples + ((top + y) * WIDE + left) * in_row, across * in_row);
                CHECK(TIFFWriteTile(file, tile, left, top, 0, plane) > 0);
            }
        }
    }
}

static memory make_tiff(const tiff_wish *w, const uint8_t *samples, int pages) {
    memory m = {malloc(ROOM), 0, 0, ROOM};
    TIFF *file = TIFFClientOpen(
        "picture", w->mode, &m, read_memory, write_memory, seek_memory, close_memory, size_of_memory, NULL, NULL);
    CHECK(m.bytes != NULL && file != NULL);
    for (int page = 0; page < pages; page++) {
        write_tiff(file, w, samples);
        CHECK(TIFFWriteDirectory(file) == 1);
    }
    TIFFClose(file);
    return m;
}

/* The sample that stands at a place, 0 to 1. */
static double sample_at(const tiff_wish *w, const uint8_t *samples, int pixel, int which) {
    int count = w->colours + (w->extra > 0);
    size_t at = w->planes == PLANARCONFIG_SEPARATE ? (size_t)(which * COUNT + pixel) : (size_t)(pixel * count + which);
    if (w->bits == 8) return samples[at] / 255.0;
    uint16_t wide;
    memcpy(&wide, samples + 2 * at, sizeof wide);
    /* Files of the other byte order are written from numbers of this machine's. */
    return wide / 65535.0;
}

/* What is seen: over white, by the meaning of its alpha. */
static void check_tiff(const tiff_wish *w, uint64_t seed) {
    uint8_t samples[COUNT * 8];
    make_random(samples, sizeof samples, seed);
    memory m = make_tiff(w, samples, 1);
    given = (decode_input){m.bytes, m.length};
    uint8_t *got = pixels_of(tiff, WIDE, HIGH, w->orientation, 3);
    for (int i = 0; i < COUNT * 3; i++) {
        int pixel = i / 3, which = w->colours == 1 ? 0 : i % 3;
        double value = sample_at(w, samples, pixel, which), alpha = w->extra > 0 ? sample_at(w, samples, pixel, w->colours) : 1;
        if (w->meaning == PHOTOMETRIC_MINISWHITE) value = 1 - value;
        double wanted = w->extra == EXTRASAMPLE_ASSOCALPHA + 1 ? fmin(value, alpha) + 1 - alpha : value * alpha + 1 - alpha;
        /* Samples of 16 bits are rounded before, those of an alpha too. */
        CHECK(fabs(got[i] - 255 * wanted) <= (w->bits == 8 ? 0.51 : 1.6));
    }
    free(got);
    check_cuts(tiff, QV_IMAGE_CORRUPT, QV_IMAGE_UNSUPPORTED);
    free(m.bytes);
}

static void test_tiff(void) {
    enum { ONE = PLANARCONFIG_CONTIG, EACH = PLANARCONFIG_SEPARATE };
    enum { PLAIN = EXTRASAMPLE_UNASSALPHA + 1, TIMES = EXTRASAMPLE_ASSOCALPHA + 1 };
    static const tiff_wish wishes[] = {
        {PHOTOMETRIC_MINISBLACK, 1, 8, 0, ONE, COMPRESSION_NONE, 0, 1, "w"},
        {PHOTOMETRIC_MINISWHITE, 1, 8, 0, ONE, COMPRESSION_LZW, 0, 8, "w"},
        {PHOTOMETRIC_MINISBLACK, 1, 16, PLAIN, ONE, COMPRESSION_NONE, 1, 1, "wb"},
        {PHOTOMETRIC_MINISWHITE, 1, 8, PLAIN, EACH, COMPRESSION_NONE, 0, 1, "w"},
        {PHOTOMETRIC_RGB, 3, 8, 0, ONE, COMPRESSION_NONE, 0, 6, "w8"},
        {PHOTOMETRIC_RGB, 3, 8, PLAIN, ONE, COMPRESSION_LZW, 1, 3, "w"},
        {PHOTOMETRIC_RGB, 3, 8, TIMES, EACH, COMPRESSION_NONE, 1, 1, "wl"},
        {PHOTOMETRIC_RGB, 3, 16, TIMES, ONE, COMPRESSION_ADOBE_DEFLATE, 0, 2, "w8"},
        {PHOTOMETRIC_RGB, 3, 16, 0, EACH, COMPRESSION_LZW, 1, 5, "wb"},
    };
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) check_tiff(&wishes[i], 80 + i);
    uint8_t samples[COUNT * 8];
    make_random(samples, sizeof samples, 79);
    memory m = make_tiff(&wishes[0], samples, 2);
    given = (decode_input){m.bytes, m.length};
    CHECK(answers_reason(tiff, DECODE_PAGES_OF_TIFF));
    free(m.bytes);
    /* Samples that are not understood beside the colours. */
    tiff_wish odd = {PHOTOMETRIC_RGB, 3, 8, EXTRASAMPLE_UNSPECIFIED + 1, ONE, COMPRESSION_NONE, 0, 1, "w"};
    m = make_tiff(&odd, samples, 1);
    given = (decode_input){m.bytes, m.length};
    CHECK(answers_reason(tiff, QV_IMAGE_UNSUPPORTED));
    free(m.bytes);
    /* Inks are the library's to turn into colours. */
    odd = (tiff_wish){PHOTOMETRIC_SEPARATED, 4, 8, 0, ONE, COMPRESSION_NONE, 0, 1, "w"};
    memset(samples, 0, sizeof samples);
    m = make_tiff(&odd, samples, 1);
    given = (decode_input){m.bytes, m.length};
    uint8_t *got = pixels_of(tiff, WIDE, HIGH, 1, 3);
    for (int i = 0; i < COUNT * 3; i++) CHECK(got[i] == 255);
    free(got);
    free(m.bytes);
}

/* A place far behind the end, which adds up to more than there are numbers. */
static void test_far_places(void) {
    static const uint8_t far_away[][17] = {"II*\0\xFF\xFF\xFF\xFF", "MM\0*\x7F\xFF\xFF\xFF",
                                           "II+\0\x08\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
                                           "II+\0\x08\0\0\0\xFE\xFF\xFF\xFF\xFF\xFF\xFF\x7F", "II*\0\x08\0\0\0\xFF\xFF"};
    for (size_t i = 0; i < sizeof far_away / sizeof *far_away; i++) {
        given = (decode_input){far_away[i], 16};
        CHECK(answers_reason(tiff, QV_IMAGE_CORRUPT));
    }
}

int main(void) {
    TIFFSetWarningHandler(NULL);
    test_webp();
    test_tiff();
    test_far_places();
    return check_end("decode_pictures");
}
