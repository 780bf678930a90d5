/*
 * A picture compared with the lightness of cells that somebody signed. The code beside it says where it stands: its modules first,
 * then modules and cells together.
 */
#include "cells.h"
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

/* The usual difference of a module, in levels of lightness. */
static const double MODULE_NOISE = 20;
/* The part of the cells whose differences say what is usual. */
static const double USUAL = 0.97;
/* What is usual at least: in steps, and in levels of lightness, since means are rounded. */
static const double LEAST_OF_STEP = 0.07, ROUNDING = 0.5;

/* The smallest value that a part of all do not exceed. */
static int compare_floats(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static double quantile(float *values, int count, double part) {
    if (count == 0) return 0;
    qsort(values, (size_t)count, sizeof *values, compare_floats);
    return values[(int)(part * (count - 1))];
}

/* How lightness may have changed: a plane, a factor that changes along both sides, and the square of it. */
enum { FINAL_TONES = 8, TONE_ROUNDS = 40 };

static void tones_at(double x, double y, double value, double out[FINAL_TONES]) {
    const double all[FINAL_TONES] = {1, x, y, x * y, value, value * x, value * y, value * value / 255};
    memcpy(out, all, sizeof all);
}

/*
 * What changes seen lightness into that which was signed; what differs has less weight in each round, as a part that was changed has
 * to. In the second half of the rounds a cell asks for no more than that it gets to the nearest lightness of its level.
 */
static int fit_tones(const grid *g, const frame *f, const float *seen, double step, double tones[FINAL_TONES]) {
    memset(tones, 0, FINAL_TONES * sizeof *tones);
    tones[4] = 1;
    for (int round = 0; round < TONE_ROUNDS; round++) {
        qv_system a = {{0}};
        for (int i = 0; i < g->columns * g->rows; i++) {
            double x, y, t[FINAL_TONES], now = 0;
            grid_place(g, f, i % g->columns, i / g->columns, &x, &y);
            tones_at(x, y, seen[i], t);
            for (int k = 0; k < FINAL_TONES; k++) now += t[k] * tones[k];
            double within = round < TONE_ROUNDS / 2 ? 0 : step / 2;
            double wanted = fmin(fmax(now, g->expected[i] - within), g->expected[i] + within);
            double usual = round == 0 ? 0 : (wanted - now) / (2 * g->noise), near = 1 / (1 + usual * usual), weight = near * near;
            for (int j = 0; j < FINAL_TONES; j++) {
                for (int k = 0; k < FINAL_TONES; k++) a[j][k] += weight * t[j] * t[k];
                a[j][FINAL_TONES] += weight * t[j] * wanted;
            }
        }
        for (int k = 0; k < FINAL_TONES; k++) a[k][k] = a[k][k] * (1 + 1e-9) + 1e-9;
        if (qv_solve(a, FINAL_TONES) != 0) return -1;
        for (int k = 0; k < FINAL_TONES; k++) tones[k] = a[k][FINAL_TONES];
    }
    return 0;
}

static double toned(const grid *g, const frame *f, const double tones[FINAL_TONES], int cell, double value) {
    double x, y, t[FINAL_TONES], sum = 0;
    grid_place(g, f, cell % g->columns, cell / g->columns, &x, &y);
    tones_at(x, y, value, t);
    for (int k = 0; k < FINAL_TONES; k++) sum += t[k] * tones[k];
    return sum;
}

/* The largest difference of what is expected of a cell and of its neighbours. */
static double roughness(const grid *g, int cell) {
    int x = cell % g->columns, y = cell / g->columns;
    double most = 0;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            if (x + i < 0 || x + i >= g->columns || y + j < 0 || y + j >= g->rows) continue;
            most = fmax(most, fabs((double)g->expected[cell] - g->expected[cell + j * g->columns + i]));
        }
    }
    return most;
}

/* Takes the plane (1, x, y, xy) that fits the values of cells that were not changed out of them; what is left, the root of its mean square. */
static double take_plane(const grid *g, const frame *f, const float *differences, float *values) {
    enum { PLANE = 4 };
    qv_system a = {{0}};
    double x, y, t[FINAL_TONES], squares = 0, count = 0;
    for (int i = 0; i < g->columns * g->rows; i++) {
        if (differences[i] >= QV_CHANGED) continue;
        grid_place(g, f, i % g->columns, i / g->columns, &x, &y);
        tones_at(x, y, 0, t);
        for (int j = 0; j < PLANE; j++) {
            for (int k = 0; k < PLANE; k++) a[j][k] += t[j] * t[k];
            a[j][PLANE] += t[j] * values[i];
        }
    }
    if (qv_solve(a, PLANE) != 0) return 0;
    for (int i = 0; i < g->columns * g->rows; i++) {
        grid_place(g, f, i % g->columns, i / g->columns, &x, &y);
        tones_at(x, y, 0, t);
        for (int k = 0; k < PLANE; k++) values[i] -= (float)(a[k][PLANE] * t[k]);
        if (differences[i] >= QV_CHANGED) continue;
        squares += (double)values[i] * values[i];
        count++;
    }
    return sqrt(squares / count);
}

