/* Whole numbers of any length, by GMP. Its functions are macros; these names are what Swift sees. */
#include <gmp.h>

static inline void qv_number_init(mpz_t n) { mpz_init(n); }
static inline void qv_number_clear(mpz_t n) { mpz_clear(n); }
static inline void qv_number_set(mpz_t n, long value) { mpz_set_si(n, value); }
static inline int qv_number_fits(const mpz_t n) { return mpz_fits_slong_p(n); }
static inline long qv_number_get(const mpz_t n) { return mpz_get_si(n); }
/* Digits only, perhaps behind a '-'; returns 0 for these. */
static inline int qv_number_parse(mpz_t n, const char *text) { return mpz_set_str(n, text, 10); }
static inline void qv_number_add(mpz_t n, const mpz_t a, const mpz_t b) { mpz_add(n, a, b); }
static inline void qv_number_subtract(mpz_t n, const mpz_t a, const mpz_t b) { mpz_sub(n, a, b); }
static inline void qv_number_multiply(mpz_t n, const mpz_t a, const mpz_t b) { mpz_mul(n, a, b); }
/* n times 10 to the power of places. */
static inline void qv_number_shift(mpz_t n, const mpz_t a, unsigned long places) {
    mpz_t power;
    mpz_init(power);
    mpz_ui_pow_ui(power, 10, places);
    mpz_mul(n, a, power);
    mpz_clear(power);
}
/* The quotient towards zero; returns how twice the rest compares with the divisor: -1, 0 or 1, and -2 for no rest. */
static inline int qv_number_divide(mpz_t n, const mpz_t a, const mpz_t b) {
    mpz_t rest;
    mpz_init(rest);
    mpz_tdiv_qr(n, rest, a, b);
    int order = -2;
    if (mpz_sgn(rest) != 0) {
        mpz_mul_2exp(rest, rest, 1);
        int compared = mpz_cmpabs(rest, b);
        order = compared < 0 ? -1 : compared > 0;
    }
    mpz_clear(rest);
    return order;
}
static inline int qv_number_sign(const mpz_t n) { return mpz_sgn(n); }
static inline int qv_number_is_odd(const mpz_t n) { return mpz_odd_p(n); }
static inline int qv_number_compare(const mpz_t a, const mpz_t b) { return mpz_cmp(a, b); }
static inline void qv_number_step(mpz_t n, int towards) {
    if (towards < 0) mpz_sub_ui(n, n, 1);
    else mpz_add_ui(n, n, 1);
}
/* Bytes that the text takes, with sign and final zero. */
static inline size_t qv_number_size(const mpz_t n) { return mpz_sizeinbase(n, 10) + 2; }
static inline void qv_number_write(const mpz_t n, char *text) { mpz_get_str(text, 10, n); }
static inline double qv_number_double(const mpz_t n) { return mpz_get_d(n); }
