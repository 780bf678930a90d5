#include "window.h"

/* C23, which this compiler has in every mode. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page[] = {
#embed "window.html"
};

const unsigned char *qv_window_page(size_t *length) {
    *length = sizeof page;
    return page;
}
