/* COpenSSL against RFC 4231, RFC 5869 and libcrypto's own HKDF. */
#include "COpenSSL/shim.h"
#include "check.h"

#include <openssl/kdf.h>

enum { MOST = 255 * 32 };

static EVP_MAC_CTX *context(void) {
    EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *out = hmac != NULL ? qv_hmac_sha256_new(hmac) : NULL;
    EVP_MAC_free(hmac);
    CHECK(out != NULL);
    return out;
}

/* RFC 4231, 4.3. */
static void test_hmac(void) {
    static const char data[] = "what do ya want for nothing?";
    uint8_t wanted[32], out[32];
    size_t length = 0;
    (void)check_hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", wanted);
    EVP_MAC_CTX *mac = context();
    CHECK(EVP_MAC_init(mac, (const uint8_t *)"Jefe", 4, NULL) == 1);
    CHECK(EVP_MAC_update(mac, (const uint8_t *)data, sizeof data - 1) == 1);
    CHECK(EVP_MAC_final(mac, out, &length, sizeof out) == 1 && length == 32);
    CHECK(memcmp(out, wanted, sizeof wanted) == 0);
    EVP_MAC_CTX_free(mac);
}

/* A libcrypto whose default properties no digest has. */
static void test_no_digest(void) {
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    EVP_MAC *hmac = EVP_MAC_fetch(library, "HMAC", NULL);
    CHECK(hmac != NULL);
    EVP_MAC_CTX *whole = qv_hmac_sha256_new(hmac);
    CHECK(whole != NULL);
    EVP_MAC_CTX_free(whole);
    CHECK(EVP_set_default_properties(library, "provider=none") == 1);
    CHECK(qv_hmac_sha256_new(hmac) == NULL);
    EVP_MAC_free(hmac);
    OSSL_LIB_CTX_free(library);
}

/* RFC 5869, A.1 to A.3. */
static void test_vectors(void) {
    static const char *const vectors[][4] = {
        {"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
         "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"},
        {"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f"
         "303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f",
         "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f"
         "909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
         "b0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf"
         "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
         "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
         "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"},
        {"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "", "",
         "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"},
    };
    EVP_MAC_CTX *mac = context();
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        uint8_t parts[4][128], out[128];
        size_t lengths[4];
        for (int k = 0; k < 4; k++) lengths[k] = check_hex(vectors[i][k], parts[k]);
        memset(out, 0xA5, sizeof out);
        CHECK(qv_hkdf_sha256(mac, parts[0], lengths[0], lengths[1] > 0 ? parts[1] : NULL, lengths[1], parts[2], lengths[2], out,
                             lengths[3]) == 1);
        CHECK(memcmp(out, parts[3], lengths[3]) == 0 && out[lengths[3]] == 0xA5);
    }
    EVP_MAC_CTX_free(mac);
}

static int by_library(const uint8_t *key, size_t key_length, const uint8_t *salt, size_t salt_length, const uint8_t *info,
                      size_t info_length, uint8_t *out, size_t out_length) {
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *work = EVP_KDF_CTX_new(kdf);
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)(uintptr_t)key, key_length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)(uintptr_t)salt, salt_length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)(uintptr_t)info, info_length),
        OSSL_PARAM_construct_end(),
    };
    int done = EVP_KDF_derive(work, out, out_length, parameters);
    EVP_KDF_CTX_free(work);
    EVP_KDF_free(kdf);
    return done;
}

