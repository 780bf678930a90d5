public import VaultCrypto
public import VaultFormat

/// Gets everything that can still be read out of a damaged vault into a new one (Spec/store.md, 12): by every manifest
/// segment that is left, chunk by chunk, and where one is missing by the sealed headers of the records themselves.
public struct Salvage {
    /// A version of a record that cannot be read.
    public struct Loss: Sendable {
        /// The record.
        public let path: Path
        /// The save that brought the version.
        public let sequence: UInt64
        /// What is wrong.
        public let what: Phrase
        /// The bytes that are concerned.
        public let range: Range<UInt64>
        /// The save that brought the version which is the present one now; nil where this was an older version, or none
        /// is left.
        public let substitute: UInt64?
        /// Whether it was the present version.
        public let wasPresent: Bool
    }

    /// What cannot be read, by path.
    public private(set) var losses: [Loss] = []
    /// Records and versions that are in the new vault.
    public private(set) var count = (records: 0, versions: 0)
    /// Whether all pages, commits and manifests were found that there must have been; else there may be losses that
    /// nothing tells of.
    public private(set) var isComplete = true
    /// Records that were found by their headers alone, which know less of them: a name's first 79 bytes, no time of
    /// change, not whether they were in the trash.
    public private(set) var foundByHeader = 0

    private let locked: LockedVault
    private let keys: Keys
    private let environment: Environment
    private var cores: [Core] = []
    private var lines: [UInt64: CommitLine] = [:]
    private var versions: [RecordID: [Entry]] = [:]

    /// Looks for everything.
    ///
    /// - Throws: `IOError`; `VaultError.cancelled`.
    public init(_ locked: LockedVault, master: consuming Secret) throws {
        (self.locked, environment) = (locked, locked.environment)
        keys = try Keys(master: master, vaultID: locked.header.vaultID)
        try findCommits()
        isComplete = try readManifests()
        if !isComplete { try scanForHeaders() }
        for id in versions.keys { versions[id]?.sort { $0.first < $1.first } }
    }

    // MARK: Commits and manifests

    private mutating func findCommits() throws {
        var found: [UInt64: Core] = [:]
        func add(_ core: Core?) {
            // The tags are under keys of this vault and this master key.
            guard let core, (try? core.authenticate(keys)) != nil else { return }
            found[core.recordOffset] = core
        }
        for page in [locked.root.page, locked.root.other] {
            guard let record = try? page?.record() else { continue }
            add(record.core)
            add(record.previousCore.flatMap { try? Core(parsing: $0) })
        }
        let scan = CommitScan(file: locked.file, keys: nil, checkCancellation: environment.checkCancellation)
        try scan.forEachCore(in: Layout.logStart..<max(Layout.logStart, locked.fileByteCount)) { core in
            add(core)
            let copy = try locked.file.bytes(
                at: core.recordOffset + UInt64(Core.byteCount), count: Core.byteCount)
            add(try? Core(parsing: copy))
            return true
        }
        cores = found.values.sorted { ($0.sequence, $0.start) < ($1.sequence, $1.start) }
    }

    /// Takes in what the segments of all commits say; false if anything of it cannot be read.
    private mutating func readManifests() throws -> Bool {
        let root = locked.root
        var isWhole = zip(cores, cores.dropFirst()).allSatisfy { $0.end == $1.start }
        isWhole = isWhole && cores.first?.start == Layout.logStart && cores.last?.sequence == root.page?.header.sequence
        // Beside a page that is lost a newer save may be.
        isWhole = isWhole && (root.other != nil || cores.last?.end == locked.fileByteCount)
        for core in cores {
            guard let part = try? core.privatePart(keys: keys) else {
                isWhole = false
                continue
            }
            lines[core.sequence] = CommitLine(
                sequence: core.sequence, time: part.time, recordOffset: core.recordOffset,
                ownerTag: core.tags.owner.prefix16)
            guard let segment = try? Segment(locked.file, keys: keys, link: part.segment) else {
                isWhole = false
                continue
            }
            let (content, isComplete) = try segment.readableContent()
            for entry in content.live + content.past { take(entry) }
            for line in content.lines where lines[line.sequence] == nil { lines[line.sequence] = line }
            isWhole = isWhole && isComplete
        }
        return isWhole
    }

