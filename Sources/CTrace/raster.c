#include "raster.h"

#include <stdlib.h>
#include <string.h>

raster raster_make(int width, int height) {
    return (raster){width, height, calloc((size_t)width * (size_t)height, sizeof(float))};
}

raster raster_resize(const qv_gray *from, int width, int height) {
    raster r = raster_make(width, height);
    if (r.values == NULL) return r;
    for (int y = 0; y < height; y++) {
        int top = (int)((int64_t)y * from->height / height), end = (int)((int64_t)(y + 1) * from->height / height);
        if (end <= top) end = top + 1;
        for (int x = 0; x < width; x++) {
            int left = (int)((int64_t)x * from->width / width), right = (int)((int64_t)(x + 1) * from->width / width);
            if (right <= left) right = left + 1;
            float sum = 0;
            for (int j = top; j < end; j++) {
                for (int i = left; i < right; i++) sum += from->values[(size_t)j * (size_t)from->width + (size_t)i];
            }
            r.values[(size_t)y * (size_t)width + (size_t)x] = sum / (float)((end - top) * (right - left));
        }
    }
    return r;
}

/* Lines that are blurred side by side at most: as many as share a cache line. */
enum { LANES = 16, ROWS = 4 };

/* Blurs lines side by side, `apart` values from each other, of `count` values that stand `step` apart. */
static inline __attribute__((always_inline)) void blur_lines(
    const float *in, float *out, int count, size_t step, size_t apart, int lanes, int reach) {
    double sums[LANES] = {0};
    int inside = reach < count ? reach : count;
    for (int i = 0; i < inside; i++) {
        for (int k = 0; k < lanes; k++) sums[k] += in[(size_t)i * step + (size_t)k * apart];
    }
    for (int i = 0; i < count; i++) {
        if (i + reach < count) {
            for (int k = 0; k < lanes; k++) sums[k] += in[(size_t)(i + reach) * step + (size_t)k * apart];
            inside++;
        }
        if (i - reach - 1 >= 0) {
            for (int k = 0; k < lanes; k++) sums[k] -= in[(size_t)(i - reach - 1) * step + (size_t)k * apart];
            inside--;
        }
        for (int k = 0; k < lanes; k++) out[(size_t)i * step + (size_t)k * apart] = (float)(sums[k] / inside);
    }
}

/* The same operations in the same order, in wider registers where there are some: no result differs. */
#if defined(__x86_64__)
__attribute__((target_clones("avx2", "default")))
#endif
int raster_blur(raster *r, int reach) {
    raster other = raster_make(r->width, r->height);
    if (other.values == NULL) return -1;
    size_t width = (size_t)r->width;
    /* Each sum waits for the one before it, so rows go side by side too. */
    int x = 0, y = 0;
    for (; y + ROWS <= r->height; y += ROWS)
        blur_lines(r->values + (size_t)y * width, other.values + (size_t)y * width, r->width, 1, width, ROWS, reach);
    for (; y < r->height; y++) blur_lines(r->values + (size_t)y * width, other.values + (size_t)y * width, r->width, 1, 0, 1, reach);
    for (; x + LANES <= r->width; x += LANES) blur_lines(other.values + x, r->values + x, r->height, width, 1, LANES, reach);
    if (x < r->width) blur_lines(other.values + x, r->values + x, r->height, width, 1, r->width - x, reach);
    free(other.values);
    return 0;
}

/* The place in a row of `count` of one that may lie before or behind it. */
static int mirrored(int place, int count) {
    if (place < 0) return -1 - place;
    return place < count ? place : 2 * count - 1 - place;
}

raster raster_mirrored(raster from, int margin) {
    raster out = raster_make(from.width + 2 * margin, from.height + 2 * margin);
    for (int y = 0; y < out.height && out.values != NULL && from.values != NULL; y++) {
        const float *row = from.values + (size_t)mirrored(y - margin, from.height) * (size_t)from.width;
        float *to = out.values + (size_t)y * (size_t)out.width;
        for (int x = 0; x < out.width; x++) to[x] = row[mirrored(x - margin, from.width)];
    }
    if (from.values == NULL) {
        free(out.values);
        out.values = NULL;
    }
    free(from.values);
    return out;
}
