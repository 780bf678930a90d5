/* The QR codes in a picture, by the ZXing-C++ library. */
#include "decode.h"

#include <exception>
#include <unistd.h>
#include <vector>

#define ZX_USE_UTF8
#include <ZXing/ReadBarcode.h>

namespace {

constexpr size_t MOST_CODES = 16, MOST_BYTES = 4096, HEAD = 8;

uint32_t number_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* A picture twice as large: between pixels the lightness is the mean of those around. */
std::vector<uint8_t> doubled(const uint8_t *in, size_t width, size_t height) {
    std::vector<uint8_t> out(4 * width * height);
    for (size_t y = 0; y < 2 * height; y++) {
        const uint8_t *above = in + y / 2 * width, *below = (y + 1) / 2 < height ? in + (y + 1) / 2 * width : above;
        for (size_t x = 0; x < 2 * width; x++) {
            size_t left = x / 2, right = (x + 1) / 2 < width ? (x + 1) / 2 : left;
            out[y * 2 * width + x] = (uint8_t)((above[left] + above[right] + below[left] + below[right] + 2) / 4);
        }
    }
    return out;
}

ZXing::Results read_codes(const uint8_t *bytes, uint32_t width, uint32_t height) {
    ZXing::DecodeHints hints;
    hints.setFormats(ZXing::BarcodeFormat::QRCode).setTryHarder(true).setTryRotate(true).setMaxNumberOfSymbols(MOST_CODES);
    ZXing::Results codes;
    for (auto &code : ZXing::ReadBarcodes({bytes, (int)width, (int)height, ZXing::ImageFormat::Lum}, hints)) {
        if (code.isValid() && code.bytes().size() <= MOST_BYTES && codes.size() < MOST_CODES) codes.push_back(code);
    }
    return codes;
}

void write_code(const ZXing::Result &code, int scale) {
    for (const auto &corner : code.position()) {
        decode_write_number((uint64_t)(corner.x > 0 ? corner.x / scale : 0), 4);
        decode_write_number((uint64_t)(corner.y > 0 ? corner.y / scale : 0), 4);
    }
    const auto &bytes = code.bytes();
    decode_write_number(bytes.size(), 2);
    decode_write(bytes.data(), bytes.size());
}

} // namespace

void decode_codes(const decode_input *input) {
    if (input->length < HEAD) decode_fail(QV_IMAGE_CORRUPT, "no picture");
    uint32_t width = number_at(input->bytes), height = number_at(input->bytes + 4);
    decode_check_size(width, height);
    if (input->length - HEAD != (size_t)width * height) decode_fail(QV_IMAGE_CORRUPT, "pixels are missing");
    ZXing::Results codes;
    int scale = 1;
    try {
        codes = read_codes(input->bytes + HEAD, width, height);
        /* Small modules that are blurred are found in a larger picture. */
        if (codes.empty() && 4 * (uint64_t)width * height <= QV_IMAGE_DRAWN) {
            scale = 2;
            codes = read_codes(doubled(input->bytes + HEAD, width, height).data(), 2 * width, 2 * height);
        }
    } catch (const std::exception &) {
        decode_fail(QV_IMAGE_CORRUPT, "its codes cannot be read");
    }
    decode_write("QVDC", 4);
    decode_write_number(codes.size(), 1);
    for (const auto &code : codes) write_code(code, scale);
    _exit(0);
}
