import VaultIO
import Synchronization
import VaultCrypto
import VaultFormat

/// Stores the records of one commit behind the log, and makes the root that names it. Nothing of the vault's present state
/// is touched: that is for VaultTransaction and VaultCreation, who write the pages.
final class CommitWriter {
    let changes: CommitChanges
    private var basis: CommitChanges.Basis { changes.basis }
    private let file: any File
    let keys: Keys
    private var environment: StoreEnvironment
    private let salt: Salt
    private var salts: SaltSource
    private var payload: PayloadWriter
    private var segment: SegmentWriter
    private let frames = FrameSource()
    /// Cuts long contents; nil before the first.
    var madeCutter: Cutter?
    /// True if the contents of files are compressed where that saves something.
    var isCompressing = true
    /// Parity of the payload area, in percent, 3 … 26; nil, the default, for none.
    var parityPercent: Int?

    init(_ file: any File, _ basis: CommitChanges.Basis, keys: Keys, _ environment: StoreEnvironment) throws {
        var environment = environment
        var salts = try SaltSource(keys, after: basis.fingerprint)
        let salt = try salts.next(&environment)
        let payload = try PayloadWriter(file, start: basis.start, salt: salt, keys: keys)
        let segment = try SegmentWriter(salt: salt, keys: keys)
        (self.file, self.keys, self.salt) = (file, keys, salt)
        changes = CommitChanges(basis, at: environment.now())
        self.environment = environment
        self.payload = payload
        self.segment = segment
        self.salts = salts
    }

    /// Stores a new record, or a new content of one. Flags and keys that this program does not know fall with the content
    /// that they describe; those of the record stay.
    ///
    /// - Parameters:
    ///   - times: when it was created and updated, where that is older than this save.
    ///   - hint: what the entry tells of the content, if that turns out as long as the hint says.
    ///   - shared: the stored record of another file that has this very content; then `read` is not called.
    ///   - pieces: the content, where it stands in records of its own, and the error with which it ended; then `read` is
    ///     not called.
    ///   - read: as for `PayloadWriter.store`. When it fails, what came before is kept in the trash, unless the record has a
    ///     live version, which stays; the error is thrown.
    /// - Returns: where the content stands.
    @discardableResult func put(
        _ id: RecordID, kind: Entry.Kind, parent: RecordID?, overview: Overview,
        times: (created: Timestamp, updated: Timestamp)? = nil, hint: ContentHint? = nil,
        sharing shared: StoredContent? = nil, pieces: (list: PieceList, failure: (any Error)?)? = nil,
        read: (inout MutableSpan<UInt8>) throws -> Int
    ) throws -> StoredContent {
        let old = try changes.entry(id)
        let described = old.flatMap { $0.isTombstone ? nil : $0 }
        var entry = Entry(
            id: id, kind: kind, revision: 0, salt: .zero, place: 0, length: 0, created: times?.created ?? changes.time,
            updated: times?.updated ?? changes.time, parent: parent, first: 0,
            overview: overview.ofNewContent(after: described?.overview))
        if let described { entry.takeOver(from: described) }
        if kind == .folder { entry.innerID = try changes.innerID(at: id, after: old) }
        return try put(entry, sharing: shared, pieces: pieces, hint: hint, after: old, read: read)
    }

    /// Stores a version as it is given, but for its place in this vault.
    ///
    /// - Parameters:
    ///   - twin: a record of the same kind that this commit has stored with the same content; then `read` is not called.
    ///   - list: as above.
    ///   - read: as above.
    func put(
        _ version: Entry, contentOf twin: RecordID?, pieces list: PieceList?,
        read: (inout MutableSpan<UInt8>) throws -> Int
    ) throws {
        let shared = try twin.map { twin in
            guard let entry = try changes.entries.entry(twin), entry.kind == version.kind, !entry.isTombstone else {
                preconditionFailure("the content is stored in this commit, for a record of the same kind")
            }
            return entry.content
        }
        _ = try put(
            version, sharing: shared, pieces: list.map { ($0, nil) }, hint: nil, after: changes.entry(version.id),
            read: read)
    }

