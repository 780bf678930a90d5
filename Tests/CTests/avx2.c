/* CImage with AVX2 against the plain code: the lines of strokes one by one, whole layouts, and whole pictures. */
#include "layout.h"
#include "pictures.h"
#include "twins.h"

enum { POINT_BITS = 12, UNIT = 1 << POINT_BITS, LINE = 8 };

/* Both ways for one line, from what stood there before; the result is the plain one's. */
static void check_line(const twin_line *l, uint64_t *state) {
    uint8_t plain[LINE], wide[LINE];
    check_fill(state, plain, sizeof plain);
    if (check_random(state) % 2) memset(plain, 0, sizeof plain);
    memcpy(wide, plain, sizeof wide);
    int is_covered = twin_cover_plain(l, plain), is_covered_too = twin_cover_avx2(l, wide);
    CHECK(is_covered == is_covered_too);
    CHECK(memcmp(plain, wide, sizeof plain) == 0);
}

/* Lines at random places and of extreme slopes, in strips of odd widths. A step takes an eighth of a strip at most: for shorter
 * strips the plain code is chosen. */
static void test_lines(void) {
    static const uint32_t sides[][2] = {{9, 3}, {11, 5}, {17, 4}, {64, 26}, {101, 37}, {1021, 62}, {29999, 9}};
    uint64_t state = 21;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        uint32_t length = sides[i][0], height = sides[i][1];
        qv_coverage strip = layout_strip(&state, length, height);
        if (i == 0) memset(strip.bytes, 255, (size_t)strip.width * strip.height);
        twin_strip *twin = twin_strip_make(&strip);
        int width = (int)length * UNIT, high = (int)(height - 1) * UNIT;
        for (int round = 0; round < 6000; round++) {
            int most = width / LINE, across = (int)(check_random(&state) % (2 * (uint64_t)most + 1)) - most;
            int steep = (int)(check_random(&state) % (4 * UNIT)) - 2 * UNIT;
            twin_line l = {
                .strip = twin, .u = (int)(check_random(&state) % (uint64_t)width),
                .v = (int)(check_random(&state) % (uint64_t)(high + 16 * UNIT)) - 8 * UNIT, .across = across, .down = steep};
            /* The ends of the range, which rounding reaches. */
            if (round % 8 == 0) l.u = width;
            if (round % 8 == 1) l.u = -1;
            if (round % 8 == 2) l.u = width - 1, l.across = most;
            if (round % 8 == 3) l.u = 0, l.across = -most;
            if (round % 8 == 4) l.v = high - 1, l.down = round % 16 == 4 ? 1 : -1;
            if (round % 8 == 5) l.v = round % 16 == 5 ? 0 : -1, l.down = 0;
            check_line(&l, &state);
        }
        twin_strip_free(twin);
        free(strip.bytes);
    }
}

/* Whole layouts: odd sides, all orientations, short strips and long ones, tiny letters. */
static void test_layouts(void) {
    static const struct {
        uint32_t width, height, length;
        double em;
    } sizes[] = {{1, 1, 8, 8},        {8, 8, 9, 8},         {7, 65, 12, 8},     {123, 77, 13, 9},
                 {199, 150, 31, 14}, {333, 201, 640, 30}, {64, 700, 5000, 60}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int orientation = 1; orientation <= 8; orientation++) {
            layout *l = layout_make(
                sizes[i].width, sizes[i].height, orientation, sizes[i].em, sizes[i].length, 8 * i + (uint64_t)orientation);
            if (orientation % 2) l->dense.chips = NULL;
            size_t length = 0, inked = 0;
            uint8_t *plain = twin_fill(&l->dense, 0, &length), *wide = twin_fill(&l->dense, 1, &length);
            CHECK(plain != NULL && wide != NULL);
            CHECK(memcmp(plain, wide, length) == 0);
            for (size_t k = 0; k < length; k++) inked += plain[k] != 0;
            CHECK(inked > 0 || sizes[i].width < 8);
            free(plain);
            free(wide);
            layout_free(l);
        }
    }
}

static buffer marked(const buffer *picture, const layout *l, int is_plain) {
    buffer out = {NULL, 0, 0};
    char message[QV_IMAGE_MESSAGE];
    const qv_input input = buffer_input(picture);
    const qv_output output = {buffer_write, &out};
    qv_mark mark = {.dense = &l->dense, .is_light = -1};
    CHECK((is_plain ? twin_jpeg_mark : qv_jpeg_mark)(&input, &mark, &output, message) == QV_IMAGE_DONE && mark.touched > 0);
    return out;
}

/* The coefficients of a JPEG (the compiler makes both of these). */
static void test_pictures(void) {
    static const uint32_t sides[][2] = {{16, 16}, {33, 9}, {121, 83}, {400, 303}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        buffer picture = jpeg_photograph(sides[i][0], sides[i][1], i % 2 ? 95 : 40);
        for (int is_framed = 0; is_framed < 2; is_framed++) {
            layout *l = layout_make(sides[i][0], sides[i][1], 1, 14, 91, 70 + i);
            l->dense.frame_chips = is_framed ? l->chips : NULL;
            buffer plain = marked(&picture, l, 1), wide = marked(&picture, l, 0);
            CHECK(plain.length == wide.length && memcmp(plain.bytes, wide.bytes, plain.length) == 0);
            CHECK(plain.length != picture.length || memcmp(plain.bytes, picture.bytes, plain.length) != 0);
            buffer_free(&plain);
            buffer_free(&wide);
            layout_free(l);
        }
        buffer_free(&picture);
    }
}

int main(void) {
    if (!twin_has_avx2()) {
        check_skip("AVX2 against plain: this processor has no AVX2");
    } else {
        test_lines();
        test_layouts();
        test_pictures();
    }
    return check_end("avx2");
}
