public import VaultFormat

/// Brings what was done to a copy of a vault, since the two went apart, into this one (Spec/store.md, 13). Nothing that
/// either side holds is lost: what both changed is kept twice, what one changed and the other removed is kept.
public struct Merge {
    /// The result for one record of the other vault.
    public enum Outcome: Sendable, Equatable {
        /// New here, or changed only there.
        case taken
        /// Removed there, and unchanged here: into the trash.
        case removed
        /// Moved there to this path, and unchanged here.
        case moved(BytePath)
        /// Changed in both, and joined from both: no part of it was changed twice.
        case joined
        /// Changed in both: the other's version comes beside, under this path.
        case keptBoth(BytePath)
        /// Changed here and removed there: it stays.
        case keptHere
        /// Removed here and changed there: it comes back.
        case broughtBack
        /// Not stored here, for this reason: it breaks a rule of the format, or another kind of record has its id.
        case leftOut(Phrase)
    }

    /// The results, by path.
    public private(set) var outcomes: [(path: BytePath, outcome: Outcome)] = []
    /// The newest save that both have in common; nil where there is none.
    public let ancestor: UInt64?

    let mine, theirs: MergeSide
    var steps: [Step] = []
    /// The planned state of the records that are to be stored here.
    var planned: [RecordID: Entry] = [:]
    /// Records of theirs that are not stored here.
    private(set) var leftOut: [Entry] = []
    /// Records of theirs that passed the gate.
    private var passed: Set<RecordID> = []
    /// The inner ids here of folders of the other vault.
    var folders: [RecordID: RecordID] = [:]
    /// The records that get other paths here, with their old ones.
    var left: [Entry] = []
    /// A folder that has another path there than here.
    var movedApart: VaultError?
    /// The present states there, tombstones too, that this side does not know.
    private let changed: [Entry]
    /// What belongs to the owners of parts that changed there, planned parts too.
    private(set) var partsHere: [RecordID?: [Entry]] = [:]
    let comparison: ContentComparison
    let parts: Parts?

    /// One state of a record, and the vault that it can be read from.
    public typealias State = (vault: Vault, entry: Entry)

    enum Step {
        /// Stores a record of the other vault as a version of this one.
        case store(Entry, as: Entry)
        case trash(RecordID)
        /// Stores a record of this vault once more, under another name.
        case keep(Entry, as: Entry)
        /// Says of the version here that it is the one which another save made.
        case adopt(Entry, VersionOrigin)
        /// Says that a record is gone which never was here, for copies that have it.
        case bury(RecordID)
        /// Gives a folder here the path that it has there.
        case place(Entry)
        /// Says of a record here that it is at another path now.
        case leave(Entry)
        /// Remembers the saves whose changes are in this vault now.
        case remember(Set<Bytes16>)
        /// Gives a record here another overview.
        case relabel(Entry, Overview)
        /// Stores what was joined of a record here and its other version.
        case write(Entry, Overview, content: [UInt8])
    }

    /// True if there is nothing to do. There may be something to remember although all that the other has is here.
    public var isEmpty: Bool { steps.isEmpty }

    /// True if something of the other vault is not here afterwards, as its outcome says.
    public var isPartial: Bool {
        outcomes.contains { if case .leftOut = $0.outcome { true } else { false } }
    }

    /// The reason why an entry of the other vault is not stored.
    struct LeftOut: Error {
        let reason: Phrase
    }

    /// Runs a step for one record of theirs, and notes where it is left out.
    mutating func leavingOut(_ entry: Entry, _ path: BytePath, _ body: (inout Merge) throws -> Void) throws {
        do { try body(&self) } catch let fault as LeftOut {
            leftOut.append(entry)
            note(.leftOut(fault.reason), path)
        }
    }

