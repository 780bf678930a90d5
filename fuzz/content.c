/* The operators of a PDF page, as qvault-decode reads them. */
#include "decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    page_drawing drawing;
    /* A name that is found lies within the content. */
    if (page_draws_picture(data, size, &drawing) &&
        ((const uint8_t *)drawing.name < data || (const uint8_t *)drawing.name + drawing.name_length > data + size))
        __builtin_trap();
    return 0;
}
