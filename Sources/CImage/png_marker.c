#include "png_mark.h"

#include <stdlib.h>
#include <string.h>

static void take(png_structp png, png_bytep bytes, size_t count) {
    qv_png_marker *m = png_get_io_ptr(png);
    if (qv_writer_add(&m->out, bytes, count) != 0) qv_png_leave(&m->source, QV_IMAGE_STOPPED, "");
}

static void flush(png_structp png) { (void)png; }

/* Gray or colours of 8 or 16 bits, with alpha where anything is transparent: that goes over white (flatten). */
static void set_transforms(qv_png_source *source) {
    png_structp png = source->png;
    int type = png_get_color_type(png, source->info);
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
    if (type == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(png, source->info) < 8) png_set_expand_gray_1_2_4_to_8(png);
    if (png_get_valid(png, source->info, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(png);
}

/* Copies the chunks about colour; all others are left out. */
static void copy_metadata(qv_png_marker *m) {
    png_structp in = m->source.png, out = m->png;
    png_infop from = m->source.info, to = m->info;
    int intent = 0, method = 0;
    png_fixed_point gamma = 0, c[8];
    png_charp name = NULL;
    png_bytep profile = NULL;
    png_uint_32 length = 0, x = 0, y = 0;
    if (png_get_iCCP(in, from, &name, &method, &profile, &length) == PNG_INFO_iCCP) {
        if (length > QV_IMAGE_ICC) qv_png_leave(&m->source, QV_IMAGE_TOO_LARGE, "a colour profile beyond 4 MiB");
        if (qv_profile_clean(profile, length, &m->profile, &m->profile_length) != 0)
            qv_png_leave(&m->source, QV_IMAGE_NO_MEMORY, "no memory");
        if (m->profile != NULL) png_set_iCCP(out, to, "icc", method, m->profile, (png_uint_32)m->profile_length);
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

int qv_png_move(uint8_t *sample, int bytes, unsigned target, double part) {
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

void qv_png_flatten(const qv_png_marker *m, uint8_t *row) {
    if (!m->has_alpha) return;
    unsigned most = m->bytes == 2 ? 65535 : 255;
    uint8_t *out = row;
    for (uint32_t x = 0; x < m->source.width; x++, row += m->channels * m->bytes) {
        const uint8_t *end = row + (m->channels - 1) * m->bytes;
        unsigned alpha = m->bytes == 2 ? (unsigned)end[0] << 8 | end[1] : end[0];
        for (int c = 0; c < m->channels - 1; c++, out += m->bytes) {
            memmove(out, row + c * m->bytes, (size_t)m->bytes);
            if (alpha < most) qv_png_move(out, m->bytes, most, (double)(most - alpha) / most);
        }
    }
}

void qv_png_read_kind(qv_png_marker *m) {
    qv_png_source *source = &m->source;
    qv_png_read_header(source);
    m->is_bilevel = png_get_bit_depth(source->png, source->info) == 1 &&
        png_get_color_type(source->png, source->info) == PNG_COLOR_TYPE_GRAY;
    m->is_palette = png_get_color_type(source->png, source->info) == PNG_COLOR_TYPE_PALETTE;
    set_transforms(source);
    qv_png_start_rows(source);
    m->channels = png_get_channels(source->png, source->info);
    m->bytes = png_get_bit_depth(source->png, source->info) / 8;
    m->has_alpha = (png_get_color_type(source->png, source->info) & PNG_COLOR_MASK_ALPHA) != 0;
}

static void start_strip(qv_png_marker *m) {
    if (m->strip == NULL) return;
    if (m->strip->side != QV_SIDE_BOTTOM) qv_png_leave(&m->source, QV_IMAGE_UNSUPPORTED, "a strip on another side");
    m->strip_bytes = malloc((size_t)m->source.width * m->strip->depth);
    m->strip_row = malloc(m->source.width * (size_t)(m->channels - m->has_alpha) * (size_t)m->bytes);
    if (m->strip_bytes == NULL || m->strip_row == NULL ||
        qv_raster_start(&m->raster, m->source.width, m->source.height) != 0)
        qv_png_leave(&m->source, QV_IMAGE_NO_MEMORY, "no memory");
}

void qv_png_start_writing(qv_png_marker *m, int is_bilevel) {
    qv_png_source *source = &m->source;
    m->png = qv_png_writer(source);
    m->info = m->png != NULL ? png_create_info_struct(m->png) : NULL;
    if (m->info == NULL) qv_png_leave(source, QV_IMAGE_NO_MEMORY, "no memory");
    png_set_write_fn(m->png, m, take, flush);
    png_set_compression_buffer_size(m->png, QV_PIECE);
    int type = m->channels - m->has_alpha == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB;
    if (m->palette != NULL) type = PNG_COLOR_TYPE_PALETTE;
    start_strip(m);
    uint32_t height = source->height + (m->strip == NULL ? 0 : m->strip->depth);
    png_set_IHDR(
        m->png, m->info, source->width, height, is_bilevel ? 1 : 8 * m->bytes, type, PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (m->is_drawn) {
        png_set_filter(m->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
        png_set_compression_level(m->png, 9);
    }
    if (m->palette != NULL) qv_png_palette_write(m);
    copy_metadata(m);
    png_write_info(m->png, m->info);
    if (is_bilevel) png_set_packing(m->png);
}

static void put_row(qv_png_marker *m, uint8_t *row) {
    if (m->palette != NULL && qv_png_palette_take(m, row) != 0)
        qv_png_leave(&m->source, QV_IMAGE_CORRUPT, "it changed while it was read");
    png_write_row(m->png, row);
}

void qv_png_write_row(qv_png_marker *m, uint32_t y, uint8_t *row) {
    size_t pixel = (size_t)(m->channels - m->has_alpha) * (size_t)m->bytes;
    for (uint32_t x = 0; m->strip != NULL && x < m->source.width; x++)
        qv_raster_add(&m->raster, x, y, (unsigned)(qv_png_lightness(m, row + x * pixel) + 0.5f));
    put_row(m, row);
}

/* Has the strip drawn, and writes it: samples of one lightness each, black or white in a picture of one bit or of a palette. */
static void write_strip(qv_png_marker *m) {
    qv_raster raster = qv_raster_finish(&m->raster);
    if (m->strip->draw(m->strip->context, &raster, m->strip_bytes) != 0) qv_png_leave(&m->source, QV_IMAGE_STOPPED, "");
    size_t pixel = (size_t)(m->channels - m->has_alpha) * (size_t)m->bytes;
    for (uint32_t y = 0; y < m->strip->depth; y++) {
        const uint8_t *from = m->strip_bytes + (size_t)y * m->source.width;
        for (uint32_t x = 0; x < m->source.width; x++) {
            uint8_t value = m->is_bilevel || m->palette != NULL ? (from[x] < 128 ? 0 : 255) : from[x];
            memset(m->strip_row + x * pixel, value, pixel);
        }
        put_row(m, m->strip_row);
    }
}

void qv_png_end_writing(qv_png_marker *m) {
    png_read_end(m->source.png, NULL);
    if (m->strip != NULL) write_strip(m);
    png_write_end(m->png, NULL);
    if (qv_writer_flush(&m->out) != 0) qv_png_leave(&m->source, QV_IMAGE_STOPPED, "");
}
