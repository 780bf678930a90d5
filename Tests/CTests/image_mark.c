/* CImage: one drawing at places in a PNG and in a JPEG. */
#define _GNU_SOURCE
#include "pictures.h"

#include <math.h>

#include <lcms2.h>

static char message[QV_IMAGE_MESSAGE];

enum { SIDE = 12 };

/* A drawing with ink of all strengths, and none in its first column. */
static const qv_coverage *drawing(void) {
    static uint8_t bytes[SIDE * SIDE];
    static const qv_coverage out = {SIDE, SIDE, bytes, SIDE};
    for (int i = 0; i < SIDE * SIDE; i++) bytes[i] = (uint8_t)(i % SIDE == 0 ? 0 : 40 + 17 * (i / SIDE) + i % SIDE);
    return &out;
}

/* How much of a pixel the drawing covers at all its places. */
static int covered(const qv_mark *mark, int x, int y) {
    int most = 0;
    for (size_t i = 0; i < mark->count; i++) {
        int across = x - mark->places[2 * i], down = y - mark->places[2 * i + 1];
        if (across < 0 || down < 0 || across >= SIDE || down >= SIDE) continue;
        int value = mark->drawing->bytes[down * SIDE + across];
        if (value > most) most = value;
    }
    return most;
}

/* Places that lie over each other, at the edges, and outside. */
static const int32_t places[] = {-5, -7, 90, -40, 3, 2, 8, 9, 38, 20, 20, 27, 60, 60};
enum { PLACES = sizeof places / sizeof *places / 2 };

static qv_mark mark_of(int is_light, double opacity) {
    return (qv_mark){.drawing = drawing(), .places = places, .count = PLACES, .opacity = opacity, .is_light = is_light};
}

static buffer run(const buffer *picture, qv_mark *mark, int is_png) {
    buffer out = {NULL, 0, 0};
    const qv_input input = buffer_input(picture);
    const qv_output output = {buffer_write, &out};
    CHECK((is_png ? qv_png_mark : qv_jpeg_mark)(&input, mark, &output, message) == QV_IMAGE_DONE && message[0] == 0);
    return out;
}

/* Each sample is moved towards the ink, as far as the drawing covers it; all else stays. */
static void check_png(const png_wish *wish, int is_light, double opacity) {
    size_t length = png_row_length(wish) * wish->height;
    uint8_t *rows = malloc(length);
    CHECK(rows != NULL);
    uint64_t state = 31;
    check_fill(&state, rows, length);
    buffer png = png_of(wish, rows);
    free(rows);
    qv_mark mark = mark_of(is_light, opacity);
    buffer out = run(&png, &mark, 1);
    qv_pixels before = read_whole(&png), after = read_whole(&out);
    CHECK(before.width == after.width && before.height == after.height && mark.is_light == is_light);
    uint64_t changed = 0;
    for (uint32_t y = 0; y < wish->height; y++) {
        for (uint32_t x = 0; x < wish->width; x++) {
            int is_changed = 0;
            for (uint32_t c = 0; c < 3; c++) {
                size_t at = ((size_t)y * wish->width + x) * 3 + c;
                double part = opacity * covered(&mark, (int)x, (int)y) / 255;
                double wanted = before.bytes[at] + part * ((is_light ? 255 : 0) - (double)before.bytes[at]);
                CHECK(fabs(after.bytes[at] - wanted) <= 1);
                CHECK(part > 0 || after.bytes[at] == before.bytes[at]);
                is_changed |= after.bytes[at] != before.bytes[at];
            }
            changed += (uint64_t)is_changed;
        }
    }
    CHECK(wish->depth == 16 || mark.touched == changed);
    CHECK(mark.touched >= changed);
    pixels_free(&before);
    pixels_free(&after);
    buffer_free(&png);
    buffer_free(&out);
}

static void test_png(void) {
    static const int kinds[][2] = {{1, PNG_COLOR_TYPE_GRAY}, {8, PNG_COLOR_TYPE_GRAY}, {16, PNG_COLOR_TYPE_GRAY},
                                   {4, PNG_COLOR_TYPE_PALETTE}, {8, PNG_COLOR_TYPE_RGB}, {16, PNG_COLOR_TYPE_RGB},
                                   {8, PNG_COLOR_TYPE_GRAY_ALPHA}, {8, PNG_COLOR_TYPE_RGB_ALPHA}, {16, PNG_COLOR_TYPE_RGB_ALPHA}};
    static const uint32_t sides[][2] = {{1, 1}, {5, 40}, {43, 37}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
            png_wish wish = {.width = sides[i][0], .height = sides[i][1], .depth = kinds[k][0], .type = kinds[k][1]};
            check_png(&wish, 0, 0.3);
            wish.is_interlaced = 1;
            check_png(&wish, 1, 1);
        }
    }
}

