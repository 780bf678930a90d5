/* Zstandard frames (RFC 8878), by libzstd. Its contexts hold parts of what passes through them: their memory is wiped when
   it is given back. */
#ifndef QUICKVAULT_CZSTD_H
#define QUICKVAULT_CZSTD_H

/* Contexts with an allocator of the caller's are no part of the library's stable interface, and all the same exported. */
#define ZSTD_STATIC_LINKING_ONLY
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#ifdef __APPLE__
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

static inline void *qv_zstd_allocate(void *unused, size_t size) {
    (void)unused;
    return malloc(size);
}

static inline void qv_zstd_free(void *unused, void *memory) {
    (void)unused;
    if (memory == NULL) return;
#ifdef __APPLE__
    memset_s(memory, malloc_size(memory), 0, malloc_size(memory));
#else
    explicit_bzero(memory, malloc_usable_size(memory));
#endif
    free(memory);
}

/* A context that makes frames at this level, with a checksum; NULL on failure. ZSTD_freeCCtx gives it back. */
static inline ZSTD_CCtx *qv_zstd_encoder(int level) {
    const ZSTD_customMem memory = {qv_zstd_allocate, qv_zstd_free, NULL};
    ZSTD_CCtx *context = ZSTD_createCCtx_advanced(memory);
    if (context == NULL) return NULL;
    if (!ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)) &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)))
        return context;
    ZSTD_freeCCtx(context);
    return NULL;
}

/* A context that opens frames; NULL on failure. ZSTD_freeDCtx gives it back. */
static inline ZSTD_DCtx *qv_zstd_decoder(void) {
    const ZSTD_customMem memory = {qv_zstd_allocate, qv_zstd_free, NULL};
    return ZSTD_createDCtx_advanced(memory);
}

#endif
