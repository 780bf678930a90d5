/* A copy of a palette PNG that keeps one: the colours that are seen most often, and the nearest of them for the others. */
#include "png_mark.h"

#include <stdlib.h>

/* Colours of a palette; places of the hash table; colours that are counted at most; levels by which a colour is moved at most. */
enum { MOST = 256, PLACES = 1 << 13, COUNTED = 1 << 12, NEAR = 32 };

typedef struct {
    uint32_t colour, count;
    int number; /* in the palette */
    int is_used;
} entry;

struct palette {
    entry entries[PLACES]; /* open addressing */
    uint32_t colours[MOST];
    int count, counted;
};

static uint32_t colour_at(const uint8_t *pixel) { return (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2]; }

/* The entry of a colour, or the free one where it belongs. */
static entry *find(struct palette *p, uint32_t colour) {
    uint32_t place = colour * 2654435761u >> 19; /* Knuth, The Art of Computer Programming, 6.4 */
    while (p->entries[place].is_used && p->entries[place].colour != colour) place = (place + 1) & (PLACES - 1);
    return &p->entries[place];
}

/* 0, or -1 where there are too many colours. */
static int count_colour(struct palette *p, uint32_t colour, uint32_t times) {
    entry *e = find(p, colour);
    if (!e->is_used && p->counted++ == COUNTED) return -1;
    e->is_used = 1;
    e->colour = colour;
    e->count = e->count > UINT32_MAX - times ? UINT32_MAX : e->count + times;
    return 0;
}

void qv_png_palette_start(qv_png_marker *m) {
    png_colorp source = NULL;
    int count = 0;
    m->palette = calloc(1, sizeof *m->palette);
    if (m->palette == NULL) qv_png_leave(&m->source, QV_IMAGE_NO_MEMORY, "no memory");
    /* What has no stroke stays as it is; black and white are the strip's. */
    png_get_PLTE(m->source.png, m->source.info, &source, &count);
    for (int i = 0; i < count; i++) {
        const uint8_t pixel[3] = {source[i].red, source[i].green, source[i].blue};
        count_colour(m->palette, colour_at(pixel), UINT32_MAX);
    }
    if (m->strip == NULL) return;
    count_colour(m->palette, 0, UINT32_MAX);
    count_colour(m->palette, 0xFFFFFF, UINT32_MAX);
}

void qv_png_palette_end(qv_png_marker *m) {
    free(m->palette);
    m->palette = NULL;
}

int qv_png_palette_count(qv_png_marker *m, const uint8_t *row) {
    for (uint32_t x = 0; x < m->source.width; x++) {
        if (count_colour(m->palette, colour_at(row + 3 * (size_t)x), 1) != 0) return -1;
    }
    return 0;
}

/* The most frequent first. */
static int by_count(const void *a, const void *b) {
    const entry *x = *(entry *const *)a, *y = *(entry *const *)b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return x->colour < y->colour ? -1 : x->colour > y->colour;
}

/* The largest difference of two colours in a channel. */
static int distance(uint32_t a, uint32_t b) {
    int most = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        int far = abs((int)(a >> shift & 255) - (int)(b >> shift & 255));
        if (far > most) most = far;
    }
    return most;
}

static int nearest(const struct palette *p, uint32_t colour) {
    int best = 0;
    for (int i = 1; i < p->count; i++) {
        if (distance(p->colours[i], colour) < distance(p->colours[best], colour)) best = i;
    }
    return best;
}

int qv_png_palette_decide(qv_png_marker *m) {
    struct palette *p = m->palette;
    entry **list = malloc(PLACES * sizeof *list);
    if (list == NULL) qv_png_leave(&m->source, QV_IMAGE_NO_MEMORY, "no memory");
    size_t count = 0;
    for (size_t i = 0; i < PLACES; i++) {
        if (p->entries[i].is_used) list[count++] = &p->entries[i];
    }
    qsort(list, count, sizeof *list, by_count);
    int is_near = 1;
    for (size_t i = 0; i < count; i++) {
        if (p->count < MOST) {
            p->colours[p->count++] = list[i]->colour;
        } else if (list[i]->count == UINT32_MAX) {
            is_near = 0; /* one of those that stay as they are */
        }
        list[i]->number = nearest(p, list[i]->colour);
        is_near &= distance(p->colours[list[i]->number], list[i]->colour) <= NEAR;
    }
    free(list);
    return is_near ? 0 : -1;
}

int qv_png_palette_take(qv_png_marker *m, uint8_t *row) {
    for (uint32_t x = 0; x < m->source.width; x++) {
        const entry *e = find(m->palette, colour_at(row + 3 * (size_t)x));
        if (!e->is_used) return -1;
        row[x] = (uint8_t)e->number;
    }
    return 0;
}

void qv_png_palette_write(qv_png_marker *m) {
    png_color entries[MOST];
    for (int i = 0; i < m->palette->count; i++) {
        uint32_t colour = m->palette->colours[i];
        entries[i] = (png_color){(png_byte)(colour >> 16), (png_byte)(colour >> 8), (png_byte)colour};
    }
    png_set_PLTE(m->png, m->info, entries, m->palette->count);
}
