/* Both ways of the code that CImage chooses by the processor (twins.c). */
#ifndef QUICKVAULT_TESTS_TWINS_H
#define QUICKVAULT_TESTS_TWINS_H

#include "cimage.h"

/* Whether this processor has AVX2; without it only the plain twins may be called. */
int twin_has_avx2(void);

typedef struct twin_strip twin_strip;

/* A strip as rows.c holds it. */
twin_strip *twin_strip_make(const qv_coverage *strip);
void twin_strip_free(twin_strip *strip);

/* A line of a block: where its first pixel stands in a strip, and the steps from one pixel to the next, 4096 a pixel. */
typedef struct {
    const twin_strip *strip;
    int u, v, across, down;
} twin_line;

/* Adds the coverage of a line of 8 pixels; 0 where no stroke touches it. */
int twin_cover_plain(const twin_line *line, uint8_t *out);
int twin_cover_avx2(const twin_line *line, uint8_t *out);

/* The ink of a whole picture as it is stored; NULL where there is no memory. */
uint8_t *twin_fill(const qv_dense *dense, int is_avx2, size_t *length);

/* qv_jpeg_mark without the clone for AVX2 of the work on coefficients. */
enum qv_image_status twin_jpeg_mark(const qv_input *input, qv_mark *mark, const qv_output *output, char *message);

#endif
