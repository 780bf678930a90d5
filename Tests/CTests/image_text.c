/* CImage: text that is drawn, and the small functions: angles, orientations, the grid of a signal, bytes given back. */
#include "check.h"
#include "cimage.h"
#include "text_runs.h"

#include <math.h>

#include <fontconfig/fontconfig.h>
#include <sanitizer/allocator_interface.h>
#include <sanitizer/lsan_interface.h>

static char message[QV_IMAGE_MESSAGE];

static size_t count_of(const qv_coverage *drawing) {
    size_t count = 0;
    for (size_t i = 0; i < (size_t)drawing->width * drawing->height; i++) count += drawing->bytes[i] > 0;
    return count;
}

static void coverage_free(qv_coverage *drawing) {
    qv_image_free(drawing->bytes, (size_t)drawing->width * drawing->height);
    *drawing = (qv_coverage){0};
}

/* It is just as large as it has to be: strokes touch each of its four sides. */
static void check_tight(const qv_coverage *d) {
    size_t sides[4] = {0};
    for (uint32_t x = 0; x < d->width; x++) {
        sides[0] += d->bytes[x];
        sides[1] += d->bytes[(size_t)(d->height - 1) * d->width + x];
    }
    for (uint32_t y = 0; y < d->height; y++) {
        sides[2] += d->bytes[(size_t)y * d->width];
        sides[3] += d->bytes[(size_t)y * d->width + d->width - 1];
    }
    for (int i = 0; i < 4; i++) CHECK(sides[i] > 0);
}

static void test_text(void) {
    const char *const lines[] = {"Only for", "仅供测试使用"};
    qv_coverage level, upright, one, large;
    CHECK(qv_text_draw(lines, 2, NULL, 40, 0, &level, message) == QV_IMAGE_DONE && message[0] == 0);
    check_tight(&level);
    CHECK(qv_text_draw(lines, 2, NULL, 40, 90, &upright, message) == QV_IMAGE_DONE);
    check_tight(&upright);
    CHECK(labs((long)level.width - upright.height) <= 2 && labs((long)level.height - upright.width) <= 2);
    CHECK(fabs(level.line_width - upright.line_width) < 1e-9 && level.line_width <= level.width + 8);
    CHECK(qv_text_draw(lines + 1, 1, NULL, 40, 0, &one, message) == QV_IMAGE_DONE);
    /* Lines are 1.4 em apart. */
    CHECK(level.height > 56 && level.height > one.height && count_of(&level) > count_of(&one));
    CHECK(qv_text_draw(lines + 1, 1, "sans-serif", 80, 0, &large, message) == QV_IMAGE_DONE);
    CHECK(fabs(large.line_width / one.line_width - 2) < 0.02);
    CHECK(fabs((double)count_of(&large) / (double)count_of(&one) - 4) < 1);
    coverage_free(&level);
    coverage_free(&upright);
    coverage_free(&one);
    coverage_free(&large);
}

static int one_font(void *context, const FriBidiChar *characters, int count) {
    CHECK(count == (characters[0] == 'e' ? 3 : 1));
    return characters[0] == 'x' ? -1 : *(int *)context;
}

