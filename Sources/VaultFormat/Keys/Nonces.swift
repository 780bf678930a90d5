package import VaultCrypto

// One constructor for each rule of Spec/keys.md, 4. No other nonce is used for the format.
extension Nonce {
    /// For a key that seals one message: private part, and nothing else.
    package static let single = Nonce(high: 0, low: 0)

    /// Chunk `index` of a stored record; `isFinal` marks its last.
    package static func chunk(_ index: UInt64, isFinal: Bool) -> Nonce {
        Nonce(high: UInt32(truncatingIfNeeded: index >> 56), low: index << 8 | (isFinal ? 1 : 0))
    }

    /// Chunk `index` of part `part` of a segment; its head is part 0, index 0.
    package static func segment(part: SegmentPart, index: UInt32) -> Nonce {
        Nonce(high: UInt32(part.rawValue) << 24, low: UInt64(index))
    }

    /// The sealed header of the stored record with this salt.
    package static func header(of salt: Salt) -> Nonce { salt.withSpan { Nonce(prefix: $0) } }
}
