#include "internal.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

typedef struct {
    png_structp png;
    png_infop info;
    const uint8_t *data;
    size_t length, place;
    char *message;
    enum qv_image_status status;
    qv_shrinker shrinker;
    uint8_t *rows; /* one, or of an interlaced picture all */
    png_bytep *row_list;
    size_t row_length, row_count;
    int orientation;
} reader;

static void on_error(png_structp png, png_const_charp text) {
    reader *r = png_get_error_ptr(png);
    qv_image_say(r->message, text);
    if (r->status == QV_IMAGE_DONE) r->status = QV_IMAGE_CORRUPT;
    png_longjmp(png, 1);
}

/* Most warnings are of chunks that say nothing about pixels. */
static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void give(png_structp png, png_bytep out, size_t count) {
    reader *r = png_get_io_ptr(png);
    if (count > r->length - r->place) png_error(png, "the file ends too early");
    memcpy(out, r->data + r->place, count);
    r->place += count;
}

static _Noreturn void leave(reader *r, enum qv_image_status status, const char *text) {
    r->status = status;
    png_error(r->png, text);
}

/* 8 bits of red, green and blue, whatever is stored; what is transparent over white. */
static void set_transforms(reader *r) {
    png_structp png = r->png;
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    if (png_get_color_type(png, r->info) & PNG_COLOR_MASK_ALPHA || png_get_valid(png, r->info, PNG_INFO_tRNS)) {
        png_color_16 white = {.red = 255, .green = 255, .blue = 255, .gray = 255};
        png_set_background(png, &white, PNG_BACKGROUND_GAMMA_SCREEN, 0, 1);
    }
}

static void read_all(reader *r, uint32_t width, uint32_t height, qv_pixels *out) {
    png_structp png = r->png;
    png_set_user_limits(png, QV_IMAGE_SIDE, QV_IMAGE_SIDE);
    png_set_chunk_malloc_max(png, 16 << 20);
    png_set_chunk_cache_max(png, 128);
    png_set_read_fn(png, r, give);
    png_read_info(png, r->info);
    uint32_t wide = png_get_image_width(png, r->info), high = png_get_image_height(png, r->info);
    if ((uint64_t)wide * high > QV_IMAGE_PIXELS) leave(r, QV_IMAGE_TOO_LARGE, "too many pixels");
    png_bytep exif = NULL;
    png_uint_32 count = 0;
    if (png_get_eXIf_1(png, r->info, &count, &exif) == PNG_INFO_eXIf) r->orientation = qv_exif_orientation(exif, count);
    if (r->orientation > 4) {
        uint32_t other = width;
        width = height;
        height = other;
    }
    set_transforms(r);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, r->info);
    r->row_length = png_get_rowbytes(png, r->info);
    if (r->row_length != (size_t)wide * 3) leave(r, QV_IMAGE_UNSUPPORTED, "an unknown kind of pixels");
    r->row_count = passes > 1 ? high : 1;
    if (r->row_length * r->row_count > QV_IMAGE_RASTER) leave(r, QV_IMAGE_TOO_LARGE, "interlaced, and too large");
    r->rows = malloc(r->row_length * r->row_count);
    if (r->rows == NULL || qv_shrinker_start(&r->shrinker, wide, high, width, height) != 0)
        leave(r, QV_IMAGE_NO_MEMORY, "no memory");
    if (passes > 1) {
        r->row_list = malloc(high * sizeof *r->row_list);
        if (r->row_list == NULL) leave(r, QV_IMAGE_NO_MEMORY, "no memory");
        for (uint32_t y = 0; y < high; y++) r->row_list[y] = r->rows + y * r->row_length;
        png_read_image(png, r->row_list);
        for (uint32_t y = 0; y < high; y++) qv_shrinker_take(&r->shrinker, r->row_list[y]);
    } else {
        for (uint32_t y = 0; y < high; y++) {
            png_read_row(png, r->rows, NULL);
            qv_shrinker_take(&r->shrinker, r->rows);
        }
    }
    png_read_end(png, NULL);
    if (qv_shrinker_finish(&r->shrinker, r->orientation, out) != 0) leave(r, QV_IMAGE_NO_MEMORY, "no memory");
}

enum qv_image_status qv_png_read(
    const uint8_t *data, size_t length, uint32_t width, uint32_t height, qv_pixels *out, char *message) {
    reader *r = calloc(1, sizeof *r);
    if (r == NULL) return QV_IMAGE_NO_MEMORY;
    r->data = data;
    r->length = length;
    r->message = message;
    r->orientation = 1;
    r->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, r, on_error, on_warning);
    r->info = r->png != NULL ? png_create_info_struct(r->png) : NULL;
    if (r->info == NULL) {
        r->status = QV_IMAGE_NO_MEMORY;
    } else if (setjmp(png_jmpbuf(r->png)) == 0) {
        read_all(r, width, height, out);
    }
    enum qv_image_status status = r->status;
    qv_shrinker_end(&r->shrinker);
    qv_image_free(r->rows, r->row_length * r->row_count);
    free(r->row_list);
    png_destroy_read_struct(&r->png, &r->info, NULL);
    free(r);
    return status;
}
