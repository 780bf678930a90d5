/* qvault-decode: what it writes, its limits, pixels over white, and the operators of a page. */
#define _GNU_SOURCE
#include "decoding.h"

#include <math.h>
#include <signal.h>

int decode_main(int count, char **words);

static void write_numbers(void) {
    static const uint64_t number = 0x0102030405060708u;
    for (int count = 8; count >= 0; count--) decode_write_number(number, count);
    decode_write("end", 3);
    decode_write(NULL, 0);
}

static void write_much(void) {
    static uint8_t bytes[1 << 20];
    memset(bytes, 7, sizeof bytes);
    decode_write(bytes, sizeof bytes);
}

static void write_in_vain(void) {
    signal(SIGPIPE, SIG_IGN);
    close(STDOUT_FILENO);
    decode_write("x", 1);
}

static void test_writing(void) {
    answer a = answer_of(write_numbers);
    CHECK(a.code == 50 && a.length == 36 + 3);
    size_t place = 0;
    for (size_t count = 8; count > 0; place += count--) {
        for (size_t i = 0; i < count; i++) CHECK(a.bytes[place + i] == 8 - count + i + 1);
    }
    CHECK(memcmp(a.bytes + place, "end", 3) == 0);
    free(a.bytes);
    a = answer_of(write_much);
    CHECK(a.code == 50 && a.length == 1 << 20 && a.bytes[0] == 7 && a.bytes[a.length - 1] == 7);
    free(a.bytes);
    a = answer_of(write_in_vain);
    CHECK(a.code == 1 && a.length == 0);
    free(a.bytes);
}

static void fail_shortly(void) { decode_fail(DECODE_ANIMATION, "words"); }

static void fail_at_length(void) {
    char text[QV_IMAGE_MESSAGE + 50];
    memset(text, 'w', sizeof text);
    decode_fail(255, text);
}

static void fail_silently(void) { decode_fail(0, ""); }

static void test_failing(void) {
    answer a = answer_of(fail_shortly);
    CHECK(a.code == 1 && a.length == 12 && memcmp(a.bytes, "QVDE\x16\0\5words", 12) == 0 && DECODE_ANIMATION == 0x16);
    free(a.bytes);
    a = answer_of(fail_at_length);
    CHECK(a.code == 1 && a.length == 7 + QV_IMAGE_MESSAGE && number_at(&a, 5, 2) == QV_IMAGE_MESSAGE && a.bytes[4] == 255);
    free(a.bytes);
    a = answer_of(fail_silently);
    CHECK(a.code == 1 && a.length == 7 && memcmp(a.bytes, "QVDE\0\0\0", 7) == 0);
    free(a.bytes);
}

static uint64_t wide, high;

static void check_size(void) { decode_check_size(wide, high); }

static void test_sizes(void) {
    static const struct {
        uint64_t width, height;
        int reason; /* -1 for none */
    } sizes[] = {{1, 1, -1}, {QV_IMAGE_SIDE, 1, -1}, {8000, 5000, -1}, {0, 1, QV_IMAGE_CORRUPT}, {1, 0, QV_IMAGE_CORRUPT},
                 {QV_IMAGE_SIDE + 1, 1, QV_IMAGE_TOO_LARGE}, {1, QV_IMAGE_SIDE + 1, QV_IMAGE_TOO_LARGE},
                 {8000, 5001, QV_IMAGE_TOO_LARGE}, {UINT64_MAX, UINT64_MAX, QV_IMAGE_TOO_LARGE}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        wide = sizes[i].width, high = sizes[i].height;
        if (sizes[i].reason >= 0) {
            CHECK(answers_reason(check_size, sizes[i].reason));
        } else {
            answer a = answer_of(check_size);
            CHECK(a.code == 50 && a.length == 0);
            free(a.bytes);
        }
    }
}

static void reply(void) {
    /* Rows with something between them. */
    static const uint8_t rows[2][8] = {{1, 2, 3, 4, 5, 6, 99, 99}, {7, 8, 9, 10, 11, 12, 99, 99}};
    static const uint8_t profile[3] = {50, 51, 52};
    const decode_picture picture = {
        .width = 2, .height = 2, .orientation = 6, .profile = profile, .profile_length = wide, .bytes = rows[0], .stride = 8};
    decode_reply(&picture);
}

