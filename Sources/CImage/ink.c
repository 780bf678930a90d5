/* The ink of the dense layout: light where a picture is dark, and how well strokes stand out. */
#include "dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Places whose mean lightness is below this, of 255, get light ink. */
enum { DARK = 118 };
/* How near to it the mean of one em is where that of more of them decides. */
enum { UNDECIDED = 24 };
/* On gray there is more ink than on white and black, so that strokes stand out as well. */
static const float MOST_GAIN = 0.5f;

int qv_ink_map_start(qv_ink_map *map, uint32_t width, uint32_t height) {
    map->across = (width + QV_BLOCK - 1) / QV_BLOCK;
    map->down = (height + QV_BLOCK - 1) / QV_BLOCK;
    map->mean = calloc((size_t)map->across * map->down, 1);
    map->local = calloc((size_t)map->across * map->down, 1);
    map->ground = calloc((size_t)map->across * map->down, 1);
    return map->mean == NULL || map->local == NULL || map->ground == NULL ? -1 : 0;
}

/* The mean of the blocks within a reach, from sums of all blocks above and to the left of each. */
static uint8_t mean_within(const qv_ink_map *map, const uint32_t *sums, size_t x, size_t y, size_t reach) {
    size_t stride = (size_t)map->across + 1;
    size_t top = y > reach ? y - reach : 0, end = y + reach + 1 < map->down ? y + reach + 1 : map->down;
    size_t left = x > reach ? x - reach : 0, right = x + reach + 1 < map->across ? x + reach + 1 : map->across;
    uint32_t sum = sums[end * stride + right] - sums[top * stride + right] - sums[end * stride + left] + sums[top * stride + left];
    uint32_t count = (uint32_t)((end - top) * (right - left));
    return (uint8_t)((sum + count / 2) / count);
}

int qv_ink_map_decide(qv_ink_map *map, const qv_dense *dense, double em, int is_light) {
    map->is_light = is_light;
    map->has_core = dense->core > 0;
    /* With a row and a column of zeros. */
    size_t stride = (size_t)map->across + 1;
    uint32_t *sums = calloc(stride * ((size_t)map->down + 1), sizeof *sums);
    if (sums == NULL) return -1;
    for (uint32_t y = 0; y < map->down; y++) {
        uint32_t line = 0;
        for (uint32_t x = 0; x < map->across; x++) {
            line += map->mean[(size_t)y * map->across + x];
            sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1] + line;
        }
    }
    size_t near = (size_t)ceil(em / QV_BLOCK), far = (size_t)ceil(dense->reach * em / QV_BLOCK);
    for (size_t y = 0; y < map->down; y++) {
        for (size_t x = 0; x < map->across; x++) {
            uint8_t local = mean_within(map, sums, x, y, near);
            map->local[y * map->across + x] = local;
            int is_decided = far == 0 || abs(local - DARK) > UNDECIDED;
            map->ground[y * map->across + x] = is_decided ? local : mean_within(map, sums, x, y, far);
        }
    }
    free(sums);
    return 0;
}

qv_ink qv_ink_at(const qv_ink_map *map, uint32_t column, uint32_t row) {
    column = column < map->across ? column : map->across - 1;
    row = row < map->down ? row : map->down - 1;
    size_t place = (size_t)row * map->across + column;
    float local = map->local[place];
    int is_light = map->is_light < 0 ? map->ground[place] < DARK : map->is_light != 0;
    float part = is_light ? local / DARK : (255 - local) / (255 - DARK);
    if (part > 1) part = 1;
    if (map->is_drawn) part = floorf(part + 0.5f);
    return (qv_ink){is_light, map->has_core, 1 + MOST_GAIN * part};
}

void qv_ink_map_end(qv_ink_map *map) {
    free(map->mean);
    free(map->local);
    free(map->ground);
    memset(map, 0, sizeof *map);
}

void qv_contrast_start(qv_contrast *contrast) {
    memset(contrast, 0, sizeof *contrast);
    for (int i = 0; i < 256; i++) {
        double part = i / 255.0;
        double light = part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
        contrast->levels[i] = (float)log(light + 0.05);
    }
}

static float level(const qv_contrast *contrast, float sample) {
    return contrast->levels[(int)(sample < 0 ? 0 : sample > 255 ? 255 : sample)];
}

void qv_contrast_add(qv_contrast *contrast, float before, float after) {
    contrast->sum += fabsf(level(contrast, after) - level(contrast, before));
    contrast->count++;
}

void qv_contrast_end(qv_contrast *contrast) {
    if (contrast->count > 0) {
        contrast->cells++;
        contrast->faint += contrast->sum / (float)contrast->count < (float)log(QV_FAINT_CONTRAST / 100.0);
    }
    contrast->sum = 0;
    contrast->count = 0;
}
