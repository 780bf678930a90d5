#include "png_internal.h"

#include <stdlib.h>
#include <string.h>

static _Noreturn void on_error(png_structp png, png_const_charp text) {
    qv_png_source *source = png_get_error_ptr(png);
    qv_image_say(source->message, text);
    if (source->status == QV_IMAGE_DONE) source->status = QV_IMAGE_CORRUPT;
    longjmp(source->end, 1);
}

/* Most warnings are of chunks that say nothing about pixels. */
static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void give(png_structp png, png_bytep out, size_t count) {
    qv_png_source *source = png_get_io_ptr(png);
    while (count > 0) {
        if (source->left == 0) {
            long more = qv_reader_next(&source->in, &source->next);
            if (more == 0) png_error(png, "the file ends too early");
            if (more < 0) qv_png_leave(source, QV_IMAGE_STOPPED, "");
            source->left = (size_t)more;
        }
        size_t part = count < source->left ? count : source->left;
        memcpy(out, source->next, part);
        source->next += part;
        source->left -= part;
        out += part;
        count -= part;
    }
}

int qv_png_open(qv_png_source *source, const qv_input *input, char *message) {
    source->in.input = input;
    source->message = message;
    source->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, source, on_error, on_warning);
    source->info = source->png != NULL ? png_create_info_struct(source->png) : NULL;
    return source->info != NULL ? 0 : -1;
}

png_structp qv_png_writer(qv_png_source *source) {
    return png_create_write_struct(PNG_LIBPNG_VER_STRING, source, on_error, on_warning);
}

void qv_png_leave(qv_png_source *source, enum qv_image_status status, const char *text) {
    source->status = status;
    qv_image_say(source->message, text);
    longjmp(source->end, 1);
}

/* Reads the orientation of an EXIF block, as far as one in a JPEG could reach; the reader's piece is not in use yet. */
static int read_orientation(qv_png_source *source, size_t place, size_t count) {
    uint8_t *block = source->in.piece;
    if (count > QV_PIECE) count = QV_PIECE;
    if (qv_input_read(source->in.input, place, block, count) != 0) qv_png_leave(source, QV_IMAGE_STOPPED, "");
    return qv_exif_orientation(block, count);
}

/*
 * Walks over the chunks before libpng does: each must be there whole, since libpng makes room for what a chunk says. The
 * orientation is what the EXIF chunk says, which may stand behind the pixels.
 */
static void look_at_chunks(qv_png_source *source) {
    const qv_input *input = source->in.input;
    source->orientation = 1;
    for (size_t place = 8; place <= input->length && input->length - place >= 12;) {
        uint8_t head[8];
        if (qv_input_read(input, place, head, sizeof head) != 0) qv_png_leave(source, QV_IMAGE_STOPPED, "");
        size_t count = png_get_uint_32(head);
        if (count > input->length - place - 12) break;
        /* An animation hides its first picture; colours by code points (cICP) would be lost. */
        if (memcmp(head + 4, "acTL", 4) == 0) qv_png_leave(source, QV_IMAGE_UNSUPPORTED, "an animation");
        if (memcmp(head + 4, "cICP", 4) == 0) qv_png_leave(source, QV_IMAGE_UNSUPPORTED, "colours by code points");
        if (memcmp(head + 4, "eXIf", 4) == 0) source->orientation = read_orientation(source, place + 8, count);
        if (memcmp(head + 4, "IEND", 4) == 0) return;
        place += count + 12;
    }
    qv_png_leave(source, QV_IMAGE_CORRUPT, "the file ends too early");
}

void qv_png_read_header(qv_png_source *source) {
    png_structp png = source->png;
    png_set_user_limits(png, QV_IMAGE_SIDE, QV_IMAGE_SIDE);
    png_set_chunk_malloc_max(png, 16 << 20);
    png_set_chunk_cache_max(png, 128);
    png_set_read_fn(png, source, give);
    /* Only chunks that say how the colours look are read: others (texts, suggested palettes) may come by the hundred, and
     * libpng would unpack and keep each. */
    static const png_byte wanted[] = "iCCP\0sRGB\0gAMA\0cHRM\0pHYs\0tRNS";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_AS_DEFAULT, wanted, sizeof wanted / 5);
    look_at_chunks(source);
    png_read_info(png, source->info);
    source->width = png_get_image_width(png, source->info);
    source->height = png_get_image_height(png, source->info);
    if ((uint64_t)source->width * source->height > QV_IMAGE_PIXELS)
        qv_png_leave(source, QV_IMAGE_TOO_LARGE, "too many pixels");
}

