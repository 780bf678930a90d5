/*
 * CImage: pictures, by libjpeg and libpng. One call is one whole job: it opens, works, closes and says how it went. All
 * setjmp lives in here, with no frame of another language between it and the library that jumps: `read` and `write` of a
 * stream return before that. `message` has room for QV_IMAGE_MESSAGE bytes and gets the library's words, or none.
 */
#ifndef QUICKVAULT_CIMAGE_H
#define QUICKVAULT_CIMAGE_H

#include <stddef.h>
#include <stdint.h>

/* The result of a job. */
enum qv_image_status {
    QV_IMAGE_DONE = 0,
    QV_IMAGE_UNKNOWN,     /* neither JPEG nor PNG */
    QV_IMAGE_CORRUPT,     /* damaged or cut short; `message` says what the library said */
    QV_IMAGE_UNSUPPORTED, /* a variant that is not handled */
    QV_IMAGE_TOO_LARGE,   /* beyond the limits below */
    QV_IMAGE_NO_MEMORY,
    QV_IMAGE_BAD_TABLE,   /* a quantisation table with a zero */
    QV_IMAGE_NO_FONT,     /* no font at all */
    QV_IMAGE_NO_GLYPH,    /* no font has a character; `message` is its number in hexadecimal */
    QV_IMAGE_STOPPED,     /* `read` or `write` of a stream failed */
};

/*
 * Where a picture comes from: `bytes` is all of it; where that is NULL, `read` fills `out` with `count` bytes from
 * `place` on, which never reach beyond `length`. It returns 0, or something else if it failed.
 */
typedef struct {
    const uint8_t *bytes;
    size_t length;
    int (*read)(void *context, size_t place, uint8_t *out, size_t count);
    void *context;
} qv_input;

/* The destination of a picture, piece by piece; `write` returns 0, or something else if it failed. */
typedef struct {
    int (*write)(void *context, const uint8_t *bytes, size_t count);
    void *context;
} qv_output;

/* Limits for what comes from outside. */
enum {
    QV_IMAGE_FILE = 64 << 20,          /* bytes of a picture */
    QV_IMAGE_SIDE = 30000,             /* pixels */
    QV_IMAGE_PIXELS = 120 * 1000 * 1000,
    QV_IMAGE_DRAWN = 40 * 1000 * 1000, /* pixels of a picture that is drawn anew: 256 MiB. A4 at 600 dots per inch has 35 */
    QV_IMAGE_SCANS = 100,              /* of a JPEG */
    QV_IMAGE_MEMORY = 216 << 20,       /* bytes of an interlaced PNG, or of the coefficients of a JPEG */
    QV_IMAGE_ICC = 4 << 20,            /* bytes of a colour profile */
    QV_IMAGE_MESSAGE = 200,            /* the library's words, with the NUL */
};

/* Pixels: 3 bytes each (red, green, blue), rows from the top without gaps. */
typedef struct {
    uint32_t width, height;
    uint8_t *bytes;   /* for qv_image_free */
    uint8_t *profile; /* the colour profile (ICC) of red, green and blue, or NULL; for qv_image_free */
    size_t profile_length;
    double dpi; /* dots per inch, the same across and down; 0 where the file does not say */
} qv_pixels;

/*
 * Reads a JPEG or PNG as a person sees it, no larger than `width` by `height` pixels (at least 1 each): turned as its
 * EXIF says, transparent pixels over white. A picture that is smaller is not enlarged. A colour profile that is longer
 * than QV_IMAGE_ICC is left out.
 */
enum qv_image_status qv_image_read(
    const qv_input *input, uint32_t width, uint32_t height, qv_pixels *out, char *message);

/*
 * Whether a picture of width * height pixels and another one, made as large, show the same: each number of either lies within
 * those of the three by three pixels around its place in the other, give or take `tolerance`. So edges may lie a pixel aside, and
 * nothing may be there in one of them alone. The outermost pixels do not count.
 */
int qv_pictures_agree(
    const uint8_t *drawn, uint32_t width, uint32_t height, const uint8_t *kept, uint32_t across, uint32_t down, int tolerance);

/* Writes pixels, with their profile, as a JPEG of a quality from 1 to 100; `*data` is for qv_image_free. */
enum qv_image_status qv_jpeg_write(
    const qv_pixels *pixels, int quality, uint8_t **data, size_t *length, char *message);

/* The header of a picture. */
typedef struct {
    uint32_t width, height; /* as stored */
    int orientation;        /* EXIF, 1 to 8 */
    int is_png;
} qv_image_facts;

enum qv_image_status qv_image_look(const qv_input *input, qv_image_facts *facts, char *message);