/* Runs are cut by direction and script, and stand as they are seen (Unicode Standard Annex 9). */
static void test_runs(void) {
    static const struct {
        const char *text;
        FriBidiParType direction;
        int count;
        struct {
            int from, to, is_to_the_left;
        } runs[4];
    } cases[] = {
        {"abc", FRIBIDI_PAR_LTR, 1, {{0, 3, 0}}},
        {"", FRIBIDI_PAR_LTR, 0, {{0}}},
        {"\xD7\x90\xD7\x91", FRIBIDI_PAR_LTR, 1, {{0, 4, 1}}},
        /* A number among Hebrew stands to the left of what comes before it. */
        {"ab \xD7\x90\xD7\x91 12", FRIBIDI_PAR_LTR, 3, {{0, 3, 0}, {8, 10, 0}, {3, 8, 1}}},
        {"ab \xD7\x90\xD7\x91", FRIBIDI_PAR_RTL, 2, {{2, 7, 1}, {0, 2, 0}}},
        /* A letter and its marks have one font. */
        {"e\xCC\x82\xCC\x83", FRIBIDI_PAR_LTR, 1, {{0, 5, 0}}},
        {"a\xE0\xB8\x81", FRIBIDI_PAR_LTR, 2, {{0, 1, 0}, {1, 4, 0}}}};
    int font = 3, count;
    FriBidiChar missing;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        qv_text_run *runs = qv_text_runs(cases[i].text, cases[i].direction, one_font, &font, &count, &missing);
        CHECK(runs != NULL && count == cases[i].count && missing == 0);
        for (int k = 0; k < count; k++) {
            CHECK(runs[k].from == cases[i].runs[k].from && runs[k].to == cases[i].runs[k].to && runs[k].font == 3);
            CHECK((runs[k].level & 1) == cases[i].runs[k].is_to_the_left);
        }
        free(runs);
    }
    CHECK(qv_text_runs("ax", FRIBIDI_PAR_LTR, one_font, &font, &count, &missing) == NULL && missing == 'x');
    CHECK(qv_text_runs("a\xFF", FRIBIDI_PAR_LTR, one_font, &font, &count, &missing) == NULL && missing == UINT32_MAX);
    CHECK(qv_text_direction("12, \xD7\x90") == FRIBIDI_PAR_RTL && qv_text_direction("a\xD7\x90") == FRIBIDI_PAR_LTR);
    CHECK(qv_text_direction("12") == FRIBIDI_PAR_ON && qv_text_direction("") == FRIBIDI_PAR_ON);
}

/* Letters of Arabic join, and are narrower than one by one; parts of a line that is read from the right stand in that order. */
static void test_right_to_left(void) {
    static const char *const word[] = {"\xD8\xB3\xD9\x84\xD8\xA7\xD9\x85"}, *const letters[] = {"\xD8\xB3 \xD9\x84 \xD8\xA7 \xD9\x85"};
    qv_coverage joined, apart, strip;
    CHECK(qv_text_draw(word, 1, NULL, 40, 0, &joined, message) == QV_IMAGE_DONE);
    CHECK(qv_text_draw(letters, 1, NULL, 40, 0, &apart, message) == QV_IMAGE_DONE);
    CHECK(joined.line_width < 0.7 * apart.line_width);
    coverage_free(&joined);
    coverage_free(&apart);
    qv_text_part parts[] = {{.text = "\xD7\x90\xD7\x91 "}, {.text = "Ann", .has_slot = 1}, {.text = " \xD7\x92", .has_slot = 1}};
    CHECK(qv_strip_draw(parts, 3, NULL, 40, 1, &strip, message) == QV_IMAGE_DONE);
    CHECK(parts[2].to <= parts[1].from && parts[1].to > parts[1].from);
    coverage_free(&strip);
}

