/* CGMP against numbers of 128 bits, and against known ones that are longer. */
#include "CGMP/shim.h"
#include "check.h"

#include <limits.h>
#include <math.h>

typedef __int128 wide;

static void write_wide(wide value, char *text) {
    char digits[64];
    int count = 0;
    unsigned __int128 left = value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;
    do digits[count++] = (char)('0' + (int)(left % 10));
    while ((left /= 10) > 0);
    if (value < 0) *text++ = '-';
    while (count > 0) *text++ = digits[--count];
    *text = 0;
}

/* Whether a number is written so, within the room that it asks for. */
static int is_written(const mpz_t n, const char *wanted) {
    size_t room = qv_number_size(n);
    char *text = malloc(room);
    qv_number_write(n, text);
    int is_same = text != NULL && strcmp(text, wanted) == 0 && strlen(wanted) < room && room <= strlen(wanted) + 3;
    free(text);
    return is_same;
}

static int equals(const mpz_t n, wide value) {
    char text[64];
    write_wide(value, text);
    return is_written(n, text);
}

/* Numbers of all sizes, the ends of the range among them. */
static long some(uint64_t *state) {
    static const long ends[] = {0, 1, -1, 2, -2, 9, 10, -10, LONG_MAX, LONG_MIN, LONG_MAX - 1, LONG_MIN + 1};
    uint64_t choice = check_random(state);
    if (choice % 4 == 0) return ends[choice / 4 % (sizeof ends / sizeof *ends)];
    return (long)check_random(state) >> (choice / 4 % 64);
}

static int order_of_rest(wide a, wide b) {
    wide rest = a % b, twice = 2 * (rest < 0 ? -rest : rest), whole = b < 0 ? -b : b;
    return rest == 0 ? -2 : twice < whole ? -1 : twice > whole;
}

static void test_random(void) {
    uint64_t state = 1;
    mpz_t a, b, n;
    qv_number_init(a);
    qv_number_init(b);
    qv_number_init(n);
    CHECK(qv_number_sign(n) == 0);
    for (int round = 0; round < 4000; round++) {
        long x = some(&state), y = some(&state);
        qv_number_set(a, x);
        qv_number_set(b, y);
        CHECK(equals(a, x) && qv_number_fits(a) && qv_number_get(a) == x);
        qv_number_add(n, a, b);
        CHECK(equals(n, (wide)x + y));
        CHECK(qv_number_fits(n) == ((wide)x + y >= LONG_MIN && (wide)x + y <= LONG_MAX));
        qv_number_subtract(n, a, b);
        CHECK(equals(n, (wide)x - y));
        qv_number_multiply(n, a, b);
        CHECK(equals(n, (wide)x * y));
        CHECK(fabs(qv_number_double(n) - (double)x * (double)y) <= 1e-15 * fabs((double)x * (double)y));
        CHECK((qv_number_compare(a, b) < 0) == (x < y) && (qv_number_compare(a, b) > 0) == (x > y));
        CHECK(qv_number_sign(a) == (x > 0) - (x < 0));
        CHECK((qv_number_is_odd(a) != 0) == (x % 2 != 0));
        if (y != 0) {
            CHECK(qv_number_divide(n, a, b) == order_of_rest(x, y));
            CHECK(equals(n, (wide)x / y));
        }
        qv_number_set(n, x);
        qv_number_step(n, y < 0 ? -1 : 1);
        CHECK(equals(n, (wide)x + (y < 0 ? -1 : 1)));
    }
    qv_number_clear(a);
    qv_number_clear(b);
    qv_number_clear(n);
}

/* The result may stand where an operand stood. */
static void test_in_place(void) {
    mpz_t n;
    qv_number_init(n);
    qv_number_set(n, 12);
    qv_number_add(n, n, n);
    CHECK(equals(n, 24));
    qv_number_multiply(n, n, n);
    CHECK(equals(n, 576));
    qv_number_shift(n, n, 3);
    CHECK(equals(n, 576000));
    CHECK(qv_number_divide(n, n, n) == -2 && equals(n, 1));
    qv_number_subtract(n, n, n);
    CHECK(equals(n, 0));
    qv_number_clear(n);
}

static void test_texts(void) {
    mpz_t n, power;
    qv_number_init(n);
    qv_number_init(power);
    static const char *const good[] = {"0", "-1", "7", "1267650600228229401496703205376",
                                       "-99999999999999999999999999999999999999999999"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK(qv_number_parse(n, good[i]) == 0);
        CHECK(is_written(n, good[i]));
    }
    static const char *const bad[] = {"", "-", "--1", "+1", "12x", "1.5", "0x10", "1e3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK(qv_number_parse(n, bad[i]) != 0);
    /* 2 to the power of 100. */
    qv_number_set(power, 1);
    qv_number_set(n, 2);
    for (int i = 0; i < 100; i++) qv_number_multiply(power, power, n);
    CHECK(is_written(power, good[3]));
    CHECK(!qv_number_fits(power) && qv_number_double(power) == 0x1p100);
    qv_number_set(n, -15);
    qv_number_shift(n, n, 30);
    CHECK(is_written(n, "-15000000000000000000000000000000"));
    qv_number_shift(n, n, 0);
    CHECK(is_written(n, "-15000000000000000000000000000000"));
    qv_number_clear(n);
    qv_number_clear(power);
}

int main(void) {
    test_random();
    test_in_place();
    test_texts();
    return check_end("gmp");
}
