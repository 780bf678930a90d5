#ifndef QUICKVAULT_CIMAGE_JPEG_BLOCK_H
#define QUICKVAULT_CIMAGE_JPEG_BLOCK_H

#include "jpeg_internal.h"

#include <math.h>

/* 8 rows of 8. */
typedef float qv_matrix[DCTSIZE2];

/* The cosine transform (ITU-T T.81, A.3.3): C[u][x] = c(u)/2 cos((2x + 1) u π / 16), and C transposed. */
typedef struct {
    qv_matrix to_samples, to_coefficients;
} qv_cosines;

static inline void qv_make_cosines(qv_cosines *c) {
    for (int u = 0; u < 8; u++) {
        for (int x = 0; x < 8; x++) {
            c->to_samples[8 * u + x] = c->to_coefficients[8 * x + u] =
                (float)((u == 0 ? sqrt(0.125) : 0.5) * cos((2 * x + 1) * u * M_PI / 16));
        }
    }
}

/* block = Mᵀ · block · M: with C coefficients become samples, with C transposed samples become coefficients. */
static inline __attribute__((always_inline)) void qv_transform(const qv_matrix m, qv_matrix block) {
    qv_matrix half = {0}, whole = {0};
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 8; k++) {
            for (int j = 0; j < 8; j++) half[8 * i + j] += block[8 * i + k] * m[8 * k + j];
        }
    }
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 8; k++) {
            for (int j = 0; j < 8; j++) whole[8 * i + j] += m[8 * k + i] * half[8 * k + j];
        }
    }
    for (int i = 0; i < DCTSIZE2; i++) block[i] = whole[i];
}

/* Samples of a block, -128 to 127. */
static inline __attribute__((always_inline)) void qv_block_samples(const qv_cosines *c, const JCOEF *block, const UINT16 *table, qv_matrix samples) {
    for (int i = 0; i < DCTSIZE2; i++) samples[i] = (float)block[i] * table[i];
    qv_transform(c->to_samples, samples);
    for (int i = 0; i < DCTSIZE2; i++) samples[i] = samples[i] < -128 ? -128 : samples[i] > 127 ? 127 : samples[i];
}

/* Adds a change of coefficients to a block; returns 1 if the block changed. */
static inline __attribute__((always_inline)) int qv_block_add_coefficients(JCOEF *block, const UINT16 *table, const qv_matrix change) {
    int is_changed = 0;
    for (int i = 0; i < DCTSIZE2; i++) {
        float part = change[i] / table[i];
        int value = block[i] + (int)(part + (part < 0 ? -0.5f : 0.5f));
        value = value < -1023 ? -1023 : value > 1023 ? 1023 : value;
        is_changed |= value != block[i];
        block[i] = (JCOEF)value;
    }
    return is_changed;
}

/* The same of a change of samples. */
static inline __attribute__((always_inline)) int qv_block_add(const qv_cosines *c, JCOEF *block, const UINT16 *table, qv_matrix change) {
    qv_transform(c->to_coefficients, change);
    return qv_block_add_coefficients(block, table, change);
}

/* Overwrites what stands beyond the edge of the picture in the blocks that reach past it, where it is something else than the
 * edge repeated: it was cut off, and must not go out. Other blocks, and those of ordinary pictures, stay as they are. */
void qv_jpeg_repeat_edges(struct jpeg_decompress_struct *info, jvirt_barray_ptr *coefficients);

/* Makes the hidden parts of a mark black; ends the job where a table is damaged. */
void qv_jpeg_hide(struct jpeg_decompress_struct *info, jvirt_barray_ptr *coefficients, const qv_mark *mark);

/*
 * Marks all coefficients in the dense layout, with two threads; ends the job where a table is damaged or the sampling does
 * not come out even.
 */
void qv_jpeg_mark_dense(struct jpeg_decompress_struct *info, jvirt_barray_ptr *coefficients, qv_mark *mark);

/* A strip that a JPEG gets, and how its blocks are written. */
typedef struct {
    const qv_added_strip *strip;
    struct jpeg_decompress_struct *in;
    jvirt_barray_ptr *coefficients;
    uint32_t units_across, units_down; /* of the picture: in each of them a component has whole blocks */
    uint32_t unit_width, unit_height;  /* pixels */
    uint8_t *bytes;
    uint32_t width, height; /* of `bytes` */
    JBLOCK *blocks[3];      /* of each component: a row of units, or two */
    JBLOCKROW rows[3][2];
    qv_cosines cosines;
    qv_raster_sums raster;
} qv_jpeg_strip;

/* Measures the marked picture and has the strip drawn; ends the job where the picture cannot get one. */
void qv_jpeg_strip_draw(qv_jpeg_strip *s, struct jpeg_decompress_struct *in, jvirt_barray_ptr *coefficients, const qv_added_strip *strip);
/* Makes what is written larger, and its blocks come from the picture and the strip. */
void qv_jpeg_strip_join(qv_jpeg_strip *s, struct jpeg_compress_struct *out);
void qv_jpeg_strip_end(qv_jpeg_strip *s);

#endif
