/* Editing of lines at a terminal, by the libedit library. */
#include <histedit.h>
