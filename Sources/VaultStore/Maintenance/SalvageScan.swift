import VaultCrypto
import VaultFormat
import VaultIO

/// All versions of records that a damaged vault still tells of: by the manifests of the commits that are authentic, and
/// where anything of them is missing, by the sealed headers of the stored records.
struct SalvageScan {
    /// The commits that are authentic, in the order of their sequences.
    let cores: [Core]
    /// True if all pages, commits and manifests were found that there must have been.
    private(set) var isComplete = true
    /// Records that were found by their headers alone.
    private(set) var foundByHeader = 0
    /// Versions without a place in history, and the save that their place tells, if any.
    private(set) var unplaced: [(entry: Entry, sequence: UInt64?)] = []
    /// The lines of the commits, by sequence.
    private(set) var lines: [UInt64: CommitLine] = [:]

    private let locked: LockedVault
    private let keys: Keys
    /// The commits in the order of their places.
    private let places: [Core]
    /// The versions of each record, by `first`.
    private var found: [RecordID: [UInt64: Entry]] = [:]

    /// All versions of each record, the oldest first.
    var versions: [RecordID: [Entry]] { found.mapValues { $0.values.sorted { $0.first < $1.first } } }

    init(_ locked: LockedVault, _ keys: Keys) throws {
        let cores = try Self.commits(of: locked, keys)
        (self.locked, self.keys, self.cores, places) = (locked, keys, cores, cores.sorted { $0.start < $1.start })
        isComplete = try readManifests()
        if !isComplete { try scanForHeaders() }
    }

    private static func commits(of locked: LockedVault, _ keys: Keys) throws -> [Core] {
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
        try locked.forEachCore { core in
            add(core)
            let copy = try locked.file.bytes(
                at: core.recordOffset + UInt64(Core.byteCount), count: Core.byteCount)
            add(try? Core(parsing: copy))
        }
        return found.values.sorted { ($0.sequence, $0.start) < ($1.sequence, $1.start) }
    }

    /// Takes in what the segments of all commits say; false if anything of it cannot be read.
    private mutating func readManifests() throws -> Bool {
        let root = locked.root
        var isWhole = zip(cores, cores.dropFirst()).allSatisfy { $0.end == $1.start }
        isWhole = isWhole && cores.first?.start == Layout.logStart && cores.last?.sequence == root.header.sequence
        isWhole = isWhole && !root.mayLackSave
        for core in cores {
            guard let part = try? core.privatePart(keys: keys) else {
                isWhole = false
                continue
            }
            lines[core.sequence] = CommitLine(
                sequence: core.sequence, time: part.time, recordOffset: core.recordOffset,
                fingerprint: core.fingerprint.prefix16)
            guard (try? core.check(part.segment)) != nil,
                let segment = try? Segment(locked.file, keys: keys, link: part.segment)
            else {
                isWhole = false
                continue
            }
            let (content, errors) = try segment.readableContent()
            for entry in content.live + content.past { take(entry) }
            for line in content.lines where lines[line.sequence] == nil { lines[line.sequence] = line }
            isWhole = isWhole && errors.isEmpty
        }
        return isWhole
    }

    /// A version may be known as live, and as past from a later segment, which tells when it ended.
    private mutating func take(_ entry: Entry) {
        if entry.last != nil || found[entry.id]?[entry.first] == nil {
            found[entry.id, default: [:]][entry.first] = entry
        }
    }

    private mutating func scanForHeaders() throws {
        let known = Set(self.found.values.flatMap { $0.values.map(\.place) })
        let (file, keys, size) = (locked.file, keys, locked.fileByteCount)
        let step: UInt64 = 1 << 20
        let log = Layout.logStart..<max(Layout.logStart, size)
        let found = try Parallel.map(Int((UInt64(log.count) + step - 1) / step)) { piece -> [Entry] in
            try locked.environment.checkCancellation()
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
        let all = found.joined().sorted { $0.revision < $1.revision }.map { ($0, commit(around: $0.place)?.sequence) }
        for (entry, sequence) in all where sequence != nil { takeHeader(entry, sequence) }
        // Downwards below a version that is known, so that each finds a place; upwards behind all.
        let loose = all.filter { $0.1 == nil }.map(\.0)
        let isBelow = loose.map { entry in
            self.found[entry.id]?.values.contains { $0.revision > entry.revision } ?? false
        }
        for (entry, isBelow) in zip(loose, isBelow).reversed() where isBelow { takeHeader(entry, nil) }
        for (entry, isBelow) in zip(loose, isBelow) where !isBelow { takeHeader(entry, nil) }
    }

    /// The index in `places` of the first commit that starts behind a place.
    private func index(behind place: UInt64) -> Int {
        var range = places.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = places[middle].start > place ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }

    /// The commit in whose payload area a place lies.
    private func commit(around place: UInt64) -> Core? {
        let next = index(behind: place)
        return next > 0 && place < places[next - 1].recordOffset ? places[next - 1] : nil
    }

    /// Adds a version that only its header tells of, in the order of the revisions: anybody can put an old stored record
    /// behind the log, and it must not take the place of what came after it.
    private mutating func takeHeader(_ entry: Entry, _ sequence: UInt64?) {
        var entry = entry
        let others = found[entry.id] ?? [:]
        // Anybody can put a stored record there once more.
        if others.values.contains(where: { $0.revision == entry.revision || $0.salt == entry.salt }) { return }
        let later = others.values.filter { $0.revision >= entry.revision }.min { $0.first < $1.first }
        // A record that was purged stays purged.
        if others.values.contains(where: { $0.state == .purged && $0.revision > entry.revision }) { return }
        let earlier = others.values.filter { $0.revision < entry.revision }.map(\.first).max() ?? 0
        // Without its commit, it came before the next one that is known, or after all.
        let next = index(behind: entry.place)
        let around = sequence ?? (next < places.count ? places[next].sequence - 1 : (cores.last?.sequence ?? 0) + 1)
        entry.first = max(later.map { min(around, $0.first - 1) } ?? around, earlier + 1)
        guard entry.first > 0, later.map({ entry.first < $0.first }) ?? true else {
            return unplaced.append((entry, sequence))
        }
        foundByHeader += 1
        found[entry.id, default: [:]][entry.first] = entry
    }
}
