/* CImage: JPEGs of every kind, which libjpeg writes here: colour spaces, sampling, scans; what lies beyond the edge. */
#include "layout.h"
#include "pictures.h"

#include <math.h>
#include <stdio.h>

#include <jpeglib.h>

static char message[QV_IMAGE_MESSAGE];

/* What a JPEG is to be. */
typedef struct {
    J_COLOR_SPACE space;
    int components, is_adobe, across, down; /* of the first component's sampling */
    int is_progressive, is_arithmetic, restart;
} jpeg_wish;

/* `samples`: as they are in its colour space, or before it for YCbCr and YCCK. */
static buffer jpeg_of(const jpeg_wish *wish, uint32_t width, uint32_t height, const uint8_t *samples) {
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    unsigned char *bytes = NULL;
    unsigned long length = 0;
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &bytes, &length);
    info.image_width = width;
    info.image_height = height;
    info.input_components = wish->components;
    info.in_color_space = wish->components == 4 ? JCS_CMYK : wish->components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_colorspace(&info, wish->space);
    jpeg_set_quality(&info, 98, TRUE);
    info.write_Adobe_marker = wish->is_adobe ? TRUE : FALSE;
    for (int i = 0; i < wish->components; i++) info.comp_info[i].h_samp_factor = info.comp_info[i].v_samp_factor = 1;
    info.comp_info[0].h_samp_factor = wish->across;
    info.comp_info[0].v_samp_factor = wish->down;
    if (wish->space == JCS_YCCK) info.comp_info[3].h_samp_factor = wish->across, info.comp_info[3].v_samp_factor = wish->down;
    info.arith_code = wish->is_arithmetic ? TRUE : FALSE;
    info.restart_interval = (unsigned)wish->restart;
    if (wish->is_progressive) jpeg_simple_progression(&info);
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < height) {
        JSAMPROW row = (JSAMPROW)(uintptr_t)(samples + (size_t)info.next_scanline * width * (size_t)wish->components);
        (void)jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    return (buffer){bytes, length, 0};
}

static const jpeg_wish wishes[] = {
    {JCS_GRAYSCALE, 1, 0, 1, 1, 0, 0, 0}, {JCS_YCbCr, 3, 0, 1, 1, 0, 0, 0}, {JCS_YCbCr, 3, 0, 2, 2, 1, 0, 0},
    {JCS_YCbCr, 3, 0, 2, 1, 0, 1, 0},     {JCS_YCbCr, 3, 0, 1, 2, 0, 0, 3}, {JCS_YCbCr, 3, 0, 4, 1, 0, 0, 0},
    {JCS_YCbCr, 3, 0, 3, 2, 1, 0, 1},     {JCS_RGB, 3, 1, 1, 1, 0, 0, 0},   {JCS_CMYK, 4, 1, 1, 1, 0, 0, 0},
    {JCS_CMYK, 4, 0, 1, 1, 1, 0, 2},      {JCS_YCCK, 4, 1, 1, 1, 0, 0, 0},  {JCS_YCCK, 4, 1, 2, 2, 1, 1, 0},
};
enum { WISHES = sizeof wishes / sizeof *wishes };

/* One colour is read as it was written; with inks, what is left of white behind them. */
static void test_colours(void) {
    enum { SIDE = 19 };
    static const uint8_t colour[4] = {200, 100, 50, 220};
    uint8_t samples[SIDE * SIDE * 4];
    for (size_t i = 0; i < WISHES; i++) {
        const jpeg_wish *w = &wishes[i];
        for (int k = 0; k < SIDE * SIDE * w->components; k++) samples[k] = colour[k % w->components];
        buffer jpeg = jpeg_of(w, SIDE, SIDE, samples);
        qv_pixels got = read_whole(&jpeg);
        for (int k = 0; k < SIDE * SIDE * 3; k++) {
            double value = colour[w->components == 1 ? 0 : k % 3], key = colour[3];
            if (w->components == 4) value = w->is_adobe ? value * key / 255 : (255 - value) * (255 - key) / 255;
            CHECK(fabs(got.bytes[k] - value) <= 4);
        }
        pixels_free(&got);
        buffer_free(&jpeg);
    }
}

