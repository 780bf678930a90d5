/* The dense layout in the rows of a PNG. */
#include "png_mark.h"

#include <stdlib.h>
#include <string.h>

/* Reads a row of blocks, flat; returns its rows of pixels. */
static uint32_t read_band(qv_png_marker *m, uint32_t block_row) {
    qv_png_source *source = &m->source;
    uint32_t left = source->height - block_row * QV_BLOCK, count = left < QV_BLOCK ? left : QV_BLOCK;
    size_t length = (size_t)source->width * (size_t)(m->channels - m->has_alpha) * (size_t)m->bytes;
    for (uint32_t y = 0; y < count; y++) {
        uint8_t *row = qv_png_next_row(source);
        qv_png_flatten(m, row);
        memcpy(m->rows + y * length, row, length);
    }
    return count;
}

/* Whether all pixels of a block are alike. */
static int is_flat(const qv_png_marker *m, uint32_t from, uint32_t to, uint32_t count) {
    size_t pixel = (size_t)(m->channels - m->has_alpha) * (size_t)m->bytes;
    const uint8_t *first = m->rows + from * pixel;
    for (uint32_t y = 0; y < count; y++) {
        const uint8_t *row = m->rows + ((size_t)y * m->source.width + from) * pixel;
        if (memcmp(row, first, pixel) != 0 || memcmp(row, row + pixel, (to - from - 1) * pixel) != 0) return 0;
    }
    return 1;
}

/* The first pass of the dense layout: how light each block is. */
void qv_png_measure(qv_png_marker *m, qv_mark *mark) {
    qv_png_read_kind(m);
    uint32_t width = m->source.width;
    size_t pixel = (size_t)(m->channels - m->has_alpha) * (size_t)m->bytes;
    m->rows = malloc(pixel * width * QV_BLOCK);
    if (m->rows == NULL || qv_ink_map_start(&m->ink, width, m->source.height) != 0)
        qv_png_leave(&m->source, QV_IMAGE_NO_MEMORY, "no memory");
    size_t flat = 0;
    for (uint32_t row = 0; row < m->ink.down; row++) {
        uint32_t count = read_band(m, row);
        for (uint32_t column = 0; column < m->ink.across; column++) {
            uint32_t from = column * QV_BLOCK, to = from + QV_BLOCK < width ? from + QV_BLOCK : width;
            flat += (size_t)is_flat(m, from, to, count);
            float sum = 0;
            for (uint32_t y = 0; y < count; y++) {
                for (uint32_t x = from; x < to; x++) sum += qv_png_lightness(m, m->rows + ((size_t)y * width + x) * pixel);
            }
            m->ink.mean[(size_t)row * m->ink.across + column] = (uint8_t)(sum / (float)(count * (to - from)) + 0.5f);
        }
    }
    m->is_drawn = mark->dense->core > 0 && 2 * flat >= (size_t)m->ink.across * m->ink.down;
    m->ink.is_drawn = m->is_drawn;
    if (qv_ink_map_decide(&m->ink, mark->dense, mark->dense->em, mark->is_light) != 0)
        qv_png_leave(&m->source, QV_IMAGE_NO_MEMORY, "no memory");
}

static void put_sample(uint8_t *sample, int bytes, float value) {
    value = value < 0 ? 0 : value > 255 ? 255 : value;
    if (bytes == 1) {
        *sample = (uint8_t)(value + 0.5f);
    } else {
        unsigned wide = (unsigned)(value * 257 + 0.5f);
        sample[0] = (uint8_t)(wide >> 8);
        sample[1] = (uint8_t)wide;
    }
}