/* One context serves all derivations. */
static void test_library(void) {
    static const size_t ends[] = {1, 31, 32, 33, 64, MOST - 1, MOST};
    uint64_t state = 5;
    static uint8_t wanted[MOST], out[MOST];
    EVP_MAC_CTX *mac = context();
    for (size_t round = 0; round < 200; round++) {
        uint8_t key[80], salt[80], info[80];
        size_t length = round < sizeof ends / sizeof *ends ? ends[round] : 1 + check_random(&state) % 300;
        size_t keys = 1 + check_random(&state) % 79, salts = 1 + check_random(&state) % 79, infos = check_random(&state) % 80;
        check_fill(&state, key, sizeof key);
        check_fill(&state, salt, sizeof salt);
        check_fill(&state, info, sizeof info);
        CHECK(by_library(key, keys, salt, salts, info, infos, wanted, length) == 1);
        CHECK(qv_hkdf_sha256(mac, key, keys, salt, salts, info, infos, out, length) == 1);
        CHECK(memcmp(out, wanted, length) == 0);
    }
    memset(out, 0xA5, sizeof out);
    CHECK(qv_hkdf_sha256(mac, "k", 1, "s", 1, "i", 1, out, 0) == 1 && out[0] == 0xA5);
    CHECK(qv_hkdf_sha256(mac, "k", 1, "s", 1, "i", 1, out, MOST + 1) == 0 && out[0] == 0xA5);
    EVP_MAC_CTX_free(mac);
}

/* RFC 7748, 5.2 and 6.1; a public key of low order shares nothing. */
/* RFC 8032, 7.1, test 2. */
static void test_ed25519(void) {
    static const unsigned char secret[32] = {
        0x4c, 0xcd, 0x08, 0x9b, 0x28, 0xff, 0x96, 0xda, 0x9d, 0xb6, 0xc3, 0x46, 0xec, 0x11, 0x4e, 0x0f,
        0x5b, 0x8a, 0x31, 0x9f, 0x35, 0xab, 0xa6, 0x24, 0xda, 0x8c, 0xf6, 0xed, 0x4f, 0xb8, 0xa6, 0xfb};
    static const unsigned char wanted[32] = {
        0x3d, 0x40, 0x17, 0xc3, 0xe8, 0x43, 0x89, 0x5a, 0x92, 0xb7, 0x0a, 0xa7, 0x4d, 0x1b, 0x7e, 0xbc,
        0x9c, 0x98, 0x2c, 0xcf, 0x2e, 0xc4, 0x96, 0x8c, 0xc0, 0xcd, 0x55, 0xf1, 0x2a, 0xf4, 0x66, 0x0c};
    unsigned char public_key[33], signature[65], message = 0x72;
    public_key[32] = signature[64] = 0xA5;
    CHECK(qv_public_key(EVP_PKEY_ED25519, secret, public_key) == 1 && memcmp(public_key, wanted, 32) == 0 && public_key[32] == 0xA5);
    CHECK(qv_ed25519_sign(secret, &message, 1, signature) == 1 && signature[0] == 0x92 && signature[63] == 0 && signature[64] == 0xA5);
    CHECK(qv_ed25519_verify(public_key, &message, 1, signature) == 1);
    CHECK(qv_ed25519_verify(public_key, &message, 0, signature) == 0);
    signature[9] ^= 1;
    CHECK(qv_ed25519_verify(public_key, &message, 1, signature) == 0);
    CHECK(qv_ed25519_sign(secret, NULL, 0, signature) == 1 && qv_ed25519_verify(public_key, NULL, 0, signature) == 1);
}

static void test_x25519(void) {
    uint8_t secret[64], peer[64], wanted[64], out[33] = {0};
    check_hex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4", secret);
    check_hex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c", peer);
    check_hex("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552", wanted);
    out[32] = 0xA5;
    CHECK(qv_x25519(secret, peer, out) == 1 && memcmp(out, wanted, 32) == 0 && out[32] == 0xA5);
    check_hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb", secret);
    check_hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f", wanted);
    CHECK(qv_public_key(EVP_PKEY_X25519, secret, out) == 1 && memcmp(out, wanted, 32) == 0 && out[32] == 0xA5);
    memset(peer, 0, sizeof peer);
    CHECK(qv_x25519(secret, peer, out) == 0);
    peer[0] = 1;
    CHECK(qv_x25519(secret, peer, out) == 0);
}

int main(void) {
    test_x25519();
    test_ed25519();
    test_hmac();
    test_no_digest();
    test_vectors();
    test_library();
    return check_end("openssl");
}
