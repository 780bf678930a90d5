/* Unicode normalisation, by the utf8proc library. */
#include <utf8proc.h>
