#include "decode.h"

#include <stdlib.h>
#include <string.h>

/* Operands and operators of a page's content (ISO 32000-1, 7.8.2). */
typedef struct {
    const uint8_t *at, *end;
} scanner;

enum token { END, NUMBER, NAME, WORD, OTHER, NONSENSE };

static int is_space(uint8_t c) { return c == 0 || c == 9 || c == 10 || c == 12 || c == 13 || c == 32; }
static int is_delimiter(uint8_t c) { return c != 0 && strchr("()<>[]{}/%", c) != NULL; }
static int is_regular(uint8_t c) { return !is_space(c) && !is_delimiter(c); }

static void skip_space(scanner *s) {
    while (s->at < s->end && (is_space(*s->at) || *s->at == '%')) {
        if (*s->at == '%') {
            while (s->at < s->end && *s->at != 10 && *s->at != 13) s->at++;
        } else {
            s->at++;
        }
    }
}

/* A string in parentheses, which may be nested. */
static enum token skip_string(scanner *s) {
    int depth = 0;
    for (; s->at < s->end; s->at++) {
        if (*s->at == '\\') {
            if (++s->at == s->end) break;
        } else if (*s->at == '(') {
            depth++;
        } else if (*s->at == ')' && --depth == 0) {
            s->at++;
            return OTHER;
        }
    }
    return NONSENSE;
}

static int is_number(const uint8_t *start, size_t length, double *number) {
    char text[32];
    if (length == 0 || length >= sizeof text) return 0;
    memcpy(text, start, length);
    text[length] = 0;
    if (strspn(text, "+-.0123456789") != length) return 0;
    char *end = NULL;
    *number = strtod(text, &end);
    return *end == 0;
}

static enum token next(scanner *s, const uint8_t **start, size_t *length, double *number) {
    skip_space(s);
    if (s->at == s->end) return END;
    *start = s->at;
    if (*s->at == '(') return skip_string(s);
    if (*s->at == '/') {
        *start = ++s->at;
        while (s->at < s->end && is_regular(*s->at)) s->at++;
        *length = (size_t)(s->at - *start);
        return NAME;
    }
    if (is_delimiter(*s->at)) {
        /* Arrays, dictionaries and hexadecimal strings: their brackets are tokens like others. */
        s->at++;
        return OTHER;
    }
    while (s->at < s->end && is_regular(*s->at)) s->at++;
    *length = (size_t)(s->at - *start);
    return is_number(*start, *length, number) ? NUMBER : WORD;
}

enum { DEPTH = 16 };

/* What a page has drawn so far. */
typedef struct {
    double numbers[6];
    int count; /* of the numbers before an operator; more than 6 are not counted on */
    const uint8_t *name;
    size_t name_length;
    double matrix[6], saved[DEPTH][6];
    int pictures, depth, is_text, is_invisible;
} state;

static void multiply(double m[6], const double by[6]) {
    double out[6] = {
        by[0] * m[0] + by[1] * m[2], by[0] * m[1] + by[1] * m[3], by[2] * m[0] + by[3] * m[2],
        by[2] * m[1] + by[3] * m[3], by[4] * m[0] + by[5] * m[2] + m[4], by[4] * m[1] + by[5] * m[3] + m[5]};
    memcpy(m, out, sizeof out);
}

static int is_one_of(const uint8_t *word, size_t length, const char *words) {
    const char *at = words;
    while (*at != 0) {
        size_t size = strcspn(at, " ");
        if (size == length && memcmp(at, word, size) == 0) return 1;
        at += size + (at[size] == ' ');
    }
    return 0;
}

/* 1 if the operator draws nothing, or the one picture. */
static int apply(state *st, const uint8_t *word, size_t length, page_drawing *out) {
    if (is_one_of(word, length, "q")) {
        if (st->depth == DEPTH) return 0;
        memcpy(st->saved[st->depth++], st->matrix, sizeof st->matrix);
        return 1;
    }
    if (is_one_of(word, length, "Q")) {
        if (st->depth == 0) return 0;
        memcpy(st->matrix, st->saved[--st->depth], sizeof st->matrix);
        return 1;
    }
    if (is_one_of(word, length, "cm")) {
        if (st->count != 6 || st->is_text) return 0;
        multiply(st->matrix, st->numbers);
        return 1;
    }
    if (is_one_of(word, length, "Do")) {
        if (st->name == NULL || st->count != 0 || st->is_text || st->pictures++ > 0) return 0;
        out->name = (const char *)st->name;
        out->name_length = st->name_length;
        memcpy(out->matrix, st->matrix, sizeof out->matrix);
        return 1;
    }
    if (is_one_of(word, length, "BT")) {
        st->is_invisible = 0;
        out->has_text = 1;
        return st->is_text++ == 0;
    }
    if (is_one_of(word, length, "ET")) return --st->is_text == 0;
    if (!st->is_text) return 0;
    if (is_one_of(word, length, "Tr")) {
        st->is_invisible = st->count == 1 && st->numbers[0] == 3;
        return 1;
    }
    if (is_one_of(word, length, "Tj TJ ' \"")) return st->is_invisible;
    return is_one_of(word, length, "Tf Td TD Tm T* Tc Tw Tz TL Ts");
}

int page_draws_picture(const uint8_t *content, size_t length, page_drawing *out) {
    scanner s = {content, content + length};
    state st = {.matrix = {1, 0, 0, 1, 0, 0}};
    out->has_text = 0;
    const uint8_t *start = NULL;
    size_t size = 0;
    double number = 0;
    for (;;) {
        switch (next(&s, &start, &size, &number)) {
        case END: return st.pictures == 1 && st.depth == 0 && st.is_text == 0;
        case NUMBER:
            if (st.count < 6) st.numbers[st.count] = number;
            st.count++;
            break;
        case NAME:
            st.name = start;
            st.name_length = size;
            break;
        case OTHER: break;
        case NONSENSE: return 0;
        case WORD:
            if (!apply(&st, start, size, out)) return 0;
            st.count = 0;
            st.name = NULL;
            break;
        }
    }
}
