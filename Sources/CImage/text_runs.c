/* A line of text, cut into runs that are shaped at once, in the order in which they stand (Unicode Standard Annexes 9 and 24). */
#include "text_runs.h"

#include <stdlib.h>
#include <string.h>

#include <fontconfig/fontconfig.h>

/* A line, character by character. */
typedef struct {
    int count;
    FriBidiChar *characters;
    int *places; /* bytes before each character, and of all */
    FriBidiCharType *types;
    FriBidiBracketType *brackets;
    FriBidiLevel *levels;
} line;

static void line_end(line *l) {
    free(l->characters);
    free(l->places);
    free(l->types);
    free(l->brackets);
    free(l->levels);
}

/* 0, or -1 where there is no memory (`*missing` is 0) or the text is no UTF-8 (UINT32_MAX). */
static int line_start(line *l, const char *text, FriBidiParType direction, FriBidiChar *missing) {
    int length = (int)strlen(text);
    size_t most = (size_t)length + 1;
    *l = (line){
        .characters = malloc(most * sizeof *l->characters), .places = malloc(most * sizeof *l->places),
        .types = malloc(most * sizeof *l->types), .brackets = malloc(most * sizeof *l->brackets),
        .levels = malloc(most * sizeof *l->levels)};
    if (l->characters == NULL || l->places == NULL || l->types == NULL || l->brackets == NULL || l->levels == NULL) return -1;
    for (int at = 0; at < length;) {
        FcChar32 character = 0;
        int step = FcUtf8ToUcs4((const FcChar8 *)text + at, &character, length - at);
        if (step <= 0) {
            *missing = UINT32_MAX;
            return -1;
        }
        l->places[l->count] = at;
        l->characters[l->count++] = character;
        at += step;
    }
    l->places[l->count] = length;
    fribidi_get_bidi_types(l->characters, l->count, l->types);
    fribidi_get_bracket_types(l->characters, l->count, l->types, l->brackets);
    FriBidiLevel most_level =
        fribidi_get_par_embedding_levels_ex(l->types, l->brackets, l->count, &direction, l->levels);
    return l->count == 0 || most_level > 0 ? 0 : -1;
}

FriBidiParType qv_text_direction(const char *text) {
    line l;
    FriBidiChar missing = 0;
    FriBidiParType direction = FRIBIDI_PAR_ON;
    if (line_start(&l, text, direction, &missing) == 0) direction = fribidi_get_par_direction(l.types, l.count);
    line_end(&l);
    return direction;
}

/* The characters from a letter on that stand in one place: itself and its marks. */
static int cluster_count(const line *l, int from) {
    int end = from + 1;
    while (end < l->count && l->types[end] == FRIBIDI_TYPE_NSM) end++;
    return end - from;
}

/* Marks and joiners belong to the letter before them, a space to the word. */
static int is_dependent(const line *l, int i) {
    return l->types[i] == FRIBIDI_TYPE_NSM || l->types[i] == FRIBIDI_TYPE_BN || l->characters[i] == ' ';
}

/* Turns around each sequence of runs of a level and higher ones, from the highest odd level down to 1 (rule L2). */
static void reorder(qv_text_run *runs, int count) {
    for (int level = FRIBIDI_BIDI_MAX_EXPLICIT_LEVEL + 2; level > 0; level--) {
        for (int from = 0; from < count; from++) {
            int to = from;
            while (to < count && runs[to].level >= level) to++;
            for (int i = from, j = to - 1; i < j; i++, j--) {
                qv_text_run kept = runs[i];
                runs[i] = runs[j];
                runs[j] = kept;
            }
            if (to > from) from = to;
        }
    }
}

qv_text_run *qv_text_runs(
    const char *text, FriBidiParType direction, qv_font_of *font_of, void *context, int *count, FriBidiChar *missing) {
    line l;
    qv_text_run *runs = NULL;
    *count = 0;
    *missing = 0;
    if (line_start(&l, text, direction, missing) == 0) runs = malloc(((size_t)l.count + 1) * sizeof *runs);
    hb_unicode_funcs_t *unicode = hb_unicode_funcs_get_default();
    for (int i = 0; runs != NULL && i < l.count; i++) {
        qv_text_run *last = *count > 0 ? &runs[*count - 1] : NULL;
        int font = last != NULL && is_dependent(&l, i) ? last->font : font_of(context, l.characters + i, cluster_count(&l, i));
        if (font < 0) {
            *missing = l.characters[i];
            free(runs);
            runs = NULL;
            break;
        }
        hb_script_t script = hb_unicode_script(unicode, l.characters[i]);
        int is_common = script == HB_SCRIPT_COMMON || script == HB_SCRIPT_INHERITED;
        int is_same = last != NULL && last->font == font && last->level == l.levels[i] &&
            (is_common || last->script == script || last->script == HB_SCRIPT_COMMON);
        if (!is_same) {
            runs[*count] = (qv_text_run){l.places[i], 0, font, HB_SCRIPT_COMMON, l.levels[i]};
            last = &runs[(*count)++];
        }
        last->to = l.places[i + 1];
        if (!is_common) last->script = script;
    }
    line_end(&l);
    if (runs != NULL) reorder(runs, *count);
    return runs;
}
