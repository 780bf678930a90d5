/* gzip, by the zlib library. */
#include <zlib.h>
