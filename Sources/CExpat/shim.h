/* XML, by the Expat library. */
#include <expat.h>
