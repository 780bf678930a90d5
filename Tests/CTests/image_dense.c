/* CImage: the dense layout, against its page (Spec/product/watermark.md, 3.2 and 8). */
#include "layout.h"
#include "dense.h"
#include "pictures.h"

#include <math.h>

static char message[QV_IMAGE_MESSAGE];

/* F(k, c) of the page. */
static double field(const qv_dense *d, int k, double x, double y, double cell) {
    double at_x = x / cell + d->shifts[2 * k], at_y = y / cell + d->shifts[2 * k + 1];
    double left = floor(at_x), top = floor(at_y), values[2][2];
    for (int j = 0; j < 2; j++) {
        for (int i = 0; i < 2; i++)
            values[j][i] = d->noise[256 * (((long)top + j) & 255) + (((long)left + i) & 255)];
    }
    double a = at_x - left, b = at_y - top;
    return ((1 - b) * ((1 - a) * values[0][0] + a * values[0][1]) + b * ((1 - a) * values[1][0] + a * values[1][1])) / 127.5 - 1;
}

/* A chip of +1 or -1 in the middle of each cell, linear between. */
static double signal_of(const qv_dense *d, const uint8_t *chips, double x, double y) {
    double side = fmax(d->width, d->height) / 200.0;
    long across = (long)ceil(d->width / side), down = (long)ceil(d->height / side);
    double at_x = fmin(fmax(x / side - 0.5, 0), (double)across - 1), at_y = fmin(fmax(y / side - 0.5, 0), (double)down - 1);
    double sum = 0;
    for (long j = (long)at_y; j <= (long)at_y + 1 && j < down; j++) {
        for (long i = (long)at_x; i <= (long)at_x + 1 && i < across; i++) {
            long k = j * across + i;
            double weight = (1 - fabs(at_x - (double)i)) * (1 - fabs(at_y - (double)j));
            sum += weight * (chips[k / 8] >> (7 - k % 8) & 1 ? 1 : -1);
        }
    }
    return sum;
}

static void test_points(void) {
    uint64_t state = 41;
    for (int round = 0; round < 60; round++) {
        uint32_t width = 1 + (uint32_t)(check_random(&state) % 900), height = 1 + (uint32_t)(check_random(&state) % 900);
        layout *l = layout_make(width, height, 1, 8 + (double)(check_random(&state) % 60), 200, (uint64_t)round);
        qv_dense *d = &l->dense;
        if (round % 5 == 0) d->chips = NULL;
        for (int i = 0; i < 20; i++) {
            double x = (double)(check_random(&state) % (width + 1)), y = (double)(check_random(&state) % (height + 1));
            double p = x - width / 2.0, q = y - height / 2.0, em = d->em;
            double warp_u = 0.10 * em * field(d, 0, x, y, 2.5 * em), warp_v = 0.10 * em * field(d, 1, x, y, 2.5 * em);
            double t = d->rows.degrees * acos(-1) / 180, s = d->micro.degrees * acos(-1) / 180;
            qv_dense_point got = qv_dense_at(d, x, y);
            CHECK(fabs(got.row_u - (p * cos(t) - q * sin(t) + warp_u)) < 1e-8);
            CHECK(fabs(got.row_v - (p * sin(t) + q * cos(t) + warp_v + d->rows.phase)) < 1e-8);
            CHECK(fabs(got.micro_u - (p * cos(s) - q * sin(s) + warp_u)) < 1e-8);
            CHECK(fabs(got.micro_v - (p * sin(s) + q * cos(s) + warp_v + d->micro.phase)) < 1e-8);
            double factor = 1 + 0.30 * field(d, 2, x, y, 1.6 * em) + 0.36 * field(d, 3, x, y, em / 12);
            CHECK(fabs(got.opacity - factor) < 1e-6);
            CHECK(fabs(got.signal - (d->chips == NULL ? 0 : signal_of(d, d->chips, x, y))) < 2e-4);
        }
        layout_free(l);
    }
}

static size_t count_inked(const uint8_t *map, size_t count) {
    size_t inked = 0;
    for (size_t i = 0; i < count; i++) inked += map[i] != 0;
    return inked;
}

