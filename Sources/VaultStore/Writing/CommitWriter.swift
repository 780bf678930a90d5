import Synchronization
import VaultCrypto
import VaultFormat

/// Collects the changes of one commit, writes it behind the log, and makes the root that names it. Nothing of the
/// vault's present state is touched: that is for VaultTransaction and VaultCreation, who write the pages.
final class CommitWriter {
    /// The state on which the commit builds.
    struct Basis {
        let vaultID: VaultID
        let epoch: Epoch
        let sequence: UInt64
        /// The offset at which the commit starts.
        let start: UInt64
        /// The state so far; nil in a new log.
        var previous: Vault?
        /// The newest save of the log that this new one takes the place of.
        var replaced: Bytes32?

        /// The fingerprint of the save before; zero before a vault's first.
        var fingerprint: Bytes32 { previous?.record.core.fingerprint ?? replaced ?? .zero }
    }

    let basis: Basis
    private let file: any File
    private let keys: Keys
    private var environment: StoreEnvironment
    private let salt: Salt
    private var salts: SaltSource
    let time: Timestamp
    private var payload: PayloadWriter
    private var changes = PackedEntries()
    private var past: [Entry] = []
    private var segment: SegmentWriter
    /// The ids of changed folders.
    private(set) var changedFolders: [RecordID] = []
    /// The ids of changed folders with other inner ids, by these.
    var movedFolders: [RecordID: RecordID] = [:]
    /// The inner ids of the folders that this commit moves.
    var carriedInnerIDs: Set<RecordID> = []
    var knownFolders: [RecordID: Entry]?
    /// The lines of the commits of a log that this new one replaces.
    var lines: [CommitLine] = []

    init(_ file: any File, _ basis: Basis, keys: Keys, _ environment: StoreEnvironment) throws {
        var environment = environment
        var salts = try SaltSource(keys, after: basis.fingerprint)
        let salt = try salts.next(&environment)
        let payload = try PayloadWriter(file, start: basis.start, salt: salt, keys: keys)
        let segment = try SegmentWriter(salt: salt, keys: keys)
        (self.file, self.basis, self.keys, self.salt) = (file, basis, keys, salt)
        time = environment.now()
        self.environment = environment
        self.payload = payload
        self.segment = segment
        self.salts = salts
    }

    var isEmpty: Bool { changes.count == 0 }

    /// The state that the commit builds on; nil in a new vault.
    var before: Vault? { basis.previous }

    /// True if this commit already brings a state of the record.
    func hasChanged(_ id: RecordID) -> Bool { changes.contains(id) }

    /// The newest live entry of a record as this commit will leave it.
    func entry(_ id: RecordID) throws -> Entry? {
        if let changed = try changes.entry(id) { return changed }
        return try diagnosing { try basis.previous?.manifest.entry(id) }
    }

    /// Stores a new record, or a new version of one.
    ///
    /// - Parameters:
    ///   - times: when it was created and updated, where that is older than this save.
    ///   - read: as for `PayloadWriter.store`. When it fails, what came before is kept in the trash and the error is
    ///     thrown.
    func put(
        _ id: RecordID, kind: Entry.Kind, parent: RecordID?, overview: Overview,
        times: (created: Timestamp, updated: Timestamp)? = nil, read: (inout MutableSpan<UInt8>) throws -> Int
    ) throws {
        var entry = Entry(
            id: id, kind: kind, revision: 0, salt: .zero, place: 0, length: 0, created: times?.created ?? time,
            updated: times?.updated ?? time, parent: parent, first: 0, overview: overview)
        let old = try self.entry(id)
        if kind == .folder { entry.innerID = try innerID(at: id, after: old) }
        try put(entry, after: old, read: read)
    }

    /// Stores a version as it is given, but for its place in this vault.
    ///
    /// - Parameters:
    ///   - twin: a record of the same kind that this commit has stored with the same content; then `read` is not called.
    ///   - read: as above.
    func put(
        _ version: Entry, contentOf twin: RecordID?, read: (inout MutableSpan<UInt8>) throws -> Int
    ) throws {
        try put(version, contentOf: twin, after: entry(version.id), read: read)
    }

    private func put(
        _ version: Entry, contentOf twin: RecordID? = nil, after old: Entry?,
        read: (inout MutableSpan<UInt8>) throws -> Int
    ) throws {
        precondition(!hasChanged(version.id), "one commit brings one state of a record")
        var entry = version
        entry.revision = try Entry.next(old?.revision ?? 0)
        (entry.first, entry.last) = (basis.sequence, nil)
        if let old, !old.isTombstone { entry.created = old.created }
        // The entry has to fit wherever the record comes to stand.
        var widest = entry
        (widest.place, widest.length) = (.max, .max)
        try Self.check(widest)
        let failure = try store(&entry, contentOf: twin, read)
        try retire(old)
        change(entry)
        if let failure { throw failure }
    }

