/* A map from cells to a picture that is seen, by least squares (Gauss and Newton; as Lucas and Kanade register pictures, 1981). */
#include "cells.h"
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

/* Unknowns: 8 of the map, and 7 of how lightness changed. */
enum { MAP = 8, TONES = 7, ALL = MAP + TONES };
/* Steps of the method, and the change of a map after which it ends. */
enum { STEPS = 15 };
static const double SMALL_CHANGE = 2e-5;
/* The samples of a cell across and down, one a pixel, but at least and at most so many. */
static const double SAMPLES_LEAST = 2, SAMPLES_MOST = 48;

static void times(const double a[9], const double b[9], double out[9]) {
    double product[9] = {0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) product[3 * i + j] += a[3 * i + k] * b[3 * k + j];
        }
    }
    memcpy(out, product, sizeof product);
}

void grid_sample(const raster *seen, const double map[9], const grid *g, const double shift[2], float *out) {
    int parts = g->halves ? 2 : 1, across = g->columns * parts, down = g->rows * parts;
    for (int y = 0; y < down; y++) {
        double top = g->down[y / parts], high = (g->down[y / parts + 1] - top) / parts;
        top += high * (y % parts);
        for (int x = 0; x < across; x++) {
            double left = g->across[x / parts], wide = (g->across[x / parts + 1] - left) / parts;
            left += wide * (x % parts);
            /* Within a cell, a map is all but straight. */
            double u, v, right_u, right_v, under_u, under_v;
            qv_apply(map, left, top, &u, &v);
            qv_apply(map, left + wide, top, &right_u, &right_v);
            qv_apply(map, left, top + high, &under_u, &under_v);
            right_u -= u, right_v -= v, under_u -= u, under_v -= v;
            double extent = ceil(fmax(hypot(right_u, right_v), hypot(under_u, under_v)));
            int count = (int)fmin(fmax(extent, SAMPLES_LEAST), SAMPLES_MOST);
            double sum = 0;
            for (int j = 0; j < count; j++) {
                for (int i = 0; i < count; i++) {
                    double part_x = (i + 0.5) / count, part_y = (j + 0.5) / count;
                    sum += raster_at(seen, u + part_x * right_u + part_y * under_u + shift[0], v + part_x * right_v + part_y * under_v + shift[1]);
                }
            }
            out[(size_t)y * (size_t)across + (size_t)x] = (float)(sum / (count * count));
        }
    }
}

/* Each value with its neighbours, 1, 2, 1 across and down; the edge goes on. */
static void soften(const float *in, int width, int height, float *out) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            float sum = 0;
            for (int j = -1; j <= 1; j++) {
                for (int i = -1; i <= 1; i++) {
                    int at_x = x + i < 0 ? 0 : x + i >= width ? width - 1 : x + i;
                    int at_y = y + j < 0 ? 0 : y + j >= height ? height - 1 : y + j;
                    sum += in[(size_t)at_y * (size_t)width + (size_t)at_x] * (float)((2 - abs(i)) * (2 - abs(j)));
                }
            }
            out[(size_t)y * (size_t)width + (size_t)x] = sum / 16;
        }
    }
}

/* Makes modules as black or as white as those around them. */
static void decide(const float *seen, int columns, int rows, float *out) {
    enum { REACH = 4 };
    for (int y = 0; y < rows; y++) {
        for (int x = 0; x < columns; x++) {
            float low = 1e9f, high = -1e9f;
            for (int j = y - REACH < 0 ? 0 : y - REACH; j <= y + REACH && j < rows; j += 2) {
                for (int i = x - REACH < 0 ? 0 : x - REACH; i <= x + REACH && i < columns; i += 2) {
                    float value = seen[(size_t)j * (size_t)columns + (size_t)i];
                    low = value < low ? value : low;
                    high = value > high ? value : high;
                }
            }
            float value = seen[(size_t)y * (size_t)columns + (size_t)x];
            out[(size_t)y * (size_t)columns + (size_t)x] = value > (low + high) / 2 ? high : low;
        }
    }
}

/* The room that looking at a block takes. */
typedef struct {
    float *seen, *expected, *soft_seen, *soft_expected;
} room;

