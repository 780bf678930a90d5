/* The dense layout (Spec/product/watermark.md, 3.2): how much ink each pixel gets. */
#include "dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The fields, in the order of `shifts`. */
enum field { WARP_ACROSS, WARP_DOWN, SLOW, FINE, TINT_BLUE, TINT_RED };

/* In ems: the cells of the fields, and the reach of the warp. */
static const double WARP_CELL = 2.5, WARP = 0.10, SLOW_CELL = 1.6, FINE_CELL = 1.0 / 12, TINT_CELL = 4;
/* The parts of the opacity that fields and signals change; the limits of an opacity of 0.34. */
static const double SLOW_PART = 0.30, FINE_PART = 0.36, LEAST = 0.08 / 0.34, MOST = 0.75 / 0.34;
static const double TINT = 24;

/* A corner of a block: where it stands along and across both kinds of rows, and the slow field. */
struct corner {
    double row_u, row_v, micro_u, micro_v;
    float slow;
};

/* A field: noise at whole places, linear between them, -1 to 1. */
static double field(const qv_dense *d, enum field which, double x, double y, double cell) {
    /* The noise repeats after its side; once more keeps places beyond the left and upper edge above zero. */
    double at_x = x / cell + d->shifts[2 * which] + QV_NOISE_SIDE, at_y = y / cell + d->shifts[2 * which + 1] + QV_NOISE_SIDE;
    unsigned i = (unsigned)at_x, j = (unsigned)at_y;
    double a = at_x - i, b = at_y - j;
    const uint8_t *up = d->noise + (j & 255) * QV_NOISE_SIDE, *low = d->noise + ((j + 1) & 255) * QV_NOISE_SIDE;
    double upper = up[i & 255] + a * (up[(i + 1) & 255] - up[i & 255]);
    double lower = low[i & 255] + a * (low[(i + 1) & 255] - low[i & 255]);
    return (upper + b * (lower - upper)) / 127.5 - 1;
}

/* Places along and across rows of a direction. The whole periods that keep them above zero are added later. */
static void turn(const qv_dense *d, qv_direction way, double x, double y, double *u, double *v) {
    double px = x - d->width / 2.0, py = y - d->height / 2.0;
    *u = px * way.cosine - py * way.sine;
    *v = px * way.sine + py * way.cosine;
}

static struct corner corner_at(const qv_dense *d, const qv_direction ways[2], double x, double y) {
    struct corner c;
    double warp_u = WARP * d->em * field(d, WARP_ACROSS, x, y, WARP_CELL * d->em);
    double warp_v = WARP * d->em * field(d, WARP_DOWN, x, y, WARP_CELL * d->em);
    turn(d, ways[0], x, y, &c.row_u, &c.row_v);
    turn(d, ways[1], x, y, &c.micro_u, &c.micro_v);
    c.row_u += warp_u;
    c.micro_u += warp_u;
    c.row_v += warp_v + d->rows.phase;
    c.micro_v += warp_v + d->micro.phase;
    c.slow = (float)(SLOW_PART * field(d, SLOW, x, y, SLOW_CELL * d->em));
    return c;
}

void qv_dense_seen(const qv_dense *d, double x, double y, double *seen_x, double *seen_y) {
    double wide = d->width, high = d->height;
    switch (d->orientation) {
    case 2: *seen_x = wide - x, *seen_y = y; break;
    case 3: *seen_x = wide - x, *seen_y = high - y; break;
    case 4: *seen_x = x, *seen_y = high - y; break;
    case 5: *seen_x = y, *seen_y = x; break;
    case 6: *seen_x = wide - y, *seen_y = x; break;
    case 7: *seen_x = wide - y, *seen_y = high - x; break;
    case 8: *seen_x = y, *seen_y = high - x; break;
    default: *seen_x = x, *seen_y = y; break;
    }
}

