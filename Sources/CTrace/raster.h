#ifndef QUICKVAULT_CTRACE_RASTER_H
#define QUICKVAULT_CTRACE_RASTER_H

#include "ctrace.h"

/* A raster of one's own. */
typedef struct {
    int width, height;
    float *values;
} raster;

/* `values` is NULL where there is no memory. */
raster raster_make(int width, int height);
/* A picture made to a size, by means of the pixels that fall into each. It is not made larger than it is. */
raster raster_resize(const qv_gray *from, int width, int height);
/* The same with `margin` more pixels on each side, mirrored at the edge, instead of the one that is given; less than a side. */
raster raster_mirrored(raster from, int margin);
/* Blurs by a box of 2 reach + 1 pixels, in both directions; -1 where there is no memory. */
int raster_blur(raster *r, int reach);
/* Linear between pixels; the edge goes on. (0.5, 0.5) is the middle of the first pixel. */
float raster_at(const raster *r, double x, double y);

#endif
