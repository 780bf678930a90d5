/* Registration: matching places give a homography, the pictures themselves refine it. */
#include "keypoints.h"
#include "matrix.h"
#include "register.h"

#include <stdlib.h>
#include <string.h>

/* Long sides, in pixels: for keypoints, and for the steps of the refinement. */
enum { KEYPOINT_SIDE = 1200, LEAST_MATCHES = 12 };
static const int SIDES[] = {400, 800, 1600};
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
        return qv_fit(four, NULL, 4, h) == 0 && qv_is_plausible(h) ? 4 : 0;
    }
    keypoint_list a = keypoints_find(original, KEYPOINT_SIDE), b = keypoints_find(leak, KEYPOINT_SIDE);
    double(*pairs)[4] = malloc((size_t)(a.count + 1) * sizeof *pairs);
    int count = -1;
    if (a.list != NULL && b.list != NULL && pairs != NULL) count = keypoints_match(&a, &b, pairs);
    if (count >= 0) count = qv_find_map(pairs, count, h);
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
            if (refine_once(&a, &b, h) != 0 || !qv_is_plausible(h)) {
                memcpy(h, before, sizeof before);
                break;
            }
        }
        if (!failed && level + 1 == sizeof SIDES / sizeof *SIDES) qv_find_moves(&a, &b, out, h);
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
