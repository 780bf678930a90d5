/* JSON, by the Jansson library. */
#include <jansson.h>

/* json_decref is an inline function that Swift does not import. */
static inline void qv_json_free(json_t *value) { json_decref(value); }
