#include "internal.h"

#include <string.h>

static int is_jpeg(const uint8_t *data, size_t length) { return length > 2 && memcmp(data, "\xFF\xD8\xFF", 3) == 0; }
static int is_png(const uint8_t *data, size_t length) {
    return length >= 8 && memcmp(data, "\x89PNG\r\n\x1A\n", 8) == 0;
}

enum qv_image_status qv_image_read(
    const uint8_t *data, size_t length, uint32_t width, uint32_t height, qv_pixels *out, char *message) {
    memset(out, 0, sizeof *out);
    message[0] = 0;
    enum qv_image_status status = QV_IMAGE_UNKNOWN;
    if (is_jpeg(data, length)) status = qv_jpeg_read(data, length, width, height, out, message);
    if (is_png(data, length)) status = qv_png_read(data, length, width, height, out, message);
    if (status != QV_IMAGE_DONE) {
        qv_image_free(out->profile, out->profile_length);
        memset(out, 0, sizeof *out);
    }
    return status;
}

enum qv_image_status qv_image_look(const uint8_t *data, size_t length, qv_image_facts *facts, char *message) {
    memset(facts, 0, sizeof *facts);
    message[0] = 0;
    if (is_jpeg(data, length)) return qv_jpeg_look(data, length, facts, message);
    if (is_png(data, length)) return qv_png_look(data, length, facts, message);
    return QV_IMAGE_UNKNOWN;
}
