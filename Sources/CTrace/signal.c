/* What is left of a leak beside what is expected, and the signals in it. */
#include "raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TONES = 32 };

/* The tone that a lightness has after its table; linear between entries. */
static float tone_of(const float tones[TONES + 1], float light) {
    float at = light * TONES / 255;
    at = at < 0 ? 0 : at > TONES - 0.001f ? TONES - 0.001f : at;
    int k = (int)at;
    return tones[k] + (at - (float)k) * (tones[k + 1] - tones[k]);
}

/* The mean of the leak for each tone that is expected. The other way round a signal would be averaged away. */
static void match_tones(const qv_gray *expected, const float *laid, float tones[TONES + 1]) {
    double sums[TONES + 1] = {0}, counts[TONES + 1] = {0};
    size_t count = (size_t)expected->width * (size_t)expected->height;
    for (size_t i = 0; i < count; i++) {
        if (laid[i] < 0) continue;
        float at = expected->values[i] * TONES / 255;
        int k = (int)(at < 0 ? 0 : at > TONES - 0.001f ? TONES - 0.001f : at);
        float part = at - (float)k;
        sums[k] += (double)(1 - part) * laid[i];
        counts[k] += 1 - part;
        sums[k + 1] += (double)part * laid[i];
        counts[k + 1] += part;
    }
    for (int k = 0; k <= TONES; k++) tones[k] = counts[k] > 20 ? (float)(sums[k] / counts[k]) : (float)k * 255 / TONES;
}

/* Radius of the square in which a leak is called flat; and how far values deviate there, in a flat leak at most, and in what is
 * expected at least. */
enum { FLAT_REACH = 8 };
static const float FLAT = 1.5f, LIVELY = 3;

int qv_drop_flat(const qv_gray *expected, float *laid) {
    size_t count = (size_t)expected->width * (size_t)expected->height;
    raster sums[5];
    int failed = 0;
    for (int k = 0; k < 5; k++) {
        sums[k] = raster_make(expected->width, expected->height);
        failed |= sums[k].values == NULL;
    }
    for (size_t i = 0; i < count && !failed; i++) {
        if (laid[i] < 0) continue;
        const float values[5] = {1, laid[i], laid[i] * laid[i], expected->values[i], expected->values[i] * expected->values[i]};
        for (int k = 0; k < 5; k++) sums[k].values[i] = values[k];
    }
    for (int k = 0; k < 5; k++) failed = failed || raster_blur(&sums[k], FLAT_REACH) != 0;
    for (size_t i = 0; i < count && !failed; i++) {
        if (laid[i] < 0) continue;
        float number = sums[0].values[i], mean = sums[1].values[i] / number, wanted = sums[3].values[i] / number;
        float spread = sums[2].values[i] / number - mean * mean, wanted_spread = sums[4].values[i] / number - wanted * wanted;
        if (spread < FLAT * FLAT && wanted_spread > LIVELY * LIVELY) laid[i] = -1;
    }
    for (int k = 0; k < 5; k++) free(sums[k].values);
    return failed ? -1 : 0;
}

int qv_difference(const qv_gray *expected, const float *laid, int reach, float *out, float *certainty) {
    size_t count = (size_t)expected->width * (size_t)expected->height;
    float tones[TONES + 1];
    match_tones(expected, laid, tones);
    raster slow = raster_make(expected->width, expected->height), inside = raster_make(expected->width, expected->height);
    int failed = slow.values == NULL || inside.values == NULL;
    for (size_t i = 0; i < count && !failed; i++) {
        out[i] = certainty[i] = 0;
        if (laid[i] < 0) continue;
        out[i] = slow.values[i] = laid[i] - tone_of(tones, expected->values[i]);
        inside.values[i] = 1;
    }
    failed = failed || raster_blur(&slow, reach) != 0 || raster_blur(&inside, reach) != 0;
    for (size_t i = 0; i < count && !failed; i++) {
        if (laid[i] >= 0) out[i] -= slow.values[i] / inside.values[i];
        slow.values[i] = out[i] * out[i];
    }
    /* A single edge must not outweigh a hundred strokes. */
    failed = failed || raster_blur(&slow, reach) != 0;
    for (size_t i = 0; i < count && !failed; i++) {
        if (laid[i] < 0) continue;
        float mean = slow.values[i] / inside.values[i];
        /* Sums that move along may end a little below zero. */
        float usual = (mean > 0 ? sqrtf(mean) : 0) + 1, most = 2 * usual;
        certainty[i] = 1 / (usual * usual);
        out[i] = (out[i] < -most ? -most : out[i] > most ? most : out[i]) * certainty[i];
    }
    free(slow.values);
    free(inside.values);
    return failed ? -1 : 0;
}

