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

/* The public key of a secret one of X25519 (RFC 7748) or Ed25519 (RFC 8032), 32 bytes each. Returns 1 on success. */
static inline int qv_public_key(int type, const void *secret, unsigned char *out) {
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(type, NULL, (const unsigned char *)secret, 32);
    size_t length = 32;
    int result = key != NULL && EVP_PKEY_get_raw_public_key(key, out, &length) == 1 && length == 32;
    EVP_PKEY_free(key);
    return result;
}

/* X25519 (RFC 7748): the 32 bytes that a secret key shares with a public one. Returns 1 on success; 0 also where they would be
   zero, since the public key is of low order. */
static inline int qv_x25519(const void *secret, const void *peer, unsigned char *out) {
    EVP_PKEY *mine = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, (const unsigned char *)secret, 32);
    EVP_PKEY *other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, (const unsigned char *)peer, 32);
    EVP_PKEY_CTX *context = mine == NULL ? NULL : EVP_PKEY_CTX_new(mine, NULL);
    size_t length = 32;
    int result = other != NULL && context != NULL && EVP_PKEY_derive_init(context) == 1 &&
                 EVP_PKEY_derive_set_peer(context, other) == 1 && EVP_PKEY_derive(context, out, &length) == 1 &&
                 length == 32;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(other);
    EVP_PKEY_free(mine);
    return result;
}

/* Ed25519 (RFC 8032): the signature of a message, 64 bytes. Returns 1 on success. */
static inline int qv_ed25519_sign(const void *secret, const void *message, size_t count, unsigned char *out) {
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, (const unsigned char *)secret, 32);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t length = 64;
    int result = key != NULL && context != NULL && EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1 &&
                 EVP_DigestSign(context, out, &length, (const unsigned char *)message, count) == 1 && length == 64;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return result;
}

/* Ed25519 (RFC 8032): 1 if a signature of 64 bytes is that of a message. */
static inline int qv_ed25519_verify(const void *public_key, const void *message, size_t count, const void *signature) {
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, (const unsigned char *)public_key, 32);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int result = key != NULL && context != NULL && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1 &&
                 EVP_DigestVerify(context, (const unsigned char *)signature, 64, (const unsigned char *)message, count) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return result;
}

#endif
