/* Reed–Solomon codes over GF(2^8) and CRC-32C, by Intel ISA-L. */
#ifndef QUICKVAULT_CISAL_H
#define QUICKVAULT_CISAL_H

#include <isa-l/crc.h>
#include <isa-l/erasure_code.h>
#include <stddef.h>
#include <stdint.h>

/* The library takes bytes that it does not change without `const`. */

/* CRC-32C of two pieces, one behind the other; each is below 2 GiB. */
static inline uint32_t qv_crc32c(const uint8_t *first, size_t first_count, const uint8_t *second, size_t second_count) {
    unsigned int crc = crc32_iscsi((unsigned char *)first, (int)first_count, 0xFFFFFFFF);
    if (second_count > 0) crc = crc32_iscsi((unsigned char *)second, (int)second_count, crc);
    return ~crc;
}

/* The tables, 32 * inputs * outputs bytes, of a matrix of `outputs` rows and `inputs` columns. */
static inline void qv_code_tables(const uint8_t *matrix, int inputs, int outputs, uint8_t *tables) {
    ec_init_tables(inputs, outputs, (unsigned char *)matrix, tables);
}

/* Multiplies a matrix with blocks: `to` has `outputs` blocks and `from` has `inputs`, 255 at most, each of `length` bytes and one behind the
   other. */
static inline void qv_code_multiply(
    const uint8_t *tables, int inputs, int outputs, const uint8_t *from, uint8_t *to, size_t length) {
    unsigned char *in[255], *out[255];
    for (int i = 0; i < inputs; i++) in[i] = (unsigned char *)from + (size_t)i * length;
    for (int i = 0; i < outputs; i++) out[i] = to + (size_t)i * length;
    ec_encode_data((int)length, inputs, outputs, (unsigned char *)tables, in, out);
}

#endif
