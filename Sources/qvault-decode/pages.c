#include "decode.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <qpdf/qpdf-c.h>

/* How a page is had. */
enum kind { PAGE_DRAWN = 0, PAGE_PICTURE = 1 };

typedef struct {
    double left, bottom, right, top; /* points */
} box;

typedef struct {
    enum kind kind;
    uint32_t width, height; /* as shown, in hundredths of its unit */
    uint32_t unit;          /* in hundredths of a point */
    int orientation;        /* of the picture, as EXIF has it */
    qpdf_oh picture;
} page;

static qpdf_data pdf;

static _Noreturn void fail_by_library(void) {
    qpdf_error error = qpdf_get_error(pdf);
    if (error == NULL) decode_fail(QV_IMAGE_CORRUPT, "");
    int is_locked = qpdf_get_error_code(pdf, error) == qpdf_e_password;
    decode_fail(is_locked ? DECODE_ENCRYPTED : QV_IMAGE_CORRUPT, qpdf_get_error_message_detail(pdf, error));
}

static qpdf_oh key(qpdf_oh object, const char *name) { return qpdf_oh_get_key_if_dict(pdf, object, name); }

static int is_name(qpdf_oh object, const char *name) { return qpdf_oh_is_name_and_equals(pdf, object, name); }

static int read_box(qpdf_oh array, box *out) {
    if (!qpdf_oh_is_array(pdf, array) || qpdf_oh_get_array_n_items(pdf, array) != 4) return 0;
    double sides[4];
    for (int i = 0; i < 4; i++) {
        qpdf_oh item = qpdf_oh_get_array_item(pdf, array, i);
        if (!qpdf_oh_is_number(pdf, item)) return 0;
        sides[i] = qpdf_oh_get_numeric_value(pdf, item);
    }
    *out = (box){fmin(sides[0], sides[2]), fmin(sides[1], sides[3]), fmax(sides[0], sides[2]), fmax(sides[1], sides[3])};
    return out->right > out->left && out->top > out->bottom;
}

/* What is shown of a page: the crop box within the media box; a US letter where neither can be read. */
static box shown_box(qpdf_oh object) {
    box media = {0, 0, 612, 792}, crop;
    (void)read_box(key(object, "/MediaBox"), &media);
    if (!read_box(key(object, "/CropBox"), &crop)) return media;
    box both = {
        fmax(media.left, crop.left), fmax(media.bottom, crop.bottom), fmin(media.right, crop.right),
        fmin(media.top, crop.top)};
    return both.right > both.left && both.top > both.bottom ? both : media;
}

/* Quarter turns clockwise. */
static int turns(qpdf_oh object) {
    int degrees = 0;
    (void)qpdf_oh_get_value_as_int(pdf, key(object, "/Rotate"), &degrees);
    return ((degrees / 90) % 4 + 4) % 4;
}

/* The quarter turns, counter-clockwise, of a picture that covers a box; -1 where it does not. */
static int covering_turns(const double m[6], const box *b) {
    double size = fmax(fabs(m[0]) + fabs(m[2]), fabs(m[1]) + fabs(m[3])), none = size / 1000;
    int is_straight = fabs(m[1]) < none && fabs(m[2]) < none, is_turned = fabs(m[0]) < none && fabs(m[3]) < none;
    if (!is_straight && !is_turned) return -1;
    int turns = is_straight ? (m[0] > 0 && m[3] > 0 ? 0 : m[0] < 0 && m[3] < 0 ? 2 : -1)
                            : (m[1] > 0 && m[2] < 0 ? 1 : m[1] < 0 && m[2] > 0 ? 3 : -1);
    double across = m[0] + m[2], down = m[1] + m[3];
    double left = fmin(m[4], m[4] + across), right = fmax(m[4], m[4] + across);
    double bottom = fmin(m[5], m[5] + down), top = fmax(m[5], m[5] + down);
    /* A hundredth of a side is a rounding of scanners, and no margin that matters. */
    double x = (b->right - b->left) / 100, y = (b->top - b->bottom) / 100;
    int covers = fabs(left - b->left) <= x && fabs(right - b->right) <= x && fabs(bottom - b->bottom) <= y &&
                 fabs(top - b->top) <= y;
    return covers ? turns : -1;
}