    /// A version may be known as live, and as past from a later segment, which tells when it ended.
    private mutating func take(_ entry: Entry) {
        guard let index = versions[entry.id]?.firstIndex(where: { $0.first == entry.first }) else {
            versions[entry.id, default: []].append(entry)
            return
        }
        if entry.last != nil { versions[entry.id]?[index] = entry }
    }

    // MARK: Headers

    private mutating func scanForHeaders() throws {
        let known = Set(versions.values.joined().map(\.place))
        let (file, keys, size) = (locked.file, keys, locked.fileByteCount)
        let step: UInt64 = 1 << 20
        let log = Layout.logStart..<max(Layout.logStart, size)
        let found = try Parallel.map(Int((UInt64(log.count) + step - 1) / step)) { piece -> [Entry] in
            try environment.checkCancellation()
            let start = log.lowerBound + UInt64(piece) * step
            let bytes = try file.bytes(at: start, count: Int(step) + StoredRecord.preludeByteCount)
            var headers = try StoredRecord.HeaderCipher(keys)
            var entries: [Entry] = []
            let last = min(bytes.count - StoredRecord.preludeByteCount, Int(step) - 1)
            for at in stride(from: 0, through: last, by: Int(Layout.recordAlignment)) {
                let place = start + UInt64(at)
                guard !known.contains(place),
                    let header = try? headers.opened(
                        bytes.span.extracting(at..<at + StoredRecord.preludeByteCount))
                else { continue }
                entries.append(Entry(header, salt: Salt(bytes.span.extracting(at...)), place: place))
            }
            return entries
        }
        // In a commit that is known first: of two with one revision that one counts.
        let all = found.joined().sorted { $0.revision < $1.revision }.map { ($0, commit(at: $0.place)) }
        for (entry, sequence) in all where sequence != nil { takeHeader(entry, sequence) }
        for (entry, sequence) in all where sequence == nil { takeHeader(entry, sequence) }
    }

    /// The commit in whose payload area a place lies.
    private func commit(at place: UInt64) -> UInt64? {
        cores.first { $0.start <= place && place < $0.recordOffset }?.sequence
    }

    private mutating func takeHeader(_ entry: Entry, _ sequence: UInt64?) {
        var entry = entry
        let others = versions[entry.id] ?? []
        if others.contains(where: { $0.revision == entry.revision && $0.salt != entry.salt }) { return }
        // Without its commit, it came before the next one that is known, or after all; where another version stands
        // there, as near to that as is free.
        let isFree = { (first: UInt64) in !others.contains { $0.first == first } }
        if let next = cores.first(where: { $0.start > entry.place })?.sequence ?? sequence.map({ $0 + 1 }) {
            entry.first = sequence ?? next - 1
            while entry.first > 0, !isFree(entry.first) { entry.first -= 1 }
        } else {
            entry.first = (cores.last?.sequence ?? 0) + 1
            while !isFree(entry.first) { entry.first += 1 }
        }
        guard entry.first > 0 else {
            return losses.append(
                Loss(
                    path: Path(entry.overview.title), sequence: sequence ?? 0,
                    what: "a version without a place in history",
                    range: entry.extent, substitute: nil, wasPresent: false))
        }
        foundByHeader += 1
        versions[entry.id, default: []].append(entry)
    }

    // MARK: The new vault

