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
        var versions = try allEntries()
        for segment in manifest.segments { versions += try diagnosing { try segment.entries(.past) } }
        versions.sort { ($0.id, $0.first) < ($1.id, $1.first) }
        return versions
    }

    /// The present state of every record: live, in the trash, or a tombstone.
    public func allEntries() throws -> [Entry] { try diagnosing { try manifest.entries() } }

    /// Records at most, tombstones too, without reading them all.
    public var recordBound: Int { manifest.segments.reduce(0) { $0 + $1.head.live.reduce(0) { $0 + $1.count } } }

    /// Bytes that the present versions take in the file, those in the trash too.
    public func presentByteCount() throws -> UInt64 {
        try allEntries().reduce(Layout.logStart) {
            $0 + ($1.isTombstone ? 0 : Layout.align(StoredRecord.byteCount($1.length), to: Layout.recordAlignment))
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
        return Vault(self, showing: Self.rooted(try versions().filter { $0.holds(at: sequence) }))
    }

    /// Without what lay in a folder that was purged since.
    private static func rooted(_ versions: [Entry]) -> [Entry] {
        let isFolder = { (entry: Entry) in entry.kind == Entry.Kind.folder && entry.state == .live }
        let parents = Dictionary(
            versions.filter(isFolder).map { ($0.innerID, $0.parent) }, uniquingKeysWith: { first, _ in first })
        var known: [RecordID?: Bool] = [nil: true]
        return versions.filter { entry in
            guard Entry.Kind.tree.contains(entry.kind), entry.state == .live else { return true }
            var way: [RecordID?] = []
            var next = entry.parent
            while known[next] == nil, way.count < Limits.treeDepth, let folder = next, let parent = parents[folder] {
                way.append(next)
                next = parent
            }
            let isRooted = known[next] ?? false
            for folder in way { known[folder] = isRooted }
            return isRooted
        }
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
        let all = try allEntries().filter { !$0.isTombstone }
        var tree = VaultTree(all)
        let chosen = all.filter(belongs)
        lazy var titles = Dictionary(
            all.map { ($0.kind == Entry.Kind.folder ? $0.innerID : $0.id, $0.overview.title) },
            uniquingKeysWith: { first, _ in first })
        return TreeListing(
            chosen,
            paths: try chosen.map { entry in
                do { return try tree.path(of: entry) } catch let error as FormatError {
                    // What is in the trash may have lain in a folder whose place a file has taken.
                    guard entry.state == .trashed else { throw error }
                    return Path(entry.parent.flatMap { titles[$0] } ?? []).appending(entry.overview.title)
                }
            })
    }
}

extension Vault {
    /// A live folder and all that lies in it. Only the parts of the manifest that can hold them are read.
    ///
    /// - Parameter withTrash: also what lies in the trash of these folders.
    /// - Returns: nil where reading all is as quick: there are many folders in it, or this is an earlier save.
    /// - Throws: as `entries`.
    public func listing(of folder: Entry, at path: Path, withTrash: Bool = false) throws -> TreeListing? {
        guard !isEarlier else { return nil }
        var (entries, paths, folders) = ([folder], [path], [(folder, path)])
        var innerIDs: Set<RecordID> = [folder.innerID]
        var next = 0
        while next < folders.count {
            guard folders.count <= Self.separateFolderCount else { return nil }
            let (folder, path) = folders[next]
            next += 1
            for entry in try diagnosing({ try manifest.entries(in: folder.innerID) })
            where entry.state == .live || withTrash && entry.state == .trashed {
                let path = path.appending(entry.overview.title).cut(to: Limits.pathByteCount + 1)
                entries.append(entry)
                paths.append(path)
                guard entry.kind == Entry.Kind.folder else { continue }
                // The list of all refuses two folders with one inner id.
                guard innerIDs.insert(entry.innerID).inserted else { return nil }
                folders.append((entry, path))
            }
        }
        return TreeListing(entries, paths: paths)
    }

    private static let separateFolderCount = 64
}

/// A version of a record, and what it came by.
public struct Version: Sendable {
    /// What a save did to a record.
    public enum Change: Sendable {
        case added, changed, trashed, restored, purged, moved
    }

    /// The version.
    public let entry: Entry
    /// What the save `entry.first` did.
    public let change: Change
    /// Bytes of content that the save stored for it.
    public let storedByteCount: UInt64

    private init(_ entry: Entry, after old: Entry?) {
        let isMoved = entry.formerID != nil
        // A version that ended before this one began was of an earlier record at the same path.
        let old = old.flatMap { $0.last ?? .max < entry.first - 1 ? nil : $0 }
        let isStored = entry.salt != old?.salt && !entry.isTombstone && !isMoved
        self.entry = entry
        storedByteCount = isStored ? entry.length : 0
        change =
            switch (entry.state, old?.state) {
            case (.purged, _): .purged
            case (.moved, _): .moved
            case (.live, _) where isMoved: .moved
            case (.trashed, _): .trashed
            case (.live, .trashed): .restored
            case (.live, .live): .changed
            // Older versions may be forgotten, and what was there before it was purged does not count.
            case (.live, .purged), (.live, .moved), (.live, nil): entry.created == entry.updated ? .added : .changed
            }
    }