/* Boxes are black, all else stays, and one bit a pixel stays one bit. */
static void test_hidden(void) {
    static const int kinds[][2] = {{1, PNG_COLOR_TYPE_GRAY}, {16, PNG_COLOR_TYPE_GRAY}, {4, PNG_COLOR_TYPE_PALETTE},
                                   {8, PNG_COLOR_TYPE_RGB}, {8, PNG_COLOR_TYPE_RGB_ALPHA}, {16, PNG_COLOR_TYPE_RGB_ALPHA}};
    static const qv_box boxes[] = {{3, 5, 20, 9}, {40, 30, 90, 90}, {80, 0, 90, 9}};
    for (size_t k = 0; k < 2 * sizeof kinds / sizeof *kinds; k++) {
        const png_wish wish = {
            .width = 43, .height = 37, .depth = kinds[k / 2][0], .type = kinds[k / 2][1], .is_interlaced = k % 2};
        size_t length = png_row_length(&wish) * wish.height;
        uint8_t *rows = malloc(length);
        CHECK(rows != NULL);
        uint64_t state = 77;
        check_fill(&state, rows, length);
        buffer png = png_of(&wish, rows);
        free(rows);
        qv_mark mark = {.hidden = boxes, .hidden_count = 3};
        buffer out = run(&png, &mark, 1);
        CHECK(out.bytes[24] == (wish.depth == 1 ? 1 : wish.depth == 16 ? 16 : 8));
        qv_pixels before = read_whole(&png), after = read_whole(&out);
        for (uint32_t i = 0; i < 43 * 37; i++) {
            uint32_t x = i % 43, y = i / 43;
            int is_hidden = (x >= 3 && x < 20 && y >= 5 && y < 9) || (x >= 40 && y >= 30);
            for (int c = 0; c < 3; c++) CHECK(after.bytes[3 * i + (uint32_t)c] == (is_hidden ? 0 : before.bytes[3 * i + (uint32_t)c]));
        }
        pixels_free(&before);
        pixels_free(&after);
        buffer_free(&png);
        buffer_free(&out);
    }
}

/* What stands out is told by the mean; a picture that it does not fit wants another call. */
static void test_ink(void) {
    for (int shade = 0; shade <= 255; shade += 51) {
        uint8_t rows[40 * 40];
        memset(rows, shade, sizeof rows);
        const png_wish wish = {.width = 40, .height = 40, .depth = 8, .type = PNG_COLOR_TYPE_GRAY};
        buffer png = png_of(&wish, rows);
        qv_mark mark = mark_of(-1, 0.3);
        buffer out = run(&png, &mark, 1);
        CHECK(mark.is_light == (shade < QV_MARK_DARK));
        CHECK((mark.touched > 0) == (shade > 0) && mark.faint <= mark.cells && mark.cells > 0);
        /* Black on black is seen nowhere, black on white everywhere. */
        CHECK(shade > 0 || mark.faint == mark.cells);
        buffer_free(&out);
        mark = mark_of(shade < QV_MARK_DARK, 1);
        out = run(&png, &mark, 1);
        CHECK(mark.cells > 0 && mark.faint == 0);
        buffer_free(&png);
        buffer_free(&out);
    }
}

/* A profile of the colour space sRGB as lcms writes it, with its name and the day. */
static uint32_t make_profile(uint8_t *bytes, uint32_t room) {
    uint32_t length = 0;
    cmsHPROFILE profile = cmsCreate_sRGBProfile();
    CHECK(profile != NULL && cmsSaveProfileToMem(profile, NULL, &length) && length <= room);
    CHECK(cmsSaveProfileToMem(profile, bytes, &length));
    cmsCloseProfile(profile);
    return length;
}

static void check_profile(const uint8_t *kept, size_t length, const uint8_t *whole, uint32_t whole_length) {
    static const cmsTagSignature tags[] = {cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag};
    static const uint8_t day[] = {7, 208, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0}, name[] = {0, 's', 0, 'R', 0, 'G', 0, 'B'};
    CHECK(kept != NULL && length > 128 && memcmp(kept + 24, day, sizeof day) == 0);
    CHECK(memmem(whole, whole_length, name, sizeof name) != NULL && memmem(kept, length, name, sizeof name) == NULL);
    cmsHPROFILE one = cmsOpenProfileFromMem(kept, (uint32_t)length), other = cmsOpenProfileFromMem(whole, whole_length);
    CHECK(one != NULL && other != NULL);
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        const cmsCIEXYZ *a = cmsReadTag(one, tags[i]), *b = cmsReadTag(other, tags[i]);
        CHECK(a != NULL && b != NULL);
        CHECK(fabs(a->X - b->X) < 1e-4 && fabs(a->Y - b->Y) < 1e-4 && fabs(a->Z - b->Z) < 1e-4);
    }
    cmsCloseProfile(one);
    cmsCloseProfile(other);
}

