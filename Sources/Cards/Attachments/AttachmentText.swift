import VaultCrypto
public import VaultFormat
public import VaultStore

/// The text that an attachment says or shows, as a program read it (Spec/product/records.md, 6).
public struct AttachmentText: Equatable, Sendable {
    /// Bytes of all pages at most.
    public static let byteCount = 15 << 20

    /// The text of each page, lines with line feeds between. A picture is one page.
    public let pages: [String]
    /// SHA-256 of the content that it was read from, in hexadecimal.
    private let digest: String

    /// The key of the text in the record, and of its line in what queries answer.
    static let textKey = "text"
    private static let digestKey = "sha256"
    private static let pageEnd: Character = "\u{0C}"

    /// - Parameters:
    ///   - pages: their texts; control characters but tabs and line feeds, and blanks at the ends of lines, are taken out.
    ///   - content: what they were read from.
    /// - Returns: nil where they have more than `byteCount` bytes.
    /// - Throws: `CryptoError`.
    public init?(pages: [String], of content: [UInt8]) throws {
        (self.pages, digest) = (pages.map(Self.tidied), hexText(try SHA256.hash(content.span)))
        guard text.utf8.count <= Self.byteCount else { return nil }
    }

    /// Reads the content of a record.
    ///
    /// - Throws: `FormatError.malformed`.
    init(parsing bytes: [UInt8]) throws {
        let texts = try RecordFields(parsing: bytes).texts
        guard let text = texts[Self.textKey], let digest = texts[Self.digestKey] else {
            throw FormatError(.malformed, "the text of an attachment without a text or digest")
        }
        pages = text.split(separator: Self.pageEnd, omittingEmptySubsequences: false).map(String.init)
        self.digest = digest
    }

    /// As deterministic CBOR.
    package var bytes: [UInt8] {
        var fields = RecordFields()
        fields.texts = [Self.textKey: text, Self.digestKey: digest]
        return fields.bytes
    }

    /// All pages, a form feed between each two.
    public var text: String { pages.joined(separator: String(Self.pageEnd)) }

    /// True if there is a letter or digit in it.
    public var saysSomething: Bool { pages.contains(where: Self.saysSomething) }

    /// True if there is a letter or digit in a text.
    public static func saysSomething(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
    }

    /// True if this is what it was read from.
    ///
    /// - Throws: `CryptoError`.
    public func isText(of content: [UInt8]) throws -> Bool { digest == hexText(try SHA256.hash(content.span)) }

    /// Without control characters, blanks at ends of lines, and more than one empty line in a row.
    private static func tidied(_ text: String) -> String {
        let printable = String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { $0 == "\n" || $0 == "\t" || $0.properties.generalCategory != .control }))
        var lines: [Substring] = []
        for line in printable.split(separator: "\n", omittingEmptySubsequences: false) {
            let end = line.lastIndex { !$0.isWhitespace }
            let line = end.map { line[...$0] } ?? ""
            if !line.isEmpty || lines.last.map({ !$0.isEmpty }) ?? false { lines.append(line) }
        }
        if lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n")
    }
}

extension Card.Line {
    /// The text of an attachment: nobody knows what stands in it, so it is shown when asked for.
    init(ofAttachment text: String) {
        (key, label, value) = (AttachmentText.textKey, LocalizedLabel("text", "文字"), text)
        (isSensitive, check) = (true, nil)
    }
}

extension Vault {
    /// The id of the text of an attachment.
    ///
    /// - Throws: `CryptoError`.
    package static func textID(of attachment: RecordID) throws -> RecordID {
        try RecordID(of: "text", named: attachment.bytes)
    }

    /// The record with the text of an attachment, if there is one.
    ///
    /// - Throws: as `entry`.
    public func textEntry(of attachment: Entry) throws -> Entry? {
        try entry(Self.textID(of: attachment.id)).flatMap { $0.kind == .attachmentText ? $0 : nil }
    }

    /// The text of an attachment; nil where nobody had it read.
    ///
    /// - Throws: as `content`; `FormatError.malformed`.
    public func text(of attachment: Entry) throws -> AttachmentText? {
        try textEntry(of: attachment).map {
            try AttachmentText(parsing: content(of: $0, limit: Self.cardByteCount))
        }
    }

    /// True if the text of an attachment is there, can be read, and is that of some content.
    ///
    /// - Throws: what reading throws, but `FormatError`: a text is made anew from its attachment.
    public func hasText(of attachment: Entry, readFrom content: @autoclosure () throws -> [UInt8]) throws -> Bool {
        let text: AttachmentText?
        do { text = try self.text(of: attachment) } catch is FormatError { return false }
        return try text?.isText(of: content()) ?? false
    }
}

extension VaultTransaction {
    /// Stores the text of an attachment.
    ///
    /// - Parameter name: of the attachment.
    /// - Throws: all that storing throws.
    public func put(_ text: AttachmentText, of attachment: RecordID, _ name: [UInt8]) throws {
        try put(
            Vault.textID(of: attachment), kind: .attachmentText, parent: attachment, overview: Overview(title: name),
            content: text.bytes)
    }
}