/* The coverage of each pixel by strokes: a byte each, 255 all of it, rows from the top without gaps. */
typedef struct {
    uint32_t width, height;
    uint8_t *bytes;    /* for qv_image_free */
    double line_width; /* pixels of the longest line, before it is turned */
} qv_coverage;

/*
 * Draws lines of text, one beneath the other, centred, turned by `degrees` counter-clockwise: just as large as it has to
 * be. Each character comes from the first font that has it: of the family asked for (NULL for any), then what fontconfig
 * puts nearest. `size` is that of an em, in pixels; lines are 1.4 em apart.
 */
enum qv_image_status qv_text_draw(
    const char *const *lines, size_t count, const char *family, double size, double degrees, qv_coverage *out,
    char *message);

/*
 * A part of a row of text. A part with a slot is centred in a slot of whole steps, so that a longer text moves nothing
 * behind it unless it takes a step more.
 */
typedef struct {
    const char *text; /* UTF-8 */
    int has_slot;
    int is_hidden; /* its place stays empty, but for a bar */
    int bar;       /* the coverage of a bar behind the whole slot, 0 to 255 */
    double from, to; /* set: the slot, in pixels from the strip's start */
} qv_text_part;

/* The steps of a slot, in ems. */
enum { QV_SLOT_STEP = 4 };

/*
 * Draws one row of text, not turned, as it repeats along a row: parts one behind the other, then `gap` ems. It is 1.5 ems
 * high; its first and last rows of pixels are empty, and its last column is the first again. `line_width` is the length
 * after which it repeats, in pixels. Fonts as in qv_text_draw.
 */
enum qv_image_status qv_strip_draw(
    qv_text_part *parts, size_t count, const char *family, double size, double gap, qv_coverage *out,
    char *message);

/* Rows of text all over a picture (Spec/product/watermark.md, 3.2). */
typedef struct {
    const qv_coverage *strips; /* of qv_strip_draw: row r shows number r modulo `count` */
    size_t count;
    double scale;              /* pixels of a strip for one of the picture */
    double degrees;            /* counter-clockwise */
    double pitch;              /* pixels from row to row */
    double phase;              /* pixels by which rows are moved down */
    double opacity;            /* before the fields change it */
    double gap;                /* pixels of a strip without a stroke at its end */
    int has_sentences;         /* where a row is long enough, the whole strip shows in it */
    int bar;                   /* the coverage of the strips' bars, 0 to 255; 0 for none */
} qv_rows;

enum { QV_NOISE_SIDE = 256, QV_FIELDS = 6 };

/* The cells of a share's signal along the long side of a picture. */
enum { QV_SIGNAL_CELLS = 200 };

/* The dense layout: rows of the sentence, rows of small text, and the fields that change them from place to place. */
typedef struct {
    uint32_t width, height; /* of the picture as a person sees it */
    int orientation;        /* EXIF, 1 to 8 */
    double em;
    qv_rows rows, micro;
    double slow, fine;          /* the parts of the opacity that noise changes from place to place, in broad and in fine cells */
    double core;                /* the opacity of strokes on what is as the ink itself, which becomes gray; 0: as the layout "dense" has it */
    double reach;               /* ems within which the mean lightness decides where that within one em does not; 0 for none */
    int is_drawn;               /* as on a drawn picture: whole strokes of one opacity; set for PNGs where they are found to be drawn */
    const uint8_t *noise;       /* QV_NOISE_SIDE squared bytes */
    double shifts[2 * QV_FIELDS]; /* of each field in the noise, across and down */
    double focus[4];            /* left, top, right and lower edge, as seen, of where there is more ink; 0 for none */
    const uint8_t *chips;       /* a bit a cell, of the strokes' signal; NULL for none */
    const uint8_t *frame_chips; /* the same of the whole picture's signal; NULL for none */
} qv_dense;

/* Cells of the signal across and down, and pixels of their side. */
typedef struct {
    uint32_t across, down;
    double side;
} qv_signal_grid;
qv_signal_grid qv_signal_grid_of(uint32_t width, uint32_t height);

/* The rows of the sentence whose part on the picture is as long as their text. */
unsigned qv_whole_rows(const qv_dense *dense);

/* The geometry at a point that a person sees, in pixels from the upper left corner. */
typedef struct {
    double row_u, row_v;     /* along and across the rows of the sentence */
    double micro_u, micro_v; /* the same for the small text */
    double opacity;          /* the factor of both, before the limits */
    double signal;           /* -1 to 1 */
} qv_dense_point;
qv_dense_point qv_dense_at(const qv_dense *dense, double x, double y);

