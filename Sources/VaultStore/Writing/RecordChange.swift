public import VaultFormat

/// A change that a save makes to a record.
public struct RecordChange: Sendable {
    /// The record's path after the save; of one in the trash, that from which it went.
    public let path: BytePath
    /// The path before the save of a record that the save moves; else nil.
    public let formerPath: BytePath?
    /// The change.
    public let change: Version.Change
    /// The version that the save brings; of a record that is purged, the last one.
    public let entry: Entry

    package init(_ path: BytePath, from former: BytePath? = nil, _ change: Version.Change, _ entry: Entry) {
        (self.path, formerPath, self.change, self.entry) = (path, former, change, entry)
    }
}

extension CommitChanges {
    /// The changes of the commit so far, in the order of a list, without records of the store itself. Reads the whole
    /// manifest of the state before.
    func made() throws -> [RecordChange] {
        let brought = try entries.all()
        let versions = (past + brought).sorted { ($0.id, $0.first) < ($1.id, $1.first) }
        let made = Version.changes(versions).filter { $0.entry.last == nil && $0.change != .purged }
        guard !made.isEmpty else { return [] }
        let before = try self.before?.allEntries() ?? []
        let changed = Set(brought.map(\.id))
        let byID = Dictionary(made.map { ($0.entry.id, $0) }, uniquingKeysWith: { first, _ in first })
        let former = Set(made.compactMap(\.entry.formerID))
        let formerPaths = Dictionary(
            try TreeListing(records: before) { former.contains($0.id) }.map { ($0.entry.id, $0.path) },
            uniquingKeysWith: { first, _ in first })
        let after = before.filter { !changed.contains($0.id) } + brought
        return try TreeListing(records: after) { byID[$0.id] != nil }.compactMap { path, entry in
            byID[entry.id].map {
                RecordChange(path, from: entry.formerID.flatMap { formerPaths[$0] }, $0.change, $0.entry)
            }
        }
    }
}

extension VaultTransaction {
    /// The changes of the save so far, in the order of a list, without records of the store itself. Reads the whole
    /// manifest.
    ///
    /// - Throws: as `Vault.listing`.
    public func changes() throws -> [RecordChange] { try writer.changes.made() }
}
