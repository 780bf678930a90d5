#include "internal.h"
#include "text_fonts.h"
#include "text_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H
#include <hb.h>

/* A glyph, its origin in 26.6 units with y upwards. */
typedef struct {
    FT_Outline outline;
} glyph;

typedef struct {
    qv_fonts fonts;
    glyph *glyphs;
    size_t glyph_count, glyph_capacity;
    double size;
    FT_Pos line_width; /* of the longest so far */
    char *message;
} drawer;

static enum qv_image_status keep(drawer *d, FT_Face face, unsigned number, FT_Pos x, FT_Pos y) {
    if (FT_Load_Glyph(face, number, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP) != 0 ||
        face->glyph->format != FT_GLYPH_FORMAT_OUTLINE)
        return QV_IMAGE_NO_FONT;
    const FT_Outline *source = &face->glyph->outline;
    if (source->n_points == 0) return QV_IMAGE_DONE;
    if (d->glyph_count == d->glyph_capacity) {
        size_t capacity = d->glyph_capacity * 2 + 64;
        glyph *larger = realloc(d->glyphs, capacity * sizeof *larger);
        if (larger == NULL) return QV_IMAGE_NO_MEMORY;
        d->glyphs = larger;
        d->glyph_capacity = capacity;
    }
    FT_Outline *copy = &d->glyphs[d->glyph_count].outline;
    if (FT_Outline_New(d->fonts.library, (FT_UInt)source->n_points, source->n_contours, copy) != 0) return QV_IMAGE_NO_MEMORY;
    d->glyph_count++;
    FT_Outline_Copy(source, copy);
    FT_Outline_Translate(copy, x, y);
    return QV_IMAGE_DONE;
}

