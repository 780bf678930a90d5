/* The dense layout in the coefficients of a JPEG. */
#include "jpeg_job.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2 };

/* Rows of units that follow each other. */
typedef struct {
    const qv_jpeg_job *job;
    uint32_t first, end;
    qv_band band;
    uint8_t *ink, *cores; /* of a row of units; `cores` is NULL where the layout has none */
    qv_contrast contrast;
    uint64_t touched, bare, pixels;
    int failed;
} worker;

/* Whether some of the pixels of a block get a kind of ink. */
static inline __attribute__((always_inline)) int has_ink(const uint8_t *from, size_t stride, size_t across, size_t down) {
    uint64_t any = 0;
    for (size_t y = 0; y < DCTSIZE * down; y++) {
        for (size_t x = 0; x < across; x++) {
            uint64_t eight;
            memcpy(&eight, from + y * stride + x * DCTSIZE, sizeof eight);
            any |= eight;
        }
    }
    return any != 0;
}

/* What each sample of a block gets of a kind of ink, 0 to 1; 0 where none gets any. */
static inline __attribute__((always_inline)) int block_ink(
    const worker *w, const uint8_t *bytes, const qv_jpeg_component *c, uint32_t column, uint32_t line, float out[DCTSIZE2]) {
    size_t stride = w->band.stride, across = (size_t)c->across, down = (size_t)c->down;
    const uint8_t *from = bytes + (size_t)line * DCTSIZE * down * stride + (size_t)column * DCTSIZE * across;
    if (!has_ink(from, stride, across, down)) return 0;
    unsigned any = 0;
    if (across == 1 && down == 1) {
        for (size_t y = 0; y < DCTSIZE; y++) {
            for (size_t x = 0; x < DCTSIZE; x++) {
                any |= from[y * stride + x];
                out[y * DCTSIZE + x] = (float)from[y * stride + x] * (1 / 255.0f);
            }
        }
        return any != 0;
    }
    float share = 1 / (255.0f * (float)(across * down));
    for (size_t y = 0; y < DCTSIZE; y++) {
        for (size_t x = 0; x < DCTSIZE; x++) {
            unsigned sum = 0;
            for (size_t dy = 0; dy < down; dy++) {
                for (size_t dx = 0; dx < across; dx++) sum += from[(y * down + dy) * stride + x * across + dx];
            }
            any |= sum;
            out[y * DCTSIZE + x] = (float)sum * share;
        }
    }
    return any != 0;
}

/* The levels of the signal in a block, less than 0 where more of the component is darker. The mean of its samples is the first
 * coefficient, and the others tell their deviation. */
static inline __attribute__((always_inline)) float signal_levels(const qv_jpeg_component *c, const JCOEF *block) {
    /* A sum for each column: one alone would wait for each addition. */
    float mean = (float)block[0] * c->table[0] / DCTSIZE, sums[DCTSIZE] = {0}, squares = 0;
    for (int y = 0; y < DCTSIZE; y++) {
        for (int x = 0; x < DCTSIZE; x++) {
            float value = (float)block[DCTSIZE * y + x] * c->table[DCTSIZE * y + x];
            sums[x] += value * value;
        }
    }
    for (int x = 0; x < DCTSIZE; x++) squares += sums[x];
    float levels = qv_texture(mean, squares / DCTSIZE2);
    return c->is_inverted ? -levels : levels;
}

/* Adds the coefficients of the signal to those that change in a block. */
static inline __attribute__((always_inline)) void add_frame_signal(
    const worker *w, const qv_jpeg_component *c, uint32_t column, uint32_t row, const qv_block_side *down, float levels, qv_matrix change) {
    const qv_jpeg_job *j = w->job;
    const qv_block_side *across = &c->sides[column];
    qv_matrix signal;
    if (across->count > 0 && down->count > 0) {
        qv_signal_coefficients(j->frame_chips, &w->band.grid, j->mark->dense->orientation > 4, across, down, signal);
    } else {
        qv_frame_signals(j->frame_chips, j->mark->dense, &w->band.grid, column * 8.0, row * 8.0, c->across, c->down, signal);
        qv_transform(j->cosines.to_coefficients, signal);
    }
    for (int i = 0; i < DCTSIZE2; i++) change[i] += levels * signal[i];
}

