#include "parity.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* x^8 + x^4 + x^3 + x^2 + 1, without x^8. */
enum { POLYNOMIAL = 0x1D, TABLE = 32, TILE = 1024 };

static uint8_t product(uint8_t a, uint8_t b) {
    uint8_t sum = 0;
    for (; b != 0; b >>= 1) {
        if (b & 1) sum ^= a;
        a = (uint8_t)(a << 1 ^ (a & 0x80 ? POLYNOMIAL : 0));
    }
    return sum;
}

/* a^254 is its inverse. */
static uint8_t inverse_of(uint8_t a) {
    uint8_t power = 1;
    for (int i = 0; i < 7; i++) power = product(product(power, power), a);
    return product(power, power);
}

void qv_portable_matrix(int rows, int columns, uint8_t *matrix) {
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            *matrix++ = inverse_of((uint8_t)((columns + row) ^ column));
}

/* For each coefficient its products with 0 … 15, and with 0x00, 0x10 … 0xF0. */
void qv_portable_tables(const uint8_t *matrix, int inputs, int outputs, uint8_t *tables) {
    for (int i = 0; i < inputs * outputs; i++)
        for (int low = 0; low < 16; low++) {
            tables[TABLE * i + low] = product(matrix[i], (uint8_t)low);
            tables[TABLE * i + 16 + low] = product(matrix[i], (uint8_t)(low << 4));
        }
}

static void add_products(const uint8_t *table, const uint8_t *from, uint8_t *sum, size_t count) {
    for (size_t i = 0; i < count; i++) sum[i] ^= table[from[i] & 15] ^ table[16 + (from[i] >> 4)];
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void add_products_avx2(
    const uint8_t *table, const uint8_t *from, uint8_t *sum, size_t count) {
    const __m256i low = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)table));
    const __m256i high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)(table + 16)));
    const __m256i mask = _mm256_set1_epi8(15);
    size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        __m256i bytes = _mm256_loadu_si256((const void *)(from + i));
        __m256i one = _mm256_shuffle_epi8(low, _mm256_and_si256(bytes, mask));
        __m256i other = _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), mask));
        __m256i old = _mm256_loadu_si256((const void *)(sum + i));
        _mm256_storeu_si256((void *)(sum + i), _mm256_xor_si256(old, _mm256_xor_si256(one, other)));
    }
    add_products(table, from + i, sum + i, count - i);
}
#endif

void qv_portable_multiply(
    const uint8_t *tables, int inputs, int outputs, const uint8_t *from, uint8_t *to, size_t length, size_t stride) {
    void (*add)(const uint8_t *, const uint8_t *, uint8_t *, size_t) = add_products;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) add = add_products_avx2;
#endif
    for (int output = 0; output < outputs; output++) memset(to + (size_t)output * stride, 0, length);
    /* A tile of all blocks stays in the cache for all outputs. */
    for (size_t start = 0; start < length; start += TILE) {
        size_t count = length - start < TILE ? length - start : TILE;
        for (int output = 0; output < outputs; output++)
            for (int input = 0; input < inputs; input++)
                add(tables + (size_t)(output * inputs + input) * TABLE, from + (size_t)input * stride + start,
                    to + (size_t)output * stride + start, count);
    }
}

/* Gauss–Jordan elimination. */
int qv_portable_invert(uint8_t *matrix, uint8_t *inverse, int n) {
    memset(inverse, 0, (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++) inverse[i * n + i] = 1;
    for (int column = 0; column < n; column++) {
        int pivot = column;
        while (pivot < n && matrix[pivot * n + column] == 0) pivot++;
        if (pivot == n) return -1;
        for (int i = 0; i < n && pivot != column; i++) {
            /* Adding the pivot row avoids a swap of rows. */
            matrix[column * n + i] ^= matrix[pivot * n + i];
            inverse[column * n + i] ^= inverse[pivot * n + i];
        }
        uint8_t factor = inverse_of(matrix[column * n + column]);
        for (int i = 0; i < n; i++) {
            matrix[column * n + i] = product(factor, matrix[column * n + i]);
            inverse[column * n + i] = product(factor, inverse[column * n + i]);
        }
        for (int row = 0; row < n; row++) {
            uint8_t multiple = matrix[row * n + column];
            if (row == column || multiple == 0) continue;
            for (int i = 0; i < n; i++) {
                matrix[row * n + i] ^= product(multiple, matrix[column * n + i]);
                inverse[row * n + i] ^= product(multiple, inverse[column * n + i]);
            }
        }
    }
    return 0;
}

/* The polynomial of RFC 3720, reflected. */
static uint32_t crc(uint32_t sum, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (sum & 1 ? 0x82F63B78u : 0);
    }
    return sum;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc_sse42(uint32_t sum, const uint8_t *bytes, size_t count) {
    uint64_t wide = sum;
    for (; count >= 8; bytes += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        wide = _mm_crc32_u64(wide, word);
    }
    return crc((uint32_t)wide, bytes, count);
}
#endif

uint32_t qv_portable_crc32c(const uint8_t *first, size_t first_count, const uint8_t *second, size_t second_count) {
    uint32_t (*sum)(uint32_t, const uint8_t *, size_t) = crc;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2")) sum = crc_sse42;
#endif
    return ~sum(sum(0xFFFFFFFF, first, first_count), second, second_count);
}
