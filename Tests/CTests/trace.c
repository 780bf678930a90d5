/* CTrace: pictures laid over each other, and signals, against the plain formulas. */
#include "check.h"
#include "ctrace.h"

#include <math.h>

static float *values_of(size_t count) {
    float *values = calloc(count, sizeof *values);
    CHECK(values != NULL);
    return values;
}

/* A surface with corners everywhere: patches of random lightness, smoothly lit. */
static double surface(double x, double y) {
    uint64_t state = (uint64_t)((int64_t)floor(x / 17) * 7919 + (int64_t)floor(y / 13) * 104729);
    return 60 + (double)(check_random(&state) % 120) + 20 * sin(x / 90) + 15 * cos(y / 70);
}

/* Where a place of the original lies in the leak: scaled, turned and in perspective. */
typedef struct {
    double h[9];
} projection;

static void project(const projection *p, double x, double y, double *u, double *v) {
    double w = p->h[6] * x + p->h[7] * y + p->h[8];
    *u = (p->h[0] * x + p->h[1] * y + p->h[2]) / w;
    *v = (p->h[3] * x + p->h[4] * y + p->h[5]) / w;
}

static projection inverse(const projection *p) {
    const double *h = p->h;
    return (projection){{h[4] * h[8] - h[5] * h[7], h[2] * h[7] - h[1] * h[8], h[1] * h[5] - h[2] * h[4],
                         h[5] * h[6] - h[3] * h[8], h[0] * h[8] - h[2] * h[6], h[2] * h[3] - h[0] * h[5],
                         h[3] * h[7] - h[4] * h[6], h[1] * h[6] - h[0] * h[7], h[0] * h[4] - h[1] * h[3]}};
}

/* The surface as a picture; `from` takes a pixel to its place in the surface. */
static float *taken(int width, int height, const projection *from) {
    float *values = values_of((size_t)width * (size_t)height);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            double sum = 0;
            for (int k = 0; k < 4; k++) {
                double u, v;
                project(from, x + 0.25 + 0.5 * (k % 2), y + 0.25 + 0.5 * (k / 2), &u, &v);
                sum += surface(u, v);
            }
            values[y * width + x] = (float)(sum / 4);
        }
    }
    return values;
}

static const projection identity = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};

/* How far a registration is off, in pixels of the leak: the most at places of a grid. */
static double error_of(const qv_registration *found, const projection *wanted, int width, int height) {
    double most = 0;
    const projection map = {{found->map[0], found->map[1], found->map[2], found->map[3], found->map[4], found->map[5],
                             found->map[6], found->map[7], found->map[8]}};
    for (int k = 0; k < 25; k++) {
        double x = width * (k % 5 + 0.5) / 5, y = height * (k / 5 + 0.5) / 5, u, v, wanted_u, wanted_v;
        project(&map, x, y, &u, &v);
        project(wanted, x, y, &wanted_u, &wanted_v);
        most = fmax(most, hypot(u - wanted_u, v - wanted_v));
    }
    return most;
}