static inline __attribute__((always_inline)) void mark_lightness(worker *w, const qv_jpeg_component *c, uint32_t column, uint32_t row, const float ink[DCTSIZE2], const float cores[DCTSIZE2], const qv_block_side *down) {
    const qv_jpeg_job *j = w->job;
    qv_ink kind = qv_ink_at(&j->ink, column * (uint32_t)c->across, row * (uint32_t)c->down);
    if (c->is_light_only && !kind.is_light) return;
    JCOEF *block = c->rows[row][column];
    qv_matrix samples, change;
    qv_block_samples(&j->cosines, block, c->table, samples);
    for (int i = 0; i < DCTSIZE2; i++) {
        float light = c->is_inverted ? 127 - samples[i] : samples[i] + 128;
        float moved = qv_ink_change(kind, light, ink[i], cores[i]);
        if (!c->is_light_only && ink[i] * 255 >= QV_STROKE) qv_contrast_add(&w->contrast, light, light + moved);
        change[i] = c->is_inverted ? -moved : moved;
    }
    qv_contrast_end(&w->contrast);
    qv_transform(j->cosines.to_coefficients, change);
    if (j->frame_chips != NULL) add_frame_signal(w, c, column, row, down, signal_levels(c, block), change);
    w->touched += (uint64_t)qv_block_add_coefficients(block, c->table, change);
}

/* Adds the signal to a block without ink, whose samples nothing has to know. */
static inline __attribute__((always_inline)) void mark_bare(worker *w, const qv_jpeg_component *c, uint32_t column, uint32_t row, const qv_block_side *down) {
    JCOEF *block = c->rows[row][column];
    qv_ink kind = qv_ink_at(&w->job->ink, column * (uint32_t)c->across, row * (uint32_t)c->down);
    if (c->is_light_only && !kind.is_light) return;
    qv_matrix change = {0};
    add_frame_signal(w, c, column, row, down, signal_levels(c, block), change);
    w->touched += (uint64_t)qv_block_add_coefficients(block, c->table, change);
}

static inline __attribute__((always_inline)) void mark_colour(worker *w, const qv_jpeg_component *c, uint32_t column, uint32_t row, const float ink[DCTSIZE2]) {
    const qv_jpeg_job *j = w->job;
    double x, y;
    float tint[2];
    qv_dense_seen(j->mark->dense, (column + 0.5) * 8 * c->across, (row + 0.5) * 8 * c->down, &x, &y);
    qv_dense_tint(j->mark->dense, x, y, tint);
    qv_ink kind = qv_ink_at(&j->ink, column * (uint32_t)c->across, row * (uint32_t)c->down);
    qv_matrix samples;
    qv_block_samples(&j->cosines, c->rows[row][column], c->table, samples);
    for (int i = 0; i < DCTSIZE2; i++) samples[i] = qv_ink_part(ink[i], kind) * (tint[c->role == QV_RED] - samples[i]);
    w->touched += (uint64_t)qv_block_add(&j->cosines, c->rows[row][column], c->table, samples);
}

static void count_bare(worker *w, uint32_t unit) {
    for (uint32_t y = 0; y < (uint32_t)w->job->down * DCTSIZE; y++) {
        if (unit * (uint32_t)w->job->down * DCTSIZE + y >= w->band.stored_height) return;
        const uint8_t *row = w->ink + (size_t)y * w->band.stride;
        for (uint32_t x = 0; x < w->band.stored_width; x++) w->bare += row[x] == 0;
        w->pixels += w->band.stored_width;
    }
}

