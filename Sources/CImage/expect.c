/* The picture that a copy would be, and what its signals change (Spec/product/watermark.md, 8). */
#include "dense.h"

#include <stdlib.h>
#include <string.h>

/* What fell on each pixel of the smaller picture: of all strokes, of the sentence's rows, of cores, and how many pixels. */
typedef struct {
    float *all, *rows, *cores, *counts;
} sums;

/* Adds a row of blocks. */
static void add_band(
    const qv_band *band, uint32_t block_row, qv_inks inks, uint32_t width, uint32_t height, const sums *s) {
    uint32_t wide = band->stored_width, high = band->stored_height;
    for (uint32_t y = 0; y < QV_BLOCK && block_row * QV_BLOCK + y < high; y++) {
        size_t line = (size_t)((uint64_t)(block_row * QV_BLOCK + y) * height / high) * width;
        for (uint32_t x = 0; x < wide; x++) {
            size_t to = line + (size_t)((uint64_t)x * width / wide), from = (size_t)y * band->stride + x;
            s->all[to] += inks.all[from];
            s->rows[to] += inks.rows[from];
            s->cores[to] += inks.cores[from];
            s->counts[to]++;
        }
    }
}

static int add_all(const qv_dense *dense, uint32_t width, uint32_t height, const sums *s) {
    qv_dense upright = *dense;
    upright.orientation = 1;
    upright.chips = NULL;
    qv_band band;
    int failed = qv_band_start(&band, &upright, 1);
    size_t size = (size_t)band.stride * QV_BLOCK;
    uint8_t *all = failed ? NULL : malloc(3 * size);
    for (uint32_t row = 0; all != NULL && row * QV_BLOCK < dense->height; row++) {
        qv_inks inks = {all, all + size, all + 2 * size};
        qv_band_fill(&band, row, inks);
        add_band(&band, row, inks, width, height, s);
    }
    failed = all == NULL;
    free(all);
    qv_band_end(&band);
    return failed ? -1 : 0;
}

/* Means of blocks, and their texture. */
static void measure(const qv_expectation *e, qv_ink_map *map) {
    for (uint32_t row = 0; row < map->down; row++) {
        for (uint32_t column = 0; column < map->across; column++) {
            uint32_t left = column * QV_BLOCK, top = row * QV_BLOCK;
            uint32_t right = left + QV_BLOCK < e->width ? left + QV_BLOCK : e->width;
            uint32_t end = top + QV_BLOCK < e->height ? top + QV_BLOCK : e->height;
            float sum = 0, squares = 0, count = (float)((right - left) * (end - top));
            for (uint32_t y = top; y < end; y++) {
                for (uint32_t x = left; x < right; x++) {
                    float value = e->original[(size_t)y * e->width + x];
                    sum += value;
                    squares += value * value;
                }
            }
            map->mean[(size_t)row * map->across + column] = (uint8_t)(sum / count + 0.5f);
            float levels = qv_texture(sum / count, squares / count);
            for (uint32_t y = top; y < end; y++) {
                for (uint32_t x = left; x < right; x++) e->frame_slope[(size_t)y * e->width + x] = levels;
            }
        }
    }
}

int qv_dense_expect(const qv_dense *dense, int is_light, const qv_expectation *e) {
    size_t count = (size_t)e->width * e->height;
    memset(e->expected, 0, count * sizeof(float));
    memset(e->slope, 0, count * sizeof(float));
    float *counts = calloc(2 * count, sizeof *counts);
    const sums s = {e->expected, e->slope, counts == NULL ? NULL : counts + count, counts};
    qv_ink_map map = {0};
    int failed = counts == NULL || qv_ink_map_start(&map, e->width, e->height) != 0;
    failed = failed || add_all(dense, e->width, e->height, &s) != 0;
    if (!failed) {
        measure(e, &map);
        failed = qv_ink_map_decide(&map, dense, dense->em * e->width / dense->width, is_light) != 0;
    }
    for (size_t i = 0; i < count && !failed; i++) {
        qv_ink ink = qv_ink_at(&map, (uint32_t)(i % e->width) / QV_BLOCK, (uint32_t)(i / e->width) / QV_BLOCK);
        float light = e->original[i], share = 255 * counts[i] + 1e-3f;
        e->slope[i] = QV_SIGNAL_PART * qv_ink_change(ink, light, e->slope[i] / share, 0);
        e->expected[i] = light + qv_ink_change(ink, light, e->expected[i] / share, s.cores[i] / share);
    }
    qv_ink_map_end(&map);
    free(counts);
    return failed ? -1 : 0;
}
