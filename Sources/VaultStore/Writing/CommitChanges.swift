import Synchronization
import VaultFormat

/// The entries that one commit changes, on top of the state on which it builds. Nothing is stored here.
final class CommitChanges {
    /// The state on which the commit builds.
    struct Basis {
        let vaultID: VaultID
        let epoch: Epoch
        fileprivate(set) var sequence: UInt64
        /// The offset at which the commit starts.
        let start: UInt64
        /// The state so far; nil in a new log.
        var previous: Vault?
        /// The newest save of the log that this new one takes the place of.
        var replaced: Bytes32?
        /// An extension area that this commit writes; nil where that of the log stays in force.
        var extensions: [UInt8]?

        /// The fingerprint of the save before; zero before a vault's first.
        var fingerprint: Bytes32 { previous?.record.core.fingerprint ?? replaced ?? .zero }
    }

    private(set) var basis: Basis
    let time: Timestamp
    /// Their new states.
    var entries = PackedEntries()
    /// The versions that they end.
    var past: [Entry] = []
    /// The ids of changed folders.
    private(set) var changedFolders: [RecordID] = []
    /// The ids of changed folders with other inner ids, by these.
    var movedFolders: [RecordID: RecordID] = [:]
    /// The inner ids of the folders that this commit moves.
    var carriedInnerIDs: Set<RecordID> = []
    var knownFolders: [RecordID: Entry]?
    /// The lines of the commits of a log that this new one replaces.
    var lines: [CommitLine] = []

    init(_ basis: Basis, at time: Timestamp) { (self.basis, self.time) = (basis, time) }

    var isEmpty: Bool { entries.count == 0 }

    /// The state that the commit builds on; nil in a new vault.
    var before: Vault? { basis.previous }

    /// Gives the commit a sequence above another one too, before anything is changed.
    func raiseSequence(above other: UInt64) {
        precondition(isEmpty, "entries hold the sequence of their commit")
        basis.sequence = max(basis.sequence, other + 1)
    }

    /// True if this commit already brings a state of the record.
    func hasChanged(_ id: RecordID) -> Bool { entries.contains(id) }

    /// The newest live entry of a record as this commit will leave it.
    func entry(_ id: RecordID) throws -> Entry? {
        if let changed = try entries.entry(id) { return changed }
        return try diagnosing { try basis.previous?.manifest.entry(id) }
    }

    /// Gives a live file, folder or symlink another path. Its content, and what lies in it, stay as they are.
    ///
    /// - Parameters:
    ///   - id: the id of the new path, where nothing is live.
    ///   - parent: the inner id of the folder that it comes to lie in.
    func move(_ entry: Entry, to id: RecordID, in parent: RecordID?, title: [UInt8]) throws {
        precondition(!hasChanged(entry.id), "one commit brings one state of a record")
        var moved = entry
        moved.move(to: id, in: parent, title: title)
        moved.renew(at: basis.sequence, time)
        moved.formerID = entry.id
        try place(moved)
        try leave(entry)
    }

    /// Puts a record that is stored already at another id, whose entry it is given as. `leave` comes after it.
    func place(_ moved: Entry) throws {
        precondition(!hasChanged(moved.id), "one commit brings one state of a record")
        let old = try entry(moved.id)
        var moved = moved
        moved.revision = try Entry.next(old?.revision ?? 0)
        moved.first = basis.sequence
        try check(moved)
        if moved.kind == .folder { carriedInnerIDs.insert(moved.innerID) }
        try retire(old)
        change(moved)
    }

    /// Puts the tombstone of a move at the id of a record that this commit brings at another path; not where it brings
    /// something else there.
    func leave(_ entry: Entry) throws {
        guard !hasChanged(entry.id) else { return }
        try retire(entry)
        change(try Entry(burying: entry, as: .moved, at: basis.sequence, time))
    }