    /// Plans; nothing is changed yet.
    ///
    /// - Parameter parts: makes one of two versions where it can; else both are kept.
    /// - Throws: what reading either vault throws.
    public init(_ other: Vault, into vault: Vault, parts: Parts? = nil) throws {
        self.parts = parts
        comparison = try ContentComparison(vault, other)
        let (mine, theirs) = (try MergeSide(vault), try MergeSide(other))
        (self.mine, self.theirs) = (mine, theirs)
        ancestor = Self.ancestor(mine, theirs)
        // A broken list of this side knows less, and the merge writes it anew.
        _ = try Self.fault { try mine.readMergedSaves() }
        let unreadable = try Self.fault { try theirs.readMergedSaves() }
        let states = try theirs.states(since: ancestor ?? 0, besides: mine)
        changed = try states.filter { try !mine.knows($0, of: theirs) }
        if let unreadable { note(.leftOut(unreadable), BytePath("merged-saves")) }
        let owners = Set(changed.filter { $0.state == .live && !$0.kind.isInTree }.compactMap(\.parent))
        for owner in owners { partsHere[owner] = try mine.parts(of: owner) }
        try followFolders()
        for (path, entry) in try theirs.listing(changed.filter { $0.state == .live }) {
            // An entry without a title is named by its id.
            let path =
                entry.overview.title.isEmpty
                ? path.appending(Array(hexText(Array(entry.id.bytes.prefix(4))).utf8)) : path
            try leavingOut(entry, path) { try $0.take(entry, path) }
        }
        try settle(states)
        try takeEvidence()
        if ancestor != nil { try removeWhatTheyRemoved() }
        steps += left.map { .leave($0) }
        try checkTree()
        if !changed.isEmpty { try remember() }
    }

    /// The reason why something that is read is malformed; nil if it is not.
    private static func fault(_ read: () throws -> Void) throws -> Phrase? {
        do { try read() } catch let error as FormatError where error.code == .malformed { return error.what }
        return nil
    }

    /// The state of a record here, as far as it is planned.
    func present(_ id: RecordID) throws -> Entry? { try planned[id] ?? mine.entry(id) }

    // MARK: What they have

    private mutating func take(_ entry: Entry, _ path: BytePath) throws {
        try checkStorable(entry)
        let parent = try entry.parent.map { try folder($0, of: entry) }
        let isTree = entry.kind.isInTree
        let title = entry.overview.title
        let id = isTree ? try TreeName.id(title, in: parent) : entry.id
        if !isTree, let owner = entry.parent {
            try bringBack(owner)
            if planned[id] != nil { return }
        }
        if !isTree, let here = try mine.entry(id), here.state != .live { return try bringBack(id) }
        try checkKind(entry, at: id)
        guard let here = try present(id), !here.isTombstone else {
            if entry.kind == .attachment, let other = try freeAttachmentName(entry, parent) {
                return try plan(.keptBoth(path.parentInTree.appending(other)), path, entry, id, parent, other)
            }
            return try plan(.taken, path, entry, id, parent, title)
        }
        if let (one, other) = try origins(here, entry), one == other, planned[id] == nil { return }
        let isSame = try isSame(here, entry)
        let isNews = try planned[id] != nil || isChanged(here)
        switch (here.state, isNews) {
        case (.live, true) where isSame: try joinOverviews(entry, here, path)
        case (.live, false) where isSame && here.overview == entry.overview:
            if let origin = theirs.origin(of: entry) { steps.append(.adopt(here, origin)) }
        // A folder here must not lose its contents.
        case (.live, false) where here.kind != .folder || entry.kind == .folder:
            try plan(.taken, path, entry, id, parent, title)
        case (.live, _):
            if entry.kind == .folder, here.kind == .folder { return }
            guard entry.kind != .folder else { return _ = try folder(entry.innerID) }
            if try joins(entry, here, path) { return }
            guard let (newTitle, newID) = try freeName(entry, parent) else { return }
            try plan(.keptBoth(path.parentInTree.appending(newTitle)), path, entry, newID, parent, newTitle)
        case (_, true): try plan(.broughtBack, path, entry, id, parent, title)
        case (_, false): try plan(.taken, path, entry, id, parent, title)
        }
    }

