// Watermark: what a mark says and where it stands (Spec/product/watermark.md). Lays out in the space that a person sees, and has
// CImage do the work on pixels. No I/O, no clock.

public import VaultCrypto

/// The secret that decides where marks stand: one for all pictures of a person, so that copies of one picture cannot be
/// combined into a clean one.
public struct WatermarkSeed: ~Copyable, Sendable {
    private let secret: Secret

    /// Bytes of a seed.
    public static let byteCount = 32

    /// - Parameter secret: 32 random bytes, kept as long as marks are made.
    public init(_ secret: consuming Secret) {
        precondition(secret.byteCount == Self.byteCount, "a seed has 32 bytes")
        self.secret = secret
    }

    /// The key of one picture: the same for all its copies.
    ///
    /// - Parameter original: names the picture, 16 bytes.
    public func latticeKey(_ original: [UInt8]) throws -> [UInt8] { try key("quickvault/1/lattice", original) }

    /// The key of one copy.
    ///
    /// - Parameter share: names the copy, 16 bytes.
    public func shareKey(_ share: [UInt8]) throws -> [UInt8] { try key("quickvault/1/share", share) }

    /// The key of a page of a document, from the lattice key or share key of the document.
    ///
    /// - Parameter page: from 1; nil for a picture, whose key is the one that is given.
    public static func key(_ key: [UInt8], ofPage page: Int?) throws -> [UInt8] {
        guard let page else { return key }
        let number = (0..<4).map { UInt8(truncatingIfNeeded: page >> (24 - 8 * $0)) }
        var mac = try HMACSHA256(key: key.span)
        return try mac.tag(of: (Array("quickvault/1/page".utf8) + [0] + number).span)
    }

    private func key(_ label: String, _ id: [UInt8]) throws -> [UInt8] {
        precondition(id.count == 16, "an id has 16 bytes")
        return try key(label + "\0", for: id)
    }

    /// A key that the seed gives: HMAC(seed, label), with what it is for behind the label.
    func key(_ label: String, for id: [UInt8] = []) throws -> [UInt8] {
        var mac = try HMACSHA256(key: secret)
        return try mac.tag(of: (Array(label.utf8) + id).span)
    }
}

/// Numbers from 0 up to 1 that a key gives (Spec/product/watermark.md, 3).
package struct MarkNumbers {
    private let key: [UInt8]

    package init(key: [UInt8]) { self.key = key }

    /// The number at a place: the first 4 bytes of HMAC(key, u32 of the place), over 2^32.
    package func number(_ index: UInt32) throws -> Double {
        let message = (0..<4).map { UInt8(truncatingIfNeeded: index >> (24 - 8 * $0)) }
        var mac = try HMACSHA256(key: key.span)
        let tag = try mac.tag(of: message.span)
        return Double(tag[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) / 4_294_967_296
    }

    /// So many bytes: the keystream of AES-256-CTR, from a counter of zero, under HMAC(key, label).
    ///
    /// - Throws: `CryptoError`.
    package func bytes(_ label: String, count: Int) throws -> [UInt8] {
        var mac = try HMACSHA256(key: key.span)
        let key = try mac.tag(of: Array(label.utf8).span)
        var stream = try AESCTR(key: key.span)
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        try stream.keystream(from: 0, into: &span)
        return bytes
    }
}
