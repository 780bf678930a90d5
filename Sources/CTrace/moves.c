/* Local moves: what bends between a picture and its copy, by a grid of nodes. */
#include "matrix.h"
#include "register.h"

#include <stdlib.h>
#include <string.h>

/*
 * The move of the original around a node that makes both fit best, in pixels of `a`, from the one that is given; 0 where the
 * place can tell.
 */
static int node_move(const raster *a, const raster *b, const double h[9], double x, double y, double reach, double move[2]) {
    double a_side = a->width > a->height ? a->width : a->height, b_side = b->width > b->height ? b->width : b->height;
    const double begin[2] = {move[0], move[1]};
    for (int round = 0; round < 8; round++) {
        double xx = 0, xy = 0, yy = 0, xe = 0, ye = 0, ab = 0, bb = 1e-9;
        int count = 0;
        for (int pass = 0; pass < 2; pass++) {
            double gain = pass == 0 ? 1 : ab / bb;
            for (int j = (int)(y - reach); j < y + reach; j++) {
                for (int i = (int)(x - reach); i < x + reach; i++) {
                    if (i < 2 || j < 2 || i >= a->width - 2 || j >= a->height - 2) continue;
                    double u, v;
                    qv_apply(h, (i + 0.5 + move[0]) / a_side, (j + 0.5 + move[1]) / a_side, &u, &v);
                    double bx = u * b_side, by = v * b_side;
                    if (!(bx >= 2 && by >= 2 && bx <= b->width - 2 && by <= b->height - 2)) continue;
                    size_t place = (size_t)j * (size_t)a->width + (size_t)i;
                    float value = a->values[place], other = raster_at(b, bx, by);
                    if (pass == 0) {
                        ab += (double)value * other;
                        bb += (double)other * other;
                        count++;
                        continue;
                    }
                    double gx = (a->values[place + 1] - a->values[place - 1]) / 2;
                    double gy = (a->values[place + (size_t)a->width] - a->values[place - (size_t)a->width]) / 2;
                    double error = value - gain * other;
                    if (fabs(error) > 1.2) continue;
                    xx += gx * gx;
                    xy += gx * gy;
                    yy += gy * gy;
                    xe += gx * error;
                    ye += gy * error;
                }
            }
            if (ab <= 0 || count < reach * reach) return -1;
        }
        double det = xx * yy - xy * xy;
        if (det < 1e-3 * (xx + yy) * (xx + yy) || xx + yy < 0.02 * count) return -1;
        double dx = (yy * xe - xy * ye) / det, dy = (xx * ye - xy * xe) / det;
        move[0] += dx;
        move[1] += dy;
        if (hypot(move[0] - begin[0], move[1] - begin[1]) > reach / 3) return -1;
        if (hypot(dx, dy) < 0.02) return 0;
    }
    return 0;
}

void qv_move_at(const qv_registration *where, double across, double down, float move[2]) {
    double column = across * (QV_MOVES_ACROSS - 1), row = down * (QV_MOVES_DOWN - 1);
    int i = (int)column < QV_MOVES_ACROSS - 1 ? (int)column : QV_MOVES_ACROSS - 2;
    int j = (int)row < QV_MOVES_DOWN - 1 ? (int)row : QV_MOVES_DOWN - 2;
    float p = (float)(column - i), q = (float)(row - j);
    for (int c = 0; c < 2; c++) {
        float upper = where->moves[j][i][c] * (1 - p) + where->moves[j][i + 1][c] * p;
        float lower = where->moves[j + 1][i][c] * (1 - p) + where->moves[j + 1][i + 1][c] * p;
        move[c] = upper * (1 - q) + lower * q;
    }
}

typedef unsigned char known_nodes[QV_MOVES_DOWN][QV_MOVES_ACROSS];

/* The mean move of the nodes around one that can tell; -1 where there are none. */
static int around(const qv_registration *where, known_nodes known, int i, int j, float mean[2]) {
    int near = 0;
    mean[0] = mean[1] = 0;
    for (int y = j - 2; y <= j + 2; y++) {
        for (int x = i - 2; x <= i + 2; x++) {
            if ((x == i && y == j) || y < 0 || x < 0 || y >= QV_MOVES_DOWN || x >= QV_MOVES_ACROSS || !known[y][x]) continue;
            near++;
            for (int c = 0; c < 2; c++) mean[c] += where->moves[y][x][c];
        }
    }
    for (int c = 0; c < 2 && near > 0; c++) mean[c] /= (float)near;
    return near > 0 ? 0 : -1;
}

static int by_size(const void *a, const void *b) {
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

void qv_find_moves(const raster *a, const raster *b, qv_registration *out, const double h[9]) {
    known_nodes known;
    double reach = (a->width > a->height ? a->width : a->height) / 28.0;
    for (int j = 0; j < QV_MOVES_DOWN; j++) {
        for (int i = 0; i < QV_MOVES_ACROSS; i++) {
            double move[2] = {0, 0}, x = (double)i / (QV_MOVES_ACROSS - 1), y = (double)j / (QV_MOVES_DOWN - 1);
            known[j][i] = node_move(a, b, h, x * a->width, y * a->height, reach, move) == 0;
            for (int c = 0; c < 2; c++) out->moves[j][i][c] = known[j][i] ? (float)move[c] : 0;
        }
    }
    for (int round = 0; round < 2; round++) {
        qv_registration before = *out;
        for (int j = 0; j < QV_MOVES_DOWN; j++) {
            for (int i = 0; i < QV_MOVES_ACROSS; i++) {
                float mean[2];
                if (around(&before, known, i, j, mean) != 0) continue;
                double off = hypot(before.moves[j][i][0] - mean[0], before.moves[j][i][1] - mean[1]);
                if (known[j][i] && off < 4) continue;
                memcpy(out->moves[j][i], mean, sizeof mean);
            }
        }
    }
    /* What is left half way between nodes: the median of the places that can tell. */
    double left[(QV_MOVES_ACROSS - 1) * (QV_MOVES_DOWN - 1)];
    size_t count = 0;
    for (int j = 0; j < QV_MOVES_DOWN - 1; j++) {
        for (int i = 0; i < QV_MOVES_ACROSS - 1; i++) {
            double x = (i + 0.5) / (QV_MOVES_ACROSS - 1), y = (j + 0.5) / (QV_MOVES_DOWN - 1);
            float from[2];
            qv_move_at(out, x, y, from);
            double move[2] = {from[0], from[1]};
            if (node_move(a, b, h, x * a->width, y * a->height, reach, move) != 0) continue;
            left[count++] = hypot(move[0] - from[0], move[1] - from[1]);
        }
    }
    qsort(left, count, sizeof *left, by_size);
    out->residual = count >= 6 ? left[count / 2] : 99;
}
