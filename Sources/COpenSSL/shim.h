/* The part of libcrypto that VaultCrypto uses, and calls that are clumsy from Swift. */
#ifndef QUICKVAULT_COPENSSL_H
#define QUICKVAULT_COPENSSL_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <string.h>

/* A context for HMAC-SHA256; NULL on failure. */
static inline EVP_MAC_CTX *qv_hmac_sha256_new(EVP_MAC *hmac) {
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(hmac);
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    if (context != NULL && EVP_MAC_CTX_set_params(context, parameters) == 1) return context;
    EVP_MAC_CTX_free(context);
    return NULL;
}

/* One HKDF-SHA256 derivation (RFC 5869, extract and expand) on a context for HMAC-SHA256. Returns 1 on success.
   (libcrypto's own HKDF takes three times as long: it looks its digest up by name each time.) */
static inline int qv_hkdf_sha256(EVP_MAC_CTX *context, const void *key, size_t key_length, const void *salt,
                                 size_t salt_length, const void *info, size_t info_length, void *out,
                                 size_t out_length) {
    enum { HASH = 32 };
    static const unsigned char no_salt[HASH];
    unsigned char prk[HASH], block[HASH];
    size_t length;
    if (salt_length == 0) salt = no_salt, salt_length = HASH;
    int result = out_length <= 255 * HASH && EVP_MAC_init(context, (const unsigned char *)salt, salt_length, NULL) == 1 &&
                 EVP_MAC_update(context, (const unsigned char *)key, key_length) == 1 &&
                 EVP_MAC_final(context, prk, &length, HASH) == 1;
    unsigned char number = 1;
    for (size_t done = 0; result && done < out_length; done += HASH, number++) {
        result = EVP_MAC_init(context, prk, HASH, NULL) == 1 &&
                 (number == 1 || EVP_MAC_update(context, block, HASH) == 1) &&
                 EVP_MAC_update(context, (const unsigned char *)info, info_length) == 1 &&
                 EVP_MAC_update(context, &number, 1) == 1 && EVP_MAC_final(context, block, &length, HASH) == 1;
        size_t left = out_length - done;
        memcpy((unsigned char *)out + done, block, left < HASH ? left : HASH);
    }
    OPENSSL_cleanse(prk, sizeof prk);
    OPENSSL_cleanse(block, sizeof block);
    return result;
}

#endif
