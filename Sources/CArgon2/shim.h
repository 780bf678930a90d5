/* Argon2, by its reference implementation. */
#include <argon2.h>

/* Argon2id, version 1.3, with an output of 32 bytes. The library's structure has pointers without const; it changes none
   of these bytes without a flag. */
static inline int qv_argon2id(const uint8_t *password, uint32_t password_length, const uint8_t *salt, uint32_t salt_length,
                              const uint8_t *key, uint32_t key_length, const uint8_t *data, uint32_t data_length,
                              uint32_t memory, uint32_t passes, uint32_t lanes, uint32_t threads, uint8_t *out) {
    argon2_context context = {
        .out = out, .outlen = 32, .pwd = (uint8_t *)password, .pwdlen = password_length,
        .salt = (uint8_t *)salt, .saltlen = salt_length, .secret = (uint8_t *)key, .secretlen = key_length,
        .ad = (uint8_t *)data, .adlen = data_length, .t_cost = passes, .m_cost = memory, .lanes = lanes,
        .threads = threads, .version = ARGON2_VERSION_13, .flags = ARGON2_DEFAULT_FLAGS,
    };
    return argon2id_ctx(&context);
}
