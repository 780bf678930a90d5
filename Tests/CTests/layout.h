/* A dense layout for tests, of strokes, noise and chips that are the same each time. */
#ifndef QUICKVAULT_TESTS_LAYOUT_H
#define QUICKVAULT_TESTS_LAYOUT_H

#include "check.h"
#include "cimage.h"

enum { LAYOUT_STRIPS = 3, LAYOUT_CHIPS = 201 * 201 / 8 + 1 };

typedef struct {
    qv_dense dense;
    qv_coverage strips[LAYOUT_STRIPS];
    uint8_t noise[QV_NOISE_SIDE * QV_NOISE_SIDE];
    uint8_t chips[LAYOUT_CHIPS];
} layout;

/* A strip as qv_strip_draw gives it: its edges are empty, and it repeats after its length. */
static inline qv_coverage layout_strip(uint64_t *state, uint32_t length, uint32_t height) {
    qv_coverage out = {length + 1, height, malloc((size_t)(length + 1) * height), length};
    CHECK(out.bytes != NULL);
    for (uint32_t y = 0; y < height; y++) {
        uint8_t *row = out.bytes + (size_t)y * out.width;
        int is_edge = y == 0 || y == height - 1;
        /* Runs of ink and of none, as strokes are. */
        for (uint32_t x = 0; x < length; x++) {
            uint64_t dice = check_random(state) % 8;
            row[x] = is_edge || dice < 3 ? 0 : dice < 6 ? 255 : (uint8_t)check_random(state);
        }
        row[length] = row[0];
    }
    return out;
}

/* For layout_free. */
static inline layout *layout_make(uint32_t width, uint32_t height, int orientation, double em, uint32_t length, uint64_t seed) {
    layout *l = calloc(1, sizeof *l);
    CHECK(l != NULL);
    double scale = em < 24 ? 2 : 1, angle = (double)(check_random(&seed) % 1800) / 10 - 90;
    uint32_t high = (uint32_t)(1.5 * em * scale) + 3;
    for (uint32_t i = 0; i < LAYOUT_STRIPS; i++) l->strips[i] = layout_strip(&seed, length + 5 * i, high);
    check_fill(&seed, l->noise, sizeof l->noise);
    check_fill(&seed, l->chips, sizeof l->chips);
    l->dense = (qv_dense){
        .width = width, .height = height, .orientation = orientation, .em = em, .noise = l->noise, .chips = l->chips, .slow = 0.30,
        .fine = 0.36};
    l->dense.rows = (qv_rows){
        .strips = l->strips, .count = LAYOUT_STRIPS - 1, .scale = scale, .degrees = angle, .pitch = 3 * em, .phase = em,
        .opacity = 0.34};
    l->dense.micro = (qv_rows){
        .strips = l->strips + LAYOUT_STRIPS - 1, .count = 1, .scale = 2, .degrees = angle - 14, .pitch = 0.75 * em,
        .phase = 0.2 * em, .opacity = 0.24};
    for (int i = 0; i < 2 * QV_FIELDS; i++) l->dense.shifts[i] = (double)(check_random(&seed) % 65536) / 256;
    return l;
}

/* Makes it one of those whose strokes have a core, and whose rows hold sentences. */
static inline void layout_calm(layout *l) {
    l->dense.slow = l->dense.fine = 0;
    l->dense.core = 0.5;
    l->dense.reach = 4;
    l->dense.rows.has_sentences = 1;
    l->dense.rows.gap = 20;
    l->dense.micro.opacity = 0;
}

static inline void layout_free(layout *l) {
    for (uint32_t i = 0; i < LAYOUT_STRIPS; i++) free(l->strips[i].bytes);
    free(l);
}

#endif