    /// True if two versions say the same: of a record whose labels are parts of it, with these.
    func isSame(_ one: Entry, _ other: Entry, besidesTitle: Bool = false) throws -> Bool {
        guard let parts, parts.hasLabels(one.kind) else { return try comparison.isSame(one, other) }
        let (mine, theirs) = (one.overview, other.overview)
        return try (besidesTitle || mine.title == theirs.title) && mine.group == theirs.group
            && mine.tags == theirs.tags && mine.isPinned == theirs.isPinned && comparison.isSame(one, other)
    }

    /// True if the two versions became one, or what is here has all of the other already.
    private mutating func joins(_ entry: Entry, _ here: Entry, _ path: BytePath) throws -> Bool {
        guard let parts, planned[here.id] == nil, entry.kind == here.kind, entry.id == here.id else { return false }
        guard let joined = try parts.join(base(here.id), (mine.vault, here), (theirs.vault, entry))
        else { return false }
        let content = try mine.vault.content(of: here, limit: Int(here.length))
        guard joined.content != content || joined.overview != here.overview else { return true }
        planned[here.id] = here
        steps.append(.write(here, joined.overview, content: joined.content))
        note(.joined, path)
        return true
    }

    /// The gate: what comes from another vault keeps the rules that readers apply, and those that writers keep.
    ///
    /// - Throws: `LeftOut`.
    private mutating func checkStorable(_ entry: Entry) throws {
        if passed.contains(entry.id) { return }
        guard try entry.id != MergedSaves.id() else { throw LeftOut(reason: "a record of another kind has its id") }
        do {
            try entry.checkStorable()
            if entry.kind == .symlink {
                var reader = try theirs.vault.reader()
                _ = try theirs.vault.symlinkTarget(entry, with: &reader)
            }
            try parts?.check((theirs.vault, entry))
        } catch let error as FormatError where error.code == .malformed || error.code == .unsupported {
            throw LeftOut(reason: error.what)
        }
        guard !entry.kind.isInTree || theirs.isListed(entry.parent) else {
            throw LeftOut(reason: "the folder that it lies in is not there")
        }
        passed.insert(entry.id)
    }

    /// Holds a record of theirs against the kind of what has its id here. A file, folder and symlink may follow each other.
    ///
    /// - Throws: `LeftOut`.
    private func checkKind(_ entry: Entry, at id: RecordID) throws {
        guard let here = try present(id), !here.isTombstone else { return }
        guard here.kind == entry.kind || here.kind.isInTree && entry.kind.isInTree else {
            throw LeftOut(reason: "a record of another kind has its id")
        }
    }

    mutating func plan(
        _ outcome: Outcome, _ path: BytePath, _ entry: Entry, _ id: RecordID, _ parent: RecordID?, _ title: [UInt8]
    ) throws {
        try store(entry, id, parent, title)
        guard let former = try planned[id]?.formerID.flatMap({ try mine.entry($0) }) else { return note(outcome, path) }
        note(.moved(path), try mine.listing([former])[0].path)
    }

    mutating func note(_ outcome: Outcome, _ path: BytePath) { outcomes.append((path, outcome)) }

    mutating func store(_ entry: Entry, _ id: RecordID, _ parent: RecordID?, _ title: [UInt8]) throws {
        let isFolder = entry.kind == .folder
        // A folder may have been planned with a record that lies in it.
        if isFolder, folders[entry.innerID] != nil, planned[id] != nil { return }
        try checkStorable(entry)
        try checkKind(entry, at: id)
        var moved = entry
        moved.move(to: id, in: parent, title: title)
        (moved.state, moved.origin, moved.formerID) = (.live, nil, nil)
        if isFolder { moved.innerID = try innerID(of: entry, at: id) }
        // A version that comes as it was is the same one here.
        if (moved.id, moved.parent, moved.overview.title) == (entry.id, entry.parent, entry.overview.title) {
            moved.origin = theirs.origin(of: entry)
            moved.formerID = try leftFor(entry)
        }
        planned[id] = moved
        if moved.kind == .attachment { partsHere[parent, default: []].append(moved) }
        if isFolder { folders[entry.innerID] = moved.innerID }
        steps.append(.store(entry, as: moved))
        if let former = try moved.formerID.flatMap({ try mine.entry($0) }) { try leave(former) }
    }

