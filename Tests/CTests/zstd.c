/* CZstd: frames are what the Spec says, they open again, and no context leaks or keeps what it is given back with. */
#include "CZstd/shim.h"
#include "check.h"

enum { SIZE = 100000 };

static void test_memory(void) {
    unsigned char *memory = qv_zstd_allocate(NULL, 1000);
    CHECK(memory != NULL);
    memset(memory, 0x5A, 1000);
    qv_zstd_free(NULL, memory);
    qv_zstd_free(NULL, NULL);
}

static void test_frames(void) {
    static unsigned char content[SIZE], frame[SIZE + 1000], again[SIZE];
    for (size_t i = 0; i < SIZE; i++) content[i] = (unsigned char)(i % 97 * (i % 11));
    ZSTD_CCtx *encoder = qv_zstd_encoder(3);
    ZSTD_DCtx *decoder = qv_zstd_decoder();
    CHECK(encoder != NULL && decoder != NULL && ZSTD_compressBound(SIZE) <= sizeof frame);
    /* A context is used again. */
    for (size_t size = 1; size <= SIZE; size *= 10) {
        size_t length = ZSTD_compress2(encoder, frame, sizeof frame, content, size);
        CHECK(!ZSTD_isError(length));
        /* One segment with its size and a checksum; no dictionary. */
        CHECK((frame[4] & 0x3F) == 0x24 && ZSTD_getFrameContentSize(frame, length) == size);
        CHECK(ZSTD_decompressDCtx(decoder, again, size, frame, length) == size && memcmp(again, content, size) == 0);
        CHECK(ZSTD_isError(ZSTD_decompressDCtx(decoder, again, size - 1, frame, length)));
        frame[length - 1] ^= 1;
        CHECK(ZSTD_isError(ZSTD_decompressDCtx(decoder, again, size, frame, length)));
    }
    ZSTD_freeCCtx(encoder);
    ZSTD_freeDCtx(decoder);
}

int main(void) {
    test_memory();
    test_frames();
    return check_end("zstd");
}
