/* The dense layout (Spec/product/watermark.md, 3.2): how much ink each pixel gets. */
#include "dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The fields, in the order of `shifts`. */
enum field { WARP_ACROSS, WARP_DOWN, SLOW, FINE, TINT_BLUE, TINT_RED };

/* In ems: the cells of the fields, and the reach of the warp. */
static const double WARP_CELL = 2.5, WARP = 0.10, SLOW_CELL = 1.6, FINE_CELL = 1.0 / 12, TINT_CELL = 4;
/* The limits of what fields and signals make of an opacity, as parts of it. */
static const double LEAST = 0.08 / 0.34, MOST = 0.75 / 0.34;
static const double TINT = 24;
/* The factors of both opacities where there is more ink. */
static const float FOCUS = 1.4f, SMALL_FOCUS = 2;

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
    c.slow = d->slow == 0 ? 0 : (float)(d->slow * field(d, SLOW, x, y, SLOW_CELL * d->em));
    return c;
}

void qv_dense_tint(const qv_dense *d, double x, double y, float tint[2]) {
    tint[0] = (float)(TINT * field(d, TINT_BLUE, x, y, TINT_CELL * d->em));
    tint[1] = (float)(TINT * field(d, TINT_RED, x, y, TINT_CELL * d->em));
}

qv_dense_point qv_dense_at(const qv_dense *d, double x, double y) {
    const qv_direction ways[2] = {qv_sine_and_cosine(d->rows.degrees), qv_sine_and_cosine(d->micro.degrees)};
    struct corner c = corner_at(d, ways, x, y);
    qv_dense_point point = {
        c.row_u, c.row_v, c.micro_u, c.micro_v, 1 + c.slow + d->fine * field(d, FINE, x, y, FINE_CELL * d->em), 0};
    float *chips = d->chips != NULL ? qv_expand_chips(d->chips, d) : NULL;
    if (chips != NULL) point.signal = qv_frame_signal(chips, d, x, y);
    free(chips);
    return point;
}

int qv_band_start(qv_band *band, const qv_dense *dense, uint32_t multiple) {
    memset(band, 0, sizeof *band);
    band->dense = dense;
    band->grid = qv_signal_grid_of(dense->width, dense->height);
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
    return qv_rows_start(&band->sentence, dense, &dense->rows, 0) | qv_rows_start(&band->small, dense, &dense->micro, 1);
}

