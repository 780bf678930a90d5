import VaultFormat

/// The part of a verification that needs the key: manifest, records and padding (Spec/reader.md, 8.2 to 8.4).
struct ContentCheck {
    private let vault: Vault
    /// Bytes that failed their check tags: what lies there is damaged, whatever its key says.
    private let damage: [Finding]
    private(set) var findings: [Finding] = []
    private(set) var recordCount = 0
    /// Stored records and segments: where they lie.
    private var extents: [Range<UInt64>] = []
    private var checked: [UInt64: Entry] = [:]
    /// Set when a segment or an entry cannot be read: what is padding is then not known.
    private var isIncomplete = false
    private var tree = VaultTree([])
    /// The payload areas, in the order of the file.
    private var payloads: [Range<UInt64>] = []

    init(_ vault: Vault, damage: [Finding]) {
        (self.vault, self.damage) = (vault, damage)
    }

    /// Checks the content of these commits, newest first; `isComplete` if they are all that the log has.
    mutating func run(_ cores: [Core], isComplete: Bool) throws {
        isIncomplete = !isComplete
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
                guard part.segment.offset >= core.start else {
                    throw FormatError(.malformed, "the place of a manifest segment", at: part.segment.offset)
                }
                try part.segment.check(endsBy: core.recordOffset)
                links.append(part.segment)
            }
        }
        var reader = try vault.reader()
        let known = Dictionary(links.map { ($0.offset, $0) }, uniquingKeysWith: { first, _ in first })
        let bySequence = Dictionary(cores.map { ($0.sequence, $0) }, uniquingKeysWith: { first, _ in first })
        for link in links { try checkSegment(link, known: known, bySequence, &reader) }
        try checkOverlaps()
        if !isIncomplete { try checkPadding(cores) }
    }

    /// Runs a step and turns what is wrong with the bytes into a finding.
    private mutating func collecting(record: Path? = nil, _ body: (inout ContentCheck) throws -> Void) throws {
        do { try body(&self) } catch let fault as Fault {
            let isDamaged = damage.contains { $0.range?.overlaps(fault.range) ?? false }
            findings.append(Finding(isDamaged ? .damaged : .tampered, fault.what, fault.range, record: record))
            isIncomplete = true
        } catch let error as FormatError {
            findings.append(Finding(error, record: record))
            isIncomplete = true
        }
    }

    private mutating func checkSegment(
        _ link: SegmentLink, known: [UInt64: SegmentLink], _ cores: [UInt64: Core], _ reader: inout RecordReader
    ) throws {
        extents.append(link.offset..<link.end)
        var entries: [Entry] = []
        var lines: [CommitLine] = []
        try collecting { check in
            let segment = try Segment(check.vault.file, keys: check.vault.keys, link: link)
            try segment.checkSecondHead()
            if let base = segment.head.base, known[base.offset] != base {
                throw FormatError(.malformed, "a link to a segment that no commit names", at: link.offset)
            }
            entries = try segment.entries(.live) + segment.entries(.past)
            lines = try segment.lines()
        }
        for line in lines {
            if let core = cores[line.sequence],
                core.recordOffset != line.recordOffset || core.tags.owner.prefix16 != line.ownerTag
            {
                findings.append(
                    Finding(.malformed, "what the manifest says of commit \(line.sequence)", core.recordRange))
            }
        }
        for entry in entries where entry.state != .purged { try checkRecord(entry, &reader) }
    }

    private mutating func checkRecord(_ entry: Entry, _ reader: inout RecordReader) throws {
        if let known = checked[entry.place] {
            if known.salt != entry.salt || known.id != entry.id || known.kind != entry.kind
                || known.length != entry.length
            {
                findings.append(Finding(.malformed, "two records in one place", entry.place..<entry.place + 1))
            }
            return
        }
        checked[entry.place] = entry
        recordCount += 1
        let path = (try? tree.path(of: entry)) ?? Path(entry.overview.title)
        try collecting(record: path) { check in
            try check.checkKind(entry)
            if entry.kind == Entry.Kind.symlink {
                _ = try check.vault.symlinkTarget(entry, with: &reader)
            } else {
                try reader.read(entry) { _ in try check.vault.environment.checkCancellation() }
            }
            let extent = entry.place..<entry.place + StoredRecord.byteCount(entry.length)
            guard check.isInOnePayload(extent) else {
                throw FormatError(.malformed, "the place of a record", at: entry.place)
            }
            check.extents.append(extent)
        }
    }

    private func isInOnePayload(_ extent: Range<UInt64>) -> Bool {
        var (low, high) = (0, payloads.count)
        while low < high {
            let middle = (low + high) / 2
            if payloads[middle].upperBound <= extent.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low < payloads.count && payloads[low].lowerBound <= extent.lowerBound
            && extent.upperBound <= payloads[low].upperBound
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

    private mutating func checkOverlaps() throws {
        extents.sort { $0.lowerBound < $1.lowerBound }
        for (left, right) in zip(extents, extents.dropFirst()) where left.overlaps(right) && left != right {
            findings.append(Finding(.malformed, "records or segments that overlap", right))
            isIncomplete = true
        }
    }

    /// Every byte that no record and no segment holds is the padding stream's.
    private mutating func checkPadding(_ cores: [Core]) throws {
        var rest = extents[...]
        for core in cores.reversed() {
            var padding = try Padding(salt: core.salt, keys: vault.keys)
            var position = core.start
            while position < core.recordOffset {
                while let next = rest.first, next.upperBound <= position { rest.removeFirst() }
                let end = min(rest.first?.lowerBound ?? core.recordOffset, core.recordOffset)
                if end > position { try checkPadding(position..<end, core, &padding) }
                position = max(end, rest.first.map { min($0.upperBound, core.recordOffset) } ?? core.recordOffset)
            }
        }
    }

    private mutating func checkPadding(_ range: Range<UInt64>, _ core: Core, _ padding: inout Padding) throws {
        let step = UInt64(1 << 20)
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Int(step)) {
            try vault.environment.checkCancellation()
            let piece = start..<min(start + step, range.upperBound)
            let bytes = try vault.file.bytes(at: piece.lowerBound, count: piece.count)
            var expected = [UInt8](repeating: 0, count: piece.count)
            var span = expected.mutableSpan
            try padding.fill(&span, from: piece.lowerBound - core.start)
            if bytes != expected, !damage.contains(where: { $0.range?.overlaps(piece) ?? false }) {
                findings.append(Finding(.tampered, "padding of commit \(core.sequence)", piece))
            }
        }
    }
}

extension Segment {
    /// The copy of the head at the segment's end is the same bytes.
    func checkSecondHead() throws {
        let heads = try [link.offset, link.end - link.headLength].map {
            try file.bytes(at: $0, count: Int(link.headLength))
        }
        if heads[0] != heads[1] {
            throw Fault(what: "the two heads of a manifest segment differ", range: link.offset..<link.end)
        }
    }
}
