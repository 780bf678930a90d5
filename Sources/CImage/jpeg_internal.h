#ifndef QUICKVAULT_CIMAGE_JPEG_H
#define QUICKVAULT_CIMAGE_JPEG_H

#include "internal.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

/* The state that libjpeg's callbacks share with a job. */
typedef struct {
    struct jpeg_error_mgr base;
    jmp_buf end;
    enum qv_image_status status;
    char *message;
} qv_jpeg_errors;

void qv_jpeg_set_errors(qv_jpeg_errors *errors, char *message);
/* Ends the job. */
_Noreturn void qv_jpeg_leave(j_common_ptr info, enum qv_image_status status);

/* The source of a job, and its progress. */
typedef struct {
    struct jpeg_source_mgr base;
    struct jpeg_progress_mgr progress;
    qv_reader reader;
} qv_jpeg_source;

/* Sets the source and the limits; EXIF blocks are kept. */
void qv_jpeg_open(struct jpeg_decompress_struct *info, qv_jpeg_source *source, const qv_input *input);
/* Reads the header and ends the job where the picture is too large. */
void qv_jpeg_read_header(struct jpeg_decompress_struct *info);
/* The orientation in the EXIF block, 1 to 8. */
int qv_jpeg_orientation(const struct jpeg_decompress_struct *info);
/* Whether more of a component is darker: inks, unless Adobe's programs stored them inverted; and the Y of those. */
int qv_jpeg_is_ink(const struct jpeg_decompress_struct *info, int component);

#endif
