/* HEIF pictures, by the libheif library. */
#include <libheif/heif.h>
