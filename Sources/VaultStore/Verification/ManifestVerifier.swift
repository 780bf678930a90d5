import VaultIO
import Synchronization
import VaultCrypto
import VaultFormat

/// The part of a verification that needs the key: manifest and records (Spec/reader.md, 8.2 and 8.3). It says
/// what is to be opened, has it opened while the blocks are checked, and judges what failed.
struct ManifestVerifier {
    private let vault: Vault
    private(set) var findings: [Finding] = []
    /// Bytes that are not what the keys say.
    private var faults: [Fault] = []
    /// The versions that the segments name, in the order of the file. Those are apart from each other in the end.
    private var records: [CheckedRecord] = []
    /// The records added since `records` was sorted.
    private var fresh: [CheckedRecord] = []
    private var links: [SegmentLink] = []
    /// The live folders.
    private var tree = VaultTree([])
    /// The payload areas, in the order of the file.
    private let payloads: [Range<UInt64>]

    /// Reads what the manifests of these commits, newest first, name.
    init(_ vault: Vault, _ cores: [Core]) throws {
        self.vault = vault
        payloads = cores.reversed().map { $0.start..<$0.recordOffset }
        try collecting { $0.tree = try $0.vault.checkedTree() }
        for core in cores {
            try collecting { check in
                let part = try core.privatePart(keys: check.vault.keys)
                try core.check(part.segment)
                check.links.append(part.segment)
            }
        }
        let known = Dictionary(links.map { ($0.offset, $0) }, uniquingKeysWith: { first, _ in first })
        let bySequence = Dictionary(cores.map { ($0.sequence, $0) }, uniquingKeysWith: { first, _ in first })
        for link in links { try takeSegment(link, known: known, bySequence) }
        sortFresh()
        try dropTwins()
    }

    /// Runs a step and remembers what is wrong with the bytes.
    private mutating func collecting(record: BytePath? = nil, _ body: (inout ManifestVerifier) throws -> Void) throws {
        do { try body(&self) } catch let fault as Fault {
            faults.append(fault)
        } catch let error as FormatError {
            findings.append(Finding(error, record: record))
        }
    }

    private mutating func takeSegment(
        _ link: SegmentLink, known: [UInt64: SegmentLink], _ cores: [UInt64: Core]
    ) throws {
        var segment: Segment?
        try collecting { segment = try Segment($0.vault.file, keys: $0.vault.keys, link: link) }
        guard let segment else { return }
        try collecting { _ in try segment.checkHeads() }
        try collecting { _ in
            guard let base = segment.head.base, known[base.offset] != base else { return }
            throw FormatError(.malformed, "a link to a segment that no commit names", at: link.offset)
        }
        var lines: [CommitLine] = []
        do {
            let versions = try versions(in: segment)
            lines = try segment.lines()
            fresh += versions
        } catch  where error is Fault || error is FormatError {
            // The other chunks are looked at all the same.
            let (content, errors) = try segment.readableContent()
            for error in errors.isEmpty ? [error] : errors { try collecting { _ in throw error } }
            fresh += checked(content.live + content.past)
            lines = content.lines
        }
        if fresh.count > records.count / 4 { sortFresh() }
        for line in lines {
            if let core = cores[line.sequence],
                core.recordOffset != line.recordOffset || core.fingerprint.prefix16 != line.fingerprint
            {
                findings.append(
                    Finding(.malformed, "what the manifest says of commit \(line.sequence)", core.recordRange))
            }
        }
    }

    /// The versions that a segment names and that `records` does not have.
    private func versions(in segment: Segment) throws -> [CheckedRecord] {
        let versions = Mutex<[CheckedRecord]>([])
        for part in [SegmentPart.live, .past] {
            try segment.forEachEntry(part) { entries in
                let new = checked(entries)
                versions.withLock { $0 += new }
            }
        }
        return versions.withLock { $0 }
    }

    private func checked(_ entries: [Entry]) -> [CheckedRecord] {
        entries.compactMap { entry in
            guard !entry.isTombstone else { return nil }
            let isInOrder = (try? checkRules(of: entry)) != nil
            let record = CheckedRecord(stored: entry.content, kind: entry.kind, isInOrder: isInOrder)
            let index = records.firstIndex(from: 0) { $0.place >= record.place }
            return index < records.count && records[index] == record ? nil : record
        }
    }

    private mutating func sortFresh() {
        fresh.sort { $0.place < $1.place }
        records += fresh
        fresh = []
        records.sort { $0.place < $1.place }
    }

