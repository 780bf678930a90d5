/* WebP pictures, by the libwebp and libwebpdemux libraries. */
#include <webp/decode.h>
#include <webp/demux.h>
