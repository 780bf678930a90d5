#ifndef QUICKVAULT_CIMAGE_TEXT_RUNS_H
#define QUICKVAULT_CIMAGE_TEXT_RUNS_H

#include <fribidi.h>
#include <hb.h>

/* Letters of one font, script and direction that stand side by side. */
typedef struct {
    int from, to; /* bytes of the text */
    int font;
    hb_script_t script;
    FriBidiLevel level; /* odd: from right to left (Unicode Standard Annex 9) */
} qv_text_run;

/* The number of the font that draws a character, and if one does also the marks that stand on it; -1 for none. */
typedef int qv_font_of(void *context, const FriBidiChar *characters, int count);

/* The direction that letters of a text begin with; FRIBIDI_PAR_ON where there is none. */
FriBidiParType qv_text_direction(const char *text);
/*
 * The runs of a line as they stand from left to right, to be freed. NULL where there is no memory (`*missing` is 0), no font has a
 * character (`*missing`), or the text is no UTF-8 (UINT32_MAX).
 */
qv_text_run *qv_text_runs(
    const char *line, FriBidiParType direction, qv_font_of *font_of, void *context, int *count, FriBidiChar *missing);

#endif
