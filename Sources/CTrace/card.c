/*
 * A card in a photo. Of all quadrilaterals of four lines the best one has edges along its sides, none that go on behind its
 * corners, and the shape of a card. Its sides are then measured in the photo.
 */
#include "card.h"
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

/* The long side of the picture in which lines are looked for, in pixels. */
enum { SIDE = 640 };
/* The part of the picture that a card takes at least. */
static const double LEAST_AREA = 0.025;
/* Sides across from each other, and those that meet, by the cosine of their angle. */
static const double PARALLEL = 0.75;
/* The sine of a corner's angle at least, and the part of a side that has an edge at least. */
static const double LEAST_TURN = 0.45, LEAST_SHARE = 0.4;
/* What is left out at the ends of a side, and looked at behind them: parts of the side. */
static const double INSET = 0.05, BEYOND = 0.14;
/* The weights in a score of the weakest side, of edges behind corners, of the shape, and of the logarithm of the area. */
static const double WEAKEST = 0.5, BEHIND = 0.07, SHAPE = 0.25, AREA = 0.15;
/* The focal lengths of lenses, in long sides of the picture: the least, a usual one, the greatest. */
static const double LEAST_FOCAL = 0.6, FOCAL = 0.85, MOST_FOCAL = 1.5;
/* The usual error of a ratio, as a logarithm. */
static const double RATIO_ERROR = 0.08;
/* How well the shape of a card suits at least: 2.8 usual errors. */
static const double LEAST_LIKENESS = 0.02;
/* What a card's score and sureness are at least: photos without a card stay below (Tests/Scripts/straighten.py). */
static const double LEAST_SCORE = 0.95, LEAST_SURENESS = 0.35;
/* The score from which another one beside it is a card too. */
static const double ANOTHER = 0.85;

/* Corners clockwise; side i, of the line `sides[i]`, goes from corner i to the next one. */
typedef struct {
    double corners[8], score;
    int sides[4];
} quad;

static double area_of(const double c[8]) {
    double area = 0;
    for (int i = 0; i < 4; i++) {
        int j = (i + 1) % 4;
        area += c[2 * i] * c[2 * j + 1] - c[2 * j] * c[2 * i + 1];
    }
    return area / 2;
}

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/*
 * The ratio of width to height of the rectangle that is seen as a quadrilateral, by a lens whose axis goes through the picture's
 * middle (Zhang and He, 2007); 0 where it is none.
 */
double qv_card_ratio(const double c[8], double width, double height) {
    double m[4][3], a[3], b[3], d[3], across[3], down[3], unit = fmax(width, height);
    for (int i = 0; i < 4; i++) {
        m[i][0] = (c[2 * i] - width / 2) / unit;
        m[i][1] = (c[2 * i + 1] - height / 2) / unit;
        m[i][2] = 1;
    }
    cross(m[0], m[2], a);
    cross(m[1], m[2], b);
    cross(m[3], m[2], d);
    double k2 = dot(a, m[3]) / dot(b, m[3]), k3 = dot(a, m[1]) / dot(d, m[1]), focal_square = FOCAL * FOCAL;
    for (int i = 0; i < 3; i++) {
        across[i] = k2 * m[1][i] - m[0][i];
        down[i] = k3 * m[3][i] - m[0][i];
    }
    /* Seen nearly from above, a card does not tell the lens: it is a usual one. */
    if (fabs(across[2]) > 0.02 && fabs(down[2]) > 0.02) {
        double square = -(across[0] * down[0] + across[1] * down[1]) / (across[2] * down[2]);
        if (square > LEAST_FOCAL * LEAST_FOCAL && square < MOST_FOCAL * MOST_FOCAL) focal_square = square;
    }
    double width_square = (across[0] * across[0] + across[1] * across[1]) / focal_square + across[2] * across[2];
    double height_square = (down[0] * down[0] + down[1] * down[1]) / focal_square + down[2] * down[2];
    double square = width_square / height_square;
    return width_square > 0 && square > 0 && isfinite(square) ? sqrt(square) : 0;
}

/* What a card looks like: the ratios of its long side to its short one that it may have. */
typedef struct {
    const double *ratios;
    int count;
} shape;

/* How well a ratio suits a shape, either way up: 0 to 1. */
static double likeness(double ratio, const shape *wanted) {
    double best = 0, seen = ratio < 1 ? 1 / ratio : ratio;
    for (int i = 0; i < wanted->count; i++) {
        double error = log(seen / wanted->ratios[i]) / RATIO_ERROR;
        best = fmax(best, exp(-error * error / 2));
    }
    return best;
}

