import VaultFormat

/// Brings what was done to a copy of a vault, since the two went apart, into this one (Spec/store.md, 13). Nothing that
/// either side holds is lost: what both changed is kept twice, what one changed and the other removed is kept.
public struct Merge {
    /// What becomes of one record of the other vault.
    public enum Outcome: Sendable, Equatable {
        /// New here, or changed only there.
        case taken
        /// Removed there, and unchanged here: into the trash.
        case removed
        /// Changed in both: the other's version comes beside, under this path.
        case keptBoth(Path)
        /// Changed here and removed there: it stays.
        case keptHere
        /// Removed here and changed there: it comes back.
        case broughtBack
    }

    /// What is to be done, by path.
    public private(set) var outcomes: [(path: Path, outcome: Outcome)] = []
    /// The newest save that both have in common; nil where there is none.
    public let ancestor: UInt64?

    private let (mine, theirs): (Vault, Vault)
    private var steps: [Step] = []
    /// The present state of each record here, as far as it is planned.
    private var present: [RecordID: Entry]
    private var theirEntries: [RecordID: Entry] = [:]
    /// All versions of each record, here and there.
    private let myVersions, theirVersions: [RecordID: [Entry]]
    /// What of `present` is planned, and not there yet.
    private var planned: Set<RecordID> = []
    /// The inner ids here of folders of the other vault.
    private var folders: [RecordID: RecordID] = [:]
    /// The live folders of the other vault by inner id.
    private let theirFolders: [RecordID: Entry]
    /// Live records with the name of a conflict, by the folder that they lie in: here, and there.
    private var myConflicts: [RecordID?: [RecordID]] = [:]
    private let theirConflicts: [RecordID?: [RecordID]]
    private let comparison: ContentComparison

    private enum Step {
        /// Stores a record of the other vault under an id, parent and title of this one.
        case store(Entry, as: RecordID, in: RecordID?, title: [UInt8], inner: RecordID?)
        case trash(RecordID)
    }

    /// Whether there is nothing to do.
    public var isEmpty: Bool { steps.isEmpty }

