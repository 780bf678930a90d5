/* Rows of text in the dense layout (Spec/product/watermark.md, 3.2): how much they cover of each pixel. */
#include "dense.h"

#include <math.h>
#include <stdlib.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* A strip whose pixels have their neighbours with them: the right one, the one below, and that one's right one. */
struct quads {
    uint32_t *quads;
    size_t wide;
    int high;
    float length, per_length;
};

/* The middle of four neighbours, made whole: covered, or of a bar, or bare. */
static uint32_t whole(const uint8_t *up, const uint8_t *low, int bar) {
    int sum = up[0] + up[1] + low[0] + low[1];
    int is_in_bar = bar > 0 && up[0] >= bar && up[1] >= bar && low[0] >= bar && low[1] >= bar;
    uint32_t value = sum > 2 * (is_in_bar ? 255 + bar : 255) ? 255 : is_in_bar ? (uint32_t)bar : 0;
    return value * 0x01010101;
}

static int start_quads(qv_quads *out, const qv_coverage *strip, int is_whole, int bar) {
    out->wide = strip->width - 1;
    out->high = (int)strip->height - 1;
    out->length = (float)strip->line_width;
    out->per_length = 1 / out->length;
    out->quads = malloc(out->wide * (size_t)out->high * sizeof *out->quads);
    if (out->quads == NULL) return -1;
    for (int y = 0; y < out->high; y++) {
        const uint8_t *up = strip->bytes + (size_t)y * strip->width, *low = up + strip->width;
        uint32_t *row = out->quads + (size_t)y * out->wide;
        for (size_t x = 0; x < out->wide; x++) {
            row[x] = is_whole
                ? whole(up + x, low + x, bar)
                : up[x] | (uint32_t)up[x + 1] << 8 | (uint32_t)low[x] << 16 | (uint32_t)low[x + 1] << 24;
        }
    }
    return 0;
}

/* A row of text: its strip, and how far along it begins, in pixels of the strip. */
struct row {
    const qv_quads *strip;
    float start;
};

void qv_rows_end(qv_row_list *list) {
    for (size_t i = 0; list->strips != NULL && i < list->rows->count; i++) free(list->strips[i].quads);
    free(list->strips);
    free(list->list);
}

/* Places in a strip: 12 bits behind the point, so that 30,000 pixels fit. */
enum { POINT = 12, ONE = 1 << POINT };

/* The places that a line of a block takes in a strip. */
typedef struct line {
    const qv_quads *strip;
    int u, v, across, down; /* of its first pixel, and from one pixel to the next */
    int width, high;        /* where the strip repeats, and where it ends */
} line;

/* Adds the coverage of a line; 0 where no stroke touches it. */
static int cover_line(const line *l, uint8_t out[QV_BLOCK]) {
    int u = l->u, v = l->v, any = 0;
    for (int x = 0; x < QV_BLOCK; x++, u += l->across, v += l->down) {
        /* Division rounds: a place may come out just below the first column, or on the last. */
        u += u < 0 ? l->width : u >= l->width ? -l->width : 0;
        if ((unsigned)v >= (unsigned)l->high) continue;
        uint32_t quad = l->strip->quads[(size_t)(v >> POINT) * l->strip->wide + (size_t)(u >> POINT)];
        int left = (int)(quad & 255), right = (int)(quad >> 8 & 255), low = (int)(quad >> 16 & 255), last = (int)(quad >> 24);
        int a = u >> (POINT - 8) & 255, b = v >> (POINT - 8) & 255;
        int upper = (left << 8) + a * (right - left), lower = (low << 8) + a * (last - low);
        int value = ((upper << 8) + b * (lower - upper)) >> 16;
        any |= value;
        if (value > out[x]) out[x] = (uint8_t)value;
    }
    return any != 0;
}

#if defined(__x86_64__)
/* The same for all pixels of the line at once. */
__attribute__((target("avx2"))) static int cover_line_at_once(const line *l, uint8_t out[QV_BLOCK]) {
    const __m256i count = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), bytes = _mm256_set1_epi32(255);
    __m256i u = _mm256_add_epi32(_mm256_set1_epi32(l->u), _mm256_mullo_epi32(count, _mm256_set1_epi32(l->across)));
    __m256i v = _mm256_add_epi32(_mm256_set1_epi32(l->v), _mm256_mullo_epi32(count, _mm256_set1_epi32(l->down)));
    __m256i width = _mm256_set1_epi32(l->width), none = _mm256_setzero_si256();
    u = _mm256_add_epi32(u, _mm256_and_si256(width, _mm256_cmpgt_epi32(none, u)));
    u = _mm256_sub_epi32(u, _mm256_andnot_si256(_mm256_cmpgt_epi32(width, u), width));
    __m256i is_outside = _mm256_or_si256(
        _mm256_cmpgt_epi32(none, v), _mm256_cmpgt_epi32(v, _mm256_set1_epi32(l->high - 1)));
    __m256i is_inside = _mm256_xor_si256(is_outside, _mm256_set1_epi32(-1));
    if (_mm256_testz_si256(is_inside, is_inside)) return 0;
    __m256i place = _mm256_add_epi32(
        _mm256_mullo_epi32(_mm256_srai_epi32(v, POINT), _mm256_set1_epi32((int)l->strip->wide)), _mm256_srai_epi32(u, POINT));
    __m256i quad = _mm256_mask_i32gather_epi32(none, (const int *)l->strip->quads, place, is_inside, 4);
    if (_mm256_testz_si256(quad, quad)) return 0;
    __m256i left = _mm256_and_si256(quad, bytes), right = _mm256_and_si256(_mm256_srli_epi32(quad, 8), bytes);
    __m256i low = _mm256_and_si256(_mm256_srli_epi32(quad, 16), bytes), last = _mm256_srli_epi32(quad, 24);
    __m256i a = _mm256_and_si256(_mm256_srai_epi32(u, POINT - 8), bytes);
    __m256i b = _mm256_and_si256(_mm256_srai_epi32(v, POINT - 8), bytes);
    __m256i upper = _mm256_add_epi32(_mm256_slli_epi32(left, 8), _mm256_mullo_epi32(a, _mm256_sub_epi32(right, left)));
    __m256i lower = _mm256_add_epi32(_mm256_slli_epi32(low, 8), _mm256_mullo_epi32(a, _mm256_sub_epi32(last, low)));
    __m256i value = _mm256_srai_epi32(
        _mm256_add_epi32(_mm256_slli_epi32(upper, 8), _mm256_mullo_epi32(b, _mm256_sub_epi32(lower, upper))), 16);
    __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(value), _mm256_extracti128_si256(value, 1));
    __m128i packed = _mm_packus_epi16(words, words);
    _mm_storel_epi64((__m128i *)out, _mm_max_epu8(packed, _mm_loadl_epi64((const __m128i *)out)));
    return !_mm256_testz_si256(value, value);
}
#endif

