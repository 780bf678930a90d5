#ifndef QUICKVAULT_CIMAGE_DENSE_H
#define QUICKVAULT_CIMAGE_DENSE_H

#include "internal.h"

/* The opacity of the sentence's rows on a picture of one bit a pixel, in hundredths. */
enum { QV_BILEVEL_OPACITY = 57 };

/* The part of an opacity that a signal of 1 changes. */
#define QV_SIGNAL_PART 0.10f

/* Pixels of a side of the blocks that a picture is marked in. */
enum { QV_BLOCK = 8 };

typedef struct quads qv_quads;
struct line;

/* Rows of text in the order in which they stand. */
typedef struct {
    const qv_rows *rows;
    qv_quads *strips;
    struct row *list;
    unsigned count;
    double down; /* pixels from the top of the first to the middle of the picture */
    int (*cover_line)(const struct line *line, uint8_t *out);
} qv_row_list;

/* The pitches from the first row to the middle of the picture. */
double qv_rows_reach(const qv_dense *dense, const qv_rows *rows);
/*
 * How much longer the part of a row on the picture is than the text of its strip, in pixels; below 0 where it is shorter. `enter` is set
 * to where that part begins, along the row from the middle of the picture.
 */
double qv_room_in_row(const qv_dense *dense, const qv_rows *rows, qv_direction way, unsigned number, double *enter);

/* Prepares rows of text; `layer` is 0 for the sentence, 1 for small text. 0, or -1 where there is no memory. */
int qv_rows_start(qv_row_list *list, const qv_dense *dense, const qv_rows *rows, unsigned layer);
/*
 * Adds what rows cover of the pixels of a block, 0 to 255; `u` and `v` are the places of its corners along and across rows. 0
 * where no row touches it.
 */
int qv_rows_cover(const qv_row_list *list, const double u[4], const double v[4], uint8_t out[QV_BLOCK * QV_BLOCK]);
void qv_rows_end(qv_row_list *list);

/* Computes the dense layout for stored rows of pixels. */
typedef struct {
    const qv_dense *dense;
    uint32_t stored_width, stored_height;
    uint32_t stride;    /* bytes a row */
    float *chips;       /* +1 or -1 a cell, or NULL */
    qv_signal_grid grid;
    struct corner *above, *below; /* the corners of a row of blocks */
    uint32_t below_row; /* the row of which `below` are the upper ones; 0 before the first */
    qv_direction ways[2];
    qv_row_list sentence, small;
} qv_band;

/* `multiple`: rows have whole multiples of so many blocks. 0, or -1 where there is no memory. */
int qv_band_start(qv_band *band, const qv_dense *dense, uint32_t multiple);
/* Writes the inks of a row of blocks: QV_BLOCK rows of `stride` bytes. Pixels outside the picture get what would stand there. */
void qv_band_fill(qv_band *band, uint32_t block_row, qv_inks out);
void qv_band_end(qv_band *band);

/* The place that a person sees of a stored one, both in pixels from a corner. */
static inline void qv_dense_seen(const qv_dense *d, double x, double y, double *seen_x, double *seen_y) {
    double wide = d->width, high = d->height;
    switch (d->orientation) {
    case 2: *seen_x = wide - x, *seen_y = y; break;
    case 3: *seen_x = wide - x, *seen_y = high - y; break;
    case 4: *seen_x = x, *seen_y = high - y; break;
    case 5: *seen_x = y, *seen_y = x; break;
    case 6: *seen_x = wide - y, *seen_y = x; break;
    case 7: *seen_x = wide - y, *seen_y = high - x; break;
    case 8: *seen_x = y, *seen_y = high - x; break;
    default: *seen_x = x, *seen_y = y; break;
    }
}
/* The ink's colour (Cb and Cr, 0 in the middle) at a place that a person sees. */
void qv_dense_tint(const qv_dense *dense, double x, double y, float tint[2]);
/* The signal of the whole picture at a place that a person sees, -1 to 1; 0 where there is none. */
float qv_frame_signal(const float *chips, const qv_dense *dense, double x, double y);
/* The same for the 64 places of a block, a line after the other: place (k, l), from 0, is stored at ((left + k + 0.5) * across, (top + l + 0.5) * down). */
void qv_frame_signals(
    const float *chips, const qv_dense *dense, const qv_signal_grid *grid, double left, double top, int across, int down,
    float out[QV_BLOCK * QV_BLOCK]);
/* The eight places of a block along one side of the grid: the cells that they lie between, and for each its parts in them, as
 * coefficients of the cosine transform. */
enum { QV_SIDE_CELLS = 3 };
typedef struct {
    uint32_t first, count; /* cells; none where they would be more than three, as in small pictures */
    float parts[QV_SIDE_CELLS][QV_BLOCK];
} qv_block_side;
/* The side of the block whose first place is `start` stored samples of `step` pixels from the edge, across or down. `cosines` has 8 rows of 8. */
qv_block_side qv_block_side_at(
    const qv_dense *dense, const qv_signal_grid *grid, uint32_t start, int step, int is_down, const float *cosines);
