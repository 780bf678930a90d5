/* Reed–Solomon codes over GF(2^8) and CRC-32C (Spec/container.md, 3.9) without a library, for the program that depends on
   nothing but libc: Debian has no static ISA-L. */
#ifndef QUICKVAULT_PARITY_H
#define QUICKVAULT_PARITY_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C of two pieces, one behind the other. */
uint32_t qv_portable_crc32c(const uint8_t *first, size_t first_count, const uint8_t *second, size_t second_count);

/* The coefficients of the parity: `rows` rows of `columns`, 255 together at most, one behind the other. */
void qv_portable_matrix(int rows, int columns, uint8_t *matrix);

/* The tables, 32 * inputs * outputs bytes, of a matrix of `outputs` rows and `inputs` columns. */
void qv_portable_tables(const uint8_t *matrix, int inputs, int outputs, uint8_t *tables);

/* Multiplies a matrix with blocks: `to` has `outputs` blocks and `from` has `inputs`, each of `length` bytes, the next one
   `stride` bytes behind it. */
void qv_portable_multiply(
    const uint8_t *tables, int inputs, int outputs, const uint8_t *from, uint8_t *to, size_t length, size_t stride);

/* Inverts a matrix of n rows and columns, which is overwritten; -1 if it has no inverse, else 0. */
int qv_portable_invert(uint8_t *matrix, uint8_t *inverse, int n);

#endif
