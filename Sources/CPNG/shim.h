/* Pictures, by the libpng library. */
#include <png.h>
