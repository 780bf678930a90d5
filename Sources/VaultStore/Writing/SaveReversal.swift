public import Values
import VaultFormat

/// What it takes to take back a save: its changes, none of which anything was built on since.
public struct SaveReversal {
    /// The save's number.
    public let save: UInt64
    /// Its changes, without those of the store itself.
    public let changes: [Version]
    /// The records that go into the trash.
    private let gone: [Entry]
    /// The versions that come back.
    private let former: TreeListing

    /// - Throws: `ReversalObstacle`; `VaultError.noSuchSave`; all that reading the manifest throws.
    public init(of save: UInt64, in vault: Vault) throws {
        let saves = try vault.saves()
        guard saves.contains(where: { $0.sequence == save }) else {
            throw VaultError.noSuchSave(save, oldest: saves.first?.sequence ?? vault.sequence)
        }
        let all = try vault.changes()
        let changes = all.filter { $0.save == save }
        guard !changes.isEmpty else {
            let lasting = Set(all.filter { $0.change == .purged || $0.change == .moved }.map(\.save))
            throw ReversalObstacle.noChange(save, newest: all.map(\.save).filter { !lasting.contains($0) }.max())
        }
        let ids = Set(changes.map(\.entry.id))
        let gone = changes.filter { $0.change == .added || $0.change == .restored }.map(\.entry)
        let owners = Set(gone.flatMap { [$0.id, $0.innerID] })
        let present = try vault.listing { entry in
            ids.contains(entry.id) || entry.state == .live && entry.parent.map(owners.contains) == true
        }
        let byID = Dictionary(present.map { ($0.entry.id, $0) }, uniquingKeysWith: { first, _ in first })
        func paths(_ wanted: (Version) -> Bool) -> [BytePath] {
            changes.filter(wanted).map { byID[$0.entry.id]?.path ?? BytePath($0.entry.overview.title) }
        }
        guard !changes.contains(where: { $0.change == .purged }) else { throw ReversalObstacle.purged(save) }
        let moved = paths { $0.change == .moved }
        guard moved.isEmpty else { throw ReversalObstacle.moved(save, moved) }
        let changed = paths { !$0.isPresent(as: byID[$0.entry.id]?.entry) }
        let added = present.filter { !ids.contains($0.entry.id) && !$0.entry.kind.isOfStore }.map(\.path)
        let built = changed + added
        let latest = all.filter { ids.contains($0.entry.id) || $0.entry.parent.map(owners.contains) == true }
        guard built.isEmpty else {
            throw ReversalObstacle.builtOn(save, built, latest: latest.map(\.save).max() ?? save)
        }
        let wanted = Set(changes.filter { $0.change == .changed || $0.change == .trashed }.map(\.entry.id))
        former = try Self.former(wanted, before: save, saves, vault)
        guard former.count == wanted.count else { throw ReversalObstacle.forgotten(save) }
        (self.save, self.changes, self.gone) = (save, changes, gone)
    }

    private static func former(
        _ wanted: Set<RecordID>, before save: UInt64, _ saves: [SaveInfo], _ vault: Vault
    ) throws -> TreeListing {
        guard !wanted.isEmpty else { return try vault.listing { _ in false } }
        guard let last = saves.last(where: { $0.sequence < save }), last.isKept else {
            throw ReversalObstacle.forgotten(save)
        }
        let before = try vault.snapshot(atSave: last.sequence).entries()
        return try TreeListing(records: before) { wanted.contains($0.id) }
    }

    /// Records that go into the trash, without thumbnails and their like.
    public var removedCount: Int { gone.count { !$0.kind.isPart } }

    /// Records that are as before, without thumbnails and their like.
    public var restoredCount: Int { former.count { !$0.entry.kind.isPart } }

    /// Makes the changes of the reversal in a save.
    fileprivate func apply(to transaction: VaultTransaction) throws {
        _ = try transaction.restore(former)
        for entry in gone where try transaction.entry(entry.id) != nil { try transaction.trash(entry) }
    }
}

/// Why a save cannot be taken back.
public enum ReversalObstacle: Error, Equatable, Sendable {
    /// It changed no record; the newest that did.
    case noChange(UInt64, newest: UInt64?)
    /// It purged records, which are gone.
    case purged(UInt64)
    /// It moved records.
    case moved(UInt64, [BytePath])
    /// Later saves changed what it brought, or added to that; the last of them.
    case builtOn(UInt64, [BytePath], latest: UInt64)
    /// The versions before it are no longer kept.
    case forgotten(UInt64)
}

extension Version {
    /// True if the version still stands, but for a note of where else it was made.
    fileprivate func isPresent(as now: Entry?) -> Bool {
        now?.state == entry.state && now?.salt == entry.salt && now?.overview == entry.overview
    }
}

extension VaultTransaction {
    /// Takes back a save: what it added goes into the trash, what it changed or removed is again as it was.
    ///
    /// - Throws: all that reading and storing throws.
    public func takeBack(_ reversal: SaveReversal) throws { try reversal.apply(to: self) }
}
