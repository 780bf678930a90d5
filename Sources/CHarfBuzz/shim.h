/* Text made of glyphs, by the HarfBuzz library. */
#include <hb.h>
