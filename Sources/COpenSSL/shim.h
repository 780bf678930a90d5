/* The part of libcrypto that VaultCrypto uses, and one call that is clumsy from Swift. */
#ifndef QUICKVAULT_COPENSSL_H
#define QUICKVAULT_COPENSSL_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rand.h>

/* One HKDF-SHA256 derivation (RFC 5869, extract and expand) on a reusable context. Returns 1 on success. */
static inline int qv_hkdf_sha256(EVP_KDF_CTX *context, const void *key, size_t key_length, const void *salt,
                                 size_t salt_length, const void *info, size_t info_length, void *out,
                                 size_t out_length) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, key_length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_length),
        OSSL_PARAM_construct_end(),
    };
    EVP_KDF_CTX_reset(context);
    int result = EVP_KDF_derive(context, (unsigned char *)out, out_length, parameters);
    EVP_KDF_CTX_reset(context);
    return result;
}

/* Readies a MAC context for HMAC-SHA256 under a key. Returns 1 on success. */
static inline int qv_hmac_sha256_init(EVP_MAC_CTX *context, const void *key, size_t key_length) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_init(context, (const unsigned char *)key, key_length, parameters);
}

#endif