/* Where a pixel stands among the middles of cells: the cell to its left and above, the next ones, and parts of the way. */
typedef struct {
    int here, next;
    float part;
} between;

static between cells_at(double place, double side, int count) {
    double at = place / side - 0.5;
    at = at < 0 ? 0 : at > count - 1 ? count - 1 : at;
    int here = (int)at;
    return (between){here, here + 1 < count ? here + 1 : here, (float)(at - here)};
}

/* For each cell: the difference along the slope, and what it would be if the signal were 1. */
static void add_up(
    const qv_gray *size, const float *difference, const float *certainty, const float *slope, const qv_cells *cells,
    raster *found, raster *whole) {
    for (int y = 0; y < size->height; y++) {
        between row = cells_at(y + 0.5, cells->side, cells->down);
        for (int x = 0; x < size->width; x++) {
            size_t place = (size_t)y * (size_t)size->width + (size_t)x;
            float value = difference[place] * slope[place], most = slope[place] * slope[place] * certainty[place];
            if (most == 0) continue;
            between column = cells_at(x + 0.5, cells->side, cells->across);
            const int rows[2] = {row.here, row.next}, columns[2] = {column.here, column.next};
            const float down[2] = {1 - row.part, row.part}, across[2] = {1 - column.part, column.part};
            for (int k = 0; k < 4; k++) {
                size_t cell = (size_t)rows[k / 2] * (size_t)cells->across + (size_t)columns[k % 2];
                float part = down[k / 2] * across[k % 2];
                found->values[cell] += value * part;
                whole->values[cell] += most * part;
            }
        }
    }
}

/* Radii in cells: of what is around a cell, and of what is usual there. A cell beyond this many deviations counts as these. */
enum { AROUND = 2, USUAL = 3 };
static const float LIMIT = 2.5f;

int qv_correlate(
    const qv_gray *size, const float *difference, const float *certainty, const float *slope, const qv_cells *cells,
    float *out) {
    size_t count = (size_t)cells->across * (size_t)cells->down;
    raster found = raster_make(cells->across, cells->down), whole = raster_make(cells->across, cells->down);
    raster near = raster_make(cells->across, cells->down), near_whole = raster_make(cells->across, cells->down);
    int failed = found.values == NULL || whole.values == NULL || near.values == NULL || near_whole.values == NULL;
    if (!failed) {
        add_up(size, difference, certainty, slope, cells, &found, &whole);
        memcpy(near.values, found.values, count * sizeof(float));
        memcpy(near_whole.values, whole.values, count * sizeof(float));
        failed = raster_blur(&near, AROUND) != 0 || raster_blur(&near_whole, AROUND) != 0;
    }
    /* Relative to the cells around, in deviations: those of a sum grow with its root. */
    for (size_t c = 0; c < count && !failed; c++) {
        float around = near_whole.values[c] > 0 ? near.values[c] / near_whole.values[c] : 0;
        float root = whole.values[c] > 0 ? sqrtf(whole.values[c]) : 0;
        out[c] = root > 0 ? (found.values[c] - whole.values[c] * around) / root : 0;
        near.values[c] = out[c] * out[c];
        near_whole.values[c] = root > 0;
        whole.values[c] = root;
    }
    failed = failed || raster_blur(&near, USUAL) != 0 || raster_blur(&near_whole, USUAL) != 0;
    for (size_t c = 0; c < count && !failed; c++) {
        float square = near_whole.values[c] > 0 ? near.values[c] / near_whole.values[c] : 0;
        float value = square > 0 ? out[c] / sqrtf(square) : 0;
        out[c] = (value < -LIMIT ? -LIMIT : value > LIMIT ? LIMIT : value) * whole.values[c];
    }
    free(found.values);
    free(whole.values);
    free(near.values);
    free(near_whole.values);
    return failed ? -1 : 0;
}

void qv_prepare_scores(const float *cells, size_t count, float *table) {
    double squares = 0;
    for (size_t k = 0; k < count; k++) squares += (double)cells[k] * cells[k];
    float part = squares > 0 ? (float)(1 / sqrt(squares)) : 0;
    for (size_t byte = 0; byte * 8 < count; byte++) {
        for (unsigned bits = 0; bits < 256; bits++) {
            float sum = 0;
            for (size_t k = 0; k < 8 && byte * 8 + k < count; k++)
                sum += bits >> (7 - k) & 1 ? cells[byte * 8 + k] : -cells[byte * 8 + k];
            table[byte * 256 + bits] = sum * part;
        }
    }
}

double qv_score(const float *table, size_t count, const uint8_t *chips) {
    double sum = 0;
    for (size_t byte = 0; byte < count; byte++) sum += table[byte * 256 + chips[byte]];
    return sum;
}
