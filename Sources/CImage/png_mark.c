#include "png_mark.h"

#include <stdlib.h>
#include <string.h>

static void mark_row(qv_png_marker *m, qv_mark *mark, uint8_t *row) {
    unsigned most = m->bytes == 2 ? 65535 : 255;
    int colours = m->channels - m->has_alpha;
    for (uint32_t x = 0; x < m->source.width; x++) {
        if (m->cover[x] == 0) continue;
        double part = mark->opacity * m->cover[x] / 255;
        uint8_t *pixel = row + (size_t)x * (size_t)colours * (size_t)m->bytes;
        float before = pixel[0];
        int is_changed = 0;
        for (int c = 0; c < colours; c++)
            is_changed |= qv_png_move(pixel + c * m->bytes, m->bytes, mark->is_light > 0 ? most : 0, part);
        mark->touched += (uint64_t)is_changed;
        if (m->cover[x] >= 128) qv_contrast_add(&m->contrast, before, pixel[0]);
        if (x % QV_BLOCK == QV_BLOCK - 1) qv_contrast_end(&m->contrast);
    }
    qv_contrast_end(&m->contrast);
}

/* Makes what is hidden of a row black. */
static void hide(const qv_png_marker *m, const qv_mark *mark, uint32_t y, uint8_t *row) {
    size_t pixel = (size_t)(m->channels - m->has_alpha) * (size_t)m->bytes;
    for (size_t i = 0; i < mark->hidden_count; i++) {
        const qv_box *box = &mark->hidden[i];
        if (y < box->top || y >= box->bottom || box->left >= m->source.width) continue;
        uint32_t right = box->right < m->source.width ? box->right : m->source.width;
        memset(row + box->left * pixel, 0, (right - box->left) * pixel);
    }
}

/* The sum of all its samples, of 255 each. */
static double light(const qv_png_marker *m, const uint8_t *row) {
    uint64_t sum = 0;
    size_t count = (size_t)m->source.width * (size_t)(m->channels - m->has_alpha) * (size_t)m->bytes;
    for (size_t i = 0; i < count; i += (size_t)m->bytes) sum += row[i];
    return (double)sum;
}

static void mark_sparse(qv_png_marker *m, qv_mark *mark) {
    qv_png_source *source = &m->source;
    qv_png_read_kind(m);
    /* What is only hidden stays one bit a pixel. */
    qv_png_start_writing(m, m->is_bilevel && mark->count == 0);
    m->cover = malloc(source->width);
    if (m->cover == NULL) qv_png_leave(source, QV_IMAGE_NO_MEMORY, "no memory");
    qv_mark_walk walk = {.mark = mark, .width = source->width, .height = source->height};
    qv_contrast_start(&m->contrast);
    double sum = 0;
    for (uint32_t y = 0; y < source->height; y++) {
        uint8_t *row = qv_png_next_row(source);
        qv_png_flatten(m, row);
        hide(m, mark, y, row);
        sum += light(m, row);
        if (qv_mark_cover(&walk, 0, y, source->width, 1, m->cover)) mark_row(m, mark, row);
        qv_png_write_row(m, y, row);
    }
    double mean = sum / source->height / source->width / (m->channels - m->has_alpha);
    if (mark->is_light < 0) mark->is_light = mean < QV_MARK_DARK;
    mark->cells = m->contrast.cells;
    mark->faint = m->contrast.faint;
    qv_png_end_writing(m);
}

/* Runs one pass over the picture. */
static enum qv_image_status pass(
    qv_png_marker *m, const qv_input *input, qv_mark *mark, char *message, void (*work)(qv_png_marker *, qv_mark *)) {
    memset(&m->source, 0, sizeof m->source);
    if (qv_png_open(&m->source, input, message) != 0) {
        m->source.status = QV_IMAGE_NO_MEMORY;
    } else if (setjmp(m->source.end) == 0) {
        work(m, mark);
    }
    if (m->png != NULL) png_destroy_write_struct(&m->png, &m->info);
    qv_png_close(&m->source);
    return m->source.status;
}

enum qv_image_status qv_png_mark(
    const qv_input *input, qv_mark *mark, const qv_output *output, char *message) {
    message[0] = 0;
    qv_png_marker *m = calloc(1, sizeof *m);
    if (m == NULL) return QV_IMAGE_NO_MEMORY;
    m->out.output = output;
    m->strip = mark->strip;
    enum qv_image_status status = QV_IMAGE_DONE;
    if (mark->dense == NULL) {
        status = pass(m, input, mark, message, mark_sparse);
    } else {
        status = pass(m, input, mark, message, qv_png_measure);
        if (status == QV_IMAGE_DONE && m->is_drawn && m->is_palette && !m->has_alpha)
            status = pass(m, input, mark, message, qv_png_collect);
        if (status == QV_IMAGE_DONE) status = pass(m, input, mark, message, qv_png_mark_dense);
    }
    qv_band_end(&m->band);
    qv_ink_map_end(&m->ink);
    free(m->rows);
    free(m->inks);
    free(m->cores);
    free(m->frame_chips);
    free(m->cover);
    free(m->strip_bytes);
    free(m->strip_row);
    qv_png_palette_end(m);
    qv_raster_end(&m->raster);
    qv_image_free(m->profile, m->profile_length);
    qv_image_free((uint8_t *)m, sizeof *m);
    return status;
}