/* Moves a pixel towards the ink, and by the signal of the whole picture. */
static void mark_pixel(qv_png_marker *m, uint8_t *pixel, float ink_part, float core, qv_ink kind, const float tint[2], float signal) {
    int colours = m->channels - m->has_alpha;
    float light = qv_png_lightness(m, pixel), target = qv_ink_target(kind.is_light, light);
    float part = qv_ink_part(ink_part, kind);
    if (kind.has_core) {
        /* What is as the ink itself gets the core, in the same way in all colours. */
        float likeness = qv_ink_likeness(kind.is_light, light);
        target = kind.is_light ? 255 : 0;
        part *= 1 - likeness;
        signal += likeness * core * ((kind.is_light ? 65 : 190) - light);
    }
    const float ink[3] = {
        target + 1.402f * tint[1], target - 0.344136f * tint[0] - 0.714136f * tint[1], target + 1.772f * tint[0]};
    for (int c = 0; c < colours; c++) {
        uint8_t *sample = pixel + c * m->bytes;
        float value = m->bytes == 1 ? sample[0] : (float)((unsigned)sample[0] << 8 | sample[1]) / 257;
        put_sample(sample, m->bytes, value + part * ((colours == 1 ? target : ink[c]) - value) + signal);
    }
    if (ink_part * 255 >= QV_STROKE) qv_contrast_add(&m->contrast, light, qv_png_lightness(m, pixel));
}

/* The levels of the frame's signal in a block: more where the picture is busy. */
static float texture(const qv_png_marker *m, uint32_t from, uint32_t to, uint32_t count) {
    size_t pixel = (size_t)(m->channels - m->has_alpha) * (size_t)m->bytes;
    float sum = 0, squares = 0, number = (float)(count * (to - from));
    for (uint32_t y = 0; y < count; y++) {
        for (uint32_t x = from; x < to; x++) {
            float light = qv_png_lightness(m, m->rows + ((size_t)y * m->source.width + x) * pixel);
            sum += light;
            squares += light * light;
        }
    }
    return qv_texture(sum / number, squares / number);
}

static void mark_block(qv_png_marker *m, qv_mark *mark, uint32_t column, uint32_t row, uint32_t count) {
    uint32_t width = m->source.width, from = column * QV_BLOCK, to = from + QV_BLOCK < width ? from + QV_BLOCK : width;
    size_t pixel = (size_t)(m->channels - m->has_alpha) * (size_t)m->bytes;
    qv_ink kind = qv_ink_at(&m->ink, column, row);
    double seen_x, seen_y;
    float tint[2] = {0, 0}, levels = 0, signals[QV_BLOCK * QV_BLOCK];
    if (m->frame_chips != NULL) levels = m->is_drawn ? (float)is_flat(m, from, to, count) : texture(m, from, to, count);
    qv_dense_seen(mark->dense, from + 4.0, row * 8.0 + 4, &seen_x, &seen_y);
    if (!m->is_drawn) qv_dense_tint(mark->dense, seen_x, seen_y, tint);
    if (levels > 0 && !m->is_drawn) {
        qv_frame_signals(m->frame_chips, mark->dense, &m->band.grid, from, row * 8.0, 1, 1, signals);
    }
    for (uint32_t y = 0; y < count; y++) {
        for (uint32_t x = from; x < to; x++) {
            size_t place = (size_t)y * m->band.stride + x;
            uint8_t ink = m->inks[place], core = m->cores == NULL ? 0 : m->cores[place];
            float signal = 0;
            if (levels > 0) {
                qv_dense_seen(mark->dense, x + 0.5, row * 8.0 + y + 0.5, &seen_x, &seen_y);
                signal = levels * (m->is_drawn ? qv_chip_at(m->frame_chips, mark->dense, seen_x, seen_y) : signals[y * QV_BLOCK + (x - from)]);
            } else if (ink == 0 && core == 0) {
                continue;
            }
            mark_pixel(m, m->rows + ((size_t)y * width + x) * pixel, ink / 255.0f, core / 255.0f, kind, tint, signal);
            mark->touched += ink != 0;
        }
    }
    qv_contrast_end(&m->contrast);
}

