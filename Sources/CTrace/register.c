/* Registration: matching places give a homography, the pictures themselves refine it. */
#include "keypoints.h"
#include "matrix.h"
#include "register.h"

#include <stdlib.h>
#include <string.h>

/* Long sides, in pixels: for keypoints, and for the steps of the refinement. */
enum { KEYPOINT_SIDE = 1200, LEAST_MATCHES = 12, STEPS = 3 };
static const int SIDES[STEPS] = {400, 800, 1600};
/* Maps that are tried; and how well one fits that is taken without trying another. */
enum { MAPS = 4 };
static const double GOOD_FIT = 0.6;
/* A map that fits less than this leads nowhere: the original is not in the leak. */
static const double LEAST_FIT = 0.3;
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

/*
 * One step of the map's refinement (Gauss and Newton, as Lucas and Kanade); 0, or -1 where it has no solution. The same operations in the
 * same order, in wider registers where there are some: no result differs.
 */
#if defined(__x86_64__)
__attribute__((target_clones("avx2", "default")))
#endif
static int refine_once(const raster *a, const raster *b, double h[9]) {
    double a_side = a->width > a->height ? a->width : a->height, b_side = b->width > b->height ? b->width : b->height;
    qv_system system = {{0}};
    double sum_ab = 0, sum_bb = 1e-9;
    int step = a_side > 1000 ? 2 : 1;
    for (int pass = 0; pass < 2; pass++) {
        double gain = pass == 0 ? 1 : sum_ab / sum_bb;
        for (int j = 2; j < a->height - 2; j += step) {
            for (int i = 2; i < a->width - 2; i += step) {
                double x = (i + 0.5) / a_side, y = (j + 0.5) / a_side, u, v;
                qv_apply(h, x, y, &u, &v);
                double bx = u * b_side, by = v * b_side;
                /* Also false where a map has no place. */
                if (!(bx >= 2 && by >= 2 && bx <= b->width - 2 && by <= b->height - 2)) continue;
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

/* How well a mapped leak fits, -1 to 1: the correlation in squares, the upper quartile of them, so that what was painted over does
 * not count. */
enum { SQUARE = 32, SQUARES_MOST = 4096 };

static int compare_floats(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static double fit_of(const raster *a, const raster *b, const double h[9], float *fits) {
    double a_side = a->width > a->height ? a->width : a->height, b_side = b->width > b->height ? b->width : b->height;
    int count = 0;
    for (int top = 0; top + SQUARE / 2 < a->height; top += SQUARE) {
        for (int left = 0; left + SQUARE / 2 < a->width && count < SQUARES_MOST; left += SQUARE) {
            double n = 0, sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;
            for (int j = top; j < top + SQUARE && j < a->height; j++) {
                for (int i = left; i < left + SQUARE && i < a->width; i++) {
                    double u, v;
                    qv_apply(h, (i + 0.5) / a_side, (j + 0.5) / a_side, &u, &v);
                    double bx = u * b_side, by = v * b_side;
                    if (!(bx >= 2 && by >= 2 && bx <= b->width - 2 && by <= b->height - 2)) continue;
                    double value = a->values[(size_t)j * (size_t)a->width + (size_t)i], other = raster_at(b, bx, by);
                    n++, sa += value, sb += other, aa += value * value, bb += other * other, ab += value * other;
                }
            }
            if (n < SQUARE * SQUARE / 2) continue;
            double va = aa - sa * sa / n, vb = bb - sb * sb / n;
            /* Squares in which the original shows nothing tell nothing. */
            if (va < 0.05 * n) continue;
            fits[count++] = vb > 0.01 * n ? (float)((ab - sa * sb / n) / sqrt(va * vb)) : 0;
        }
    }
    if (count == 0) return 0;
    qsort(fits, (size_t)count, sizeof *fits, compare_floats);
    return fits[count * 3 / 4];
}

/* The map that named corners give; how many they are, or 0 where they make none. */
static int map_of_corners(const qv_gray *original, const double corners[8], double a_side, double b_side, double h[9]) {
    const double x[4] = {0, original->width / a_side, original->width / a_side, 0};
    const double y[4] = {0, 0, original->height / a_side, original->height / a_side};
    double four[4][4];
    for (int i = 0; i < 4; i++) {
        const double pair[4] = {x[i], y[i], corners[2 * i] / b_side, corners[2 * i + 1] / b_side};
        memcpy(four[i], pair, sizeof pair);
    }
    return qv_fit(four, NULL, 4, h) == 0 && qv_is_plausible(h) ? 4 : 0;
}

/* Places of the original that are found in the leak, as pairs for free(); NULL where there is no memory. */
static double (*find_pairs(const qv_gray *original, const keypoint_list *leak, int *count))[4] {
    keypoint_list a = keypoints_find(original, KEYPOINT_SIDE);
    double(*pairs)[4] = malloc((size_t)(a.count + 1) * sizeof *pairs);
    *count = a.list != NULL && leak != NULL && pairs != NULL ? keypoints_match(&a, leak, pairs) : -1;
    free(a.list);
    if (*count >= 0) return pairs;
    free(pairs);
    return NULL;
}

/* Refines a map in steps, and measures how well it fits; -1 where there is no memory. */
static int refine(const qv_gray *original, const qv_gray *leak, double h[9], qv_registration *out) {
    double a_side = original->width > original->height ? original->width : original->height;
    float *fits = malloc(SQUARES_MOST * sizeof *fits);
    int failed = fits == NULL;
    out->fit = -1;
    for (size_t level = 0; level < STEPS && !failed; level++) {
        double side = a_side < SIDES[level] ? a_side : SIDES[level];
        raster a = sharpened(original, (int)(original->width * side / a_side + 0.5), (int)(original->height * side / a_side + 0.5));
        raster b = leak_at(leak, h, original->height / a_side, (int)side);
        failed = a.values == NULL || b.values == NULL;
        for (int round = 0; round < (level == 0 ? 12 : 6) && !failed; round++) {
            double before[9];
            memcpy(before, h, sizeof before);
            if (refine_once(&a, &b, h) != 0 || !qv_is_plausible(h)) {
                memcpy(h, before, sizeof before);
                break;
            }
        }
        if (!failed) {
            double fit = fit_of(&a, &b, h, fits);
            if (fit > out->fit) out->fit = fit;
            if (level + 1 == STEPS) qv_find_moves(&a, &b, out, h);
        }
        free(a.values);
        free(b.values);
        /* The last step costs most, and makes nothing of what does not fit at all. */
        if (level + 2 == STEPS && out->fit < LEAST_FIT) break;
    }
    free(fits);
    return failed ? -1 : 0;
}

/* The best of the maps that pairs agree on: where one does not fit, the next, without the pairs that led to it. */
static enum qv_register_status search(
    const qv_gray *original, const qv_gray *leak, double (*pairs)[4], int count, double h[9], qv_registration *out) {
    out->fit = -1;
    for (int map = 0; map < MAPS && out->fit < GOOD_FIT; map++) {
        qv_registration found = {.fit = -1};
        double start[9], refined[9];
        found.matches = qv_find_map((const double(*)[4])pairs, count, start);
        if (found.matches < 0) return QV_REGISTER_NO_MEMORY;
        if (found.matches < LEAST_MATCHES) break;
        memcpy(refined, start, sizeof refined);
        if (refine(original, leak, refined, &found) != 0) return QV_REGISTER_NO_MEMORY;
        if (found.fit > out->fit) {
            *out = found;
            memcpy(h, refined, sizeof refined);
        }
        count = qv_drop_agreeing(pairs, count, start);
    }
    return out->fit >= LEAST_FIT ? QV_REGISTERED : QV_REGISTER_NO_MATCH;
}

qv_keypoints *qv_keypoints_of(const qv_gray *leak) {
    qv_keypoints *found = malloc(sizeof *found);
    if (found != NULL) *found = keypoints_find(leak, KEYPOINT_SIDE);
    if (found != NULL && found->list != NULL) return found;
    free(found);
    return NULL;
}

void qv_keypoints_free(qv_keypoints *found) {
    if (found != NULL) free(found->list);
    free(found);
}

enum qv_register_status qv_register(
    const qv_gray *original, const qv_gray *leak, const qv_keypoints *known, const double corners[8], qv_registration *out) {
    memset(out, 0, sizeof *out);
    double h[9], a_side = original->width > original->height ? original->width : original->height;
    double b_side = leak->width > leak->height ? leak->width : leak->height;
    if (corners != NULL) {
        out->matches = map_of_corners(original, corners, a_side, b_side, h);
        if (out->matches == 0) return QV_REGISTER_NO_MATCH;
        if (refine(original, leak, h, out) != 0) return QV_REGISTER_NO_MEMORY;
    } else {
        int count = 0;
        qv_keypoints *found = known == NULL ? qv_keypoints_of(leak) : NULL;
        double(*pairs)[4] = find_pairs(original, known == NULL ? found : known, &count);
        qv_keypoints_free(found);
        if (pairs == NULL) return QV_REGISTER_NO_MEMORY;
        enum qv_register_status status = search(original, leak, pairs, count, h, out);
        free(pairs);
        if (status != QV_REGISTERED) return status;
    }
    /* From pixels of the last step, and parts of the long sides, to pixels. */
    double last = SIDES[STEPS - 1], scale = a_side > last ? a_side / last : 1;
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
    if (size > 1.4 && leak->width > 3 * size && leak->height > 3 * size)
        smaller = raster_resize(leak, (int)(leak->width / size), (int)(leak->height / size));
    const raster b = smaller.values != NULL ? smaller : (raster){leak->width, leak->height, (float *)leak->values};
    double across = (double)b.width / leak->width, down = (double)b.height / leak->height;
    for (int y = 0; y < original->height; y++) {
        for (int x = 0; x < original->width; x++) {
            float move[2];
            qv_move_at(where, (double)x / original->width, (double)y / original->height, move);
            double u, v;
            qv_apply(where->map, x + 0.5 + move[0], y + 0.5 + move[1], &u, &v);
            int is_inside = u >= 1 && v >= 1 && u <= leak->width - 1 && v <= leak->height - 1;
            size_t place = (size_t)y * (size_t)original->width + (size_t)x;
            out[place] = is_inside ? raster_at(&b, u * across, v * down) : -1;
        }
    }
    free(smaller.values);
}
