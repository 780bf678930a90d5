package import VaultCrypto
import VaultFormat

/// The facts about a copy that its owner signs, and the strip below it carries (Spec/product/strip.md, 2).
public struct CopyStatement: Equatable, Sendable {
    /// Names the copy, 16 bytes.
    public let share: [UInt8]
    /// For whom it is, and what for; nil where that was not said.
    public let recipient, purpose: String?
    /// The day on which it was made: `YYYY-MM-DD`.
    public let day: String
    /// The last day for which it is given, `YYYY-MM-DD`; nil where that was not said.
    public let until: String?
    /// The page of a document; nil for a picture of its own.
    public let page: Page?
    /// The places of the picture and the code.
    package let geometry: StripGeometry
    /// The picture that it belongs to.
    package let digest: PictureDigest

    /// A page of a document.
    public struct Page: Equatable, Sendable {
        /// From 1.
        public let number: Int
        /// The pages of the document, 200 at most.
        public let count: Int

        /// - Parameters:
        ///   - number: from 1 up to `count`.
        ///   - count: up to 200.
        public init(number: Int, count: Int) { (self.number, self.count) = (number, count) }

        fileprivate var isValid: Bool { 1...200 ~= count && 1...count ~= number }
    }

    /// Bytes of the recipient and the purpose, at most.
    public static let textByteCount = 200
    /// Bytes of a signed statement, at most: what the code holds.
    static let byteCount = 566
    /// The start of a code's text.
    package static let prefix = "QV1:"
    private static let version: UInt8 = 1
    private static let label = "quickvault/1/copy"

    package init(
        share: [UInt8], recipient: String?, purpose: String?, day: String, until: String?, page: Page?,
        geometry: StripGeometry, digest: PictureDigest
    ) {
        precondition(share.count == 16, "an id has 16 bytes")
        (self.share, self.recipient, self.purpose) = (share, recipient, purpose)
        (self.day, self.until, self.page) = (day, until, page)
        (self.geometry, self.digest) = (geometry, digest)
    }

    /// The facts, in deterministic CBOR.
    package var bytes: [UInt8] {
        var writer = CBORWriter()
        let texts: [(UInt64, String?)] = [(1, recipient), (2, purpose), (3, day), (4, until)]
        let given = texts.filter { $0.1 != nil }
        writer.map(given.count + 3 + (page == nil ? 0 : 1))
        writer.unsigned(0)
        writer.byteString(share)
        for (key, text) in given {
            writer.unsigned(key)
            writer.text(text!)
        }
        if let page {
            writer.unsigned(5)
            writer.array(2)
            writer.unsigned(UInt64(page.number))
            writer.unsigned(UInt64(page.count))
        }
        writer.unsigned(6)
        writer.array(5)
        for number in geometry.numbers {
            writer.unsigned(UInt64(number))
        }
        writer.unsigned(7)
        writer.array(5)
        for number in [digest.columns, digest.rows, digest.low, digest.step] { writer.unsigned(UInt64(number)) }
        writer.byteString(digest.packed)
        return writer.bytes
    }

    /// Reads the facts.
    ///
    /// - Throws: `FormatError.malformed`.
    package init(parsing bytes: [UInt8]) throws {
        var reader = CBORReader(bytes)
        var texts: [UInt64: String] = [:]
        var (share, page): ([UInt8]?, Page?)
        var (geometry, digest): (StripGeometry?, PictureDigest?)
        try reader.map { reader, key in
            var keyReader = CBORReader(reader.encoding(at: key))
            let number = try keyReader.unsigned()
            switch number {
            case 0: share = try reader.bytes16().bytes
            case 1...4: texts[number] = try reader.text()
            case 5: page = try Page(&reader)
            case 6: geometry = try StripGeometry(&reader)
            case 7: digest = try PictureDigest(&reader)
            default: throw Self.malformed
            }
        }
        try reader.finish()
        guard let share, let geometry, let digest, let day = texts[3], Self.isDay(day),
            texts[4].map(Self.isDay) ?? true,
            (texts[1] ?? "").utf8.count + (texts[2] ?? "").utf8.count <= Self.textByteCount,
            digest.fits(width: geometry.width, height: geometry.height)
        else { throw Self.malformed }
        self.init(
            share: share, recipient: texts[1], purpose: texts[2], day: day, until: texts[4], page: page,
            geometry: geometry, digest: digest)
    }

    private static func isDay(_ text: String) -> Bool { Day(text)?.text == text }

    fileprivate static var malformed: FormatError { FormatError(.malformed, "a statement that is none") }

    // MARK: Signing

    private static func message(_ publicKey: [UInt8], _ facts: [UInt8]) -> [UInt8] {
        Array(label.utf8) + [0, version] + publicKey + facts
    }

