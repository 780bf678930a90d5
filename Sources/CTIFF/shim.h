/* TIFF pictures, by the libtiff library. */
#include <tiffio.h>
