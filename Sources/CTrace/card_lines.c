/* The straight lines of a photo: pixels vote for them (Hough), each for the direction in which it changes (Ballard, 1981). */
#include "card.h"
#include "raster.h"

#include <stdlib.h>
#include <string.h>

enum { ANGLES = 180 };
/* Degrees and pixels within which two lines are one; pixels beside a line that belong to it; degrees a vote may be off. */
enum { NEAR_ANGLE = 4, NEAR_PLACE = 7, ASIDE = 2, VOTE_ANGLE = 3 };
/* Votes that make a line. */
static const float VOTES = 20;
/* The cosine of the angle between a line and an edge that belongs to it. */
static const double ALONG = 0.94;
/* An edge counts whole that is this many times as strong as half of all places, and a gray level's part: those are noise. */
static const float ABOVE_NOISE = 6, LEAST_CHANGE = 0.5f;
/* The strength below which there is no edge, and from which a line is covered. */
static const float LEAST_STRENGTH = 0.4f;
static const double RADIAN = 3.14159265358979323846 / 180;

/* One channel, by means of the pixels that fall into each. */
static raster channel(const qv_colours *photo, int number, int width, int height) {
    raster r = raster_make(width, height);
    for (int y = 0; y < height && r.values != NULL; y++) {
        int top = (int)((int64_t)y * photo->height / height), end = (int)((int64_t)(y + 1) * photo->height / height);
        for (int x = 0; x < width; x++) {
            int left = (int)((int64_t)x * photo->width / width), right = (int)((int64_t)(x + 1) * photo->width / width);
            unsigned sum = 0;
            for (int j = top; j < end; j++) {
                const uint8_t *row = photo->bytes + 3 * (size_t)j * (size_t)photo->width + number;
                for (int i = left; i < right; i++) sum += row[3 * i];
            }
            r.values[(size_t)y * (size_t)width + (size_t)x] = (float)sum / (float)((end - top) * (right - left));
        }
    }
    return r;
}

/* Takes the changes of a channel where they are greater than those of the channels before it. */
static void take_changes(const raster *r, qv_edges *e) {
    for (int y = 1; y < e->height - 1; y++) {
        for (int x = 1; x < e->width - 1; x++) {
            size_t place = (size_t)y * (size_t)e->width + (size_t)x;
            const float *p = r->values + place, *up = p - e->width, *down = p + e->width;
            float across = up[1] + 2 * p[1] + down[1] - up[-1] - 2 * p[-1] - down[-1];
            float along = down[-1] + 2 * down[0] + down[1] - up[-1] - 2 * up[0] - up[1];
            float strength = sqrtf(across * across + along * along) / 8;
            if (strength <= e->strength[place]) continue;
            e->strength[place] = strength;
            e->x[place] = across / (8 * strength);
            e->y[place] = along / (8 * strength);
        }
    }
}