/* A leak is found by itself, and by its corners; laid over the original it is the original. */
static void test_register(void) {
    enum { WIDE = 520, HIGH = 390, LEAK_WIDE = 480, LEAK_HIGH = 420 };
    static const projection ways[] = {
        {{0.8, 0, 20, 0, 0.8, 30, 0, 0, 1}},
        {{0.75, -0.13, 60, 0.13, 0.75, 12, 0, 0, 1}},
        {{0.80, 0.05, 15, -0.04, 0.85, 40, 0.00008, -0.00005, 1}},
    };
    float *pixels = taken(WIDE, HIGH, &identity), *out = values_of(WIDE * HIGH);
    const qv_gray original = {WIDE, HIGH, pixels};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const projection back = inverse(&ways[i]);
        float *shot = taken(LEAK_WIDE, LEAK_HIGH, &back);
        const qv_gray leak = {LEAK_WIDE, LEAK_HIGH, shot};
        qv_keypoints *known = qv_keypoints_of(&leak);
        CHECK(known != NULL);
        double corners[8];
        for (int k = 0; k < 4; k++) {
            static const int x[] = {0, WIDE, WIDE, 0}, y[] = {0, 0, HIGH, HIGH};
            project(&ways[i], x[k], y[k], &corners[2 * k], &corners[2 * k + 1]);
            corners[2 * k] += k % 2 ? 3 : -2;
        }
        for (int is_told = 0; is_told < 2; is_told++) {
            qv_registration found;
            CHECK(qv_register(&original, &leak, NULL, is_told ? corners : NULL, &found) == QV_REGISTERED);
            qv_registration again;
            CHECK(qv_register(&original, &leak, known, is_told ? corners : NULL, &again) == QV_REGISTERED);
            CHECK(memcmp(&again, &found, sizeof found) == 0);
            CHECK(is_told ? found.matches == 4 : found.matches >= 12);
            CHECK(error_of(&found, &ways[i], WIDE, HIGH) < 0.5 && found.residual < 0.5);
            CHECK(found.fit > 0.7);
            qv_lay_over(&original, &leak, &found, out);
            double sum = 0, count = 0;
            for (int k = 0; k < WIDE * HIGH; k++) {
                if (out[k] < 0) continue;
                sum += fabsf(out[k] - pixels[k]);
                count++;
            }
            CHECK(count > 0.85 * WIDE * HIGH && sum / count < 6);
        }
        qv_keypoints_free(known);
        free(shot);
    }
    free(pixels);
    free(out);
}

static void test_no_match(void) {
    enum { WIDE = 300, HIGH = 200 };
    float *pixels = taken(WIDE, HIGH, &identity), *flat = values_of(WIDE * HIGH), *other = values_of(WIDE * HIGH);
    uint64_t state = 51;
    for (int i = 0; i < WIDE * HIGH; i++) flat[i] = 128, other[i] = (float)(check_random(&state) % 256);
    const qv_gray original = {WIDE, HIGH, pixels}, nothing = {WIDE, HIGH, flat}, noise = {WIDE, HIGH, other};
    const qv_gray speck = {1, 1, flat}, line = {WIDE, 1, flat};
    qv_registration found;
    CHECK(qv_register(&original, &nothing, NULL, NULL, &found) == QV_REGISTER_NO_MATCH);
    CHECK(qv_register(&nothing, &original, NULL, NULL, &found) == QV_REGISTER_NO_MATCH);
    CHECK(qv_register(&original, &noise, NULL, NULL, &found) == QV_REGISTER_NO_MATCH);
    CHECK(qv_register(&original, &speck, NULL, NULL, &found) == QV_REGISTER_NO_MATCH);
    CHECK(qv_register(&line, &original, NULL, NULL, &found) == QV_REGISTER_NO_MATCH);
    /* Corners that are elsewhere: it does not fit. */
    const double aside[8] = {40, 30, WIDE - 10, 55, WIDE - 30, HIGH - 5, 20, HIGH - 45};
    CHECK(qv_register(&original, &noise, NULL, aside, &found) == QV_REGISTERED && found.fit < 0.4);
    /* Corners in a line, and a mirror. */
    const double straight[8] = {0, 0, 100, 100, 200, 200, 300, 300}, mirrored[8] = {WIDE, 0, 0, 0, 0, HIGH, WIDE, HIGH};
    CHECK(qv_register(&original, &original, NULL, straight, &found) == QV_REGISTER_NO_MATCH);
    CHECK(qv_register(&original, &original, NULL, mirrored, &found) == QV_REGISTER_NO_MATCH);
    free(pixels);
    free(flat);
    free(other);
}

