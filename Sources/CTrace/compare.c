/*
 * A picture compared with the lightness of cells that somebody signed. The code beside it says where it stands: its modules first,
 * then modules and cells together (Gauss and Newton's method, as Lucas and Kanade register pictures, 1981).
 */
#include "matrix.h"
#include "raster.h"

#include <stdlib.h>
#include <string.h>

/* Unknowns: 8 of the map, and 7 of how lightness changed. */
enum { MAP = 8, TONES = 7, ALL = MAP + TONES };
/* Steps of the method, and the change of a map after which it ends. */
enum { STEPS = 15 };
static const double SMALL_CHANGE = 2e-5;
/* The usual difference of a module, in levels of lightness. */
static const double MODULE_NOISE = 20;
/* The samples of a cell across and down, one a pixel, but at least and at most so many. */
static const double SAMPLES_LEAST = 2, SAMPLES_MOST = 48;

/* Cells in rows and columns, with what is expected of them. */
typedef struct {
    int columns, rows;
    const double *across, *down;
    const float *expected; /* NULL: black or white, whichever is nearer */
    double noise;
    int has_tones;
    int halves;            /* cells are looked at in quarters */
} block;

/* Places from -1 to 1 for those from 0 to a length. */
typedef struct {
    double left, top, half_width, half_height;
} frame;

static void times(const double a[9], const double b[9], double out[9]) {
    double product[9] = {0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) product[3 * i + j] += a[3 * i + k] * b[3 * k + j];
        }
    }
    memcpy(out, product, sizeof product);
}

