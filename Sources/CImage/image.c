#include "internal.h"

#include <string.h>

enum kind { UNKNOWN, JPEG, PNG, UNREAD };

static enum kind sniff(const qv_input *input) {
    uint8_t start[8] = {0};
    if (qv_input_read(input, 0, start, input->length < 8 ? input->length : 8) != 0) return UNREAD;
    if (memcmp(start, "\xFF\xD8\xFF", 3) == 0) return JPEG;
    return memcmp(start, "\x89PNG\r\n\x1A\n", 8) == 0 ? PNG : UNKNOWN;
}

enum qv_image_status qv_image_read(
    const qv_input *input, uint32_t width, uint32_t height, qv_pixels *out, char *message) {
    memset(out, 0, sizeof *out);
    message[0] = 0;
    enum qv_image_status status = QV_IMAGE_UNKNOWN;
    switch (sniff(input)) {
    case JPEG: status = qv_jpeg_read(input, width, height, out, message); break;
    case PNG: status = qv_png_read(input, width, height, out, message); break;
    case UNREAD: status = QV_IMAGE_STOPPED; break;
    case UNKNOWN: break;
    }
    if (status != QV_IMAGE_DONE) {
        qv_image_free(out->profile, out->profile_length);
        memset(out, 0, sizeof *out);
    }
    return status;
}

enum qv_image_status qv_image_look(const qv_input *input, qv_image_facts *facts, char *message) {
    memset(facts, 0, sizeof *facts);
    message[0] = 0;
    switch (sniff(input)) {
    case JPEG: return qv_jpeg_look(input, facts, message);
    case PNG: return qv_png_look(input, facts, message);
    case UNREAD: return QV_IMAGE_STOPPED;
    case UNKNOWN: break;
    }
    return QV_IMAGE_UNKNOWN;
}