int qv_rows_cover(const qv_row_list *list, const double u[4], const double v[4], uint8_t out[QV_BLOCK * QV_BLOCK]) {
    double least = v[0], most = v[0], scale = list->rows->scale, pitch = list->rows->pitch;
    for (int i = 1; i < 4; i++) {
        if (v[i] < least) least = v[i];
        if (v[i] > most) most = v[i];
    }
    int is_covered = 0;
    /* Blocks beyond the picture's edge may stand above the first row. */
    double low = (least + list->down) / pitch, high = (most + list->down) / pitch;
    unsigned first = low > 0 ? (unsigned)low : 0, last = high > 0 ? (unsigned)high : 0;
    for (unsigned number = first; number <= last && number < list->count; number++) {
        const struct row *row = &list->list[number];
        const qv_quads *strip = row->strip;
        /* Places are counted from the top of this row, so that floats suffice. */
        double top = number * pitch - list->down;
        if ((least - top) * scale > strip->high + 1) continue;
        line l = {.strip = strip, .width = (int)(strip->length * ONE), .high = strip->high * ONE};
        for (int y = 0; y < QV_BLOCK; y++) {
            double part = (y + 0.5) / QV_BLOCK;
            double left_u = u[0] + part * (u[2] - u[0]), right_u = u[1] + part * (u[3] - u[1]);
            double left_v = v[0] + part * (v[2] - v[0]), right_v = v[1] + part * (v[3] - v[1]);
            float step_u = (float)((right_u - left_u) * scale / QV_BLOCK);
            float step_v = (float)((right_v - left_v) * scale / QV_BLOCK);
            float at_u = (float)(left_u * scale) + row->start + step_u / 2;
            float along = at_u - strip->length * (float)(int)(at_u * strip->per_length);
            l.u = (int)(along * ONE);
            l.v = (int)(((float)((left_v - top) * scale) + step_v / 2 - 0.5f) * ONE);
            l.across = (int)(step_u * ONE);
            l.down = (int)(step_v * ONE);
            /* All pixels at once turn back at the strip's end once only: a line that may reach it twice goes pixel by pixel. */
            int is_short = abs(l.across) * QV_BLOCK > l.width;
            is_covered |= (is_short ? cover_line : list->cover_line)(&l, out + y * QV_BLOCK);
        }
    }
    return is_covered;
}

/* Whole pitches keep the numbers of rows above zero, whole lengths of a strip all places along it. */
int qv_rows_start(qv_row_list *list, const qv_dense *d, const qv_rows *rows, unsigned layer) {
    double reach = qv_rows_reach(d, rows);
    qv_direction way = qv_sine_and_cosine(rows->degrees);
    list->rows = rows;
    list->down = reach * rows->pitch;
    list->count = (unsigned)(2 * reach);
    list->cover_line = cover_line;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) list->cover_line = cover_line_at_once;
#endif
    list->list = malloc(list->count * sizeof *list->list);
    list->strips = calloc(rows->count, sizeof *list->strips);
    if (list->list == NULL || list->strips == NULL) return -1;
    for (size_t i = 0; i < rows->count; i++) {
        if (start_quads(&list->strips[i], &rows->strips[i], d->is_drawn, rows->bar) != 0) return -1;
    }
    for (unsigned i = 0; i < list->count; i++) {
        const qv_quads *strip = &list->strips[i % rows->count];
        const uint8_t *two = d->noise + (2 * i + 4096 * layer) % (QV_NOISE_SIDE * QV_NOISE_SIDE - 1);
        double length = rows->strips[i % rows->count].line_width;
        double whole = ceil(((double)d->width + d->height) * rows->scale / length) * length;
        double part = (two[0] * 256 + two[1]) / 65536.0, enter, start = length * part;
        if (rows->has_sentences) {
            /* The strip begins where all of it shows, if there is room for it. */
            double room = qv_room_in_row(d, rows, way, i, &enter);
            if (room >= 0) start = -(enter + part * room) * rows->scale;
        }
        list->list[i] = (struct row){strip, (float)(whole + start)};
    }
    return 0;
}