static void test_map(void) {
    static const uint32_t sides[][2] = {{1, 1}, {9, 8}, {203, 98}, {97, 400}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        size_t count = (size_t)sides[i][0] * sides[i][1];
        uint8_t *all = malloc(count), *rows = malloc(count), *again = malloc(count);
        CHECK(all != NULL && rows != NULL && again != NULL);
        layout *l = layout_make(sides[i][0], sides[i][1], 6, 14, 300, i);
        CHECK(qv_dense_map(&l->dense, (qv_inks){.all = all, .rows = rows}) == 0 && qv_dense_map(&l->dense, (qv_inks){.all = again}) == 0);
        CHECK(memcmp(all, again, count) == 0);
        CHECK(i < 2 || (count_inked(all, count) > count / 4 && count_inked(rows, count) > count / 20));
        /* Without a signal the sentence's rows are a part of all strokes. */
        l->dense.chips = NULL;
        CHECK(qv_dense_map(&l->dense, (qv_inks){.all = all, .rows = rows}) == 0);
        for (size_t k = 0; k < count; k++) CHECK(rows[k] <= all[k]);
        /* More ink in the focus, as much as before elsewhere. */
        double right = sides[i][0] / 2.0;
        l->dense.focus[2] = right;
        l->dense.focus[3] = sides[i][1];
        CHECK(qv_dense_map(&l->dense, (qv_inks){.all = again}) == 0);
        for (size_t k = 0; k < count; k++) {
            CHECK(again[k] >= all[k]);
            if ((double)(k % sides[i][0] / 8 * 8 + 4) > right) CHECK(again[k] == all[k]);
        }
        l->dense.rows.opacity = l->dense.micro.opacity = 0;
        CHECK(qv_dense_map(&l->dense, (qv_inks){.all = all, .rows = rows}) == 0);
        CHECK(count_inked(all, count) == 0 && count_inked(rows, count) == 0);
        layout_free(l);
        free(all);
        free(rows);
        free(again);
    }
}

/* On white and on black the expected copy follows from the map alone. */
static void test_expectation(void) {
    enum { WIDE = 120, HIGH = 90, COUNT = WIDE * HIGH };
    static uint8_t all[COUNT], rows[COUNT];
    static float original[COUNT], expected[COUNT], slope[COUNT], frame[COUNT];
    layout *l = layout_make(WIDE, HIGH, 1, 14, 300, 5);
    const qv_expectation e = {WIDE, HIGH, original, expected, slope, frame};
    for (int is_light = 0; is_light < 2; is_light++) {
        float paper = is_light ? 0 : 255, way = is_light ? 1 : -1;
        for (int i = 0; i < COUNT; i++) original[i] = paper;
        CHECK(qv_dense_expect(&l->dense, is_light, &e) == 0);
        const uint8_t *chips = l->dense.chips;
        l->dense.chips = NULL;
        CHECK(qv_dense_map(&l->dense, (qv_inks){.all = all, .rows = rows}) == 0);
        l->dense.chips = chips;
        for (int i = 0; i < COUNT; i++) {
            CHECK(fabsf(expected[i] - (paper + way * all[i])) < 0.01f);
            CHECK(fabsf(slope[i] - 0.10f * way * rows[i]) < 0.01f);
            CHECK(fabsf(frame[i] - 0.7f) < 1e-5f);
        }
    }
    /* In a smaller one each value is the mean of those that fall into it. */
    const qv_expectation smaller = {WIDE / 2, HIGH / 2, original, expected, slope, frame};
    for (int i = 0; i < COUNT; i++) original[i] = 255;
    CHECK(qv_dense_expect(&l->dense, 0, &smaller) == 0);
    for (int y = 0; y < HIGH / 2; y++) {
        for (int x = 0; x < WIDE / 2; x++) {
            int at = 2 * y * WIDE + 2 * x, sum = all[at] + all[at + 1] + all[at + WIDE] + all[at + WIDE + 1];
            CHECK(fabs(expected[y * WIDE / 2 + x] - (255 - sum / 4.0)) < 0.01);
        }
    }
    layout_free(l);
}