/* With nothing but whole steps each pixel is one of the leak's. */
static void test_lay_over(void) {
    enum { WIDE = 40, HIGH = 30 };
    uint64_t state = 53;
    float *leak_values = values_of(WIDE * HIGH), out[WIDE * HIGH];
    for (int i = 0; i < WIDE * HIGH; i++) leak_values[i] = (float)(check_random(&state) % 256);
    const qv_gray leak = {WIDE, HIGH, leak_values};
    qv_registration where = {.map = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int move = -3; move <= 3; move++) {
        for (int k = 0; k < QV_MOVES_ACROSS * QV_MOVES_DOWN; k++) {
            where.moves[k / QV_MOVES_ACROSS][k % QV_MOVES_ACROSS][0] = (float)move;
        }
        where.map[5] = 2 * move;
        qv_lay_over(&leak, &leak, &where, out);
        for (int y = 0; y < HIGH; y++) {
            for (int x = 0; x < WIDE; x++) {
                int from_x = x + move, from_y = y + 2 * move;
                int is_inside = from_x >= 1 && from_y >= 1 && from_x < WIDE - 1 && from_y < HIGH - 1;
                if (is_inside) CHECK(fabsf(out[y * WIDE + x] - leak_values[from_y * WIDE + from_x]) < 0.5f);
                if (from_x < 0 || from_y < 0 || from_x >= WIDE || from_y >= HIGH) CHECK(out[y * WIDE + x] == -1);
            }
        }
    }
    /* A map without a place, and one to nowhere. */
    const projection bad[] = {{{0}}, {{1, 0, 1e300, 0, 1, 0, 0, 0, 1}}, {{1, 0, 0, 0, 1, 0, 0, 0, 1e-300}}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memcpy(where.map, bad[i].h, sizeof where.map);
        qv_lay_over(&leak, &leak, &where, out);
        for (int k = 0; k < WIDE * HIGH; k++) CHECK(out[k] == -1);
    }
    free(leak_values);
}

/* The mean within a box around a pixel, of what is inside the picture. */
static double mean_around(const double *values, int width, int height, int pixel, int reach) {
    int x = pixel % width, y = pixel / width;
    double sum = 0;
    int rows = 0;
    for (int j = y - reach; j <= y + reach; j++) {
        double line = 0;
        int count = 0;
        for (int i = x - reach; i <= x + reach; i++) {
            if (i >= 0 && j >= 0 && i < width && j < height) line += values[j * width + i], count++;
        }
        if (count > 0) sum += line / count, rows++;
    }
    return sum / rows;
}

/* One tone is expected everywhere: matching takes the mean away, and the rest are means around. */
static void test_difference(void) {
    enum { WIDE = 37, HIGH = 29, REACH = 5, COUNT = WIDE * HIGH };
    uint64_t state = 57;
    float expected[COUNT], laid[COUNT], out[COUNT], certainty[COUNT];
    double off[COUNT], inside[COUNT], squares[COUNT], mean = 0, count = 0;
    for (int i = 0; i < COUNT; i++) {
        expected[i] = 127.5f; /* tone 16 of 32 */
        laid[i] = i % 11 == 0 ? -1 : (float)(check_random(&state) % 90) + 60 + (i == 500 ? 4000 : 0);
        if (laid[i] >= 0) mean += laid[i], count++;
    }
    const qv_gray picture = {WIDE, HIGH, expected};
    CHECK(qv_difference(&picture, laid, REACH, out, certainty) == 0);
    for (int i = 0; i < COUNT; i++) inside[i] = laid[i] >= 0, off[i] = laid[i] < 0 ? 0 : laid[i] - mean / count;
    for (int i = 0; i < COUNT; i++) {
        double slow = mean_around(off, WIDE, HIGH, i, REACH) / mean_around(inside, WIDE, HIGH, i, REACH);
        squares[i] = laid[i] < 0 ? 0 : (off[i] - slow) * (off[i] - slow);
        expected[i] = laid[i] < 0 ? 0 : (float)(off[i] - slow);
    }
    for (int i = 0; i < COUNT; i++) {
        double around = mean_around(squares, WIDE, HIGH, i, REACH) / mean_around(inside, WIDE, HIGH, i, REACH);
        double usual = sqrt(around) + 1, wanted = fmin(fmax(expected[i], -2 * usual), 2 * usual) / (usual * usual);
        CHECK(fabs(out[i] - wanted) < 1e-3 * (1 + fabs(wanted)));
        CHECK(fabs(certainty[i] - (laid[i] < 0 ? 0 : 1 / (usual * usual))) < 1e-4);
        CHECK(laid[i] >= 0 || out[i] == 0);
    }
    /* Nothing is left of a leak that is as expected, whatever its tones are; and nothing of none. */
    for (int i = 0; i < COUNT; i++) expected[i] = (float)(i % 4) * 255 / 32, laid[i] = 250 - expected[i] * 3;
    CHECK(qv_difference(&picture, laid, REACH, out, certainty) == 0);
    for (int i = 0; i < COUNT; i++) CHECK(fabsf(out[i]) < 1e-3f);
    for (int i = 0; i < COUNT; i++) laid[i] = -1;
    CHECK(qv_difference(&picture, laid, REACH, out, certainty) == 0);
    for (int i = 0; i < COUNT; i++) CHECK(out[i] == 0);
}

