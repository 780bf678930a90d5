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

int qv_difference(const qv_gray *expected, const float *laid, int reach, float *out) {
    size_t count = (size_t)expected->width * (size_t)expected->height;
    float tones[TONES + 1];
    match_tones(expected, laid, tones);
    raster slow = raster_make(expected->width, expected->height), inside = raster_make(expected->width, expected->height);
    int failed = slow.values == NULL || inside.values == NULL;
    for (size_t i = 0; i < count && !failed; i++) {
        out[i] = 0;
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
        out[i] = (out[i] < -most ? -most : out[i] > most ? most : out[i]) / (usual * usual);
    }
    free(slow.values);
    free(inside.values);
    return failed ? -1 : 0;
}

void qv_correlate(const qv_gray *size, const float *difference, const float *slope, const qv_cells *cells, float *out) {
    memset(out, 0, (size_t)cells->across * (size_t)cells->down * sizeof *out);
    for (int y = 0; y < size->height; y++) {
        double row = (y + 0.5) / cells->side - 0.5;
        row = row < 0 ? 0 : row > cells->down - 1 ? cells->down - 1 : row;
        int j = (int)row, below = j + 1 < cells->down ? j + 1 : j;
        float q = (float)(row - j);
        for (int x = 0; x < size->width; x++) {
            size_t place = (size_t)y * (size_t)size->width + (size_t)x;
            float value = difference[place] * slope[place];
            if (value == 0) continue;
            double column = (x + 0.5) / cells->side - 0.5;
            column = column < 0 ? 0 : column > cells->across - 1 ? cells->across - 1 : column;
            int i = (int)column, right = i + 1 < cells->across ? i + 1 : i;
            float p = (float)(column - i);
            out[j * cells->across + i] += value * (1 - p) * (1 - q);
            out[j * cells->across + right] += value * p * (1 - q);
            out[below * cells->across + i] += value * (1 - p) * q;
            out[below * cells->across + right] += value * p * q;
        }
    }
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