/* With a core: what is as the ink itself gets it in place of the ink, what lies between both in part. */
static void test_cores(void) {
    enum { WIDE = 120, HIGH = 90, COUNT = WIDE * HIGH };
    static uint8_t all[COUNT], rows[COUNT], cores[COUNT];
    static float original[COUNT], expected[COUNT], slope[COUNT], frame[COUNT];
    layout *l = layout_make(WIDE, HIGH, 1, 14, 300, 6);
    const qv_expectation e = {WIDE, HIGH, original, expected, slope, frame};
    CHECK(qv_dense_map(&l->dense, (qv_inks){.all = all, .rows = rows, .cores = cores}) == 0 && count_inked(cores, COUNT) == 0);
    layout_calm(l);
    l->dense.chips = NULL;
    CHECK(qv_dense_map(&l->dense, (qv_inks){.all = all, .rows = rows, .cores = cores}) == 0);
    /* Small strokes have no ink, and a core all the same. */
    CHECK(memcmp(all, rows, COUNT) == 0 && count_inked(cores, COUNT) > 2 * count_inked(all, COUNT));
    for (int is_light = 0; is_light < 2; is_light++) {
        for (int level = 0; level < 256; level += 51) {
            float light = (float)(is_light ? 255 - level : level), likeness = fminf(1, fmaxf(0, (96 - (float)level) / 48));
            float gain = fminf(1, is_light ? light / 118 : (255 - light) / 137) * 0.5f + 1;
            for (int i = 0; i < COUNT; i++) original[i] = light;
            CHECK(qv_dense_expect(&l->dense, is_light, &e) == 0);
            for (int i = 0; i < COUNT; i++) {
                float part = fminf(1, (float)all[i] / 255 * gain), core = (float)cores[i] / 255;
                float change = (1 - likeness) * part * ((is_light ? 255 : 0) - light) + likeness * core * ((is_light ? 65 : 190) - light);
                CHECK(fabsf(expected[i] - light - change) < 0.05f);
            }
        }
    }
    layout_free(l);
}

/* The rows whose part on the picture is as long as their text, point by point. */
static void test_whole_rows(void) {
    uint64_t state = 97;
    for (int round = 0; round < 40; round++) {
        uint32_t width = 60 + (uint32_t)(check_random(&state) % 500), height = 60 + (uint32_t)(check_random(&state) % 500);
        layout *l = layout_make(width, height, 1, 14, 100 + (uint32_t)(check_random(&state) % 500), (uint64_t)round);
        layout_calm(l);
        const qv_rows *rows = &l->dense.rows;
        double t = rows->degrees * acos(-1) / 180, reach = ceil((width + height) / 2.0 / rows->pitch) + 2;
        unsigned least = 0, most = 0;
        for (unsigned r = 0; r < 2 * (unsigned)reach; r++) {
            const qv_coverage *strip = &rows->strips[r % rows->count];
            double v = (r - reach) * rows->pitch - rows->phase, length = 0;
            for (double u = -1000; u < 1000; u += 0.25) {
                int shows = 1;
                for (int k = 0; k < 2; k++) {
                    double low = v + (double)k * strip->height / rows->scale, p = u * cos(t) + low * sin(t), q = low * cos(t) - u * sin(t);
                    shows &= fabs(p) <= width / 2.0 && fabs(q) <= height / 2.0;
                }
                length += shows ? 0.25 : 0;
            }
            double room = length - (strip->line_width - rows->gap) / rows->scale;
            least += room > 1;
            most += room > -1;
        }
        unsigned whole = qv_whole_rows(&l->dense);
        CHECK(whole >= least && whole <= most);
        layout_free(l);
    }
}