static double light_of(const buffer *picture, uint32_t width, uint32_t height) {
    qv_pixels got = read_whole(picture);
    CHECK(got.width == width && got.height == height);
    double sum = 0;
    for (size_t i = 0; i < (size_t)width * height * 3; i++) sum += got.bytes[i];
    pixels_free(&got);
    return sum / (width * height * 3);
}

/* Strokes of either ink, in either layout, on any kind: the picture becomes darker, or lighter, and stays as large. */
static void check_marks(const jpeg_wish *w, uint32_t width, uint32_t height, int is_dense, int is_light) {
    uint64_t state = 3;
    uint8_t *samples = malloc((size_t)width * height * 4), ink[400];
    CHECK(samples != NULL);
    for (size_t i = 0; i < (size_t)width * height * 4; i++) samples[i] = (uint8_t)(100 + check_random(&state) % 40);
    buffer jpeg = jpeg_of(w, width, height, samples), out = {NULL, 0, 0};
    layout *l = layout_make(width, height, 1, 14, 300, 3);
    memset(ink, 255, sizeof ink);
    const qv_coverage drawing = {20, 20, ink, 20};
    static const int32_t places[] = {1, 1, 25, 9};
    qv_mark mark = {.drawing = &drawing, .places = places, .count = 2, .opacity = 0.8, .is_light = is_light};
    if (is_dense) mark = (qv_mark){.dense = &l->dense, .is_light = is_light};
    const qv_input input = buffer_stream(&jpeg);
    const qv_output output = {buffer_write, &out};
    CHECK(qv_jpeg_mark(&input, &mark, &output, message) == QV_IMAGE_DONE && mark.touched > 0 && mark.cells > 0);
    double before = light_of(&jpeg, width, height), after = light_of(&out, width, height);
    CHECK(is_light ? after > before + 0.5 : after < before - 0.5);
    buffer_free(&jpeg);
    buffer_free(&out);
    layout_free(l);
    free(samples);
}

static void test_marks(void) {
    for (size_t i = 0; i < WISHES; i++) {
        for (int kind = 0; kind < 4; kind++) {
            check_marks(&wishes[i], 47, 33, kind / 2, kind % 2);
            check_marks(&wishes[i], 64, 64, kind / 2, kind % 2);
        }
    }
}

/* A box is black to the edges of its blocks, whatever the kind; beside them the picture is as it was to the bit. */
static void test_hidden(void) {
    /* Whole units of all kinds: nothing lies beyond the edges. */
    enum { WIDTH = 192, HEIGHT = 96 };
    static const qv_box boxes[] = {{32, 48, 80, 64}, {176, 80, 400, 300}};
    uint64_t state = 5;
    uint8_t samples[WIDTH * HEIGHT * 4];
    check_fill(&state, samples, sizeof samples);
    for (size_t i = 0; i < WISHES; i++) {
        const jpeg_wish *w = &wishes[i];
        buffer jpeg = jpeg_of(w, WIDTH, HEIGHT, samples), out = {NULL, 0, 0};
        qv_mark mark = {.hidden = boxes, .hidden_count = 2};
        const qv_input input = buffer_input(&jpeg);
        const qv_output output = {buffer_write, &out};
        CHECK(qv_jpeg_mark(&input, &mark, &output, message) == QV_IMAGE_DONE);
        qv_pixels before = read_whole(&jpeg), after = read_whole(&out);
        int wide = 8 * w->across, high = 8 * w->down;
        for (int y = 0; y < HEIGHT; y++) {
            for (int x = 0; x < WIDTH; x++) {
                /* Colours of one unit reach a pixel into the next when they are made larger. */
                int is_hidden = 0, is_near = 0;
                for (int k = 0; k < 2; k++) {
                    int left = (int)boxes[k].left / wide * wide, right = ((int)boxes[k].right + wide - 1) / wide * wide;
                    int top = (int)boxes[k].top / high * high, bottom = ((int)boxes[k].bottom + high - 1) / high * high;
                    is_hidden |= x >= left + 2 && x < right - 2 && y >= top + 2 && y < bottom - 2;
                    is_near |= x >= left - 2 && x < right + 2 && y >= top - 2 && y < bottom + 2;
                }
                for (int c = 0; c < 3; c++) {
                    size_t at = ((size_t)y * WIDTH + (size_t)x) * 3 + (size_t)c;
                    CHECK(!is_hidden || after.bytes[at] <= 2);
                    CHECK(is_near || after.bytes[at] == before.bytes[at]);
                }
            }
        }
        pixels_free(&before);
        pixels_free(&after);
        buffer_free(&jpeg);
        buffer_free(&out);
    }
}

