import VaultCrypto
import Watermark

extension PrintedPage {
    /// The page as a PDF of A4.
    ///
    /// - Throws: `MarkError` where libpng cannot code it.
    package func pdf() throws -> [UInt8] {
        var png = try GrayPNG.bytes(pixels, width: Self.width, height: Self.height)
        defer { wipeBytes(&png) }
        let sink = PictureInMemory()
        let writer = try PDFWriter(into: sink)
        try writer.add(png)
        try writer.finish()
        return sink.bytes
    }
}
