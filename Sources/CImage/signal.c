/* The signals of a copy: a chip of +1 or -1 a cell, linear between cells (Spec/product/watermark.md, 8). */
#include "dense.h"

#include <math.h>
#include <stdlib.h>

qv_signal_grid qv_signal_grid_of(uint32_t width, uint32_t height) {
    double side = (double)(width > height ? width : height) / QV_SIGNAL_CELLS;
    return (qv_signal_grid){(uint32_t)ceil(width / side), (uint32_t)ceil(height / side), side};
}

float *qv_expand_chips(const uint8_t *bits, const qv_dense *dense) {
    qv_signal_grid grid = qv_signal_grid_of(dense->width, dense->height);
    size_t count = (size_t)grid.across * grid.down;
    float *chips = malloc(count * sizeof *chips);
    for (size_t k = 0; chips != NULL && k < count; k++) chips[k] = bits[k / 8] >> (7 - k % 8) & 1 ? 1 : -1;
    return chips;
}

float qv_frame_signal(const float *chips, const qv_dense *dense, double x, double y) {
    qv_signal_grid grid = qv_signal_grid_of(dense->width, dense->height);
    return qv_signal_at(chips, &grid, (float)(x / grid.side - 0.5), (float)(y / grid.side - 0.5));
}

void qv_frame_signals(
    const float *chips, const qv_dense *dense, const qv_signal_grid *grid, double left, double top, int across, int down,
    float out[QV_BLOCK * QV_BLOCK]) {
    qv_cell_place x[QV_BLOCK], y[QV_BLOCK];
    /* What a person sees across depends on one of the stored coordinates, and what he sees down on the other. */
    for (int k = 0; k < QV_BLOCK; k++) {
        double seen_x, seen_y;
        qv_dense_seen(dense, (left + k + 0.5) * across, (top + k + 0.5) * down, &seen_x, &seen_y);
        x[k] = qv_cell_place_of((float)(seen_x / grid->side - 0.5), grid->across);
        y[k] = qv_cell_place_of((float)(seen_y / grid->side - 0.5), grid->down);
    }
    int is_turned = dense->orientation > 4;
    for (int k = 0; k < QV_BLOCK * QV_BLOCK; k++) {
        int column = k % QV_BLOCK, line = k / QV_BLOCK;
        out[k] = qv_signal_between(chips, grid, x[is_turned ? line : column], y[is_turned ? column : line]);
    }
}

qv_block_side qv_block_side_at(
    const qv_dense *dense, const qv_signal_grid *grid, uint32_t start, int step, int is_down, const float *cosines) {
    qv_cell_place places[QV_BLOCK];
    int is_seen_down = is_down != (dense->orientation > 4);
    for (int k = 0; k < QV_BLOCK; k++) {
        double at = ((double)start + k + 0.5) * step, seen_x, seen_y;
        qv_dense_seen(dense, is_down ? 0 : at, is_down ? at : 0, &seen_x, &seen_y);
        double seen = is_seen_down ? seen_y : seen_x;
        places[k] = qv_cell_place_of((float)(seen / grid->side - 0.5), is_seen_down ? grid->down : grid->across);
    }
    qv_cell_place low = places[0], high = places[QV_BLOCK - 1];
    if (low.cell > high.cell) (low = high, high = places[0]);
    qv_block_side side = {.first = low.cell, .count = high.next - low.cell + 1};
    if (side.count > QV_SIDE_CELLS) side.count = 0;
    for (uint32_t cell = 0; cell < side.count; cell++) {
        for (int k = 0; k < QV_BLOCK; k++) {
            float part = (places[k].cell - side.first == cell ? 1 - places[k].part : 0) + (places[k].next - side.first == cell ? places[k].part : 0);
            for (int u = 0; u < QV_BLOCK; u++) side.parts[cell][u] += cosines[QV_BLOCK * u + k] * part;
        }
    }
    return side;
}

void qv_signal_coefficients(
    const float *chips, const qv_signal_grid *grid, int is_turned, const qv_block_side *across, const qv_block_side *down,
    float out[QV_BLOCK * QV_BLOCK]) {
    float rows[QV_SIDE_CELLS][QV_BLOCK] = {{0}};
    for (uint32_t j = 0; j < down->count; j++) {
        for (uint32_t i = 0; i < across->count; i++) {
            size_t x = across->first + i, y = down->first + j;
            float chip = is_turned ? chips[x * grid->across + y] : chips[y * grid->across + x];
            for (int u = 0; u < QV_BLOCK; u++) rows[j][u] += chip * across->parts[i][u];
        }
    }
    for (int v = 0; v < QV_BLOCK; v++) {
        for (int u = 0; u < QV_BLOCK; u++) {
            float sum = 0;
            for (uint32_t j = 0; j < QV_SIDE_CELLS; j++) sum += rows[j][u] * down->parts[j][v];
            out[QV_BLOCK * v + u] = sum;
        }
    }
}

float qv_chip_at(const float *chips, const qv_dense *dense, double x, double y) {
    qv_signal_grid grid = qv_signal_grid_of(dense->width, dense->height);
    return qv_signal_at(chips, &grid, floorf((float)(x / grid.side)), floorf((float)(y / grid.side)));
}

float qv_texture(float mean, float mean_of_squares) {
    float variance = mean_of_squares - mean * mean;
    float deviation = variance > 0 ? sqrtf(variance) / 8 : 0;
    return 0.7f * (1 + (deviation < 2 ? deviation : 2));
}
