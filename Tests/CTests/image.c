/* CImage: reading, looking, writing and comparing pictures. */
#include "pictures.h"

#include <math.h>

#include <zlib.h>

static char message[QV_IMAGE_MESSAGE];

/* A PNG is exact: what was written is read, as a stream too. */
static void test_png(void) {
    static const uint32_t sides[][2] = {{1, 1}, {1, 9}, {7, 1}, {13, 7}, {64, 48}, {203, 101}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        uint32_t width = sides[i][0], height = sides[i][1];
        uint8_t *wanted = photograph(width, height, 9);
        for (int is_interlaced = 0; is_interlaced < 2; is_interlaced++) {
            const png_wish wish = {
                .width = width, .height = height, .depth = 8, .type = PNG_COLOR_TYPE_RGB, .is_interlaced = is_interlaced,
                .per_metre = 11811};
            buffer png = png_of(&wish, wanted);
            for (int is_stream = 0; is_stream < 2; is_stream++) {
                qv_input input = is_stream ? buffer_stream(&png) : buffer_input(&png);
                qv_pixels got;
                CHECK(qv_image_read(&input, width, height, &got, message) == QV_IMAGE_DONE && message[0] == 0);
                CHECK(got.width == width && got.height == height && fabs(got.dpi - 300) < 0.01 && got.profile == NULL);
                CHECK(memcmp(got.bytes, wanted, (size_t)width * height * 3) == 0);
                pixels_free(&got);
                qv_image_facts facts;
                CHECK(qv_image_look(&input, &facts, message) == QV_IMAGE_DONE);
                CHECK(facts.width == width && facts.height == height && facts.orientation == 1 && facts.is_png == 1);
            }
            buffer_free(&png);
        }
        free(wanted);
    }
}

/* What a person sees of one stored pixel: alpha over white, 16 bits and few bits as 8. */
static void test_png_kinds(void) {
    static const struct {
        int depth, type;
        uint8_t stored[8], seen[3];
    } kinds[] = {
        {8, PNG_COLOR_TYPE_GRAY, {77}, {77, 77, 77}},
        {16, PNG_COLOR_TYPE_GRAY, {0x80, 0x80}, {128, 128, 128}},
        {1, PNG_COLOR_TYPE_GRAY, {0x80}, {255, 255, 255}},
        {2, PNG_COLOR_TYPE_GRAY, {0x40}, {85, 85, 85}},
        {4, PNG_COLOR_TYPE_GRAY, {0x30}, {51, 51, 51}},
        {8, PNG_COLOR_TYPE_PALETTE, {3}, {111, 273 & 255, 519 & 255}},
        {8, PNG_COLOR_TYPE_GRAY_ALPHA, {10, 0}, {255, 255, 255}},
        {8, PNG_COLOR_TYPE_RGB_ALPHA, {10, 20, 30, 255}, {10, 20, 30}},
        {8, PNG_COLOR_TYPE_RGB_ALPHA, {0, 255, 55, 128}, {127, 255, 155}},
        {16, PNG_COLOR_TYPE_RGB, {1, 1, 2, 2, 3, 3}, {1, 2, 3}},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const png_wish wish = {.width = 1, .height = 1, .depth = kinds[i].depth, .type = kinds[i].type};
        buffer png = png_of(&wish, kinds[i].stored);
        qv_pixels got = read_whole(&png);
        for (int c = 0; c < 3; c++) CHECK(abs(got.bytes[c] - kinds[i].seen[c]) <= 1);
        pixels_free(&got);
        buffer_free(&png);
    }
}

/* Where each stored pixel is seen (CIPA DC-008, 4.6.5). */
static void test_turned(void) {
    enum { WIDE = 3, HIGH = 2 };
    const uint8_t stored[WIDE * HIGH] = {1, 2, 3, 4, 5, 6};
    static const uint8_t seen[8][WIDE * HIGH] = {{1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}, {6, 5, 4, 3, 2, 1}, {4, 5, 6, 1, 2, 3},
                                                 {1, 4, 2, 5, 3, 6}, {4, 1, 5, 2, 6, 3}, {6, 3, 5, 2, 4, 1}, {3, 6, 2, 5, 1, 4}};
    for (int turn = 1; turn <= 8; turn++) {
        const png_wish wish = {.width = WIDE, .height = HIGH, .depth = 8, .type = PNG_COLOR_TYPE_GRAY, .orientation = turn};
        buffer png = png_of(&wish, stored);
        qv_input input = buffer_input(&png);
        qv_image_facts facts;
        CHECK(qv_image_look(&input, &facts, message) == QV_IMAGE_DONE);
        CHECK(facts.orientation == turn && facts.width == WIDE && facts.height == HIGH);
        qv_pixels got = read_whole(&png);
        CHECK(got.width == (turn > 4 ? HIGH : WIDE) && got.height == (turn > 4 ? WIDE : HIGH));
        for (int i = 0; i < WIDE * HIGH; i++) CHECK(got.bytes[3 * i] == seen[turn - 1][i]);
        pixels_free(&got);
        buffer_free(&png);
    }
}

