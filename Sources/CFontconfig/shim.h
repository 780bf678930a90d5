/* Which fonts there are, by the Fontconfig library. */
#include <fontconfig/fontconfig.h>