    /// Stores the content of an entry, and sets salt, place and length.
    ///
    /// - Returns: what `read` threw; what came before is in the trash then.
    private func store(
        _ entry: inout Entry, contentOf twin: RecordID?, _ read: (inout MutableSpan<UInt8>) throws -> Int
    ) throws -> (any Error)? {
        if let twin {
            guard let twin = try changes.entry(twin), twin.kind == entry.kind, !twin.isTombstone else {
                preconditionFailure("the content is stored in this commit, for a record of the same kind")
            }
            (entry.salt, entry.place, entry.length) = (twin.salt, twin.place, twin.length)
            return nil
        }
        let header = StoredRecord.Header(
            id: entry.id, kind: entry.kind, revision: entry.revision, length: 0, time: entry.updated,
            parent: entry.parent, first: basis.sequence, title: entry.overview.title)
        let stored = try payload.store(header, salt: { try salts.next(&environment) }) { buffer in
            try environment.checkCancellation()
            return try read(&buffer)
        }
        (entry.salt, entry.place, entry.length) = (stored.salt, stored.place, stored.length)
        if stored.failure != nil { (entry.state, entry.origin, entry.formerID) = (.trashed, nil, nil) }
        return stored.failure
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
        try Self.check(moved)
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

    /// Random bytes.
    func makeSecret(byteCount: Int) throws -> Secret { try environment.random.secret(byteCount: byteCount) }

    /// An id for a record that is new.
    func makeID() throws -> RecordID { RecordID(try environment.random.bytes(16)) }

    /// Puts a live record into the trash.
    func trash(_ entry: Entry) throws {
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
        try Self.check(entry)
        try retire(old)
        change(entry)
    }

    /// Stores anew a record of another log that some versions share. They get its fresh salt and its place; all else about
    /// them stays as it is. A fault in what is read shows here, or in a later call.
    func carry(_ first: Entry, _ record: RecordTranscoder) throws -> (salt: Salt, place: UInt64) {
        try environment.checkCancellation()
        let recordSalt = try salts.next(&environment)
        let header = StoredRecord.Header(
            id: first.id, kind: first.kind, revision: first.revision, length: first.length, time: first.updated,
            parent: first.parent, first: first.first, title: first.overview.title)
        let place = try payload.carry(header, salt: recordSalt, record)
        return (recordSalt, place)
    }

    /// Stores anew a record without content, as `carry`.
    func remake(_ first: Entry) throws -> (salt: Salt, place: UInt64) {
        let header = StoredRecord.Header(
            id: first.id, kind: first.kind, revision: first.revision, length: 0, time: first.updated,
            parent: first.parent, first: first.first, title: first.overview.title)
        let stored = try payload.store(header, salt: { try salts.next(&environment) }) { _ in 0 }
        return (stored.salt, stored.place)
    }

    /// Takes over versions of another log that were carried, and tombstones. Their ids are above those of all that were
    /// taken before.
    func take(_ versions: consuming [Entry]) throws {
        precondition(isEmpty, "a log is rewritten by a commit of its own")
        var content = SegmentContent()
        content.live = versions
        content.past = content.live.filter { $0.last != nil }
        if !content.past.isEmpty { content.live.removeAll { $0.last != nil } }
        try segment.add(&content)
    }

    /// - Throws: `FormatError` `.invalid` for an entry that no manifest could hold; `.malformed` for a title in a tree that is
    ///   no name, or an id that is not the name's.
    private static func check(_ entry: Entry) throws {
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
        changes.insert(entry)
    }

    /// - Throws: `FormatError.malformed` where the entry claims to come from a later commit: written on, it would break
    ///   the format.
    func retire(_ old: Entry?) throws {
        guard var old, !old.isTombstone else { return }
        guard old.first < basis.sequence else {
            throw FormatError(.malformed, "an entry from a commit that is yet to come")
        }
        old.last = basis.sequence - 1
        past.append(old)
    }

    /// Waits until nothing is written any more; for a commit that will not be finished.
    func abandon() { payload.abandon() }

    // While a batch is written the file is in use: a new one that is given up would not be removed.
    deinit { payload.abandon() }

    /// Writes segment, padding and all that follows the payload area. Nothing is durable yet.
    func finish(slots: SlotArea) throws -> CommitRecord {
        try diagnosing { try settleInnerIDs() }
        lines += basis.previous.map { [$0.line] } ?? []
        let base = try diagnosing { try absorbSegments() }
        var content = SegmentContent()
        swap(&content.past, &past)
        swap(&content.lines, &lines)
        try segment.add(&content)
        content = SegmentContent()
        try segment.add(live: changes)
        changes = PackedEntries()
        let (head, link) = try segment.finish(at: payload.beginSegment(), base: base)
        try payload.append(head)
        try segment.forEachChunk { try payload.append($0) }
        let area = try payload.finish()
        let tail = try CommitTail(payloadLength: area.length, rows: area.table, head: head, salt, keys)
        let core = try Core(
            vaultID: basis.vaultID, epoch: basis.epoch, sequence: basis.sequence, salt: salt, start: basis.start,
            payloadLength: area.length, tailLength: tail.byteCount, previous: basis.fingerprint,
            tableHash: tail.tableHash, slotHash: slots.hash(),
            privatePart: Core.PrivatePart(segment: link, time: time, writer: environment.writer), keys: keys)
        let record = CommitRecord(core: core, previous: basis.previous?.record.core)
        try file.writeAll(tail.bytes(behind: record).span, at: core.recordOffset)
        return record
    }

    func diagnosing<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let fault as Fault {
            guard let previous = basis.previous else { throw fault }
            throw try previous.diagnose(fault)
        }
    }

    /// The merge rule (Spec/store.md, 5): takes in segments that are not much larger; returns the one to stand on.
    private func absorbSegments() throws -> SegmentLink? {
        var segments = basis.previous?.manifest.segments[...] ?? []
        var taken = changes.count + past.count + lines.count
        while let base = segments.first, base.head.itemCount < 2 * taken {
            try absorb(base)
            taken += base.head.itemCount
            segments.removeFirst()
        }
        return segments.first?.link
    }

    /// Takes in an older segment. Its live entries give way to those of the same records that are newer.
    private func absorb(_ older: Segment) throws {
        let live = Mutex(changes)
        changes = PackedEntries()
        try older.forEachEntry(.live) { entries in
            live.withLock { live in
                for entry in entries where !live.contains(entry.id) { live.insert(entry) }
            }
        }
        changes = live.withLock { $0 }
        past += try older.entries(.past)
        lines += try older.lines()
    }
}