/* Each pixel of a smaller picture is the mean of those that fall into it. */
static void test_smaller(void) {
    enum { WIDE = 60, HIGH = 40 };
    uint8_t *wanted = photograph(WIDE, HIGH, 9);
    buffer png = png_photograph(WIDE, HIGH);
    qv_input input = buffer_input(&png);
    qv_pixels got;
    CHECK(qv_image_read(&input, 15, 30, &got, message) == QV_IMAGE_DONE);
    CHECK(got.width == 15 && got.height == 10);
    for (int y = 0; y < 10; y++) {
        for (int x = 0; x < 45; x++) {
            int sum = 0;
            for (int j = 0; j < 4; j++) {
                for (int i = 0; i < 4; i++) sum += wanted[((4 * y + j) * WIDE + 4 * (x / 3) + i) * 3 + x % 3];
            }
            CHECK(got.bytes[y * 45 + x] == (sum + 8) / 16);
        }
    }
    pixels_free(&got);
    CHECK(qv_image_read(&input, 1, 1, &got, message) == QV_IMAGE_DONE && got.width == 1 && got.height == 1);
    pixels_free(&got);
    buffer_free(&png);
    free(wanted);
}

static void test_jpeg(void) {
    static const uint32_t sides[][2] = {{1, 1}, {8, 8}, {17, 9}, {120, 80}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        uint32_t width = sides[i][0], height = sides[i][1];
        uint8_t *wanted = photograph(width, height, 9);
        qv_pixels pixels = {.width = width, .height = height, .bytes = wanted, .dpi = 150};
        buffer jpeg = {NULL, 0, 0};
        CHECK(qv_jpeg_write(&pixels, 95, &jpeg.bytes, &jpeg.length, message) == QV_IMAGE_DONE);
        CHECK(jpeg.length > 4 && memcmp(jpeg.bytes, "\xFF\xD8", 2) == 0);
        CHECK(memcmp(jpeg.bytes + jpeg.length - 2, "\xFF\xD9", 2) == 0);
        qv_pixels got = read_whole(&jpeg);
        CHECK(got.width == width && got.height == height && got.dpi == 150);
        double sum = 0;
        for (size_t k = 0; k < (size_t)width * height * 3; k++) sum += abs(got.bytes[k] - wanted[k]);
        CHECK(sum / (width * height * 3) < 8);
        pixels_free(&got);
        qv_image_facts facts;
        qv_input input = buffer_stream(&jpeg);
        CHECK(qv_image_look(&input, &facts, message) == QV_IMAGE_DONE && facts.is_png == 0 && facts.width == width);
        uint8_t *smaller = NULL;
        size_t length = 0;
        CHECK(qv_jpeg_write(&pixels, 1, &smaller, &length, message) == QV_IMAGE_DONE && length <= jpeg.length);
        qv_image_free(smaller, length);
        qv_image_free(jpeg.bytes, jpeg.length);
        free(wanted);
    }
    const qv_pixels none = {.width = 0, .height = 4};
    uint8_t *data = NULL;
    size_t length = 9;
    CHECK(qv_jpeg_write(&none, 90, &data, &length, message) == QV_IMAGE_CORRUPT && message[0] != 0);
    CHECK(data == NULL && length == 0);
}

/* Every cut of a picture is refused, and leaves nothing to free. */
static void test_cut(void) {
    buffer both[2] = {png_photograph(31, 17), jpeg_photograph(31, 17, 80)};
    for (int i = 0; i < 2; i++) {
        for (size_t length = 0; length < both[i].length; length += 1 + length / 40) {
            buffer cut = {malloc(length + 1), length, 0};
            CHECK(cut.bytes != NULL);
            memcpy(cut.bytes, both[i].bytes, length);
            qv_input input = buffer_stream(&cut);
            qv_pixels got;
            enum qv_image_status status = qv_image_read(&input, 100, 100, &got, message);
            CHECK(status == (length < (i == 0 ? 8u : 3u) ? QV_IMAGE_UNKNOWN : QV_IMAGE_CORRUPT));
            CHECK(got.bytes == NULL && got.profile == NULL && strlen(message) < QV_IMAGE_MESSAGE);
            free(cut.bytes);
        }
        both[i].most = both[i].length / 2;
        qv_input input = buffer_stream(&both[i]);
        qv_pixels got;
        CHECK(qv_image_read(&input, 100, 100, &got, message) == QV_IMAGE_STOPPED && got.bytes == NULL);
        both[i].most = 2;
        qv_image_facts facts;
        CHECK(qv_image_look(&input, &facts, message) == QV_IMAGE_STOPPED && facts.width == 0);
        buffer_free(&both[i]);
    }
}

