#ifndef QUICKVAULT_CIMAGE_PNG_MARK_H
#define QUICKVAULT_CIMAGE_PNG_MARK_H

#include "dense.h"
#include "png_internal.h"

/* A PNG that is marked: what is read, and what is written of it. */
typedef struct {
    qv_png_source source;
    png_structp png;
    png_infop info;
    qv_writer out;
    uint8_t *cover; /* of one row */
    uint8_t *profile; /* the colour profile, as far as it is kept */
    size_t profile_length;
    int channels, bytes, has_alpha; /* as read; what is written has no alpha */
    int is_bilevel, is_palette;
    int is_drawn; /* half of its blocks are of one colour */
    struct palette *palette; /* of the copy; NULL where it has none */
    qv_contrast contrast;
    /* The dense layout, as it is drawn on this picture: the band refers to it. */
    qv_dense dense;
    qv_band band;
    qv_ink_map ink;
    uint8_t *rows, *inks, *cores; /* of a row of blocks; `cores` is NULL where the layout has none */
    float *frame_chips;
    const qv_added_strip *strip;
    uint8_t *strip_bytes, *strip_row;
    qv_raster_sums raster;
} qv_png_marker;

/* The lightness of a pixel, 0 to 255. */
static inline float qv_png_lightness(const qv_png_marker *m, const uint8_t *pixel) {
    if (m->channels - m->has_alpha == 1) return pixel[0];
    return 0.299f * pixel[0] + 0.587f * pixel[m->bytes] + 0.114f * pixel[2 * m->bytes];
}

/* Reads the header, sets the transforms and says what pixels come. */
void qv_png_read_kind(qv_png_marker *m);
/* Writes the header and what is kept of the metadata; one bit a pixel, or as many as come. */
void qv_png_start_writing(qv_png_marker *m, int is_bilevel);
/* Writes a row of the picture. */
void qv_png_write_row(qv_png_marker *m, uint32_t y, uint8_t *row);
/* Writes the strip, if there is one, and ends the file. */
void qv_png_end_writing(qv_png_marker *m);
/* Puts the transparent pixels of a row over white, so that no colour hides behind them, and moves the rest together. */
void qv_png_flatten(const qv_png_marker *m, uint8_t *row);
/* Moves a sample of 8 or 16 bits towards another, as far as a stroke covers it; whether that changed it. */
int qv_png_move(uint8_t *sample, int bytes, unsigned target, double part);

/* Begins the palette of a copy, and gives it back. */
void qv_png_palette_start(qv_png_marker *m);
void qv_png_palette_end(qv_png_marker *m);
/* Counts the colours of a row, of 3 bytes each; -1 where there are too many. */
int qv_png_palette_count(qv_png_marker *m, const uint8_t *row);
/* Decides which colours the palette has; -1 where some other colour has none that is near enough. */
int qv_png_palette_decide(qv_png_marker *m);
/* Makes the colours of a row, of 3 bytes each, numbers of the palette, of 1; -1 for a colour that was not counted. */
int qv_png_palette_take(qv_png_marker *m, uint8_t *row);
/* Gives the palette to libpng. */
void qv_png_palette_write(qv_png_marker *m);

/*
 * The passes of the dense layout: how light each block is; which colours a copy of a drawn palette picture has; then the marks
 * themselves.
 */
void qv_png_measure(qv_png_marker *m, qv_mark *mark);
void qv_png_collect(qv_png_marker *m, qv_mark *mark);
void qv_png_mark_dense(qv_png_marker *m, qv_mark *mark);

#endif