/* Marks a picture that lies as a person sees it; how many pixels the map inks. */
static size_t check_mark(const buffer *picture, layout *l, int is_png, qv_mark *mark, buffer *out) {
    size_t count = (size_t)l->dense.width * l->dense.height;
    uint8_t *map = malloc(count);
    CHECK(map != NULL && qv_dense_map(&l->dense, (qv_inks){.all = map}) == 0);
    const qv_input input = buffer_input(picture);
    const qv_output output = {buffer_write, out};
    CHECK((is_png ? qv_png_mark : qv_jpeg_mark)(&input, mark, &output, message) == QV_IMAGE_DONE && message[0] == 0);
    size_t inked = count_inked(map, count);
    CHECK(fabs(mark->untouched - (1 - (double)inked / (double)count)) < 1e-9);
    CHECK(mark->faint <= mark->cells && (l->dense.core > 0 || (inked == 0) == (mark->touched == 0)));
    free(map);
    return inked;
}

static void test_marks(void) {
    static const uint32_t sides[][2] = {{8, 8}, {33, 9}, {150, 101}, {64, 203}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        for (int kind = 0; kind < 8; kind++) {
            int is_png = kind % 2, is_framed = kind / 2 % 2, is_calm = kind / 4;
            buffer picture = (is_png ? png_photograph(sides[i][0], sides[i][1]) : jpeg_photograph(sides[i][0], sides[i][1], 90));
            buffer out = {NULL, 0, 0};
            layout *l = layout_make(sides[i][0], sides[i][1], 1, 14, 300, 3 + i);
            l->dense.frame_chips = is_framed ? l->chips : NULL;
            if (is_calm) layout_calm(l);
            qv_mark mark = {.dense = &l->dense, .is_light = -1};
            size_t inked = check_mark(&picture, l, is_png, &mark, &out);
            CHECK(!is_png || is_calm || mark.touched == inked);
            qv_pixels before = read_whole(&picture), after = read_whole(&out);
            CHECK(before.width == after.width && before.height == after.height);
            size_t same = 0, count = (size_t)after.width * after.height;
            for (size_t k = 0; k < count; k++) same += memcmp(before.bytes + 3 * k, after.bytes + 3 * k, 3) == 0;
            /* Pixels without a stroke stay, unless the whole picture has a signal. */
            if (is_png && !is_framed && !is_calm) CHECK(same >= count - inked);
            CHECK(same < count);
            pixels_free(&before);
            pixels_free(&after);
            buffer_free(&out);
            buffer_free(&picture);
            layout_free(l);
        }
    }
}

/* Every kind of PNG and every turn, as a stream; strokes on black and white stand out. */
static void test_kinds(void) {
    static const int kinds[][2] = {{1, PNG_COLOR_TYPE_GRAY}, {16, PNG_COLOR_TYPE_GRAY}, {4, PNG_COLOR_TYPE_PALETTE},
                                   {8, PNG_COLOR_TYPE_GRAY_ALPHA}, {16, PNG_COLOR_TYPE_RGB_ALPHA}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (int turn = 1; turn <= 8; turn++) {
            const png_wish wish = {.width = 61, .height = 43, .depth = kinds[k][0], .type = kinds[k][1], .orientation = turn,
                                   .is_interlaced = turn % 2};
            size_t length = png_row_length(&wish) * wish.height;
            uint8_t *rows = malloc(length);
            CHECK(rows != NULL);
            memset(rows, turn % 3 == 0 ? 0 : 255, length);
            buffer png = png_of(&wish, rows), out = {NULL, 0, 0};
            layout *l = layout_make(turn > 4 ? 43 : 61, turn > 4 ? 61 : 43, turn, 14, 300, k);
            l->dense.frame_chips = turn % 2 ? l->chips : NULL;
            qv_mark mark = {.dense = &l->dense, .is_light = -1};
            const qv_input input = buffer_stream(&png);
            const qv_output output = {buffer_write, &out};
            CHECK(qv_png_mark(&input, &mark, &output, message) == QV_IMAGE_DONE);
            CHECK(mark.cells > 0 && mark.faint < mark.cells && mark.touched > 61 * 43 / 10);
            qv_pixels before = read_whole(&png), after = read_whole(&out);
            CHECK(after.width == l->dense.width && after.height == l->dense.height);
            /* A threshold does not take all strokes off black and white. */
            size_t crossed = 0;
            for (size_t i = 0; i < (size_t)after.width * after.height * 3; i++)
                crossed += (before.bytes[i] < 128) != (after.bytes[i] < 128);
            CHECK(kinds[k][0] != 1 || crossed > 0);
            /* One bit stays one bit, the signal of the whole picture or not; where no ink is nothing changes. */
            CHECK(out.bytes[24] == (kinds[k][0] == 1 ? 1 : kinds[k][0] == 16 ? 16 : 8));
            CHECK(kinds[k][0] != 1 || crossed <= 3 * mark.touched);
            pixels_free(&before);
            pixels_free(&after);
            buffer_free(&png);
            buffer_free(&out);
            layout_free(l);
            free(rows);
        }
    }
}

