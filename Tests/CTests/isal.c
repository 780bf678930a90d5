/* CISAL's functions and the portable ones: checksums against published values, a code against plain multiplication, and
   both against each other. */
#include "CISAL/shim.h"
#include "parity.h"
#include "check.h"

/* The product of two elements of GF(2^8) with the polynomial 0x11D. */
static uint8_t times(uint8_t a, uint8_t b) {
    unsigned product = 0, factor = a;
    for (int bit = 0; bit < 8; bit++) {
        if (b >> bit & 1) product ^= factor;
        factor <<= 1;
        if (factor & 0x100) factor ^= 0x11D;
    }
    return (uint8_t)product;
}

/* RFC 3720, B.4, and the usual nine digits, cut at every place. */
static void checksums(void) {
    const uint8_t *digits = (const uint8_t *)"123456789";
    uint8_t zeros[32] = {0}, ones[32];
    for (int i = 0; i < 32; i++) ones[i] = 0xFF;
    CHECK(qv_crc32c(zeros, 32, NULL, 0) == 0x8A9136AA);
    CHECK(qv_crc32c(ones, 32, NULL, 0) == 0x62A8AB43);
    for (size_t cut = 0; cut <= 9; cut++) {
        CHECK(qv_crc32c(digits, cut, digits + cut, 9 - cut) == 0xE3069283);
        CHECK(qv_portable_crc32c(digits, cut, digits + cut, 9 - cut) == 0xE3069283);
    }
    uint8_t bytes[3000];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * i / 7);
    for (size_t count = 0; count < sizeof bytes; count += 37)
        CHECK(qv_portable_crc32c(bytes, count, bytes + count, 3000 - count) == qv_crc32c(bytes, count, bytes + count, 3000 - count));
}

/* Every length up to a few vectors wide, with 5 inputs and 3 outputs. */
static void products(void) {
    enum { inputs = 5, outputs = 3, most = 150 };
    uint8_t matrix[inputs * outputs], tables[32 * inputs * outputs], from[inputs * most], to[outputs * most];
    for (int i = 0; i < inputs * outputs; i++) matrix[i] = (uint8_t)(i * 37 + 1);
    for (int i = 0; i < inputs * most; i++) from[i] = (uint8_t)(i * 151 + i / 7);
    qv_code_tables(matrix, inputs, outputs, tables);
    for (size_t length = 1; length <= most; length++) {
        qv_code_multiply(tables, inputs, outputs, from, to, length, length);
        for (size_t row = 0; row < outputs; row++) {
            for (size_t at = 0; at < length; at++) {
                uint8_t sum = 0;
                for (size_t i = 0; i < inputs; i++) sum ^= times(matrix[row * inputs + i], from[i * length + at]);
                CHECK(to[row * length + at] == sum);
            }
        }
        uint8_t portable[outputs * most], other[32 * inputs * outputs];
        qv_portable_tables(matrix, inputs, outputs, other);
        qv_portable_multiply(other, inputs, outputs, from, portable, length, length);
        CHECK(memcmp(portable, to, outputs * length) == 0);
    }
}

/* The matrices of codes of all widths, and the inverses of parts of them. */
static void matrices(void) {
    static uint8_t mine[55 * 200], theirs[55 * 200];
    for (int columns = 1; columns <= 200; columns += 7)
        for (int rows = 8; rows <= 55; rows++) {
            qv_portable_matrix(rows, columns, mine);
            qv_code_matrix(rows, columns, theirs);
            CHECK(memcmp(mine, theirs, (size_t)(rows * columns)) == 0);
        }
    uint8_t part[55 * 55], same[55 * 55], inverse[55 * 55], other[55 * 55];
    for (int n = 1; n <= 55; n++) {
        for (int row = 0; row < n; row++)
            for (int i = 0; i < n; i++) part[row * n + i] = same[row * n + i] = theirs[row * 197 + (i * 3) % 197];
        CHECK(qv_code_invert(part, inverse, n) == 0 && qv_portable_invert(same, other, n) == 0);
        CHECK(memcmp(inverse, other, (size_t)(n * n)) == 0);
    }
    /* A zero where a pivot should stand, and a matrix without an inverse. */
    uint8_t swapped[4] = {0, 1, 1, 0}, twice[4] = {3, 5, 3, 5};
    CHECK(qv_portable_invert(swapped, other, 2) == 0 && other[0] == 0 && other[1] == 1 && other[2] == 1 && other[3] == 0);
    CHECK(qv_portable_invert(twice, other, 2) != 0);
}

int main(void) {
    checksums();
    products();
    matrices();
    return check_end("isal");
}
