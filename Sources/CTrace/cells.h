#ifndef QUICKVAULT_CTRACE_CELLS_H
#define QUICKVAULT_CTRACE_CELLS_H

#include "raster.h"

/* Cells in rows and columns, with what is expected of them. */
typedef struct {
    int columns, rows;
    const double *across, *down; /* edges of the columns and rows */
    const float *expected;       /* NULL: black or white, whichever is nearer */
    double noise;                /* the usual difference, in levels of lightness */
    int has_tones;               /* lightness may have changed */
    int halves;                  /* cells are looked at in quarters */
} grid;

/* Places from -1 to 1 for those from a corner on. */
typedef struct {
    double left, top, half_width, half_height;
} frame;

/* The mean lightness of each cell, or quarter of one; `shift` is added in pixels of the picture that is seen. */
void grid_sample(const raster *seen, const double map[9], const grid *g, const double shift[2], float *out);
/* The place of the middle of a cell or quarter in a frame. */
void grid_place(const grid *g, const frame *f, int x, int y, double *at_x, double *at_y);

/*
 * Moves a map until grids fit best; its first `of_map` unknowns (6 or 8) are free. 0, or -1 where there is no memory, nothing fits, or the
 * map has no place for all of the grids.
 */
int qv_align(const raster *seen, const frame *f, const grid *grids, int count, int of_map, double map[9]);
/* Divides a map by its last number; -1 where that is 0, or an edge of the grid has no place. */
int qv_settle_map(const grid *g, double map[9]);

#endif
