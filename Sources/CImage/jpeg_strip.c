/*
 * A JPEG gets a strip along one of its sides. Its coefficients stay as they are: libjpeg asks for rows of blocks when it writes,
 * and gets them from the picture and from the strip.
 */
#include "jpeg_block.h"

#include <stdlib.h>
#include <string.h>

/* The component's blocks in a unit, across and down: 1 or 2. */
static uint32_t across_of(const jpeg_component_info *c) { return (uint32_t)c->h_samp_factor; }
static uint32_t down_of(const jpeg_component_info *c) { return (uint32_t)c->v_samp_factor; }

static void check_kind(const struct jpeg_decompress_struct *in) {
    int is_right = in->jpeg_color_space == JCS_GRAYSCALE || in->jpeg_color_space == JCS_YCbCr;
    const jpeg_component_info *first = in->comp_info;
    is_right = is_right && in->max_h_samp_factor <= 2 && in->max_v_samp_factor <= 2 &&
        first->h_samp_factor == in->max_h_samp_factor && first->v_samp_factor == in->max_v_samp_factor;
    for (int i = 1; i < in->num_components; i++)
        is_right = is_right && in->comp_info[i].h_samp_factor <= 2 && in->comp_info[i].v_samp_factor <= 2;
    if (!is_right) qv_jpeg_leave((j_common_ptr)in, QV_IMAGE_UNSUPPORTED);
    for (int i = 0; i < in->num_components; i++) {
        const JQUANT_TBL *table = in->comp_info[i].quant_table;
        for (int k = 0; k < DCTSIZE2; k++) {
            if (table == NULL || table->quantval[k] == 0) qv_jpeg_leave((j_common_ptr)in, QV_IMAGE_BAD_TABLE);
        }
    }
}

/* Sums up the lightness of the picture's pixels. */
static void measure(qv_jpeg_strip *s) {
    struct jpeg_decompress_struct *in = s->in;
    const jpeg_component_info *c = in->comp_info;
    for (JDIMENSION row = 0; row < c->height_in_blocks; row++) {
        JBLOCKARRAY blocks = in->mem->access_virt_barray((j_common_ptr)in, s->coefficients[0], row, 1, FALSE);
        uint32_t high = in->image_height - row * DCTSIZE < DCTSIZE ? in->image_height - row * DCTSIZE : DCTSIZE;
        for (JDIMENSION column = 0; column < c->width_in_blocks; column++) {
            uint32_t left = column * DCTSIZE;
            uint32_t wide = in->image_width - left < DCTSIZE ? in->image_width - left : DCTSIZE;
            qv_matrix samples;
            qv_block_samples(&s->cosines, blocks[0][column], c->quant_table->quantval, samples);
            for (uint32_t y = 0; y < high; y++) {
                for (uint32_t x = 0; x < wide; x++)
                    qv_raster_add(&s->raster, left + x, row * DCTSIZE + y, (unsigned)(samples[8 * y + x] + 128.5f));
            }
        }
    }
}

/* Block rows and columns that no component's picture reaches, but a unit has: white, so that nothing stands out beside the strip. */
static void fill_units(qv_jpeg_strip *s) {
    const jpeg_component_info *c = s->in->comp_info;
    uint32_t across = s->units_across * across_of(c), down = s->units_down * down_of(c);
    JCOEF white = (JCOEF)(127 * DCTSIZE / c->quant_table->quantval[0]);
    for (uint32_t row = 0; row < down; row++) {
        JBLOCKARRAY blocks = s->in->mem->access_virt_barray((j_common_ptr)s->in, s->coefficients[0], row, 1, TRUE);
        for (uint32_t column = row < c->height_in_blocks ? c->width_in_blocks : 0; column < across; column++) {
            memset(blocks[0][column], 0, sizeof blocks[0][column]);
            blocks[0][column][0] = white;
        }
    }
}

void qv_jpeg_strip_draw(
    qv_jpeg_strip *s, struct jpeg_decompress_struct *in, jvirt_barray_ptr *coefficients, const qv_added_strip *strip) {
    j_common_ptr info = (j_common_ptr)in;
    check_kind(in);
    s->strip = strip;
    s->in = in;
    s->coefficients = coefficients;
    s->unit_width = (uint32_t)in->max_h_samp_factor * DCTSIZE;
    s->unit_height = (uint32_t)in->max_v_samp_factor * DCTSIZE;
    s->units_across = (in->image_width + s->unit_width - 1) / s->unit_width;
    s->units_down = (in->image_height + s->unit_height - 1) / s->unit_height;
    int is_beside = strip->side == QV_SIDE_RIGHT || strip->side == QV_SIDE_LEFT;
    s->width = is_beside ? strip->depth : in->image_width;
    s->height = is_beside ? in->image_height : strip->depth;
    s->bytes = malloc((size_t)s->width * s->height);
    if (s->bytes == NULL || qv_raster_start(&s->raster, in->image_width, in->image_height) != 0)
        qv_jpeg_leave(info, QV_IMAGE_NO_MEMORY);
    qv_make_cosines(&s->cosines);
    measure(s);
    fill_units(s);
    qv_raster raster = qv_raster_finish(&s->raster);
    if (strip->side == QV_SIDE_BOTTOM) raster.gap = s->units_down * s->unit_height - in->image_height;
    if (strip->side == QV_SIDE_RIGHT) raster.gap = s->units_across * s->unit_width - in->image_width;
    if (strip->draw(strip->context, &raster, s->bytes) != 0) qv_jpeg_leave(info, QV_IMAGE_STOPPED);
}

