import VaultIO
public import VaultCrypto
public import VaultFormat

/// Gets everything that can still be read out of a damaged vault into a new one (Spec/store.md, 12): by every manifest
/// segment that is left, chunk by chunk, and where one is missing by the sealed headers of the records themselves.
public struct Salvage {
    /// A version of a record that cannot be read.
    public struct Loss: Sendable {
        /// The record.
        public let path: BytePath
        /// The save that brought the version.
        public let sequence: UInt64
        /// The fault.
        public let what: Phrase
        /// The bytes that are concerned.
        public let range: Range<UInt64>
        /// The save that brought the version which is the present one now; nil where this was an older version, or none
        /// is left.
        public let substitute: UInt64?
        /// True if it was the present version.
        public let wasPresent: Bool
    }

    /// The versions that cannot be read, by path.
    public private(set) var losses: [Loss] = []
    /// Records and versions that are in the new vault.
    public private(set) var count = (records: 0, versions: 0)
    /// True if all pages, commits and manifests were found that there must have been; else there may be losses that
    /// nothing tells of.
    public private(set) var isComplete = true
    /// Records that were found by their headers alone, which know less of them: a name's first 79 bytes, no time of
    /// change, not whether they were in the trash.
    public private(set) var foundByHeader = 0

    /// True if the new vault has all key slots; false if no authentic commit confirms them and only the slot that opened
    /// is kept.
    public let keepsAllSlots: Bool

    /// The sequence of the newest commit that is authentic; 0 if there is none.
    public var newestSequence: UInt64 { cores.last?.sequence ?? 0 }

    private let locked: LockedVault
    private let keys: Keys
    private let environment: StoreEnvironment
    private let slots: SlotArea
    /// The commits that are authentic, in the order of their sequences.
    private let cores: [Core]
    /// The same in the order of their places.
    private let places: [Core]
    private var lines: [UInt64: CommitLine] = [:]
    /// All versions of each record; by `first` until all are found, then in its order.
    private var found: [RecordID: [UInt64: Entry]] = [:]
    private var versions: [RecordID: [Entry]] = [:]

    /// Looks for everything.
    ///
    /// - Parameter number: the key slot that gave the master key, 1 … 8.
    /// - Throws: `IOError`; `VaultError.cancelled`.
    public init(_ locked: LockedVault, master: consuming Secret, slot number: Int) throws {
        (self.locked, environment) = (locked, locked.environment)
        let keys = try Keys(master: master, vaultID: locked.header.vaultID, epoch: locked.header.epoch)
        let cores = try Self.commits(of: locked, keys)
        (self.keys, self.cores, places) = (keys, cores, cores.sorted { $0.start < $1.start })
        let vouched = try Self.slots(of: locked.root, vouchedFor: cores.last)
        keepsAllSlots = vouched != nil
        slots = vouched ?? locked.slots.keeping(number)
        isComplete = try readManifests()
        if !isComplete { try scanForHeaders() }
        versions = found.mapValues { $0.values.sorted { $0.first < $1.first } }
        found = [:]
    }

    /// The key slots whose hash is in the newest authentic commit; nil if no page has them.
    private static func slots(of root: Root, vouchedFor newest: Core?) throws -> SlotArea? {
        guard let newest else { return nil }
        let areas = [root.page.slots, root.other?.slots].compactMap(\.self)
        return try areas.first { try $0.hash() == newest.slotHash }
    }