/* What a copy is expected to be, at a size that may be smaller than its own; all of width by height values. */
typedef struct {
    uint32_t width, height;
    const float *original; /* lightness, 0 to 255, as a person sees it */
    float *expected;       /* set: lightness with the strokes, without a signal */
    float *slope;          /* set: what a signal of 1 in the strokes adds */
    float *frame_slope;    /* set: what a signal of 1 of the whole picture adds */
} qv_expectation;

/* 0, or -1 where there is no memory. `is_light` as in a mark. */
int qv_dense_expect(const qv_dense *dense, int is_light, const qv_expectation *expectation);

/* How much ink pixels get, 0 to 255. */
typedef struct {
    uint8_t *all;
    uint8_t *rows;  /* the part of the sentence's rows without the signal; may be NULL */
    uint8_t *cores; /* where the pixel is as the ink itself, in place of `all`; may be NULL */
} qv_inks;

/* The ink of a whole picture as a person sees it, a byte a pixel, rows from the top. 0, or -1 where there is no memory. */
int qv_dense_map(const qv_dense *dense, qv_inks out);

/* The longer side of a raster, in pixels, at most. */
enum { QV_RASTER_SIDE = 640 };

/* A marked picture made small: the lightness of each pixel is the mean of those that fall into it. As stored. */
typedef struct {
    uint32_t width, height;
    const uint8_t *bytes;
    uint32_t gap; /* pixels between the edge of the picture and the strip that it gets */
} qv_raster;

/* The sides of a stored picture. */
enum qv_side { QV_SIDE_BOTTOM, QV_SIDE_TOP, QV_SIDE_RIGHT, QV_SIDE_LEFT };

/*
 * A strip along a side of a picture. It is drawn when all else of the copy is known: `draw` gets the picture, and writes the strip
 * as it is stored, a byte of lightness a pixel, along the whole side. It returns 0, or something else if it failed.
 */
typedef struct {
    enum qv_side side;
    uint32_t depth; /* pixels; a multiple of 16 */
    int (*draw)(void *context, const qv_raster *picture, uint8_t *out);
    void *context;
} qv_added_strip;

/* A part of a picture, in stored pixels; those at `right` and `bottom` are no longer within. */
typedef struct {
    uint32_t left, top, right, bottom;
} qv_box;

/* A mark: one drawing at many places, whose upper left corner may lie outside the picture. */
typedef struct {
    const qv_dense *dense; /* the dense layout; NULL for a drawing at places */
    const qv_coverage *drawing;
    const int32_t *places; /* x and y in stored pixels, one pair after the other, ordered by y */
    size_t count;
    const qv_box *hidden;  /* without a drawing: parts that become black, and keep nothing of what they showed */
    size_t hidden_count;
    const qv_added_strip *strip; /* NULL for none */
    double opacity;        /* 0 to 1 */
    int is_light;          /* 1 white ink, 0 black, -1 what stands out: then set to that */
    uint64_t touched;      /* set: blocks of a JPEG, pixels of a PNG that it changed */
    uint64_t cells;        /* set: blocks of 8 by 8 pixels with a stroke */
    uint64_t faint;        /* set: those in which strokes stand out by less than QV_FAINT_CONTRAST */
    double untouched;      /* set: the share of pixels without a stroke */
} qv_mark;

/* The ratio of luminances (WCAG 2, contrast ratio), in hundredths, below which a stroke is hard to see. */
enum { QV_FAINT_CONTRAST = 125 };

/* Pictures whose mean lightness, of 255, is below this get white ink. */
enum { QV_MARK_DARK = 100 };

/*
 * Marks a JPEG in its coefficients: blocks without a stroke stay as they are. Of the metadata the colour profile and the
 * orientation are kept. Hidden parts are extended to whole units of blocks, so that each block is hidden as a whole. A strip goes
 * to pictures of gray, and of lightness and two colours of at most half its resolution.
 */
enum qv_image_status qv_jpeg_mark(
    const qv_input *input, qv_mark *mark, const qv_output *output, char *message);

/*
 * Marks a PNG row by row: pixels without a stroke stay as they are. Of the metadata what says how colours look. What
 * stands out is known after the last row: until then it is black, and if that is not it, this wants to be called again. A strip
 * goes to the bottom only.
 */
enum qv_image_status qv_png_mark(
    const qv_input *input, qv_mark *mark, const qv_output *output, char *message);

/* Sine and cosine of an angle, without another library. */
typedef struct {
    double sine, cosine;
} qv_direction;
qv_direction qv_sine_and_cosine(double degrees);

/* The orientation, 1 to 8, in an EXIF block from its TIFF header on; 1 if it has none (CIPA DC-008, 4.6.5). */
int qv_exif_orientation(const uint8_t *data, size_t length);

/* Gives back what a job returned, wiped; NULL is allowed. */
void qv_image_free(uint8_t *bytes, size_t length);

#endif
