/* The lightness of a picture, made small. */
#include "internal.h"

#include <stdlib.h>

int qv_raster_start(qv_raster_sums *r, uint32_t width, uint32_t height) {
    uint32_t longer = width > height ? width : height;
    r->width = r->out_width = width;
    r->height = r->out_height = height;
    if (longer > QV_RASTER_SIDE) {
        r->out_width = (uint32_t)(((uint64_t)width * QV_RASTER_SIDE + longer / 2) / longer);
        r->out_height = (uint32_t)(((uint64_t)height * QV_RASTER_SIDE + longer / 2) / longer);
        if (r->out_width == 0) r->out_width = 1;
        if (r->out_height == 0) r->out_height = 1;
    }
    size_t count = (size_t)r->out_width * r->out_height;
    r->columns = malloc(width * sizeof *r->columns);
    r->sums = calloc(count, sizeof *r->sums);
    r->counts = calloc(count, sizeof *r->counts);
    r->bytes = malloc(count);
    if (r->columns == NULL || r->sums == NULL || r->counts == NULL || r->bytes == NULL) return -1;
    for (uint32_t x = 0; x < width; x++) r->columns[x] = (uint32_t)((uint64_t)x * r->out_width / width);
    return 0;
}

qv_raster qv_raster_finish(qv_raster_sums *r) {
    size_t count = (size_t)r->out_width * r->out_height;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = r->counts[i] == 0 ? 1 : r->counts[i];
        r->bytes[i] = (uint8_t)((2 * r->sums[i] + number) / (2 * number));
    }
    return (qv_raster){.width = r->out_width, .height = r->out_height, .bytes = r->bytes};
}

void qv_raster_end(qv_raster_sums *r) {
    size_t count = (size_t)r->out_width * r->out_height;
    qv_image_free((uint8_t *)r->sums, r->sums == NULL ? 0 : count * sizeof *r->sums);
    qv_image_free(r->bytes, r->bytes == NULL ? 0 : count);
    free(r->columns);
    free(r->counts);
}