void qv_dense_tint(const qv_dense *d, double x, double y, float tint[2]) {
    tint[0] = (float)(TINT * field(d, TINT_BLUE, x, y, TINT_CELL * d->em));
    tint[1] = (float)(TINT * field(d, TINT_RED, x, y, TINT_CELL * d->em));
}

qv_dense_point qv_dense_at(const qv_dense *d, double x, double y) {
    const qv_direction ways[2] = {qv_sine_and_cosine(d->rows.degrees), qv_sine_and_cosine(d->micro.degrees)};
    struct corner c = corner_at(d, ways, x, y);
    qv_dense_point point = {
        c.row_u, c.row_v, c.micro_u, c.micro_v, 1 + c.slow + FINE_PART * field(d, FINE, x, y, FINE_CELL * d->em), 0};
    float *chips = d->chips != NULL ? qv_expand_chips(d->chips, d) : NULL;
    if (chips != NULL) point.signal = qv_frame_signal(chips, d, x, y);
    free(chips);
    return point;
}

/* A row of text: its strip, and how far along it begins, in pixels of the strip. */
struct row {
    const qv_coverage *strip;
    float start;
};

/* Prepares rows: whole pitches keep their numbers above zero, whole lengths of a strip all places along it. */
static int start_rows(qv_row_list *list, const qv_dense *d, const qv_rows *rows, unsigned layer) {
    double reach = ceil(((double)d->width + d->height) / 2 / rows->pitch) + 2;
    list->rows = rows;
    list->down = reach * rows->pitch;
    list->count = (unsigned)(2 * reach);
    list->list = malloc(list->count * sizeof *list->list);
    if (list->list == NULL) return -1;
    for (unsigned i = 0; i < list->count; i++) {
        const qv_coverage *strip = &rows->strips[i % rows->count];
        const uint8_t *two = d->noise + (2 * i + 4096 * layer) % (QV_NOISE_SIDE * QV_NOISE_SIDE - 1);
        double whole = ceil(((double)d->width + d->height) * rows->scale / strip->line_width) * strip->line_width;
        list->list[i] = (struct row){strip, (float)(whole + strip->line_width * (two[0] * 256 + two[1]) / 65536)};
    }
    return 0;
}

/* Adds the coverage of one line of a block; 0 where no stroke touches it. */
static int cover_line(
    const qv_coverage *strip, float at_u, float at_v, float step_u, float step_v, float out[QV_BLOCK]) {
    float height = (float)(strip->height - 1), width = (float)strip->line_width, per_width = 1 / width;
    float end_v = at_v + (QV_BLOCK - 1) * step_v;
    if ((at_v < 0.5f && end_v < 0.5f) || (at_v > height + 0.5f && end_v > height + 0.5f)) return 0;
    int is_covered = 0;
    for (int x = 0; x < QV_BLOCK; x++, at_u += step_u, at_v += step_v) {
        float low = at_v - 0.5f;
        if (low < 0 || low >= height) continue;
        float along = at_u - width * (float)(int)(at_u * per_width);
        /* Division rounds: a place may come out just below the first column, or on the last. */
        along = along < 0 ? along + width : along >= width ? along - width : along;
        int i = (int)along, j = (int)low;
        const uint8_t *up = strip->bytes + (size_t)j * strip->width + i, *down = up + strip->width;
        if ((up[0] | up[1] | down[0] | down[1]) == 0) continue;
        float a = along - (float)i, b = low - (float)j;
        float upper = up[0] + a * (float)(up[1] - up[0]), lower = down[0] + a * (float)(down[1] - down[0]);
        float value = upper + b * (lower - upper);
        if (value < 1) continue;
        is_covered = 1;
        if (value > out[x]) out[x] = value;
    }
    return is_covered;
}