/* A header that promises more than the limits. */
static void test_limits(void) {
    static const uint32_t sides[][2] = {{QV_IMAGE_SIDE + 1, 1}, {1, QV_IMAGE_SIDE + 1}, {12001, 10000}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        buffer png = png_photograph(8, 8);
        for (int k = 0; k < 4; k++) {
            png.bytes[16 + k] = (uint8_t)(sides[i][0] >> (24 - 8 * k));
            png.bytes[20 + k] = (uint8_t)(sides[i][1] >> (24 - 8 * k));
        }
        uint32_t crc = (uint32_t)crc32(0, png.bytes + 12, 17);
        for (int k = 0; k < 4; k++) png.bytes[29 + k] = (uint8_t)(crc >> (24 - 8 * k));
        qv_input input = buffer_input(&png);
        qv_image_facts facts;
        CHECK(qv_image_look(&input, &facts, message) == (i < 2 ? QV_IMAGE_CORRUPT : QV_IMAGE_TOO_LARGE) && message[0] != 0);
        qv_pixels got;
        CHECK(qv_image_read(&input, 9, 9, &got, message) != QV_IMAGE_DONE && got.bytes == NULL);
        buffer_free(&png);
    }
    buffer jpeg = jpeg_photograph(8, 8, 50);
    for (size_t at = 2; at + 9 < jpeg.length; at++) {
        if (jpeg.bytes[at] != 0xFF || jpeg.bytes[at + 1] != 0xC0) continue;
        memcpy(jpeg.bytes + at + 5, "\xFF\x00\xFF\x00", 4);
        break;
    }
    qv_input input = buffer_input(&jpeg);
    qv_image_facts facts;
    CHECK(qv_image_look(&input, &facts, message) == QV_IMAGE_TOO_LARGE);
    buffer_free(&jpeg);
}

static void test_agree(void) {
    enum { WIDE = 40, HIGH = 24 };
    uint8_t *one = photograph(WIDE, HIGH, 9), *two = photograph(WIDE, HIGH, 9);
    CHECK(qv_pictures_agree(one, WIDE, HIGH, two, WIDE, HIGH, 0) == 1);
    CHECK(qv_pictures_agree(one, 2, HIGH, two, WIDE, HIGH, 255) == 0);
    CHECK(qv_pictures_agree(one, WIDE, 2, two, WIDE, HIGH, 255) == 0);
    CHECK(qv_pictures_agree(one, WIDE, HIGH, two, 0, HIGH, 255) == 0);
    CHECK(qv_pictures_agree(one, WIDE, HIGH, two, WIDE, 0, 255) == 0);
    /* What stands there in one of them alone. */
    for (size_t y = 8; y < 16; y++) memset(two + (y * WIDE + 8) * 3, 0, 24);
    CHECK(qv_pictures_agree(one, WIDE, HIGH, two, WIDE, HIGH, 20) == 0);
    CHECK(qv_pictures_agree(two, WIDE, HIGH, one, WIDE, HIGH, 20) == 0);
    CHECK(qv_pictures_agree(one, WIDE, HIGH, two, WIDE, HIGH, 255) == 1);
    /* The outermost pixels do not count; a pixel aside is near. */
    memset(two, 0, WIDE * 3);
    memset(one, 100, WIDE * HIGH * 3);
    memset(two + WIDE * 3, 100, WIDE * (HIGH - 2) * 3);
    memset(two + WIDE * (HIGH - 1) * 3, 0, WIDE * 3);
    for (size_t y = 0; y < HIGH; y++) memset(two + y * WIDE * 3, 0, 3), memset(two + ((y + 1) * WIDE - 1) * 3, 0, 3);
    CHECK(qv_pictures_agree(one, WIDE, HIGH, two, WIDE, HIGH, 0) == 1);
    for (size_t y = 0; y < HIGH; y++) memset(one + (y * WIDE + 20) * 3, 0, 60), memset(two + (y * WIDE + 21) * 3, 0, 57);
    CHECK(qv_pictures_agree(one, WIDE, HIGH, two, WIDE, HIGH, 0) == 1);
    /* Twice as large. */
    uint8_t *large = photograph(2 * WIDE, 2 * HIGH, 9);
    memset(large, 100, 4 * WIDE * HIGH * 3);
    memset(one, 100, WIDE * HIGH * 3);
    CHECK(qv_pictures_agree(one, WIDE, HIGH, large, 2 * WIDE, 2 * HIGH, 0) == 1);
    CHECK(qv_pictures_agree(large, 2 * WIDE, 2 * HIGH, one, WIDE, HIGH, 0) == 1);
    free(one);
    free(two);
    free(large);
}

int main(void) {
    test_png();
    test_png_kinds();
    test_turned();
    test_smaller();
    test_jpeg();
    test_cut();
    test_limits();
    test_agree();
    return check_end("image");
}
