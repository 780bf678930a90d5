/* What a mark in the coefficients of a JPEG needs to know before the first block. */
#include "jpeg_job.h"

#include <stdlib.h>
#include <string.h>

static qv_role role_of(const struct jpeg_decompress_struct *info, int i, qv_jpeg_component *c) {
    c->is_inverted = qv_jpeg_is_ink(info, i);
    switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE: return QV_LIGHTNESS;
    case JCS_YCbCr: return i == 0 ? QV_LIGHTNESS : i == 1 ? QV_BLUE : QV_RED;
    case JCS_YCCK:
        c->is_light_only = i == 0;
        return i == 1 || i == 2 ? QV_SKIPPED : QV_LIGHTNESS;
    case JCS_CMYK:
        c->is_light_only = i != 3;
        return QV_LIGHTNESS;
    default: return QV_LIGHTNESS;
    }
}

/* The mean of each block of the first component, from its first coefficient. */
static void measure(qv_jpeg_job *j, int is_inverted) {
    const qv_jpeg_component *c = &j->components[0];
    for (uint32_t y = 0; y < j->ink.down; y++) {
        for (uint32_t x = 0; x < j->ink.across; x++) {
            uint32_t column = x / (uint32_t)c->across, row = y / (uint32_t)c->down;
            column = column < c->wide ? column : c->wide - 1;
            row = row < c->high ? row : c->high - 1;
            float mean = (float)c->rows[row][column][0] * c->table[0] / 8 + 128;
            if (is_inverted) mean = 255 - mean;
            j->ink.mean[(size_t)y * j->ink.across + x] = (uint8_t)(mean < 0 ? 0 : mean > 255 ? 255 : mean + 0.5f);
        }
    }
}

static enum qv_image_status prepare(struct jpeg_decompress_struct *info, jvirt_barray_ptr *coefficients, qv_jpeg_job *j) {
    int widest = info->max_h_samp_factor, highest = info->max_v_samp_factor;
    j->count = info->num_components < QV_COMPONENTS ? info->num_components : QV_COMPONENTS;
    j->down = highest;
    j->units = (info->image_height + (uint32_t)(DCTSIZE * highest) - 1) / (uint32_t)(DCTSIZE * highest);
    qv_make_cosines(&j->cosines);
    for (int i = 0; i < j->count; i++) {
        const jpeg_component_info *from = &info->comp_info[i];
        qv_jpeg_component *c = &j->components[i];
        c->role = role_of(info, i, c);
        c->across = widest / from->h_samp_factor;
        c->down = highest / from->v_samp_factor;
        if (c->across * from->h_samp_factor != widest || c->down * from->v_samp_factor != highest)
            return QV_IMAGE_UNSUPPORTED;
        for (int k = 0; k < DCTSIZE2; k++) {
            if (from->quant_table == NULL || from->quant_table->quantval[k] == 0) return QV_IMAGE_BAD_TABLE;
        }
        c->table = from->quant_table->quantval;
        c->wide = from->width_in_blocks;
        c->high = from->height_in_blocks;
        c->rows = malloc(c->high * sizeof *c->rows);
        if (c->rows == NULL) return QV_IMAGE_NO_MEMORY;
        for (JDIMENSION row = 0; row < c->high; row++) {
            c->rows[row] =
                info->mem->access_virt_barray((j_common_ptr)info, coefficients[i], row, 1, TRUE)[0];
        }
    }
    return qv_ink_map_start(&j->ink, info->image_width, info->image_height) == 0 ? QV_IMAGE_DONE : QV_IMAGE_NO_MEMORY;
}

/* Where the columns of blocks stand in the cells of the signal. */
static enum qv_image_status prepare_sides(qv_jpeg_job *j) {
    qv_signal_grid grid = qv_signal_grid_of(j->mark->dense->width, j->mark->dense->height);
    for (int i = 0; i < j->count; i++) {
        qv_jpeg_component *c = &j->components[i];
        if (c->role != QV_LIGHTNESS) continue;
        c->sides = malloc(c->wide * sizeof *c->sides);
        if (c->sides == NULL) return QV_IMAGE_NO_MEMORY;
        for (JDIMENSION column = 0; column < c->wide; column++)
            c->sides[column] = qv_block_side_at(j->mark->dense, &grid, column * DCTSIZE, c->across, 0, j->cosines.to_samples);
    }
    return QV_IMAGE_DONE;
}

enum qv_image_status qv_jpeg_job_start(
    qv_jpeg_job *j, struct jpeg_decompress_struct *info, jvirt_barray_ptr *coefficients, const qv_mark *mark) {
    memset(j, 0, sizeof *j);
    j->mark = mark;
    enum qv_image_status status = prepare(info, coefficients, j);
    if (status == QV_IMAGE_DONE && mark->dense->frame_chips != NULL) {
        j->frame_chips = qv_expand_chips(mark->dense->frame_chips, mark->dense);
        status = j->frame_chips == NULL ? QV_IMAGE_NO_MEMORY : prepare_sides(j);
    }
    if (status != QV_IMAGE_DONE) return status;
    measure(j, qv_jpeg_is_ink(info, 0));
    return qv_ink_map_decide(&j->ink, mark->dense, mark->dense->em, mark->is_light) == 0 ? QV_IMAGE_DONE : QV_IMAGE_NO_MEMORY;
}

void qv_jpeg_job_end(qv_jpeg_job *j) {
    for (int i = 0; i < QV_COMPONENTS; i++) {
        free(j->components[i].rows);
        free(j->components[i].sides);
    }
    free(j->frame_chips);
    qv_ink_map_end(&j->ink);
}
