#include "decode.h"

#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

/* A chunk's bytes; none of a length that is past the limit. */
static WebPData chunk(const WebPDemuxer *file, const char *name) {
    WebPChunkIterator iterator;
    WebPData data = {NULL, 0};
    if (WebPDemuxGetChunk(file, name, 1, &iterator)) data = iterator.chunk;
    WebPDemuxReleaseChunkIterator(&iterator);
    return data.size <= QV_IMAGE_ICC ? data : (WebPData){NULL, 0};
}

void decode_webp(const decode_input *input) {
    WebPBitstreamFeatures features;
    if (WebPGetFeatures(input->bytes, input->length, &features) != VP8_STATUS_OK)
        decode_fail(QV_IMAGE_CORRUPT, "no WebP header");
    if (features.has_animation) decode_fail(DECODE_ANIMATION, "");
    decode_check_size((uint64_t)features.width, (uint64_t)features.height);
    WebPData data = {input->bytes, input->length};
    WebPDemuxer *file = WebPDemux(&data);
    if (file == NULL) decode_fail(QV_IMAGE_CORRUPT, "damaged chunks");
    int width = 0, height = 0;
    uint8_t *bytes = features.has_alpha ? WebPDecodeRGBA(input->bytes, input->length, &width, &height)
                                        : WebPDecodeRGB(input->bytes, input->length, &width, &height);
    if (bytes == NULL) decode_fail(QV_IMAGE_CORRUPT, "damaged pixels");
    if (features.has_alpha) decode_flatten(bytes, (size_t)width * (size_t)height);
    WebPData profile = chunk(file, "ICCP"), exif = chunk(file, "EXIF");
    /* Some writers put the name of the JPEG segment before it. */
    size_t start = exif.size > 6 && memcmp(exif.bytes, "Exif\0\0", 6) == 0 ? 6 : 0;
    decode_picture out = {
        .width = (uint32_t)width, .height = (uint32_t)height, .bytes = bytes, .stride = (size_t)width * 3,
        .orientation = exif.size > start ? qv_exif_orientation(exif.bytes + start, exif.size - start) : 1,
        .profile = profile.bytes, .profile_length = profile.size};
    decode_reply(&out);
}
