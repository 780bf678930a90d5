/* Registration: matching places give a homography, the pictures themselves refine it. */
#include "keypoints.h"
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

/* Long sides, in pixels: for keypoints, and for the steps of the refinement. */
enum { KEYPOINT_SIDE = 1200, TRIES = 3000, LEAST_MATCHES = 12 };
static const int SIDES[] = {400, 800, 1600};
/* Matches agree within this part of the long side. */
static const double NEAR = 0.006;

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static int agree(const double h[9], const double (*pairs)[4], int count, double near, unsigned char *keep) {
    int number = 0;
    for (int i = 0; i < count; i++) {
        double u, v;
        qv_apply(h, pairs[i][0], pairs[i][1], &u, &v);
        keep[i] = hypot(u - pairs[i][2], v - pairs[i][3]) < near;
        number += keep[i];
    }
    return number;
}

/* A map of a picture is no mirror, no line, and shrinks or grows by less than a factor of 12. */
static int is_plausible(const double h[9]) {
    double corners[4][2] = {{0.02, 0.02}, {0.98, 0.02}, {0.98, 0.6}, {0.02, 0.6}}, at[4][2];
    for (int i = 0; i < 4; i++) {
        if (h[6] * corners[i][0] + h[7] * corners[i][1] + h[8] <= 0.05) return 0;
        qv_apply(h, corners[i][0], corners[i][1], &at[i][0], &at[i][1]);
    }
    double area = 0;
    for (int i = 0; i < 4; i++) {
        int j = (i + 1) % 4, k = (i + 2) % 4;
        area += at[i][0] * at[j][1] - at[j][0] * at[i][1];
        double turn = (at[j][0] - at[i][0]) * (at[k][1] - at[j][1]) - (at[j][1] - at[i][1]) * (at[k][0] - at[j][0]);
        if (turn <= 0) return 0;
    }
    area /= 2 * 0.96 * 0.58;
    return area > 1 / 144.0 && area < 144;
}

/* The homography that most pairs agree with (Fischler and Bolles, 1981); how many do, or -1. */
static int find_map(const double (*pairs)[4], int count, double h[9]) {
    unsigned char *keep = malloc((size_t)count + 1), *best_keep = calloc((size_t)count + 1, 1);
    int best = 0;
    uint64_t state = 7;
    for (int try = 0; try < TRIES && count >= 4 && keep != NULL && best_keep != NULL; try++) {
        double four[4][4], trial[9];
        for (int i = 0; i < 4; i++) memcpy(four[i], pairs[next_random(&state) % (uint64_t)count], sizeof four[i]);
        if (qv_fit(four, NULL, 4, trial) != 0 || !is_plausible(trial)) continue;
        int number = agree(trial, pairs, count, NEAR, keep);
        if (number <= best) continue;
        best = number;
        memcpy(best_keep, keep, (size_t)count);
        memcpy(h, trial, 9 * sizeof *h);
    }
    for (int round = 0; round < 3 && best >= 8; round++) {
        double better[9];
        if (qv_fit(pairs, best_keep, count, better) != 0 || !is_plausible(better)) break;
        memcpy(h, better, sizeof better);
        best = agree(h, pairs, count, NEAR, best_keep);
    }
    if (keep == NULL || best_keep == NULL) best = -1;
    free(keep);
    free(best_keep);
    return best;
}

/* A picture without its slow light: the difference from what is around, over how far pixels there differ. */
static raster sharpened(const qv_gray *from, int width, int height) {
    raster r = raster_resize(from, width, height), mean = raster_make(width, height), spread = raster_make(width, height);
    int reach = (width > height ? width : height) / 40 + 2;
    int failed = r.values == NULL || mean.values == NULL || spread.values == NULL;
    size_t count = (size_t)width * (size_t)height;
    if (!failed) memcpy(mean.values, r.values, count * sizeof(float));
    failed = failed || raster_blur(&mean, reach) != 0;
    for (size_t i = 0; i < count && !failed; i++) {
        float off = r.values[i] - mean.values[i];
        spread.values[i] = off * off;
        r.values[i] = off;
    }
    failed = failed || raster_blur(&spread, reach) != 0;
    for (size_t i = 0; i < count && !failed; i++) r.values[i] /= (spread.values[i] > 0 ? sqrtf(spread.values[i]) : 0) + 6;
    free(mean.values);
    free(spread.values);
    if (failed) {
        free(r.values);
        r.values = NULL;
    }
    return r;
}