static int room_make(room *r, size_t count) {
    r->seen = malloc(count * sizeof(float));
    r->expected = malloc(count * sizeof(float));
    r->soft_seen = malloc(count * sizeof(float));
    r->soft_expected = malloc(count * sizeof(float));
    return r->seen == NULL || r->expected == NULL || r->soft_seen == NULL || r->soft_expected == NULL ? -1 : 0;
}

static void room_end(room *r) {
    free(r->seen);
    free(r->expected);
    free(r->soft_seen);
    free(r->soft_expected);
}

/* What is seen and what is expected of a block, softened, one value for each cell or quarter. */
static void look(const raster *seen, const double map[9], const grid *g, room *r) {
    static const double no_shift[2] = {0, 0};
    int parts = g->halves ? 2 : 1, across = g->columns * parts, down = g->rows * parts;
    grid_sample(seen, map, g, no_shift, r->seen);
    if (g->expected != NULL) {
        memcpy(r->expected, g->expected, (size_t)across * (size_t)down * sizeof(float));
    } else {
        /* Of modules, whole ones are decided. */
        for (int y = 0; y < g->rows; y++) {
            for (int x = 0; x < g->columns; x++) {
                float sum = 0;
                for (int k = 0; k < 4; k++) sum += r->seen[(size_t)(2 * y + k / 2) * (size_t)across + (size_t)(2 * x + k % 2)];
                r->soft_seen[(size_t)y * (size_t)g->columns + (size_t)x] = sum / 4;
            }
        }
        decide(r->soft_seen, g->columns, g->rows, r->soft_expected);
        for (int y = 0; y < down; y++) {
            for (int x = 0; x < across; x++)
                r->expected[(size_t)y * (size_t)across + (size_t)x] =
                    r->soft_expected[(size_t)(y / 2) * (size_t)g->columns + (size_t)(x / 2)];
        }
    }
    soften(r->seen, across, down, r->soft_seen);
    soften(r->expected, across, down, r->soft_expected);
}

void grid_place(const grid *g, const frame *f, int x, int y, double *at_x, double *at_y) {
    int parts = g->halves ? 2 : 1;
    double left = g->across[x / parts], right = g->across[x / parts + 1];
    double top = g->down[y / parts], bottom = g->down[y / parts + 1];
    *at_x = (left + (right - left) * (x % parts + 0.5) / parts - f->left) / f->half_width - 1;
    *at_y = (top + (bottom - top) * (y % parts + 0.5) / parts - f->top) / f->half_height - 1;
}

/* How the value at a place changes with each unknown. */
static void slopes(double x, double y, double by_x, double by_y, double value, int has_tones, double out[ALL]) {
    const double all[ALL] = {
        by_x * x, by_x * y, by_x, by_y * x, by_y * y, by_y, -(by_x * x * x + by_y * x * y), -(by_x * x * y + by_y * y * y),
        1, x, y, x * y, value, value * x, value * y};
    memcpy(out, all, sizeof all);
    for (int k = MAP; k < ALL && !has_tones; k++) out[k] = 0;
}

/* Adds a block's equations; differences beyond the usual count less where `change` says what they would be. */
static void add_equations(const grid *g, const frame *f, const room *r, const double change[ALL], qv_system a) {
    int parts = g->halves ? 2 : 1, across = g->columns * parts, down = g->rows * parts;
    double wide = (g->across[g->columns] - g->across[0]) / across / f->half_width;
    double high = (g->down[g->rows] - g->down[0]) / down / f->half_height;
    for (int y = 0; y < down; y++) {
        for (int x = 0; x < across; x++) {
            size_t at = (size_t)y * (size_t)across + (size_t)x;
            int left = x > 0, right = x < across - 1, top = y > 0, bottom = y < down - 1;
            double value = r->soft_seen[at];
            double by_x = (r->soft_seen[at + (size_t)right] - r->soft_seen[at - (size_t)left]) / (wide * (left + right + (left + right == 0)));
            double by_y = (r->soft_seen[at + (size_t)bottom * (size_t)across] - r->soft_seen[at - (size_t)top * (size_t)across]) /
                (high * (top + bottom + (top + bottom == 0)));
            double at_x, at_y, slope[ALL];
            grid_place(g, f, x, y, &at_x, &at_y);
            slopes(at_x, at_y, by_x, by_y, value, g->has_tones, slope);
            double difference = r->soft_expected[at] - value, left_over = difference;
            for (int k = 0; k < ALL; k++) left_over -= slope[k] * change[k];
            double usual = left_over / (3 * g->noise), weight = 1 / (g->noise * g->noise * (1 + usual * usual));
            for (int j = 0; j < ALL; j++) {
                for (int k = 0; k < ALL; k++) a[j][k] += weight * slope[j] * slope[k];
                a[j][ALL] += weight * slope[j] * difference;
            }
        }
    }
}