/* Adds the coverage of rows to a block, 0 to 255 a pixel; 0 where no row touches it. */
static int cover(const qv_row_list *list, const double u[4], const double v[4], float out[QV_BLOCK * QV_BLOCK]) {
    double least = v[0], most = v[0], scale = list->rows->scale, pitch = list->rows->pitch;
    for (int i = 1; i < 4; i++) {
        if (v[i] < least) least = v[i];
        if (v[i] > most) most = v[i];
    }
    int is_covered = 0;
    /* Blocks beyond the picture's edge may stand above the first row. */
    double low = (least + list->down) / pitch, high = (most + list->down) / pitch;
    unsigned first = low > 0 ? (unsigned)low : 0, last = high > 0 ? (unsigned)high : 0;
    for (unsigned number = first; number <= last && number < list->count; number++) {
        const struct row *row = &list->list[number];
        /* Places are counted from the top of this row, so that floats suffice. */
        double top = number * pitch - list->down;
        if ((least - top) * scale > row->strip->height) continue;
        for (int y = 0; y < QV_BLOCK; y++) {
            double part = (y + 0.5) / QV_BLOCK;
            double left_u = u[0] + part * (u[2] - u[0]), right_u = u[1] + part * (u[3] - u[1]);
            double left_v = v[0] + part * (v[2] - v[0]), right_v = v[1] + part * (v[3] - v[1]);
            float step_u = (float)((right_u - left_u) * scale / QV_BLOCK);
            float step_v = (float)((right_v - left_v) * scale / QV_BLOCK);
            is_covered |= cover_line(
                row->strip, (float)(left_u * scale) + row->start + step_u / 2,
                (float)((left_v - top) * scale) + step_v / 2, step_u, step_v, out + y * QV_BLOCK);
        }
    }
    return is_covered;
}

int qv_band_start(qv_band *band, const qv_dense *dense, uint32_t multiple) {
    memset(band, 0, sizeof *band);
    band->dense = dense;
    int is_across = dense->orientation > 4;
    band->stored_width = is_across ? dense->height : dense->width;
    band->stored_height = is_across ? dense->width : dense->height;
    uint32_t blocks = (band->stored_width + QV_BLOCK - 1) / QV_BLOCK;
    blocks = (blocks + multiple - 1) / multiple * multiple;
    band->stride = blocks * QV_BLOCK;
    band->above = malloc((blocks + 1) * sizeof *band->above);
    band->below = malloc((blocks + 1) * sizeof *band->below);
    if (dense->chips != NULL) band->chips = qv_expand_chips(dense->chips, dense);
    if (band->above == NULL || band->below == NULL || (dense->chips != NULL && band->chips == NULL)) return -1;
    band->ways[0] = qv_sine_and_cosine(dense->rows.degrees);
    band->ways[1] = qv_sine_and_cosine(dense->micro.degrees);
    return start_rows(&band->sentence, dense, &dense->rows, 0) | start_rows(&band->small, dense, &dense->micro, 1);
}

void qv_band_end(qv_band *band) {
    free(band->above);
    free(band->below);
    free(band->chips);
    free(band->sentence.list);
    free(band->small.list);
    memset(band, 0, sizeof *band);
}

static void fill_corners(const qv_band *band, uint32_t row, struct corner *out) {
    for (uint32_t column = 0; column <= band->stride / QV_BLOCK; column++) {
        double x, y;
        qv_dense_seen(band->dense, (double)column * QV_BLOCK, (double)row * QV_BLOCK, &x, &y);
        out[column] = corner_at(band->dense, band->ways, x, y);
    }
}

/* The opacity of a stroke, from its limits. */
static float limited(double usual, float factor) {
    double value = usual * factor, least = usual * LEAST, most = usual * MOST;
    value = value < least ? least : value > most ? most : value;
    return (float)(value > 1 ? 1 : value);
}

