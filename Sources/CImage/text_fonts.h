#ifndef QUICKVAULT_CIMAGE_TEXT_FONTS_H
#define QUICKVAULT_CIMAGE_TEXT_FONTS_H

#include "cimage.h"

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include <hb.h>

/* Fonts that one text takes characters from, at most. */
enum { QV_FONTS = 16 };

/* A font that some character comes from. */
typedef struct {
    int number; /* in the list of fontconfig */
    FT_Face face;
    hb_font_t *shaper;
} qv_font;

/* The fonts of this machine, the nearest to what is asked for first, and those of them that are open. */
typedef struct {
    FT_Library library;
    FcConfig *config;
    FcPattern *pattern;
    FcFontSet *candidates;
    qv_font fonts[QV_FONTS];
    int count;
} qv_fonts;

/* Lists the fonts, those of a family first (NULL for any). `out` is zero before; qv_fonts_free in either case. */
enum qv_image_status qv_fonts_find(qv_fonts *out, const char *family);
void qv_fonts_free(qv_fonts *fonts);

/* The number of the first outline font that has all of some characters; -1 if none has. */
int qv_font_with(const qv_fonts *fonts, const FcChar32 *characters, int count);
/* Opens a font at a size in pixels of an em; NULL where it cannot be. */
qv_font *qv_font_open(qv_fonts *fonts, int number, double size);

#endif