    /// Writes all that can be read into a new vault with the same keys, which goes on from the newest save.
    ///
    /// - Parameter progress: told the bytes done so far.
    /// - Throws: `VaultError.exists`; `IOError`; `VaultError.cancelled`.
    public mutating func write(to target: Path, progress: @escaping (UInt64) -> Void = { _ in }) throws {
        let new = try NewFile(target, environment)
        try dropUnreadable()
        var tree = SalvagedTree(versions)
        let items = try tree.items()
        let newest = versions.values.joined().reduce(0) { max($0, $1.first) }
        let sequence = max(cores.last?.sequence ?? 0, locked.header.sequence, newest)
        let source = Rewrite.Source(
            file: locked.file, keys: keys, vaultID: locked.header.vaultID, epoch: locked.header.epoch,
            tags: cores.last?.tags ?? .none, environment: environment)
        let target = Rewrite.Target(
            keys: keys, epoch: source.epoch, sequence: sequence + 1, slots: locked.slots)
        let record = try Rewrite(
            source: source, items: items, lines: lines.values.sorted { $0.sequence < $1.sequence }, progress: progress
        ).write(to: new.file, as: target)
        try new.file.finish(naming: record, slots: locked.slots, keys: keys, environment, isCheckedWhole: true)
        try new.publish()
        count = (items.count { $0.version.last == nil && $0.version.state == .live }, items.count)
    }

    /// Reads every version and forgets those that fail; the newest that is left is then the present one.
    private mutating func dropUnreadable() throws {
        var reader = try RecordReader(locked.file, keys: keys, logEnd: locked.fileByteCount)
        var faults: [UInt64: Fault] = [:]
        for entry in versions.values.joined().sorted(by: { $0.place < $1.place }) where entry.state != .purged {
            if faults[entry.place] != nil { continue }
            do { try reader.read(entry) { _ in try environment.checkCancellation() } } catch let fault as Fault {
                faults[entry.place] = fault
            } catch let error as IOError {
                faults[entry.place] = Fault(what: "cannot be read from the disk (\(error.code))", range: entry.extent)
            } catch let error as FormatError {
                faults[entry.place] = Fault(what: error.what, range: entry.extent)
            }
        }
        var paths = VaultTree(versions.values.compactMap(\.last))
        for (id, all) in versions {
            var left = all.filter { $0.state == .purged || faults[$0.place] == nil }
            // A tombstone that something came after is none.
            left = left.enumerated().filter { $0.element.state != .purged || $0.offset == left.count - 1 }.map(
                \.element)
            for index in left.indices {
                left[index].last = index + 1 < left.count ? left[index + 1].first - 1 : nil
            }
            for entry in all {
                guard let fault = faults[entry.place] else { continue }
                let wasPresent = entry.first == all.last?.first
                let path = (try? paths.path(of: entry)) ?? Path(entry.overview.title)
                losses.append(
                    Loss(
                        path: path, sequence: entry.first, what: fault.what, range: fault.range,
                        substitute: wasPresent ? left.last?.first : nil, wasPresent: wasPresent))
            }
            versions[id] = left.isEmpty ? nil : left
        }
        losses.sort {
            $0.path == $1.path ? $0.sequence < $1.sequence : $0.path.bytes.lexicographicallyPrecedes($1.path.bytes)
        }
    }
}

extension Entry {
    /// What a sealed header tells of a record; the save that brought it is not in it.
    fileprivate init(_ header: StoredRecord.Header, salt: Salt, place: UInt64) {
        self.init(
            id: header.id, kind: header.kind, revision: header.revision, salt: salt, place: place,
            length: header.length, created: header.time, updated: header.time, parent: header.parent, first: 0,
            overview: Overview(title: header.shortName))
    }
}

extension Segment {
    /// What of it can be read, and whether that is all.
    fileprivate func readableContent() throws -> (content: SegmentContent, isComplete: Bool) {
        var content = SegmentContent()
        var isComplete = true
        var cipher = try cipher()
        for part in [SegmentPart.live, .past, .lines] {
            var offset = link.offset + head.offset(of: part, headLength: link.headLength)
            for (index, chunk) in head.chunks(part).enumerated() {
                do {
                    let sealed = try file.bytes(at: offset, count: chunk.length)
                    if part == .lines {
                        content.lines += try open(sealed.span, part, index: index, at: offset, &cipher) {
                            try SegmentChunk.lines($0, chunk)
                        }
                    } else {
                        let entries = try open(sealed.span, part, index: index, at: offset, &cipher) {
                            try SegmentChunk.entries($0, part, chunk)
                        }
                        if part == .live { content.live += entries } else { content.past += entries }
                    }
                } catch { isComplete = false }
                offset += UInt64(chunk.length)
            }
        }
        return (content, isComplete)
    }
}
