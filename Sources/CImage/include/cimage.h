/*
 * CImage: pictures, by libjpeg and libpng. One call is one whole job: it opens, works, closes and says how it went. All
 * setjmp lives in here, with no frame of another language between it and the library that jumps. Nothing is read from
 * or written to a file.
 */
#ifndef QUICKVAULT_CIMAGE_H
#define QUICKVAULT_CIMAGE_H

#include <stddef.h>
#include <stdint.h>

/* How a job ended. */
enum qv_image_status {
    QV_IMAGE_DONE = 0,
    QV_IMAGE_UNKNOWN,     /* neither JPEG nor PNG */
    QV_IMAGE_CORRUPT,     /* damaged or cut short; `message` says what the library said */
    QV_IMAGE_UNSUPPORTED, /* a variant that is not handled */
    QV_IMAGE_TOO_LARGE,   /* beyond the limits below */
    QV_IMAGE_NO_MEMORY,
};

/* Limits for what comes from outside. */
enum {
    QV_IMAGE_SIDE = 30000,             /* pixels */
    QV_IMAGE_PIXELS = 120 * 1000 * 1000,
    QV_IMAGE_SCANS = 100,              /* of a JPEG */
    QV_IMAGE_RASTER = 256 << 20,       /* bytes of an interlaced PNG */
    QV_IMAGE_MESSAGE = 200,            /* the library's words, with the NUL */
};

/* Pixels: 3 bytes each (red, green, blue), rows from the top without gaps. */
typedef struct {
    uint32_t width, height;
    uint8_t *bytes; /* for qv_image_free */
} qv_pixels;

/*
 * Reads a JPEG or PNG as a person sees it, no larger than `width` by `height` pixels (at least 1 each): turned as its
 * EXIF says, transparent pixels over white. A picture that is smaller is not enlarged.
 */
enum qv_image_status qv_image_read(
    const uint8_t *data, size_t length, uint32_t width, uint32_t height, qv_pixels *out,
    char message[QV_IMAGE_MESSAGE]);

/* Writes pixels as a JPEG of a quality from 1 to 100; `*data` is for qv_image_free. */
enum qv_image_status qv_jpeg_write(
    const qv_pixels *pixels, int quality, uint8_t **data, size_t *length, char message[QV_IMAGE_MESSAGE]);

/* Gives back what a job returned, wiped; NULL is allowed. */
void qv_image_free(uint8_t *bytes, size_t length);

#endif