/* Solves for the first unknowns of the map, and all tones that occur. */
static int solve(qv_system a, int of_map, double change[ALL]) {
    qv_system part;
    int used[ALL], count = 0;
    for (int k = 0; k < ALL; k++) {
        change[k] = 0;
        if ((k < MAP && k >= of_map) || a[k][k] <= 1e-12) continue;
        used[count++] = k;
    }
    for (int j = 0; j < count; j++) {
        for (int k = 0; k < count; k++) part[j][k] = a[used[j]][used[k]] * (j == k ? 1 + 1e-9 : 1);
        part[j][count] = a[used[j]][ALL];
    }
    if (qv_solve(part, count) != 0) return -1;
    for (int j = 0; j < count; j++) change[used[j]] = part[j][count];
    return 0;
}

int qv_settle_map(const grid *g, double map[9]) {
    if (!(fabs(map[8]) > 1e-9)) return -1;
    double last = map[8];
    for (int k = 0; k < 9; k++) map[k] /= last;
    for (int k = 0; k < 4; k++) {
        double x = g->across[k % 2 ? g->columns : 0], y = g->down[k / 2 ? g->rows : 0], u, v;
        /* The divisor is linear: where it is above 0 at the corners, it is everywhere between. */
        if (!(map[6] * x + map[7] * y + 1 > 1e-3)) return -1;
        qv_apply(map, x, y, &u, &v);
        if (!(fabs(u) < 1e6 && fabs(v) < 1e6)) return -1;
    }
    return 0;
}

static int step_map(const raster *seen, const frame *f, const grid *grids, room *rooms, int count, int of_map, double map[9], double *most) {
    const double to_places[9] = {f->half_width, 0, f->left + f->half_width, 0, f->half_height, f->top + f->half_height, 0, 0, 1};
    const double from_places[9] = {
        1 / f->half_width, 0, -f->left / f->half_width - 1, 0, 1 / f->half_height, -f->top / f->half_height - 1, 0, 0, 1};
    double change[ALL] = {0};
    for (int i = 0; i < count; i++) look(seen, map, &grids[i], &rooms[i]);
    for (int round = 0; round < 3; round++) {
        qv_system a = {{0}};
        for (int i = 0; i < count; i++) add_equations(&grids[i], f, &rooms[i], change, a);
        if (solve(a, of_map, change) != 0) return -1;
    }
    const double moved[9] = {1 + change[0], change[1], change[2], change[3], 1 + change[4], change[5], change[6], change[7], 1};
    times(map, to_places, map);
    times(map, moved, map);
    times(map, from_places, map);
    *most = 0;
    for (int k = 0; k < MAP; k++) *most = fmax(*most, fabs(change[k]));
    if (!(*most < 1)) return -1;
    for (int i = 0; i < count; i++) {
        if (qv_settle_map(&grids[i], map) != 0) return -1;
    }
    return 0;
}

int qv_align(const raster *seen, const frame *f, const grid *grids, int count, int of_map, double map[9]) {
    room rooms[2] = {{0}, {0}};
    int status = 0;
    for (int i = 0; i < count && status == 0; i++) {
        size_t parts = grids[i].halves ? 4 : 1;
        status = qv_settle_map(&grids[i], map) != 0 ? -1 : room_make(&rooms[i], parts * (size_t)grids[i].columns * (size_t)grids[i].rows);
    }
    double most = 1;
    for (int step = 0; step < STEPS && status == 0 && most >= SMALL_CHANGE; step++)
        status = step_map(seen, f, grids, rooms, count, of_map, map, &most);
    for (int i = 0; i < 2; i++) room_end(&rooms[i]);
    return status;
}