static void fill_block(
    const qv_band *band, uint32_t block_row, uint32_t block, const float *sentence, const float *small, uint8_t *all,
    uint8_t *rows) {
    const qv_dense *d = band->dense;
    const struct corner *c[4] = {
        &band->above[block], &band->above[block + 1], &band->below[block], &band->below[block + 1]};
    for (int y = 0; y < QV_BLOCK; y++) {
        for (int x = 0; x < QV_BLOCK; x++) {
            int place = y * QV_BLOCK + x;
            if (sentence[place] == 0 && small[place] == 0) continue;
            float a = ((float)x + 0.5f) / QV_BLOCK, b = ((float)y + 0.5f) / QV_BLOCK;
            float upper = c[0]->slow + a * (c[1]->slow - c[0]->slow), lower = c[2]->slow + a * (c[3]->slow - c[2]->slow);
            double seen_x, seen_y;
            qv_dense_seen(d, block * (double)QV_BLOCK + x + 0.5, block_row * (double)QV_BLOCK + y + 0.5, &seen_x, &seen_y);
            float factor = 1 + upper + b * (lower - upper) +
                (float)(FINE_PART * field(d, FINE, seen_x, seen_y, FINE_CELL * d->em));
            float row = sentence[place] / 255, plain = row * limited(d->rows.opacity, factor);
            if (band->chips != NULL && row > 0) {
                float signal = QV_SIGNAL_PART * qv_frame_signal(band->chips, d, seen_x, seen_y);
                row *= limited(d->rows.opacity, factor) * (1 + signal);
                if (row > 1) row = 1;
            } else {
                row = plain;
            }
            float micro = small[place] / 255 * limited(d->micro.opacity, factor);
            size_t at = (size_t)y * band->stride + block * QV_BLOCK + x;
            all[at] = (uint8_t)(255 * (1 - (1 - row) * (1 - micro)) + 0.5f);
            if (rows != NULL) rows[at] = (uint8_t)(255 * plain * (1 - micro) + 0.5f);
        }
    }
}

void qv_band_fill(qv_band *band, uint32_t block_row, uint8_t *all, uint8_t *rows) {
    memset(all, 0, (size_t)band->stride * QV_BLOCK);
    if (rows != NULL) memset(rows, 0, (size_t)band->stride * QV_BLOCK);
    fill_corners(band, block_row, band->above);
    fill_corners(band, block_row + 1, band->below);
    for (uint32_t block = 0; block < band->stride / QV_BLOCK; block++) {
        const struct corner *c[4] = {
            &band->above[block], &band->above[block + 1], &band->below[block], &band->below[block + 1]};
        double row_u[4], row_v[4], micro_u[4], micro_v[4];
        for (int i = 0; i < 4; i++) {
            row_u[i] = c[i]->row_u;
            row_v[i] = c[i]->row_v;
            micro_u[i] = c[i]->micro_u;
            micro_v[i] = c[i]->micro_v;
        }
        float strokes[2][QV_BLOCK * QV_BLOCK] = {{0}};
        int is_covered = cover(&band->sentence, row_u, row_v, strokes[0]);
        is_covered |= cover(&band->small, micro_u, micro_v, strokes[1]);
        if (is_covered) fill_block(band, block_row, block, strokes[0], strokes[1], all, rows);
    }
}

int qv_dense_map(const qv_dense *dense, uint8_t *all, uint8_t *rows) {
    qv_dense upright = *dense;
    upright.orientation = 1;
    qv_band band;
    int failed = qv_band_start(&band, &upright, 1);
    size_t size = (size_t)band.stride * QV_BLOCK;
    uint8_t *pieces = failed ? NULL : malloc(2 * size);
    for (uint32_t row = 0; pieces != NULL && row * QV_BLOCK < dense->height; row++) {
        qv_band_fill(&band, row, pieces, rows == NULL ? NULL : pieces + size);
        for (uint32_t y = 0; y < QV_BLOCK && row * QV_BLOCK + y < dense->height; y++) {
            size_t to = (size_t)(row * QV_BLOCK + y) * dense->width, from = (size_t)y * band.stride;
            memcpy(all + to, pieces + from, dense->width);
            if (rows != NULL) memcpy(rows + to, pieces + size + from, dense->width);
        }
    }
    failed = pieces == NULL ? -1 : 0;
    free(pieces);
    qv_band_end(&band);
    return failed;
}
