/* qvault-decode: the pages of PDFs, which are written here by hand. */
#include "decoding.h"
#include "pictures.h"

#include <qpdf/qpdf-c.h>

static void pages(void) { decode_pages(&given); }

/* A PDF of parts; its table of places is left out, and mended by the reader. */
typedef struct {
    buffer file;
    buffer picture;
} document;

static void add(document *d, const char *text) { CHECK(buffer_write(&d->file, (const uint8_t *)text, strlen(text)) == 0); }

/* One object of the file: a dictionary, and a stream behind it. */
static void add_stream(document *d, int number, const char *facts, const uint8_t *bytes, size_t length) {
    char line[400];
    (void)snprintf(line, sizeof line, "%d 0 obj\n<<%s /Length %zu>>\nstream\n", number, facts, length);
    add(d, line);
    CHECK(buffer_write(&d->file, bytes, length) == 0);
    add(d, "\nendstream\nendobj\n");
}

/* What the one page is to be. */
typedef struct {
    const char *page;    /* keys of the page besides its parts */
    const char *content; /* its operators */
    const char *facts;   /* keys of its picture, among them the colour space */
} page_wish;

static const char JPEG_FACTS[] = "/Type/XObject/Subtype/Image/Width 16/Height 8/BitsPerComponent 8/Filter/DCTDecode";

static document make(const page_wish *wish, int count) {
    document d = {{NULL, 0, 0}, jpeg_photograph(16, 8, 80)};
    char line[600];
    add(&d, "%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[");
    for (int i = 0; i < count; i++) {
        (void)snprintf(line, sizeof line, "%d 0 R ", 10 + i);
        add(&d, line);
    }
    (void)snprintf(line, sizeof line, "]/Count %d/MediaBox[0 0 200 100]>>\nendobj\n", count);
    add(&d, line);
    for (int i = 0; i < count; i++) {
        (void)snprintf(
            line, sizeof line,
            "%d 0 obj\n<</Type/Page/Parent 2 0 R/Contents 3 0 R/Resources<</XObject<</Im0 4 0 R>>/Font<</F1 5 0 R>>>>%s>>\n"
            "endobj\n",
            10 + i, wish->page);
        add(&d, line);
    }
    add_stream(&d, 3, "", (const uint8_t *)wish->content, strlen(wish->content));
    (void)snprintf(line, sizeof line, "%s%s", JPEG_FACTS, wish->facts);
    add_stream(&d, 4, line, d.picture.bytes, d.picture.length);
    add(&d, "5 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj\n");
    add_stream(&d, 6, "/N 3", (const uint8_t *)"a profile", 9);
    add(&d, "trailer\n<</Root 1 0 R>>\n%%EOF\n");
    given = (decode_input){d.file.bytes, d.file.length};
    return d;
}

static void document_free(document *d) {
    buffer_free(&d->file);
    qv_image_free(d->picture.bytes, d->picture.length);
}

enum { DRAWN = 0, PICTURE = 1, HEAD = 8, FACTS = 14 };

/* The answer for one page: how it is had, its turn, its sides and unit; the picture's profile and bytes. */
static void check_page(const page_wish *wish, int kind, int orientation, uint32_t width, uint32_t height, uint32_t unit,
                       const char *profile) {
    document d = make(wish, 1);
    answer a = answer_of(pages);
    CHECK(a.code == 0 && a.length >= HEAD + FACTS && memcmp(a.bytes, "QVDL\0\0\0\1", 8) == 0);
    if (a.bytes[HEAD] != kind) (void)fprintf(stderr, "%s | %s | %s\n", wish->page, wish->content, wish->facts);
    CHECK(a.bytes[HEAD] == kind && a.bytes[HEAD + 1] == orientation);
    CHECK(number_at(&a, HEAD + 2, 4) == width && number_at(&a, HEAD + 6, 4) == height && number_at(&a, HEAD + 10, 4) == unit);
    if (kind == DRAWN) {
        CHECK(a.length == HEAD + FACTS);
    } else {
        size_t place = HEAD + FACTS, length = strlen(profile);
        CHECK(number_at(&a, place, 8) == length && memcmp(a.bytes + place + 8, profile, length) == 0);
        place += 8 + length;
        CHECK(number_at(&a, place, 8) == d.picture.length && a.length == place + 8 + d.picture.length);
        CHECK(memcmp(a.bytes + place + 8, d.picture.bytes, d.picture.length) == 0);
    }
    free(a.bytes);
    document_free(&d);
}

static const char WHOLE[] = "q 200 0 0 100 0 0 cm /Im0 Do Q", RGB[] = "/ColorSpace/DeviceRGB";

