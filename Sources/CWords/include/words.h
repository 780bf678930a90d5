#ifndef QV_WORDS_H
#define QV_WORDS_H

#include <stddef.h>

/* The catalogue zh.po as it is in this folder: UTF-8, entries in the order of their ids as bytes. */
const unsigned char *qv_words_zh(size_t *length);

#endif
