public import VaultCrypto

/// An audit key as it is kept in a file (Spec/keys.md, 7): it finds tampering and reads nothing.
public struct AuditKey: Sendable {
    /// Its keys.
    public let keys: AuditKeys
    private let epoch: Epoch
    private static let title = "QuickVault audit key 1\n"

    /// That of a vault under its present master key.
    package init(_ keys: Keys) { (self.keys, self.epoch) = (keys.audit, keys.epoch) }

    /// True if it is of the vault and the master key that a page names.
    ///
    /// - Throws: `FormatError.wrongKey`: not verified.
    public func check(_ header: Header) throws {
        guard header.vaultID == keys.vaultID else {
            throw FormatError(.wrongKey, "the audit key is of another vault")
        }
        guard header.epoch == epoch else {
            throw FormatError(.wrongKey, "the vault has another master key than the audit key is of")
        }
    }

    /// Its text.
    public func text() throws -> Secret {
        let open = Self.title + "vault \(hexText(keys.vaultID.bytes))\nepoch \(hexText(epoch.value.bytes))\nkey "
        let body = try Secret(byteCount: open.utf8.count + 65) { out in
            var at = 0
            for byte in open.utf8 {
                out[at] = byte
                at += 1
            }
            keys.root.withSpan { root in
                for index in root.indices {
                    for digit in [root[index] >> 4, root[index] & 15] {
                        out[at] = HexDigit.of(digit)
                        at += 1
                    }
                }
            }
            out[at] = 0x0A
        }
        let check = "check \(hexText(Array(try body.withSpan { try SHA256.hash($0) }[..<8])))\n"
        return try Secret(byteCount: body.byteCount + check.utf8.count) { out in
            body.withSpan { for index in $0.indices { out[index] = $0[index] } }
            for (index, byte) in check.utf8.enumerated() { out[body.byteCount + index] = byte }
        }
    }

    /// Reads the text.
    ///
    /// - Throws: `FormatError.invalid`.
    public init(parsing text: borrowing Secret) throws {
        // Every line has its length, so every byte its place.
        let places = (vault: 29..<61, epoch: 68..<100, key: 105..<169, check: 176..<192)
        let parsed = text.withSpan { text -> (id: [UInt8], epoch: [UInt8])? in
            let title = Array(Self.title.utf8)
            let last = Array("check ".utf8)
            guard text.count == 192 || text.count == 193 && text[192] == 0x0A,
                title.indices.allSatisfy({ text[$0] == title[$0] }),
                last.indices.allSatisfy({ text[170 + $0] == last[$0] }),
                let check = Self.bytes(text.extracting(places.check)),
                let hash = try? SHA256.hash(text.extracting(..<170)), check == Array(hash[..<8]),
                places.key.allSatisfy({ HexDigit.value(text[$0]) != nil }),
                let id = Self.bytes(text.extracting(places.vault)),
                let epoch = Self.bytes(text.extracting(places.epoch))
            else { return nil }
            return (id, epoch)
        }
        guard let (id, epoch) = parsed else { throw FormatError(.invalid, "not an audit key, or one that was altered") }
        let root = try Secret(byteCount: 32) { out in
            text.withSpan { text in
                for index in 0..<32 {
                    let high = HexDigit.value(text[places.key.lowerBound + 2 * index]) ?? 0
                    out[index] = high << 4 | (HexDigit.value(text[places.key.lowerBound + 2 * index + 1]) ?? 0)
                }
            }
        }
        keys = try AuditKeys(root: root, vaultID: VaultID(id))
        self.epoch = Epoch(Bytes16(epoch))
    }

    private static func bytes(_ text: Span<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = HexDigit.value(text[index]), let low = HexDigit.value(text[index + 1]) else { return nil }
            result.append(high << 4 | low)
        }
        return result
    }
}