/* The correlation of what is seen with what is expected, both without their planes, which tones alone could give them. */
static void correlate(const grid *g, const frame *f, double step, float *seen, float *expected, qv_agreement *out) {
    double deviations = take_plane(g, f, out->differences, seen), wanted = take_plane(g, f, out->differences, expected);
    double sum = 0, count = 0;
    for (int i = 0; i < g->columns * g->rows; i++) {
        if (out->differences[i] >= QV_CHANGED) continue;
        sum += (double)seen[i] * expected[i];
        count++;
    }
    out->has_pattern = wanted >= step;
    out->correlation = out->has_pattern && deviations > 1e-3 ? sum / count / deviations / wanted : 0;
}

/* Whether lightness changed as pictures change: by a factor of LEAST_GAIN to MOST_GAIN everywhere. */
static int are_plausible(const double tones[FINAL_TONES], const float *seen, int count) {
    static const double LEAST_GAIN = 0.2, MOST_GAIN = 5;
    double mean = 0;
    for (int i = 0; i < count; i++) mean += (double)seen[i] / count;
    for (int k = 0; k < 4; k++) {
        double x = k % 2 ? 1 : -1, y = k / 2 ? 1 : -1;
        double gain = tones[4] + tones[5] * x + tones[6] * y + 2 * tones[7] * mean / 255;
        if (!(gain >= LEAST_GAIN && gain <= MOST_GAIN)) return 0;
    }
    return 1;
}

/* The part of the cells that lie within the picture that is seen. */
static double reach_of(const raster *seen, const double map[9], const grid *g) {
    int within = 0;
    for (int i = 0; i < g->columns * g->rows; i++) {
        double u, v;
        qv_apply(map, (g->across[i % g->columns] + g->across[i % g->columns + 1]) / 2,
                 (g->down[i / g->columns] + g->down[i / g->columns + 1]) / 2, &u, &v);
        within += u >= 0 && v >= 0 && u < seen->width && v < seen->height;
    }
    return (double)within / (g->columns * g->rows);
}

/* The part of the picture that is seen which a rectangle from the upper left corner on covers. */
static double part_of(const raster *seen, const double map[9], double width, double height) {
    const double corners[4][2] = {{0, 0}, {width, 0}, {width, height}, {0, height}};
    double area = 0;
    for (int k = 0; k < 4; k++) {
        double u, v, next_u, next_v;
        qv_apply(map, corners[k][0], corners[k][1], &u, &v);
        qv_apply(map, corners[(k + 1) % 4][0], corners[(k + 1) % 4][1], &next_u, &next_v);
        area += u * next_v - next_u * v;
    }
    return fmin(1, fabs(area) / 2 / seen->width / seen->height);
}

/* How far lightness lies beyond what a level stands for. */
static double beyond(double lightness, double expected, double step) { return fmax(0, fabs(lightness - expected) - step / 2); }

/* The moves that a slow bend of the paper may give to cells, across and down, and the cells around that are moved alike. */
enum { MOVES = 5, AROUND = 2 };
static const double LEAST_MOVE = 0.75, MOVE_OF_CELL = 0.03;

/* How far each cell lies beyond its level, where the cells around it are moved so that all together lie least beyond theirs. */
static int settle(
    const raster *seen, const double map[9], const grid *cells, const frame *f, const double tones[FINAL_TONES], double step,
    float *look, qv_agreement *out) {
    size_t count = (size_t)cells->columns * (size_t)cells->rows;
    float *far = malloc(count * MOVES * MOVES * sizeof *far);
    if (far == NULL) return -1;
    double u, v, w, z, middle = cells->across[cells->columns] / 2, half = cells->down[cells->rows] / 2;
    qv_apply(map, middle, half, &u, &v);
    qv_apply(map, middle + 1, half, &w, &z);
    out->scale = hypot(w - u, z - v);
    double move = fmax(LEAST_MOVE, MOVE_OF_CELL * out->scale * cells->across[cells->columns] / cells->columns);
    for (int k = 0; k < MOVES * MOVES; k++) {
        const double shift[2] = {(k % MOVES - MOVES / 2) * move, (k / MOVES - MOVES / 2) * move};
        grid_sample(seen, map, cells, shift, look);
        for (size_t i = 0; i < count; i++)
            far[(size_t)k * count + i] = (float)beyond(toned(cells, f, tones, (int)i, look[i]), cells->expected[i], step);
    }
    for (int y = 0; y < cells->rows; y++) {
        for (int x = 0; x < cells->columns; x++) {
            /* No move, unless another one is better. */
            int best = MOVES * MOVES / 2;
            double least = 1e30;
            for (int n = 0; n < MOVES * MOVES; n++) {
                int k = (n + MOVES * MOVES / 2) % (MOVES * MOVES);
                double sum = 0;
                for (int j = y - AROUND < 0 ? 0 : y - AROUND; j <= y + AROUND && j < cells->rows; j++) {
                    for (int i = x - AROUND < 0 ? 0 : x - AROUND; i <= x + AROUND && i < cells->columns; i++)
                        sum += fmin(far[(size_t)k * count + (size_t)(j * cells->columns + i)], 2 * step);
                }
                if (sum >= least - 1e-3) continue;
                least = sum;
                best = k;
            }
            size_t cell = (size_t)(y * cells->columns + x);
            out->differences[cell] = far[(size_t)best * count + cell];
        }
    }
    free(far);
    return 0;
}