    private func put(
        _ version: Entry, sharing shared: StoredContent?, pieces: (list: PieceList, failure: (any Error)?)?,
        hint: ContentHint?, after old: Entry?, read: (inout MutableSpan<UInt8>) throws -> Int
    ) throws -> StoredContent {
        precondition(!changes.hasChanged(version.id), "one commit brings one state of a record")
        var entry = version
        entry.revision = try Entry.next(old?.revision ?? 0)
        (entry.first, entry.last) = (basis.sequence, nil)
        if let old, !old.isTombstone {
            // The hash in an id of a tree has 112 bits.
            guard old.kind.isInTree == entry.kind.isInTree,
                !entry.kind.isInTree || (old.parent, old.overview.title) == (entry.parent, entry.overview.title)
            else { throw FormatError(.invalid, "the name has the id of another record", at: old.place) }
            entry.created = old.created
        }
        // The entry has to fit wherever the record comes to stand.
        var widest = entry
        (widest.content, widest.hint) = (.widest, .max)
        try changes.check(widest)
        let failure = try store(&entry, sharing: shared, pieces, read)
        // Part of a content is no reason to lose a whole one.
        if let failure, old?.state == .live { throw failure }
        if let hint, hint.length == entry.length, failure == nil { entry.hint = hint.value }
        try changes.retire(old)
        changes.change(entry)
        if let failure { throw failure }
        return entry.content
    }

    /// Stores the content of an entry, and sets salt, place and length.
    ///
    /// - Returns: what `read` threw; what came before is in the trash then.
    private func store(
        _ entry: inout Entry, sharing shared: StoredContent?, _ pieces: (list: PieceList, failure: (any Error)?)?,
        _ read: (inout MutableSpan<UInt8>) throws -> Int
    ) throws -> (any Error)? {
        if let shared {
            entry.content = shared
            return nil
        }
        if let pieces {
            entry.content = try payload.store(
                Self.header(of: entry), salt: { try salts.next(&environment) }, pieces.list)
            if pieces.failure != nil { trash(&entry) }
            return pieces.failure
        }
        let stored = try payload.store(
            Self.header(of: entry), salt: { try salts.next(&environment) },
            with: compresses(entry.kind) ? frames : nil
        ) { buffer in
            try environment.checkCancellation()
            return try read(&buffer)
        }
        entry.content = stored.content
        if stored.failure != nil { trash(&entry) }
        return stored.failure
    }

    private func trash(_ entry: inout Entry) { (entry.state, entry.origin, entry.formerID) = (.trashed, nil, nil) }

    /// True if contents of this kind are compressed. Those of other kinds hold secrets beside what other people wrote, and
    /// how far a frame shrinks tells whether the two have words in common.
    private func compresses(_ kind: Entry.Kind) -> Bool {
        isCompressing && (kind == .file || kind == .attachment || kind == .piece)
    }

    private static func header(of entry: Entry) -> StoredRecord.Header {
        var header = StoredRecord.Header(
            id: entry.id, kind: entry.kind, revision: entry.revision, length: entry.length, time: entry.updated,
            parent: entry.parent, first: entry.first, title: entry.overview.title)
        (header.otherLength, header.isList) = (entry.content.otherLength, entry.content.isList)
        return header
    }

    /// Reads a content that this save has stored.
    func reader(of content: StoredContent) throws -> RecordReader {
        try payload.flush(upTo: content.extent.upperBound)
        return try RecordReader(file, keys: keys, logEnd: .max)
    }

    /// Random bytes.
    func makeSecret(byteCount: Int) throws -> Secret { try environment.random.secret(byteCount: byteCount) }

    /// An id for a record that is new.
    func makeID() throws -> RecordID { RecordID(try environment.random.bytes(16)) }

