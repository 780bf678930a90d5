/* ZIP archives, by the libzip library. */
#include <zip.h>
