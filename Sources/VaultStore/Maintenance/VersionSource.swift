import VaultFormat

/// The versions of records that a new log takes over.
protocol VersionSource {
    /// Lends the versions, tombstones too, a piece of them at a time. The ids of a piece are above those of the one before.
    func forEachPiece(_ body: (inout [Entry]) throws -> Void) throws

    /// The facts about all pieces that are needed before the first is carried over.
    func survey() throws -> VersionSurvey
}

/// The facts about all versions that are needed before the first is carried over.
struct VersionSurvey {
    /// The stored records that versions in several pieces share, by place.
    var shared: [UInt64: SharedRecord] = [:]
    /// The inner ids of present folders with other ids.
    var movedFolders: Set<RecordID> = []

    mutating func note(_ versions: [Entry]) {
        for folder in versions where folder.kind == .folder && folder.last == nil {
            if folder.innerID != folder.id { movedFolders.insert(folder.innerID) }
        }
    }
}

/// A stored record that several versions share.
struct SharedRecord {
    /// The version with the lowest revision.
    var first: Entry
    /// Its salt and place in the new log, once it was carried over.
    var carried: (salt: Salt, place: UInt64)?
}

/// Versions in memory: one piece.
struct VersionsInMemory: VersionSource {
    let versions: [Entry]

    func forEachPiece(_ body: (inout [Entry]) throws -> Void) throws {
        var versions = versions
        try body(&versions)
    }

    func survey() -> VersionSurvey {
        var survey = VersionSurvey()
        survey.note(versions)
        return survey
    }
}

/// The versions of a vault, read a range of ids at a time.
struct VaultVersions: VersionSource {
    let vault: Vault
    /// Changes the versions of a piece, or removes some. It adds none.
    var change: (inout [Entry]) throws -> Void = { _ in }

    /// Versions in a piece, about.
    static let pieceCount = 1 << 14

    func forEachPiece(_ body: (inout [Entry]) throws -> Void) throws {
        for ids in ranges() {
            var versions = try vault.diagnosing { try vault.manifest.versions(ids) }
            try change(&versions)
            try body(&versions)
        }
    }

    func survey() throws -> VersionSurvey {
        var survey = VersionSurvey()
        var places: [UInt64] = []
        places.reserveCapacity(vault.recordBound)
        try forEachPiece { versions in
            survey.note(versions)
            places += versions.lazy.filter { !$0.isTombstone }.map(\.place)
        }
        guard ranges().count > 1 else { return survey }
        places.sort()
        let shared = Set(zip(places, places.dropFirst()).filter { $0 == $1 }.map { $0.0 })
        guard !shared.isEmpty else { return survey }
        try forEachPiece { versions in
            for version in versions where shared.contains(version.place) && !version.isTombstone {
                let known = survey.shared[version.place]?.first
                if known.map({ version.revision < $0.revision }) ?? true {
                    survey.shared[version.place] = SharedRecord(first: version)
                }
            }
        }
        return survey
    }

    /// Ranges of ids that follow each other, from the lowest to the highest.
    private func ranges() -> [ClosedRange<RecordID>] {
        let chunks = vault.manifest.segments.flatMap { $0.head.live + $0.head.past }.sorted { $0.first < $1.first }
        var ranges: [ClosedRange<RecordID>] = []
        var (first, count) = (RecordID.zero, 0)
        for chunk in chunks {
            let id = RecordID(chunk.first)
            if count >= Self.pieceCount, id > first {
                ranges.append(first...id.predecessor)
                (first, count) = (id, 0)
            }
            count += chunk.count
        }
        return ranges + [first...RecordID(high: .max, low: .max)]
    }
}

extension Manifest {
    /// All versions of the records with these ids, tombstones too, by id and then oldest first.
    func versions(_ ids: ClosedRange<RecordID>) throws -> [Entry] {
        var versions: [Entry] = []
        var newer: Set<RecordID> = []
        for (depth, segment) in segments.enumerated() {
            let live = try segment.entries(ids).filtered { !newer.contains($0.id) }
            if depth + 1 < segments.count { newer.formUnion(live.map(\.id)) }
            versions += live
            versions += try segment.entries(ids, .past)
        }
        versions.sort { ($0.id, $0.first) < ($1.id, $1.first) }
        return versions
    }
}
