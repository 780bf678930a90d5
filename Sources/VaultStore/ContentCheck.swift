import VaultCrypto
import VaultFormat

/// The part of a verification that needs the key: manifest and records (Spec/reader.md, 8.2 and 8.3). It says
/// what is to be opened, has it opened while the blocks are checked, and judges what failed.
struct ContentCheck {
    private let vault: Vault
    private(set) var findings: [Finding] = []
    /// Bytes that are not what the keys say.
    private var faults: [Fault] = []
    private var records: [Entry] = []
    /// Where the segments lie.
    private var segments: [Range<UInt64>] = []
    private var tree = VaultTree([])
    /// The payload areas, in the order of the file.
    private let payloads: [Range<UInt64>]

    /// Reads what the manifests of these commits, newest first, name.
    init(_ vault: Vault, _ cores: [Core]) throws {
        self.vault = vault
        payloads = cores.reversed().map { $0.start..<$0.recordOffset }
        try collecting { check in
            let live = try check.vault.manifest.entries().filter { $0.state == .live }
            check.tree = VaultTree(live)
            for entry in live { _ = try check.tree.path(of: entry) }
        }
        var links: [SegmentLink] = []
        for core in cores {
            try collecting { check in
                let part = try core.privatePart(keys: check.vault.keys)
                try core.check(part.segment)
                links.append(part.segment)
            }
        }
        let known = Dictionary(links.map { ($0.offset, $0) }, uniquingKeysWith: { first, _ in first })
        let bySequence = Dictionary(cores.map { ($0.sequence, $0) }, uniquingKeysWith: { first, _ in first })
        for link in links { try takeSegment(link, known: known, bySequence) }
        try dropTwins()
    }

    /// Runs a step and remembers what is wrong with the bytes.
    private mutating func collecting(record: Path? = nil, _ body: (inout ContentCheck) throws -> Void) throws {
        do { try body(&self) } catch let fault as Fault {
            faults.append(fault)
        } catch let error as FormatError {
            findings.append(Finding(error, record: record))
        }
    }

    private mutating func takeSegment(
        _ link: SegmentLink, known: [UInt64: SegmentLink], _ cores: [UInt64: Core]
    ) throws {
        segments.append(link.offset..<link.end)
        var lines: [CommitLine] = []
        try collecting { check in
            let segment = try Segment(check.vault.file, keys: check.vault.keys, link: link)
            try segment.checkSecondHead()
            if let base = segment.head.base, known[base.offset] != base {
                throw FormatError(.malformed, "a link to a segment that no commit names", at: link.offset)
            }
            let start = check.records.count
            check.records += try segment.entries(.live)
            do {
                check.records += try segment.entries(.past)
                lines = try segment.lines()
            } catch {
                // A segment counts as a whole or not at all.
                check.records.removeLast(check.records.count - start)
                throw error
            }
        }
        for line in lines {
            if let core = cores[line.sequence],
                core.recordOffset != line.recordOffset || core.fingerprint.prefix16 != line.fingerprint
            {
                findings.append(
                    Finding(.malformed, "what the manifest says of commit \(line.sequence)", core.recordRange))
            }
        }
    }

    /// One version of a record may be named by several entries, which must then agree. Of what overlaps another record
    /// or a segment the header alone is read: each byte of content is opened once at most.
    private mutating func dropTwins() throws {
        let separate = Self.merged(segments)
        if separate.count < segments.count { overlap(separate[0]) }
        records.sort { $0.place < $1.place }
        // In place: the list may be long.
        var kept = 0
        for index in records.indices where !records[index].isTombstone {
            let entry = records[index]
            if kept > 0, records[kept - 1].place == entry.place {
                let twin = records[kept - 1]
                if twin.salt != entry.salt || twin.kind != entry.kind || twin.length != entry.length {
                    findings.append(Finding(.malformed, "two records in one place", entry.place..<entry.place + 1))
                }
            } else if try isInOrder(entry) {
                let extent = entry.extent
                if kept > 0 && records[kept - 1].extent.overlaps(extent) || Self.touches(extent, separate) {
                    overlap(extent)
                    try checkHeader(entry)
                } else {
                    records[kept] = entry
                    kept += 1
                }
            }
        }
        records.removeLast(records.count - kept)
    }

    private mutating func checkHeader(_ entry: Entry) throws {
        let prelude = try vault.file.bytes(at: entry.place, count: StoredRecord.preludeByteCount)
        try collecting(record: path(entry)) { check in
            var headers = try StoredRecord.HeaderCipher(check.vault.keys)
            try headers.check(prelude.span, of: entry)
        }
    }

    private mutating func overlap(_ range: Range<UInt64>) {
        findings.append(Finding(.malformed, "records or segments that overlap", range))
    }

