#include "characters.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

wchar_t *qv_widened(const char *text) {
    size_t count = strlen(text);
    wchar_t *wide = calloc(count + 1, sizeof *wide);
    if (wide == NULL) return NULL;
    mbstate_t state = {0};
    wchar_t *next = wide;
    while (count > 0) {
        size_t taken = mbrtowc(next, text, count, &state);
        if (taken == 0 || taken > count) {
            *next = STRAY_BYTE + (unsigned char)*text;
            state = (mbstate_t){0};
            taken = 1;
        }
        next++;
        text += taken;
        count -= taken;
    }
    return wide;
}

char *qv_narrowed(const wchar_t *wide, size_t count) {
    char *text = malloc(count * MB_LEN_MAX + 1);
    if (text == NULL) return NULL;
    mbstate_t state = {0};
    char *next = text;
    for (size_t i = 0; i < count; i++) {
        size_t length = wcrtomb(next, wide[i], &state);
        if (length == (size_t)-1) {
            state = (mbstate_t){0};
            *next = (char)(wide[i] & 0xFF);
            length = 1;
        }
        next += length;
    }
    *next = 0;
    return text;
}
