/*
 * qvault-decode: takes a file that somebody else made, and gives its pixels or pages in a form that is quickly checked
 * (Spec/product/documents.md). It runs confined, and has no key and no other file.
 */
#ifndef QUICKVAULT_DECODE_H
#define QUICKVAULT_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "cimage.h"

#ifdef __cplusplus
extern "C" {
#define _Noreturn [[noreturn]]
#endif

/* Reasons besides those of qv_image_status. */
enum {
    DECODE_ENCRYPTED = 20,  /* a password opens it */
    DECODE_TOO_MANY_PAGES,  /* more than DECODE_PAGES */
    DECODE_ANIMATION,       /* more than one picture, shown one after the other */
    DECODE_PAGES_OF_TIFF,   /* more than one picture, a page each */
    DECODE_NO_SANDBOX,      /* this kernel has none */
    DECODE_NO_PROGRAM,      /* the program that is said is not installed */
    DECODE_NOT_CONFINED,    /* the sandbox cannot be set up, for the reason that is said */
    DECODE_NO_LANGUAGE,     /* tesseract has no data of the language that is said */
};

enum { DECODE_PAGES = 200 };

/* The file. */
typedef struct {
    const uint8_t *bytes;
    size_t length;
} decode_input;

/* Pixels: 3 bytes each, rows from the top without gaps. */
typedef struct {
    uint32_t width, height;
    int orientation; /* EXIF, 1 to 8 */
    const uint8_t *profile;
    size_t profile_length;
    const uint8_t *bytes;
    size_t stride; /* bytes from one row to the next */
} decode_picture;

/* Ends the program: it could not do it, for this reason. */
_Noreturn void decode_fail(int reason, const char *message);
/* Writes bytes, or ends the program. */
void decode_write(const void *bytes, size_t count);
void decode_write_number(uint64_t number, int byte_count);
/* Writes a picture and ends the program. */
_Noreturn void decode_reply(const decode_picture *picture);
/* Makes sure that a picture is within the limits, or ends the program. */
void decode_check_size(uint64_t width, uint64_t height);
/* Lays pixels of 4 bytes, with the colours as they are, over white: `bytes` has 3 bytes a pixel then. */
void decode_flatten(uint8_t *bytes, size_t count);
/* The same where colours were multiplied by their alpha before. */
void decode_flatten_premultiplied(uint8_t *bytes, size_t count);
/* A colour over white. */
static inline uint8_t decode_over_white(unsigned colour, unsigned alpha) {
    return (uint8_t)((colour * alpha + 255 * (255 - alpha) + 127) / 255);
}

_Noreturn void decode_heif(const decode_input *input);
_Noreturn void decode_webp(const decode_input *input);
_Noreturn void decode_tiff(const decode_input *input);
_Noreturn void decode_pages(const decode_input *input);
/* Writes the QR codes of a picture and ends the program. The input is its width and height, 4 bytes each, and its lightness. */
void decode_codes(const decode_input *input);

/* The one picture that a page draws, and where. */
typedef struct {
    const char *name; /* of the picture among the page's resources, not terminated */
    size_t name_length;
    double matrix[6]; /* from the unit square to the page */
    int has_text;     /* invisible text stands on the page too */
} page_drawing;

/*
 * Reads the operators of a page: 1 if they draw one picture, besides invisible text, and nothing else.
 */
int page_draws_picture(const uint8_t *content, size_t length, page_drawing *out);

#ifdef __cplusplus
}
#endif

#endif
