#ifndef QUICKVAULT_CTRACE_CARD_H
#define QUICKVAULT_CTRACE_CARD_H

#include "ctrace.h"

#include <math.h>

/* Lines that are looked at, at most. */
enum { QV_LINES = 120 };

/* How much a place changes, 0 to 1, and the direction across which it does. Only crests are left. */
typedef struct {
    int width, height;
    float *strength, *x, *y;
} qv_edges;

/* The places with x * cosine + y * sine = distance. `sums`: how many of its pixels before each one have an edge. */
typedef struct {
    double cosine, sine, distance;
    int start, count;
    float *sums; /* of `count` + 1 values, along (-sine, cosine) from `start` on */
} qv_line;

/* Finds the edges of a photo made to a size. 0, or -1 where there is no memory; qv_edges_free in either case. */
int qv_edges_find(const qv_colours *photo, int width, int height, qv_edges *out);
void qv_edges_free(qv_edges *edges);

/* The lines that most edges lie on; how many, or -1 where there is no memory. qv_lines_free in either case. */
int qv_lines_find(const qv_edges *edges, qv_line found[QV_LINES]);
void qv_lines_free(qv_line lines[QV_LINES]);
/* How much of a line, from one place of it to another, has an edge: 0 to 1. */
double qv_line_share(const qv_line *line, double from, double to);
/* The place where two lines meet; 0 where they are nearly parallel. */
int qv_lines_meet(const qv_line *a, const qv_line *b, double at[2]);

/*
 * Measures the sides of a quadrilateral in the photo itself, within `reach` pixels of where they are thought to be. The part of a
 * side that lies on one straight line, 0 to 1, of the side where it is least; 0 where there is no quadrilateral.
 */
double qv_sides_measure(const qv_colours *photo, double reach, double corners[8]);

#endif
