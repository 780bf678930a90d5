#ifndef QUICKVAULT_CIMAGE_INTERNAL_H
#define QUICKVAULT_CIMAGE_INTERNAL_H

#include "cimage.h"

/*
 * A picture made smaller while its rows come in: each pixel of the result is the mean of those that fall into it.
 */
typedef struct {
    uint32_t width, height;         /* of what comes in */
    uint32_t out_width, out_height; /* at most these */
    uint32_t row;                   /* rows taken */
    uint32_t out_row;               /* the row that is being summed */
    uint32_t rows;                  /* rows in the sums */
    uint32_t *sums;                 /* 3 for each pixel of a row of the result */
    uint32_t *counts;               /* pixels that fall into each column */
    uint8_t *bytes;                 /* the result, 3 bytes a pixel */
} qv_shrinker;

/* 0, or -1 where there is no memory. `out_width` and `out_height` bound the result. */
int qv_shrinker_start(qv_shrinker *s, uint32_t width, uint32_t height, uint32_t out_width, uint32_t out_height);
/* Takes the next row, 3 bytes a pixel. */
void qv_shrinker_take(qv_shrinker *s, const uint8_t *row);
/* Turns the result as an EXIF orientation (1 to 8) says and hands it over; -1 where there is no memory. */
int qv_shrinker_finish(qv_shrinker *s, int orientation, qv_pixels *out);
/* Gives back what it has. */
void qv_shrinker_end(qv_shrinker *s);

/* A raster that is summed up pixel by pixel. */
typedef struct {
    uint32_t width, height;         /* of the picture */
    uint32_t out_width, out_height; /* of the raster */
    uint32_t *columns;              /* the raster's column of each of the picture */
    uint64_t *sums;
    uint32_t *counts;
    uint8_t *bytes;
} qv_raster_sums;

/* 0, or -1 where there is no memory. */
int qv_raster_start(qv_raster_sums *r, uint32_t width, uint32_t height);
/* Adds the lightness of a pixel. */
static inline void qv_raster_add(qv_raster_sums *r, uint32_t x, uint32_t y, unsigned lightness) {
    size_t place = (size_t)((uint64_t)y * r->out_height / r->height) * r->out_width + r->columns[x];
    r->sums[place] += lightness;
    r->counts[place]++;
}
/* The raster, which stays in `r`. */
qv_raster qv_raster_finish(qv_raster_sums *r);
void qv_raster_end(qv_raster_sums *r);

enum qv_image_status qv_jpeg_read(
    const qv_input *input, uint32_t width, uint32_t height, qv_pixels *out, char *message);
enum qv_image_status qv_png_read(
    const qv_input *input, uint32_t width, uint32_t height, qv_pixels *out, char *message);

enum qv_image_status qv_jpeg_look(const qv_input *input, qv_image_facts *facts, char *message);
enum qv_image_status qv_png_look(const qv_input *input, qv_image_facts *facts, char *message);

/* Bytes of a stream that are in memory at once. */
enum { QV_PIECE = 65536 };

/* `count` bytes from `place` on, which are there; 0, or something else if it failed. */
int qv_input_read(const qv_input *input, size_t place, uint8_t *out, size_t count);

/* An input, from its start to its end. */
typedef struct {
    const qv_input *input;
    size_t place; /* of what comes next */
    uint8_t piece[QV_PIECE];
} qv_reader;

/* The next bytes, and how many: 0 at the end, -1 if reading failed. */
long qv_reader_next(qv_reader *reader, const uint8_t **bytes);
void qv_reader_skip(qv_reader *reader, size_t count);

/* An output that gets whole pieces. */
typedef struct {
    const qv_output *output;
    size_t count;
    uint8_t piece[QV_PIECE];
} qv_writer;

/* 0, or something else if writing failed. */
int qv_writer_add(qv_writer *writer, const uint8_t *bytes, size_t count);
int qv_writer_flush(qv_writer *writer);

/* Walks over a mark from the top. */
typedef struct {
    const qv_mark *mark;
    uint32_t width, height; /* of the picture: what stands outside covers nothing */
    size_t first;           /* places before it end above the rows that are asked for */
} qv_mark_walk;

/*
 * Writes how much of each pixel in a rectangle is covered (`width` bytes a row); 0 if nothing is. Rectangles come with
 * `y` that does not fall.
 */
int qv_mark_cover(qv_mark_walk *walk, int64_t x, int64_t y, uint32_t width, uint32_t height, uint8_t *out);

/* A TIFF header and one entry: the orientation. */
enum { QV_EXIF_LENGTH = 26 };
void qv_exif_write(int orientation, uint8_t out[QV_EXIF_LENGTH]);

/*
 * A colour profile with nothing but what colours follow from: no names, days, serial numbers, nothing appended. `*out` is for
 * qv_image_free, and NULL for what is no profile. 0, or -1 where there is no memory.
 */
int qv_profile_clean(const uint8_t *data, size_t length, uint8_t **out, size_t *out_length);

/* Keeps a clean colour profile, if it is one of red, green and blue. 0, or -1 where there is no memory. */
int qv_keep_profile(const uint8_t *data, size_t length, qv_pixels *out);

/* Notes the library's words. */
void qv_image_say(char *message, const char *text);

#endif
