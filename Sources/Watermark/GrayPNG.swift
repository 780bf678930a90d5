import CPNG
import VaultCrypto

/// Gray pixels as a PNG, by libpng.
package enum GrayPNG {
    /// - Parameters:
    ///   - pixels: a byte of lightness each, row by row from the top.
    ///   - width: pixels across.
    ///   - height: pixels down.
    /// - Throws: `MarkError.corrupt` where libpng fails.
    package static func bytes(_ pixels: [UInt8], width: Int, height: Int) throws -> [UInt8] {
        precondition(pixels.count == width * height, "a byte a pixel")
        var image = unsafe png_image()
        unsafe image.version = UInt32(PNG_IMAGE_VERSION)
        unsafe (image.width, image.height, image.format) = (UInt32(width), UInt32(height), UInt32(PNG_FORMAT_GRAY))
        var count = png_alloc_size_t(0)
        guard unsafe png_image_write_to_memory(&image, nil, &count, 0, pixels, 0, nil) != 0 else { throw failed }
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe png_image_write_to_memory(&image, &bytes, &count, 0, pixels, 0, nil) != 0 else {
            wipeBytes(&bytes)
            throw failed
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    private static let failed = MarkError.corrupt("libpng could not make the picture")
}
