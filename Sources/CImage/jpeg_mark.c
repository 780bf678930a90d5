#include "dense.h"
#include "jpeg_block.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    qv_jpeg_strip strip; /* first: the `client_data` of what is written leads to both */
    struct jpeg_decompress_struct in;
    struct jpeg_compress_struct out;
    qv_jpeg_errors errors;
    qv_jpeg_source source;
    struct jpeg_destination_mgr target;
    qv_writer writer;
    qv_mark *mark;
    uint8_t *cover; /* of one block, at the full resolution */
    uint8_t *whole_profile, *profile; /* the colour profile as it came, and what is kept of it */
    size_t profile_length;
    qv_cosines cosines;
    qv_contrast contrast;
} marker;

/* The writer's piece is where libjpeg puts what it makes. */
static void start_piece(j_compress_ptr info) {
    info->dest->next_output_byte = ((marker *)info->client_data)->writer.piece;
    info->dest->free_in_buffer = QV_PIECE;
}

static void write_piece(j_compress_ptr info) {
    qv_writer *writer = &((marker *)info->client_data)->writer;
    writer->count = QV_PIECE - info->dest->free_in_buffer;
    if (qv_writer_flush(writer) != 0) qv_jpeg_leave((j_common_ptr)info, QV_IMAGE_STOPPED);
}

/* A full one, whatever `free_in_buffer` says. */
static boolean write_full_piece(j_compress_ptr info) {
    info->dest->free_in_buffer = 0;
    write_piece(info);
    start_piece(info);
    return TRUE;
}

/* Returns 1 if the block changed. */
static int mark_block(marker *m, JCOEF *block, const UINT16 *table, const uint8_t cover[64], float ink) {
    qv_matrix samples;
    qv_block_samples(&m->cosines, block, table, samples);
    for (int i = 0; i < 64; i++) {
        float moved = (float)m->mark->opacity * cover[i] / 255 * (ink - samples[i]);
        if (cover[i] >= 128) qv_contrast_add(&m->contrast, samples[i] + 128, samples[i] + 128 + moved);
        samples[i] = moved;
    }
    qv_contrast_end(&m->contrast);
    return qv_block_add(&m->cosines, block, table, samples);
}

/* The mean of `across` by `down` pixels for each of 64 samples. */
static void shrink(const uint8_t *in, int across, int down, uint8_t out[64]) {
    for (int y = 0; y < 8; y++) {
        for (int x = 0; x < 8; x++) {
            unsigned sum = 0;
            for (int dy = 0; dy < down; dy++) {
                for (int dx = 0; dx < across; dx++) sum += in[(y * down + dy) * 8 * across + x * across + dx];
            }
            out[8 * y + x] = (uint8_t)(sum / (unsigned)(across * down));
        }
    }
}

static void mark_component(marker *m, jvirt_barray_ptr coefficients, const jpeg_component_info *component, float ink) {
    j_common_ptr info = (j_common_ptr)&m->in;
    const JQUANT_TBL *table = component->quant_table;
    for (int i = 0; i < DCTSIZE2; i++) {
        if (table == NULL || table->quantval[i] == 0) qv_jpeg_leave(info, QV_IMAGE_BAD_TABLE);
    }
    int across = m->in.max_h_samp_factor / component->h_samp_factor;
    int down = m->in.max_v_samp_factor / component->v_samp_factor;
    if (across * component->h_samp_factor != m->in.max_h_samp_factor ||
        down * component->v_samp_factor != m->in.max_v_samp_factor)
        qv_jpeg_leave(info, QV_IMAGE_UNSUPPORTED);
    qv_mark_walk walk = {.mark = m->mark, .width = m->in.image_width, .height = m->in.image_height};
    uint32_t width = 8 * (uint32_t)across, height = 8 * (uint32_t)down;
    for (JDIMENSION row = 0; row < component->height_in_blocks; row++) {
        JBLOCKARRAY blocks = m->in.mem->access_virt_barray(info, coefficients, row, 1, TRUE);
        for (JDIMENSION column = 0; column < component->width_in_blocks; column++) {
            uint8_t cover[64];
            if (!qv_mark_cover(&walk, (int64_t)column * width, (int64_t)row * height, width, height, m->cover)) continue;
            shrink(m->cover, across, down, cover);
            m->mark->touched += (uint64_t)mark_block(m, blocks[0][column], table->quantval, cover, ink);
        }
    }
}

/* The mean of the first component, 0 to 255: of each block the first coefficient tells it. */
static double lightness(marker *m, jvirt_barray_ptr coefficients) {
    const jpeg_component_info *component = m->in.comp_info;
    double sum = 0;
    for (JDIMENSION row = 0; row < component->height_in_blocks; row++) {
        JBLOCKARRAY blocks =
            m->in.mem->access_virt_barray((j_common_ptr)&m->in, coefficients, row, 1, FALSE);
        for (JDIMENSION column = 0; column < component->width_in_blocks; column++) sum += blocks[0][column][0];
    }
    double count = (double)component->height_in_blocks * component->width_in_blocks;
    double quantum = component->quant_table == NULL ? 0 : component->quant_table->quantval[0];
    return sum / count * quantum / 8 + 128;
}