/* Of the metadata the turn and what colours follow from are kept, and nothing else. */
static void test_metadata(void) {
    static uint8_t profile[65536];
    uint32_t length = make_profile(profile, sizeof profile);
    uint8_t *rows = photograph(20, 20, 1);
    const png_wish wish = {.width = 20, .height = 20, .depth = 8, .type = PNG_COLOR_TYPE_RGB, .orientation = 6,
                           .per_metre = 11811, .profile = profile, .profile_length = length};
    const qv_pixels pixels = {.width = 20, .height = 20, .bytes = rows, .profile = profile, .profile_length = length};
    buffer both[2] = {{NULL, 0, 0}, png_of(&wish, rows)};
    CHECK(qv_jpeg_write(&pixels, 90, &both[0].bytes, &both[0].length, message) == QV_IMAGE_DONE);
    for (int is_png = 0; is_png < 2; is_png++) {
        qv_mark mark = mark_of(0, 0.3);
        buffer out = run(&both[is_png], &mark, is_png);
        const qv_input input = buffer_input(&out);
        qv_image_facts facts;
        CHECK(qv_image_look(&input, &facts, message) == QV_IMAGE_DONE && facts.orientation == (is_png ? 6 : 1));
        qv_pixels after = read_whole(&out);
        check_profile(after.profile, after.profile_length, profile, length);
        CHECK(!is_png || fabs(after.dpi - 300) < 0.01);
        pixels_free(&after);
        buffer_free(&out);
        buffer_free(&both[is_png]);
    }
    free(rows);
}

/* Blocks without a stroke stay as they are; strokes are darker, or lighter. */
static void check_jpeg(uint32_t width, uint32_t height, int quality, int is_light) {
    buffer jpeg = jpeg_photograph(width, height, quality);
    qv_mark mark = mark_of(is_light, 0.5);
    buffer out = run(&jpeg, &mark, 0);
    qv_pixels before = read_whole(&jpeg), after = read_whole(&out);
    CHECK(before.width == after.width && before.height == after.height);
    double moved = 0, inked = 0;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            /* The units of libjpeg's usual sampling, and one of smoothing around. */
            int is_near = 0;
            for (size_t i = 0; i < PLACES; i++) {
                is_near |= (int)x + 32 > places[2 * i] && (int)x < places[2 * i] + SIDE + 32 && (int)y + 32 > places[2 * i + 1] &&
                    (int)y < places[2 * i + 1] + SIDE + 32;
            }
            for (size_t c = 0; c < 3; c++) {
                size_t at = ((size_t)y * width + x) * 3 + c;
                if (!is_near) CHECK(before.bytes[at] == after.bytes[at]);
                if (covered(&mark, (int)x, (int)y) < 100) continue;
                moved += after.bytes[at] - before.bytes[at];
                inked++;
            }
        }
    }
    /* A few pixels alone are lost in the table. */
    CHECK(inked < 100 || (mark.touched > 0 && mark.cells > 0 && (is_light ? moved > 8 * inked : moved < -8 * inked)));
    CHECK(inked >= 100 || width < 40);
    pixels_free(&before);
    pixels_free(&after);
    buffer_free(&jpeg);
    buffer_free(&out);
}

static void test_jpeg(void) {
    static const uint32_t sides[][2] = {{1, 1}, {8, 9}, {43, 37}, {160, 120}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        for (int is_light = 0; is_light < 2; is_light++) {
            check_jpeg(sides[i][0], sides[i][1], 90, is_light);
            check_jpeg(sides[i][0], sides[i][1], 40, is_light);
        }
    }
    buffer jpeg = jpeg_photograph(64, 64, 80);
    qv_mark mark = mark_of(-1, 0.5);
    buffer out = run(&jpeg, &mark, 0);
    CHECK(mark.is_light == 0);
    buffer_free(&out);
    buffer_free(&jpeg);
}

static void expect(const buffer *picture, int is_png, enum qv_image_status wanted, size_t room) {
    buffer out = {NULL, 0, room};
    qv_mark mark = mark_of(0, 0.5);
    const qv_input input = buffer_input(picture);
    const qv_output output = {buffer_write, &out};
    CHECK((is_png ? qv_png_mark : qv_jpeg_mark)(&input, &mark, &output, message) == wanted);
    CHECK(strlen(message) < QV_IMAGE_MESSAGE && (wanted != QV_IMAGE_CORRUPT || message[0] != 0));
    buffer_free(&out);
}

