#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void qv_image_say(char *message, const char *text) {
    strncpy(message, text, QV_IMAGE_MESSAGE - 1);
    message[QV_IMAGE_MESSAGE - 1] = 0;
}

void qv_image_free(uint8_t *bytes, size_t length) {
    if (bytes == NULL) return;
    /* A call that no compiler removes. */
    static void *(*const volatile wipe)(void *, int, size_t) = memset;
    wipe(bytes, 0, length);
    free(bytes);
}

static size_t byte_count(const qv_shrinker *s) { return (size_t)s->out_width * s->out_height * 3; }

int qv_shrinker_start(qv_shrinker *s, uint32_t width, uint32_t height, uint32_t out_width, uint32_t out_height) {
    memset(s, 0, sizeof *s);
    s->width = width;
    s->height = height;
    s->out_width = width;
    s->out_height = height;
    if (width > out_width || height > out_height) {
        /* The side that has to shrink more gives the scale. */
        if ((uint64_t)width * out_height > (uint64_t)height * out_width) {
            s->out_width = out_width;
            s->out_height = (uint32_t)(((uint64_t)height * out_width + width / 2) / width);
        } else {
            s->out_height = out_height;
            s->out_width = (uint32_t)(((uint64_t)width * out_height + height / 2) / height);
        }
        if (s->out_width == 0) s->out_width = 1;
        if (s->out_height == 0) s->out_height = 1;
    }
    s->sums = calloc((size_t)s->out_width * 3, sizeof *s->sums);
    s->counts = calloc(s->out_width, sizeof *s->counts);
    s->bytes = malloc(byte_count(s));
    if (s->sums == NULL || s->counts == NULL || s->bytes == NULL) return -1;
    for (uint32_t x = 0; x < width; x++) s->counts[(uint64_t)x * s->out_width / width]++;
    return 0;
}

static void put_row(qv_shrinker *s) {
    uint8_t *out = s->bytes + (size_t)s->out_row * s->out_width * 3;
    for (uint32_t x = 0; x < s->out_width; x++) {
        uint32_t count = s->counts[x] * s->rows;
        for (uint32_t c = 0; c < 3; c++) out[3 * x + c] = (uint8_t)((s->sums[3 * x + c] + count / 2) / count);
    }
    memset(s->sums, 0, (size_t)s->out_width * 3 * sizeof *s->sums);
    s->rows = 0;
}

void qv_shrinker_take(qv_shrinker *s, const uint8_t *row) {
    if (s->row == s->height) return;
    uint32_t x = 0;
    for (uint32_t out = 0; out < s->out_width; out++) {
        uint32_t *sum = s->sums + 3 * out;
        for (uint32_t end = x + s->counts[out]; x < end; x++) {
            sum[0] += row[3 * x];
            sum[1] += row[3 * x + 1];
            sum[2] += row[3 * x + 2];
        }
    }
    s->rows++;
    s->row++;
    uint32_t next = s->row == s->height ? s->out_height : (uint32_t)((uint64_t)s->row * s->out_height / s->height);
    if (next > s->out_row) {
        put_row(s);
        s->out_row = next;
    }
}

int qv_shrinker_finish(qv_shrinker *s, int orientation, qv_pixels *out) {
    uint32_t width = s->out_width, height = s->out_height;
    uint8_t *turned = s->bytes;
    if (orientation > 1) {
        turned = malloc(byte_count(s));
        if (turned == NULL) return -1;
        uint32_t across = orientation > 4 ? height : width;
        for (uint32_t y = 0; y < height; y++) {
            for (uint32_t x = 0; x < width; x++) {
                uint32_t right = width - 1 - x, under = height - 1 - y, to_x, to_y;
                switch (orientation) {
                case 2: to_x = right, to_y = y; break;
                case 3: to_x = right, to_y = under; break;
                case 4: to_x = x, to_y = under; break;
                case 5: to_x = y, to_y = x; break;
                case 6: to_x = under, to_y = x; break;
                case 7: to_x = under, to_y = right; break;
                default: to_x = y, to_y = right; break;
                }
                memcpy(turned + ((size_t)to_y * across + to_x) * 3, s->bytes + ((size_t)y * width + x) * 3, 3);
            }
        }
        qv_image_free(s->bytes, byte_count(s));
    }
    s->bytes = NULL;
    out->width = orientation > 4 ? height : width;
    out->height = orientation > 4 ? width : height;
    out->bytes = turned;
    return 0;
}

void qv_shrinker_end(qv_shrinker *s) {
    free(s->sums);
    free(s->counts);
    qv_image_free(s->bytes, byte_count(s));
    memset(s, 0, sizeof *s);
}

static uint32_t number(const uint8_t *bytes, int count, int is_little) {
    uint32_t value = 0;
    for (int i = 0; i < count; i++) value = value << 8 | bytes[is_little ? count - 1 - i : i];
    return value;
}

int qv_exif_orientation(const uint8_t *data, size_t length) {
    if (length < 8 || (memcmp(data, "II*\0", 4) != 0 && memcmp(data, "MM\0*", 4) != 0)) return 1;
    int is_little = data[0] == 'I';
    size_t place = number(data + 4, 4, is_little);
    if (place > length - 2) return 1;
    size_t count = number(data + place, 2, is_little);
    place += 2;
    for (; count > 0 && place + 12 <= length; count--, place += 12) {
        /* Tag 0x0112, one SHORT. */
        if (number(data + place, 2, is_little) != 0x0112 || number(data + place + 2, 2, is_little) != 3) continue;
        uint32_t value = number(data + place + 8, 2, is_little);
        return value >= 1 && value <= 8 ? (int)value : 1;
    }
    return 1;
}

qv_direction qv_sine_and_cosine(double degrees) {
    double angle = degrees * 3.14159265358979323846 / 180;
    return (qv_direction){sin(angle), cos(angle)};
}

int qv_keep_profile(const uint8_t *data, size_t length, qv_pixels *out) {
    if (length < 128 || memcmp(data + 16, "RGB ", 4) != 0) return 0;
    return qv_profile_clean(data, length, &out->profile, &out->profile_length);
}
