/* qvault-decode: HEIC pictures that their library writes, and damaged ones. */
#include "decoding.h"

#include <libheif/heif.h>
#include <sanitizer/lsan_interface.h>

static void heif(void) { decode_heif(&given); }

enum { ROOM = 1 << 20 };

typedef struct {
    uint8_t *bytes;
    size_t length;
} file_bytes;

static struct heif_error keep_heif(struct heif_context *context, const void *bytes, size_t count, void *out) {
    (void)context;
    file_bytes *m = out;
    CHECK(m->length + count <= ROOM);
    memcpy(m->bytes + m->length, bytes, count);
    m->length += count;
    return (struct heif_error){heif_error_Ok, heif_suberror_Unspecified, ""};
}

/* One colour, half of it seen through where there is an alpha. */
static file_bytes make_heif(struct heif_context *context, struct heif_encoder *encoder, int has_alpha) {
    file_bytes m = {malloc(ROOM), 0};
    struct heif_image *image = NULL;
    struct heif_image_handle *handle = NULL;
    int stride = 0, channels = has_alpha ? 4 : 3;
    CHECK(m.bytes != NULL);
    enum heif_chroma kind = has_alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB;
    CHECK(heif_image_create(64, 64, heif_colorspace_RGB, kind, &image).code == heif_error_Ok);
    CHECK(heif_image_add_plane(image, heif_channel_interleaved, 64, 64, 8).code == heif_error_Ok);
    uint8_t *plane = heif_image_get_plane(image, heif_channel_interleaved, &stride);
    static const uint8_t colour[4] = {200, 100, 50, 128};
    for (int i = 0; i < 64 * 64; i++) memcpy(plane + i / 64 * stride + i % 64 * channels, colour, (size_t)channels);
    /* The encoder loses some bytes of its own. */
    __lsan_disable();
    CHECK(heif_context_encode_image(context, image, encoder, NULL, &handle).code == heif_error_Ok);
    __lsan_enable();
    struct heif_writer writer = {1, keep_heif};
    CHECK(heif_context_write(context, &writer, &m).code == heif_error_Ok);
    heif_image_handle_release(handle);
    heif_image_release(image);
    return m;
}

static void test_heif(void) {
    static const uint8_t nonsense[] = "\0\0\0\x18" "ftypheic\0\0\0\0heicmif1";
    given = (decode_input){nonsense, sizeof nonsense - 1};
    CHECK(answers_reason(heif, QV_IMAGE_CORRUPT));
    for (int has_alpha = 0; has_alpha < 2; has_alpha++) {
        struct heif_context *context = heif_context_alloc();
        struct heif_encoder *encoder = NULL;
        if (heif_context_get_encoder_for_format(context, heif_compression_HEVC, &encoder).code != heif_error_Ok) {
            check_skip("HEIC that is decoded: no encoder is installed");
            heif_context_free(context);
            return;
        }
        file_bytes m = make_heif(context, encoder, has_alpha);
        given = (decode_input){m.bytes, m.length};
        uint8_t *got = pixels_of(heif, 64, 64, 1, 0);
        static const int wanted[2][3] = {{200, 100, 50}, {227, 177, 152}};
        for (int i = 0; i < 64 * 64 * 3; i++) CHECK(abs(got[i] - wanted[has_alpha][i % 3]) <= 5);
        free(got);
        check_cuts(heif, QV_IMAGE_CORRUPT, QV_IMAGE_UNSUPPORTED);
        free(m.bytes);
        heif_encoder_release(encoder);
        heif_context_free(context);
    }
}

int main(void) {
    test_heif();
    return check_end("decode_heif");
}