/* Coefficients of the strip below this, of 1,024, are left out: black and white stay apart, and half the bytes go. */
enum { LEAST_COEFFICIENT = 128 };

/* A block of the strip, from its pixel (left, top) on: its lightness. */
static void draw_block(const qv_jpeg_strip *s, uint32_t left, uint32_t top, const UINT16 *table, JCOEF *block) {
    qv_matrix samples;
    for (uint32_t y = 0; y < DCTSIZE; y++) {
        uint32_t row = top + y < s->height ? top + y : s->height - 1;
        for (uint32_t x = 0; x < DCTSIZE; x++) {
            uint32_t column = left + x < s->width ? left + x : s->width - 1;
            samples[8 * y + x] = (float)s->bytes[(size_t)row * s->width + column] - 128;
        }
    }
    (void)qv_block_add(&s->cosines, block, table, samples);
    for (int k = 1; k < DCTSIZE2; k++) {
        if (abs(block[k] * table[k]) < LEAST_COEFFICIENT) block[k] = 0;
    }
}

/* The rows of blocks of a component that libjpeg writes next: those of a row of units, from `first` on. */
static JBLOCKARRAY next_rows(
    j_common_ptr info, jvirt_barray_ptr array, JDIMENSION first, JDIMENSION count, boolean is_writable) {
    qv_jpeg_strip *s = info->client_data;
    j_common_ptr in = (j_common_ptr)s->in;
    int number = 0;
    while (s->coefficients[number] != array) number++;
    const jpeg_component_info *c = &s->in->comp_info[number];
    uint32_t deep_across = s->strip->depth / s->unit_width * across_of(c);
    uint32_t deep_down = s->strip->depth / s->unit_height * down_of(c);
    uint32_t picture_across = s->units_across * across_of(c), picture_down = s->units_down * down_of(c);
    enum qv_side side = s->strip->side;
    int is_beside = side == QV_SIDE_RIGHT || side == QV_SIDE_LEFT;
    uint32_t across = picture_across + (is_beside ? deep_across : 0);
    uint32_t strip_left = side == QV_SIDE_RIGHT ? picture_across : 0, strip_top = side == QV_SIDE_BOTTOM ? picture_down : 0;
    uint32_t picture_left = side == QV_SIDE_LEFT ? deep_across : 0, picture_top = side == QV_SIDE_TOP ? deep_down : 0;
    (void)is_writable;
    for (JDIMENSION i = 0; i < count; i++) {
        uint32_t row = first + i;
        JBLOCKROW out = s->rows[number][i] = s->blocks[number] + (size_t)i * across;
        if (row >= picture_top && row < picture_top + picture_down) {
            JBLOCKARRAY from = s->in->mem->access_virt_barray(in, array, row - picture_top, 1, FALSE);
            memcpy(out + picture_left, from[0], picture_across * sizeof *out);
            if (!is_beside) continue;
        }
        uint32_t wide = is_beside ? deep_across : across;
        memset(out + strip_left, 0, wide * sizeof *out);
        for (uint32_t x = 0; x < wide && number == 0; x++)
            draw_block(s, x * DCTSIZE, (row - strip_top) * DCTSIZE, c->quant_table->quantval, out[strip_left + x]);
    }
    return s->rows[number];
}

void qv_jpeg_strip_join(qv_jpeg_strip *s, struct jpeg_compress_struct *out) {
    int is_beside = s->strip->side == QV_SIDE_RIGHT || s->strip->side == QV_SIDE_LEFT;
    uint32_t *length = is_beside ? &out->image_width : &out->image_height;
    uint32_t units = is_beside ? s->units_across : s->units_down, side = is_beside ? s->unit_width : s->unit_height;
    *length = (s->strip->side == QV_SIDE_BOTTOM || s->strip->side == QV_SIDE_RIGHT ? units * side : *length) + s->strip->depth;
    for (int i = 0; i < s->in->num_components; i++) {
        const jpeg_component_info *c = &s->in->comp_info[i];
        uint32_t across = (s->units_across + (is_beside ? s->strip->depth / s->unit_width : 0)) * across_of(c);
        s->blocks[i] = malloc((size_t)across * down_of(c) * sizeof *s->blocks[i]);
        if (s->blocks[i] == NULL) qv_jpeg_leave((j_common_ptr)out, QV_IMAGE_NO_MEMORY);
    }
    out->mem->access_virt_barray = next_rows;
}

void qv_jpeg_strip_end(qv_jpeg_strip *s) {
    for (int i = 0; i < 3; i++) free(s->blocks[i]);
    free(s->bytes);
    qv_raster_end(&s->raster);
}
