/* The homography that matching places agree on. */
#include "matrix.h"
#include "register.h"

#include <stdlib.h>
#include <string.h>

/* Enough tries to meet, all but surely, a four of pairs that are right, where so many are as agree with the best map yet. */
enum { TRIES_LEAST = 500, TRIES_MOST = 30000 };
static const double MISSED = 1e-6;
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

int qv_is_plausible(const double h[9]) {
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

/* Random fours of pairs, and the map that most agree with (Fischler and Bolles, 1981). */
int qv_find_map(const double (*pairs)[4], int count, double h[9]) {
    unsigned char *keep = malloc((size_t)count + 1), *best_keep = calloc((size_t)count + 1, 1);
    int best = 0;
    uint64_t state = 7;
    double tries = TRIES_MOST;
    for (int try = 0; try < tries && count >= 4 && keep != NULL && best_keep != NULL; try++) {
        double four[4][4], trial[9];
        for (int i = 0; i < 4; i++) memcpy(four[i], pairs[next_random(&state) % (uint64_t)count], sizeof four[i]);
        if (qv_fit(four, NULL, 4, trial) != 0 || !qv_is_plausible(trial)) continue;
        int number = agree(trial, pairs, count, NEAR, keep);
        if (number <= best) continue;
        best = number;
        memcpy(best_keep, keep, (size_t)count);
        memcpy(h, trial, 9 * sizeof *h);
        double right = pow((double)best / count, 4);
        tries = right < 1 ? log(MISSED) / log(1 - right) : 0;
        tries = tries < TRIES_LEAST ? TRIES_LEAST : tries > TRIES_MOST ? TRIES_MOST : tries;
    }
    for (int round = 0; round < 3 && best >= 8; round++) {
        double better[9];
        if (qv_fit(pairs, best_keep, count, better) != 0 || !qv_is_plausible(better)) break;
        memcpy(h, better, sizeof better);
        best = agree(h, pairs, count, NEAR, best_keep);
    }
    if (keep == NULL || best_keep == NULL) best = -1;
    free(keep);
    free(best_keep);
    return best;
}

int qv_drop_agreeing(double (*pairs)[4], int count, const double h[9]) {
    int left = 0;
    for (int i = 0; i < count; i++) {
        double u, v;
        qv_apply(h, pairs[i][0], pairs[i][1], &u, &v);
        if (hypot(u - pairs[i][2], v - pairs[i][3]) < NEAR) continue;
        memmove(pairs[left++], pairs[i], sizeof *pairs);
    }
    return left;
}