/* Which components carry lightness, and what ink is for each: samples from -128 to 127. */
static void mark_all(marker *m, jvirt_barray_ptr *coefficients) {
    if (m->mark->is_light < 0) {
        double light = lightness(m, coefficients[0]);
        m->mark->is_light = (qv_jpeg_is_ink(&m->in, 0) ? 255 - light : light) < QV_MARK_DARK;
    }
    int is_light = m->mark->is_light;
    for (int i = 0; i < m->in.num_components; i++) {
        switch (m->in.jpeg_color_space) {
        case JCS_GRAYSCALE:
        case JCS_YCbCr:
            if (i > 0) continue;
            break;
        case JCS_YCCK:
            if (i == 1 || i == 2 || (i == 0 && !is_light)) continue;
            break;
        case JCS_CMYK:
            if (!is_light && i != 3) continue;
            break;
        default: break;
        }
        mark_component(m, coefficients[i], &m->in.comp_info[i], is_light != qv_jpeg_is_ink(&m->in, i) ? 127 : -128);
    }
}

static void write_metadata(marker *m, int orientation) {
    unsigned int length = 0;
    long warnings = m->in.err->num_warnings;
    if (jpeg_read_icc_profile(&m->in, &m->whole_profile, &length) &&
        qv_profile_clean(m->whole_profile, length, &m->profile, &m->profile_length) != 0)
        qv_jpeg_leave((j_common_ptr)&m->in, QV_IMAGE_NO_MEMORY);
    m->in.err->num_warnings = warnings; /* a profile that is none costs no pixel */
    if (m->profile != NULL) jpeg_write_icc_profile(&m->out, m->profile, (unsigned int)m->profile_length);
    if (orientation == 1) return;
    uint8_t exif[6 + QV_EXIF_LENGTH] = "Exif\0";
    qv_exif_write(orientation, exif + 6);
    jpeg_write_marker(&m->out, JPEG_APP0 + 1, exif, sizeof exif);
}

static void check_profile(marker *m) {
    size_t total = 0;
    for (jpeg_saved_marker_ptr kept = m->in.marker_list; kept != NULL; kept = kept->next) {
        if (kept->marker == JPEG_APP0 + 2) total += kept->data_length;
    }
    if (total > QV_IMAGE_ICC) qv_jpeg_leave((j_common_ptr)&m->in, QV_IMAGE_TOO_LARGE);
}

static void mark_jpeg(marker *m, const qv_input *input) {
    jpeg_create_decompress(&m->in);
    qv_jpeg_open(&m->in, &m->source, input);
    jpeg_save_markers(&m->in, JPEG_APP0 + 2, 0xFFFF);
    qv_jpeg_read_header(&m->in);
    check_profile(m);
    int orientation = qv_jpeg_orientation(&m->in);
    jvirt_barray_ptr *coefficients = jpeg_read_coefficients(&m->in);
    /* A truncated picture decodes with a warning: it must not go out as if it were whole. */
    if (m->errors.base.num_warnings > 0) qv_jpeg_leave((j_common_ptr)&m->in, QV_IMAGE_CORRUPT);
    m->cover = malloc(64 * (size_t)m->in.max_h_samp_factor * (size_t)m->in.max_v_samp_factor);
    if (m->cover == NULL) qv_jpeg_leave((j_common_ptr)&m->in, QV_IMAGE_NO_MEMORY);
    qv_jpeg_hide(&m->in, coefficients, m->mark);
    if (m->mark->dense != NULL) {
        qv_jpeg_mark_dense(&m->in, coefficients, m->mark);
    } else if (m->mark->count > 0) {
        qv_make_cosines(&m->cosines);
        qv_contrast_start(&m->contrast);
        mark_all(m, coefficients);
        m->mark->cells = m->contrast.cells;
        m->mark->faint = m->contrast.faint;
    }
    qv_jpeg_repeat_edges(&m->in, coefficients);
    if (m->mark->strip != NULL) qv_jpeg_strip_draw(&m->strip, &m->in, coefficients, m->mark->strip);
    jpeg_create_compress(&m->out);
    m->target = (struct jpeg_destination_mgr){
        .init_destination = start_piece, .empty_output_buffer = write_full_piece, .term_destination = write_piece};
    m->out.dest = &m->target;
    m->out.client_data = m;
    jpeg_copy_critical_parameters(&m->in, &m->out);
    if (m->mark->strip != NULL) qv_jpeg_strip_join(&m->strip, &m->out);
    /* The marker says that inks are inverted: a copy without it gets none. */
    if (m->in.jpeg_color_space == JCS_CMYK) m->out.write_Adobe_marker = m->in.saw_Adobe_marker;
    m->out.optimize_coding = TRUE;
    m->out.arith_code = FALSE;
    if (m->in.progressive_mode) jpeg_simple_progression(&m->out);
    m->out.restart_interval = m->in.restart_interval;
    jpeg_write_coefficients(&m->out, coefficients);
    write_metadata(m, orientation);
    jpeg_finish_compress(&m->out);
    jpeg_finish_decompress(&m->in);
}

enum qv_image_status qv_jpeg_mark(
    const qv_input *input, qv_mark *mark, const qv_output *output, char *message) {
    message[0] = 0;
    marker *m = calloc(1, sizeof *m);
    if (m == NULL) return QV_IMAGE_NO_MEMORY;
    qv_jpeg_set_errors(&m->errors, message);
    m->in.err = m->out.err = &m->errors.base;
    m->mark = mark;
    m->writer.output = output;
    if (setjmp(m->errors.end) == 0) mark_jpeg(m, input);
    enum qv_image_status status = m->errors.status;
    jpeg_destroy_compress(&m->out);
    jpeg_destroy_decompress(&m->in);
    qv_jpeg_strip_end(&m->strip);
    free(m->cover);
    free(m->whole_profile);
    qv_image_free(m->profile, m->profile_length);
    qv_image_free((uint8_t *)m, sizeof *m);
    return status;
}
