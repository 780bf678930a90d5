/* Parts of a JPEG that are made black: their blocks keep no coefficient of what they showed. */
#include "jpeg_block.h"

#include <math.h>
#include <string.h>

/* The sample of black, -128 to 127. */
static int black(j_decompress_ptr in, int component) {
    int is_colour = component == 1 || component == 2;
    switch (in->jpeg_color_space) {
    case JCS_YCbCr:
    case JCS_YCCK:
        if (is_colour) return 0;
        break;
    default: break;
    }
    return qv_jpeg_is_ink(in, component) ? 127 : -128;
}

static void hide(j_decompress_ptr in, jvirt_barray_ptr coefficients, int number, const qv_box *box) {
    const jpeg_component_info *c = &in->comp_info[number];
    const JQUANT_TBL *table = c->quant_table;
    if (table == NULL || table->quantval[0] == 0) qv_jpeg_leave((j_common_ptr)in, QV_IMAGE_BAD_TABLE);
    /* Pixels of a unit, in which each component has whole blocks. */
    uint32_t wide = (uint32_t)in->max_h_samp_factor * DCTSIZE, high = (uint32_t)in->max_v_samp_factor * DCTSIZE;
    uint32_t across = (uint32_t)c->h_samp_factor, down = (uint32_t)c->v_samp_factor;
    uint32_t left = box->left / wide * across, right = (box->right + wide - 1) / wide * across;
    uint32_t top = box->top / high * down, bottom = (box->bottom + high - 1) / high * down;
    if (right > c->width_in_blocks) right = c->width_in_blocks;
    if (bottom > c->height_in_blocks) bottom = c->height_in_blocks;
    JCOEF mean = (JCOEF)lround((double)black(in, number) * DCTSIZE / table->quantval[0]);
    for (uint32_t row = top; row < bottom; row++) {
        JBLOCKARRAY blocks = in->mem->access_virt_barray((j_common_ptr)in, coefficients, row, 1, TRUE);
        for (uint32_t column = left; column < right; column++) {
            memset(blocks[0][column], 0, sizeof blocks[0][column]);
            blocks[0][column][0] = mean;
        }
    }
}

void qv_jpeg_hide(struct jpeg_decompress_struct *in, jvirt_barray_ptr *coefficients, const qv_mark *mark) {
    for (int i = 0; i < in->num_components; i++) {
        for (size_t k = 0; k < mark->hidden_count; k++) hide(in, coefficients[i], i, &mark->hidden[k]);
    }
}
