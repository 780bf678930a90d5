/* CArgon2 against RFC 9106 and the library's own call. */
#include "CArgon2/shim.h"
#include "check.h"

/* RFC 9106, 5.3. */
static void test_vector(void) {
    uint8_t password[32], salt[16], key[8], data[12], wanted[32], out[33];
    memset(password, 1, sizeof password);
    memset(salt, 2, sizeof salt);
    memset(key, 3, sizeof key);
    memset(data, 4, sizeof data);
    (void)check_hex("0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659", wanted);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        memset(out, 0xA5, sizeof out);
        CHECK(qv_argon2id(password, 32, salt, 16, key, 8, data, 12, 32, 3, 4, threads, out) == ARGON2_OK);
        CHECK(memcmp(out, wanted, sizeof wanted) == 0 && out[32] == 0xA5);
    }
    /* No flag is set: none of the inputs is wiped. */
    CHECK(password[0] == 1 && password[31] == 1 && key[0] == 3 && key[7] == 3);
    /* Each input counts. */
    CHECK(qv_argon2id(password, 31, salt, 16, key, 8, data, 12, 32, 3, 4, 1, out) == ARGON2_OK);
    CHECK(memcmp(out, wanted, sizeof wanted) != 0);
    CHECK(qv_argon2id(password, 32, salt, 16, key, 7, data, 12, 32, 3, 4, 1, out) == ARGON2_OK);
    CHECK(memcmp(out, wanted, sizeof wanted) != 0);
    CHECK(qv_argon2id(password, 32, salt, 16, key, 8, data, 11, 32, 3, 4, 1, out) == ARGON2_OK);
    CHECK(memcmp(out, wanted, sizeof wanted) != 0);
}

static void test_library(void) {
    uint64_t state = 3;
    uint8_t password[64], salt[32], out[32], wanted[32];
    for (uint32_t round = 0; round < 40; round++) {
        uint32_t length = round < 2 ? round : (uint32_t)(check_random(&state) % sizeof password);
        uint32_t passes = 1 + round % 3, lanes = 1 + round % 4, memory = 8 * lanes + (uint32_t)(check_random(&state) % 64);
        check_fill(&state, password, sizeof password);
        check_fill(&state, salt, sizeof salt);
        CHECK(argon2id_hash_raw(passes, memory, lanes, password, length, salt, 16, wanted, sizeof wanted) == ARGON2_OK);
        CHECK(qv_argon2id(password, length, salt, 16, NULL, 0, NULL, 0, memory, passes, lanes, lanes, out) == ARGON2_OK);
        CHECK(memcmp(out, wanted, sizeof wanted) == 0);
    }
}

static void test_errors(void) {
    const uint8_t salt[16] = {0};
    uint8_t out[32] = {0};
    CHECK(qv_argon2id(NULL, 0, salt, 7, NULL, 0, NULL, 0, 32, 1, 1, 1, out) == ARGON2_SALT_TOO_SHORT);
    CHECK(qv_argon2id(NULL, 0, salt, 8, NULL, 0, NULL, 0, 7, 1, 1, 1, out) == ARGON2_MEMORY_TOO_LITTLE);
    CHECK(qv_argon2id(NULL, 0, salt, 8, NULL, 0, NULL, 0, 31, 1, 4, 1, out) == ARGON2_MEMORY_TOO_LITTLE);
    CHECK(qv_argon2id(NULL, 0, salt, 8, NULL, 0, NULL, 0, 32, 0, 1, 1, out) == ARGON2_TIME_TOO_SMALL);
    CHECK(qv_argon2id(NULL, 0, salt, 8, NULL, 0, NULL, 0, 32, 1, 0, 1, out) == ARGON2_LANES_TOO_FEW);
    CHECK(qv_argon2id(NULL, 0, salt, 8, NULL, 0, NULL, 0, 32, 1, 1, 0, out) == ARGON2_THREADS_TOO_FEW);
    CHECK(qv_argon2id(NULL, 1, salt, 8, NULL, 0, NULL, 0, 32, 1, 1, 1, out) == ARGON2_PWD_PTR_MISMATCH);
    CHECK(qv_argon2id(NULL, 0, salt, 8, NULL, 0, NULL, 0, 32, 1, 1, 1, NULL) == ARGON2_OUTPUT_PTR_NULL);
    for (size_t i = 0; i < sizeof out; i++) CHECK(out[i] == 0);
    CHECK(qv_argon2id(NULL, 0, salt, 8, NULL, 0, NULL, 0, 8, 1, 1, 1, out) == ARGON2_OK);
}

int main(void) {
    test_vector();
    test_library();
    test_errors();
    return check_end("argon2");
}