/* A sum by chips, relative to the chips around, in deviations of what is usual around, limited, and weighed. */
static void test_correlate(void) {
    enum { WIDE = 50, HIGH = 31, MOST = 16 * 16 };
    uint64_t state = 59;
    float difference[WIDE * HIGH], certainty[WIDE * HIGH], slope[WIDE * HIGH], out[MOST];
    for (int i = 0; i < WIDE * HIGH; i++) {
        difference[i] = (float)(check_random(&state) % 200) - 100 + (i == 700 ? 40000 : 0);
        certainty[i] = (float)(check_random(&state) % 50) / 100;
        /* Some places tell nothing. */
        slope[i] = i % WIDE < 9 && i / WIDE < 9 ? 0 : (float)(check_random(&state) % 21) / 10 - 1;
    }
    static const double sides[] = {1e9, 50, 7.5, 4};
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
        const qv_gray size = {WIDE, HIGH, NULL};
        const qv_cells cells = {(int)ceil(WIDE / sides[k]), (int)ceil(HIGH / sides[k]), sides[k]};
        int count = cells.across * cells.down;
        double found[MOST] = {0}, whole[MOST] = {0}, off[MOST] = {0}, squares[MOST] = {0}, tells[MOST] = {0};
        for (int i = 0; i < WIDE * HIGH; i++) {
            double x = fmin(fmax((i % WIDE + 0.5) / cells.side - 0.5, 0), cells.across - 1);
            double y = fmin(fmax((i / WIDE + 0.5) / cells.side - 0.5, 0), cells.down - 1);
            for (int c = 0; c < count; c++) {
                double far_x = fabs(x - c % cells.across), far_y = fabs(y - c / cells.across);
                if (far_x >= 1 || far_y >= 1 || certainty[i] == 0) continue;
                found[c] += (double)difference[i] * slope[i] * (1 - far_x) * (1 - far_y);
                whole[c] += (double)slope[i] * slope[i] * certainty[i] * (1 - far_x) * (1 - far_y);
            }
        }
        for (int c = 0; c < count; c++) {
            double around = mean_around(found, cells.across, cells.down, c, 2) / mean_around(whole, cells.across, cells.down, c, 2);
            if (whole[c] > 0) off[c] = (found[c] - whole[c] * around) / sqrt(whole[c]);
            squares[c] = off[c] * off[c], tells[c] = whole[c] > 0;
        }
        memset(out, 0xFF, sizeof out);
        CHECK(qv_correlate(&size, difference, certainty, slope, &cells, out) == 0);
        for (int c = 0; c < count; c++) {
            double usual = sqrt(mean_around(squares, cells.across, cells.down, c, 3) / mean_around(tells, cells.across, cells.down, c, 3));
            double wanted = count == 1 || whole[c] == 0 ? 0 : fmin(fmax(off[c] / usual, -2.5), 2.5) * sqrt(whole[c]);
            /* One cell alone has nothing beside it: what is left are errors of rounding. */
            CHECK(count == 1 || fabs(out[c] - wanted) < 0.02 * (1 + fabs(wanted)));
        }
    }
}