/*
 * Makes a row of gray black and white by ordered dithering (Bayer, 1973): in each 8 by 8 pixels the levels from 18 to 238 come once,
 * so that what was black or white, but for a signal, stays.
 */
static void dither(uint8_t *row, uint32_t width, uint32_t y) {
    uint8_t levels[8];
    for (uint32_t x = 0; x < 8; x++) {
        unsigned place = 0;
        for (int bit = 0; bit < 3; bit++) place = place << 2 | ((x ^ y) >> bit & 1) << 1 | (y >> bit & 1);
        levels[x] = (uint8_t)(18 + place * 7 / 2);
    }
    for (uint32_t x = 0; x < width; x++) row[x] = row[x] > levels[x % 8] ? 255 : 0;
}

/* Prepares the layout for this picture. */
static void start_band(qv_png_marker *m, const qv_mark *mark) {
    m->dense = *mark->dense;
    m->dense.is_drawn = m->is_drawn;
    /* A threshold must not take strokes off a picture of two colours: under them black and white become alike. */
    double least = QV_BILEVEL_OPACITY / 100.0;
    if (m->is_bilevel && m->dense.rows.opacity < least) m->dense.rows.opacity = least;
    if (qv_band_start(&m->band, &m->dense, 1) != 0) qv_png_leave(&m->source, QV_IMAGE_NO_MEMORY, "no memory");
    m->inks = malloc((size_t)m->band.stride * QV_BLOCK);
    if (m->dense.core > 0) m->cores = malloc((size_t)m->band.stride * QV_BLOCK);
    if (m->dense.frame_chips != NULL) m->frame_chips = qv_expand_chips(m->dense.frame_chips, &m->dense);
    if (m->inks == NULL || (m->dense.core > 0 && m->cores == NULL) || (m->dense.frame_chips != NULL && m->frame_chips == NULL))
        qv_png_leave(&m->source, QV_IMAGE_NO_MEMORY, "no memory");
}

/* Marks all rows, and gives each to `put`, until that is not 0. */
static int mark_rows(qv_png_marker *m, qv_mark *mark, int (*put)(qv_png_marker *, uint32_t y, uint8_t *row)) {
    size_t length = (size_t)m->source.width * (size_t)(m->channels - m->has_alpha) * (size_t)m->bytes;
    if (m->inks == NULL) start_band(m, mark);
    qv_contrast_start(&m->contrast);
    mark->touched = 0;
    for (uint32_t row = 0; row < m->ink.down; row++) {
        uint32_t count = read_band(m, row);
        qv_band_fill(&m->band, row, (qv_inks){.all = m->inks, .cores = m->cores});
        for (uint32_t column = 0; column < m->ink.across; column++) mark_block(m, mark, column, row, count);
        for (uint32_t y = 0; y < count; y++) {
            if (put(m, row * QV_BLOCK + y, m->rows + y * length) != 0) return -1;
        }
    }
    return 0;
}

static int count_row(qv_png_marker *m, uint32_t y, uint8_t *row) {
    (void)y;
    return qv_png_palette_count(m, row);
}

void qv_png_collect(qv_png_marker *m, qv_mark *mark) {
    qv_png_read_kind(m);
    qv_png_palette_start(m);
    if (mark_rows(m, mark, count_row) != 0 || qv_png_palette_decide(m) != 0) qv_png_palette_end(m);
}

static int write_row(qv_png_marker *m, uint32_t y, uint8_t *row) {
    if (m->is_bilevel) dither(row, m->source.width, y);
    qv_png_write_row(m, y, row);
    return 0;
}

void qv_png_mark_dense(qv_png_marker *m, qv_mark *mark) {
    qv_png_read_kind(m);
    qv_png_start_writing(m, m->is_bilevel);
    mark_rows(m, mark, write_row);
    mark->cells = m->contrast.cells;
    mark->faint = m->contrast.faint;
    mark->untouched = 1 - (double)mark->touched / m->source.width / m->source.height;
    qv_png_end_writing(m);
}