    /// The text of the code: the statement with its signature.
    ///
    /// - Throws: `CryptoError`.
    package func text(signedBy key: borrowing MarkKey) throws -> String {
        let facts = bytes
        let signature = try key.signature(of: Self.message(key.publicKey, facts))
        return Self.prefix + Base45.text([Self.version] + key.publicKey + signature + facts)
    }

    /// Bytes that the digest may have, beside all else.
    static func room(beside facts: CopyStatement) -> Int {
        byteCount - 1 - Ed25519.keyByteCount - Ed25519.signatureByteCount - facts.bytes.count
    }

    /// A statement that was read, and who signed it.
    public struct Signed: Equatable, Sendable {
        /// The facts.
        public let statement: CopyStatement
        /// The public key, 32 bytes.
        public let publicKey: [UInt8]
    }

    /// The reasons for which a code proves nothing.
    public enum Problem: String, Error, Sendable {
        /// It is no strip's, or damaged.
        case malformed
        /// It stands on a picture with more strips than are looked at.
        case crowded
        /// It was made by a newer program.
        case newer
        /// The signature is not that of the key over these facts.
        case forged
    }

    /// Reads the text of a code, and checks the signature.
    ///
    /// - Returns: nil where it is the code of something else.
    /// - Throws: `Problem`.
    public static func read(_ text: [UInt8]) throws(Problem) -> Signed? {
        guard text.starts(with: prefix.utf8) else { return nil }
        guard text.count <= 2 * byteCount, let bytes = Base45.decoded(text.dropFirst(prefix.utf8.count)) else {
            throw .malformed
        }
        guard let first = bytes.first else { throw .malformed }
        guard first == version else { throw .newer }
        let facts = Array(bytes.dropFirst(1 + Ed25519.keyByteCount + Ed25519.signatureByteCount))
        guard !facts.isEmpty else { throw .malformed }
        let publicKey = Array(bytes[1...Ed25519.keyByteCount])
        let signature = Array(bytes[(1 + Ed25519.keyByteCount)..<(bytes.count - facts.count)])
        guard Ed25519.isSignature(signature, of: message(publicKey, facts), by: publicKey) else { throw .forged }
        guard let statement = try? CopyStatement(parsing: facts) else { throw .malformed }
        return Signed(statement: statement, publicKey: publicKey)
    }
}

extension CopyStatement.Page {
    fileprivate init(_ reader: inout CBORReader) throws {
        guard try reader.arrayCount() == 2 else { throw CopyStatement.malformed }
        let numbers = try (0..<2).map { _ in Int(clamping: try reader.unsigned()) }
        self.init(number: numbers[0], count: numbers[1])
        guard isValid else { throw CopyStatement.malformed }
    }
}

extension StripGeometry {
    fileprivate init(_ reader: inout CBORReader) throws {
        let count = try reader.arrayCount()
        let numbers = try (0..<count).map { _ in Int(clamping: try reader.unsigned()) }
        guard let geometry = StripGeometry(numbers) else { throw CopyStatement.malformed }
        self = geometry
    }
}

extension PictureDigest {
    fileprivate init(_ reader: inout CBORReader) throws {
        guard try reader.arrayCount() == 5 else { throw CopyStatement.malformed }
        let numbers = try (0..<4).map { _ in Int(clamping: try reader.unsigned()) }
        let packed = try reader.string().bytes
        guard
            let digest = PictureDigest(
                columns: numbers[0], rows: numbers[1], low: numbers[2], step: numbers[3], packed: packed)
        else { throw CopyStatement.malformed }
        self = digest
    }
}

/// The key with which a vault signs copies.
public struct MarkKey: ~Copyable, Sendable {
    private let secret: Secret
    /// 32 bytes, for everybody.
    public let publicKey: [UInt8]

    /// - Parameter secret: 32 bytes.
    /// - Throws: `CryptoError`.
    package init(_ secret: consuming Secret) throws {
        publicKey = try Ed25519.publicKey(of: secret)
        self.secret = secret
    }

    func signature(of message: [UInt8]) throws -> [UInt8] { try Ed25519.signature(of: message, by: secret) }

    /// The fingerprint of a public key: SHA-256 of it.
    public static func fingerprint(of publicKey: [UInt8]) throws -> [UInt8] { try publicKey.sha256() }
}

extension WatermarkSeed {
    /// The key with which copies are signed: it comes from the seed, and is the same as long as the seed is.
    ///
    /// - Throws: `CryptoError`.
    public func markKey() throws -> MarkKey {
        var bytes = try key("quickvault/1/mark-key")
        defer { wipeBytes(&bytes) }
        return try MarkKey(Secret(copying: bytes.span))
    }
}