/* What is flat in the leak alone is taken out; what is flat in both, or in none, stays. */
static void test_drop_flat(void) {
    enum { WIDE = 120, HIGH = 40 };
    uint64_t state = 67;
    float expected[WIDE * HIGH], laid[WIDE * HIGH];
    for (int i = 0; i < WIDE * HIGH; i++) {
        int part = i % WIDE / 40;
        float noise = (float)(check_random(&state) % 60);
        expected[i] = part == 2 ? 200 : 100 + noise;
        laid[i] = part == 1 || part == 2 ? 150 : 80 + noise;
    }
    laid[20 * WIDE + 5] = -1;
    const qv_gray picture = {WIDE, HIGH, expected};
    CHECK(qv_drop_flat(&picture, laid) == 0);
    for (int i = 0; i < WIDE * HIGH; i++) {
        int x = i % WIDE;
        if (i == 20 * WIDE + 5) CHECK(laid[i] == -1);
        else if (x < 30 || x >= 90) CHECK(laid[i] >= 0);
        else if (x >= 50 && x < 70) CHECK(laid[i] == -1);
    }
}

static void test_scores(void) {
    uint64_t state = 61;
    for (size_t count = 0; count <= 100; count++) {
        size_t bytes = (count + 7) / 8;
        float cells[100], *table = values_of(bytes * 256 + 1);
        uint8_t chips[13];
        double squares = 0;
        for (size_t k = 0; k < count; k++) {
            cells[k] = (float)(check_random(&state) % 2001) - 1000;
            squares += (double)cells[k] * cells[k];
        }
        table[bytes * 256] = 7;
        qv_prepare_scores(cells, count, table);
        CHECK(table[bytes * 256] == 7);
        for (int round = 0; round < 20; round++) {
            double sum = 0;
            check_fill(&state, chips, sizeof chips);
            for (size_t k = 0; k < count; k++) sum += chips[k / 8] >> (7 - k % 8) & 1 ? cells[k] : -cells[k];
            double score = qv_score(table, bytes, chips);
            CHECK(fabs(score - (squares > 0 ? sum / sqrt(squares) : 0)) < 1e-4);
            CHECK(round > 0 || qv_score(table, 0, chips) == 0);
        }
        memset(cells, 0, sizeof cells);
        qv_prepare_scores(cells, count, table);
        CHECK(qv_score(table, bytes, chips) == 0);
        free(table);
    }
}

/* A picture with a code of random modules beneath it, on white. */
enum { SIGNED_WIDE = 640, SIGNED_HIGH = 400, MODULE = 5, MODULES = 41, CODE_LEFT = 400, CODE_TOP = 420, SHEET_HIGH = 660 };
enum { COLUMNS = 32, ROWS = 20, LOW = 24, STEP = 13 };

static double sheet(double x, double y) {
    if (x >= 0 && y >= 0 && x < SIGNED_WIDE && y < SIGNED_HIGH) return surface(x, y);
    int column = (int)floor((x - CODE_LEFT) / MODULE), row = (int)floor((y - CODE_TOP) / MODULE);
    if (column < 0 || row < 0 || column >= MODULES || row >= MODULES) return 255;
    uint64_t state = (uint64_t)(column * 7919 + row * 104729 + 5);
    return check_random(&state) % 2 ? 255 : 0;
}

/* The sheet as it is seen, `from` taking a pixel to its place; `changed` lies in one cell, gain and shade over all. */
static float *sheet_taken(int width, int height, const projection *from, double change, double gain) {
    float *values = values_of((size_t)width * (size_t)height);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            double sum = 0;
            for (int k = 0; k < 16; k++) {
                double u, v;
                project(from, x + (k % 4 + 0.5) / 4, y + (k / 4 + 0.5) / 4, &u, &v);
                sum += sheet(u, v) + (u >= 100 && u < 120 && v >= 200 && v < 220 ? change : 0);
            }
            values[y * width + x] = (float)(sum / 16 * gain + 10.0 * x / width);
        }
    }
    return values;
}

