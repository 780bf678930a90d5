public import VaultFormat

/// One save that a vault remembers.
public struct Moment: Equatable, Sendable {
    /// Its number.
    public let sequence: UInt64
    /// When it was made, in microseconds since 1970.
    public let time: UInt64
    /// Whether what the vault held then can still be shown; compaction forgets.
    public let isKept: Bool

    init(_ line: CommitLine) {
        (sequence, time, isKept) = (line.sequence, line.time, line.recordOffset != nil)
    }
}

extension Vault {
    /// All saves that are remembered, oldest first; this state's own is the last.
    public func moments() throws -> [Moment] { try lines().map(Moment.init) }

    /// The lines of all earlier commits and of this one, oldest first.
    func lines() throws -> [CommitLine] {
        let lines = try diagnosing { try manifest.segments.flatMap { try $0.lines() } }
        return lines.sorted { $0.sequence < $1.sequence } + [line]
    }

    /// Every version of every record, by id and then oldest first; also what is in the trash, and tombstones.
    public func versions() throws -> [Entry] {
        let past = try diagnosing { try manifest.segments.flatMap { try $0.entries(.past) } }
        return try (past + allEntries()).sorted { ($0.id, $0.first) < ($1.id, $1.first) }
    }

    /// The present state of every record: live, in the trash, or purged.
    public func allEntries() throws -> [Entry] { try diagnosing { try manifest.entries() } }

    /// Records at most, tombstones too, without reading them all.
    public var recordBound: Int { manifest.segments.reduce(0) { $0 + $1.head.live.reduce(0) { $0 + $1.count } } }

    /// Bytes that the present versions take in the file, those in the trash too.
    public func presentByteCount() throws -> UInt64 {
        try allEntries().reduce(Layout.logStart) {
            $0 + ($1.state == .purged ? 0 : Layout.align(StoredRecord.byteCount($1.length), to: Layout.recordAlignment))
        }
    }

    /// The vault as it was after a save.
    ///
    /// - Throws: `VaultError.noSuchSave`; all that reading the manifest throws.
    public func at(_ sequence: UInt64) throws -> Vault {
        let moments = try moments()
        guard let moment = moments.last(where: { $0.sequence == sequence }), moment.isKept else {
            throw VaultError.noSuchSave(sequence, oldest: moments.first(where: \.isKept)?.sequence ?? self.sequence)
        }
        return Vault(self, showing: try versions().filter { $0.holds(at: sequence) })
    }

    /// The number of the newest save that was made at a time, in microseconds since 1970, or before. A save counts as
    /// made no earlier than the one before it; one from the future, as made at the time of that one.
    ///
    /// - Throws: `VaultError.noSuchSave`.
    public func sequence(at time: UInt64) throws -> UInt64 {
        let moments = try moments()
        guard let moment = Moment.last(of: moments, madeBy: time, now: environment.now(), believingFuture: false) else {
            throw VaultError.noSuchSave(nil, oldest: moments.first(where: \.isKept)?.sequence ?? sequence)
        }
        return moment.sequence
    }
}

extension Moment {
    /// The last of the saves, oldest first, that was made at a time or before. Clocks go wrong: a save counts as made no
    /// earlier than the one before it.
    ///
    /// - Parameter believingFuture: a save from the future counts as made now; else at the time of the one before it.
    static func last(of moments: [Moment], madeBy time: UInt64, now: UInt64, believingFuture: Bool) -> Moment? {
        var latest: UInt64 = 0
        var result: Moment?
        for moment in moments {
            if moment.time <= now { latest = max(latest, moment.time) } else if believingFuture { latest = now }
            guard latest <= time else { break }
            result = moment
        }
        return result
    }
}

extension Vault {
    /// The oldest save that has to be kept so that the vault can be shown as it was at any time in the last `age`
    /// microseconds.
    public func oldestSave(since age: UInt64) throws -> UInt64 {
        let kept = try moments().filter(\.isKept)
        let now = environment.now()
        return (Moment.last(of: kept, madeBy: now - min(now, age), now: now, believingFuture: true) ?? kept.first)?
            .sequence ?? sequence
    }

