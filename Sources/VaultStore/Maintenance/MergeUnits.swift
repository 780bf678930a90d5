import VaultFormat

/// A record and what belongs to it, such as a card and its attachments, are one: where one side removed it, and the other
/// changed any of it, all of it stays (Spec/store.md, 13).
extension Merge {
    /// Plans that an owner is here with all its parts, where it was removed here and something of it changed there. So are
    /// the owners of that one.
    mutating func bringBack(_ owner: RecordID) throws {
        var (way, seen, next) = ([Entry](), Set<RecordID>(), Optional(owner))
        while let id = next, seen.insert(id).inserted, planned[id] == nil, let there = try theirs.entry(id),
            there.state == .live, !there.kind.isInTree, try mine.entry(id)?.state != .live
        {
            way.append(there)
            next = there.parent
        }
        for there in way.reversed() where planned[there.id] == nil {
            for (path, entry) in try theirs.listing([there] + theirs.dependents(of: [there.id])) {
                guard planned[entry.id] == nil, try mine.entry(entry.id)?.state != .live else { continue }
                try leavingOut(entry, path) { merge in
                    try merge.plan(.broughtBack, path, entry, entry.id, entry.parent, entry.overview.title)
                }
            }
        }
    }

    /// The doomed records that stay, since the record that they belong to was changed here, or any other part of it.
    func keptUnits(_ doomed: [Entry]) throws -> Set<RecordID> {
        let ids = Set(doomed.map(\.id))
        let owners = doomed.filter { !$0.kind.isInTree && !($0.parent.map(ids.contains) ?? false) }
        guard !owners.isEmpty else { return [] }
        var kept: Set<RecordID> = []
        for owner in owners {
            let unit = try [owner] + mine.dependents(of: [owner.id])
            let isKept = try unit.contains { try !ids.contains($0.id) || isChanged($0) }
            if isKept { kept.formUnion(unit.map(\.id)) }
        }
        return kept
    }
}
