#include "decode.h"

#include <string.h>
#include <unistd.h>

void decode_write(const void *bytes, size_t count) {
    const uint8_t *at = bytes;
    while (count > 0) {
        ssize_t done = write(STDOUT_FILENO, at, count);
        if (done <= 0) _exit(1);
        at += done;
        count -= (size_t)done;
    }
}

void decode_write_number(uint64_t number, int byte_count) {
    uint8_t bytes[8];
    for (int i = 0; i < byte_count; i++) bytes[i] = (uint8_t)(number >> (8 * (byte_count - 1 - i)));
    decode_write(bytes, (size_t)byte_count);
}

void decode_fail(int reason, const char *message) {
    size_t length = strnlen(message, QV_IMAGE_MESSAGE);
    decode_write("QVDE", 4);
    decode_write_number((uint64_t)reason, 1);
    decode_write_number(length, 2);
    decode_write(message, length);
    _exit(1);
}

void decode_reply(const decode_picture *picture) {
    decode_check_size(picture->width, picture->height);
    size_t profile_length = picture->profile_length <= QV_IMAGE_ICC ? picture->profile_length : 0;
    decode_write("QVDP", 4);
    decode_write_number(picture->width, 4);
    decode_write_number(picture->height, 4);
    decode_write_number((uint64_t)picture->orientation, 1);
    decode_write_number(profile_length, 4);
    decode_write(picture->profile, profile_length);
    for (uint32_t y = 0; y < picture->height; y++) {
        decode_write(picture->bytes + y * picture->stride, (size_t)picture->width * 3);
    }
    _exit(0);
}

void decode_check_size(uint64_t width, uint64_t height) {
    if (width == 0 || height == 0) decode_fail(QV_IMAGE_CORRUPT, "a picture without pixels");
    if (width > QV_IMAGE_SIDE || height > QV_IMAGE_SIDE || width * height > QV_IMAGE_DRAWN)
        decode_fail(QV_IMAGE_TOO_LARGE, "");
}

void decode_flatten(uint8_t *bytes, size_t count) {
    const uint8_t *in = bytes;
    for (uint8_t *out = bytes; count > 0; count--, in += 4, out += 3) {
        unsigned alpha = in[3];
        for (int c = 0; c < 3; c++) out[c] = decode_over_white(in[c], alpha);
    }
}

void decode_flatten_premultiplied(uint8_t *bytes, size_t count) {
    const uint8_t *in = bytes;
    for (uint8_t *out = bytes; count > 0; count--, in += 4, out += 3) {
        uint8_t alpha = in[3];
        /* A colour that is more than its alpha cannot have come from anything. */
        for (int c = 0; c < 3; c++) out[c] = (uint8_t)((in[c] < alpha ? in[c] : alpha) + (255 - alpha));
    }
}