/* Makes corners go clockwise. */
static void make_clockwise(quad *q) {
    if (area_of(q->corners) >= 0) return;
    quad old = *q;
    for (int i = 0; i < 4; i++) {
        memcpy(q->corners + 2 * i, old.corners + 2 * ((4 - i) % 4), 2 * sizeof(double));
        q->sides[i] = old.sides[3 - i];
    }
}

/* Rates a quadrilateral; 0 where it can be no card. */
static double score_of(const quad *q, const qv_line *lines, const qv_edges *e, const shape *wanted) {
    double area = area_of(q->corners) / ((double)e->width * e->height), margin = 0.01 * e->width;
    if (area < LEAST_AREA) return 0;
    double covered = 0, around = 0, behind = 0, weakest = 1;
    for (int i = 0; i < 4; i++) {
        const double *a = q->corners + 2 * i, *b = q->corners + 2 * ((i + 1) % 4), *c = q->corners + 2 * ((i + 2) % 4);
        if (a[0] < -margin || a[1] < -margin || a[0] > e->width + margin || a[1] > e->height + margin) return 0;
        double side = hypot(b[0] - a[0], b[1] - a[1]), next = hypot(c[0] - b[0], c[1] - b[1]);
        double turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
        if (turn <= LEAST_TURN * side * next) return 0;
        const qv_line *line = lines + q->sides[i];
        double from = a[1] * line->cosine - a[0] * line->sine, to = b[1] * line->cosine - b[0] * line->sine;
        double way = to > from ? 1 : -1, inset = way * INSET * side, beyond = way * BEYOND * side;
        double share = qv_line_share(line, from + inset, to - inset);
        if (share < LEAST_SHARE) return 0;
        weakest = fmin(weakest, share);
        covered += share * side;
        around += side;
        behind += qv_line_share(line, from - beyond, from - way * 3) + qv_line_share(line, to + way * 3, to + beyond);
    }
    double alike = likeness(qv_card_ratio(q->corners, e->width, e->height), wanted);
    if (alike < LEAST_LIKENESS) return 0;
    return covered / around + WEAKEST * weakest - BEHIND * behind + SHAPE * alike + AREA * log(area);
}

/* True if two quadrilaterals have less than a quarter of their width or height in common. */
static int are_apart(const quad *a, const quad *b) {
    for (int axis = 0; axis < 2; axis++) {
        double least[2] = {1e9, 1e9}, most[2] = {-1e9, -1e9};
        for (int i = axis; i < 8; i += 2) {
            least[0] = fmin(least[0], a->corners[i]);
            least[1] = fmin(least[1], b->corners[i]);
            most[0] = fmax(most[0], a->corners[i]);
            most[1] = fmax(most[1], b->corners[i]);
        }
        double common = fmin(most[0], most[1]) - fmax(least[0], least[1]);
        if (common < 0.25 * fmin(most[0] - least[0], most[1] - least[1])) return 1;
    }
    return 0;
}

static int are_parallel(const qv_line *a, const qv_line *b) {
    return fabs(a->cosine * b->cosine + a->sine * b->sine) > PARALLEL;
}

/* The best quadrilateral that lies apart from another one; its score is 0 where there is none. */
static quad best_quad(const qv_edges *e, const qv_line *lines, int count, const shape *wanted, const quad *other) {
    quad best = {.score = 0};
    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++) {
            if (!are_parallel(lines + a, lines + b)) continue;
            for (int c = 0; c < count; c++) {
                quad q = {.sides = {a, c, b, 0}};
                if (are_parallel(lines + a, lines + c) || !qv_lines_meet(lines + a, lines + c, q.corners + 2)
                    || !qv_lines_meet(lines + c, lines + b, q.corners + 4))
                    continue;
                for (int d = c + 1; d < count; d++) {
                    if (!are_parallel(lines + c, lines + d)) continue;
                    quad whole = q;
                    whole.sides[3] = d;
                    if (!qv_lines_meet(lines + d, lines + a, whole.corners)
                        || !qv_lines_meet(lines + b, lines + d, whole.corners + 6))
                        continue;
                    make_clockwise(&whole);
                    whole.score = score_of(&whole, lines, e, wanted);
                    if (whole.score > best.score && (other == NULL || are_apart(&whole, other))) best = whole;
                }
            }
        }
    }
    return best;
}

