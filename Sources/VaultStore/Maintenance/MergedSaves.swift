import VaultCrypto
import VaultFormat

/// The record of what merges brought into a vault (Spec/store.md, 13.1): the saves of other copies, whose changes are no news
/// here, wherever they come from; and the versions of these saves that are not here all the same.
struct MergedSaves: Equatable {
    /// A version that was left out: its record, and the first 16 bytes of the fingerprint of its save.
    struct Hole: Hashable, Comparable {
        let id: RecordID
        let save: Bytes16

        static func < (one: Hole, other: Hole) -> Bool { (one.id, one.save) < (other.id, other.save) }
    }

    /// The first 16 bytes of the fingerprint of each save.
    var saves: Set<Bytes16> = []
    /// The versions that are not here.
    var holes: Set<Hole> = []

    static let maximum = (saves: 1 << 20, holes: 1 << 16)
    private static let byteCount = 8 + maximum.saves * 16 + maximum.holes * 32

    static func id() throws -> RecordID {
        RecordID(try SHA256.hash((Array("quickvault/1/merged-saves".utf8) + [0]).span))
    }

    /// Those that a vault remembers.
    ///
    /// - Throws: `FormatError.malformed`.
    static func read(_ vault: Vault) throws -> MergedSaves {
        var known = MergedSaves()
        guard let entry = try vault.entry(id()), entry.state == .live else { return known }
        let fault = FormatError(.malformed, "a list of merged saves of another kind or length", at: entry.place)
        guard entry.kind == .mergedSaves, 8...UInt64(byteCount) ~= entry.length else { throw fault }
        let content = try vault.content(of: entry, limit: byteCount)
        let count = content.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard count <= maximum.saves, content.count >= 8 + 16 * Int(count),
            (content.count - 8 - 16 * Int(count)) % 32 == 0
        else { throw fault }
        func item(_ offset: Int) -> Bytes16 { Bytes16(content.span.extracting(offset...)) }
        let end = 8 + 16 * Int(count)
        known.saves = Set(stride(from: 8, to: end, by: 16).map(item))
        known.holes = Set(
            stride(from: end, to: content.count, by: 32).map { Hole(id: RecordID(item($0)), save: item($0 + 16)) })
        return known
    }

    /// Stores them: as many as the list may have.
    func write(in transaction: VaultTransaction) throws {
        let saves = saves.sorted().prefix(Self.maximum.saves)
        let holes = holes.sorted().prefix(Self.maximum.holes)
        let count = (0..<8).reversed().map { UInt8(truncatingIfNeeded: saves.count >> ($0 * 8)) }
        let content = count + saves.flatMap(\.bytes) + holes.flatMap { $0.id.bytes + $0.save.bytes }
        try transaction.put(
            Self.id(), kind: .mergedSaves, parent: nil, overview: Overview(title: Array("merged-saves".utf8)),
            content: content)
    }
}
