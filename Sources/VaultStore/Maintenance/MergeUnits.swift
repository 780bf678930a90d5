import VaultFormat

/// A record and what belongs to it, such as a card and its attachments, are one: where one side removed it, and the other
/// changed any of it, all of it stays (Spec/store.md, 13).
extension Merge {
    /// Plans that an owner is here with all its parts, where it was removed here and something of it changed there.
    mutating func bringBack(_ owner: RecordID) throws {
        guard planned[owner] == nil, let there = try theirs.entry(owner), there.state == .live, !there.kind.isInTree,
            try mine.entry(owner)?.state != .live
        else { return }
        if let above = there.parent { try bringBack(above) }
        guard planned[owner] == nil else { return }
        for (path, entry) in try theirs.listing([there] + theirs.dependents(of: [owner])) {
            guard planned[entry.id] == nil, try mine.entry(entry.id)?.state != .live else { continue }
            try plan(.broughtBack, path, entry, entry.id, entry.parent, entry.overview.title)
        }
    }

    /// The doomed records that stay, since the record that they belong to was changed here, or any other part of it.
    func keptUnits(_ doomed: [Entry]) throws -> Set<RecordID> {
        let ids = Set(doomed.map(\.id))
        let owners = doomed.filter { !$0.kind.isInTree && !($0.parent.map(ids.contains) ?? false) }
        guard !owners.isEmpty else { return [] }
        let parts = Dictionary(grouping: try mine.dependents(of: Set(owners.map(\.id))), by: \.parent)
        var kept: Set<RecordID> = []
        for owner in owners {
            var (unit, next) = ([owner], [owner.id])
            while let id = next.popLast() {
                let found = parts[id] ?? []
                unit += found
                next += found.map(\.id)
            }
            let isChanged = try unit.contains { try !ids.contains($0.id) || isChangedOnlyHere($0) }
            if isChanged { kept.formUnion(unit.map(\.id)) }
        }
        return kept
    }
}

extension MergeSide {
    /// The live records that belong to any of these, and what belongs to them.
    func dependents(of owners: Set<RecordID>) throws -> [Entry] {
        var (found, wanted) = ([Entry](), owners)
        while !wanted.isEmpty {
            let parents = wanted
            let parts = try vault.diagnosing {
                try vault.manifest.flatMap { entries in
                    entries.filter {
                        $0.state == .live && !$0.kind.isInTree && ($0.parent.map(parents.contains) ?? false)
                    }
                }
            }
            found += parts
            wanted = Set(parts.map(\.id))
        }
        return found
    }
}
