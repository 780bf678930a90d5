import VaultFormat

/// The knowledge that each side of a merge has of the other (Spec/store.md, 13).
extension Merge {
    /// The newest save that both remember with one fingerprint.
    static func ancestor(_ mine: MergeSide, _ theirs: MergeSide) -> UInt64? {
        guard mine.vault.id == theirs.vault.id else { return nil }
        return theirs.saves.filter { mine.saves[$0.key] == $0.value }.keys.max()
    }

    /// True if a version here is one that the other side never had.
    func isChanged(_ here: Entry) throws -> Bool { try !theirs.knows(here, of: mine) }

    /// Plans that this side remembers all saves that either knew, but those of versions of its records that were left out:
    /// such a version has to be named the next time too. A record that is not here is no news by its save alone.
    mutating func remember() throws {
        let named = try leftOut.filter { try mine.entry($0.id) != nil }.compactMap { theirs.origin(of: $0)?.save }
        let (known, own) = (mine.known.union(theirs.known.subtracting(named)), mine.saves.values)
        if !known.subtracting(own).isSubset(of: mine.known) { steps.append(.remember(known.subtracting(own))) }
    }

    /// Takes theirs where each side knows the other's version, and has kept its own: both were merged into the other as
    /// they were before. The version of the later save is the one that stays on both sides. The other one is kept beside it,
    /// where no copy of it is there any more.
    mutating func settle(_ states: [Entry]) throws {
        let copies = states.filter { $0.state == .live && $0.titleBeforeMerge != nil }
        for entry in states where entry.state == .live && entry.kind != .folder && planned[entry.id] == nil {
            guard let here = try mine.entry(entry.id), here.state == .live, here.kind == entry.kind,
                let (one, other) = try origins(here, entry), one < other, try !isChanged(here),
                try mine.knows(entry, of: theirs), try !isSame(here, entry)
            else { continue }
            let isKept = try copies.contains { try $0.parent == here.parent && isSame(here, $0, besidesTitle: true) }
            if !isKept { try keepAside(here) }
            let path = try theirs.listing([entry])[0].path
            try leavingOut(entry, path) {
                try $0.plan(.taken, path, entry, entry.id, here.parent, entry.overview.title)
            }
        }
    }

    /// Joins the overviews of two versions with one content, both of which changed: tags are a set, and all else is that of
    /// the version with the greater origin. So both sides come to the same.
    mutating func joinOverviews(_ entry: Entry, _ here: Entry, _ path: BytePath) throws {
        guard planned[here.id] == nil, here.kind != .folder, let (one, other) = try origins(here, entry) else { return }
        var joined = here
        joined.overview = one < other ? entry.overview : here.overview
        joined.overview.title = here.overview.title
        let (mine, theirs) = (here.overview.tags, entry.overview.tags)
        let (chosen, old) = (joined.overview.tags, try base(here.id)?.entry.overview.tags ?? [])
        let kept = Set(mine + theirs).filter { !old.contains($0) || mine.contains($0) && theirs.contains($0) }
        joined.overview.tags = kept.sorted()
        if !joined.fitsManifest { joined.overview.tags = chosen }
        guard joined.overview != here.overview else { return }
        planned[here.id] = joined
        steps.append(.relabel(here, joined.overview))
        note(.joined, path)
    }

    /// The origins of a version here and of one there; nil where a file has no line of its save.
    func origins(_ here: Entry, _ entry: Entry) throws -> (VersionOrigin, VersionOrigin)? {
        guard let one = mine.origin(of: here), let other = theirs.origin(of: entry) else { return nil }
        return (one, other)
    }

    /// The newest version of a record that both sides have had; nil where it is not certain, or in neither file any more.
    func base(_ id: RecordID) throws -> State? {
        let (here, there) = (try mine.liveVersions(id), try theirs.liveVersions(id))
        let one = try here.last { try theirs.knows($0, of: mine) }
        let other = try there.last { try mine.knows($0, of: theirs) }
        guard let one, let other else {
            // A version in between may be gone where the two merged before.
            return haveMerged ? nil : one.map { (mine.vault, $0) } ?? other.map { (theirs.vault, $0) }
        }
        let (first, second) = (mine.origin(of: one), theirs.origin(of: other))
        if try first == second || isSame(one, other) { return (mine.vault, one) }
        // The one that the other side had, and went on from, is older.
        if there.contains(where: { theirs.origin(of: $0) == first }) { return (theirs.vault, other) }
        return here.contains { mine.origin(of: $0) == second } ? (mine.vault, one) : nil
    }

    /// True if one side has had a save of the other since they went apart.
    private var haveMerged: Bool {
        func hasMerged(_ side: MergeSide, _ other: MergeSide) -> Bool {
            other.saves.contains { $0.key > ancestor ?? 0 && side.known.contains($0.value) }
        }
        return hasMerged(mine, theirs) || hasMerged(theirs, mine)
    }
}
