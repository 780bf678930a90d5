#ifndef QUICKVAULT_CIMAGE_PNG_H
#define QUICKVAULT_CIMAGE_PNG_H

#include "internal.h"

#include <setjmp.h>

#include <png.h>

/* A PNG that is read row by row, and how the job that reads it goes. */
typedef struct {
    png_structp png;
    png_infop info;
    qv_reader in;
    const uint8_t *next; /* of what was read */
    size_t left;
    uint32_t width, height, row;
    int orientation, is_interlaced;
    uint8_t *raster; /* one row, or of an interlaced picture all */
    png_bytep *row_list;
    size_t row_length, raster_length;
    char *message;
    enum qv_image_status status;
    jmp_buf end;
} qv_png_source;

/* 0, or -1 where there is no memory. */
int qv_png_open(qv_png_source *source, const qv_input *input, char *message);
/* A writer whose errors end the same job. */
png_structp qv_png_writer(qv_png_source *source);
/* Ends the job. */
_Noreturn void qv_png_leave(qv_png_source *source, enum qv_image_status status, const char *text);
/* Reads up to the pixels; ends the job where there are too many. */
void qv_png_read_header(qv_png_source *source);
/* Makes room for rows once the transforms are set. */
void qv_png_start_rows(qv_png_source *source);
/* The next row, from the top. */
uint8_t *qv_png_next_row(qv_png_source *source);
void qv_png_close(qv_png_source *source);

#endif