/* The coefficients of the signal in a block: it is linear between cells along both sides. */
void qv_signal_coefficients(
    const float *chips, const qv_signal_grid *grid, int is_turned, const qv_block_side *across, const qv_block_side *down,
    float out[QV_BLOCK * QV_BLOCK]);
/* The signal of a drawn picture: that of the cell in which a place lies. */
float qv_chip_at(const float *chips, const qv_dense *dense, double x, double y);
/* A place along one side of the grid: the cell before it, the one behind it, and the part of the way to that, 0 to 1. */
typedef struct {
    uint32_t cell, next;
    float part;
} qv_cell_place;
static inline qv_cell_place qv_cell_place_of(float x, uint32_t count) {
    float last = (float)count - 1;
    x = x < 0 ? 0 : x > last ? last : x;
    uint32_t cell = (uint32_t)x;
    return (qv_cell_place){cell, cell + 1 < count ? cell + 1 : cell, x - (float)cell};
}
static inline float qv_signal_between(const float *chips, const qv_signal_grid *grid, qv_cell_place x, qv_cell_place y) {
    const float *up = chips + (size_t)y.cell * grid->across, *low = chips + (size_t)y.next * grid->across;
    float upper = up[x.cell] + x.part * (up[x.next] - up[x.cell]), lower = low[x.cell] + x.part * (low[x.next] - low[x.cell]);
    return upper + y.part * (lower - upper);
}
/* A signal at a place counted in cells, from the middle of the first one. */
static inline float qv_signal_at(const float *chips, const qv_signal_grid *grid, float x, float y) {
    return qv_signal_between(chips, grid, qv_cell_place_of(x, grid->across), qv_cell_place_of(y, grid->down));
}
/* The levels of that signal in a block, from the means of its samples and of their squares: more where it is busy. */
float qv_texture(float mean, float mean_of_squares);
/* Chips as numbers; NULL where there is no memory. */
float *qv_expand_chips(const uint8_t *bits, const qv_dense *dense);

/* The lightness of blocks, and of what is around them. */
typedef struct {
    uint32_t across, down;
    uint8_t *mean;  /* of each block, 0 to 255 */
    uint8_t *local; /* of the blocks within one em */
    uint8_t *ground; /* whether ink is light there: the mean that decides */
    int is_light;   /* 0 or 1 where the ink is given, else -1 */
    int has_core;   /* strokes have a core */
    int is_drawn;   /* few levels of gain */
} qv_ink_map;

/* The ink of a block: light or dark, and how much more of it than on white or black. */
typedef struct {
    int is_light, has_core;
    float gain;
} qv_ink;

/* 0, or -1 where there is no memory; as the next. */
int qv_ink_map_start(qv_ink_map *map, uint32_t width, uint32_t height);
/* Computes `local` and `ground`. `em`: of the layout, in pixels of the map. */
int qv_ink_map_decide(qv_ink_map *map, const qv_dense *dense, double em, int is_light);
qv_ink qv_ink_at(const qv_ink_map *map, uint32_t column, uint32_t row);
void qv_ink_map_end(qv_ink_map *map);

/* How much ink a pixel gets in a block, 0 to 1. */
static inline float qv_ink_part(float part, qv_ink ink) {
    return part * ink.gain < 1 ? part * ink.gain : 1;
}

/* The lightness that a sample of 0 to 255 is moved to: what is as the ink itself goes the other way. */
static inline float qv_ink_target(int is_light, float sample) {
    return is_light ? (sample > 191 ? 65 : 255) : (sample < 64 ? 190 : 0);
}

/* How far a sample of 0 to 255 is as the ink itself, 0 to 1. */
static inline float qv_ink_likeness(int is_light, float sample) {
    float likeness = (is_light ? sample - 159 : 96 - sample) / 48;
    return likeness < 0 ? 0 : likeness > 1 ? 1 : likeness;
}

/* What ink changes of a sample of 0 to 255; `part` and `core` are 0 to 1. */
static inline float qv_ink_change(qv_ink ink, float sample, float part, float core) {
    if (!ink.has_core) return qv_ink_part(part, ink) * (qv_ink_target(ink.is_light, sample) - sample);
    float likeness = qv_ink_likeness(ink.is_light, sample);
    return (1 - likeness) * qv_ink_part(part, ink) * ((ink.is_light ? 255 : 0) - sample) +
        likeness * core * ((ink.is_light ? 65 : 190) - sample);
}

/* How much strokes stand out, block by block: the mean over the pixels of a stroke of the ratio of luminances. */
typedef struct {
    float levels[256]; /* the logarithm of the luminance (IEC 61966-2-1) + 0.05 of a sample */
    float sum;
    int count;
    uint64_t cells, faint;
} qv_contrast;

/* Ink, of 255, from which on a pixel counts as one of a stroke. */
enum { QV_STROKE = 26 };

void qv_contrast_start(qv_contrast *contrast);
/* Takes a pixel of a stroke: its lightness before and after, 0 to 255. */
void qv_contrast_add(qv_contrast *contrast, float before, float after);
/* Ends a block. */
void qv_contrast_end(qv_contrast *contrast);

#endif