/* Begins with the corner from which the side goes most to the right. */
static void turn_upright(double corners[8]) {
    int first = 0;
    double best = 0, turned[8];
    for (int i = 0; i < 4; i++) {
        const double *a = corners + 2 * i, *b = corners + 2 * ((i + 1) % 4);
        double right = (b[0] - a[0]) / hypot(b[0] - a[0], b[1] - a[1]);
        if (right <= best) continue;
        best = right;
        first = i;
    }
    for (int i = 0; i < 8; i++) turned[i] = corners[(i + 2 * first) % 8];
    memcpy(corners, turned, sizeof turned);
}

enum qv_card_status qv_find_card(const qv_colours *photo, const double *ratios, int ratio_count, double corners[8]) {
    const shape wanted = {ratios, ratio_count};
    int long_side = photo->width > photo->height ? photo->width : photo->height;
    double scale = fmax(1, (double)long_side / SIDE);
    int width = (int)(photo->width / scale), height = (int)(photo->height / scale);
    if (width < 32 || height < 32) return QV_CARD_NONE;
    qv_edges edges;
    qv_line lines[QV_LINES] = {0};
    int count = qv_edges_find(photo, width, height, &edges) == 0 ? qv_lines_find(&edges, lines) : -1;
    enum qv_card_status status = count < 0 ? QV_CARD_NO_MEMORY : QV_CARD_NONE;
    if (count > 0) {
        quad best = best_quad(&edges, lines, count, &wanted, NULL);
        for (int i = 0; i < 8; i++)
            corners[i] = best.corners[i] * (i % 2 == 0 ? (double)photo->width / width : (double)photo->height / height);
        if (best.score >= LEAST_SCORE) {
            qv_sides_measure(photo, 4.5 * scale, corners);
            double sureness = qv_sides_measure(photo, 2.5 * scale, corners);
            turn_upright(corners);
            if (sureness >= LEAST_SURENESS) status = QV_CARD_FOUND;
        }
        if (status == QV_CARD_FOUND && best_quad(&edges, lines, count, &wanted, &best).score >= ANOTHER)
            status = QV_CARD_SEVERAL;
    }
    qv_lines_free(lines);
    qv_edges_free(&edges);
    return status;
}

/* The weights of four pixels around a place, by a cubic (Catmull and Rom, 1974). */
static void cubic(double part, double weights[4]) {
    double t = part, tt = t * t, ttt = tt * t;
    weights[0] = (-ttt + 2 * tt - t) / 2;
    weights[1] = (3 * ttt - 5 * tt + 2) / 2;
    weights[2] = (-3 * ttt + 4 * tt + t) / 2;
    weights[3] = (ttt - tt) / 2;
}

static int clamped(int place, int count) { return place < 0 ? 0 : place < count ? place : count - 1; }

int qv_flatten(const qv_colours *photo, const double corners[8], int width, int height, uint8_t *out) {
    /* Around 1, so that the equations are well conditioned. */
    const double pairs[4][4] = {
        {0, 0, corners[0] / photo->width, corners[1] / photo->width}, {1, 0, corners[2] / photo->width, corners[3] / photo->width},
        {1, 1, corners[4] / photo->width, corners[5] / photo->width}, {0, 1, corners[6] / photo->width, corners[7] / photo->width},
    };
    double map[9];
    if (qv_fit(pairs, NULL, 4, map) != 0) return -1;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            double u, v, across[4], down[4], sums[3] = {0};
            qv_apply(map, (x + 0.5) / width, (y + 0.5) / height, &u, &v);
            u = fmin(fmax(u * photo->width - 0.5, -1), photo->width);
            v = fmin(fmax(v * photo->width - 0.5, -1), photo->height);
            int left = (int)floor(u), top = (int)floor(v);
            cubic(u - left, across);
            cubic(v - top, down);
            for (int j = 0; j < 4; j++) {
                const uint8_t *row = photo->bytes + 3 * (size_t)clamped(top - 1 + j, photo->height) * (size_t)photo->width;
                for (int i = 0; i < 4; i++) {
                    const uint8_t *pixel = row + 3 * clamped(left - 1 + i, photo->width);
                    for (int k = 0; k < 3; k++) sums[k] += across[i] * down[j] * pixel[k];
                }
            }
            for (int k = 0; k < 3; k++)
                out[3 * ((size_t)y * (size_t)width + (size_t)x) + (size_t)k] = (uint8_t)(fmin(fmax(sums[k], 0), 255) + 0.5);
        }
    }
    return 0;
}
