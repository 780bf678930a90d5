/* The sides of a card, measured in the photo itself: to a part of a pixel. */
#include "card.h"

#include <string.h>

/* Places along a side that are measured, and steps across it. */
enum { PLACES = 96, STEPS = 33 };
/* The part of a side at its ends that is not measured: corners are round. */
static const double END = 0.07;
/* Places agree with a line that are this near, a part of what is searched. */
static const double NEAR = 0.2;

/* The colours at a place, linear between pixels; the edge goes on. */
static void colour_at(const qv_colours *photo, double x, double y, float out[3]) {
    x = fmin(fmax(x - 0.5, 0), photo->width - 1.001);
    y = fmin(fmax(y - 0.5, 0), photo->height - 1.001);
    int i = (int)x, j = (int)y;
    float a = (float)(x - i), b = (float)(y - j);
    const uint8_t *up = photo->bytes + 3 * ((size_t)j * (size_t)photo->width + (size_t)i);
    const uint8_t *down = up + 3 * (size_t)photo->width;
    for (int k = 0; k < 3; k++) {
        float upper = (float)up[k] + a * (float)(up[3 + k] - up[k]);
        float lower = (float)down[k] + a * (float)(down[3 + k] - down[k]);
        out[k] = upper + b * (lower - upper);
    }
}

/* How far the strongest change lies from a place, along a direction, within `reach`; `strength` in gray levels. */
static double edge_near(const qv_colours *photo, const double at[2], const qv_line *side, double reach, double *strength) {
    float colours[STEPS][3];
    double step = 2 * reach / (STEPS - 1), changes[STEPS] = {0}, weight = 0, sum = 0;
    int best = 2;
    for (int i = 0; i < STEPS; i++) {
        double t = -reach + i * step;
        colour_at(photo, at[0] + t * side->cosine, at[1] + t * side->sine, colours[i]);
    }
    for (int i = 2; i < STEPS - 2; i++) {
        for (int k = 0; k < 3; k++)
            changes[i] += fabs((double)(colours[i + 2][k] + colours[i + 1][k] - colours[i - 1][k] - colours[i - 2][k]));
        if (changes[i] > changes[best]) best = i;
    }
    for (int i = best > 3 ? best - 3 : 0; i <= best + 3 && i < STEPS; i++) {
        weight += changes[i];
        sum += changes[i] * (-reach + i * step);
    }
    *strength = changes[best];
    return weight > 0 ? sum / weight : 0;
}

/* Offsets of an edge along a side, and the line through them: level + slope * place. */
typedef struct {
    double places[PLACES], offsets[PLACES], strengths[PLACES];
    double level, slope;
} profile;

/* The line of two places that most places agree with, stronger edges counting more. */
static void find_agreement(profile *p, double near) {
    double most = 0;
    for (int i = 0; i < PLACES; i++) {
        for (int j = i + PLACES / 4; j < PLACES; j++) {
            double slope = (p->offsets[j] - p->offsets[i]) / (p->places[j] - p->places[i]), sum = 0;
            double level = p->offsets[i] - slope * p->places[i];
            for (int k = 0; k < PLACES; k++) {
                if (fabs(level + slope * p->places[k] - p->offsets[k]) < near) sum += fmin(p->strengths[k], 60) + 10;
            }
            if (sum <= most) continue;
            most = sum;
            p->slope = slope;
            p->level = level;
        }
    }
}

/* Fits the line to the places that agree with it, by least squares; how many do. */
static int fit(profile *p, double near) {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int k = 0; k < PLACES; k++) {
        double place = p->places[k], offset = p->offsets[k];
        if (fabs(p->level + p->slope * place - offset) >= near) continue;
        n += 1;
        x += place;
        y += offset;
        xx += place * place;
        xy += place * offset;
    }
    double determinant = n * xx - x * x;
    if (determinant < 1e-9) return 0;
    p->slope = (n * xy - x * y) / determinant;
    p->level = (y - p->slope * x) / n;
    return (int)n;
}

/* The line of the side from `a` to `b`; the part of it that agrees, 0 to 1. */
static double measure_side(const qv_colours *photo, const double *a, const double *b, double reach, qv_line *side) {
    double length = hypot(b[0] - a[0], b[1] - a[1]);
    *side = (qv_line){(b[1] - a[1]) / length, -(b[0] - a[0]) / length, 0, 0, 0, NULL};
    profile p;
    for (int i = 0; i < PLACES; i++) {
        p.places[i] = END + (1 - 2 * END) * i / (PLACES - 1);
        double at[2] = {a[0] + p.places[i] * (b[0] - a[0]), a[1] + p.places[i] * (b[1] - a[1])};
        p.offsets[i] = edge_near(photo, at, side, reach, p.strengths + i);
    }
    p.level = p.slope = 0;
    double near = reach * NEAR;
    find_agreement(&p, near);
    int agreeing = 0;
    for (int round = 0; round < 3; round++) agreeing = fit(&p, near);
    double from[2] = {a[0] + p.level * side->cosine, a[1] + p.level * side->sine};
    double to[2] = {b[0] + (p.level + p.slope) * side->cosine, b[1] + (p.level + p.slope) * side->sine};
    length = hypot(to[0] - from[0], to[1] - from[1]);
    side->cosine = (to[1] - from[1]) / length;
    side->sine = -(to[0] - from[0]) / length;
    side->distance = from[0] * side->cosine + from[1] * side->sine;
    return (double)agreeing / PLACES;
}

double qv_sides_measure(const qv_colours *photo, double reach, double corners[8]) {
    double least = 1, measured[8];
    qv_line sides[4];
    for (int i = 0; i < 4; i++)
        least = fmin(least, measure_side(photo, corners + 2 * i, corners + 2 * ((i + 1) % 4), reach, sides + i));
    for (int i = 0; i < 4; i++) {
        if (!qv_lines_meet(sides + (i + 3) % 4, sides + i, measured + 2 * i)) return 0;
    }
    memcpy(corners, measured, sizeof measured);
    return least;
}
