/* The sources of CImage under other names: what they choose by the processor is chosen by the test here. */
#define qv_rows_start twin_rows_start
#define qv_rows_cover twin_rows_cover
#define qv_rows_end twin_rows_end
#include "../../Sources/CImage/rows.c"
#undef qv_rows_start
#undef qv_rows_cover
#undef qv_rows_end

/* No clones: the plain code alone. */
#define target_clones(...) unused
#define qv_jpeg_mark_dense twin_jpeg_mark_dense
#define qv_jpeg_mark twin_jpeg_mark
#include "../../Sources/CImage/jpeg_dense.c"
#include "../../Sources/CImage/jpeg_mark.c"

#include "twins.h"

int twin_has_avx2(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return 0;
#endif
}

struct twin_strip {
    qv_quads quads;
};

twin_strip *twin_strip_make(const qv_coverage *strip) {
    twin_strip *out = calloc(1, sizeof *out);
    if (out != NULL && start_quads(&out->quads, strip, 0, 0) != 0) abort();
    return out;
}

void twin_strip_free(twin_strip *strip) {
    free(strip->quads.quads);
    free(strip);
}

static line line_of(const twin_line *l) {
    const qv_quads *quads = &l->strip->quads;
    return (line){
        .strip = quads, .u = l->u, .v = l->v, .across = l->across, .down = l->down, .width = (int)(quads->length * ONE),
        .high = quads->high * ONE};
}

int twin_cover_plain(const twin_line *l, uint8_t *out) {
    const line whole = line_of(l);
    return cover_line(&whole, out);
}

int twin_cover_avx2(const twin_line *l, uint8_t *out) {
    const line whole = line_of(l);
#if defined(__x86_64__)
    return cover_line_at_once(&whole, out);
#else
    return cover_line(&whole, out);
#endif
}

uint8_t *twin_fill(const qv_dense *dense, int is_avx2, size_t *length) {
    qv_band band;
    uint8_t *out = NULL;
    if (qv_band_start(&band, dense, 2) == 0) {
        if (!is_avx2) band.sentence.cover_line = band.small.cover_line = cover_line;
        size_t size = (size_t)band.stride * QV_BLOCK, rows = (band.stored_height + QV_BLOCK - 1) / QV_BLOCK;
        *length = size * rows;
        out = malloc(*length);
        for (size_t row = 0; row < rows && out != NULL; row++) qv_band_fill(&band, (uint32_t)row, (qv_inks){.all = out + row * size});
    }
    qv_band_end(&band);
    return out;
}
