/* Whether two pictures of one page show the same. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* The picture in another size, pixel by pixel. */
static uint8_t *resized(const uint8_t *from, uint32_t across, uint32_t down, uint32_t width, uint32_t height) {
    uint8_t *to = malloc((size_t)width * height * 3);
    if (to == NULL) return NULL;
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *row = from + (size_t)((uint64_t)(2 * y + 1) * down / (2 * (uint64_t)height)) * across * 3;
        for (uint32_t x = 0; x < width; x++) {
            memcpy(to + ((size_t)y * width + x) * 3, row + (size_t)((uint64_t)(2 * x + 1) * across / (2 * (uint64_t)width)) * 3, 3);
        }
    }
    return to;
}

/* Whether a number lies between the smallest and the largest of the three by three around the same place in another picture,
 * give or take the tolerance. `at` points to that place; rows are `stride` bytes long. */
static int is_near(int value, const uint8_t *at, size_t stride, int tolerance) {
    int low = 255, high = 0;
    for (int y = -1; y <= 1; y++) {
        const uint8_t *row = at + (ptrdiff_t)stride * y;
        for (int x = -3; x <= 3; x += 3) {
            if (row[x] < low) low = row[x];
            if (row[x] > high) high = row[x];
        }
    }
    return value >= low - tolerance && value <= high + tolerance;
}

int qv_pictures_agree(
    const uint8_t *drawn, uint32_t width, uint32_t height, const uint8_t *kept, uint32_t across, uint32_t down, int tolerance) {
    if (width < 3 || height < 3 || across == 0 || down == 0) return 0;
    uint8_t *same = resized(kept, across, down, width, height);
    if (same == NULL) return 0;
    size_t stride = (size_t)width * 3;
    int agrees = 1;
    /* Pixels at the edge are part paper. */
    for (uint32_t y = 1; y < height - 1 && agrees; y++) {
        for (size_t x = 3; x < stride - 3; x++) {
            size_t at = y * stride + x;
            /* Mostly they are alike at once. */
            if (abs(drawn[at] - same[at]) <= tolerance) continue;
            agrees &= is_near(drawn[at], same + at, stride, tolerance) && is_near(same[at], drawn + at, stride, tolerance);
        }
    }
    free(same);
    return agrees;
}