/* The leak at a size at which it has as many pixels as the original, as far as it can. */
static raster leak_at(const qv_gray *leak, const double h[9], double aspect, int long_side) {
    double u[4], v[4];
    const double x[4] = {0, 1, 0.5, 0.5}, y[4] = {aspect / 2, aspect / 2, 0, aspect};
    for (int i = 0; i < 4; i++) qv_apply(h, x[i], y[i], &u[i], &v[i]);
    double span = hypot(u[1] - u[0], v[1] - v[0]), down = hypot(u[3] - u[2], v[3] - v[2]) / (aspect > 0 ? aspect : 1);
    if (down > span) span = down;
    int longest = leak->width > leak->height ? leak->width : leak->height;
    double side = long_side / (span > 0.05 ? span : 0.05);
    if (side > longest) side = longest;
    if (side < 64) side = 64;
    return sharpened(leak, (int)(leak->width * side / longest + 0.5), (int)(leak->height * side / longest + 0.5));
}

/* One step of the map's refinement (Gauss and Newton, as Lucas and Kanade); 0, or -1 where it has no solution. */
static int refine_once(const raster *a, const raster *b, double h[9]) {
    double a_side = a->width > a->height ? a->width : a->height, b_side = b->width > b->height ? b->width : b->height;
    double system[8][9] = {{0}}, sum_ab = 0, sum_bb = 1e-9;
    int step = a_side > 1000 ? 2 : 1;
    for (int pass = 0; pass < 2; pass++) {
        double gain = pass == 0 ? 1 : sum_ab / sum_bb;
        for (int j = 2; j < a->height - 2; j += step) {
            for (int i = 2; i < a->width - 2; i += step) {
                double x = (i + 0.5) / a_side, y = (j + 0.5) / a_side, u, v;
                qv_apply(h, x, y, &u, &v);
                double bx = u * b_side, by = v * b_side;
                if (bx < 2 || by < 2 || bx > b->width - 2 || by > b->height - 2) continue;
                float value = a->values[(size_t)j * (size_t)a->width + (size_t)i], other = raster_at(b, bx, by);
                if (pass == 0) {
                    sum_ab += (double)value * other;
                    sum_bb += (double)other * other;
                    continue;
                }
                double gx = gain * (raster_at(b, bx + 0.5, by) - raster_at(b, bx - 0.5, by)) * b_side;
                double gy = gain * (raster_at(b, bx, by + 0.5) - raster_at(b, bx, by - 0.5)) * b_side;
                double error = value - gain * other, weight = fabs(error) < 0.7 ? 1 : 0.7 / fabs(error);
                double w = h[6] * x + h[7] * y + 1, way = -(gx * u + gy * v) / w;
                const double slope[8] = {gx * x / w, gx * y / w, gx / w, gy * x / w, gy * y / w, gy / w, way * x, way * y};
                for (int p = 0; p < 8; p++) {
                    for (int q = 0; q < 8; q++) system[p][q] += weight * slope[p] * slope[q];
                    system[p][8] += weight * slope[p] * error;
                }
            }
        }
        if (sum_ab <= 0) return -1;
    }
    if (qv_solve(system, 8) != 0) return -1;
    for (int p = 0; p < 8; p++) h[p] += system[p][8];
    return 0;
}

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
                    if (bx < 2 || by < 2 || bx > b->width - 2 || by > b->height - 2) continue;
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

/* The move at a place that is a part of the width and of the height, linear between nodes. */
static void move_at(const qv_registration *where, double across, double down, float move[2]) {
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

/* Measures the local moves on a grid; nodes that cannot tell, or stand alone, get their neighbours' mean. */
static void find_moves(const raster *a, const raster *b, qv_registration *out, const double h[9]) {
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
            move_at(out, x, y, from);
            double move[2] = {from[0], from[1]};
            if (node_move(a, b, h, x * a->width, y * a->height, reach, move) != 0) continue;
            left[count++] = hypot(move[0] - from[0], move[1] - from[1]);
        }
    }
    qsort(left, count, sizeof *left, by_size);
    out->residual = count >= 6 ? left[count / 2] : 99;
}

