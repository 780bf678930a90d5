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
    /// The steps of the merge: one at most for each id.
    private var steps: [RecordID: Step] = [:]
    /// The ids of the steps, in the order in which they were planned.
    private var order: [RecordID] = []
    /// The list of merged saves as it will be; nil where it stays as it is.
    var merged: MergedSaves?
    /// The planned state of the ids that have a step.
    private(set) var planned: [RecordID: Entry] = [:]
    /// Records of theirs that are not stored here.
    private(set) var leftOut: [RecordID: Entry] = [:]
    /// Records of theirs that passed the gate.
    private var passed: Set<RecordID> = []
    /// The live folders that are to be here, by inner id, where they are new or have another path.
    private(set) var folders: [RecordID: Entry] = [:]
    /// Folders here that were removed there, and whose path something else has now.
    var orphans: [Entry] = []
    /// Owners that were looked at, to bring them back.
    var broughtBack: Set<RecordID> = []
    /// The titles that the attachments of an owner have after the merge, and the next number for a title.
    var attachmentNames: [RecordID?: (titles: Set<[UInt8]>, next: [[UInt8]: Int])] = [:]
    /// The results of `oldest`.
    var formerPaths: [Former: Former?] = [:]
    /// A folder that has another path there than here.
    var movedApart: VaultError?
    /// The present states there, tombstones too, that this side does not know.
    private let changed: [Entry]
    private let changedIDs: Set<RecordID?>
    let comparison: ContentComparison
    let parts: Parts?

    /// One state of a record, and the vault that it can be read from.
    public typealias State = (vault: Vault, entry: Entry)

    indirect enum Step {
        /// Stores a record of the other vault as what is planned.
        case store(RecordID)
        /// Stores a record of this vault once more, as what is planned.
        case keep(Entry)
        /// Puts what is planned at its id, whose content is stored already.
        case place
        /// Puts the tombstone of a move at the id of a record.
        case leave(Entry)
        case trash
        /// Says of the version here that it is the one which another save made.
        case adopt(Entry, VersionOrigin)
        /// Says that a record is gone which never was here, for copies that have it.
        case bury
        /// Gives a record here another overview.
        case relabel(Entry, Overview)
        /// Stores what was joined of a record here and its other version.
        case write(Entry, Overview, content: [UInt8])
    }

    /// Plans a step: the last one for an id counts.
    ///
    /// - Parameter entry: what will be at the id; nil where that is not asked for any more.
    mutating func plan(_ step: Step, at id: RecordID, _ entry: Entry?) {
        if steps.updateValue(step, forKey: id) == nil { order.append(id) }
        planned[id] = entry
        guard let entry, entry.kind == .folder, entry.state == .live else { return }
        folders[entry.innerID] = entry
    }

    /// Plans that a record here is gone from its path.
    mutating func leave(_ former: Entry) throws {
        plan(.leave(former), at: former.id, try Entry(burying: former, as: .moved, at: former.first, former.updated))
    }

    /// True if there is nothing to do. There may be something to remember although all that the other has is here.
    public var isEmpty: Bool { steps.isEmpty && merged == nil }

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
            if leftOut.updateValue(entry, forKey: entry.id) == nil { note(.leftOut(fault.reason), path) }
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
        changedIDs = Set(changed.map { $0.id })
        if let unreadable { note(.leftOut(unreadable), BytePath("merged-saves")) }
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
        if mine.vault.id == theirs.vault.id { try removeWhatTheyRemoved(states) }
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
        if entry.kind == .folder { return try takeFolder(entry, path) }
        if entry.kind.isInTree {
            if let parent = entry.parent { try ensureFolder(parent) }
        } else {
            if let owner = entry.parent {
                try ensureOwner(owner)
                try bringBack(owner)
                if planned[entry.id] != nil { return }
            }
            if let here = try mine.entry(entry.id), here.state != .live { return try bringBack(entry.id) }
        }
        try takeAlone(entry, path)
    }

    /// Takes what is no folder, whose folder or owner is here.
    private mutating func takeAlone(_ entry: Entry, _ path: BytePath) throws {
        try checkKind(entry)
        guard let here = try present(entry.id), !here.isTombstone else {
            if entry.kind == .attachment, let title = try freeAttachmentName(entry) {
                return try store(
                    .keptBoth(path.parentInTree.appending(title)), path, entry, as: entry.named(title, entry.id))
            }
            return try store(.taken, path, entry, as: entry)
        }
        let isPlanned = planned[entry.id] != nil
        if let (one, other) = try origins(here, entry), one == other, !isPlanned { return }
        let isSame = try isSame(here, entry)
        let isNews = try isPlanned || isChanged(here)
        switch (here.state, isNews) {
        case (.live, true) where isSame: try joinOverviews(entry, here, path)
        case (.live, false) where isSame && here.overview == entry.overview:
            if let origin = theirs.origin(of: entry) { plan(.adopt(here, origin), at: here.id, here) }
        // A folder here must not lose its contents.
        case (.live, false) where here.kind != .folder: try store(.taken, path, entry, as: entry)
        case (.live, false) where try isRemovedThere(here), (.trashed, _) where here.kind == .folder:
            try moveAside(here)
            try store(.taken, path, entry, as: entry)
        case (.live, _) where entry.kind == .watermark || entry.kind == .thumbnail:
            // Only one of an attachment is found: the later one.
            if let (one, other) = try origins(here, entry), one < other, !isPlanned {
                try store(.taken, path, entry, as: entry)
            } else if isTold(entry) {
                note(.keptHere, path)
            }
        case (.live, _):
            if try joins(entry, here, path) { return }
            guard let (title, id) = try freeName(entry) else { return }
            let copy = entry.named(title, id)
            let herePath = isPlanned ? path : try mine.path(here)
            try store(.keptBoth(path.parentInTree.appending(title)), herePath, entry, as: copy)
        case (_, true): try store(.broughtBack, path, entry, as: entry)
        case (_, false): try store(.taken, path, entry, as: entry)
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
        plan(.write(here, joined.overview, content: joined.content), at: here.id, here)
        note(.joined, path)
        return true
    }

    /// The gate: what comes from another vault keeps the rules that readers apply, and those that writers keep.
    ///
    /// - Throws: `LeftOut`.
    mutating func checkStorable(_ entry: Entry) throws {
        if passed.contains(entry.id) { return }
        guard try entry.id != MergedSaves.id() else { throw LeftOut(reason: "a record of another kind has its id") }
        do {
            try entry.checkStorable()
            guard entry.fitsInAnyState else {
                throw FormatError(.malformed, "title, group and tags together are longer than 16 KiB")
            }
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
        guard entry.kind != .folder || entry.innerID != .zero && !theirs.doubled.contains(entry.innerID) else {
            throw LeftOut(reason: "two folders with one inner id")
        }
        passed.insert(entry.id)
    }

    /// Holds a record of theirs against the kind of what has its id here. A file, folder and symlink may follow each other.
    ///
    /// - Throws: `LeftOut`.
    func checkKind(_ entry: Entry) throws {
        guard let here = try present(entry.id), !here.isTombstone else { return }
        guard here.kind == entry.kind || here.kind.isInTree && entry.kind.isInTree else {
            throw LeftOut(reason: "a record of another kind has its id")
        }
    }

    mutating func note(_ outcome: Outcome, _ path: BytePath) { outcomes.append((path, outcome)) }

    /// False of what goes without saying: the thumbnail or mark of an attachment that changed too.
    private func isTold(_ entry: Entry) -> Bool {
        ![.thumbnail, .watermark].contains(entry.kind) || !changedIDs.contains(entry.parent)
    }

    /// Plans that a record of theirs is stored, and tells it.
    ///
    /// - Parameter version: the record with the id, parent and title that it gets here.
    mutating func store(_ outcome: Outcome, _ path: BytePath, _ entry: Entry, as version: Entry) throws {
        try checkStorable(entry)
        try checkKind(version)
        var version = version
        let isItself = version.id == entry.id && version.overview.title == entry.overview.title
        // A version that comes as it was is the same one here; so are all copies of it under the name of a conflict.
        version.origin = isItself || version.id != entry.id ? theirs.origin(of: entry) : nil
        version.formerID = nil
        if isItself, let former = try formerPath(of: entry) {
            version.formerID = former.id
            try leave(former)
            note(.moved(path), try mine.path(former))
        } else if isTold(entry) {
            note(outcome, path)
        }
        plan(.store(entry.id), at: version.id, version)
        if version.kind == .attachment { attachmentNames[version.parent]?.titles.insert(version.overview.title) }
    }

    /// Brings in, as records in the trash, the copies that were given away there of something that is in the trash there:
    /// the record of a share and its original stay, whatever becomes of their card.
    private mutating func takeEvidence() throws {
        for share in changed where share.kind == .share && share.state == .trashed {
            let original = try share.parent.flatMap { try theirs.entry($0) }
            for entry in [original, share].compactMap(\.self) where entry.state == .trashed && !entry.kind.isInTree {
                // One that is in the trash here may have been asked back there.
                let here = try present(entry.id)
                guard try here.map({ try $0.state == .trashed && entry.id == share.id && !isChanged($0) }) ?? true
                else {
                    continue
                }
                let path = BytePath(entry.overview.title)
                try leavingOut(entry, path) { merge in
                    try merge.store(.taken, path, entry, as: entry)
                }
            }
        }
    }

    // MARK: What they removed

    /// Puts into the trash what is gone there, also what stayed here when that was merged: it may have nothing new any more
    /// that belongs to it.
    private mutating func removeWhatTheyRemoved(_ states: [Entry]) throws {
        for gone in changed where try gone.state != .live && present(gone.id) == nil { plan(.bury, at: gone.id, nil) }
        let doomed = try states.filter { $0.state != .live && planned[$0.id] == nil }
            .compactMap { try mine.entry($0.id) }.filter { $0.state == .live }
        let kept = try keptUnits(doomed)
        // A record that was moved there stays at its old path if its new version was left out.
        let awaited = Set(leftOut.values.compactMap(\.formerID))
        let parents = Set((doomed + orphans).map(\.innerID))
        var children = try mine.childCounts(parents, without: planned)
        for entry in planned.values where entry.state == .live {
            if let parent = entry.parent, parents.contains(parent) { children[parent, default: 0] += 1 }
        }
        // The contents of a folder go before the folder. What belongs to a record goes with it, or stays with it.
        for (path, here) in try mine.listing(doomed).reversed() {
            if try kept.contains(here.id) || isChanged(here) || awaited.contains(here.id) {
                if changedIDs.contains(here.id), isTold(here) { note(.keptHere, path) }
            } else if !here.kind.isInTree || children[here.innerID, default: 0] == 0 {
                plan(.trash, at: here.id, nil)
                if isTold(here) { note(.removed, path) }
                if let parent = here.parent { children[parent, default: 1] -= 1 }
            }
        }
        for var orphan in orphans {
            let path = try mine.path(orphan)
            if children[orphan.innerID, default: 0] == 0 {
                orphan.state = .trashed
                plan(.place, at: orphan.id, orphan)
                note(.removed, path)
            } else {
                note(.keptHere, path)
            }
        }
    }

    /// Carries the plan out in a save that starts from the state it was made for. Records that share a stored one there go on
    /// sharing it.
    public func carryOut(in transaction: VaultTransaction) throws {
        var reader = try theirs.vault.reader()
        var own = try mine.vault.reader()
        var stored: [StoredContent.Key: RecordID] = [:]
        let shared = try sharedPlaces()
        for id in order {
            switch (steps[id], planned[id]) {
            case (.store(let other), let version?):
                guard let entry = try theirs.entry(other) else { preconditionFailure("what is stored is there") }
                let key = StoredContent.Key(entry)
                do {
                    if stored[key] == nil { try reader.open(entry) }
                    try transaction.store(version, contentOf: stored[key]) { try reader.pull(into: &$0) }
                } catch let fault as Fault {
                    throw try theirs.vault.diagnose(fault)
                }
                if shared.contains(entry.place) { stored[key] = id }
            case (.keep(let entry), let version?):
                try own.open(entry)
                try transaction.store(version, contentOf: nil) { try own.pull(into: &$0) }
            case (.place, let version?): try transaction.place(version)
            case (.leave(let entry), _): try transaction.leave(entry)
            case (.trash, _): if let entry = try transaction.entry(id) { try transaction.trash(entry) }
            case (.adopt(let entry, let origin), _): try transaction.adopt(entry, origin)
            case (.bury, _): try transaction.bury(id)
            case (.relabel(let entry, let overview), _): try transaction.updateMetadata(entry, overview)
            case (.write(let entry, let overview, let content), _):
                try transaction.put(
                    id, kind: entry.kind, parent: entry.parent, overview: overview, content: content)
            case (_, nil), (nil, _): preconditionFailure("what is stored is planned")
            }
        }
        try merged?.write(in: transaction)
    }

    /// The places in their file of stored records that several records share.
    private func sharedPlaces() throws -> Set<UInt64> {
        var (once, shared) = (Set<UInt64>(), Set<UInt64>())
        for case .store(let id) in steps.values {
            if let entry = try theirs.entry(id), !once.insert(entry.place).inserted { shared.insert(entry.place) }
        }
        return shared
    }
}
