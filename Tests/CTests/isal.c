/* CISAL's functions: checksums against published values, a code against plain multiplication. */
#include "CISAL/shim.h"
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
    for (size_t cut = 0; cut <= 9; cut++) CHECK(qv_crc32c(digits, cut, digits + cut, 9 - cut) == 0xE3069283);
}

/* Every length up to a few vectors wide, with 5 inputs and 3 outputs. */
static void products(void) {
    enum { inputs = 5, outputs = 3, most = 150 };
    uint8_t matrix[inputs * outputs], tables[32 * inputs * outputs], from[inputs * most], to[outputs * most];
    for (int i = 0; i < inputs * outputs; i++) matrix[i] = (uint8_t)(i * 37 + 1);
    for (int i = 0; i < inputs * most; i++) from[i] = (uint8_t)(i * 151 + i / 7);
    qv_code_tables(matrix, inputs, outputs, tables);
    for (size_t length = 1; length <= most; length++) {
        qv_code_multiply(tables, inputs, outputs, from, to, length);
        for (size_t row = 0; row < outputs; row++) {
            for (size_t at = 0; at < length; at++) {
                uint8_t sum = 0;
                for (size_t i = 0; i < inputs; i++) sum ^= times(matrix[row * inputs + i], from[i * length + at]);
                CHECK(to[row * length + at] == sum);
            }
        }
    }
}

int main(void) {
    checksums();
    products();
    return check_end("isal");
}
