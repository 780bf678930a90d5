import VaultCrypto
public import Watermark

/// The signed strips of a copy, and whether they belong to the pictures beside them (Spec/product/strip.md, 4). It takes no vault.
public struct CopyVerification: Sendable {
    /// A strip.
    public enum Strip: Sendable {
        /// Its signature is right: the facts, who signed them, and how the picture agrees.
        case signed(CopyStatement.Signed, CopyCheck)
        /// It proves nothing, for this reason.
        case broken(CopyStatement.Problem)
    }

    /// The strips of each page, from the first on; a picture is one page.
    public let pages: [[Strip]]
    /// True if it is a document, whose pages have numbers.
    public let isDocument: Bool

    /// The longer side of a picture that is looked at, in pixels, at most.
    private static let side = 3600

    /// Strips of a page that are compared with it.
    private static let stripCount = 4

    /// Reads a copy: a picture, a photo or scan of a print, or a PDF.
    ///
    /// - Throws: `MarkError`; what reading and `check` throws.
    public init(_ copy: any PictureSource, _ decoder: DocumentDecoder) throws {
        let type = try MediaType(copy)
        isDocument = type == .pdf
        guard type == .pdf else {
            let isDecoded = DocumentDecoder.decodes(type)
            var decoded = isDecoded ? try decoder.picture(copy) : []
            defer { wipeBytes(&decoded) }
            pages = [try Self.strips(isDecoded ? decoded : copy, decoder)]
            return
        }
        var found: [[Strip]] = []
        try decoder.pages(of: copy) { page, _ in found.append(try Self.strips(page.jpeg, decoder)) }
        pages = found
    }

    private static func strips(_ picture: any PictureSource, _ decoder: DocumentDecoder) throws -> [Strip] {
        // Made smaller by a whole number, so that each pixel is the mean of as many.
        let size = try Watermark.size(of: picture)
        let longer = max(size.width, size.height)
        let gray = try GrayPicture(picture, longSide: max(1, longer / ((longer + side - 1) / side)))
        var count = 0
        return try decoder.codes(in: gray).compactMap { code -> Strip? in
            do {
                guard let signed = try CopyStatement.read(code.content) else { return nil }
                count += 1
                guard count <= stripCount else { throw CopyStatement.Problem.crowded }
                return .signed(signed, try CopyCheck(gray, corners: code.corners, signed.statement))
            } catch let problem as CopyStatement.Problem { return .broken(problem) }
        }
    }
}
