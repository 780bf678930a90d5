/* Corners by the smaller eigenvalue (Shi and Tomasi, 1994), turned by the centre of their light, compared by pairs of pixels
 * (Rublee and others, 2011). */
#include "keypoints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 14, PAIRS = 256, REACH = 15, MARGIN = 20, CELL = 24, MOST = 12000 };
static const double STEP = 1.12;

typedef struct {
    float strength, x, y;
} corner;

/* The same pairs each time: within a circle, denser in the middle. */
static void make_pairs(float pairs[PAIRS][4]) {
    uint64_t state = 1;
    for (int i = 0; i < PAIRS; i++) {
        for (int k = 0; k < 4; k++) {
            float sum = 0;
            for (int n = 0; n < 3; n++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                sum += (float)(state >> 40) / 16777216.0f - 0.5f;
            }
            pairs[i][k] = sum * 17;
        }
    }
}

static float pixel(const raster *r, int x, int y) { return r->values[(size_t)y * (size_t)r->width + (size_t)x]; }

/* The smaller eigenvalue of the structure of 7 by 7 pixels, for each pixel. */
static raster strengths(const raster *r) {
    raster xx = raster_make(r->width, r->height), yy = raster_make(r->width, r->height);
    raster xy = raster_make(r->width, r->height);
    if (xx.values != NULL && yy.values != NULL && xy.values != NULL) {
        for (int y = 1; y < r->height - 1; y++) {
            for (int x = 1; x < r->width - 1; x++) {
                float across = pixel(r, x + 1, y) - pixel(r, x - 1, y), down = pixel(r, x, y + 1) - pixel(r, x, y - 1);
                size_t place = (size_t)y * (size_t)r->width + (size_t)x;
                xx.values[place] = across * across;
                yy.values[place] = down * down;
                xy.values[place] = across * down;
            }
        }
    }
    if (xx.values == NULL || yy.values == NULL || xy.values == NULL || raster_blur(&xx, 3) != 0 ||
        raster_blur(&yy, 3) != 0 || raster_blur(&xy, 3) != 0) {
        free(xx.values);
        xx.values = NULL;
    } else {
        for (size_t i = 0; i < (size_t)r->width * (size_t)r->height; i++) {
            float a = xx.values[i], b = xy.values[i], c = yy.values[i];
            xx.values[i] = (a + c) / 2 - sqrtf((a - c) * (a - c) / 4 + b * b);
        }
    }
    free(yy.values);
    free(xy.values);
    return xx;
}

/* The strongest corner of each cell of a level. */
static int corners(const raster *r, corner *out, int room) {
    raster strength = strengths(r);
    if (strength.values == NULL) return -1;
    int count = 0;
    for (int top = MARGIN; top < r->height - MARGIN; top += CELL) {
        for (int left = MARGIN; left < r->width - MARGIN && count < room; left += CELL) {
            corner best = {0, 0, 0};
            for (int y = top; y < top + CELL && y < r->height - MARGIN; y++) {
                for (int x = left; x < left + CELL && x < r->width - MARGIN; x++) {
                    float value = pixel(&strength, x, y);
                    if (value > best.strength) best = (corner){value, (float)x, (float)y};
                }
            }
            if (best.strength > 30) out[count++] = best;
        }
    }
    free(strength.values);
    return count;
}

/* `smooth` is the level without noise. */
static void describe(const raster *smooth, const corner *c, float (*const pairs)[4], uint64_t bits[4]) {
    int x = (int)c->x, y = (int)c->y;
    float across = 0, down = 0;
    for (int j = -REACH; j <= REACH; j++) {
        for (int i = -REACH; i <= REACH; i++) {
            if (i * i + j * j > REACH * REACH) continue;
            float value = pixel(smooth, x + i, y + j);
            across += (float)i * value;
            down += (float)j * value;
        }
    }
    float length = sqrtf(across * across + down * down) + 1e-6f, cosine = across / length, sine = down / length;
    memset(bits, 0, 4 * sizeof *bits);
    for (int k = 0; k < PAIRS; k++) {
        float ends[2];
        for (int e = 0; e < 2; e++) {
            float px = pairs[k][2 * e], py = pairs[k][2 * e + 1];
            int at_x = x + (int)lrintf(px * cosine - py * sine), at_y = y + (int)lrintf(px * sine + py * cosine);
            at_x = at_x < 0 ? 0 : at_x >= smooth->width ? smooth->width - 1 : at_x;
            at_y = at_y < 0 ? 0 : at_y >= smooth->height ? smooth->height - 1 : at_y;
            ends[e] = pixel(smooth, at_x, at_y);
        }
        if (ends[0] < ends[1]) bits[k / 64] |= (uint64_t)1 << (k % 64);
    }
}

