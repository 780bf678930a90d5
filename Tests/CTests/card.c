/* CTrace: cards in photos. */
#include "check.h"
#include "ctrace.h"

#include <math.h>

enum { WIDTH = 640, HEIGHT = 480 };
static const double id1 = 85.6 / 53.98;

/* The side of a line from a to b on which a place lies. */
static double side_of(const double *a, const double *b, double x, double y) {
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

/* A table with noise, and light cards on it. */
static uint8_t *photo_of(const double (*cards)[8], int count, uint64_t seed) {
    uint8_t *bytes = malloc((size_t)3 * WIDTH * HEIGHT);
    CHECK(bytes != NULL);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            int is_card = 0;
            for (int n = 0; n < count; n++) {
                int inside = 0;
                for (int i = 0; i < 4; i++)
                    inside += side_of(cards[n] + 2 * i, cards[n] + 2 * ((i + 1) % 4), x + 0.5, y + 0.5) > 0;
                is_card = is_card || inside == 4;
            }
            uint8_t level = (uint8_t)((is_card ? 200 : 60) + (int)(check_random(&seed) % 5));
            memset(bytes + 3 * (y * WIDTH + x), level, 3);
        }
    }
    return bytes;
}

/* An upright card with sides of 1.586 to 1, whose corners then move. */
static void test_find(void) {
    uint64_t state = 5;
    for (int round = 0; round < 30; round++) {
        double across = 300 + (double)(check_random(&state) % 120), down = across * 53.98 / 85.6;
        double left = 60 + (double)(check_random(&state) % 60), top = 60 + (double)(check_random(&state) % 60);
        double card[1][8] = {{left, top, left + across, top, left + across, top + down, left, top + down}};
        for (int i = 0; i < 8; i++) card[0][i] += (double)(check_random(&state) % 9) - 4;
        uint8_t *bytes = photo_of((const double(*)[8])card, 1, state);
        qv_colours photo = {WIDTH, HEIGHT, bytes};
        double found[8];
        CHECK(qv_find_card(&photo, &id1, 1, found) == QV_CARD_FOUND);
        for (int i = 0; i < 8; i++) CHECK(fabs(found[i] - card[0][i]) < 1.5);
        double ratio = qv_card_ratio(found, WIDTH, HEIGHT);
        CHECK(ratio > 1.35 && ratio < 1.85);
        /* One of several shapes, and none of them. */
        const double all[3] = {3, id1, 1.4}, long_one = 3;
        CHECK(qv_find_card(&photo, all, 3, found) == QV_CARD_FOUND);
        CHECK(qv_find_card(&photo, &long_one, 1, found) == QV_CARD_NONE);
        CHECK(qv_find_card(&photo, &id1, 1, found) == QV_CARD_FOUND);
        /* What lies within the corners is light to its edges, up to two pixels. */
        enum { ACROSS = 200, DOWN = 126 };
        uint8_t *flat = malloc((size_t)3 * ACROSS * DOWN);
        CHECK(flat != NULL && qv_flatten(&photo, found, ACROSS, DOWN, flat) == 0);
        for (int y = 2; y < DOWN - 2; y++) {
            for (int x = 2; x < ACROSS - 2; x++) CHECK(flat[3 * (y * ACROSS + x)] > 180);
        }
        free(flat);
        free(bytes);
    }
}

static void test_none_and_several(void) {
    double found[8];
    static const double two[2][8] = {{40, 40, 340, 40, 340, 229, 40, 229}, {280, 260, 580, 260, 580, 449, 280, 449}};
    uint8_t *bytes = photo_of(two, 2, 9);
    qv_colours photo = {WIDTH, HEIGHT, bytes};
    CHECK(qv_find_card(&photo, &id1, 1, found) == QV_CARD_SEVERAL);
    free(bytes);
    bytes = photo_of(NULL, 0, 9);
    photo.bytes = bytes;
    CHECK(qv_find_card(&photo, &id1, 1, found) == QV_CARD_NONE);
    /* Too small to look at, and nothing but noise. */
    qv_colours small = {20, 20, bytes};
    CHECK(qv_find_card(&small, &id1, 1, found) == QV_CARD_NONE);
    uint64_t state = 3;
    check_fill(&state, bytes, (size_t)3 * WIDTH * HEIGHT);
    CHECK(qv_find_card(&photo, &id1, 1, found) == QV_CARD_NONE);
    /* Corners in one place are those of nothing. */
    static const double point[8] = {5, 5, 5, 5, 5, 5, 5, 5};
    uint8_t out[3 * 4 * 4];
    CHECK(qv_flatten(&photo, point, 4, 4, out) != 0 || out[0] == out[3]);
    CHECK(!(qv_card_ratio(point, WIDTH, HEIGHT) > 0));
    free(bytes);
}

/* A rectangle seen from above has its own ratio. */
static void test_ratio(void) {
    for (int down = 50; down <= 400; down += 50) {
        double half = down / 2.0;
        const double corners[8] = {220, 240 - half, 420, 240 - half, 420, 240 + half, 220, 240 + half};
        CHECK(fabs(qv_card_ratio(corners, WIDTH, HEIGHT) - 200.0 / down) < 1e-6);
    }
}

int main(void) {
    test_find();
    test_none_and_several();
    test_ratio();
    return check_end("card");
}