    /// Plans; nothing is changed yet.
    ///
    /// - Throws: what reading either vault throws.
    public init(_ theirs: Vault, into mine: Vault) throws {
        (self.mine, self.theirs) = (mine, theirs)
        comparison = try ContentComparison(mine, theirs)
        myVersions = Dictionary(grouping: try mine.versions(), by: \.id)
        theirVersions = Dictionary(grouping: try theirs.versions(), by: \.id)
        ancestor = try Self.ancestor(mine, theirs)
        present = Dictionary(try mine.allEntries().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        theirEntries = Dictionary(try theirs.allEntries().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        theirFolders = Self.folders(theirEntries.values)
        myConflicts = Self.conflicts(present.values)
        theirConflicts = Self.conflicts(theirEntries.values)
        let listing = try theirs.listing { $0.state == .live }
        try checkFolders(listing)
        for (path, entry) in listing where isChanged(entry) { try take(entry, path) }
        guard ancestor != nil else { return }
        try removeWhatTheyRemoved()
    }

    private static func folders(_ entries: some Collection<Entry>) -> [RecordID: Entry] {
        Dictionary(
            entries.filter { $0.kind == Entry.Kind.folder && $0.state == .live }.map { ($0.innerID, $0) },
            uniquingKeysWith: { $0.id < $1.id ? $0 : $1 })
    }

    /// - Throws: `VaultError.movedApart` where one folder has different paths here and there.
    private func checkFolders(_ listing: TreeListing) throws {
        let mine = Self.folders(present.values)
        for (path, folder) in listing where folder.kind == Entry.Kind.folder {
            guard let here = mine[folder.innerID], here.id != folder.id else { continue }
            var tree = VaultTree(Array(present.values))
            throw VaultError.movedApart(try tree.path(of: here), there: path)
        }
    }

    /// The newest save that both remember with one fingerprint.
    private static func ancestor(_ mine: Vault, _ theirs: Vault) throws -> UInt64? {
        guard mine.id == theirs.id else { return nil }
        let saves = Dictionary(
            try mine.lines().map { ($0.sequence, $0.fingerprint) }, uniquingKeysWith: { first, _ in first })
        return try theirs.lines().last { saves[$0.sequence] == $0.fingerprint }?.sequence
    }

    /// Versions of a record since the two went apart, those in the trash not counted; none where they never were one.
    private func history(_ versions: [RecordID: [Entry]], _ id: RecordID) -> [Entry] {
        ancestor == nil ? [] : (versions[id] ?? []).filter { $0.state == .live && isChanged($0) }
    }

    /// Whether a version came after the two went apart.
    private func isChanged(_ entry: Entry) -> Bool { entry.first > ancestor ?? 0 }

    // MARK: What they have

    private mutating func take(_ entry: Entry, _ path: Path) throws {
        guard try entry.hasDerivedID() else {
            throw FormatError(.malformed, "an id that is not the name's", at: entry.place)
        }
        let parent = try entry.parent.map { try folder($0) }
        let isTree = Entry.Kind.tree.contains(entry.kind)
        let title = entry.overview.title
        let id = isTree ? try TreeName.id(title, in: parent) : entry.id
        guard let here = present[id], !here.isTombstone else { return plan(.taken, path, entry, id, parent, title) }
        let isSame = try comparison.isSame(here, entry)
        // What was merged before and then changed or removed on one side is no conflict.
        if !planned.contains(id), isChanged(here), entry.kind != Entry.Kind.folder, !isSame || here.state != .live {
            if try history(myVersions, id).contains(where: { try comparison.isSame($0, entry) }) { return }
            if try here.state == .live
                && history(theirVersions, id).contains(where: { try comparison.isSame(here, $0) })
            {
                return plan(.taken, path, entry, id, parent, title)
            }
        }
        switch (here.state, isChanged(here)) {
        case (.live, _) where isSame && (isChanged(here) || here.overview == entry.overview): return
        // What lies in a folder here is not to lose it.
        case (.live, false) where here.kind != Entry.Kind.folder || entry.kind == Entry.Kind.folder:
            plan(.taken, path, entry, id, parent, title)
        case (.live, _):
            if entry.kind == Entry.Kind.folder, here.kind == Entry.Kind.folder { return }
            if try here.kind != Entry.Kind.folder && isKept(here, besides: entry, in: theirEntries, theirs: true) {
                return plan(.taken, path, entry, id, parent, title)
            }
            if try entry.kind != Entry.Kind.folder && isKept(entry, besides: here, in: present, theirs: false) {
                return
            }
            guard entry.kind != Entry.Kind.folder else {
                let count = steps.count
                let inner = try folder(entry.innerID)
                guard steps.count > count else { return }
                let name = present.values.first { $0.innerID == inner && planned.contains($0.id) }?.overview.title
                return note(.keptBoth(path.parentInTree.appending(name ?? title)), path)
            }
            let (newTitle, newID) = try freeName(entry, parent)
            plan(.keptBoth(path.parentInTree.appending(newTitle)), path, entry, newID, parent, newTitle)
        case (_, true): plan(.broughtBack, path, entry, id, parent, title)
        case (_, false): plan(.taken, path, entry, id, parent, title)
        }
    }

    private mutating func plan(
        _ outcome: Outcome, _ path: Path, _ entry: Entry, _ id: RecordID, _ parent: RecordID?, _ title: [UInt8]
    ) {
        note(outcome, path)
        store(entry, id, parent, title)
    }

    private mutating func note(_ outcome: Outcome, _ path: Path) { outcomes.append((path, outcome)) }

    private mutating func store(_ entry: Entry, _ id: RecordID, _ parent: RecordID?, _ title: [UInt8]) {
        let isFolder = entry.kind == Entry.Kind.folder
        // A folder may have been planned with a record that lies in it.
        if isFolder, folders[entry.innerID] != nil, planned.contains(id) { return }
        var moved = entry
        moved.move(to: id, in: parent, title: title)
        if isFolder { moved.innerID = innerID(of: entry, at: id) }
        present[id] = moved
        if Self.isConflict(moved) { myConflicts[parent, default: []].append(id) }
        planned.insert(id)
        if isFolder { folders[entry.innerID] = moved.innerID }
        steps.append(.store(entry, as: id, in: parent, title: title, inner: isFolder ? moved.innerID : nil))
    }

    /// The inner id of a folder of theirs that is stored at an id here. What lies in a folder that is in the trash here goes
    /// on doing so; a folder that comes under another path than there, beside a file of its name, is another one.
    private func innerID(of entry: Entry, at id: RecordID) -> RecordID {
        if let here = present[id], here.kind == entry.kind, !here.isTombstone,
            theirFolders[here.innerID].map({ $0.id == entry.id }) ?? true
        {
            return here.innerID
        }
        return id == entry.id ? entry.innerID : id
    }

    /// The inner id here of a folder of theirs; it is planned if it is not there.
    private mutating func folder(_ inner: RecordID, depth: Int = 1) throws -> RecordID {
        if let known = folders[inner] { return known }
        // What belongs to a record, and not to a folder, belongs to it here too.
        guard let entry = theirFolders[inner], depth < Limits.treeDepth else { return inner }
        let parent = try entry.parent.map { try folder($0, depth: depth + 1) }
        let here = try TreeName.id(entry.overview.title, in: parent)
        switch present[here] {
        case let there? where there.state == .live && there.kind == Entry.Kind.folder: folders[inner] = there.innerID
        case let there? where there.state == .live:
            // It may have come here before.
            let beginning = Self.parts(entry.overview.title).stem + Array(" (conflict \(entry.first)".utf8)
            let known = (myConflicts[parent] ?? []).compactMap { present[$0] }.first {
                $0.state == .live && $0.kind == Entry.Kind.folder && $0.overview.title.starts(with: beginning)
            }
            if let known {
                folders[inner] = known.innerID
            } else {
                let (title, other) = try freeName(entry, parent)
                store(entry, other, parent, title)
            }
        default: store(entry, here, parent, entry.overview.title)
        }
        return folders[inner] ?? inner
    }

    /// Whether a side has merged the other before, and kept this record of the other's beside its own.
    private func isKept(_ record: Entry, besides own: Entry, in entries: [RecordID: Entry], theirs: Bool) throws -> Bool
    {
        let beginning = Self.parts(own.overview.title).stem + Self.conflictMark
        let candidates = (theirs ? theirConflicts : myConflicts)[own.parent] ?? []
        return try candidates.contains { id in
            guard let kept = entries[id], kept.state == .live, !planned.contains(id), isChanged(kept),
                kept.overview.title.starts(with: beginning)
            else { return false }
            return try theirs ? comparison.isSame(record, kept) : comparison.isSame(kept, record)
        }
    }

    private static let conflictMark = Array(" (conflict ".utf8)

    private static func isConflict(_ entry: Entry) -> Bool {
        entry.state == .live && entry.overview.title.firstRange(of: conflictMark) != nil
    }

    private static func conflicts(_ entries: some Collection<Entry>) -> [RecordID?: [RecordID]] {
        Dictionary(grouping: entries.filter(isConflict), by: \.parent).mapValues { $0.map(\.id).sorted() }
    }

    private static func parts(_ title: [UInt8]) -> (stem: ArraySlice<UInt8>, ending: ArraySlice<UInt8>) {
        let dot = title.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 && title.count - $0 <= 16 ? $0 : nil }
        let (stem, ending) = (title[..<(dot ?? title.count)], title[(dot ?? title.count)...])
        // With room for the longest mark.
        return (stem.prefix(Limits.titleByteCount - 48 - ending.count), ending)
    }

    /// `report (conflict 12).pdf`: a name that is free on both sides for what they have of save 12.
    private func freeName(_ entry: Entry, _ parent: RecordID?) throws -> (title: [UInt8], id: RecordID) {
        let (stem, ending) = Self.parts(entry.overview.title)
        var mark = " (conflict \(entry.first))"
        var number = 1
        while true {
            let candidate = Array(stem) + Array(mark.utf8) + ending
            let id = try TreeName.id(candidate, in: parent)
            if present[id] == nil, theirEntries[id] == nil { return (candidate, id) }
            number += 1
            mark = " (conflict \(entry.first)-\(number))"
        }
    }

    // MARK: What they removed

    private mutating func removeWhatTheyRemoved() throws {
        var children: [RecordID: Int] = [:]
        for entry in present.values where entry.state == .live {
            if let parent = entry.parent { children[parent, default: 0] += 1 }
        }
        let listed = try mine.listing { $0.state == .live }
        // What is in a folder goes before it.
        for (path, here) in listed.reversed() {
            guard let there = theirEntries[here.id], there.state != .live, isChanged(there),
                present[here.id]?.first == here.first
            else { continue }
            if try isChanged(here)
                && !history(theirVersions, here.id).contains(where: { try comparison.isSame(here, $0) })
            {
                note(.keptHere, path)
            } else if children[here.innerID, default: 0] == 0 {
                steps.append(.trash(here.id))
                note(.removed, path)
                if let parent = here.parent { children[parent, default: 1] -= 1 }
            }
        }
    }

    // MARK: Doing it

    /// Carries the plan out in a save that starts from the state it was made for.
    public func carryOut(in transaction: Transaction) throws {
        var reader = try theirs.reader()
        for step in steps {
            switch step {
            case .trash(let id): if let entry = try transaction.entry(id) { try transaction.trash(entry) }
            case .store(let entry, let id, let parent, let title, let inner):
                do {
                    try reader.open(entry)
                    try transaction.store(entry, as: id, in: parent, title: title, inner: inner) {
                        try reader.pull(into: &$0)
                    }
                } catch let fault as Fault {
                    throw try theirs.diagnose(fault)
                }
            }
        }
    }
}