    /// One version of a record may be named by several entries, which must then agree. Of what overlaps another record
    /// or a segment the header alone is read: each byte of content is opened once at most.
    private mutating func dropTwins() throws {
        let segments = links.map { $0.offset..<$0.end }
        let separate = segments.merged()
        if separate.count < segments.count { overlap(separate[0]) }
        try reportSuspects()
        var overlapping: [StoredContent] = []
        var kept = 0
        var last: CheckedRecord?
        for index in records.indices where records[index] != last {
            let (record, before) = (records[index], last)
            last = record
            if let before, before.place == record.place, !before.agrees(with: record) {
                findings.append(Finding(.malformed, "two records in one place", record.place..<record.place + 1))
                if record.isInOrder { overlapping.append(record.stored) }
            }
            guard record.isInOrder, kept == 0 || records[kept - 1].place != record.place else { continue }
            if kept > 0 && records[kept - 1].stored.extent.overlaps(record.stored.extent)
                || Self.touches(record.stored.extent, separate)
            {
                overlap(record.stored.extent)
                overlapping.append(record.stored)
            } else {
                records[kept] = record
                kept += 1
            }
        }
        records.removeLast(records.count - kept)
        try checkHeaders(overlapping)
    }

    /// Says why the contents of some entries are not opened.
    private mutating func reportSuspects() throws {
        let places = Set(records.lazy.filter { !$0.isInOrder }.map(\.place))
        let suspects = try entries(at: places) { (try? checkRules(of: $0)) == nil }
        for place in places.sorted() {
            if suspects[place] == nil {
                findings.append(Finding(.malformed, "an entry that breaks a rule of its kind", place..<place + 1))
            }
            for entry in suspects[place] ?? [] { try report(entry) }
        }
    }

    /// The entries at these places that are wanted, newer versions first, each version once. They are read again, since a
    /// sound vault needs none.
    private func entries(
        at places: Set<UInt64>, where isWanted: (Entry) -> Bool = { _ in true }
    ) throws -> [UInt64: [Entry]] {
        struct Version: Hashable {
            let id: RecordID
            let first: UInt64
        }
        let found = Mutex<[UInt64: [Version: Entry]]>([:])
        for link in places.isEmpty ? [] : links {
            for part in [SegmentPart.live, .past] {
                // A segment that cannot be read was reported.
                try? Segment(vault.file, keys: vault.keys, link: link).forEachEntry(part) { entries in
                    let wanted = entries.filter { places.contains($0.place) && !$0.isTombstone && isWanted($0) }
                    found.withLock { found in
                        for entry in wanted {
                            found[entry.place, default: [:]][Version(id: entry.id, first: entry.first)] = entry
                        }
                    }
                }
            }
        }
        return found.withLock { $0 }.mapValues { $0.values.sorted { ($0.first, $0.id) > ($1.first, $1.id) } }
    }

    private mutating func checkHeaders(_ overlapping: [StoredContent]) throws {
        let entries = try entries(at: Set(overlapping.map(\.place)))
        var headers = try StoredRecord.HeaderCipher(vault.keys)
        for stored in overlapping {
            let prelude = try vault.file.bytes(at: stored.place, count: StoredRecord.preludeByteCount)
            let entry = entries[stored.place]?.first
            let record = entry.map { self.path($0) }
            try collecting(record: record) { _ in try headers.check(prelude.span, of: stored) }
        }
    }

    private mutating func overlap(_ range: Range<UInt64>) {
        findings.append(Finding(.malformed, "records or segments that overlap", range))
    }

    /// Says why the content of a record is not opened.
    private mutating func report(_ entry: Entry) throws {
        try collecting(record: path(entry)) { try $0.checkRules(of: entry) }
    }

    private mutating func path(_ entry: Entry) -> BytePath {
        if entry.kind.isInTree { return (try? tree.path(of: entry)) ?? BytePath(entry.overview.title) }
        let owner = entry.parent.flatMap { try? vault.manifest.entry($0) }
        return owner.map { BytePath($0.overview.title).appending(entry.overview.title) } ?? BytePath(entry.shownTitle)
    }

    /// Checks the rules of the Spec beside the form of an entry.
    ///
    /// - Throws: `FormatError.malformed`.
    private func checkRules(of entry: Entry) throws {
        try entry.checkKind()
        guard entry.place % Layout.recordAlignment == 0, isInOnePayload(entry.content.extent) else {
            throw FormatError(.malformed, "the place of a record", at: entry.place)
        }
    }

