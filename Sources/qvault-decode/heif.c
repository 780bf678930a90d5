#define _GNU_SOURCE
#include "decode.h"

#include <stdlib.h>
#include <string.h>

#include <libheif/heif.h>

static void check(struct heif_error error) {
    switch (error.code) {
    case heif_error_Ok: return;
    case heif_error_Unsupported_feature:
    case heif_error_Unsupported_filetype: decode_fail(QV_IMAGE_UNSUPPORTED, error.message);
    case heif_error_Memory_allocation_error: decode_fail(QV_IMAGE_TOO_LARGE, error.message);
    default: decode_fail(QV_IMAGE_CORRUPT, error.message);
    }
}

/* The colour profile, or NULL. */
static uint8_t *profile(const struct heif_image_handle *handle, size_t *length) {
    *length = heif_image_handle_get_raw_color_profile_size(handle);
    if (*length == 0 || *length > QV_IMAGE_ICC) return NULL;
    uint8_t *bytes = malloc(*length);
    if (bytes == NULL || heif_image_handle_get_raw_color_profile(handle, bytes).code != heif_error_Ok) return NULL;
    return bytes;
}

/* Whether the file turns, mirrors or cuts some picture. */
static int has_transformations(const decode_input *input) {
    static const char *const boxes[] = {"irot", "imir", "clap"};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        if (memmem(input->bytes, input->length, boxes[i], 4) != NULL) return 1;
    }
    return 0;
}

/* Whether the file says that some picture is the alpha of another (ISO/IEC 23008-12, 6.6.2.1.2; 23000-22, 7.5.2). */
static int names_alpha(const decode_input *input) {
    static const char *const names[] = {
        "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:avc:2015:auxid:1", "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (memmem(input->bytes, input->length, names[i], strlen(names[i])) != NULL) return 1;
    }
    return 0;
}

/* The main picture, turned as the file says; its other pictures (depth, gain, thumbnails) stay behind. */
void decode_heif(const decode_input *input) {
    struct heif_context *context = heif_context_alloc();
    struct heif_image_handle *handle = NULL;
    struct heif_image *image = NULL;
    if (context == NULL) decode_fail(QV_IMAGE_NO_MEMORY, "");
    heif_context_set_maximum_image_size_limit(context, QV_IMAGE_SIDE);
    check(heif_context_read_from_memory_without_copy(context, input->bytes, input->length, NULL));
    check(heif_context_get_primary_image_handle(context, &handle));
    int across = heif_image_handle_get_width(handle), down = heif_image_handle_get_height(handle);
    if (across <= 0 || down <= 0) decode_fail(QV_IMAGE_CORRUPT, "a picture without pixels");
    decode_check_size((uint64_t)across, (uint64_t)down);
    struct heif_decoding_options *options = heif_decoding_options_alloc();
    if (options == NULL) decode_fail(QV_IMAGE_NO_MEMORY, "");
    options->convert_hdr_to_8bit = 1;
    int has_alpha = heif_image_handle_has_alpha_channel(handle);
    /* The library drops an alpha of another size without a word, and turns one by what stands at the picture, or not: the
     * colours under it would come out. */
    if (!has_alpha && names_alpha(input)) decode_fail(QV_IMAGE_UNSUPPORTED, "an alpha that does not fit its picture");
    if (has_alpha && has_transformations(input)) decode_fail(QV_IMAGE_UNSUPPORTED, "an alpha in a picture that is turned");
    check(heif_decode_image(
        handle, &image, heif_colorspace_RGB, has_alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB,
        options));
    int stride = 0;
    uint8_t *bytes = heif_image_get_plane(image, heif_channel_interleaved, &stride);
    int width = heif_image_get_width(image, heif_channel_interleaved);
    int height = heif_image_get_height(image, heif_channel_interleaved);
    if (bytes == NULL || width <= 0 || height <= 0 || stride / (has_alpha ? 4 : 3) < width)
        decode_fail(QV_IMAGE_CORRUPT, "no pixels");
    int is_premultiplied = heif_image_handle_is_premultiplied_alpha(handle);
    for (int y = 0; has_alpha && y < height; y++) {
        uint8_t *row = bytes + (size_t)y * (size_t)stride;
        if (is_premultiplied) {
            decode_flatten_premultiplied(row, (size_t)width);
        } else {
            decode_flatten(row, (size_t)width);
        }
    }
    decode_picture out = {
        .width = (uint32_t)width, .height = (uint32_t)height, .orientation = 1, .bytes = bytes, .stride = (size_t)stride};
    out.profile = profile(handle, &out.profile_length);
    if (out.profile == NULL) out.profile_length = 0;
    decode_reply(&out);
}