static void test_reply(void) {
    static const uint8_t pixels[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    wide = 3;
    answer a = answer_of(reply);
    CHECK(a.code == 0 && a.length == 17 + 3 + 12 && memcmp(a.bytes, "QVDP\0\0\0\2\0\0\0\2\6\0\0\0\3\x32\x33\x34", 20) == 0);
    CHECK(memcmp(a.bytes + 20, pixels, sizeof pixels) == 0);
    free(a.bytes);
    wide = QV_IMAGE_ICC + 1;
    a = answer_of(reply);
    CHECK(a.code == 0 && a.length == 17 + 12 && number_at(&a, 13, 4) == 0 && memcmp(a.bytes + 17, pixels, sizeof pixels) == 0);
    free(a.bytes);
}

static void test_flattening(void) {
    enum { COUNT = 256 };
    uint8_t rows[2][4 * COUNT];
    for (unsigned alpha = 0; alpha < 256; alpha++) {
        for (unsigned c = 0; c < COUNT; c++) {
            double wanted = (c * alpha + 255.0 * (255 - alpha)) / 255;
            CHECK(fabs(decode_over_white(c, alpha) - wanted) <= 0.5);
            for (int i = 0; i < 2; i++) {
                uint8_t *pixel = rows[i] + 4 * c;
                pixel[0] = (uint8_t)c, pixel[1] = (uint8_t)(255 - c), pixel[2] = 0, pixel[3] = (uint8_t)alpha;
            }
        }
        decode_flatten(rows[0], COUNT);
        decode_flatten_premultiplied(rows[1], COUNT);
        for (unsigned c = 0; c < COUNT; c++) {
            const uint8_t *plain = rows[0] + 3 * c, *multiplied = rows[1] + 3 * c;
            CHECK(fabs(plain[0] - (c * alpha + 255.0 * (255 - alpha)) / 255) <= 0.5);
            CHECK(fabs(plain[1] - ((255 - c) * alpha + 255.0 * (255 - alpha)) / 255) <= 0.5 && plain[2] == 255 - alpha);
            CHECK(multiplied[0] == (c < alpha ? c : alpha) + 255 - alpha && multiplied[2] == 255 - alpha);
        }
    }
    memset(rows, 3, sizeof rows);
    decode_flatten(rows[0], 0);
    decode_flatten_premultiplied(rows[0], 0);
    CHECK(memcmp(rows[0], rows[1], sizeof rows[0]) == 0);
}

/* 0 for content that draws something else, 1 for one picture, 2 for one with invisible text. */
static int draws(const char *text, page_drawing *out) {
    size_t length = strlen(text);
    uint8_t *content = malloc(length + 1);
    CHECK(content != NULL);
    memcpy(content + 1, text, length);
    int result = page_draws_picture(content + 1, length, out);
    if (result) {
        CHECK((const uint8_t *)out->name >= content + 1 && (const uint8_t *)out->name + out->name_length <= content + 1 + length);
        result += out->has_text;
        out->name = strstr(text, "/") + 1;
    }
    free(content);
    return result;
}

static void test_content(void) {
    static const struct {
        const char *text;
        int wanted;
    } cases[] = {
        {"", 0}, {"/Im0 Do", 1}, {"q /Im0 Do Q", 1}, {"q /Im0 Do", 0}, {"/Im0 Do Q", 0}, {"/Im0 Do /Im0 Do", 0}, {"Do", 0},
        {"1 /Im0 Do", 0}, {"/Im0 Do % ends here", 1}, {"/Im0 Do 0 0 m", 0}, {"1 0 0 1 0 0 cm /I Do", 1}, {"1 0 0 1 0 cm /I Do", 0},
        {"1 0 0 1 0 0 0 cm /I Do", 0},
        {"BT 3 Tr /F 9 Tf 1 2 Td (a\\)(b)) Tj <41> Tj [(a) 3] TJ ET /I Do", 2},
        {"BT (a) Tj ET /I Do", 0},
        {"BT 3 Tr ET BT (a) Tj ET /I Do", 0}, {"BT 3 Tr 0 Tr (a) Tj ET /I Do", 0}, {"BT BT ET ET /I Do", 0}, {"ET /I Do", 0},
        {"BT /I Do ET", 0}, {"BT /I Do", 0}, {"(never ends /I Do", 0}, {"(\\", 0}, {"/I Do sh", 0}, {"/I", 0}, {"/ Do", 1},
        {"1e5 /I Do", 0}, {"--1 0 0 1 0 0 cm /I Do", 0},
        {"q q q q q q q q q q q q q q q q /I Do Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q", 1},
        {"q q q q q q q q q q q q q q q q q /I Do Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q Q", 0},
    };
    page_drawing out;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) CHECK(draws(cases[i].text, &out) == cases[i].wanted);
    CHECK(draws("2 0 0 3 4 5 cm q 1 0 0 1 7 8 cm /Name Do Q", &out) == 1);
    const double wanted[6] = {2, 0, 0, 3, 4 + 2 * 7, 5 + 3 * 8};
    for (int i = 0; i < 6; i++) CHECK(out.matrix[i] == wanted[i]);
    CHECK(out.name_length == 4 && memcmp(out.name, "Name", 4) == 0);
    CHECK(draws("q 9 0 0 9 9 9 cm Q .5 0 0 -.5 1 2 cm /I Do", &out) == 1 && out.matrix[0] == 0.5 && out.matrix[3] == -0.5);
    /* Content that is cut anywhere is read to its end and no further. */
    static const char whole[] = "q 595 0 0 842 0 0 cm /Im0 Do Q BT 3 Tr (a (b) \\)) Tj <41> Tj ET % c";
    for (size_t length = 0; length < sizeof whole; length++) {
        char cut[sizeof whole];
        memcpy(cut, whole, length);
        cut[length] = 0;
        int is_whole = length == 30 || length == 31 || length >= (size_t)(strstr(whole, "ET") + 2 - whole);
        CHECK((draws(cut, &out) > 0) == is_whole);
    }
}

static char *no_words[] = {"qvault-decode", NULL}, *wrong_words[] = {"qvault-decode", "9", "picture", "more", NULL};
static char *right_words[] = {"qvault-decode", "9", "picture", NULL};

static void call_without(void) { _exit(dup2(1, 2) == 2 ? decode_main(1, no_words) : 60); }
static void call_wrongly(void) { _exit(dup2(1, 2) == 2 ? decode_main(4, wrong_words) : 60); }
static void call_on_nothing(void) { _exit(dup2(memfd_create("empty", 0), 0) == 0 ? decode_main(3, right_words) : 60); }

int main(void) {
    test_writing();
    test_failing();
    test_sizes();
    test_reply();
    test_flattening();
    test_content();
    for (int i = 0; i < 2; i++) {
        answer a = answer_of(i ? call_without : call_wrongly);
        CHECK(a.code == 2 && a.length > 20 && memcmp(a.bytes, "qvault-decode [", 15) == 0 && a.bytes[a.length - 1] == '\n');
        free(a.bytes);
    }
    CHECK(answers_reason(call_on_nothing, QV_IMAGE_UNKNOWN));
    return check_end("decode");
}
