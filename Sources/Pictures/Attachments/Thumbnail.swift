extension Picture {
    /// The longest side of a thumbnail, in pixels.
    public static let thumbnailSide = 256
    /// Quality of a thumbnail's JPEG.
    private static let thumbnailQuality: Int32 = 80

    /// A thumbnail of a JPEG or PNG, as a JPEG.
    ///
    /// - Throws: `PictureError`.
    public static func thumbnail(of data: [UInt8]) throws(PictureError) -> [UInt8] {
        var picture = try Picture(reading: data, width: thumbnailSide, height: thumbnailSide)
        defer { picture.wipe() }
        return try picture.jpeg(quality: thumbnailQuality)
    }
}