/* Sampling that does not come out even is refused, in both layouts. */
static void test_uneven(void) {
    uint8_t samples[32 * 32 * 3];
    memset(samples, 100, sizeof samples);
    const jpeg_wish wish = {JCS_YCbCr, 3, 0, 2, 2, 0, 0, 0};
    buffer jpeg = jpeg_of(&wish, 32, 32, samples), out = {NULL, 0, 0};
    /* The factors of the three components: 3 by 1, 2 by 1 and 1 by 1. */
    for (size_t at = 2; at + 18 < jpeg.length; at++) {
        if (jpeg.bytes[at] != 0xFF || (jpeg.bytes[at + 1] & 0xFE) != 0xC0) continue;
        jpeg.bytes[at + 11] = 0x21, jpeg.bytes[at + 14] = 0x31, jpeg.bytes[at + 17] = 0x11;
        break;
    }
    layout *l = layout_make(32, 32, 1, 14, 300, 3);
    uint8_t ink[64 * 64];
    memset(ink, 255, sizeof ink);
    const qv_coverage drawing = {64, 64, ink, 64};
    static const int32_t place[] = {0, 0};
    const qv_input input = buffer_input(&jpeg);
    const qv_output output = {buffer_write, &out};
    for (int is_dense = 0; is_dense < 2; is_dense++) {
        qv_mark mark = {.dense = is_dense ? &l->dense : NULL, .drawing = &drawing, .places = place, .count = 1, .opacity = 1};
        enum qv_image_status status = qv_jpeg_mark(&input, &mark, &output, message);
        CHECK((status == QV_IMAGE_UNSUPPORTED || status == QV_IMAGE_CORRUPT) && out.length == 0);
    }
    layout_free(l);
    buffer_free(&jpeg);
}

/* What was cut off still stands in the last blocks of a JPEG: a copy repeats the edge there. */
static void test_edges(void) {
    enum { WHOLE = 24, KEPT = 18 };
    uint8_t samples[WHOLE * WHOLE];
    for (int i = 0; i < WHOLE * WHOLE; i++) samples[i] = i % WHOLE < KEPT && i / WHOLE < KEPT ? 128 : 250;
    buffer jpeg = jpeg_of(&wishes[0], WHOLE, WHOLE, samples), out = {NULL, 0, 0};
    size_t size = 0;
    for (size_t at = 2; at + 9 < jpeg.length && size == 0; at++) {
        if (jpeg.bytes[at] == 0xFF && jpeg.bytes[at + 1] == 0xC0) size = at + 5;
    }
    CHECK(size > 0);
    jpeg.bytes[size + 1] = jpeg.bytes[size + 3] = KEPT;
    qv_mark mark = {.is_light = 0};
    const qv_coverage none = {0, 0, NULL, 0};
    mark.drawing = &none;
    const qv_input input = buffer_input(&jpeg);
    const qv_output output = {buffer_write, &out};
    CHECK(qv_jpeg_mark(&input, &mark, &output, message) == QV_IMAGE_DONE && mark.touched == 0);
    for (int is_marked = 0; is_marked < 2; is_marked++) {
        buffer *b = is_marked ? &out : &jpeg;
        for (size_t at = 2; at + 9 < b->length; at++) {
            if (b->bytes[at] != 0xFF || b->bytes[at + 1] != 0xC0) continue;
            b->bytes[at + 6] = b->bytes[at + 8] = WHOLE;
            break;
        }
        qv_pixels got = read_whole(b);
        CHECK(got.width == WHOLE && got.height == WHOLE);
        int beyond = got.bytes[(WHOLE * WHOLE - 1) * 3], within = got.bytes[(8 * WHOLE + 8) * 3];
        CHECK(abs(within - 128) <= 6 && (is_marked ? abs(beyond - 128) <= 6 : beyond > 240));
        pixels_free(&got);
    }
    buffer_free(&jpeg);
    buffer_free(&out);
}

int main(void) {
    test_colours();
    test_marks();
    test_hidden();
    test_uneven();
    test_edges();
    return check_end("image_jpeg");
}
