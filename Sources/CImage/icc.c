/* Colour profiles (ICC.1:2010): what colours follow from is kept, and nothing else goes out with a copy. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 128, ENTRY = 12, TAGS_AT_MOST = 100, TEXT = 92 };

/* The tags that colours follow from (8.3 to 8.5), by their signatures. */
static const char KEPT[] = "wtpt bkpt chad rXYZ gXYZ bXYZ rTRC gTRC bTRC kTRC A2B0 A2B1 A2B2 B2A0 B2A1 B2A2";

typedef struct {
    const uint8_t *signature, *data;
    uint32_t length, place; /* in the new profile */
} tag;

static uint32_t number(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void put(uint8_t *bytes, uint32_t value) {
    for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t padded(uint32_t length) { return (length + 3) & ~3u; }

static int is_kept(const uint8_t *signature) {
    for (const char *at = KEPT; at < KEPT + sizeof KEPT - 1; at += 5) {
        if (memcmp(at, signature, 4) == 0) return 1;
    }
    return 0;
}

/* The tags that are kept and lie within the profile, and the bytes that they take. */
static int collect(const uint8_t *data, size_t length, tag tags[TAGS_AT_MOST], uint32_t *total) {
    uint32_t count = number(data + HEADER);
    int kept = 0;
    if (count > TAGS_AT_MOST || HEADER + 4 + (size_t)count * ENTRY > length) return 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *entry = data + HEADER + 4 + (size_t)i * ENTRY;
        uint32_t place = number(entry + 4), size = number(entry + 8);
        if (!is_kept(entry) || place < HEADER || place > length || size > length - place || size < 8) continue;
        tag *t = &tags[kept++];
        *t = (tag){entry, data + place, size, *total};
        /* Curves of three colours often are one. */
        for (int other = 0; other < kept - 1; other++) {
            if (tags[other].data == t->data && tags[other].length == size) t->place = tags[other].place;
        }
        if (t->place == *total) *total += padded(size);
    }
    return kept;
}

/* An empty description, in the form of version 2 or 4; returns its length. */
static uint32_t put_text(uint8_t out[TEXT], int is_new, int is_description) {
    memset(out, 0, TEXT);
    if (is_new) {
        static const uint8_t record[] = {0, 0, 0, 1, 0, 0, 0, 12, 'e', 'n', 'U', 'S', 0, 0, 0, 2, 0, 0, 0, 28, 0, ' '};
        memcpy(out, "mluc", 4);
        memcpy(out + 8, record, sizeof record);
        return 32;
    }
    memcpy(out, is_description ? "desc" : "text", 4);
    if (is_description) out[11] = 1; /* one character: the NUL */
    return is_description ? TEXT : 12;
}

int qv_profile_clean(const uint8_t *data, size_t length, uint8_t **out, size_t *out_length) {
    *out = NULL;
    *out_length = 0;
    if (length < HEADER + 4 || length > QV_IMAGE_ICC || memcmp(data + 36, "acsp", 4) != 0) return 0;
    if (number(data) < length) length = number(data); /* what is appended is none of it */
    tag tags[TAGS_AT_MOST + 2];
    uint32_t total = 0;
    int kept = length < HEADER + 4 ? 0 : collect(data, length, tags, &total), count = kept + 2;
    if (kept == 0) return 0;
    uint8_t texts[2][TEXT];
    for (int i = 0; i < 2; i++) {
        uint32_t size = put_text(texts[i], data[8] >= 4, i == 0);
        tags[kept + i] = (tag){(const uint8_t *)(i == 0 ? "desc" : "cprt"), texts[i], size, total};
        total += padded(size);
    }
    uint32_t start = HEADER + 4 + (uint32_t)count * ENTRY;
    uint8_t *bytes = calloc(1, start + total);
    if (bytes == NULL) return -1;
    /* Of the header: version, class, spaces of colours, signature, intent and illuminant. The day is the same in all. */
    memcpy(bytes + 8, data + 8, 16);
    static const uint8_t day[] = {7, 208, 0, 1, 0, 1};
    memcpy(bytes + 24, day, sizeof day);
    memcpy(bytes + 36, data + 36, 4);
    memcpy(bytes + 64, data + 64, 16);
    put(bytes, start + total);
    put(bytes + HEADER, (uint32_t)count);
    for (int i = 0; i < count; i++) {
        uint8_t *entry = bytes + HEADER + 4 + i * ENTRY;
        memcpy(entry, tags[i].signature, 4);
        put(entry + 4, start + tags[i].place);
        put(entry + 8, tags[i].length);
        memcpy(bytes + start + tags[i].place, tags[i].data, tags[i].length);
    }
    *out = bytes;
    *out_length = start + total;
    return 0;
}
