/* HTTP for one's own machine, by GNU libmicrohttpd. */
#include <microhttpd.h>