/* Shapes a run from `*x` on, and moves `*x` behind it. */
static enum qv_image_status shape(drawer *d, const qv_text_run *run, const char *line, FT_Pos *x, FT_Pos y) {
    qv_font *f = qv_font_open(&d->fonts, run->font, d->size);
    if (f == NULL) return QV_IMAGE_NO_FONT;
    hb_buffer_t *buffer = hb_buffer_create();
    /* Letters join those of the runs beside this one. */
    hb_buffer_add_utf8(buffer, line, -1, (unsigned)run->from, run->to - run->from);
    hb_buffer_set_direction(buffer, run->level & 1 ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
    hb_buffer_set_script(buffer, run->script);
    hb_shape(f->shaper, buffer, NULL, 0);
    unsigned count = 0;
    hb_glyph_info_t *infos = hb_buffer_get_glyph_infos(buffer, &count);
    hb_glyph_position_t *positions = hb_buffer_get_glyph_positions(buffer, &count);
    enum qv_image_status status = hb_buffer_allocation_successful(buffer) ? QV_IMAGE_DONE : QV_IMAGE_NO_MEMORY;
    for (unsigned i = 0; i < count && status == QV_IMAGE_DONE; i++) {
        FcChar32 character = 0;
        if (infos[i].codepoint == 0) {
            /* A mark that the font of its letter has not: the first such one from there on. */
            const FcChar8 *at = (const FcChar8 *)line + infos[i].cluster;
            while (*at != 0) {
                at += FcUtf8ToUcs4(at, &character, 4);
                if (FT_Get_Char_Index(f->face, character) == 0) break;
            }
            snprintf(d->message, QV_IMAGE_MESSAGE, "%04X", character);
            status = QV_IMAGE_NO_GLYPH;
        } else {
            status = keep(d, f->face, infos[i].codepoint, *x + positions[i].x_offset, y + positions[i].y_offset);
        }
        *x += positions[i].x_advance;
    }
    hb_buffer_destroy(buffer);
    return status;
}

static int font_of(void *context, const FriBidiChar *characters, int count) {
    int number = qv_font_with(context, characters, count);
    return number < 0 && count > 1 ? qv_font_with(context, characters, 1) : number;
}

/* Shapes a text from `*x` on, and moves `*x` behind it. */
static enum qv_image_status shape_text(drawer *d, const char *line, FriBidiParType direction, FT_Pos *x, FT_Pos y) {
    int count = 0;
    FriBidiChar missing = 0;
    qv_text_run *runs = qv_text_runs(line, direction, font_of, &d->fonts, &count, &missing);
    enum qv_image_status status = QV_IMAGE_DONE;
    if (runs == NULL) status = missing == 0 ? QV_IMAGE_NO_MEMORY : missing == UINT32_MAX ? QV_IMAGE_CORRUPT : QV_IMAGE_NO_GLYPH;
    if (status == QV_IMAGE_NO_GLYPH) snprintf(d->message, QV_IMAGE_MESSAGE, "%04X", missing);
    for (int i = 0; i < count && status == QV_IMAGE_DONE; i++) status = shape(d, &runs[i], line, x, y);
    free(runs);
    return status;
}

static void move_glyphs(drawer *d, size_t first, FT_Pos x) {
    for (size_t i = first; i < d->glyph_count; i++) FT_Outline_Translate(&d->glyphs[i].outline, x, 0);
}

static void drop_glyphs(drawer *d, size_t first) {
    while (d->glyph_count > first) FT_Outline_Done(d->fonts.library, &d->glyphs[--d->glyph_count].outline);
}

/* One line, centred around 0, its baseline at `y`. */
static enum qv_image_status draw_line(drawer *d, const char *line, FT_Pos y) {
    size_t first = d->glyph_count;
    FT_Pos x = 0;
    enum qv_image_status status = shape_text(d, line, FRIBIDI_PAR_ON, &x, y);
    if (x > d->line_width) d->line_width = x;
    move_glyphs(d, first, -x / 2);
    return status;
}

/* Renders all glyphs into a bitmap of a size. */
static enum qv_image_status render_glyphs(drawer *d, int64_t width, int64_t height, qv_coverage *out) {
    if (width > QV_IMAGE_SIDE || height > QV_IMAGE_SIDE || width * height > QV_IMAGE_PIXELS) return QV_IMAGE_TOO_LARGE;
    out->width = (uint32_t)(width < 1 ? 1 : width);
    out->height = (uint32_t)(height < 1 ? 1 : height);
    out->bytes = calloc((size_t)out->width * out->height, 1);
    if (out->bytes == NULL) return QV_IMAGE_NO_MEMORY;
    FT_Bitmap bitmap = {
        .rows = out->height, .width = out->width, .pitch = (int)out->width, .buffer = out->bytes, .num_grays = 256,
        .pixel_mode = FT_PIXEL_MODE_GRAY};
    for (size_t i = 0; i < d->glyph_count; i++) {
        if (FT_Outline_Get_Bitmap(d->fonts.library, &d->glyphs[i].outline, &bitmap) != 0) return QV_IMAGE_NO_MEMORY;
    }
    return QV_IMAGE_DONE;
}

static enum qv_image_status render(drawer *d, double degrees, qv_coverage *out) {
    double angle = degrees * M_PI / 180;
    FT_Matrix turn = {
        .xx = (FT_Fixed)(cos(angle) * 65536), .xy = (FT_Fixed)(-sin(angle) * 65536),
        .yx = (FT_Fixed)(sin(angle) * 65536), .yy = (FT_Fixed)(cos(angle) * 65536)};
    FT_BBox all = {.xMin = 1L << 30, .yMin = 1L << 30, .xMax = -(1L << 30), .yMax = -(1L << 30)};
    for (size_t i = 0; i < d->glyph_count; i++) {
        FT_BBox box;
        FT_Outline_Transform(&d->glyphs[i].outline, &turn);
        FT_Outline_Get_CBox(&d->glyphs[i].outline, &box);
        if (box.xMin < all.xMin) all.xMin = box.xMin;
        if (box.yMin < all.yMin) all.yMin = box.yMin;
        if (box.xMax > all.xMax) all.xMax = box.xMax;
        if (box.yMax > all.yMax) all.yMax = box.yMax;
    }
    if (d->glyph_count == 0) return QV_IMAGE_UNSUPPORTED; /* nothing but spaces */
    all.xMin &= ~63L;
    all.yMin &= ~63L;
    for (size_t i = 0; i < d->glyph_count; i++) FT_Outline_Translate(&d->glyphs[i].outline, -all.xMin, -all.yMin);
    out->line_width = (double)d->line_width / 64;
    return render_glyphs(d, (all.xMax - all.xMin + 63) / 64, (all.yMax - all.yMin + 63) / 64, out);
}

/* Gives back all; of a drawing that failed its bytes too. */
static void end(drawer *d, enum qv_image_status status, qv_coverage *out) {
    if (status != QV_IMAGE_DONE) {
        qv_image_free(out->bytes, (size_t)out->width * out->height);
        memset(out, 0, sizeof *out);
    }
    for (size_t i = 0; i < d->glyph_count; i++) FT_Outline_Done(d->fonts.library, &d->glyphs[i].outline);
    free(d->glyphs);
    qv_fonts_free(&d->fonts);
}

/* In ems: the height of a strip, and its baseline from the top. */
static const double STRIP_HEIGHT = 1.5, STRIP_BASELINE = 1.12;

/* A bar behind a slot: an em and a quarter high, a tenth of an em from both ends. */
static void draw_bar(qv_coverage *out, double size, double baseline, const qv_text_part *part) {
    size_t left = (size_t)(part->from + size / 10), right = (size_t)(part->to - size / 10);
    size_t top = (size_t)(baseline - 0.98 * size), bottom = (size_t)(baseline + 0.27 * size);
    for (size_t y = top; y < bottom && y + 1 < out->height; y++) {
        uint8_t *row = out->bytes + y * out->width;
        for (size_t x = left; x < right; x++) row[x] = row[x] > part->bar ? row[x] : (uint8_t)part->bar;
    }
}

/* Where parts of a line begin to be read: at its right end where its first letter of all parts runs to the left. */
static FriBidiParType direction_of(const qv_text_part *parts, size_t count) {
    FriBidiParType direction = FRIBIDI_PAR_ON;
    for (size_t i = 0; i < count && direction == FRIBIDI_PAR_ON; i++) direction = qv_text_direction(parts[i].text);
    return direction == FRIBIDI_PAR_RTL ? FRIBIDI_PAR_RTL : FRIBIDI_PAR_LTR;
}

static enum qv_image_status draw_strip(
    drawer *d, qv_text_part *parts, size_t count, double gap, qv_coverage *out) {
    double size = d->size * 64;
    int64_t height = (int64_t)ceil(STRIP_HEIGHT * d->size) + 2;
    FT_Pos x = 0, y = height * 64 - (FT_Pos)((STRIP_BASELINE * d->size + 1) * 64);
    int is_hidden = 0;
    FriBidiParType direction = direction_of(parts, count);
    for (size_t k = 0; k < count; k++) {
        size_t i = direction == FRIBIDI_PAR_RTL ? count - 1 - k : k;
        size_t first = d->glyph_count;
        FT_Pos from = x;
        enum qv_image_status status = shape_text(d, parts[i].text, direction, &x, y);
        if (status != QV_IMAGE_DONE) return status;
        if (parts[i].is_hidden) drop_glyphs(d, first);
        is_hidden |= parts[i].is_hidden;
        if (!parts[i].has_slot) continue;
        double step = QV_SLOT_STEP * size;
        FT_Pos slot = (FT_Pos)(step * ceil(((double)(x - from) + size / 2) / step));
        move_glyphs(d, first, (slot - (x - from)) / 2);
        x = from + slot;
        parts[i].from = (double)from / 64;
        parts[i].to = (double)x / 64;
    }
    if (d->glyph_count == 0 && !is_hidden) return QV_IMAGE_UNSUPPORTED; /* nothing but spaces */
    int64_t length = (int64_t)ceil((double)x / 64 + gap * d->size);
    enum qv_image_status status = render_glyphs(d, length + 1, height, out);
    if (status != QV_IMAGE_DONE) return status;
    out->line_width = (double)length;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].bar > 0 && parts[i].has_slot) draw_bar(out, d->size, STRIP_BASELINE * d->size + 1, &parts[i]);
    }
    memset(out->bytes, 0, out->width);
    memset(out->bytes + (size_t)(height - 1) * out->width, 0, out->width);
    for (int64_t row = 0; row < height; row++) out->bytes[row * out->width + length] = out->bytes[row * out->width];
    return QV_IMAGE_DONE;
}

enum qv_image_status qv_strip_draw(
    qv_text_part *parts, size_t count, const char *family, double size, double gap, qv_coverage *out,
    char *message) {
    memset(out, 0, sizeof *out);
    message[0] = 0;
    drawer d = {.size = size, .message = message};
    enum qv_image_status status = qv_fonts_find(&d.fonts, family);
    if (status == QV_IMAGE_DONE) status = draw_strip(&d, parts, count, gap, out);
    end(&d, status, out);
    return status;
}

enum qv_image_status qv_text_draw(
    const char *const *lines, size_t count, const char *family, double size, double degrees, qv_coverage *out,
    char *message) {
    memset(out, 0, sizeof *out);
    message[0] = 0;
    drawer d = {.size = size, .message = message};
    enum qv_image_status status = qv_fonts_find(&d.fonts, family);
    for (size_t i = 0; i < count && status == QV_IMAGE_DONE; i++) {
        status = draw_line(&d, lines[i], -(FT_Pos)((double)i * 1.4 * size * 64));
    }
    if (status == QV_IMAGE_DONE) status = render(&d, degrees, out);
    end(&d, status, out);
    return status;
}