keypoint_list keypoints_find(const qv_gray *picture, int long_side) {
    keypoint_list found = {calloc(MOST, sizeof(keypoint)), 0};
    corner *list = malloc(MOST * sizeof *list);
    float pairs[PAIRS][4];
    make_pairs(pairs);
    int longest = picture->width > picture->height ? picture->width : picture->height;
    double size = longest < long_side ? longest : long_side;
    for (int level = 0; level < LEVELS && list != NULL && found.list != NULL; level++, size /= STEP) {
        int width = (int)(picture->width * size / longest), height = (int)(picture->height * size / longest);
        if (width <= MARGIN || height <= MARGIN) break;
        /* Corners near an edge, and those of narrow strips, have mirrored surroundings. */
        raster r = raster_mirrored(raster_resize(picture, width, height), MARGIN);
        int count = r.values == NULL || raster_blur(&r, 1) != 0 ? -1 : corners(&r, list, MOST - found.count);
        if (count >= 0 && raster_blur(&r, 2) != 0) count = -1;
        if (count < 0) {
            free(r.values);
            free(found.list);
            found.list = NULL;
            break;
        }
        for (int i = 0; i < count; i++) {
            keypoint *f = &found.list[found.count++];
            f->x = (list[i].x - MARGIN + 0.5f) / (float)size;
            f->y = (list[i].y - MARGIN + 0.5f) / (float)size;
            describe(&r, &list[i], pairs, f->bits);
        }
        free(r.values);
    }
    free(list);
    return found;
}

static inline __attribute__((always_inline)) int distance(const keypoint *a, const keypoint *b) {
    int sum = 0;
    for (int i = 0; i < 4; i++) sum += __builtin_popcountll(a->bits[i] ^ b->bits[i]);
    return sum;
}

/* Bits are counted by one instruction where there is one. */
#if defined(__x86_64__)
__attribute__((target_clones("popcnt", "default")))
#endif
int keypoints_match(const keypoint_list *a, const keypoint_list *b, double (*pairs)[4]) {
    /* Of each of b: the nearest of a. */
    int *back = malloc((size_t)(b->count + 1) * sizeof *back), *least = malloc((size_t)(b->count + 1) * sizeof *least);
    int *ahead = malloc((size_t)(a->count + 1) * sizeof *ahead);
    if (back == NULL || least == NULL || ahead == NULL) {
        free(back);
        free(least);
        free(ahead);
        return -1;
    }
    for (int j = 0; j < b->count; j++) least[j] = PAIRS + 1;
    for (int i = 0; i < a->count; i++) {
        int first = PAIRS + 1, second = PAIRS + 1, place = -1;
        for (int j = 0; j < b->count; j++) {
            int far = distance(&a->list[i], &b->list[j]);
            if (far < least[j]) {
                least[j] = far;
                back[j] = i;
            }
            if (far >= second) continue;
            /* The same place at the next size is no rival. */
            int is_near = place >= 0 && hypotf(b->list[j].x - b->list[place].x, b->list[j].y - b->list[place].y) < 0.008f;
            if (far < first) {
                if (!is_near) second = first;
                first = far;
                place = j;
            } else if (!is_near) {
                second = far;
            }
        }
        ahead[i] = first < 80 && first * 10 < second * 9 ? place : -1;
    }
    int count = 0;
    for (int i = 0; i < a->count; i++) {
        int j = ahead[i];
        if (j < 0 || back[j] != i) continue;
        const double pair[4] = {a->list[i].x, a->list[i].y, b->list[j].x, b->list[j].y};
        memcpy(pairs[count++], pair, sizeof pair);
    }
    free(back);
    free(least);
    free(ahead);
    return count;
}