    private func isInOnePayload(_ extent: Range<UInt64>) -> Bool {
        let index = payloads.firstIndex(from: 0) { $0.upperBound > extent.lowerBound }
        return index < payloads.count && payloads[index].lowerBound <= extent.lowerBound
            && extent.upperBound <= payloads[index].upperBound
    }

    /// Holds the lists of contents in pieces against the pieces, once all else was read (Spec/reader.md, 8.3).
    mutating func checkLists(_ pass: ContentVerifier) throws {
        let failed = Set(pass.failures.lazy.map { pass.records[$0.record].place })
        let lists = pass.records.map(\.stored).filter { $0.isList && !failed.contains($0.place) }
        guard !lists.isEmpty else { return }
        let entries = try entries(at: Set(lists.map(\.place)))
        // Without the whole manifest nothing tells which pieces are there.
        guard let known = try? vault.pieces() else { return }
        var reader = try vault.reader()
        for content in lists {
            let record = entries[content.place]?.first.map { path($0) }
            try collecting(record: record) { check in
                guard try reader.list(content).pieces.allSatisfy({ known[$0.id] == $0.length }) else {
                    throw FormatError(.malformed, Entry.missingPiece, at: content.place)
                }
            }
        }
    }

    /// The records to open while the blocks are checked.
    func pass() -> ContentVerifier { ContentVerifier(records: records, keys: vault.keys) }

    /// Judges what failed, once it is known which bytes are damaged, or cannot be told to be whole: those belong to
    /// damage, whatever their key says.
    ///
    /// - Parameter copies: damaged bytes of which there is another copy, and which are reported already.
    mutating func judge(_ pass: ContentVerifier, damage: [Range<UInt64>], copies: [Range<UInt64>]) throws {
        let damage = damage.merged()
        // A record whose header is not accepted is not read on.
        let refused = Set(pass.failures.lazy.filter { $0.isOfHeader && $0.code != nil }.map(\.record))
        let failed = try entries(at: Set(pass.failures.map { pass.records[$0.record].place }))
        let owners = try owners(of: Set(failed.values.joined().lazy.filter { $0.kind == .piece }.map(\.id)), pass)
        for failure in pass.failures {
            guard failure.code != nil || !refused.contains(failure.record) else { continue }
            let entry = failed[pass.records[failure.record].place]?.first
            let path = entry.map { owners[$0.id] ?? self.path($0) }
            if let code = failure.code {
                findings.append(Finding(code, failure.what, failure.range, record: path))
            } else {
                add(failure.what, failure.range, path, damage)
            }
        }
        let copies = copies.merged()
        for fault in faults where !Self.touches(fault.range, copies) { add(fault.what, fault.range, nil, damage) }
    }

    /// The paths of records whose contents have these pieces: of each piece one.
    private mutating func owners(of pieces: Set<RecordID>, _ pass: ContentVerifier) throws -> [RecordID: BytePath] {
        guard !pieces.isEmpty else { return [:] }
        let lists = pass.records.map(\.stored).filter(\.isList)
        let entries = try entries(at: Set(lists.map(\.place)))
        var reader = try vault.reader()
        var owners: [RecordID: BytePath] = [:]
        for content in lists {
            // One that cannot be read is told by itself.
            guard let entry = entries[content.place]?.first, let list = try? reader.list(content) else { continue }
            for piece in list.pieces where pieces.contains(piece.id) { owners[piece.id] = path(entry) }
        }
        return owners
    }

    private mutating func add(
        _ what: Phrase, _ range: Range<UInt64>, _ record: BytePath?, _ damage: [Range<UInt64>]
    ) {
        let finding = Finding(Self.touches(range, damage) ? .damaged : .tampered, what, range, record: record)
        if let last = findings.last, let joined = last.joined(with: finding) {
            findings[findings.count - 1] = joined
        } else {
            findings.append(finding)
        }
    }

    private static func touches(_ range: Range<UInt64>, _ damage: [Range<UInt64>]) -> Bool {
        let next = damage.firstIndex(from: 0) { $0.upperBound > range.lowerBound }
        return next < damage.count && damage[next].overlaps(range)
    }
}

extension [Range<UInt64>] {
    /// The same bytes as ranges in order that do not touch each other.
    func merged() -> [Range<UInt64>] {
        var result: [Range<UInt64>] = []
        for range in sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }
}
