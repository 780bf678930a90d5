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
    /// The page of a document, from 1; nil for a picture of its own.
    public let page: Int?
    /// Where the picture and the code stand.
    package let geometry: Geometry
    /// The picture that it belongs to.
    package let digest: PictureDigest

    /// Places in pixels, as a person sees the copy, from the upper left corner of the picture.
    package struct Geometry: Equatable, Sendable {
        /// Of the picture.
        package var width, height: Int
        /// The upper left corner of the code's first module, and pixels of a module.
        package var left, top, module: Int

        package init(width: Int, height: Int, left: Int, top: Int, module: Int) {
            (self.width, self.height) = (width, height)
            (self.left, self.top, self.module) = (left, top, module)
        }
    }

    /// Bytes of the recipient and the purpose, at most.
    public static let textByteCount = 200
    /// Bytes of a signed statement, at most: what the code holds.
    static let byteCount = 566
    /// How the text of a code starts.
    package static let prefix = "QV1:"
    private static let version: UInt8 = 1
    private static let label = "quickvault/1/copy"

    package init(
        share: [UInt8], recipient: String?, purpose: String?, day: String, until: String?, page: Int?,
        geometry: Geometry, digest: PictureDigest
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
            writer.unsigned(UInt64(page))
        }
        writer.unsigned(6)
        writer.array(5)
        for number in [geometry.width, geometry.height, geometry.left, geometry.top, geometry.module] {
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
        var (share, page): ([UInt8]?, UInt64?)
        var (geometry, digest): (Geometry?, PictureDigest?)
        try reader.map { reader, key in
            var keyReader = CBORReader(reader.encoding(at: key))
            let number = try keyReader.unsigned()
            switch number {
            case 0: share = try reader.bytes16().bytes
            case 1...4: texts[number] = try reader.text()
            case 5: page = try reader.unsigned()
            case 6: geometry = try Geometry(&reader)
            case 7: digest = try PictureDigest(&reader)
            default: throw Self.malformed
            }
        }
        try reader.finish()
        guard let share, let geometry, let digest, let day = texts[3], Self.isDay(day),
            texts[4].map(Self.isDay) ?? true, 1...200 ~= page ?? 1,
            (texts[1] ?? "").utf8.count + (texts[2] ?? "").utf8.count <= Self.textByteCount
        else { throw Self.malformed }
        self.init(
            share: share, recipient: texts[1], purpose: texts[2], day: day, until: texts[4], page: page.map { Int($0) },
            geometry: geometry, digest: digest)
    }

    private static func isDay(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 10
            && bytes.enumerated().allSatisfy { place, byte in
                place == 4 || place == 7 ? byte == UInt8(ascii: "-") : 0x30...0x39 ~= byte
            }
    }

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

extension CopyStatement.Geometry {
    fileprivate init(_ reader: inout CBORReader) throws {
        guard try reader.arrayCount() == 5 else { throw CopyStatement.malformed }
        let numbers = try (0..<5).map { _ in try reader.unsigned() }
        guard numbers.allSatisfy({ $0 <= 60_000 }), numbers[0] > 0, numbers[1] > 0, numbers[4] > 0 else {
            throw CopyStatement.malformed
        }
        let whole = numbers.map { Int($0) }
        self.init(width: whole[0], height: whole[1], left: whole[2], top: whole[3], module: whole[4])
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
