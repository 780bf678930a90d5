/*
 * CTrace: a leaked picture laid over its original, the signals of copies in what is left, and cards in photos
 * (Spec/product/watermark.md, 8 and 11).
 * No file, no allocation that stays, no other library.
 */
#ifndef QUICKVAULT_CTRACE_H
#define QUICKVAULT_CTRACE_H

#include <stddef.h>
#include <stdint.h>

/* Lightness, 0 to 255, rows from the top without gaps. */
typedef struct {
    int width, height;
    const float *values;
} qv_gray;

/* The result of a registration. */
enum qv_register_status {
    QV_REGISTERED = 0,
    QV_REGISTER_NO_MATCH, /* too few places of one are found in the other */
    QV_REGISTER_NO_MEMORY,
};

/* Nodes of the grid of local moves, across and down. */
enum { QV_MOVES_ACROSS = 13, QV_MOVES_DOWN = 9 };

typedef struct {
    double map[9];   /* from places in the original to those in the leak: a homography, by rows */
    float moves[QV_MOVES_DOWN][QV_MOVES_ACROSS][2]; /* added in the original, pixels, linear between nodes */
    int matches;     /* places that agree with it */
    double residual; /* what is left half way between nodes: the median, in pixels of the original at 1,600 at most */
    double fit;      /* how well the leak fits there, -1 to 1: the upper quartile of correlations in squares */
} qv_registration;

/* Places of a picture that are easily found again. */
typedef struct qv_keypoints qv_keypoints;

/* Those of a leak, for qv_keypoints_free; NULL where there is no memory. */
qv_keypoints *qv_keypoints_of(const qv_gray *leak);
void qv_keypoints_free(qv_keypoints *found);

/*
 * Finds where an original lies in a leak: scaled, turned, cut, in perspective. `corners`: places in the leak of the
 * original's upper left, upper right, lower right and lower left corner, x and y; NULL where they are to be found. `known`: the leak's keypoints, for any number of originals; NULL where they are to be found.
 */
enum qv_register_status qv_register(
    const qv_gray *original, const qv_gray *leak, const qv_keypoints *known, const double corners[8], qv_registration *out);

/*
 * Writes the leak as it lies over the original: a value for each of the original's pixels, negative where the leak does not
 * reach.
 */
void qv_lay_over(const qv_gray *original, const qv_gray *leak, const qv_registration *where, float *out);

/*
 * Takes out (-1) where a leak is flat and its original is not: what was painted over or cut away tells nothing. 0, or -1 where
 * there is no memory.
 */
int qv_drop_flat(const qv_gray *expected, float *laid);

/*
 * The difference of a leak that lies over its original from what is expected: tones matched, slow light taken out, limited to
 * what is usual, and divided by the square of that. `certainty` is 1 over that square, 0 where the leak does not reach. `reach`
 * is the radius of slow light in pixels. 0, or -1 where there is no memory.
 */
int qv_difference(const qv_gray *expected, const float *laid, int reach, float *out, float *certainty);

/* Cells of a signal. */
typedef struct {
    int across, down;
    double side; /* pixels of the original */
} qv_cells;

/*
 * Adds up, for each cell, the difference where a chip of it would show, `slope` being what a signal of 1 changes; makes it
 * relative to the cells around, limits it, and weighs it by how much the cell can tell. 0, or -1 where there is no memory.
 */
int qv_correlate(
    const qv_gray *size, const float *difference, const float *certainty, const float *slope, const qv_cells *cells,
    float *out);

/*
 * Prepares scores: for each 8 cells the sum that each byte of chips gives, 256 values for each 8 cells, begun or whole, all
 * divided by the standard deviation of the sum that random chips give.
 */
void qv_prepare_scores(const float *cells, size_t count, float *table);

/* The score of chips (a bit each), in standard deviations; `count` bytes of them. */
double qv_score(const float *table, size_t count, const uint8_t *chips);

/*
 * A picture that somebody signed, and the code beside it (Spec/product/strip.md). Places are in pixels of the picture then, from its
 * upper left corner.
 */
typedef struct {
    double width, height;
    int columns, rows;                 /* cells */
    const double *across, *down;       /* their edges: columns + 1 and rows + 1 places */
    const uint8_t *levels;             /* of each cell */
    double low, step;                  /* the lightness of level 0, and from level to level */
    double code_left, code_top, module; /* of the code */
    int modules;
    double corners[8];                 /* of the code in the picture that is compared, clockwise from the upper left: x, y */
} qv_signed_picture;

/* The standard deviations from which a cell was changed. */
enum { QV_CHANGED = 6 };

/* How a picture that is looked at agrees with the one that was signed. */
typedef struct {
    int has_pattern;    /* 0 where the signed cells have no more than a plane, which any picture fits */
    int has_tones;      /* 0 where lightness would have changed by a factor that no copy has */
    double correlation; /* of the lightness, without planes, of the cells that differ by less than QV_CHANGED, -1 to 1 */
    double noise;       /* the usual difference of a cell, in steps */
    double reach;       /* the part of the signed picture that the other one shows, 0 to 1 */
    double part;        /* the part of the other one that picture and code take, 0 to 1 */
    double scale;       /* pixels of the other one for one of the signed picture, in its middle */
    float *differences; /* of columns by rows cells: how much a cell differs, in standard deviations; set by the caller */
} qv_agreement;

/* Compares them. 0, or -1 where there is no memory, or the corners are those of no code. */
int qv_compare(const qv_gray *seen, const qv_signed_picture *signed_picture, qv_agreement *out);

/* Pixels: 3 bytes each (red, green, blue), rows from the top without gaps. */
typedef struct {
    int width, height;
    const uint8_t *bytes;
} qv_colours;

enum qv_card_status {
    QV_CARD_FOUND = 0,
    QV_CARD_NONE,    /* nothing with four straight sides and the shape of a card */
    QV_CARD_SEVERAL, /* more than one, and the best of them */
    QV_CARD_NO_MEMORY,
};

/*
 * Finds the card that a photo shows as a whole. `ratios`: of the long side to the short one of each card that it may be. `corners`:
 * set where one is found, or several: x and y in pixels of the photo, where its sides meet, clockwise from the upper left.
 */
enum qv_card_status qv_find_card(const qv_colours *photo, const double *ratios, int count, double corners[8]);

/* The ratio of width to height of the card whose corners these are, without the perspective; 0 where they are those of none. */
double qv_card_ratio(const double corners[8], double width, double height);

/*
 * Writes what lies within four corners, clockwise from the upper left, as a picture of width by height pixels, 3 bytes each. 0, or -1
 * where the corners are no quadrilateral.
 */
int qv_flatten(const qv_colours *photo, const double corners[8], int width, int height, uint8_t *out);

#endif
