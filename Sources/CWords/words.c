#include "words.h"

/* C23, which this compiler has in every mode. As a literal of Swift these bytes would take half a minute to compile. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char zh[] = {
#embed "zh.po"
};

const unsigned char *qv_words_zh(size_t *length) {
    *length = sizeof zh;
    return zh;
}

static const unsigned char reader[] = {
#embed "reader.html"
};

const unsigned char *qv_words_reader(size_t *length) {
    *length = sizeof reader;
    return reader;
}

static const unsigned char pinyin[] = {
#embed "pinyin.txt"
};

const unsigned char *qv_words_pinyin(size_t *length) {
    *length = sizeof pinyin;
    return pinyin;
}