    /// Stores anew a record of another log that some versions share. They get its fresh salt and its place; all else about
    /// them stays as it is. A fault in what is read shows here, or in a later call.
    func carry(_ first: Entry, _ record: RecordTranscoder) throws -> (salt: Salt, place: UInt64) {
        try environment.checkCancellation()
        let recordSalt = try salts.next(&environment)
        let place = try payload.carry(Self.header(of: first), salt: recordSalt, record)
        return (recordSalt, place)
    }

    /// Stores anew a record without content, as `carry`.
    func remake(_ first: Entry) throws -> (salt: Salt, place: UInt64) {
        let stored = try payload.store(Self.header(of: first), salt: { try salts.next(&environment) }) { _ in 0 }
        return (stored.content.salt, stored.content.place)
    }

    /// Takes over versions of another log that were carried, and tombstones. Their ids are above those of all that were
    /// taken before.
    func take(_ versions: consuming [Entry]) throws {
        precondition(changes.isEmpty, "a log is rewritten by a commit of its own")
        var content = SegmentContent()
        content.live = versions
        content.past = content.live.filter { $0.last != nil }
        if !content.past.isEmpty { content.live.removeAll { $0.last != nil } }
        try segment.add(&content)
    }

    /// Waits until nothing is written any more; for a commit that will not be finished.
    func abandon() { payload.abandon() }

    // While a batch is written the file is in use: a new one that is given up would not be removed.
    deinit { payload.abandon() }

    /// Writes segment, padding and all that follows the payload area. Nothing is durable yet.
    func finish(slots: SlotArea) throws -> CommitRecord {
        try changes.diagnosing { try changes.settleInnerIDs() }
        changes.lines += basis.previous.map { [$0.line] } ?? []
        let base = try changes.diagnosing { try changes.absorbSegments() }
        var content = SegmentContent()
        swap(&content.past, &changes.past)
        swap(&content.lines, &changes.lines)
        try segment.add(&content)
        content = SegmentContent()
        try segment.add(live: changes.entries)
        changes.entries = PackedEntries()
        let (head, link) = try segment.finish(at: payload.beginSegment(), base: base)
        try payload.append(head)
        try segment.forEachChunk { try payload.append($0) }
        let area = try payload.finish()
        let end = basis.start + area.length
        let layout = try parityPercent.map { percent in
            let tag = try environment.random.bytes(ParityLayout.tagByteCount)
            guard let layout = ParityLayout.standard(.payload, basis.start..<end, percent: percent, tag: tag) else {
                throw FormatError(.invalid, "the vault is too long for parity")
            }
            return layout
        }
        let tail = try CommitTail(
            at: end, payloadLength: area.length, rows: area.table, head: head, extensions: basis.extensions ?? [],
            parityByteCount: layout?.byteCount ?? 0, salt, keys
        ) { place, hash in
            guard let layout else { return }
            let parity = Parity(layout: layout, place: place)
            try file.write(parity, environment) { _ in }
            try file.hash(parity.range, into: &hash)
        }
        let core = try Core(
            vaultID: basis.vaultID, epoch: basis.epoch, sequence: basis.sequence, salt: salt, start: basis.start,
            payloadLength: area.length, tailLength: tail.byteCount, previous: basis.fingerprint,
            tableHash: tail.tableHash, slotHash: slots.hash(),
            privatePart: Core.PrivatePart(segment: link, time: changes.time, writer: environment.writer),
            extensionArea: basis.extensions == nil ? basis.previous?.record.core.extensionArea : tail.area, keys: keys)
        let record = CommitRecord(core: core, previous: basis.previous?.record.core)
        try file.writeAll(tail.bytes(behind: record).span, at: core.recordOffset)
        if !tail.end.isEmpty { try file.writeAll(tail.end.span, at: tail.parity.upperBound) }
        return record
    }
}