    /// Puts a live record into the trash.
    func trash(_ entry: Entry) throws {
        guard entry.kind != .piece && entry.kind != .pieceKey else {
            throw FormatError(.invalid, "contents of files need this record", at: entry.place)
        }
        var trashed = entry
        // What this commit itself has stored is in the trash from the beginning, as the version that it is.
        if !hasChanged(entry.id) {
            trashed.revision = try Entry.next(entry.revision)
            try retire(entry)
            trashed.renew(at: basis.sequence, time)
        }
        trashed.state = .trashed
        trashed.formerID = nil
        change(trashed)
    }

    /// Says of the present version of a record that it is the one which another save made. All else about it stays.
    func adopt(_ entry: Entry, _ origin: VersionOrigin) throws {
        precondition(!hasChanged(entry.id), "one commit brings one state of a record")
        var adopted = entry
        adopted.revision = try Entry.next(entry.revision)
        adopted.renew(at: basis.sequence, entry.updated)
        adopted.origin = origin
        try retire(entry)
        change(adopted)
    }

    /// Puts a tombstone at an id that has no record, and never had one.
    func bury(_ id: RecordID) throws {
        precondition(!hasChanged(id), "one commit brings one state of a record")
        guard try entry(id) == nil else { return }
        change(Entry(tombstoneAt: id, as: .purged, at: basis.sequence, time))
    }

    /// Makes a version of a record the present one again, without storing it once more.
    func reinstate(_ version: Entry) throws {
        let old = try entry(version.id)
        var entry = version
        entry.revision = try Entry.next(max(version.revision, old?.revision ?? 0))
        entry.renew(at: basis.sequence, time)
        entry.state = .live
        try check(entry)
        try retire(old)
        change(entry)
    }

    /// - Throws: `FormatError` `.invalid` for an entry that no manifest could hold; `.malformed` for a title in a tree that is
    ///   no name, or an id that is not the name's.
    func check(_ entry: Entry) throws {
        precondition(entry.kind != .tombstone, "a record has a kind")
        try entry.checkTitle()
        guard try entry.hasDerivedID() else {
            throw FormatError(.malformed, "an id that is not the name's", at: entry.place)
        }
        guard entry.fitsManifest else {
            throw FormatError(.invalid, "title, group and tags together are longer than 16 KiB")
        }
    }

    func change(_ entry: Entry) {
        if entry.kind == .folder {
            changedFolders.append(entry.id)
            if entry.innerID != entry.id { movedFolders[entry.innerID] = entry.id }
        }
        entries.insert(entry)
    }

    /// - Throws: `FormatError.malformed` where the entry claims to come from a later commit: written on, it would break
    ///   the format.
    func retire(_ old: Entry?) throws {
        guard var old, !old.isTombstone else { return }
        // A vault whose manifest has a version twice cannot be written to.
        guard old.last == nil else {
            throw FormatError(.invalid, "a version that is not the present one", at: old.place)
        }
        guard old.first < basis.sequence else {
            throw FormatError(.malformed, "an entry from a commit that is yet to come")
        }
        old.last = basis.sequence - 1
        past.append(old)
    }

    /// What `body` returns; a fault in the state before is told by what it is: damage or tampering.
    func diagnosing<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let fault as Fault {
            guard let previous = basis.previous else { throw fault }
            throw try previous.diagnose(fault)
        }
    }

    /// The merge rule (Spec/store.md, 5): takes in segments that are not much larger; returns the one to stand on.
    func absorbSegments() throws -> SegmentLink? {
        var segments = basis.previous?.manifest.segments[...] ?? []
        var taken = entries.count + past.count + lines.count
        while let base = segments.first, base.head.itemCount < 2 * taken {
            try absorb(base)
            taken += base.head.itemCount
            segments.removeFirst()
        }
        return segments.first?.link
    }

    /// Takes in an older segment. Its live entries give way to those of the same records that are newer.
    private func absorb(_ older: Segment) throws {
        let live = Mutex(entries)
        entries = PackedEntries()
        try older.forEachEntry(.live) { olderEntries in
            live.withLock { live in
                for entry in olderEntries where !live.contains(entry.id) { live.insert(entry) }
            }
        }
        entries = live.withLock { $0 }
        past += try older.entries(.past)
        lines += try older.lines()
    }
}
