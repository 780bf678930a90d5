import VaultFormat

/// A record and what belongs to it, such as a card and its attachments, are one: where one side removed it, and the other
/// changed any of it, all of it stays (Spec/store.md, 13).
extension Merge {
    /// Plans that an owner is here with all its parts, where it was removed here and something of it changed there. So are
    /// the owners of that one.
    mutating func bringBack(_ owner: RecordID) throws {
        guard broughtBack.insert(owner).inserted else { return }
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
                try leavingOut(entry, path) { try $0.store(.broughtBack, path, entry, as: entry) }
            }
        }
    }

    /// The doomed records that stay, since the record that they belong to was changed here, or any other part of it.
    func keptUnits(_ doomed: [Entry]) throws -> Set<RecordID> {
        let ids = Set(doomed.map(\.id))
        let owners = doomed.filter { !$0.kind.isInTree && !($0.parent.map(ids.contains) ?? false) }
        guard !owners.isEmpty else { return [] }
        // Each after what it belongs to.
        let units = try owners + mine.dependents(of: Set(owners.map(\.id)))
        var keeping = Set(try units.filter { try !ids.contains($0.id) || isChanged($0) }.map(\.id))
        for entry in units.reversed() where keeping.contains(entry.id) {
            if let owner = entry.parent { keeping.insert(owner) }
        }
        let kept = owners.map(\.id).filter(keeping.contains)
        return Set(kept).union(try mine.dependents(of: Set(kept)).map(\.id))
    }
}
