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
    private(set) var steps: [RecordID: Step] = [:]
    /// The ids of the steps, in the order in which they were planned.
    private(set) var order: [RecordID] = []
    /// The list of merged saves as it will be; nil where it stays as it is.
    var merged: MergedSaves?
    /// The planned state of the ids that have a step.
    var planned: [RecordID: Entry] = [:]
    /// Records of theirs that are not stored here.
    private(set) var leftOut: [RecordID: Entry] = [:]
    /// Records of theirs that passed the gate.
    var passed: Set<RecordID> = []
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
    /// The present states there since that save, tombstones too.
    let states: [Entry]
    /// Those of them that this side does not know.
    let changed: [Entry]
    let changedIDs: Set<RecordID?>
    let comparison: ContentComparison
    let parts: Parts?

    /// The knowledge that a program has of the parts of its records.
    public struct Parts {
        /// True of records whose title, group, tags and pin count as much as their content.
        let hasLabels: (Entry.Kind) -> Bool
        /// Throws `FormatError.malformed` where the content is not what the kind of its record says.
        let check: (State) throws -> Void
        /// Joins two changes of one state of a record; nil where both changed the same part, or nobody knows its parts.
        let join: (_ old: State?, _ mine: State, _ theirs: State) throws -> (overview: Overview, content: [UInt8])?
        /// Title and id of a copy beside a record whose name says which it is; nil for any other.
        let copyName: (_ entry: Entry, _ number: String) throws -> (title: [UInt8], id: RecordID)?

        /// All four.
        public init(
            labelsOf hasLabels: @escaping (Entry.Kind) -> Bool, check: @escaping (State) throws -> Void = { _ in },
            join: @escaping (State?, State, State) throws -> (overview: Overview, content: [UInt8])?,
            copyName: @escaping (Entry, String) throws -> (title: [UInt8], id: RecordID)?
        ) {
            (self.hasLabels, self.check, self.join, self.copyName) = (hasLabels, check, join, copyName)
        }
    }

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

    /// Compares what the two sides know; nothing is planned yet.
    init(comparing other: Vault, with vault: Vault, _ parts: Parts?) throws {
        self.parts = parts
        comparison = try ContentComparison(vault, other)
        let (mine, theirs) = (try MergeSide(vault), try MergeSide(other))
        (self.mine, self.theirs) = (mine, theirs)
        ancestor = Self.ancestor(mine, theirs)
        // A broken list of this side knows less, and the merge writes it anew.
        _ = try Self.fault { try mine.readMergedSaves() }
        let unreadable = try Self.fault { try theirs.readMergedSaves() }
        states = try theirs.states(since: ancestor ?? 0, besides: mine)
        changed = try states.filter { try !mine.knows($0, of: theirs) }
        changedIDs = Set(changed.map { $0.id })
        if let unreadable { note(.leftOut(unreadable), BytePath("merged-saves")) }
    }

    /// The newest save that both remember with one fingerprint.
    private static func ancestor(_ mine: MergeSide, _ theirs: MergeSide) -> UInt64? {
        guard mine.vault.id == theirs.vault.id else { return nil }
        return theirs.saves.filter { mine.saves[$0.key] == $0.value }.keys.max()
    }

    /// The reason why something that is read is malformed; nil if it is not.
    private static func fault(_ read: () throws -> Void) throws -> Phrase? {
        do { try read() } catch let error as FormatError where error.code == .malformed { return error.what }
        return nil
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

    /// The state of a record here, as far as it is planned.
    func present(_ id: RecordID) throws -> Entry? { try planned[id] ?? mine.entry(id) }

    /// True if two versions say the same: of a record whose labels are parts of it, with these.
    func isSame(_ one: Entry, _ other: Entry, besidesTitle: Bool = false) throws -> Bool {
        guard let parts, parts.hasLabels(one.kind) else { return try comparison.isSame(one, other) }
        let (mine, theirs) = (one.overview, other.overview)
        return try (besidesTitle || mine.title == theirs.title) && mine.group == theirs.group
            && mine.tags == theirs.tags && mine.isPinned == theirs.isPinned && comparison.isSame(one, other)
    }

    mutating func note(_ outcome: Outcome, _ path: BytePath) { outcomes.append((path, outcome)) }

    /// True if a version here is one that the other side never had.
    func isChanged(_ here: Entry) throws -> Bool { try !theirs.knows(here, of: mine) }

    /// The origins of a version here and of one there; nil where a file has no line of its save.
    func origins(_ here: Entry, _ entry: Entry) throws -> (VersionOrigin, VersionOrigin)? {
        guard let one = mine.origin(of: here), let other = theirs.origin(of: entry) else { return nil }
        return (one, other)
    }
}