static void test_text_errors(void) {
    static const struct {
        const char *text;
        double size;
        enum qv_image_status status;
        const char *said;
    } wrong[] = {
        {"   ", 20, QV_IMAGE_UNSUPPORTED, ""},
        {"", 20, QV_IMAGE_UNSUPPORTED, ""},
        {"a\xFF", 20, QV_IMAGE_CORRUPT, ""},
        {"\xE4\xBB", 20, QV_IMAGE_CORRUPT, ""},
        {"a\xF4\x8F\xBF\xBD", 20, QV_IMAGE_NO_GLYPH, "10FFFD"},
        {"wide enough", 25000, QV_IMAGE_TOO_LARGE, ""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        qv_coverage out;
        CHECK(qv_text_draw(&wrong[i].text, 1, NULL, wrong[i].size, 0, &out, message) == wrong[i].status);
        CHECK(strcmp(message, wrong[i].said) == 0 && out.bytes == NULL && out.width == 0 && out.height == 0);
        qv_text_part part = {.text = wrong[i].text};
        CHECK(qv_strip_draw(&part, 1, NULL, wrong[i].size, 1, &out, message) == wrong[i].status);
        CHECK(strcmp(message, wrong[i].said) == 0 && out.bytes == NULL && out.width == 0 && out.height == 0);
    }
    qv_coverage out;
    CHECK(qv_text_draw(NULL, 0, NULL, 20, 0, &out, message) == QV_IMAGE_UNSUPPORTED && out.bytes == NULL);
    CHECK(qv_strip_draw(NULL, 0, NULL, 20, 1, &out, message) == QV_IMAGE_UNSUPPORTED && out.bytes == NULL);
}

/* Its edges are empty, and it repeats after its length. */
static void check_strip(const qv_coverage *d, double size) {
    CHECK(d->height == (uint32_t)ceil(1.5 * size) + 2 && d->line_width == d->width - 1);
    for (uint32_t x = 0; x < d->width; x++) CHECK(d->bytes[x] == 0 && d->bytes[(size_t)(d->height - 1) * d->width + x] == 0);
    for (uint32_t y = 0; y < d->height; y++)
        CHECK(d->bytes[(size_t)y * d->width] == d->bytes[(size_t)y * d->width + d->width - 1]);
}

static void test_strip(void) {
    static const double sizes[] = {8, 9.5, 20, 63};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double size = sizes[i];
        qv_coverage short_name, long_name, hidden;
        qv_text_part parts[] = {{.text = "for "}, {.text = "ab", .has_slot = 1}, {.text = " only"}};
        CHECK(qv_strip_draw(parts, 3, NULL, size, 1.5, &short_name, message) == QV_IMAGE_DONE);
        check_strip(&short_name, size);
        parts[1].text = "abcd";
        CHECK(qv_strip_draw(parts, 3, NULL, size, 1.5, &long_name, message) == QV_IMAGE_DONE);
        check_strip(&long_name, size);
        /* Another name moves nothing; one that is hidden leaves its place empty. */
        CHECK(short_name.width == long_name.width);
        parts[1].is_hidden = 1;
        CHECK(qv_strip_draw(parts, 3, NULL, size, 1.5, &hidden, message) == QV_IMAGE_DONE);
        check_strip(&hidden, size);
        CHECK(hidden.width == long_name.width && count_of(&hidden) < count_of(&short_name));
        CHECK(count_of(&hidden) > 0);
        for (size_t k = 0; k < (size_t)hidden.width * hidden.height; k++)
            CHECK(hidden.bytes[k] <= short_name.bytes[k] && hidden.bytes[k] <= long_name.bytes[k]);
        /* A bar fills the slot, whatever stands in it, and nothing else. */
        qv_coverage bar;
        parts[1].bar = 60;
        CHECK(qv_strip_draw(parts, 3, NULL, size, 1.5, &bar, message) == QV_IMAGE_DONE);
        check_strip(&bar, size);
        CHECK(parts[1].to - parts[1].from >= QV_SLOT_STEP * size - 0.1);
        size_t filled = 0;
        for (size_t k = 0; k < (size_t)bar.width * bar.height; k++) {
            double x = (double)(k % bar.width);
            CHECK(bar.bytes[k] == hidden.bytes[k] || (bar.bytes[k] == 60 && x > parts[1].from && x < parts[1].to));
            filled += bar.bytes[k] == 60;
        }
        CHECK((double)filled > 0.95 * 1.1 * size * (parts[1].to - parts[1].from - 0.4 * size));
        coverage_free(&bar);
        coverage_free(&short_name);
        coverage_free(&long_name);
        coverage_free(&hidden);
    }
    /* A slot alone takes whole steps: here one, and the gap. */
    qv_text_part alone = {.text = "ab", .has_slot = 1, .is_hidden = 1};
    qv_coverage out;
    CHECK(qv_strip_draw(&alone, 1, NULL, 20, 1.5, &out, message) == QV_IMAGE_DONE);
    CHECK(out.line_width == QV_SLOT_STEP * 20 + 30 && count_of(&out) == 0);
    coverage_free(&out);
}

static void test_angles(void) {
    static const double known[][3] = {{0, 0, 1}, {30, 0.5, 0.8660254037844386}, {90, 1, 0}, {180, 0, -1},
                                      {-45, -0.7071067811865476, 0.7071067811865476}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        qv_direction way = qv_sine_and_cosine(known[i][0]);
        CHECK(fabs(way.sine - known[i][1]) < 1e-15 && fabs(way.cosine - known[i][2]) < 1e-15);
    }
    for (int degrees = -720; degrees <= 720; degrees += 7) {
        qv_direction way = qv_sine_and_cosine(degrees), twice = qv_sine_and_cosine(2.0 * degrees);
        CHECK(fabs(way.sine * way.sine + way.cosine * way.cosine - 1) < 1e-15);
        CHECK(fabs(twice.sine - 2 * way.sine * way.cosine) < 1e-13);
    }
}