void qv_band_end(qv_band *band) {
    free(band->above);
    free(band->below);
    free(band->chips);
    qv_rows_end(&band->sentence);
    qv_rows_end(&band->small);
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
static inline float limited(float usual, float factor) {
    float value = usual * (factor < (float)LEAST ? (float)LEAST : factor > (float)MOST ? (float)MOST : factor);
    return value > 1 ? 1 : value;
}

/* What changes from pixel to pixel of a block: a place in cells, and its steps across and down. */
typedef struct {
    float x, y, across_x, across_y, down_x, down_y;
} walk;

/* A walk over stored pixels, from the middle of the first one of a block, in cells of a side. */
static walk start_walk(const qv_dense *d, uint32_t block_row, uint32_t block, double side, double shift_x, double shift_y) {
    double left = block * (double)QV_BLOCK + 0.5, top = block_row * (double)QV_BLOCK + 0.5, x, y, right_x, right_y, low_x, low_y;
    qv_dense_seen(d, left, top, &x, &y);
    qv_dense_seen(d, left + 1, top, &right_x, &right_y);
    qv_dense_seen(d, left, top + 1, &low_x, &low_y);
    return (walk){
        (float)(x / side + shift_x), (float)(y / side + shift_y), (float)((right_x - x) / side), (float)((right_y - y) / side),
        (float)((low_x - x) / side), (float)((low_y - y) / side)};
}

/* The noise of a field at a place in cells, -1 to 1. */
static inline float noise_at(const uint8_t *noise, float x, float y) {
    unsigned i = (unsigned)x, j = (unsigned)y;
    float a = x - (float)i, b = y - (float)j;
    const uint8_t *up = noise + (j & 255) * QV_NOISE_SIDE, *low = noise + ((j + 1) & 255) * QV_NOISE_SIDE;
    unsigned left = i & 255, right = (i + 1) & 255;
    float upper = (float)up[left] + a * (float)(up[right] - up[left]);
    float lower = (float)low[left] + a * (float)(low[right] - low[left]);
    return (upper + b * (lower - upper)) / 127.5f - 1;
}

/* Whether the middle of a block is where there is more ink. */
static int is_in_focus(const qv_dense *d, uint32_t block_row, uint32_t block) {
    double x, y;
    qv_dense_seen(d, (block + 0.5) * QV_BLOCK, (block_row + 0.5) * QV_BLOCK, &x, &y);
    return x >= d->focus[0] && y >= d->focus[1] && x < d->focus[2] && y < d->focus[3];
}

static void fill_block(
    const qv_band *band, uint32_t block_row, uint32_t block, const uint8_t *sentence, const uint8_t *small, qv_inks out) {
    const qv_dense *d = band->dense;
    const struct corner *c[4] = {
        &band->above[block], &band->above[block + 1], &band->below[block], &band->below[block + 1]};
    walk fine = start_walk(
        d, block_row, block, FINE_CELL * d->em, d->shifts[2 * FINE] + QV_NOISE_SIDE, d->shifts[2 * FINE + 1] + QV_NOISE_SIDE);
    walk cells = start_walk(d, block_row, block, band->grid.side, -0.5, -0.5);
    int has_noise = !d->is_drawn && (d->slow != 0 || d->fine != 0);
    float usual = (float)d->rows.opacity, micro_usual = (float)d->micro.opacity;
    if (is_in_focus(d, block_row, block)) {
        usual *= FOCUS;
        micro_usual *= SMALL_FOCUS;
    }
    for (int y = 0; y < QV_BLOCK; y++) {
        float b = ((float)y + 0.5f) / QV_BLOCK;
        float left = c[0]->slow + b * (c[2]->slow - c[0]->slow), right = c[1]->slow + b * (c[3]->slow - c[1]->slow);
        for (int x = 0; x < QV_BLOCK; x++) {
            int place = y * QV_BLOCK + x;
            if ((sentence[place] | small[place]) == 0) continue;
            float at_x = (float)x, at_y = (float)y;
            float factor = 1;
            if (has_noise)
                factor += left + (at_x + 0.5f) / QV_BLOCK * (right - left) +
                (float)d->fine * noise_at(
                    d->noise, fine.x + at_x * fine.across_x + at_y * fine.down_x,
                    fine.y + at_x * fine.across_y + at_y * fine.down_y);
            float plain = (float)sentence[place] / 255 * limited(usual, factor), row = plain;
            if (band->chips != NULL && row > 0 && (!d->is_drawn || sentence[place] == 255)) {
                float cell_x = cells.x + at_x * cells.across_x + at_y * cells.down_x;
                float cell_y = cells.y + at_x * cells.across_y + at_y * cells.down_y;
                if (d->is_drawn) (cell_x = floorf(cell_x + 0.5f), cell_y = floorf(cell_y + 0.5f));
                row *= 1 + QV_SIGNAL_PART * qv_signal_at(band->chips, &band->grid, cell_x, cell_y);
                if (row > 1) row = 1;
            }
            float micro = (float)small[place] / 255 * limited(micro_usual, factor);
            size_t at = (size_t)y * band->stride + (size_t)block * QV_BLOCK + (size_t)x;
            out.all[at] = (uint8_t)(255 * (1 - (1 - row) * (1 - micro)) + 0.5f);
            if (out.rows != NULL) out.rows[at] = (uint8_t)(255 * plain * (1 - micro) + 0.5f);
            if (out.cores != NULL)
                out.cores[at] = (uint8_t)((float)d->core * (float)(sentence[place] > small[place] ? sentence[place] : small[place]) + 0.5f);
        }
    }
}

void qv_band_fill(qv_band *band, uint32_t block_row, qv_inks out) {
    memset(out.all, 0, (size_t)band->stride * QV_BLOCK);
    if (out.rows != NULL) memset(out.rows, 0, (size_t)band->stride * QV_BLOCK);
    if (out.cores != NULL) memset(out.cores, 0, (size_t)band->stride * QV_BLOCK);
    if (block_row > 0 && block_row == band->below_row) {
        struct corner *above = band->below;
        band->below = band->above;
        band->above = above;
    } else {
        fill_corners(band, block_row, band->above);
    }
    fill_corners(band, block_row + 1, band->below);
    band->below_row = block_row + 1;
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
        uint8_t strokes[2][QV_BLOCK * QV_BLOCK] = {{0}};
        int is_covered = qv_rows_cover(&band->sentence, row_u, row_v, strokes[0]);
        is_covered |= qv_rows_cover(&band->small, micro_u, micro_v, strokes[1]);
        if (is_covered) fill_block(band, block_row, block, strokes[0], strokes[1], out);
    }
}

int qv_dense_map(const qv_dense *dense, qv_inks out) {
    qv_dense upright = *dense;
    upright.orientation = 1;
    qv_band band;
    int failed = qv_band_start(&band, &upright, 1);
    size_t size = (size_t)band.stride * QV_BLOCK;
    uint8_t *pieces = failed ? NULL : malloc(3 * size);
    uint8_t *wholes[3] = {out.all, out.rows, out.cores};
    for (uint32_t row = 0; pieces != NULL && row * QV_BLOCK < dense->height; row++) {
        qv_band_fill(&band, row, (qv_inks){pieces, pieces + size, pieces + 2 * size});
        for (uint32_t y = 0; y < QV_BLOCK && row * QV_BLOCK + y < dense->height; y++) {
            size_t to = (size_t)(row * QV_BLOCK + y) * dense->width, from = (size_t)y * band.stride;
            for (size_t i = 0; i < 3; i++) {
                if (wholes[i] != NULL) memcpy(wholes[i] + to, pieces + i * size + from, dense->width);
            }
        }
    }
    failed = pieces == NULL ? -1 : 0;
    free(pieces);
    qv_band_end(&band);
    return failed;
}
