import VaultFormat

/// Bytes that are not what the keys say, before it is known whether by accident or on purpose (Spec/reader.md, 5).
struct Fault: Error {
    let what: Phrase
    let range: Range<UInt64>
}
