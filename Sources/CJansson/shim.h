/* JSON, by the Jansson library. */
#include <jansson.h>