    /// The records that belong to it, live or in the trash, with their paths.
    ///
    /// - Throws: as `entries`; `FormatError.malformed` as `VaultTree.path`.
    public func listing(_ belongs: (Entry) -> Bool) throws -> TreeListing {
        let all = try allEntries().filter { $0.state != .purged }
        var tree = VaultTree(all)
        let chosen = all.filter(belongs)
        return TreeListing(
            chosen,
            paths: try chosen.map { entry in
                do { return try tree.path(of: entry) } catch let error as FormatError {
                    // What is in the trash may have lain in a folder whose place a file has taken.
                    guard entry.state == .trashed else { throw error }
                    let parent = try entry.parent.flatMap { try manifest.entry($0) }
                    return Path(parent?.overview.title ?? []).appending(entry.overview.title)
                }
            })
    }
}

/// A version of a record, and what it came by.
public struct Version: Sendable {
    /// What a save did to a record.
    public enum Change: Sendable {
        case added, changed, trashed, restored, purged
    }

    /// The version.
    public let entry: Entry
    /// What the save `entry.first` did.
    public let change: Change
    /// Bytes of content that the save stored for it.
    public let storedByteCount: UInt64

    private init(_ entry: Entry, after old: Entry?) {
        let isStored = entry.salt != old?.salt && entry.state != .purged
        self.entry = entry
        storedByteCount = isStored ? entry.length : 0
        change =
            switch (entry.state, old?.state) {
            case (.purged, _): .purged
            case (.trashed, _): .trashed
            case (.live, .trashed): .restored
            case (.live, .live): .changed
            // Older versions may be forgotten, and what was there before it was purged does not count.
            case (.live, .purged), (.live, nil): entry.created == entry.updated ? .added : .changed
            }
    }

    /// What came after what, of versions by id and then oldest first.
    static func changes(_ versions: [Entry]) -> [Version] {
        versions.indices.map { index in
            let before = index > 0 ? versions[index - 1] : nil
            return Version(versions[index], after: before?.id == versions[index].id ? before : nil)
        }
    }
}

extension Vault {
    /// What every save did, by record and then oldest first.
    public func changes() throws -> [Version] { Version.changes(try versions()) }

    /// What saves did to one record, oldest first.
    public func changes(of id: RecordID) throws -> [Version] {
        try diagnosing {
            let past = try manifest.segments.flatMap { try $0.past(id) }
            let present = try manifest.entry(id).map { [$0] } ?? []
            return Version.changes((past + present).sorted { $0.first < $1.first })
        }
    }
}

extension Transaction {
    /// Makes versions of records the present ones again, with the folders that they lie in and the records that they
    /// belong to; returns how many were not.
    public func bringBack(_ versions: TreeListing) throws -> Int {
        var count = 0
        for (path, version) in versions { try bringBack(version, path, &count) }
        return count
    }

    private func bringBack(_ version: Entry, _ path: Path, _ count: inout Int) throws {
        // From the record up to the first owner that is there. Owners may form a ring, which comes back whole.
        var chain: [Entry] = []
        var seen: Set<RecordID> = []
        var next: Entry? = version
        var path = path
        while let missing = next, try !isThere(missing, path), seen.insert(missing.id).inserted {
            chain.append(missing)
            path = path.parentInTree
            next = try trashedOwner(of: missing, path)
        }
        for entry in chain.reversed() { try reinstate(entry) }
        count += chain.count
    }

    /// True if a version is already the present one.
    ///
    /// - Throws: `VaultError.kindConflict` where a record of another kind has its place.
    private func isThere(_ version: Entry, _ path: Path) throws -> Bool {
        guard let now = try entry(version.id) else { return false }
        if now.salt == version.salt, now.overview == version.overview { return true }
        guard now.kind == version.kind else { throw VaultError.kindConflict(path) }
        return false
    }

    /// The folder or record that a version belongs to, where it has to come back first; nil where none has to.
    private func trashedOwner(of version: Entry, _ path: Path) throws -> Entry? {
        let isTree = Entry.Kind.tree.contains(version.kind)
        let isFit = { (entry: Entry) in !isTree || entry.kind == Entry.Kind.folder }
        guard let parent = version.parent, try !(entry(parent).map(isFit) ?? false) else { return nil }
        guard let owner = try before.manifest.entry(parent), owner.state == .trashed, isFit(owner) else {
            // A record whose owner is gone comes back without it, as it was.
            guard isTree else { return nil }
            throw VaultError.kindConflict(path)
        }
        return owner
    }
}
