#include "internal.h"

#include <string.h>

void qv_exif_write(int orientation, uint8_t out[QV_EXIF_LENGTH]) {
    static const uint8_t block[QV_EXIF_LENGTH] = {
        'M', 'M', 0, '*', 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    memcpy(out, block, sizeof block);
    out[19] = (uint8_t)orientation;
}

int qv_mark_cover(qv_mark_walk *walk, int64_t x, int64_t y, uint32_t width, uint32_t height, uint8_t *out) {
    const qv_mark *mark = walk->mark;
    const qv_coverage *drawing = mark->drawing;
    while (walk->first < mark->count && (int64_t)mark->places[2 * walk->first + 1] + drawing->height <= y) walk->first++;
    int is_covered = 0;
    for (size_t i = walk->first; i < mark->count; i++) {
        int64_t left = mark->places[2 * i], top = mark->places[2 * i + 1];
        if (top >= y + height) break;
        if (left >= x + width || left + drawing->width <= x || top + drawing->height <= y) continue;
        if (!is_covered) memset(out, 0, (size_t)width * height);
        int64_t from_x = left > x ? left : x, from_y = top > y ? top : y;
        int64_t to_x = left + drawing->width < x + width ? left + drawing->width : x + width;
        int64_t to_y = top + drawing->height < y + height ? top + drawing->height : y + height;
        if (to_x > walk->width) to_x = walk->width;
        if (to_y > walk->height) to_y = walk->height;
        for (int64_t row = from_y; row < to_y; row++) {
            const uint8_t *source = drawing->bytes + (size_t)(row - top) * drawing->width + (from_x - left);
            uint8_t *target = out + (size_t)(row - y) * width + (from_x - x);
            for (int64_t column = 0; column < to_x - from_x; column++) {
                if (source[column] == 0) continue;
                is_covered |= 2;
                if (source[column] > target[column]) target[column] = source[column];
            }
        }
        is_covered |= 1;
    }
    return is_covered & 2;
}