/* The same operations in the same order, in wider registers where there are some: no result differs. */
#if defined(__x86_64__)
__attribute__((target_clones("avx2", "default")))
#endif
static void *work(void *argument) {
    worker *w = argument;
    const qv_jpeg_job *j = w->job;
    for (uint32_t unit = w->first; unit < w->end; unit++) {
        for (int i = 0; i < j->down; i++) {
            size_t from = (size_t)i * DCTSIZE * w->band.stride;
            qv_inks inks = {.all = w->ink + from, .cores = w->cores == NULL ? NULL : w->cores + from};
            qv_band_fill(&w->band, unit * (uint32_t)j->down + (uint32_t)i, inks);
        }
        count_bare(w, unit);
        for (int i = 0; i < j->count; i++) {
            const qv_jpeg_component *c = &j->components[i];
            if (c->role == QV_SKIPPED) continue;
            uint32_t lines = (uint32_t)(j->down / c->down);
            for (uint32_t line = 0; line < lines && unit * lines + line < c->high; line++) {
                qv_block_side down = {0};
                if (c->sides != NULL)
                    down = qv_block_side_at(j->mark->dense, &w->band.grid, (unit * lines + line) * DCTSIZE, c->down, 1, j->cosines.to_samples);
                for (uint32_t column = 0; column < c->wide; column++) {
                    float ink[DCTSIZE2] = {0}, cores[DCTSIZE2] = {0};
                    int is_covered = block_ink(w, w->ink, c, column, line, ink);
                    if (c->role != QV_LIGHTNESS) {
                        if (is_covered) mark_colour(w, c, column, unit * lines + line, ink);
                        continue;
                    }
                    if (w->cores != NULL) is_covered |= block_ink(w, w->cores, c, column, line, cores);
                    if (is_covered) mark_lightness(w, c, column, unit * lines + line, ink, cores, &down);
                    else if (j->frame_chips != NULL) mark_bare(w, c, column, unit * lines + line, &down);
                }
            }
        }
    }
    return NULL;
}

static int run(qv_jpeg_job *j, int widest, qv_mark *mark) {
    worker workers[THREADS];
    memset(workers, 0, sizeof workers);
    int failed = 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        worker *w = &workers[i];
        w->job = j;
        w->first = j->units * i / THREADS;
        w->end = j->units * (i + 1) / THREADS;
        qv_contrast_start(&w->contrast);
        failed |= qv_band_start(&w->band, mark->dense, (uint32_t)widest);
        size_t size = (size_t)w->band.stride * DCTSIZE * (size_t)j->down;
        int has_core = mark->dense->core > 0;
        w->ink = failed ? NULL : malloc(size);
        w->cores = failed || !has_core ? NULL : malloc(size);
        failed |= w->ink == NULL || (has_core && w->cores == NULL);
    }
    pthread_t threads[THREADS];
    int is_running[THREADS] = {0};
    for (int i = 1; i < THREADS && !failed; i++) is_running[i] = pthread_create(&threads[i], NULL, work, &workers[i]) == 0;
    for (int i = 0; i < THREADS && !failed; i++) {
        if (!is_running[i]) work(&workers[i]);
    }
    uint64_t bare = 0, pixels = 0;
    for (int i = 0; i < THREADS; i++) {
        worker *w = &workers[i];
        if (is_running[i]) pthread_join(threads[i], NULL);
        mark->touched += w->touched;
        mark->cells += w->contrast.cells;
        mark->faint += w->contrast.faint;
        bare += w->bare;
        pixels += w->pixels;
        qv_band_end(&w->band);
        free(w->ink);
        free(w->cores);
    }
    mark->untouched = pixels == 0 ? 0 : (double)bare / (double)pixels;
    return failed ? -1 : 0;
}

void qv_jpeg_mark_dense(struct jpeg_decompress_struct *info, jvirt_barray_ptr *coefficients, qv_mark *mark) {
    qv_jpeg_job j;
    enum qv_image_status status = qv_jpeg_job_start(&j, info, coefficients, mark);
    if (status == QV_IMAGE_DONE && run(&j, info->max_h_samp_factor, mark) != 0) status = QV_IMAGE_NO_MEMORY;
    qv_jpeg_job_end(&j);
    if (status != QV_IMAGE_DONE) qv_jpeg_leave((j_common_ptr)info, status);
}