/* A signed picture is itself, however it is seen; a cell that was changed is found, and another picture is another. */
static void test_compare(void) {
    double across[COLUMNS + 1], down[ROWS + 1];
    uint8_t levels[COLUMNS * ROWS];
    float *differences = values_of(COLUMNS * ROWS);
    for (int i = 0; i <= COLUMNS; i++) across[i] = 20.0 * i;
    for (int i = 0; i <= ROWS; i++) down[i] = 20.0 * i;
    for (int i = 0; i < COLUMNS * ROWS; i++) {
        double sum = 0;
        for (int k = 0; k < 400; k++) sum += surface(across[i % COLUMNS] + k % 20 + 0.5, down[i / COLUMNS] + k / 20 + 0.5);
        levels[i] = (uint8_t)fmin(15, fmax(0, floor((sum / 400 - LOW) / STEP + 0.5)));
    }
    static const projection ways[] = {
        {{1, 0, 0, 0, 1, 0, 0, 0, 1}},
        {{0.8, 0, 20, 0, 0.8, 30, 0, 0, 1}},
        {{0.75, -0.13, 90, 0.13, 0.75, 12, 0, 0, 1}},
        {{0.80, 0.05, 15, -0.04, 0.85, 40, 0.00008, -0.00005, 1}},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const projection back = inverse(&ways[i]);
        for (int is_changed = 0; is_changed < 2; is_changed++) {
            float *seen = sheet_taken(700, 700, &back, is_changed ? 40 : 0, 0.9);
            const qv_gray gray = {700, 700, seen};
            qv_signed_picture wanted = {
                .width = SIGNED_WIDE, .height = SIGNED_HIGH, .columns = COLUMNS, .rows = ROWS, .across = across, .down = down,
                .levels = levels, .low = LOW, .step = STEP, .code_left = CODE_LEFT, .code_top = CODE_TOP, .module = MODULE,
                .modules = MODULES};
            for (int k = 0; k < 4; k++) {
                double x = CODE_LEFT + (k == 1 || k == 2 ? MODULE * MODULES : 0), y = CODE_TOP + (k > 1 ? MODULE * MODULES : 0);
                project(&ways[i], x, y, &wanted.corners[2 * k], &wanted.corners[2 * k + 1]);
                wanted.corners[2 * k] += k % 2 ? 1 : -1;
            }
            qv_agreement found = {.differences = differences};
            CHECK(qv_compare(&gray, &wanted, &found) == 0 && found.correlation > 0.98 && found.reach == 1);
            CHECK(fabs(found.scale / hypot(ways[i].h[0], ways[i].h[3]) - 1) < 0.1);
            for (int k = 0; k < COLUMNS * ROWS; k++) {
                int is_cell = k == 10 * COLUMNS + 5;
                CHECK((differences[k] >= QV_CHANGED) == (is_cell && is_changed));
            }
            /* Levels of another picture, in a shuffled order. */
            uint8_t others[COLUMNS * ROWS];
            for (int k = 0; k < COLUMNS * ROWS; k++) others[k] = levels[(k * 7 + 3) % (COLUMNS * ROWS)];
            wanted.levels = others;
            CHECK(qv_compare(&gray, &wanted, &found) != 0 || found.correlation < 0.8 || found.reach < 0.98 || !found.has_tones);
            wanted.levels = levels;
            for (int k = 0; k < 8; k++) wanted.corners[k] = 5;
            CHECK(qv_compare(&gray, &wanted, &found) != 0 || !(found.correlation > 0.9));
            free(seen);
        }
    }
    free(differences);
}

int main(void) {
    test_register();
    test_no_match();
    test_lay_over();
    test_drop_flat();
    test_difference();
    test_correlate();
    test_scores();
    test_compare();
    return check_end("trace");
}
