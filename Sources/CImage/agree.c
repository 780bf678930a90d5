/* Whether two pictures of one page show the same. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* The first and the last sample, of `from`, that pixel `at` of `to` stands for. */
static void covered(uint32_t at, uint32_t from, uint32_t to, uint32_t *first, uint32_t *last) {
    *first = (uint32_t)((uint64_t)at * from / to);
    uint32_t end = (uint32_t)(((uint64_t)(at + 1) * from + to - 1) / to);
    *last = end > *first ? end - 1 : *first;
}

/* The picture in another size: each pixel is the mean of those that it stands for. */
static uint8_t *resized(const uint8_t *from, uint32_t across, uint32_t down, uint32_t width, uint32_t height) {
    uint8_t *to = malloc((size_t)width * height * 3);
    if (to == NULL) return NULL;
    for (uint32_t y = 0; y < height; y++) {
        uint32_t top, bottom;
        covered(y, down, height, &top, &bottom);
        for (uint32_t x = 0; x < width; x++) {
            uint32_t left, right;
            covered(x, across, width, &left, &right);
            uint64_t sums[3] = {0, 0, 0}, count = (uint64_t)(bottom - top + 1) * (right - left + 1);
            for (uint32_t v = top; v <= bottom; v++) {
                const uint8_t *pixel = from + ((size_t)v * across + left) * 3;
                for (uint32_t u = left; u <= right; u++, pixel += 3) {
                    for (int i = 0; i < 3; i++) sums[i] += pixel[i];
                }
            }
            for (int i = 0; i < 3; i++) to[((size_t)y * width + x) * 3 + (size_t)i] = (uint8_t)((sums[i] + count / 2) / count);
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

/* Samples of a block of 8 by 8 pixels (192) that may differ all the same: two programs make a picture smaller in two ways. */
static const int BLOCK_TOLERANCE = 12;

int qv_pictures_agree(
    const uint8_t *drawn, uint32_t width, uint32_t height, const uint8_t *kept, uint32_t across, uint32_t down, int tolerance) {
    if (width < 3 || height < 3 || across == 0 || down == 0) return 0;
    uint8_t *same = resized(kept, across, down, width, height);
    uint8_t *counts = calloc(width / 8 + 1, 1);
    size_t stride = (size_t)width * 3;
    int agrees = same != NULL && counts != NULL;
    /* Pixels at the edge are part paper. */
    for (uint32_t y = 1; y < height - 1 && agrees; y++) {
        if (y % 8 == 0) memset(counts, 0, width / 8 + 1);
        for (size_t x = 3; x < stride - 3 && agrees; x++) {
            size_t at = y * stride + x;
            /* Mostly they are alike at once. */
            if (abs(drawn[at] - same[at]) <= tolerance) continue;
            if (is_near(drawn[at], same + at, stride, tolerance) && is_near(same[at], drawn + at, stride, tolerance)) continue;
            agrees = ++counts[x / 24] <= BLOCK_TOLERANCE;
        }
    }
    free(same);
    free(counts);
    return agrees;
}
