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
static inline float raster_at(const raster *r, double x, double y) {
    x -= 0.5;
    y -= 0.5;
    /* Also 0 where a place is no number. */
    x = !(x > 0) ? 0 : x > r->width - 1.001 ? r->width - 1.001 : x;
    y = !(y > 0) ? 0 : y > r->height - 1.001 ? r->height - 1.001 : y;
    int i = (int)x, j = (int)y;
    float a = (float)(x - i), b = (float)(y - j);
    const float *up = r->values + (size_t)j * (size_t)r->width + i, *down = up + r->width;
    float upper = up[0] + a * (up[1] - up[0]), lower = down[0] + a * (down[1] - down[0]);
    return upper + b * (lower - upper);
}

#endif