/* A page that is nothing but a JPEG. */
static void test_pictures(void) {
    static const struct {
        page_wish wish;
        int orientation;
        uint32_t width, height;
        const char *profile;
    } cases[] = {
        {{"", WHOLE, RGB}, 1, 20000, 10000, ""},
        {{"", WHOLE, "/ColorSpace/DeviceGray"}, 1, 20000, 10000, ""},
        {{"", WHOLE, "/ColorSpace[/ICCBased 6 0 R]"}, 1, 20000, 10000, "a profile"},
        {{"/Rotate 90", WHOLE, RGB}, 6, 10000, 20000, ""},
        {{"/Rotate -90", WHOLE, RGB}, 8, 10000, 20000, ""},
        {{"/Rotate 540", WHOLE, RGB}, 3, 20000, 10000, ""},
        {{"", "-200 0 0 -100 200 100 cm /Im0 Do", RGB}, 3, 20000, 10000, ""},
        {{"", "0 100 -200 0 200 0 cm /Im0 Do", RGB}, 8, 20000, 10000, ""},
        {{"", "0 -100 200 0 0 100 cm /Im0 Do", RGB}, 6, 20000, 10000, ""},
        {{"/CropBox[10 20 110.5 70]", "100.5 0 0 50 10 20 cm /Im0 Do", RGB}, 1, 10050, 5000, ""},
        {{"/MediaBox[200 100 0 0]", WHOLE, RGB}, 1, 20000, 10000, ""},
        {{"/CropBox[300 300 400 400]", WHOLE, RGB}, 1, 20000, 10000, ""},
        {{"/Annots[<</Subtype/Link>>]", WHOLE, RGB}, 1, 20000, 10000, ""},
        {{"", "BT 3 Tr /F1 9 Tf (seen by nobody) Tj ET 199 0 0 100 0 0 cm /Im0 Do", RGB}, 1, 20000, 10000, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_page(&cases[i].wish, PICTURE, cases[i].orientation, cases[i].width, cases[i].height, 100, cases[i].profile);
}

/* Whatever else is on the page: it is drawn. */
static void test_drawn(void) {
    static const page_wish cases[] = {
        {"", "BT /F1 9 Tf (seen) Tj ET", RGB},
        {"", "", RGB},
        {"", "190 0 0 100 0 0 cm /Im0 Do", RGB},
        {"", "200 9 0 100 0 0 cm /Im0 Do", RGB},
        {"", "-200 0 0 100 200 0 cm /Im0 Do", RGB},
        {"", "200 0 0 100 0 0 cm /None Do", RGB},
        {"", "200 0 0 100 0 0 cm /F1 Do", RGB},
        {"/Annots[<</Subtype/Text>>]", WHOLE, RGB},
        {"/Annots 7", WHOLE, RGB},
        {"", WHOLE, "/ColorSpace/DeviceCMYK"},
        {"", WHOLE, "/ColorSpace[/Indexed/DeviceRGB 1 <000000ffffff>]"},
        {"", WHOLE, "/ColorSpace/DeviceRGB/SMask 6 0 R"},
        {"", WHOLE, "/ColorSpace/DeviceRGB/Decode[1 0 1 0 1 0]"},
        {"", WHOLE, "/ColorSpace/DeviceRGB/OC 5 0 R"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_page(&cases[i], DRAWN, 1, 20000, 10000, 100, "");
    const page_wish unit = {"/UserUnit 2.5", WHOLE, RGB}, none = {"/UserUnit 0", WHOLE, RGB};
    const page_wish huge = {"/MediaBox[0 0 1000000000 99999999999]", "", RGB};
    check_page(&unit, DRAWN, 1, 20000, 10000, 250, "");
    check_page(&none, DRAWN, 1, 20000, 10000, 100, "");
    check_page(&huge, DRAWN, 1, 4000000000, 4000000000, 100, "");
}

/* The same, so that a password opens it. */
static buffer encrypted(const document *d) {
    buffer out = {NULL, 0, 0};
    qpdf_data pdf = qpdf_init();
    qpdf_silence_errors(pdf);
    qpdf_set_suppress_warnings(pdf, QPDF_TRUE);
    CHECK((qpdf_read_memory(pdf, "plain", (const char *)d->file.bytes, d->file.length, "") & QPDF_ERRORS) == 0);
    CHECK((qpdf_init_write_memory(pdf) & QPDF_ERRORS) == 0);
    qpdf_set_r6_encryption_parameters2(
        pdf, "user", "owner", QPDF_TRUE, QPDF_TRUE, QPDF_TRUE, QPDF_TRUE, QPDF_TRUE, QPDF_TRUE, qpdf_r3p_full, QPDF_TRUE);
    CHECK((qpdf_write(pdf) & QPDF_ERRORS) == 0);
    CHECK(buffer_write(&out, qpdf_get_buffer(pdf), qpdf_get_buffer_length(pdf)) == 0);
    qpdf_cleanup(&pdf);
    return out;
}

static void test_refused(void) {
    const page_wish wish = {"", WHOLE, RGB};
    document d = make(&wish, DECODE_PAGES);
    answer a = answer_of(pages);
    CHECK(a.code == 0 && number_at(&a, 4, 4) == DECODE_PAGES);
    CHECK(a.length == HEAD + DECODE_PAGES * (FACTS + 16 + d.picture.length));
    for (size_t i = 0; i < DECODE_PAGES; i++) CHECK(a.bytes[HEAD + i * FACTS] == PICTURE);
    free(a.bytes);
    document_free(&d);
    d = make(&wish, DECODE_PAGES + 1);
    a = answer_of(pages);
    CHECK(a.code == 1 && a.length == 10 && a.bytes[4] == DECODE_TOO_MANY_PAGES && memcmp(a.bytes + 7, "201", 3) == 0);
    free(a.bytes);
    document_free(&d);
    d = make(&wish, 0);
    CHECK(answers_reason(pages, QV_IMAGE_CORRUPT));
    document_free(&d);
    d = make(&wish, 1);
    buffer locked = encrypted(&d);
    given = (decode_input){locked.bytes, locked.length};
    CHECK(answers_reason(pages, DECODE_ENCRYPTED));
    buffer_free(&locked);
    document_free(&d);
    static const uint8_t nonsense[] = "%PDF-1.7\nnothing else";
    given = (decode_input){nonsense, sizeof nonsense - 1};
    CHECK(answers_reason(pages, QV_IMAGE_CORRUPT));
    given.length = 0;
    CHECK(answers_reason(pages, QV_IMAGE_CORRUPT));
}

int main(void) {
    test_pictures();
    test_drawn();
    test_refused();
    return check_end("decode_pages");
}
