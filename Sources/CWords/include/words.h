#ifndef QV_WORDS_H
#define QV_WORDS_H

#include <stddef.h>

/* The catalogue zh.po as it is in this folder: UTF-8, entries in the order of their ids as bytes. */
const unsigned char *qv_words_zh(size_t *length);

/* Readings of the Chinese characters U+4E00 to U+9FFF without tones: a line for each syllable, with its characters in UTF-8.
   Facts of the Unihan database (Unicode Standard Annex 38), written by Tests/Checks/pinyin-table.py. */
const unsigned char *qv_words_pinyin(size_t *length);

/* The pocket reader as it is in this folder: a page of HTML, written by Tests/Scripts/reader_page.py. */
const unsigned char *qv_words_reader(size_t *length);

#endif