/* Notes and fields are drawn over a page; links are not. */
static int has_notes(qpdf_oh object) {
    qpdf_oh notes = key(object, "/Annots");
    if (qpdf_oh_is_null(pdf, notes)) return 0;
    if (!qpdf_oh_is_array(pdf, notes)) return 1;
    int count = qpdf_oh_get_array_n_items(pdf, notes);
    for (int i = 0; i < count; i++) {
        if (!is_name(key(qpdf_oh_get_array_item(pdf, notes, i), "/Subtype"), "/Link")) return 1;
    }
    return 0;
}

static int is_absent(qpdf_oh object, const char *name) { return qpdf_oh_is_null(pdf, key(object, name)); }

/* A JPEG that is shown as it is: nothing in its dictionary changes its colours or cuts it. */
static int is_plain_jpeg(qpdf_oh stream) {
    if (!qpdf_oh_is_stream(pdf, stream)) return 0;
    qpdf_oh facts = qpdf_oh_get_dict(pdf, stream);
    qpdf_oh filter = key(facts, "/Filter");
    if (qpdf_oh_is_array(pdf, filter) && qpdf_oh_get_array_n_items(pdf, filter) == 1) {
        filter = qpdf_oh_get_array_item(pdf, filter, 0);
    }
    static const char *const unwanted[] = {"/SMask", "/Mask", "/Decode", "/ImageMask", "/OC", "/SMaskInData", "/DecodeParms"};
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++) {
        if (!is_absent(facts, unwanted[i])) return 0;
    }
    qpdf_oh colours = key(facts, "/ColorSpace");
    if (qpdf_oh_is_array(pdf, colours)) {
        qpdf_oh profile = qpdf_oh_get_array_item(pdf, colours, 1);
        if (!is_name(qpdf_oh_get_array_item(pdf, colours, 0), "/ICCBased") || !qpdf_oh_is_stream(pdf, profile)) return 0;
        int components = qpdf_oh_get_int_value_as_int(pdf, key(qpdf_oh_get_dict(pdf, profile), "/N"));
        return is_name(filter, "/DCTDecode") && (components == 1 || components == 3);
    }
    return is_name(filter, "/DCTDecode") && (is_name(colours, "/DeviceRGB") || is_name(colours, "/DeviceGray"));
}

/* Whether a dictionary has a key with one of these beginnings. */
static int has_key(qpdf_oh dictionary, const char *start) {
    if (!qpdf_oh_is_dictionary(pdf, dictionary)) return 0;
    int found = 0;
    qpdf_oh_begin_dict_key_iter(pdf, dictionary);
    while (qpdf_oh_dict_more_keys(pdf)) found |= strncmp(qpdf_oh_dict_next_key(pdf), start, strlen(start)) == 0;
    return found;
}

/* Letters of a Type 3 font are drawn whatever the text's mode is. */
static int has_drawn_font(qpdf_oh fonts) {
    if (!qpdf_oh_is_dictionary(pdf, fonts)) return 0;
    char name[128];
    int found = 0;
    qpdf_oh_begin_dict_key_iter(pdf, fonts);
    while (qpdf_oh_dict_more_keys(pdf)) {
        (void)snprintf(name, sizeof name, "%s", qpdf_oh_dict_next_key(pdf));
        qpdf_oh kind = key(key(fonts, name), "/Subtype");
        found |= !qpdf_oh_is_name(pdf, kind) || is_name(kind, "/Type3");
    }
    return found;
}

/* Whether what stands among the resources changes what the picture and the invisible text look like. */
static int is_plain(qpdf_oh resources, const page_drawing *drawing) {
    if (has_key(key(resources, "/ColorSpace"), "/Default")) return 0;
    return !drawing->has_text || !has_drawn_font(key(resources, "/Font"));
}

/* A length in hundredths, as far as a number holds it. */
static uint32_t hundredths(double length) { return (uint32_t)lround(fmin(fmax(length, 0) * 100, 4e9)); }

/* Hundredths of a point in the page's unit (ISO 32000-1, 14.11.5 of version 1.6 on). */
static uint32_t unit_of(qpdf_oh object) {
    qpdf_oh unit = key(object, "/UserUnit");
    double points = qpdf_oh_is_number(pdf, unit) ? qpdf_oh_get_numeric_value(pdf, unit) : 1;
    return points >= 0.01 && points <= 100000 ? hundredths(points) : 100;
}

