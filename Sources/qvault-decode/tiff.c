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

/* A picture whose samples are read here: gray or RGB, 8 or 16 bits each, without alpha or with one that says what it is. */
typedef struct {
    uint32_t width, height;
    uint16_t samples, bits; /* of a pixel, the alpha among them; of a sample */
    int has_alpha, is_separate, is_inverted, is_premultiplied;
} plain_picture;

/* Whether samples are read here: the library lays some sorts of alpha over white, and some not, and colours that stand under it
 * are not seen and must not go out. Refuses what has samples beside its colours that are not understood. */
static int is_plain(TIFF *file, plain_picture *out) {
    uint16_t samples = 1, bits = 1, planes = PLANARCONFIG_CONTIG, meaning = 0, format = SAMPLEFORMAT_UINT, extra_count = 0;
    uint16_t *extra = NULL;
    TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(file, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(file, TIFFTAG_PLANARCONFIG, &planes);
    TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(file, TIFFTAG_EXTRASAMPLES, &extra_count, &extra);
    if (!TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &meaning)) decode_fail(QV_IMAGE_UNSUPPORTED, "no word on what its numbers are");
    int is_gray = meaning == PHOTOMETRIC_MINISBLACK || meaning == PHOTOMETRIC_MINISWHITE;
    int is_cmyk = meaning == PHOTOMETRIC_SEPARATED;
    uint16_t colours = is_gray || meaning == PHOTOMETRIC_PALETTE ? 1 : is_cmyk ? 4 : 3;
    int has_alpha = samples != colours || extra_count != 0;
    int is_read = (is_gray || meaning == PHOTOMETRIC_RGB) && (bits == 8 || bits == 16) && format == SAMPLEFORMAT_UINT;
    if (!has_alpha && !is_read) return 0;
    int is_known = is_read && samples == colours + 1 && extra_count == 1 &&
                   (extra[0] == EXTRASAMPLE_ASSOCALPHA || extra[0] == EXTRASAMPLE_UNASSALPHA);
    int is_premultiplied = has_alpha && is_known && extra[0] == EXTRASAMPLE_ASSOCALPHA;
    if (has_alpha && (!is_known || (is_premultiplied && meaning == PHOTOMETRIC_MINISWHITE)))
        decode_fail(QV_IMAGE_UNSUPPORTED, "samples beside its colours that are not understood");
    TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &out->width);
    TIFFGetField(file, TIFFTAG_IMAGELENGTH, &out->height);
    out->samples = samples;
    out->has_alpha = has_alpha;
    out->bits = bits;
    out->is_separate = planes == PLANARCONFIG_SEPARATE;
    out->is_inverted = meaning == PHOTOMETRIC_MINISWHITE;
    out->is_premultiplied = is_premultiplied;
    return 1;
}

/* One sample as 8 bits. */
static unsigned sample(const plain_picture *p, const uint8_t *row, size_t index) {
    if (p->bits == 8) return row[index];
    uint16_t wide;
    memcpy(&wide, row + 2 * index, sizeof wide);
    return ((unsigned)wide * 255 + 32767) / 65535;
}

/* A row of pixels over white. `rows` has one row for each plane, or one for all samples. */
static void flatten(const plain_picture *p, uint8_t *const rows[], uint32_t count, uint8_t *out) {
    unsigned colours = (unsigned)p->samples - (p->has_alpha ? 1 : 0);
    for (uint32_t x = 0; x < count; x++, out += 3) {
        unsigned values[4];
        for (unsigned c = 0; c < p->samples; c++) {
            values[c] = p->is_separate ? sample(p, rows[c], x) : sample(p, rows[0], (size_t)x * p->samples + c);
        }
        unsigned alpha = p->has_alpha ? values[colours] : 255;
        for (unsigned c = 0; c < 3; c++) {
            unsigned value = values[colours == 1 ? 0 : c];
            if (p->is_inverted) value = 255 - value;
            /* A colour that is more than its alpha cannot have come from anything. */
            out[c] = p->is_premultiplied ? (uint8_t)((value < alpha ? value : alpha) + 255 - alpha) : decode_over_white(value, alpha);
        }
    }
}

/* Reads the pieces of the file, strips or tiles, and lays their pixels over white. */
static void read_over_white(TIFF *file, const plain_picture *p, uint8_t *bytes) {
    int is_tiled = TIFFIsTiled(file);
    uint32_t across = p->width, down = p->height;
    if (is_tiled) {
        TIFFGetField(file, TIFFTAG_TILEWIDTH, &across);
        TIFFGetField(file, TIFFTAG_TILELENGTH, &down);
    } else {
        TIFFGetFieldDefaulted(file, TIFFTAG_ROWSPERSTRIP, &down);
        if (down > p->height) down = p->height;
    }
    tmsize_t room = is_tiled ? TIFFTileSize(file) : TIFFStripSize(file);
    tmsize_t row = is_tiled ? TIFFTileRowSize(file) : TIFFScanlineSize(file);
    size_t planes = p->is_separate ? p->samples : 1, needed = (size_t)across * (p->bits / 8) * (p->is_separate ? 1 : p->samples);
    if (across == 0 || down == 0 || row < 0 || (size_t)row < needed || room / down < row)
        decode_fail(QV_IMAGE_CORRUPT, "pieces of another size");
    uint8_t *pieces[4] = {NULL};
    for (size_t plane = 0; plane < planes; plane++) {
        pieces[plane] = calloc(1, (size_t)room);
        if (pieces[plane] == NULL) decode_fail(QV_IMAGE_NO_MEMORY, "");
    }
    for (uint32_t top = 0; top < p->height; top += down) {
        for (uint32_t left = 0; left < p->width; left += across) {
            for (uint16_t plane = 0; plane < planes; plane++) {
                tmsize_t got = is_tiled ? TIFFReadTile(file, pieces[plane], left, top, 0, plane)
                                        : TIFFReadEncodedStrip(file, TIFFComputeStrip(file, top, plane), pieces[plane], room);
                if (got < 0) decode_fail(QV_IMAGE_CORRUPT, said);
            }
            uint32_t wide = p->width - left < across ? p->width - left : across;
            for (uint32_t y = 0; y < down && top + y < p->height; y++) {
                uint8_t *rows[4];
                for (size_t plane = 0; plane < planes; plane++) rows[plane] = pieces[plane] + (size_t)y * (size_t)row;
                flatten(p, rows, wide, bytes + ((size_t)(top + y) * p->width + left) * 3);
            }
        }
    }
    for (size_t plane = 0; plane < planes; plane++) free(pieces[plane]);
}

/* Lets the library turn the samples of other pictures into pixels: palettes, inks, few bits, differences of colour. */
static uint8_t *read_other(TIFF *file, uint32_t width, uint32_t height, int orientation) {
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
        bytes[3 * i] = (uint8_t)TIFFGetR(pixel);
        bytes[3 * i + 1] = (uint8_t)TIFFGetG(pixel);
        bytes[3 * i + 2] = (uint8_t)TIFFGetB(pixel);
    }
    return bytes;
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
    plain_picture plain;
    uint8_t *bytes;
    if (is_plain(file, &plain)) {
        bytes = malloc((size_t)width * height * 3);
        if (bytes == NULL) decode_fail(QV_IMAGE_NO_MEMORY, "");
        read_over_white(file, &plain, bytes);
    } else {
        bytes = read_other(file, width, height, orientation);
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
