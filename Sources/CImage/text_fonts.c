#include "text_fonts.h"

#include <hb-ft.h>

enum qv_image_status qv_fonts_find(qv_fonts *f, const char *family) {
    if (FT_Init_FreeType(&f->library) != 0) return QV_IMAGE_NO_MEMORY;
    /* One configuration for the process: reading it takes longer than drawing a row. */
    f->config = FcInit() ? FcConfigReference(NULL) : NULL;
    f->pattern = FcPatternCreate();
    if (f->config == NULL || f->pattern == NULL) return QV_IMAGE_NO_MEMORY;
    if (family != NULL) FcPatternAddString(f->pattern, FC_FAMILY, (const FcChar8 *)family);
    FcPatternAddString(f->pattern, FC_FAMILY, (const FcChar8 *)"sans-serif");
    FcPatternAddString(f->pattern, FC_LANG, (const FcChar8 *)"zh-cn");
    FcPatternAddBool(f->pattern, FC_OUTLINE, FcTrue);
    FcConfigSubstitute(f->config, f->pattern, FcMatchPattern);
    FcDefaultSubstitute(f->pattern);
    FcResult result;
    f->candidates = FcFontSort(f->config, f->pattern, FcTrue, NULL, &result);
    return f->candidates == NULL || f->candidates->nfont == 0 ? QV_IMAGE_NO_FONT : QV_IMAGE_DONE;
}

int qv_font_with(const qv_fonts *f, const FcChar32 *characters, int count) {
    for (int i = 0; i < f->candidates->nfont; i++) {
        FcCharSet *set = NULL;
        FcBool is_outline = FcFalse, is_colour = FcFalse;
        if (FcPatternGetCharSet(f->candidates->fonts[i], FC_CHARSET, 0, &set) != FcResultMatch) continue;
        FcPatternGetBool(f->candidates->fonts[i], FC_OUTLINE, 0, &is_outline);
        FcPatternGetBool(f->candidates->fonts[i], FC_COLOR, 0, &is_colour);
        int has = 0;
        while (has < count && FcCharSetHasChar(set, characters[has])) has++;
        if (is_outline && !is_colour && has == count) return i;
    }
    return -1;
}

qv_font *qv_font_open(qv_fonts *f, int number, double size) {
    for (int i = 0; i < f->count; i++) {
        if (f->fonts[i].number == number) return &f->fonts[i];
    }
    FcChar8 *file = NULL;
    int index = 0;
    if (f->count == QV_FONTS) return NULL;
    FcPatternGetString(f->candidates->fonts[number], FC_FILE, 0, &file);
    FcPatternGetInteger(f->candidates->fonts[number], FC_INDEX, 0, &index);
    qv_font *font = &f->fonts[f->count];
    if (file == NULL || FT_New_Face(f->library, (const char *)file, index, &font->face) != 0) return NULL;
    f->count++;
    font->number = number;
    if (FT_Set_Char_Size(font->face, 0, (FT_F26Dot6)(size * 64 + 0.5), 72, 72) != 0) return NULL;
    font->shaper = hb_ft_font_create(font->face, NULL);
    if (font->shaper == NULL) return NULL;
    hb_ft_font_set_load_flags(font->shaper, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP);
    return font;
}

void qv_fonts_free(qv_fonts *f) {
    for (int i = 0; i < f->count; i++) {
        if (f->fonts[i].shaper != NULL) hb_font_destroy(f->fonts[i].shaper);
        FT_Done_Face(f->fonts[i].face);
    }
    if (f->candidates != NULL) FcFontSetDestroy(f->candidates);
    if (f->pattern != NULL) FcPatternDestroy(f->pattern);
    if (f->config != NULL) FcConfigDestroy(f->config);
    if (f->library != NULL) FT_Done_FreeType(f->library);
}