static void test_exif(void) {
    uint8_t big[] = {'M', 'M', 0, '*', 0, 0, 0, 8, 0, 2, 1, 0x0F, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0,
                     1, 0x12, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0};
    uint8_t little[] = {'I', 'I', '*', 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    for (unsigned value = 0; value < 300; value++) {
        big[30] = little[19] = (uint8_t)(value >> 8);
        big[31] = little[18] = (uint8_t)value;
        int wanted = value >= 1 && value <= 8 ? (int)value : 1;
        CHECK(qv_exif_orientation(big, sizeof big) == wanted);
        CHECK(qv_exif_orientation(little, sizeof little) == wanted);
    }
    big[31] = little[18] = 6;
    big[30] = little[19] = 0;
    /* Each length that is too short; none is read beyond. */
    for (size_t length = 0; length < sizeof big; length++) {
        uint8_t *cut = malloc(length + 1);
        CHECK(cut != NULL);
        memcpy(cut + 1, big, length);
        CHECK(qv_exif_orientation(cut + 1, length) == 1);
        free(cut);
    }
    /* Another type of value, another mark, a place behind the end, a count that is too large. */
    big[25] = 4;
    CHECK(qv_exif_orientation(big, sizeof big) == 1);
    little[0] = 'X';
    CHECK(qv_exif_orientation(little, sizeof little) == 1);
    little[0] = 'I';
    little[8] = 255;
    CHECK(qv_exif_orientation(little, sizeof little) == 6);
    memset(little + 4, 255, 4);
    CHECK(qv_exif_orientation(little, sizeof little) == 1);
    uint64_t state = 11;
    for (int round = 0; round < 2000; round++) {
        uint8_t bytes[64];
        check_fill(&state, bytes, sizeof bytes);
        memcpy(bytes, round % 2 ? "MM\0*\0\0\0" : "II*\0", round % 2 ? 7 : 4);
        int value = qv_exif_orientation(bytes, 8 + check_random(&state) % 56);
        CHECK(value >= 1 && value <= 8);
    }
}

static void test_grid(void) {
    static const uint32_t sides[][2] = {{1, 1}, {200, 200}, {201, 100}, {100, 201}, {30000, 1}, {1, 30000}, {4000, 3000}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        qv_signal_grid grid = qv_signal_grid_of(sides[i][0], sides[i][1]);
        uint32_t longest = sides[i][0] > sides[i][1] ? sides[i][0] : sides[i][1];
        CHECK(fabs(grid.side * QV_SIGNAL_CELLS - longest) < 1e-9);
        CHECK((grid.across > grid.down ? grid.across : grid.down) - QV_SIGNAL_CELLS <= 1);
        CHECK(grid.across >= 1 && grid.down >= 1);
        CHECK(grid.across * grid.side >= sides[i][0] - 1e-6 && (grid.across - 1) * grid.side < sides[i][0]);
        CHECK(grid.down * grid.side >= sides[i][1] - 1e-6 && (grid.down - 1) * grid.side < sides[i][1]);
    }
}

static const volatile uint8_t *watched;
static int bytes_left = -1;

static void on_malloc(const volatile void *place, size_t size) { (void)place, (void)size; }

static void on_free(const volatile void *place) {
    if (place != watched || watched == NULL) return;
    bytes_left = 0;
    for (int i = 0; i < 1000; i++) bytes_left += watched[i] != 0;
}

/* What is given back is wiped by then. */
static void test_free(void) {
    qv_image_free(NULL, 0);
    qv_image_free(NULL, 1000);
    CHECK(__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) != 0);
    uint8_t *bytes = malloc(1000);
    CHECK(bytes != NULL);
    memset(bytes, 0xA5, 1000);
    watched = bytes;
    qv_image_free(bytes, 1000);
    watched = NULL;
    CHECK(bytes_left == 0);
}

int main(void) {
    /* Fontconfig loses some bytes while it reads its settings, once. */
    __lsan_disable();
    CHECK(FcInit() == FcTrue);
    __lsan_enable();
    test_text();
    test_runs();
    test_right_to_left();
    test_text_errors();
    test_strip();
    test_angles();
    test_exif();
    test_grid();
    test_free();
    return check_end("image_text");
}