    /// The change that each version made, for versions by id and then oldest first. A move is reported at the new path only.
    static func changes(_ versions: [Entry]) -> [Version] {
        versions.indices.filter { versions[$0].state != .moved }.map { index in
            let before = index > 0 ? versions[index - 1] : nil
            return Version(versions[index], after: before?.id == versions[index].id ? before : nil)
        }
    }
}

extension Vault {
    /// What every save did, by record and then oldest first.
    public func changes() throws -> [Version] { Version.changes(try versions()) }

    /// The changes of one record, oldest first, including those under the ids that it had before it was moved.
    public func changes(of id: RecordID) throws -> [Version] {
        try diagnosing {
            let versions = try Self.versions(of: id) { id in
                try manifest.segments.flatMap { try $0.past(id) } + (manifest.entry(id).map { [$0] } ?? [])
            }
            return Version.changes(versions)
        }
    }

    /// The versions of the record that has an id now, oldest first, and those from before it was moved, under its former
    /// ids. A record that was moved away from one of these ids is another one.
    ///
    /// - Parameters:
    ///   - last: the last save of the newest version; nil for the one that is there now.
    ///   - known: gives the versions under an id.
    static func versions(
        of id: RecordID, until last: UInt64? = nil, _ known: (RecordID) throws -> [Entry]
    ) rethrows -> [Entry] {
        var versions: [Entry] = []
        // Ids, and the last save in which the record had each.
        var next: [(id: RecordID, last: UInt64?)] = [(id, last)]
        while let (id, last) = next.popLast() {
            var last = last
            for version in try known(id).sorted(by: { $0.first > $1.first }) {
                guard version.last == last else { continue }
                last = version.first - 1
                versions.append(version)
                if let former = version.formerID { next.append((former, version.first - 1)) }
            }
        }
        return versions.sorted { $0.first < $1.first }
    }
}

extension Transaction {
    /// Makes versions of records the present ones again, with the folders that they lie in and the records that they
    /// belong to; returns how many were not.
    public func bringBack(_ versions: TreeListing) throws -> Int {
        var folders = try before.diagnosing { try before.manifest.folders() }
        var count = 0
        for (path, version) in versions { try bringBack(version, path, &folders, &count) }
        return count
    }

    private func bringBack(
        _ version: Entry, _ path: Path, _ folders: inout [RecordID: Entry], _ count: inout Int
    ) throws {
        // From the record up to the first owner that is there. Owners may form a ring, which comes back whole.
        var chain: [Entry] = []
        var seen: Set<RecordID> = []
        var next: Entry? = version
        var path = path
        while let missing = next, try !isThere(missing, path, folders), seen.insert(missing.id).inserted {
            chain.append(missing)
            path = path.parentInTree
            next = try missingOwner(of: missing, path, folders)
        }
        for entry in chain.reversed() {
            try reinstate(entry)
            if entry.kind == Entry.Kind.folder { folders[entry.innerID] = try self.entry(entry.id) }
        }
        count += chain.count
    }

    /// True if a version is already the present one, or a folder that lives on under another path.
    ///
    /// - Throws: `VaultError.kindConflict` where a record of another kind has its place.
    private func isThere(_ version: Entry, _ path: Path, _ folders: [RecordID: Entry]) throws -> Bool {
        if version.kind == Entry.Kind.folder, let folder = folders[version.innerID], folder.state == .live,
            folder.id != version.id
        {
            return true
        }
        guard let now = try entry(version.id) else { return false }
        if now.salt == version.salt, now.overview == version.overview { return true }
        guard now.kind == version.kind else { throw VaultError.kindConflict(path) }
        // Another folder has its path.
        guard now.innerID == version.innerID else { throw VaultError.taken(path, inTrash: false) }
        return false
    }

    /// The folder or record that a version belongs to, where it has to come back first; nil where none has to.
    private func missingOwner(of version: Entry, _ path: Path, _ folders: [RecordID: Entry]) throws -> Entry? {
        guard let parent = version.parent else { return nil }
        guard !Entry.Kind.tree.contains(version.kind) else {
            guard let folder = folders[parent] else { throw VaultError.kindConflict(path) }
            return folder.state == .live ? nil : folder
        }
        // A record whose owner is gone comes back without it, as it was.
        guard try entry(parent) == nil, let owner = try before.manifest.entry(parent), owner.state == .trashed else {
            return nil
        }
        return owner
    }
}