/* Each cut, an output that is full: what was begun is given back. */
static void test_errors(void) {
    buffer both[2] = {jpeg_photograph(40, 40, 80), png_photograph(40, 40)};
    layout *l = layout_make(40, 40, 1, 14, 300, 3);
    for (int is_png = 0; is_png < 2; is_png++) {
        for (size_t length = 0; length <= both[is_png].length; length += 1 + length / 30) {
            buffer out = {NULL, 0, 1};
            size_t cut = length + 1 + length / 30 > both[is_png].length ? both[is_png].length : length;
            const qv_input input = {both[is_png].bytes, cut, NULL, NULL};
            const qv_output output = {buffer_write, &out};
            qv_mark mark = {.dense = &l->dense, .is_light = 1};
            enum qv_image_status wanted = cut < both[is_png].length ? QV_IMAGE_CORRUPT : QV_IMAGE_STOPPED;
            CHECK((is_png ? qv_png_mark : qv_jpeg_mark)(&input, &mark, &output, message) == wanted);
            CHECK(out.length == 0);
        }
        buffer_free(&both[is_png]);
    }
    layout_free(l);
}

/* Coefficients of the signal are those of its samples, in each orientation, whole and of half the samples; where a block has more
 * than three cells along a side there are none. */
static void test_signal_coefficients(void) {
    float cosines[64];
    for (int u = 0; u < 8; u++)
        for (int x = 0; x < 8; x++) cosines[8 * u + x] = (float)((u == 0 ? sqrt(0.125) : 0.5) * cos((2 * x + 1) * u * M_PI / 16));
    unsigned compared = 0, refused = 0;
    for (int turn = 0; turn < 32; turn++) {
        uint32_t width = turn < 16 ? 3000 : 400, height = turn < 16 ? 2200 : 260;
        int orientation = turn % 8 + 1, step = turn / 8 % 2 + 1;
        layout *l = layout_make(width, height, orientation, 30, 300, (uint64_t)turn + 1);
        float *chips = qv_expand_chips(l->chips, &l->dense);
        qv_signal_grid grid = qv_signal_grid_of(width, height);
        uint32_t wide = orientation > 4 ? height : width, high = orientation > 4 ? width : height;
        for (uint32_t top = 0; top * (uint32_t)step < high; top += 56) {
            qv_block_side down = qv_block_side_at(&l->dense, &grid, top, step, 1, cosines);
            for (uint32_t left = 0; left * (uint32_t)step < wide; left += 40) {
                qv_block_side across = qv_block_side_at(&l->dense, &grid, left, step, 0, cosines);
                if (across.count == 0 || down.count == 0) {
                    refused++;
                    continue;
                }
                float samples[64], coefficients[64];
                qv_frame_signals(chips, &l->dense, &grid, left, top, step, step, samples);
                qv_signal_coefficients(chips, &grid, orientation > 4, &across, &down, coefficients);
                for (int k = 0; k < 64; k++) {
                    double sum = 0;
                    for (int i = 0; i < 64; i++) sum += cosines[8 * (k / 8) + i / 8] * cosines[8 * (k % 8) + i % 8] * samples[i];
                    CHECK(fabs(sum - coefficients[k]) < 1e-4);
                }
                compared++;
            }
        }
        free(chips);
        layout_free(l);
    }
    CHECK(compared > 1000 && refused > 100);
}

int main(void) {
    test_signal_coefficients();
    test_points();
    test_map();
    test_expectation();
    test_cores();
    test_whole_rows();
    test_marks();
    test_kinds();
    test_errors();
    return check_end("image_dense");
}