/* The mean lightness of each cell, or quarter of one; `shift` is added in pixels of the picture that is seen. */
static void sample(const raster *seen, const double map[9], const block *b, const double shift[2], float *out) {
    int parts = b->halves ? 2 : 1, across = b->columns * parts, down = b->rows * parts;
    for (int y = 0; y < down; y++) {
        double top = b->down[y / parts], high = (b->down[y / parts + 1] - top) / parts;
        top += high * (y % parts);
        for (int x = 0; x < across; x++) {
            double left = b->across[x / parts], wide = (b->across[x / parts + 1] - left) / parts;
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
static void look(const raster *seen, const double map[9], const block *b, room *r) {
    static const double no_shift[2] = {0, 0};
    int parts = b->halves ? 2 : 1, across = b->columns * parts, down = b->rows * parts;
    sample(seen, map, b, no_shift, r->seen);
    if (b->expected != NULL) {
        memcpy(r->expected, b->expected, (size_t)across * (size_t)down * sizeof(float));
    } else {
        /* Of modules, whole ones are decided. */
        for (int y = 0; y < b->rows; y++) {
            for (int x = 0; x < b->columns; x++) {
                float sum = 0;
                for (int k = 0; k < 4; k++) sum += r->seen[(size_t)(2 * y + k / 2) * (size_t)across + (size_t)(2 * x + k % 2)];
                r->soft_seen[(size_t)y * (size_t)b->columns + (size_t)x] = sum / 4;
            }
        }
        decide(r->soft_seen, b->columns, b->rows, r->soft_expected);
        for (int y = 0; y < down; y++) {
            for (int x = 0; x < across; x++)
                r->expected[(size_t)y * (size_t)across + (size_t)x] =
                    r->soft_expected[(size_t)(y / 2) * (size_t)b->columns + (size_t)(x / 2)];
        }
    }
    soften(r->seen, across, down, r->soft_seen);
    soften(r->expected, across, down, r->soft_expected);
}

/* The place of the middle of a cell or quarter in a frame. */
static void place(const block *b, const frame *f, int x, int y, double *at_x, double *at_y) {
    int parts = b->halves ? 2 : 1;
    double left = b->across[x / parts], right = b->across[x / parts + 1];
    double top = b->down[y / parts], bottom = b->down[y / parts + 1];
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
static void add_equations(const block *b, const frame *f, const room *r, const double change[ALL], qv_system a) {
    int parts = b->halves ? 2 : 1, across = b->columns * parts, down = b->rows * parts;
    double wide = (b->across[b->columns] - b->across[0]) / across / f->half_width;
    double high = (b->down[b->rows] - b->down[0]) / down / f->half_height;
    for (int y = 0; y < down; y++) {
        for (int x = 0; x < across; x++) {
            size_t at = (size_t)y * (size_t)across + (size_t)x;
            int left = x > 0, right = x < across - 1, top = y > 0, bottom = y < down - 1;
            double value = r->soft_seen[at];
            double by_x = (r->soft_seen[at + (size_t)right] - r->soft_seen[at - (size_t)left]) / (wide * (left + right + (left + right == 0)));
            double by_y = (r->soft_seen[at + (size_t)bottom * (size_t)across] - r->soft_seen[at - (size_t)top * (size_t)across]) /
                (high * (top + bottom + (top + bottom == 0)));
            double at_x, at_y, slope[ALL];
            place(b, f, x, y, &at_x, &at_y);
            slopes(at_x, at_y, by_x, by_y, value, b->has_tones, slope);
            double difference = r->soft_expected[at] - value, left_over = difference;
            for (int k = 0; k < ALL; k++) left_over -= slope[k] * change[k];
            double usual = left_over / (3 * b->noise), weight = 1 / (b->noise * b->noise * (1 + usual * usual));
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

/* Moves a map until blocks fit best. */
static int refine(const raster *seen, const frame *f, const block *blocks, room *rooms, int count, int of_map, double map[9]) {
    const double to_places[9] = {f->half_width, 0, f->left + f->half_width, 0, f->half_height, f->top + f->half_height, 0, 0, 1};
    const double from_places[9] = {
        1 / f->half_width, 0, -f->left / f->half_width - 1, 0, 1 / f->half_height, -f->top / f->half_height - 1, 0, 0, 1};
    for (int step = 0; step < STEPS; step++) {
        double change[ALL] = {0};
        for (int i = 0; i < count; i++) look(seen, map, &blocks[i], &rooms[i]);
        for (int round = 0; round < 3; round++) {
            qv_system a = {{0}};
            for (int i = 0; i < count; i++) add_equations(&blocks[i], f, &rooms[i], change, a);
            if (solve(a, of_map, change) != 0) return -1;
        }
        const double moved[9] = {1 + change[0], change[1], change[2], change[3], 1 + change[4], change[5], change[6], change[7], 1};
        times(map, to_places, map);
        times(map, moved, map);
        times(map, from_places, map);
        double most = 0;
        for (int k = 0; k < MAP; k++) most = fmax(most, fabs(change[k]));
        if (!(most < 1) || fabs(map[8]) < 1e-9) return -1;
        for (int k = 0; k < 9; k++) map[k] /= map[8];
        if (most < SMALL_CHANGE) break;
    }
    return 0;
}

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

/* Tones of the final comparison: those of the method, and the square of lightness. */
enum { FINAL_TONES = TONES + 1 };

static void tones_at(double x, double y, double value, double out[FINAL_TONES]) {
    const double all[FINAL_TONES] = {1, x, y, x * y, value, value * x, value * y, value * value / 255};
    memcpy(out, all, sizeof all);
}

/* What changes seen lightness into that which was signed. */
static int fit_tones(const block *b, const frame *f, const float *seen, double tones[FINAL_TONES]) {
    memset(tones, 0, FINAL_TONES * sizeof *tones);
    tones[4] = 1;
    for (int round = 0; round < 6; round++) {
        qv_system a = {{0}};
        for (int i = 0; i < b->columns * b->rows; i++) {
            double x, y, t[FINAL_TONES], left_over = b->expected[i];
            place(b, f, i % b->columns, i / b->columns, &x, &y);
            tones_at(x, y, seen[i], t);
            for (int k = 0; k < FINAL_TONES; k++) left_over -= t[k] * tones[k];
            double usual = round == 0 ? 0 : left_over / (2 * b->noise), weight = 1 / (1 + usual * usual);
            for (int j = 0; j < FINAL_TONES; j++) {
                for (int k = 0; k < FINAL_TONES; k++) a[j][k] += weight * t[j] * t[k];
                a[j][FINAL_TONES] += weight * t[j] * b->expected[i];
            }
        }
        for (int k = 0; k < FINAL_TONES; k++) a[k][k] = a[k][k] * (1 + 1e-9) + 1e-9;
        if (qv_solve(a, FINAL_TONES) != 0) return -1;
        for (int k = 0; k < FINAL_TONES; k++) tones[k] = a[k][FINAL_TONES];
    }
    return 0;
}

static double toned(const block *b, const frame *f, const double tones[FINAL_TONES], int cell, double value) {
    double x, y, t[FINAL_TONES], sum = 0;
    place(b, f, cell % b->columns, cell / b->columns, &x, &y);
    tones_at(x, y, value, t);
    for (int k = 0; k < FINAL_TONES; k++) sum += t[k] * tones[k];
    return sum;
}

/* The largest difference of what is expected of a cell and of its neighbours. */
static double roughness(const block *b, int cell) {
    int x = cell % b->columns, y = cell / b->columns;
    double most = 0;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            if (x + i < 0 || x + i >= b->columns || y + j < 0 || y + j >= b->rows) continue;
            most = fmax(most, fabs((double)b->expected[cell] - b->expected[cell + j * b->columns + i]));
        }
    }
    return most;
}

static double correlation(const float *a, const float *b, int count) {
    double sums[5] = {0};
    for (int i = 0; i < count; i++) {
        sums[0] += a[i];
        sums[1] += b[i];
        sums[2] += (double)a[i] * a[i];
        sums[3] += (double)b[i] * b[i];
        sums[4] += (double)a[i] * b[i];
    }
    double left = sums[2] - sums[0] * sums[0] / count, right = sums[3] - sums[1] * sums[1] / count;
    return left <= 1e-3 || right <= 1e-3 ? 0 : (sums[4] - sums[0] * sums[1] / count) / sqrt(left * right);
}

/* The part of the cells that lie within the picture that is seen. */
static double reach_of(const raster *seen, const double map[9], const block *b) {
    int within = 0;
    for (int i = 0; i < b->columns * b->rows; i++) {
        double u, v;
        qv_apply(map, (b->across[i % b->columns] + b->across[i % b->columns + 1]) / 2,
                 (b->down[i / b->columns] + b->down[i / b->columns + 1]) / 2, &u, &v);
        within += u >= 0 && v >= 0 && u < seen->width && v < seen->height;
    }
    return (double)within / (b->columns * b->rows);
}

/* How far lightness lies beyond what a level stands for. */
static double beyond(double lightness, double expected, double step) { return fmax(0, fabs(lightness - expected) - step / 2); }

/* The moves that a slow bend of the paper may give to cells, across and down, and the cells around that are moved alike. */
enum { MOVES = 5, AROUND = 2 };
static const double LEAST_MOVE = 0.75, MOVE_OF_CELL = 0.03;

/* How far each cell lies beyond its level, where the cells around it are moved so that all together lie least beyond theirs. */
static int settle(
    const raster *seen, const double map[9], const block *cells, const frame *f, const double tones[FINAL_TONES], double step,
    room *r, qv_agreement *out) {
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
        sample(seen, map, cells, shift, r->seen);
        for (size_t i = 0; i < count; i++)
            far[(size_t)k * count + i] = (float)beyond(toned(cells, f, tones, (int)i, r->seen[i]), cells->expected[i], step);
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
    const raster *seen, const double map[9], const frame *f, const block *cells, double step, room *r, qv_agreement *out) {
    static const double no_shift[2] = {0, 0};
    int count = cells->columns * cells->rows;
    double tones[FINAL_TONES];
    sample(seen, map, cells, no_shift, r->seen);
    if (fit_tones(cells, f, r->seen, tones) != 0) return -1;
    for (int i = 0; i < count; i++) r->expected[i] = (float)toned(cells, f, tones, i, r->seen[i]);
    out->correlation = correlation(r->expected, cells->expected, count);
    if (settle(seen, map, cells, f, tones, step, r, out) != 0) return -1;
    int rough = 0;
    for (int i = 0; i < count; i++) {
        double edge = roughness(cells, i);
        r->soft_seen[i] = out->differences[i];
        if (edge > 2 * step) r->soft_expected[rough++] = (float)(out->differences[i] / edge);
    }
    double usual = quantile(r->soft_seen, count, USUAL), by_edge = rough < 20 ? 0.02 : quantile(r->soft_expected, rough, USUAL);
    for (int i = 0; i < count; i++) {
        double edge = by_edge * roughness(cells, i);
        out->differences[i] /= (float)sqrt(usual * usual + LEAST_OF_STEP * LEAST_OF_STEP * step * step + ROUNDING * ROUNDING + edge * edge);
    }
    return 0;
}

int qv_compare(const qv_gray *gray, const qv_signed_picture *s, qv_agreement *out) {
    const raster seen = {gray->width, gray->height, (float *)gray->values};
    size_t cells = (size_t)s->columns * (size_t)s->rows, modules = (size_t)s->modules * (size_t)s->modules;
    double *places = malloc(((size_t)s->modules + 1) * 2 * sizeof *places);
    float *expected = malloc(cells * sizeof *expected);
    room rooms[2] = {{0}, {0}};
    int status = -1;
    if (places == NULL || expected == NULL || room_make(&rooms[0], 4 * modules) != 0 || room_make(&rooms[1], cells) != 0) goto end;
    for (int i = 0; i <= s->modules; i++) {
        places[i] = s->code_left + s->module * i;
        places[s->modules + 1 + i] = s->code_top + s->module * i;
    }
    for (size_t i = 0; i < cells; i++) expected[i] = (float)(s->low + s->step * s->levels[i]);
    const block blocks[2] = {
        {.columns = s->modules, .rows = s->modules, .across = places, .down = places + s->modules + 1, .noise = MODULE_NOISE, .halves = 1},
        {.columns = s->columns, .rows = s->rows, .across = s->across, .down = s->down, .expected = expected,
         .noise = fmax(s->step / 2, 3), .has_tones = 1},
    };
    double side = s->module * s->modules, map[9];
    const frame code = {s->code_left, s->code_top, side / 2, side / 2}, picture = {0, 0, s->width / 2, s->height / 2};
    const frame whole = {0, 0, s->width / 2, (s->code_top + side) / 2};
    /* From the code's corners, at places from -1 to 1, to those in the picture that is seen. */
    const double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    double points[4][4], fitted[9], longer = gray->width > gray->height ? gray->width : gray->height;
    for (int i = 0; i < 4; i++) {
        points[i][0] = corners[i][0];
        points[i][1] = corners[i][1];
        points[i][2] = s->corners[2 * i] / longer;
        points[i][3] = s->corners[2 * i + 1] / longer;
    }
    if (qv_fit((const double (*)[4])points, NULL, 4, fitted) != 0) goto end;
    const double grow[9] = {longer, 0, 0, 0, longer, 0, 0, 0, 1};
    const double inward[9] = {
        1 / code.half_width, 0, -code.left / code.half_width - 1, 0, 1 / code.half_height, -code.top / code.half_height - 1, 0, 0, 1};
    times(grow, fitted, map);
    times(map, inward, map);
    if (fabs(map[8]) < 1e-9) goto end;
    for (int k = 0; k < 9; k++) map[k] /= map[8];
    if (refine(&seen, &code, blocks, rooms, 1, 6, map) != 0 || refine(&seen, &code, blocks, rooms, 1, 8, map) != 0) goto end;
    if (refine(&seen, &whole, blocks, rooms, 2, 8, map) != 0) goto end;
    out->reach = reach_of(&seen, map, &blocks[1]);
    status = differences(&seen, map, &picture, &blocks[1], s->step, &rooms[1], out);
end:
    free(places);
    free(expected);
    room_end(&rooms[0]);
    room_end(&rooms[1]);
    return status;
}