void qv_png_start_rows(qv_png_source *source) {
    png_structp png = source->png;
    source->is_interlaced = png_set_interlace_handling(png) > 1;
    png_read_update_info(png, source->info);
    source->row_length = png_get_rowbytes(png, source->info);
    size_t rows = source->is_interlaced ? source->height : 1;
    if (source->row_length * rows > QV_IMAGE_MEMORY)
        qv_png_leave(source, QV_IMAGE_TOO_LARGE, "interlaced, and too large");
    source->raster_length = source->row_length * rows;
    source->raster = malloc(source->raster_length);
    if (source->raster == NULL) qv_png_leave(source, QV_IMAGE_NO_MEMORY, "no memory");
    if (!source->is_interlaced) return;
    source->row_list = malloc(rows * sizeof *source->row_list);
    if (source->row_list == NULL) qv_png_leave(source, QV_IMAGE_NO_MEMORY, "no memory");
    for (size_t y = 0; y < rows; y++) source->row_list[y] = source->raster + y * source->row_length;
    png_read_image(png, source->row_list);
}

uint8_t *qv_png_next_row(qv_png_source *source) {
    if (source->is_interlaced) return source->row_list[source->row++];
    png_read_row(source->png, source->raster, NULL);
    return source->raster;
}

void qv_png_close(qv_png_source *source) {
    qv_image_free(source->raster, source->raster_length);
    free(source->row_list);
    png_destroy_read_struct(&source->png, &source->info, NULL);
}

typedef struct {
    qv_png_source source;
    qv_shrinker shrinker;
} reader;

/* 8 bits of red, green and blue, whatever is stored; what is transparent over white. */
static void set_transforms(qv_png_source *source) {
    png_structp png = source->png;
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    if (png_get_color_type(png, source->info) & PNG_COLOR_MASK_ALPHA ||
        png_get_valid(png, source->info, PNG_INFO_tRNS)) {
        png_color_16 white = {.red = 255, .green = 255, .blue = 255, .gray = 255};
        png_set_background(png, &white, PNG_BACKGROUND_GAMMA_SCREEN, 0, 1);
    }
}

/* Reads the whole picture, or with `facts` only what it says of itself. */
static void read_all(reader *r, uint32_t width, uint32_t height, qv_pixels *out, qv_image_facts *facts) {
    qv_png_source *source = &r->source;
    qv_png_read_header(source);
    if (facts != NULL) {
        *facts = (qv_image_facts){source->width, source->height, source->orientation, 1};
        return;
    }
    if (source->orientation > 4) {
        uint32_t other = width;
        width = height;
        height = other;
    }
    png_charp name = NULL;
    png_bytep profile = NULL;
    png_uint_32 length = 0;
    int method = 0;
    if (png_get_iCCP(source->png, source->info, &name, &method, &profile, &length) == PNG_INFO_iCCP &&
        qv_keep_profile(profile, length, out) != 0)
        qv_png_leave(source, QV_IMAGE_NO_MEMORY, "no memory");
    png_uint_32 across = 0, down = 0;
    if (png_get_pHYs(source->png, source->info, &across, &down, &method) == PNG_INFO_pHYs && across == down &&
        method == PNG_RESOLUTION_METER)
        out->dpi = across * 0.0254;
    set_transforms(source);
    qv_png_start_rows(source);
    if (source->row_length != (size_t)source->width * 3)
        qv_png_leave(source, QV_IMAGE_UNSUPPORTED, "an unknown kind of pixels");
    if (qv_shrinker_start(&r->shrinker, source->width, source->height, width, height) != 0)
        qv_png_leave(source, QV_IMAGE_NO_MEMORY, "no memory");
    for (uint32_t y = 0; y < source->height; y++) qv_shrinker_take(&r->shrinker, qv_png_next_row(source));
    png_read_end(source->png, NULL);
    out->dpi *= (double)r->shrinker.out_width / source->width;
    if (qv_shrinker_finish(&r->shrinker, source->orientation, out) != 0)
        qv_png_leave(source, QV_IMAGE_NO_MEMORY, "no memory");
}

static enum qv_image_status run(
    const qv_input *input, uint32_t width, uint32_t height, qv_pixels *out, qv_image_facts *facts, char *message) {
    reader *r = calloc(1, sizeof *r);
    if (r == NULL) return QV_IMAGE_NO_MEMORY;
    if (qv_png_open(&r->source, input, message) != 0) {
        r->source.status = QV_IMAGE_NO_MEMORY;
    } else if (setjmp(r->source.end) == 0) {
        read_all(r, width, height, out, facts);
    }
    enum qv_image_status status = r->source.status;
    qv_shrinker_end(&r->shrinker);
    qv_png_close(&r->source);
    qv_image_free((uint8_t *)r, sizeof *r);
    return status;
}

enum qv_image_status qv_png_read(
    const qv_input *input, uint32_t width, uint32_t height, qv_pixels *out, char *message) {
    return run(input, width, height, out, NULL, message);
}

enum qv_image_status qv_png_look(const qv_input *input, qv_image_facts *facts, char *message) {
    return run(input, 0, 0, NULL, facts, message);
}
