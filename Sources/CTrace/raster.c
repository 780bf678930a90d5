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

/* Blurs lines of `count` values that stand `step` apart. */
static void blur_line(const float *in, float *out, int count, size_t step, int reach) {
    double sum = 0;
    int inside = 0;
    for (int i = 0; i < reach && i < count; i++, inside++) sum += in[(size_t)i * step];
    for (int i = 0; i < count; i++) {
        if (i + reach < count) {
            sum += in[(size_t)(i + reach) * step];
            inside++;
        }
        if (i - reach - 1 >= 0) {
            sum -= in[(size_t)(i - reach - 1) * step];
            inside--;
        }
        out[(size_t)i * step] = (float)(sum / inside);
    }
}

int raster_blur(raster *r, int reach) {
    raster other = raster_make(r->width, r->height);
    if (other.values == NULL) return -1;
    size_t width = (size_t)r->width;
    for (int y = 0; y < r->height; y++) blur_line(r->values + (size_t)y * width, other.values + (size_t)y * width, r->width, 1, reach);
    for (int x = 0; x < r->width; x++) blur_line(other.values + x, r->values + x, r->height, width, reach);
    free(other.values);
    return 0;
}

float raster_at(const raster *r, double x, double y) {
    x -= 0.5;
    y -= 0.5;
    x = x < 0 ? 0 : x > r->width - 1.001 ? r->width - 1.001 : x;
    y = y < 0 ? 0 : y > r->height - 1.001 ? r->height - 1.001 : y;
    int i = (int)x, j = (int)y;
    float a = (float)(x - i), b = (float)(y - j);
    const float *up = r->values + (size_t)j * (size_t)r->width + i, *down = up + r->width;
    float upper = up[0] + a * (up[1] - up[0]), lower = down[0] + a * (down[1] - down[0]);
    return upper + b * (lower - upper);
}