/* The differences of cells, in standard deviations: of what is usual in this comparison, and more beside edges. */
static int differences(
    const raster *seen, const double map[9], const frame *f, const grid *cells, double step, float *values[3], qv_agreement *out) {
    static const double no_shift[2] = {0, 0};
    int count = cells->columns * cells->rows;
    double tones[FINAL_TONES];
    grid_sample(seen, map, cells, no_shift, values[0]);
    if (fit_tones(cells, f, values[0], step, tones) != 0) return -1;
    out->has_tones = are_plausible(tones, values[0], count);
    if (settle(seen, map, cells, f, tones, step, values[0], out) != 0) return -1;
    int rough = 0;
    for (int i = 0; i < count; i++) {
        double edge = roughness(cells, i);
        values[1][i] = out->differences[i];
        if (edge > 2 * step) values[2][rough++] = (float)(out->differences[i] / edge);
    }
    double usual = quantile(values[1], count, USUAL), by_edge = rough < 20 ? 0.02 : quantile(values[2], rough, USUAL);
    out->noise = usual / step;
    for (int i = 0; i < count; i++) {
        double edge = by_edge * roughness(cells, i);
        out->differences[i] /= (float)sqrt(usual * usual + LEAST_OF_STEP * LEAST_OF_STEP * step * step + ROUNDING * ROUNDING + edge * edge);
    }
    grid_sample(seen, map, cells, no_shift, values[0]);
    memcpy(values[1], cells->expected, (size_t)count * sizeof *values[1]);
    correlate(cells, f, step, values[0], values[1], out);
    return 0;
}

/* The map from the places of a code to those in the picture that is seen, by its corners. */
static int map_of_corners(const qv_gray *seen, const qv_signed_picture *s, double map[9]) {
    double points[4][4], side = s->module * s->modules, longer = seen->width > seen->height ? seen->width : seen->height;
    for (int k = 0; k < 4; k++) {
        points[k][0] = k == 1 || k == 2;
        points[k][1] = k >= 2;
        points[k][2] = s->corners[2 * k] / longer;
        points[k][3] = s->corners[2 * k + 1] / longer;
    }
    double h[9];
    if (qv_fit((const double (*)[4])points, NULL, 4, h) != 0) return -1;
    for (int row = 0; row < 3; row++) {
        double scale = row < 2 ? longer : 1, a = h[3 * row] * scale / side, b = h[3 * row + 1] * scale / side;
        map[3 * row] = a;
        map[3 * row + 1] = b;
        map[3 * row + 2] = h[3 * row + 2] * scale - a * s->code_left - b * s->code_top;
    }
    return 0;
}

int qv_compare(const qv_gray *gray, const qv_signed_picture *s, qv_agreement *out) {
    const raster seen = {gray->width, gray->height, (float *)gray->values};
    size_t cells = (size_t)s->columns * (size_t)s->rows, edges = (size_t)s->modules + 1;
    double *places = malloc(2 * edges * sizeof *places), side = s->module * s->modules, map[9];
    float *expected = malloc(4 * cells * sizeof *expected);
    int status = -1;
    if (places == NULL || expected == NULL) goto end;
    for (size_t i = 0; i < edges; i++) {
        places[i] = s->code_left + s->module * (double)i;
        places[edges + i] = s->code_top + s->module * (double)i;
    }
    for (size_t i = 0; i < cells; i++) expected[i] = (float)(s->low + s->step * s->levels[i]);
    float *values[3] = {expected + cells, expected + 2 * cells, expected + 3 * cells};
    const grid grids[2] = {
        {.columns = s->modules, .rows = s->modules, .across = places, .down = places + edges, .noise = MODULE_NOISE, .halves = 1},
        {.columns = s->columns, .rows = s->rows, .across = s->across, .down = s->down, .expected = expected,
         .noise = fmax(s->step / 2, 3), .has_tones = 1},
    };
    const frame code = {s->code_left, s->code_top, side / 2, side / 2}, picture = {0, 0, s->width / 2, s->height / 2};
    const frame whole = {0, 0, s->width / 2, (s->code_top + side) / 2};
    if (map_of_corners(gray, s, map) != 0 || qv_align(&seen, &code, grids, 1, 6, map) != 0 ||
        qv_align(&seen, &code, grids, 1, 8, map) != 0 || qv_align(&seen, &whole, grids, 2, 8, map) != 0)
        goto end;
    out->reach = reach_of(&seen, map, &grids[1]);
    out->part = part_of(&seen, map, s->width, s->code_top + side);
    status = differences(&seen, map, &picture, &grids[1], s->step, values, out);
end:
    free(places);
    free(expected);
    return status;
}
