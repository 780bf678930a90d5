/* The functions of Sources/CISAL/shim.h, without the library. */
#ifndef QUICKVAULT_CISAL_PORTABLE_H
#define QUICKVAULT_CISAL_PORTABLE_H

#include "parity.h"

static inline uint32_t qv_crc32c(const uint8_t *first, size_t first_count, const uint8_t *second, size_t second_count) {
    return qv_portable_crc32c(first, first_count, second, second_count);
}

static inline void qv_code_matrix(int rows, int columns, uint8_t *matrix) { qv_portable_matrix(rows, columns, matrix); }

static inline void qv_code_tables(const uint8_t *matrix, int inputs, int outputs, uint8_t *tables) {
    qv_portable_tables(matrix, inputs, outputs, tables);
}

static inline void qv_code_multiply(
    const uint8_t *tables, int inputs, int outputs, const uint8_t *from, uint8_t *to, size_t length, size_t stride) {
    qv_portable_multiply(tables, inputs, outputs, from, to, length, stride);
}

static inline int qv_code_invert(uint8_t *matrix, uint8_t *inverse, int n) {
    return qv_portable_invert(matrix, inverse, n);
}

#endif
