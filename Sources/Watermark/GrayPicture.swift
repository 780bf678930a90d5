import CImage
import CTrace

/// The lightness of a picture as a person sees it, 0 to 255, rows from the top.
package struct GrayPicture: Sendable {
    /// Pixels across and down.
    package let width, height: Int
    /// Row by row.
    package let values: [Float]

    /// Reads a JPEG or PNG, made smaller if its long side is longer.
    ///
    /// - Throws: `MarkError`.
    package init(_ picture: any PictureSource, longSide: Int) throws {
        guard picture.byteCount <= Watermark.byteCount else { throw MarkError.tooLarge }
        var pixels = unsafe qv_pixels()
        try unsafe picture.withInput { input in
            try unsafe ImageJob.run { unsafe qv_image_read(input, UInt32(longSide), UInt32(longSide), &pixels, $0) }
        }
        (width, height) = unsafe (Int(pixels.width), Int(pixels.height))
        let count = width * height
        values = unsafe [Float](unsafeUninitializedCapacity: count) { out, filled in
            for place in 0..<count {
                let (red, green, blue) = unsafe (
                    Float(pixels.bytes[3 * place]), Float(pixels.bytes[3 * place + 1]),
                    Float(pixels.bytes[3 * place + 2])
                )
                unsafe out[place] = 0.299 * red + 0.587 * green + 0.114 * blue
            }
            filled = count
        }
        unsafe qv_image_free(pixels.bytes, count * 3)
        unsafe qv_image_free(pixels.profile, pixels.profile_length)
    }

    private init(width: Int, height: Int, values: [Float]) {
        (self.width, self.height, self.values) = (width, height, values)
    }

    /// The values, rounded: a byte each.
    package var bytes: [UInt8] { values.map { UInt8(min(max($0.rounded(), 0), 255)) } }

    /// Others of the same size.
    func with(_ values: [Float]) -> GrayPicture { GrayPicture(width: width, height: height, values: values) }

    /// Left for right.
    var mirrored: GrayPicture {
        var mirrored = values
        for start in stride(from: 0, to: values.count, by: width) {
            for place in 0..<width { mirrored[start + place] = values[start + width - 1 - place] }
        }
        return with(mirrored)
    }

    /// Dark for light.
    var inverted: GrayPicture { with(values.map { 255 - $0 }) }

    /// Calls a function with the picture as C has it.
    func withC<Result>(_ body: (UnsafePointer<qv_gray>) throws -> Result) rethrows -> Result {
        try unsafe values.withUnsafeBufferPointer { values in
            var gray = unsafe qv_gray(width: Int32(width), height: Int32(height), values: values.baseAddress)
            return try unsafe body(&gray)
        }
    }
}
