#ifndef QUICKVAULT_CTRACE_KEYPOINTS_H
#define QUICKVAULT_CTRACE_KEYPOINTS_H

#include "raster.h"

/* A place that is easily found again, with what is around it: 256 comparisons, turned upright. */
typedef struct {
    float x, y; /* as parts of the long side */
    uint64_t bits[4];
} keypoint;

typedef struct qv_keypoints {
    keypoint *list;
    int count;
} keypoint_list;

/* Keypoints of a picture at several sizes; `list` is NULL where there is no memory. */
keypoint_list keypoints_find(const qv_gray *picture, int long_side);

/*
 * Pairs of keypoints that are each other's best, and clearly so: x, y, u, v in parts of the long sides. Returns how many;
 * `pairs` has room for one of each keypoint of `a`. -1 where there is no memory.
 */
int keypoints_match(const keypoint_list *a, const keypoint_list *b, double (*pairs)[4]);

#endif
