public import VaultFormat

/// One thing that a check of a vault found.
public struct Finding: Equatable, Sendable {
    /// `.repairable`, `.damaged`, `.malformed`, `.tampered` or `.unsupported`.
    public let code: FormatError.Code
    /// The structure or record, in words.
    public let what: Phrase
    /// The bytes of the file that are concerned.
    public let range: Range<UInt64>?
    /// The record that is lost or in doubt, if one is.
    public let record: BytePath?
    /// True if it is about the parity of a backup, and not about the vault.
    public let isOfParity: Bool

    init(
        _ code: FormatError.Code, _ what: Phrase, _ range: Range<UInt64>? = nil, record: BytePath? = nil,
        isOfParity: Bool = false
    ) {
        (self.code, self.what, self.range, self.record, self.isOfParity) = (code, what, range, record, isOfParity)
    }

    init(_ error: FormatError, record: BytePath? = nil) {
        self.init(error.code, error.what, error.offset.map { $0..<$0 &+ 1 }, record: record)
    }

    /// One finding for both, if `next` says the same of the bytes right behind.
    func joined(with next: Finding) -> Finding? {
        guard code == next.code, what == next.what, record == next.record, let mine = range, let theirs = next.range,
            mine.upperBound == theirs.lowerBound
        else { return nil }
        return Finding(code, what, mine.lowerBound..<theirs.upperBound, record: record)
    }
}