    /// Brings in, as records in the trash, the copies that were given away there of something that is in the trash there:
    /// the record of a share and its original stay, whatever becomes of their card.
    private mutating func takeEvidence() throws {
        for share in changed where share.kind == .share && share.state == .trashed {
            guard try present(share.id) == nil else { continue }
            let original = try share.parent.flatMap { try theirs.entry($0) }
            for entry in [original, share].compactMap(\.self) where entry.state == .trashed && !entry.kind.isInTree {
                guard try present(entry.id) == nil else { continue }
                let path = BytePath(entry.overview.title)
                try leavingOut(entry, path) { merge in
                    try merge.plan(.taken, path, entry, entry.id, entry.parent, entry.overview.title)
                    merge.steps.append(.trash(entry.id))
                }
            }
        }
    }

    // MARK: What they removed

    private mutating func removeWhatTheyRemoved() throws {
        for gone in changed where try gone.state != .live && present(gone.id) == nil {
            steps.append(.bury(gone.id))
        }
        let doomed = try changed.filter { $0.state != .live && planned[$0.id] == nil }
            .compactMap { try mine.entry($0.id) }.filter { $0.state == .live }
        let kept = try keptUnits(doomed)
        let parents = Set(doomed.map(\.innerID))
        var children = try mine.childCounts(parents, without: planned)
        for entry in planned.values {
            if let parent = entry.parent, parents.contains(parent) { children[parent, default: 0] += 1 }
        }
        // The contents of a folder go before the folder. What belongs to a record goes with it, or stays with it.
        for (path, here) in try mine.listing(doomed).reversed() {
            if try kept.contains(here.id) || isChanged(here) {
                note(.keptHere, path)
            } else if !here.kind.isInTree || children[here.innerID, default: 0] == 0 {
                steps.append(.trash(here.id))
                note(.removed, path)
                if let parent = here.parent { children[parent, default: 1] -= 1 }
            }
        }
    }

    /// Carries the plan out in a save that starts from the state it was made for. Records that share a stored one there go on
    /// sharing it.
    public func carryOut(in transaction: VaultTransaction) throws {
        var reader = try theirs.vault.reader()
        var own = try mine.vault.reader()
        var stored: [StoredContent.Key: RecordID] = [:]
        let shared = sharedPlaces()
        for step in steps {
            switch step {
            case .write(let entry, let overview, let content):
                try transaction.put(
                    entry.id, kind: entry.kind, parent: entry.parent, overview: overview, content: content)
            case .trash(let id): if let entry = try transaction.entry(id) { try transaction.trash(entry) }
            case .relabel(let entry, let overview): try transaction.updateMetadata(entry, overview)
            case .adopt(let entry, let origin): try transaction.adopt(entry, origin)
            case .bury(let id): try transaction.bury(id)
            case .remember(let saves): try MergedSaves.write(saves, in: transaction)
            case .place(let moved): try transaction.place(moved)
            case .leave(let entry): try transaction.leave(entry)
            case .keep(let entry, let copy):
                try own.open(entry)
                try transaction.store(copy, contentOf: nil) { try own.pull(into: &$0) }
            case .store(let entry, let version):
                let key = StoredContent.Key(entry)
                do {
                    if stored[key] == nil { try reader.open(entry) }
                    try transaction.store(version, contentOf: stored[key]) { try reader.pull(into: &$0) }
                } catch let fault as Fault {
                    throw try theirs.vault.diagnose(fault)
                }
                if shared.contains(entry.place) { stored[key] = version.id }
            }
        }
    }

    /// The places in their file of stored records that several records share.
    private func sharedPlaces() -> Set<UInt64> {
        var (once, shared) = (Set<UInt64>(), Set<UInt64>())
        for case .store(let entry, _) in steps where !once.insert(entry.place).inserted {
            shared.insert(entry.place)
        }
        return shared
    }
}