    // MARK: Commits and manifests

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
            let (content, isComplete) = try segment.readableContent()
            for entry in content.live + content.past { take(entry) }
            for line in content.lines where lines[line.sequence] == nil { lines[line.sequence] = line }
            isWhole = isWhole && isComplete
        }
        return isWhole
    }

    /// A version may be known as live, and as past from a later segment, which tells when it ended.
    private mutating func take(_ entry: Entry) {
        if entry.last != nil || found[entry.id]?[entry.first] == nil {
            found[entry.id, default: [:]][entry.first] = entry
        }
    }

    // MARK: Headers

    private mutating func scanForHeaders() throws {
        let known = Set(self.found.values.flatMap { $0.values.map(\.place) })
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
            return losses.append(
                Loss(
                    path: BytePath(entry.overview.title), sequence: sequence ?? 0,
                    what: "a version without a place in history",
                    range: entry.extent, substitute: nil, wasPresent: false))
        }
        foundByHeader += 1
        found[entry.id, default: [:]][entry.first] = entry
    }

    // MARK: The new vault

    /// Writes all that can be read into a new vault with the same keys, which goes on from the newest save.
    ///
    /// - Parameters:
    ///   - seen: the highest sequence that is known from elsewhere.
    ///   - progress: told the bytes done so far.
    /// - Returns: the new vault.
    /// - Throws: `VaultError.exists`; `IOError`; `VaultError.cancelled`.
    @discardableResult
    public mutating func write(
        to target: BytePath, above seen: UInt64 = 0, progress: @escaping (UInt64) -> Void = { _ in }
    )
        throws -> Vault
    {
        let new = try AtomicFile(vault: target, environment)
        try dropUnreadable()
        // A version that a merge brought may be lost. Without the list the next merge brings it again.
        if !isComplete || losses.contains(where: \.wasPresent) { versions[try MergedSaves.id()] = nil }
        var tree = SalvagedTree(versions)
        var kept = try tree.entries()
        let newest = versions.values.joined().reduce(max(seen, newestSequence)) { max($0, $1.first) }
        // A version of a lost save begins anew with this save, so that merges know its origin.
        for index in kept.indices {
            let entry = kept[index]
            guard entry.last == nil, entry.kind != .folder, entry.origin == nil, lines[entry.first] == nil else {
                continue
            }
            if !entry.isTombstone {
                kept.append(entry)
                kept[kept.count - 1].last = newest
            }
            (kept[index].first, kept[index].revision) = (newest + 1, try Entry.next(entry.revision))
        }
        guard newest < Limits.counter else {
            throw FormatError(.invalid, "the vault has as many commits as the format allows")
        }
        let source = Rewrite.Source(
            file: locked.file, keys: keys, vaultID: locked.header.vaultID, epoch: locked.header.epoch,
            newest: cores.last?.fingerprint ?? .zero, environment: environment)
        let rewritten = Rewrite.Target(
            keys: keys, epoch: source.epoch, sequence: newest + 1, slots: slots)
        var rewrite = Rewrite(
            VersionsInMemory(versions: kept), lines: lines.values.sorted { $0.sequence < $1.sequence }, source: source,
            progress: progress)
        rewrite.remakesFolders = true
        let record = try rewrite.write(to: new.file, as: rewritten)
        try new.file.finish(naming: record, slots: slots, keys: keys, environment, isCheckedWhole: true)
        try new.publishDurably()
        count = (kept.count { $0.last == nil && $0.state == .live }, kept.count)
        return try Vault(LockedVault(target, in: environment), keys: keys)
    }

    /// Reads every version and forgets those that fail; the newest that is left is then the present one.
    private mutating func dropUnreadable() throws {
        var reader = try RecordReader(locked.file, keys: keys, logEnd: locked.fileByteCount)
        var faults: [UInt64: Fault] = [:]
        for entry in versions.values.joined().sorted(by: { $0.place < $1.place }) where !entry.isTombstone {
            // A folder has no content to lose: its entry tells all.
            if faults[entry.place] != nil || entry.kind == .folder && entry.length == 0 { continue }
            do {
                try entry.checkContent()
                try reader.read(entry) { content in
                    try environment.checkCancellation()
                    guard entry.kind != .symlink || !content.indices.contains(where: { content[$0] == 0 }) else {
                        throw FormatError(.malformed, "the target of a symlink", at: entry.place)
                    }
                }
            } catch let fault as Fault {
                faults[entry.place] = fault
            } catch let error as IOError {
                faults[entry.place] = Fault(what: "cannot be read from the disk (\(error.code))", range: entry.extent)
            } catch let error as FormatError {
                faults[entry.place] = Fault(what: error.what, range: entry.extent)
            }
        }
        var paths = VaultTree(versions.values.compactMap(\.last))
        // Ids of records that live on elsewhere, or that folders elsewhere have as their inner ids.
        let readable = versions.values.joined().filter { !$0.isTombstone && faults[$0.place] == nil }
        let kept = Set(readable.compactMap(\.formerID) + readable.map(\.innerID))
        for (id, all) in versions {
            var left = all.filter { $0.isTombstone || faults[$0.place] == nil }
            // A tombstone that something came after is none, nor one of a move whose new place is lost.
            left = left.enumerated().filter { index, entry in
                !entry.isTombstone || index == left.count - 1 && (entry.state == .purged || kept.contains(id))
            }.map(\.element)
            for index in left.indices {
                // A version of a record that was moved away ended earlier than the next version began.
                let end = index + 1 < left.count ? left[index + 1].first - 1 : nil
                left[index].last = end.map { min($0, left[index].last ?? .max) }
            }
            for entry in all {
                guard let fault = faults[entry.place] else { continue }
                let wasPresent = entry.first == all.last?.first
                let path = (try? paths.path(of: entry)) ?? BytePath(entry.overview.title)
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
