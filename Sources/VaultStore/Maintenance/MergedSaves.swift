import VaultCrypto
import VaultFormat

/// The saves of other copies that merges brought into a vault (Spec/store.md, 13): 16 bytes of the fingerprint of each, in
/// order. What those saves made is no news here, wherever it comes from.
enum MergedSaves {
    private static let name = Array("quickvault/1/merged-saves".utf8) + [0]
    private static let itemByteCount = 16
    /// A million of them.
    private static let byteCount = itemByteCount << 20

    static func id() throws -> RecordID { RecordID(try SHA256.hash(name.span)) }

    /// Those that a vault remembers.
    ///
    /// - Throws: `FormatError.malformed`.
    static func read(_ vault: Vault) throws -> Set<Bytes16> {
        guard let entry = try vault.entry(id()), entry.state == .live else { return [] }
        guard entry.kind == .mergedSaves, entry.length <= byteCount, entry.length % UInt64(itemByteCount) == 0 else {
            throw FormatError(.malformed, "a list of merged saves of another kind or length", at: entry.place)
        }
        let content = try vault.content(of: entry, limit: byteCount)
        return Set(
            stride(from: 0, to: content.count, by: itemByteCount).map { Bytes16(content.span.extracting($0...)) })
    }

    /// Stores them: as many as the list may have.
    static func write(_ saves: Set<Bytes16>, in transaction: VaultTransaction) throws {
        let all = saves.sorted().prefix(byteCount / itemByteCount)
        let overview = Overview(title: Array("merged-saves".utf8))
        try transaction.put(
            id(), kind: .mergedSaves, parent: nil, overview: overview, content: all.flatMap(\.bytes))
    }
}
