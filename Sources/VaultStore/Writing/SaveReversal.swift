public import Values
import VaultFormat

/// The changes that take back a save, on whose records nothing was built since.
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
        guard let info = saves.first(where: { $0.sequence == save }) else {
            throw VaultError.noSuchSave(save, oldest: saves.first?.sequence ?? vault.sequence)
        }
        let all = try vault.changes().filter { !$0.buriesNothing }
        let changes = all.filter { $0.save == save }
        guard !changes.isEmpty else {
            guard info.isKept else { throw ReversalObstacle.forgotten(save) }
            let lasting = Set(all.filter { $0.change == .purged || $0.change == .moved }.map(\.save))
            throw ReversalObstacle.noChange(save, newest: all.map(\.save).filter { !lasting.contains($0) }.max())
        }
        guard !changes.contains(where: { $0.change == .purged }) else { throw ReversalObstacle.purged(save) }
        let ids = Set(changes.map(\.entry.id))
        let former = try Self.former(changes, before: save, saves, vault)
        let known = Set(former.map(\.entry.id))
        // Records that were not live before were added, whatever their times say: a merge keeps those of the other copy. It may bring
        // some into the trash, where they stay.
        let gone = changes.filter { $0.change != .moved && !known.contains($0.entry.id) }.map(\.entry)
        let inner = Set(gone.flatMap { [$0.id, $0.innerID] }), outer = Set(former.compactMap(\.entry.parent))
        let present = try vault.listing { entry in
            ids.contains(entry.id)
                || entry.state == .live
                    && (entry.parent.map(inner.contains) == true || outer.contains(entry.id)
                        || outer.contains(entry.innerID))
        }
        let byID = Dictionary(present.map { ($0.entry.id, $0) }, uniquingKeysWith: { first, _ in first })
        func paths(_ wanted: (Version) -> Bool) -> [BytePath] {
            changes.filter { wanted($0) && !$0.entry.kind.isPart }.map {
                byID[$0.entry.id]?.path ?? BytePath($0.entry.overview.title)
            }
        }
        let moved = paths { $0.change == .moved }
        guard moved.isEmpty else { throw ReversalObstacle.moved(save, moved) }
        let changed = paths { !$0.isPresent(as: byID[$0.entry.id]?.entry) }
        let added = present.filter {
            !ids.contains($0.entry.id) && $0.entry.parent.map(inner.contains) == true && !$0.entry.kind.isOfStore
        }.map { $0.entry.kind.isPart ? $0.path.parentInTree : $0.path }
        // Records that come back need their folder, or the card that they belong to.
        let owners = Set(present.filter { $0.entry.state == .live }.flatMap { [$0.entry.id, $0.entry.innerID] })
        let returning = Set(former.flatMap { [$0.entry.id, $0.entry.innerID] })
        let lost = former.filter { item in
            item.entry.parent.map { !owners.contains($0) && !returning.contains($0) } ?? false
        }.map(\.path)
        let built = changed + added + lost.filter { !changed.contains($0) }
        let concerned = ids.union(inner).union(outer)
        guard built.isEmpty else {
            let latest = all.filter {
                concerned.contains($0.entry.id) || concerned.contains($0.entry.innerID)
                    || $0.entry.parent.map(inner.contains) == true
            }
            throw ReversalObstacle.builtOn(save, built, latest: latest.map(\.save).max() ?? save)
        }
        (self.save, self.changes, self.gone, self.former) = (save, changes, gone, former)
    }

    /// The live versions that the records had before the save, of those that had one.
    private static func former(
        _ changes: [Version], before save: UInt64, _ saves: [SaveInfo], _ vault: Vault
    ) throws -> TreeListing {
        let wanted = Set(changes.filter { $0.change == .changed || $0.change == .trashed }.map(\.entry.id))
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
        for entry in gone {
            guard let present = try transaction.entry(entry.id) else { continue }
            try transaction.trash(present)
        }
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
    /// True of a tombstone that a merge put where this copy had no record: the record came and went in the other one.
    fileprivate var buriesNothing: Bool { change == .purged && entry.revision == 1 }

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
