#ifndef QUICKVAULT_CIMAGE_JPEG_JOB_H
#define QUICKVAULT_CIMAGE_JPEG_JOB_H

#include "dense.h"
#include "jpeg_block.h"

enum { QV_COMPONENTS = 4 };

/* The role of a component. */
typedef enum { QV_SKIPPED, QV_LIGHTNESS, QV_BLUE, QV_RED } qv_role;

typedef struct {
    qv_role role;
    int is_inverted;   /* more of it is darker */
    int is_light_only; /* changed by light ink only */
    int across, down;  /* pixels of a sample */
    JDIMENSION wide, high; /* blocks */
    const UINT16 *table;
    JBLOCKROW *rows;
    qv_block_side *sides; /* of each column of blocks; NULL where the picture bears no signal */
} qv_jpeg_component;

typedef struct {
    const qv_mark *mark;
    qv_jpeg_component components[QV_COMPONENTS];
    int count, down; /* components; blocks of full resolution in a row of whole units */
    uint32_t units;  /* those rows */
    qv_ink_map ink;
    qv_cosines cosines;
    float *frame_chips;
} qv_jpeg_job;

/* Prepares a mark of coefficients: its components, the lightness of their blocks and the kinds of ink there, and where their columns stand
 * in the signal. QV_IMAGE_DONE, or why there is none; it is ended in either case. */
enum qv_image_status qv_jpeg_job_start(
    qv_jpeg_job *j, struct jpeg_decompress_struct *info, jvirt_barray_ptr *coefficients, const qv_mark *mark);
void qv_jpeg_job_end(qv_jpeg_job *j);

#endif
