#ifndef QUICKVAULT_CTRACE_MATRIX_H
#define QUICKVAULT_CTRACE_MATRIX_H

#include <math.h>
#include <stddef.h>

/* Unknowns of a system at most. */
enum { QV_UNKNOWNS = 16 };

/* Equations: row after row the factors of the unknowns, and behind them the right side. */
typedef double qv_system[QV_UNKNOWNS][QV_UNKNOWNS + 1];

/* Solves a system of `n` equations by elimination, the right side at `a[][n]`; -1 where it has no single solution. */
static inline int qv_solve(qv_system a, int n) {
    for (int column = 0; column < n; column++) {
        int best = column;
        for (int row = column + 1; row < n; row++) {
            if (fabs(a[row][column]) > fabs(a[best][column])) best = row;
        }
        if (fabs(a[best][column]) < 1e-12) return -1;
        for (int k = 0; k <= n; k++) {
            double other = a[column][k];
            a[column][k] = a[best][k];
            a[best][k] = other;
        }
        for (int row = 0; row < n; row++) {
            if (row == column) continue;
            double part = a[row][column] / a[column][column];
            for (int k = column; k <= n; k++) a[row][k] -= part * a[column][k];
        }
    }
    for (int row = 0; row < n; row++) a[row][n] /= a[row][row];
    return 0;
}

static inline void qv_apply(const double h[9], double x, double y, double *u, double *v) {
    double w = h[6] * x + h[7] * y + h[8];
    *u = (h[0] * x + h[1] * y + h[2]) / w;
    *v = (h[3] * x + h[4] * y + h[5]) / w;
}

/*
 * The homography that takes points to others, by least squares with h[8] = 1; `keep` chooses points (NULL: all). Points
 * are x, y, u, v. They want coordinates around 1.
 */
static inline int qv_fit(const double (*points)[4], const unsigned char *keep, int count, double h[9]) {
    qv_system a = {{0}};
    for (int i = 0; i < count; i++) {
        if (keep != NULL && !keep[i]) continue;
        double x = points[i][0], y = points[i][1], u = points[i][2], v = points[i][3];
        const double rows[2][9] = {{x, y, 1, 0, 0, 0, -u * x, -u * y, u}, {0, 0, 0, x, y, 1, -v * x, -v * y, v}};
        for (int r = 0; r < 2; r++) {
            for (int j = 0; j < 8; j++) {
                for (int k = 0; k < 9; k++) a[j][k] += rows[r][j] * rows[r][k];
            }
        }
    }
    if (qv_solve(a, 8) != 0) return -1;
    for (int j = 0; j < 8; j++) h[j] = a[j][8];
    h[8] = 1;
    return 0;
}

#endif
