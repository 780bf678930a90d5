#ifndef QUICKVAULT_CTRACE_REGISTER_H
#define QUICKVAULT_CTRACE_REGISTER_H

#include "raster.h"

/* True if a map of parts of the long sides is no mirror, no line, and shrinks or grows by less than a factor of 12. */
int qv_is_plausible(const double h[9]);
/* The homography that most pairs (x, y, u, v) agree with; how many do, or -1 where there is no memory. */
int qv_find_map(const double (*pairs)[4], int count, double h[9]);
/* Takes the pairs out that agree with a homography; how many are left. */
int qv_drop_agreeing(double (*pairs)[4], int count, const double h[9]);

/*
 * Measures the local moves of `a` that make it fit `b`, mapped by `h`, in pixels of `a`, and what they leave. Nodes that
 * cannot tell, or stand alone, get their neighbours' mean.
 */
void qv_find_moves(const raster *a, const raster *b, qv_registration *out, const double h[9]);
/* The move at a place that is a part of the width and of the height, linear between nodes. */
void qv_move_at(const qv_registration *where, double across, double down, float move[2]);

#endif
