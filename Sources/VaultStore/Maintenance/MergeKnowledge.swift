import VaultFormat

/// The knowledge that each side of a merge has of the other (Spec/store.md, 13).
extension Merge {
    /// Plans that this side remembers all saves that either knew, and the versions of these that are not here: those that
    /// were left out, and those that the other side has not either.
    mutating func remember() throws {
        // The tombstone of a move is not followed if the new version is left out.
        let awaited = try leftOut.values.compactMap(\.formerID).compactMap { try theirs.entry($0) }
        let left = (leftOut.values + awaited).compactMap { entry in
            theirs.origin(of: entry).map { MergedSaves.Hole(id: entry.id, save: $0.save) }
        }
        let open = mine.holes.filter {
            !theirs.known.contains($0.save) || theirs.holes.contains($0) || leftOut[$0.id] != nil
        }
        let inherited = theirs.holes.filter { !mine.known.contains($0.save) }
        // The saves that this side knows stay, however many the other side adds.
        let room = max(0, MergedSaves.maximum.saves - mine.known.count)
        let learned = theirs.known.subtracting(mine.known).sorted().prefix(room)
        let before = MergedSaves(saves: mine.known.subtracting(mine.saves.values), holes: mine.holes)
        let after = MergedSaves(
            saves: mine.known.union(learned).subtracting(mine.saves.values),
            holes: open.union(inherited).union(left))
        // With too many holes the list stays as it is, and the next merge looks at everything again.
        if after != before, after.holes.count <= MergedSaves.maximum.holes { merged = after }
    }

    /// Two changes of one state of a record as one; nil where both changed the same part, where nobody knows the parts, and
    /// where what is here is malformed.
    func joined(_ here: Entry, _ entry: Entry, since old: State?) throws -> (overview: Overview, content: [UInt8])? {
        do {
            return try parts?.join(old, (mine.vault, here), (theirs.vault, entry))
        } catch let error as FormatError where error.code == .malformed {
            // The other side passed the gate. A malformed record here stays, and must not keep all others out.
            return nil
        }
    }

    /// Joins the overviews of two versions with one content, both of which changed: tags are a set, and all else is that of
    /// the version with the greater origin. So both sides come to the same.
    mutating func joinOverviews(_ entry: Entry, _ here: Entry, _ path: BytePath) throws {
        guard planned[here.id] == nil, let (one, other) = try origins(here, entry) else { return }
        var joined = here
        joined.overview = one < other ? entry.overview : here.overview
        joined.overview.title = here.overview.title
        let (mine, theirs) = (here.overview.tags, entry.overview.tags)
        let (chosen, old) = (joined.overview.tags, try base(here.id)?.entry.overview.tags ?? [])
        let kept = Set(mine + theirs).filter { !old.contains($0) || mine.contains($0) && theirs.contains($0) }
        joined.overview.tags = kept.sorted()
        if !joined.fitsManifest { joined.overview.tags = chosen }
        guard joined.overview != here.overview else { return }
        plan(.relabel(here, joined.overview), at: here.id, joined)
        note(.joined, path)
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