    private mutating func isInOrder(_ entry: Entry) throws -> Bool {
        guard !entry.isOfNewerProgram else {
            findings.append(
                Finding(.unsupported, "a record that a newer program stored", entry.extent, record: path(entry)))
            return false
        }
        let count = faults.count + findings.count
        try collecting(record: path(entry)) { check in
            try check.checkKind(entry)
            guard entry.place % Layout.recordAlignment == 0, check.isInOnePayload(entry.extent) else {
                throw FormatError(.malformed, "the place of a record", at: entry.place)
            }
        }
        return faults.count + findings.count == count
    }

    private mutating func path(_ entry: Entry) -> Path { (try? tree.path(of: entry)) ?? Path(entry.overview.title) }

    private func isInOnePayload(_ extent: Range<UInt64>) -> Bool {
        let index = payloads.firstIndex(from: 0) { $0.upperBound > extent.lowerBound }
        return index < payloads.count && payloads[index].lowerBound <= extent.lowerBound
            && extent.upperBound <= payloads[index].upperBound
    }

    /// What the Spec asks of the kinds it knows.
    private func checkKind(_ entry: Entry) throws {
        let lengths: ClosedRange<UInt64> =
            switch entry.kind {
            case Entry.Kind.folder: 0...0
            case Entry.Kind.symlink: 1...UInt64(Limits.symlinkByteCount)
            default: 0...Limits.recordByteCount
            }
        guard lengths.contains(entry.length), entry.kind != 0 else {
            throw FormatError(.malformed, "the content of a record of kind \(entry.kind)", at: entry.place)
        }
        guard try entry.hasDerivedID() else {
            throw FormatError(.malformed, "an id that is not the name's", at: entry.place)
        }
    }

    /// Versions that are checked.
    var recordCount: Int { records.count }

    /// What is to be opened while the blocks are checked.
    func pass() -> ContentPass { ContentPass(records: records, keys: vault.keys) }

    /// Judges what failed, once it is known which bytes are damaged, or cannot be told to be whole: those belong to
    /// damage, whatever their key says.
    ///
    /// - Parameter copies: damaged bytes of which there is another copy, and which are reported already.
    mutating func judge(_ pass: ContentPass, damage: [Range<UInt64>], copies: [Range<UInt64>]) throws {
        let damage = Self.merged(damage)
        // A record whose header is not accepted is not read on.
        let refused = Set(pass.failures.lazy.filter { $0.code != nil }.map(\.record))
        for failure in pass.failures {
            guard failure.code != nil || !refused.contains(failure.record) else { continue }
            let path = path(records[failure.record])
            if let code = failure.code {
                findings.append(Finding(code, failure.what, failure.range, record: path))
            } else {
                add(failure.what, failure.range, path, damage)
            }
        }
        try checkSymlinks(pass)
        let copies = Self.merged(copies)
        for fault in faults where !Self.touches(fault.range, copies) { add(fault.what, fault.range, nil, damage) }
    }

    private mutating func add(
        _ what: Phrase, _ range: Range<UInt64>, _ record: Path?, _ damage: [Range<UInt64>]
    ) {
        let finding = Finding(Self.touches(range, damage) ? .damaged : .tampered, what, range, record: record)
        if let last = findings.last, let joined = last.joined(with: finding) {
            findings[findings.count - 1] = joined
        } else {
            findings.append(finding)
        }
    }

    /// The same bytes as ranges in order that do not touch each other.
    private static func merged(_ ranges: [Range<UInt64>]) -> [Range<UInt64>] {
        var result: [Range<UInt64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }

    private static func touches(_ range: Range<UInt64>, _ damage: [Range<UInt64>]) -> Bool {
        let next = damage.firstIndex(from: 0) { $0.upperBound > range.lowerBound }
        return next < damage.count && damage[next].overlaps(range)
    }

    /// The targets of symbolic links that are whole.
    private mutating func checkSymlinks(_ pass: ContentPass) throws {
        let broken = Set(pass.failures.map(\.record))
        var reader = try vault.reader()
        for (index, entry) in records.enumerated() where entry.kind == Entry.Kind.symlink && !broken.contains(index) {
            try collecting(record: path(entry)) { check in
                _ = try check.vault.symlinkTarget(entry, with: &reader)
            }
        }
    }
}

extension Entry {
    /// Where the stored record lies.
    var extent: Range<UInt64> { place..<place + StoredRecord.byteCount(length) }
}

extension Segment {
    /// The copy of the head is the same bytes, and so is the head.
    func checkSecondHead() throws {
        for offset in [link.offset, link.headCopy] {
            let sealed = try file.bytes(at: offset, count: Int(link.headLength))
            guard Bytes32(try SHA256.hash(sealed.span)) == link.headHash else {
                throw Fault(
                    what: "the two heads of a manifest segment differ", range: offset..<offset + link.headLength)
            }
        }
    }
}
