public import VaultCrypto

/// Somebody for whom a key slot can be made without his secret: an X25519 public key (Spec/keys.md, 8).
public struct Recipient: Equatable, Sendable {
    private static let prefix = "qvr1"
    /// The public key, 32 bytes.
    package let key: [UInt8]

    package init(key: [UInt8]) {
        precondition(key.count == X25519.byteCount, "a public key has 32 bytes")
        self.key = key
    }

    /// The recipient who has an identity.
    public init(of identity: borrowing Identity) throws { key = try X25519.publicKey(of: identity.secret) }

    /// `qvr1`, 64 hexadecimal digits, and 8 that check them.
    public var text: String { get throws { try Self.prefix + hexText(key) + hexText(Self.check(key)) } }

    /// Reads the text.
    ///
    /// - Throws: `FormatError.invalid` for another text, or one that was mistyped.
    public init(parsing text: String) throws {
        guard text.hasPrefix(Self.prefix), let bytes = hexadecimalBytes(String(text.dropFirst(Self.prefix.count))),
            bytes.count == 36
        else {
            throw FormatError(.invalid, "not a recipient: 'qvr1' and 72 hexadecimal digits")
        }
        guard try Array(bytes[32...]) == Self.check(Array(bytes[..<32])) else {
            throw FormatError(.invalid, "a mistyped recipient: its last eight digits do not fit")
        }
        key = Array(bytes[..<32])
    }

    private static func check(_ key: [UInt8]) throws -> [UInt8] {
        Array(try SHA256.hash((Array("quickvault/1/recipient".utf8) + [0] + key).span)[..<4])
    }
}

/// The secret key that opens the slots of a recipient, as it is kept in a file (Spec/keys.md, 8).
public struct Identity: ~Copyable {
    private static let title = "QuickVault identity 1\nrecipient "
    package let secret: Secret

    /// Draws one.
    public init(random: inout some RandomSource) throws { secret = try random.secret(byteCount: X25519.byteCount) }

    /// The text of the file.
    public func text() throws -> Secret {
        let open = try Array((Self.title + Recipient(of: self).text + "\nsecret ").utf8)
        return try Secret(byteCount: open.count + 65) { out in
            for index in open.indices { out[index] = open[index] }
            secret.withSpan { secret in
                for index in secret.indices {
                    out[open.count + 2 * index] = HexDigit.of(secret[index] >> 4)
                    out[open.count + 2 * index + 1] = HexDigit.of(secret[index] & 15)
                }
            }
            out[open.count + 64] = 0x0A
        }
    }

    private init(_ secret: consuming Secret) { self.secret = secret }

    /// Reads the text. The newline at its end may be missing.
    ///
    /// - Throws: `FormatError.invalid`.
    public static func parse(_ text: borrowing Secret) throws -> Identity {
        let end = title.utf8.count + 76 + "\nsecret ".utf8.count + 64
        guard end...end + 1 ~= text.byteCount else { throw invalid }
        let identity = Identity(
            try Secret(byteCount: X25519.byteCount) { out in
                text.withSpan { text in
                    for index in out.indices {
                        let place = end - 64 + 2 * index
                        let (high, low) = (HexDigit.value(text[place]), HexDigit.value(text[place + 1]))
                        out[index] = (high ?? 0) << 4 | (low ?? 0)
                    }
                }
            })
        // Its own text is the only one that counts: it has the public key, which only the right secret gives.
        let mine = try identity.text()
        let isEqual = mine.withSpan { mine in
            text.withSpan { constantTimeEqual(mine.extracting(..<end), $0.extracting(..<end)) }
        }
        guard isEqual else { throw invalid }
        return identity
    }

    private static var invalid: FormatError { FormatError(.invalid, "not an identity, or one that was altered") }
}
