/* Samples of a JPEG beyond its edge: a block may reach past the picture, and what was cut off there is still in it. */
#include "jpeg_block.h"

#include <math.h>
#include <stdlib.h>

/* A difference, of 255, that no coding of a repeated edge makes. */
static const double STRANGE = 24;

/* The cosine transform of 8 samples, or back (ITU-T T.81, A.3.3); `step` apart. */
static void transform(double *values, int step, int is_back) {
    double out[8];
    for (int i = 0; i < 8; i++) {
        double sum = 0;
        for (int j = 0; j < 8; j++) {
            int frequency = is_back ? j : i, place = is_back ? i : j;
            double scale = frequency == 0 ? sqrt(0.125) : 0.5;
            sum += values[j * step] * scale * cos((2 * place + 1) * frequency * M_PI / 16);
        }
        out[i] = sum;
    }
    for (int i = 0; i < 8; i++) values[i * step] = out[i];
}

static void transform_block(double values[64], int is_back) {
    for (int i = 0; i < 8; i++) transform(values + 8 * i, 1, is_back);
    for (int i = 0; i < 8; i++) transform(values + i, 8, is_back);
}

/* Repeats the last samples within, where something else stands beyond them; `across` and `down` are within. */
static void repeat_edge(JCOEFPTR block, const UINT16 *table, int across, int down) {
    double values[64];
    for (int i = 0; i < 64; i++) {
        if (table[i] == 0) return;
        values[i] = (double)block[i] * table[i];
    }
    transform_block(values, 1);
    double most = 0;
    for (int y = 0; y < 8; y++) {
        for (int x = 0; x < 8; x++) {
            double edge = values[8 * (y < down ? y : down - 1) + (x < across ? x : across - 1)];
            most = fmax(most, fabs(values[8 * y + x] - edge));
            values[8 * y + x] = edge;
        }
    }
    if (most <= STRANGE) return;
    transform_block(values, 0);
    for (int i = 0; i < 64; i++) block[i] = (JCOEF)fmin(fmax(round(values[i] / table[i]), -2047), 2047);
}

static JDIMENSION samples(JDIMENSION pixels, int factor, int most) {
    return (JDIMENSION)(((uint64_t)pixels * (uint64_t)factor + (uint64_t)most - 1) / (uint64_t)most);
}

void qv_jpeg_repeat_edges(j_decompress_ptr in, jvirt_barray_ptr *coefficients) {
    for (int i = 0; i < in->num_components; i++) {
        const jpeg_component_info *c = &in->comp_info[i];
        int across = (int)(samples(in->image_width, c->h_samp_factor, in->max_h_samp_factor) % 8);
        int down = (int)(samples(in->image_height, c->v_samp_factor, in->max_v_samp_factor) % 8);
        if (c->quant_table == NULL) continue;
        for (JDIMENSION y = 0; y < c->height_in_blocks; y++) {
            int is_last = y == c->height_in_blocks - 1 && down > 0;
            if (!is_last && across == 0) continue;
            JBLOCKARRAY row = in->mem->access_virt_barray((j_common_ptr)in, coefficients[i], y, 1, TRUE);
            for (JDIMENSION x = is_last ? 0 : c->width_in_blocks - 1; x < c->width_in_blocks; x++) {
                int is_end = x == c->width_in_blocks - 1 && across > 0;
                repeat_edge(row[0][x], c->quant_table->quantval, is_end ? across : 8, is_last ? down : 8);
            }
        }
    }
}
