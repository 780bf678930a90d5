import VaultFormat

/// Finds versions of records by id: one record at a time, or all of them once many were asked for.
final class VersionIndex {
    private let vault: Vault
    /// All versions of each record, oldest first.
    private var known: [RecordID: [Entry]]?
    private var lookupCount = 0

    init(_ vault: Vault) { self.vault = vault }

    /// The present state of a record, in the trash and tombstones included.
    func entry(_ id: RecordID) throws -> Entry? {
        if let known = try many() { return known[id]?.last { $0.last == nil } }
        return try vault.diagnosing { try vault.manifest.entry(id) }
    }

    /// All versions under an id, oldest first.
    func versions(_ id: RecordID) throws -> [Entry] {
        if let known = try many() { return known[id] ?? [] }
        let present = try entry(id).map { [$0] } ?? []
        return try vault.diagnosing { try vault.manifest.segments.flatMap { try $0.past(id) } }
            .sorted { $0.first < $1.first } + present
    }

    /// All versions, where so many were asked for that reading all is quicker.
    private func many() throws -> [RecordID: [Entry]]? {
        lookupCount += 1
        if known == nil, lookupCount > max(256, vault.recordBound / 16) {
            known = Dictionary(grouping: try vault.versions(), by: \.id)
        }
        return known
    }
}
