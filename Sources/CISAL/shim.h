/* Reed–Solomon codes over GF(2^8) and CRC-32C, by Intel ISA-L. */
#ifndef QUICKVAULT_CISAL_H
#define QUICKVAULT_CISAL_H

#include <isa-l/crc.h>
#include <isa-l/erasure_code.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The library takes bytes that it does not change without `const`. */

/* CRC-32C of two pieces, one behind the other; each is below 2 GiB. */
static inline uint32_t qv_crc32c(const uint8_t *first, size_t first_count, const uint8_t *second, size_t second_count) {
    unsigned int crc = crc32_iscsi((unsigned char *)first, (int)first_count, 0xFFFFFFFF);
    if (second_count > 0) crc = crc32_iscsi((unsigned char *)second, (int)second_count, crc);
    return ~crc;
}

/* The coefficients of the parity: `rows` rows of `columns`, 255 together at most, one behind the other. */
static inline void qv_code_matrix(int rows, int columns, uint8_t *matrix) {
    /* The library's begins with the identity, for the data. */
    uint8_t whole[255 * 255];
    gf_gen_cauchy1_matrix(whole, rows + columns, columns);
    memcpy(matrix, whole + columns * columns, (size_t)(rows * columns));
}

/* Inverts a matrix of n rows and columns, which is overwritten; not 0 if it has no inverse. */
static inline int qv_code_invert(uint8_t *matrix, uint8_t *inverse, int n) {
    return gf_invert_matrix(matrix, inverse, n);
}

/* The tables, 32 * inputs * outputs bytes, of a matrix of `outputs` rows and `inputs` columns. */
static inline void qv_code_tables(const uint8_t *matrix, int inputs, int outputs, uint8_t *tables) {
    ec_init_tables(inputs, outputs, (unsigned char *)matrix, tables);
}

/* Multiplies a matrix with blocks: `to` has `outputs` blocks and `from` has `inputs`, 255 at most, each of `length` bytes, the next one
   `stride` bytes behind it. */
static inline void qv_code_multiply(
    const uint8_t *tables, int inputs, int outputs, const uint8_t *from, uint8_t *to, size_t length, size_t stride) {
    enum { TILE = 4096 };
    unsigned char *in[255], *out[255];
    /* The library makes a few outputs at a time: a tile of all blocks stays in the cache until it has made all. */
    for (size_t start = 0; start < length; start += TILE) {
        size_t count = length - start < TILE ? length - start : TILE;
        for (int i = 0; i < inputs; i++) in[i] = (unsigned char *)from + (size_t)i * stride + start;
        for (int i = 0; i < outputs; i++) out[i] = to + (size_t)i * stride + start;
        ec_encode_data((int)count, inputs, outputs, (unsigned char *)tables, in, out);
    }
}

#endif