/* Each cut, the wrong kind, an output that is full, a table of quantisation with a zero. */
static void test_errors(void) {
    buffer both[2] = {jpeg_photograph(40, 40, 80), png_photograph(40, 40)};
    for (int is_png = 0; is_png < 2; is_png++) {
        expect(&both[is_png], is_png, QV_IMAGE_DONE, 0);
        expect(&both[is_png], !is_png, QV_IMAGE_CORRUPT, 0);
        expect(&both[is_png], is_png, QV_IMAGE_STOPPED, 1);
        for (size_t length = 0; length < both[is_png].length; length += 1 + length / 30) {
            buffer cut = {malloc(length + 1), length, 0};
            CHECK(cut.bytes != NULL);
            memcpy(cut.bytes, both[is_png].bytes, length);
            expect(&cut, is_png, QV_IMAGE_CORRUPT, 0);
            buffer_free(&cut);
        }
    }
    for (size_t at = 2; at + 9 < both[0].length; at++) {
        if (both[0].bytes[at] != 0xFF || both[0].bytes[at + 1] != 0xDB) continue;
        both[0].bytes[at + 5] = 0;
        break;
    }
    expect(&both[0], 0, QV_IMAGE_BAD_TABLE, 0);
    buffer_free(&both[0]);
    buffer_free(&both[1]);
}

/* What a strip is drawn with. */
typedef struct {
    uint32_t width, height, gap;
    double mean;
    int fails;
} strip_look;

static int draw_strip(void *context, const qv_raster *picture, uint8_t *out) {
    strip_look *look = context;
    double sum = 0;
    for (size_t i = 0; i < (size_t)picture->width * picture->height; i++) sum += picture->bytes[i];
    look->width = picture->width;
    look->height = picture->height;
    look->gap = picture->gap;
    look->mean = sum / picture->width / picture->height;
    out[0] = 0;
    out[1] = 255;
    return look->fails;
}

/* A strip stands along each side of a JPEG, and below a PNG; the picture beside it stays as it is. */
static void test_strips(void) {
    buffer both[2] = {jpeg_photograph(90, 70, 80), png_photograph(90, 70)};
    for (int kind = 0; kind < 8; kind++) {
        int is_png = kind / 4, is_beside = kind % 4 >= 2;
        strip_look look = {0};
        const qv_added_strip strip = {(enum qv_side)(kind % 4), 48, draw_strip, &look};
        qv_mark mark = mark_of(0, 0.5);
        buffer plain = run(&both[is_png], &mark, is_png), out = {NULL, 0, 0};
        mark = mark_of(0, 0.5);
        mark.strip = &strip;
        const qv_input input = buffer_input(&both[is_png]);
        const qv_output output = {buffer_write, &out};
        enum qv_image_status status = (is_png ? qv_png_mark : qv_jpeg_mark)(&input, &mark, &output, message);
        if (is_png && kind % 4 != 0) {
            CHECK(status == QV_IMAGE_UNSUPPORTED);
        } else {
            CHECK(status == QV_IMAGE_DONE && look.width == 90 && look.height == 70);
            qv_pixels before = read_whole(&plain), after = read_whole(&out);
            CHECK(after.width == 90 + (is_beside ? 48 + look.gap : 0) && after.height == 70 + (is_beside ? 0 : 48 + look.gap));
            uint32_t left = kind % 4 == 3 ? 48 : 0, top = kind % 4 == 1 ? 48 : 0;
            double sum = 0;
            for (uint32_t y = 0; y < 70; y++) {
                const uint8_t *one = before.bytes + (size_t)y * 90 * 3;
                CHECK(memcmp(one, after.bytes + ((size_t)(y + top) * after.width + left) * 3, 85 * 3) == 0 || !is_png);
                for (uint32_t x = 0; x < 90; x++) sum += 0.299 * one[3 * x] + 0.587 * one[3 * x + 1] + 0.114 * one[3 * x + 2];
            }
            CHECK(fabs(sum / 90 / 70 - look.mean) < 1.5);
            qv_image_free(before.bytes, (size_t)before.width * before.height * 3);
            qv_image_free(after.bytes, (size_t)after.width * after.height * 3);
            qv_image_free(before.profile, before.profile_length);
            qv_image_free(after.profile, after.profile_length);
            look.fails = 1;
            buffer none = {NULL, 0, 0};
            const qv_output other = {buffer_write, &none};
            CHECK((is_png ? qv_png_mark : qv_jpeg_mark)(&input, &mark, &other, message) == QV_IMAGE_STOPPED);
            buffer_free(&none);
        }
        buffer_free(&plain);
        buffer_free(&out);
    }
    buffer_free(&both[0]);
    buffer_free(&both[1]);
}

int main(void) {
    test_png();
    test_hidden();
    test_ink();
    test_metadata();
    test_jpeg();
    test_errors();
    test_strips();
    return check_end("image_mark");
}