static int start(const qv_gray *original, const qv_gray *leak, const double corners[8], double h[9]) {
    double a_side = original->width > original->height ? original->width : original->height;
    double b_side = leak->width > leak->height ? leak->width : leak->height;
    if (corners != NULL) {
        const double x[4] = {0, original->width / a_side, original->width / a_side, 0};
        const double y[4] = {0, 0, original->height / a_side, original->height / a_side};
        double four[4][4];
        for (int i = 0; i < 4; i++) {
            const double pair[4] = {x[i], y[i], corners[2 * i] / b_side, corners[2 * i + 1] / b_side};
            memcpy(four[i], pair, sizeof pair);
        }
        return qv_fit(four, NULL, 4, h) == 0 && is_plausible(h) ? 4 : 0;
    }
    keypoint_list a = keypoints_find(original, KEYPOINT_SIDE), b = keypoints_find(leak, KEYPOINT_SIDE);
    double(*pairs)[4] = malloc((size_t)(a.count + 1) * sizeof *pairs);
    int count = -1;
    if (a.list != NULL && b.list != NULL && pairs != NULL) count = keypoints_match(&a, &b, pairs);
    if (count >= 0) count = find_map(pairs, count, h);
    free(a.list);
    free(b.list);
    free(pairs);
    return count;
}

enum qv_register_status qv_register(
    const qv_gray *original, const qv_gray *leak, const double corners[8], qv_registration *out) {
    memset(out, 0, sizeof *out);
    double h[9], a_side = original->width > original->height ? original->width : original->height;
    double b_side = leak->width > leak->height ? leak->width : leak->height;
    out->matches = start(original, leak, corners, h);
    if (out->matches < 0) return QV_REGISTER_NO_MEMORY;
    if (out->matches < (corners == NULL ? LEAST_MATCHES : 4)) return QV_REGISTER_NO_MATCH;
    for (size_t level = 0; level < sizeof SIDES / sizeof *SIDES; level++) {
        double side = a_side < SIDES[level] ? a_side : SIDES[level];
        raster a = sharpened(original, (int)(original->width * side / a_side + 0.5), (int)(original->height * side / a_side + 0.5));
        raster b = leak_at(leak, h, original->height / a_side, (int)side);
        int failed = a.values == NULL || b.values == NULL;
        for (int round = 0; round < (level == 0 ? 12 : 6) && !failed; round++) {
            double before[9];
            memcpy(before, h, sizeof before);
            if (refine_once(&a, &b, h) != 0 || !is_plausible(h)) {
                memcpy(h, before, sizeof before);
                break;
            }
        }
        if (!failed && level + 1 == sizeof SIDES / sizeof *SIDES) find_moves(&a, &b, out, h);
        free(a.values);
        free(b.values);
        if (failed) return QV_REGISTER_NO_MEMORY;
    }
    /* From pixels of the last step, and parts of the long sides, to pixels. */
    double last = SIDES[sizeof SIDES / sizeof *SIDES - 1], scale = a_side > last ? a_side / last : 1;
    float *moves = &out->moves[0][0][0];
    for (size_t k = 0; k < sizeof out->moves / sizeof *moves; k++) moves[k] *= (float)scale;
    const double left[3] = {b_side, b_side, 1}, right[3] = {1 / a_side, 1 / a_side, 1};
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) out->map[3 * r + c] = left[r] * h[3 * r + c] * right[c];
    }
    return QV_REGISTERED;
}

void qv_lay_over(const qv_gray *original, const qv_gray *leak, const qv_registration *where, float *out) {
    /* Of a leak with many more pixels each counts. */
    double u0, v0, u1, v1;
    qv_apply(where->map, original->width / 2.0, original->height / 2.0, &u0, &v0);
    qv_apply(where->map, original->width / 2.0 + 1, original->height / 2.0, &u1, &v1);
    double size = hypot(u1 - u0, v1 - v0);
    raster smaller = {0, 0, NULL};
    if (size > 1.4) smaller = raster_resize(leak, (int)(leak->width / size), (int)(leak->height / size));
    const raster b = smaller.values != NULL ? smaller : (raster){leak->width, leak->height, (float *)leak->values};
    double across = (double)b.width / leak->width, down = (double)b.height / leak->height;
    for (int y = 0; y < original->height; y++) {
        for (int x = 0; x < original->width; x++) {
            float move[2];
            move_at(where, (double)x / original->width, (double)y / original->height, move);
            double u, v;
            qv_apply(where->map, x + 0.5 + move[0], y + 0.5 + move[1], &u, &v);
            int is_inside = u >= 1 && v >= 1 && u <= leak->width - 1 && v <= leak->height - 1;
            size_t place = (size_t)y * (size_t)original->width + (size_t)x;
            out[place] = is_inside ? raster_at(&b, u * across, v * down) : -1;
        }
    }
    free(smaller.values);
}
