/* Outlines of glyphs, by the FreeType library. */
#include <ft2build.h>
