public import VaultFormat

/// A version of a record, and what it came by.
public struct Version: Sendable {
    /// The change that a save made to a record.
    public enum Change: Sendable {
        case added, changed, trashed, restored, purged, moved
    }

    /// The version.
    public let entry: Entry
    /// The number of the save that made it: `entry.first`, but where a rewriting left out versions before it.
    public let save: UInt64
    /// The change that this save made.
    public let change: Change
    /// Bytes of content that the save stored for it.
    public let storedByteCount: UInt64

    private init(_ entry: Entry, after old: Entry?, isFirstOfContent: Bool, _ saves: [UInt64: Bytes16]) {
        let isMoved = entry.formerID != nil
        // A version that ended before this one began was of an earlier record at the same path.
        let old = old.flatMap { $0.last ?? .max < entry.first - 1 ? nil : $0 }
        let isStored = entry.salt != old?.salt && !entry.isTombstone && !isMoved && isFirstOfContent
        self.entry = entry
        save = entry.maker(among: saves)
        storedByteCount = isStored ? entry.content.byteCount : 0
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

    /// The change that each version made, for versions by id and then oldest first. A move is reported at the new path only,
    /// and records of the store itself count for nothing.
    ///
    /// - Parameter saves: as for `Entry.maker`.
    static func changes(_ versions: [Entry], _ saves: [UInt64: Bytes16] = [:]) -> [Version] {
        // Of what several share, the version that came first has stored it.
        var owners: [UInt64: (first: UInt64, index: Int)] = [:]
        for (index, version) in versions.enumerated() where !version.isTombstone {
            if owners[version.place].map({ version.first < $0.first }) ?? true {
                owners[version.place] = (version.first, index)
            }
        }
        return versions.indices.compactMap { index in
            let (version, last) = (versions[index], index > 0 ? versions[index - 1] : nil)
            let before = last?.id == version.id ? last : nil
            let isAdopted =
                version.origin != nil && version.state == before?.state && version.salt == before?.salt
                && version.overview == before?.overview
            guard version.state != .moved, !version.kind.isOfStore, !isAdopted else { return nil }
            return Version(version, after: before, isFirstOfContent: owners[version.place]?.index == index, saves)
        }
    }
}

extension Vault {
    /// The changes of every save, by record and then oldest first.
    public func changes() throws -> [Version] { Version.changes(try versions(), try fingerprints()) }

    /// The changes of one record, oldest first, including those under the ids that it had before it was moved.
    public func changes(of id: RecordID) throws -> [Version] {
        try diagnosing {
            let versions = try Self.versions(of: id) { id in
                try manifest.segments.flatMap { try $0.past(id) } + (manifest.entry(id).map { [$0] } ?? [])
            }
            return Version.changes(versions, try fingerprints())
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

extension Entry {
    /// The number of the save that made the version: `first`, but where a thinning left out versions before it. Only then it has
    /// an origin among the saves of its own file behind `first`.
    ///
    /// - Parameter saves: the first 16 bytes of the fingerprints of the file's saves, by sequence.
    func maker(among saves: [UInt64: Bytes16]) -> UInt64 {
        guard let origin, origin.sequence > first, saves[origin.sequence] == origin.save else { return first }
        return origin.sequence
    }
}

extension Vault {
    /// Tells the number of the save that made a version of this vault.
    ///
    /// - Throws: what reading the manifest throws.
    package func maker() throws -> (Entry) -> UInt64 {
        let saves = try fingerprints()
        return { $0.maker(among: saves) }
    }

    /// The first 16 bytes of the fingerprints of its saves, by sequence.
    func fingerprints() throws -> [UInt64: Bytes16] {
        Dictionary(try lines().map { ($0.sequence, $0.fingerprint) }, uniquingKeysWith: { first, _ in first })
    }
}
