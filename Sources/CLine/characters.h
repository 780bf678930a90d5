/* The characters of a line as libedit takes them. */
#ifndef QUICKVAULT_CHARACTERS_H
#define QUICKVAULT_CHARACTERS_H

#include <stddef.h>
#include <wchar.h>

/* A byte that is no UTF-8 is this code point and its value while it is edited. */
enum { STRAY_BYTE = 0xDC00 };

/* The text as wide characters, in memory that `free` gives back; NULL without memory. */
wchar_t *qv_widened(const char *text);
/* So many wide characters as bytes, in memory that `free` gives back; NULL without memory. */
char *qv_narrowed(const wchar_t *wide, size_t count);

#endif
