#include "png_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    qv_png_source source;
    png_structp png;
    png_infop info;
    qv_writer out;
    uint8_t *cover; /* of one row */
    int channels, bytes, has_alpha;
} marker;

static void take(png_structp png, png_bytep bytes, size_t count) {
    marker *m = png_get_io_ptr(png);
    if (qv_writer_add(&m->out, bytes, count) != 0) qv_png_leave(&m->source, QV_IMAGE_STOPPED, "");
}

static void flush(png_structp png) { (void)png; }

/* Gray or colours of 8 or 16 bits, with alpha where anything is transparent. */
static void set_transforms(qv_png_source *source) {
    png_structp png = source->png;
    int type = png_get_color_type(png, source->info);
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
    if (type == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(png, source->info) < 8) png_set_expand_gray_1_2_4_to_8(png);
    if (png_get_valid(png, source->info, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(png);
}

/* Copies the chunks about colour; all others are left out. */
static void copy_metadata(marker *m) {
    png_structp in = m->source.png, out = m->png;
    png_infop from = m->source.info, to = m->info;
    int intent = 0, method = 0;
    png_fixed_point gamma = 0, c[8];
    png_charp name = NULL;
    png_bytep profile = NULL;
    png_uint_32 length = 0, x = 0, y = 0;
    if (png_get_iCCP(in, from, &name, &method, &profile, &length) == PNG_INFO_iCCP) {
        if (length > QV_IMAGE_ICC) qv_png_leave(&m->source, QV_IMAGE_TOO_LARGE, "a colour profile beyond 4 MiB");
        png_set_iCCP(out, to, name, method, profile, length);
    }
    if (png_get_sRGB(in, from, &intent) == PNG_INFO_sRGB) png_set_sRGB(out, to, intent);
    if (png_get_gAMA_fixed(in, from, &gamma) == PNG_INFO_gAMA) png_set_gAMA_fixed(out, to, gamma);
    if (png_get_cHRM_fixed(in, from, &c[0], &c[1], &c[2], &c[3], &c[4], &c[5], &c[6], &c[7]) == PNG_INFO_cHRM)
        png_set_cHRM_fixed(out, to, c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]);
    if (png_get_pHYs(in, from, &x, &y, &method) == PNG_INFO_pHYs) png_set_pHYs(out, to, x, y, method);
    if (m->source.orientation != 1) {
        uint8_t exif[QV_EXIF_LENGTH];
        qv_exif_write(m->source.orientation, exif);
        png_set_eXIf_1(out, to, sizeof exif, exif);
    }
}

/* A sample of 8 or 16 bits moved towards another, as far as a stroke covers it; whether that changed it. */
static int move(uint8_t *sample, int bytes, unsigned target, double part) {
    unsigned value = bytes == 2 ? (unsigned)sample[0] << 8 | sample[1] : sample[0];
    double moved = value + part * ((double)target - value);
    unsigned before = value;
    value = (unsigned)(moved + 0.5);
    if (bytes == 2) {
        sample[0] = (uint8_t)(value >> 8);
        sample[1] = (uint8_t)value;
    } else {
        sample[0] = (uint8_t)value;
    }
    return value != before;
}

static void mark_row(marker *m, qv_mark *mark, uint8_t *row) {
    unsigned most = m->bytes == 2 ? 65535 : 255;
    for (uint32_t x = 0; x < m->source.width; x++) {
        if (m->cover[x] == 0) continue;
        double part = mark->opacity * m->cover[x] / 255;
        uint8_t *pixel = row + (size_t)x * m->channels * m->bytes;
        int is_changed = 0;
        for (int c = 0; c < m->channels - m->has_alpha; c++)
            is_changed |= move(pixel + c * m->bytes, m->bytes, mark->is_light > 0 ? most : 0, part);
        /* On what is transparent a stroke has to be seen too. */
        if (m->has_alpha) is_changed |= move(pixel + (m->channels - 1) * m->bytes, m->bytes, most, part);
        mark->touched += is_changed;
    }
}

/* The sum of all its samples, of 255 each; transparent ones over white. */
static double light(const marker *m, const uint8_t *row) {
    uint64_t sum = 0;
    size_t step = (size_t)m->bytes, count = m->source.row_length;
    if (!m->has_alpha) {
        for (size_t i = 0; i < count; i += step) sum += row[i];
        return (double)sum;
    }
    for (size_t i = 0; i < count; i += m->channels * step) {
        unsigned alpha = row[i + (m->channels - 1) * step];
        for (int c = 0; c < m->channels - 1; c++) sum += row[i + c * step] * alpha + (255 - alpha) * 255;
    }
    return (double)sum / 255;
}

static void mark_png(marker *m, qv_mark *mark) {
    qv_png_source *source = &m->source;
    qv_png_read_header(source);
    set_transforms(source);
    qv_png_start_rows(source);
    int depth = png_get_bit_depth(source->png, source->info), type = png_get_color_type(source->png, source->info);
    m->channels = png_get_channels(source->png, source->info);
    m->bytes = depth / 8;
    m->has_alpha = (type & PNG_COLOR_MASK_ALPHA) != 0;
    m->png = qv_png_writer(source);
    m->info = m->png != NULL ? png_create_info_struct(m->png) : NULL;
    m->cover = malloc(source->width);
    if (m->info == NULL || m->cover == NULL) qv_png_leave(source, QV_IMAGE_NO_MEMORY, "no memory");
    png_set_write_fn(m->png, m, take, flush);
    png_set_compression_buffer_size(m->png, QV_PIECE);
    png_set_IHDR(
        m->png, m->info, source->width, source->height, depth, type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
        PNG_FILTER_TYPE_DEFAULT);
    copy_metadata(m);
    png_write_info(m->png, m->info);
    qv_mark_walk walk = {.mark = mark, .width = source->width, .height = source->height};
    double sum = 0;
    for (uint32_t y = 0; y < source->height; y++) {
        uint8_t *row = qv_png_next_row(source);
        sum += light(m, row);
        if (qv_mark_cover(&walk, 0, y, source->width, 1, m->cover)) mark_row(m, mark, row);
        png_write_row(m->png, row);
    }
    double mean = sum / source->height / source->width / (m->channels - m->has_alpha);
    if (mark->is_light < 0) mark->is_light = mean < QV_MARK_DARK;
    png_read_end(source->png, NULL);
    png_write_end(m->png, NULL);
    if (qv_writer_flush(&m->out) != 0) qv_png_leave(source, QV_IMAGE_STOPPED, "");
}

enum qv_image_status qv_png_mark(
    const qv_input *input, qv_mark *mark, const qv_output *output, char *message) {
    message[0] = 0;
    marker *m = calloc(1, sizeof *m);
    if (m == NULL) return QV_IMAGE_NO_MEMORY;
    m->out.output = output;
    if (qv_png_open(&m->source, input, message) != 0) {
        m->source.status = QV_IMAGE_NO_MEMORY;
    } else if (setjmp(m->source.end) == 0) {
        mark_png(m, mark);
    }
    enum qv_image_status status = m->source.status;
    if (m->png != NULL) png_destroy_write_struct(&m->png, &m->info);
    qv_png_close(&m->source);
    free(m->cover);
    qv_image_free((uint8_t *)m, sizeof *m);
    return status;
}