static int compare_floats(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Leaves the crests, measured against what is usual in the picture. */
static int keep_crests(qv_edges *e) {
    size_t count = (size_t)e->width * (size_t)e->height;
    float *all = malloc(2 * count * sizeof *all);
    if (all == NULL) return -1;
    float *sorted = all + count;
    memcpy(all, e->strength, count * sizeof *all);
    memcpy(sorted, all, count * sizeof *all);
    qsort(sorted, count, sizeof *sorted, compare_floats);
    float whole = ABOVE_NOISE * sorted[count / 2] + LEAST_CHANGE;
    for (int y = 1; y < e->height - 1; y++) {
        for (int x = 1; x < e->width - 1; x++) {
            size_t place = (size_t)y * (size_t)e->width + (size_t)x;
            int i = (int)lroundf(e->x[place]), j = (int)lroundf(e->y[place]);
            ptrdiff_t step = (ptrdiff_t)j * e->width + i;
            float here = all[place], strength = fminf(here / whole, 1);
            int is_crest = step != 0 && here >= all[(ptrdiff_t)place - step] && here > all[(ptrdiff_t)place + step];
            e->strength[place] = is_crest && strength >= LEAST_STRENGTH ? strength : 0;
        }
    }
    free(all);
    return 0;
}

int qv_edges_find(const qv_colours *photo, int width, int height, qv_edges *out) {
    size_t count = (size_t)width * (size_t)height;
    *out = (qv_edges){width, height, calloc(count, sizeof(float)), calloc(count, sizeof(float)), calloc(count, sizeof(float))};
    if (out->strength == NULL || out->x == NULL || out->y == NULL) return -1;
    for (int number = 0; number < 3; number++) {
        raster r = channel(photo, number, width, height);
        int failed = r.values == NULL || raster_blur(&r, 1) != 0;
        if (!failed) take_changes(&r, out);
        free(r.values);
        if (failed) return -1;
    }
    return keep_crests(out);
}

void qv_edges_free(qv_edges *edges) {
    free(edges->strength);
    free(edges->x);
    free(edges->y);
}

/* Sums of strength by angle in degrees and distance in pixels, `reach` more than it is. */
typedef struct {
    int reach, rows;
    float *sums;
} votes;

static void vote(const qv_edges *e, votes *v) {
    for (int y = 1; y < e->height - 1; y++) {
        for (int x = 1; x < e->width - 1; x++) {
            size_t place = (size_t)y * (size_t)e->width + (size_t)x;
            if (e->strength[place] == 0) continue;
            int angle = (int)lround(atan2((double)e->y[place], (double)e->x[place]) / RADIAN);
            for (int near = angle - VOTE_ANGLE; near <= angle + VOTE_ANGLE; near++) {
                int folded = (near % ANGLES + ANGLES) % ANGLES;
                double distance = x * cos(folded * RADIAN) + y * sin(folded * RADIAN);
                v->sums[(size_t)folded * (size_t)v->rows + (size_t)((int)lround(distance) + v->reach)] += e->strength[place];
            }
        }
    }
}

/* Takes the votes around a line away: it is found. */
static void forget(votes *v, int angle, int row) {
    for (int near = angle - NEAR_ANGLE; near <= angle + NEAR_ANGLE; near++) {
        int folded = (near % ANGLES + ANGLES) % ANGLES, middle = near == folded ? row : 2 * v->reach - row;
        for (int r = middle - NEAR_PLACE; r <= middle + NEAR_PLACE; r++) {
            if (r >= 0 && r < v->rows) v->sums[(size_t)folded * (size_t)v->rows + (size_t)r] = 0;
        }
    }
}

/* True if a place, or one beside it, is an edge along a line. */
static int is_edge(const qv_edges *e, const qv_line *line, double x, double y) {
    for (int aside = -ASIDE; aside <= ASIDE; aside++) {
        int i = (int)lround(x + aside * line->cosine), j = (int)lround(y + aside * line->sine);
        if (i < 0 || j < 0 || i >= e->width || j >= e->height) continue;
        size_t place = (size_t)j * (size_t)e->width + (size_t)i;
        double along = fabs((double)e->x[place] * line->cosine + (double)e->y[place] * line->sine);
        if (e->strength[place] > 0 && along >= ALONG) return 1;
    }
    return 0;
}

/* Adds up how much of a line has an edge. */
static int follow(const qv_edges *e, int reach, qv_line *line) {
    line->start = -reach;
    line->count = 2 * reach + 1;
    line->sums = calloc((size_t)line->count + 1, sizeof *line->sums);
    if (line->sums == NULL) return -1;
    for (int i = 0; i < line->count; i++) {
        double t = line->start + i;
        double x = line->distance * line->cosine - t * line->sine, y = line->distance * line->sine + t * line->cosine;
        line->sums[i + 1] = line->sums[i] + (float)is_edge(e, line, x, y);
    }
    return 0;
}

int qv_lines_find(const qv_edges *edges, qv_line found[QV_LINES]) {
    memset(found, 0, QV_LINES * sizeof *found);
    int reach = (int)ceil(hypot(edges->width, edges->height)), count = 0;
    votes v = {reach, 2 * reach + 1, calloc((size_t)ANGLES * (size_t)(2 * reach + 1), sizeof(float))};
    if (v.sums == NULL) return -1;
    vote(edges, &v);
    while (count >= 0 && count < QV_LINES) {
        size_t best = 0;
        for (size_t i = 0; i < (size_t)ANGLES * (size_t)v.rows; i++) {
            if (v.sums[i] > v.sums[best]) best = i;
        }
        if (v.sums[best] < VOTES) break;
        int angle = (int)(best / (size_t)v.rows), row = (int)(best % (size_t)v.rows);
        found[count] = (qv_line){cos(angle * RADIAN), sin(angle * RADIAN), row - reach, 0, 0, NULL};
        count = follow(edges, reach, found + count) == 0 ? count + 1 : -1;
        forget(&v, angle, row);
    }
    free(v.sums);
    return count;
}

void qv_lines_free(qv_line lines[QV_LINES]) {
    for (int i = 0; i < QV_LINES; i++) free(lines[i].sums);
}

double qv_line_share(const qv_line *line, double from, double to) {
    int first = (int)lround(fmin(from, to)) - line->start, end = (int)lround(fmax(from, to)) - line->start;
    first = first < 0 ? 0 : first;
    end = end > line->count ? line->count : end;
    return end <= first ? 0 : (double)(line->sums[end] - line->sums[first]) / (end - first);
}

int qv_lines_meet(const qv_line *a, const qv_line *b, double at[2]) {
    double sine = a->cosine * b->sine - a->sine * b->cosine;
    if (fabs(sine) < 0.3) return 0;
    at[0] = (a->distance * b->sine - b->distance * a->sine) / sine;
    at[1] = (b->distance * a->cosine - a->distance * b->cosine) / sine;
    return 1;
}