static page look(qpdf_oh object) {
    box b = shown_box(object);
    int turn = turns(object);
    double across = b.right - b.left, down = b.top - b.bottom;
    double width = turn % 2 == 0 ? across : down, height = turn % 2 == 0 ? down : across;
    page out = {PAGE_DRAWN, hundredths(width), hundredths(height), unit_of(object), 1, 0};
    uint8_t *content = NULL;
    size_t length = 0;
    page_drawing drawing;
    if (has_notes(object) || !is_absent(object, "/UserUnit") ||
        (qpdf_oh_get_page_content_data(pdf, object, &content, &length) & QPDF_ERRORS) != 0 || content == NULL)
        return out;
    char name[128];
    if (page_draws_picture(content, length, &drawing) && drawing.name_length < sizeof name - 1) {
        (void)snprintf(name, sizeof name, "/%.*s", (int)drawing.name_length, drawing.name);
        qpdf_oh resources = key(object, "/Resources"), picture = key(key(resources, "/XObject"), name);
        int own = covering_turns(drawing.matrix, &b);
        if (own >= 0 && is_plain_jpeg(picture) && is_plain(resources, &drawing)) {
            static const int orientations[] = {1, 6, 3, 8};
            out.kind = PAGE_PICTURE;
            out.orientation = orientations[(turn - own + 4) % 4];
            out.picture = picture;
        }
    }
    free(content);
    return out;
}

static void write_stream(qpdf_oh stream, enum qpdf_stream_decode_level_e level, size_t most) {
    uint8_t *bytes = NULL;
    size_t length = 0;
    QPDF_BOOL is_filtered = 0;
    if ((qpdf_oh_get_stream_data(pdf, stream, level, &is_filtered, &bytes, &length) & QPDF_ERRORS) != 0) fail_by_library();
    if (length > most) length = 0;
    decode_write_number(length, 8);
    decode_write(bytes, length);
    free(bytes);
}

/* The profile of a picture's colours, decoded; nothing where it has none. */
static void write_profile(qpdf_oh picture) {
    qpdf_oh colours = key(qpdf_oh_get_dict(pdf, picture), "/ColorSpace");
    if (qpdf_oh_is_array(pdf, colours)) {
        write_stream(qpdf_oh_get_array_item(pdf, colours, 1), qpdf_dl_generalized, QV_IMAGE_ICC);
    } else {
        decode_write_number(0, 8);
    }
}

void decode_pages(const decode_input *input) {
    pdf = qpdf_init();
    qpdf_silence_errors(pdf);
    qpdf_set_suppress_warnings(pdf, QPDF_TRUE);
    if ((qpdf_read_memory(pdf, "document", (const char *)input->bytes, input->length, "") & QPDF_ERRORS) != 0)
        fail_by_library();
    int count = qpdf_get_num_pages(pdf);
    if (count < 0) fail_by_library();
    if (count == 0) decode_fail(QV_IMAGE_CORRUPT, "a document without pages");
    if (count > DECODE_PAGES) {
        char number[16];
        (void)snprintf(number, sizeof number, "%d", count);
        decode_fail(DECODE_TOO_MANY_PAGES, number);
    }
    if ((qpdf_push_inherited_attributes_to_page(pdf) & QPDF_ERRORS) != 0) fail_by_library();
    static page pages[DECODE_PAGES];
    for (int i = 0; i < count; i++) pages[i] = look(qpdf_get_page_n(pdf, (size_t)i));
    decode_write("QVDL", 4);
    decode_write_number((uint64_t)count, 4);
    for (int i = 0; i < count; i++) {
        decode_write_number((uint64_t)pages[i].kind, 1);
        decode_write_number((uint64_t)pages[i].orientation, 1);
        decode_write_number(pages[i].width, 4);
        decode_write_number(pages[i].height, 4);
        decode_write_number(pages[i].unit, 4);
    }
    for (int i = 0; i < count; i++) {
        if (pages[i].kind != PAGE_PICTURE) continue;
        write_profile(pages[i].picture);
        write_stream(pages[i].picture, qpdf_dl_none, (size_t)1 << 30);
    }
    exit(0);
}
