/* qvault-decode: the QR codes in a picture. */
#include "decoding.h"

#include <qrencode.h>

static void read_given(void) { decode_codes(&given); }

enum { HEAD = 8 };

/* A picture of white as the program takes it. */
static uint8_t *white(uint32_t width, uint32_t height) {
    size_t length = HEAD + (size_t)width * height;
    uint8_t *bytes = malloc(length);
    CHECK(bytes != NULL);
    memset(bytes, 255, length);
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(width >> (24 - 8 * i));
        bytes[4 + i] = (uint8_t)(height >> (24 - 8 * i));
    }
    given = (decode_input){bytes, length};
    return bytes;
}

/* Draws the code of a text. */
static void draw(uint8_t *bytes, uint32_t width, const char *text, uint32_t left, uint32_t top, uint32_t module) {
    QRcode *code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1);
    CHECK(code != NULL);
    uint32_t side = (uint32_t)code->width;
    for (uint32_t y = 0; y < side * module; y++) {
        for (uint32_t x = 0; x < side * module; x++)
            bytes[HEAD + (top + y) * width + left + x] = code->data[y / module * side + x / module] & 1 ? 0 : 255;
    }
    QRcode_free(code);
}

/* Two codes are found with their corners; none in white; a small one in a larger picture. */
static void test_codes(void) {
    uint8_t *bytes = white(700, 400);
    answer a = answer_of(read_given);
    CHECK(a.code == 0 && a.length == 5 && memcmp(a.bytes, "QVDC\0", 5) == 0);
    free(a.bytes);
    draw(bytes, 700, "QV1:HELLO", 40, 50, 6);
    draw(bytes, 700, "another", 400, 90, 6);
    a = answer_of(read_given);
    CHECK(a.code == 0 && a.length > 5 && a.bytes[4] == 2);
    int is_found = 0;
    for (size_t at = 5, i = 0; i < 2; i++) {
        size_t length = number_at(&a, at + 32, 2);
        if (length == 9 && memcmp(a.bytes + at + 34, "QV1:HELLO", 9) == 0) {
            is_found = 1;
            CHECK(number_at(&a, at, 4) <= 42 && number_at(&a, at, 4) >= 38 && number_at(&a, at + 4, 4) <= 52);
            CHECK(number_at(&a, at + 16, 4) >= 40 + 120 && number_at(&a, at + 20, 4) >= 50 + 120);
        }
        at += 34 + length;
    }
    CHECK(is_found);
    free(a.bytes);
    free(bytes);
}

/* A picture that is shorter than it says, has no pixels, or too many. */
static void test_errors(void) {
    uint8_t *bytes = white(30, 20);
    for (size_t length = 0; length < HEAD + 600; length += 1 + length / 5) {
        given = (decode_input){bytes, length};
        CHECK(answers_reason(read_given, QV_IMAGE_CORRUPT));
    }
    given = (decode_input){bytes, HEAD + 600};
    memset(bytes, 0, 4);
    CHECK(answers_reason(read_given, QV_IMAGE_CORRUPT));
    memset(bytes, 255, 4);
    CHECK(answers_reason(read_given, QV_IMAGE_TOO_LARGE));
    free(bytes);
}

int main(void) {
    test_codes();
    test_errors();
    return check_end("decode codes");
}
