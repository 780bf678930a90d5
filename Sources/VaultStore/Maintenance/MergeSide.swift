import VaultIO
import VaultFormat

/// One of the two vaults of a merge, and the saves whose changes it has.
final class MergeSide {
    let vault: Vault
    /// The fingerprints of its saves, by sequence.
    let saves: [UInt64: Bytes16]
    /// The saves whose changes are in it, or were: its own, and those of copies that were merged into it.
    private(set) var known: Set<Bytes16>
    /// The versions of these that were left out all the same.
    private(set) var holes: Set<MergedSaves.Hole> = []
    /// The live folders, and those in the trash.
    let allFolders: [Entry]
    /// The live folders by inner id.
    let folders: [RecordID: Entry]
    private let index: VersionIndex
    /// The save that brought the present state of each record, tombstones too.
    private let firsts: [RecordID: UInt64]
    /// The live folders, to tell which of them a reader lists.
    private var liveTree: VaultTree
    /// All folders, to tell the paths of records.
    private var paths: VaultTree
    /// The inner ids that several live folders have.
    let doubled: Set<RecordID>
    private var headers: StoredRecord.HeaderCipher
    /// Its pieces, with their lengths, once they were asked for; and what of them was found right.
    private var pieceLengths: [RecordID: UInt64]?
    private var soundPieces: Set<RecordID> = []
    private var soundLists: Set<StoredContent> = []
    /// The live records that belong to others, by these; nil until it is asked for.
    private var parts: [RecordID: [Entry]]?

    init(_ vault: Vault) throws {
        (self.vault, index) = (vault, VersionIndex(vault))
        headers = try StoredRecord.HeaderCipher(vault.keys)
        saves = try vault.fingerprints()
        known = Set(saves.values)
        firsts = Dictionary(
            uniqueKeysWithValues: try vault.diagnosing {
                try vault.manifest.flatMap { $0.map { ($0.id, $0.first) } }
            })
        allFolders = try vault.diagnosing {
            try vault.manifest.flatMap { $0.filter { $0.kind == .folder && !$0.isTombstone } }
        }
        let live = allFolders.filter { $0.state == .live }
        folders = Dictionary(live.map { ($0.innerID, $0) }, uniquingKeysWith: { $0.id < $1.id ? $0 : $1 })
        (liveTree, paths) = (VaultTree(live), VaultTree(allFolders))
        var seen: Set<RecordID> = []
        doubled = Set(live.map(\.innerID).filter { !seen.insert($0).inserted })
    }

    /// Takes in the saves that the vault remembers to have merged.
    ///
    /// - Throws: `FormatError.malformed`.
    func readMergedSaves() throws {
        let merged = try MergedSaves.read(vault)
        known.formUnion(merged.saves)
        holes = merged.holes
    }

    /// The save that made a version; nil of one from a save that the vault has no line of.
    func origin(of version: Entry) -> VersionOrigin? {
        version.origin ?? saves[version.first].map { VersionOrigin(sequence: version.first, save: $0) }
    }

    /// True if this side has, or had, a version of a record of the other side. One of a save that it has a line of was lost
    /// where it has an older one that was still there after that save.
    func knows(_ version: Entry, of other: MergeSide) throws -> Bool {
        guard let origin = other.origin(of: version), firsts[version.id] != nil else { return false }
        if holes.contains(MergedSaves.Hole(id: version.id, save: origin.save)) { return false }
        guard known.contains(origin.save) else { return try has(version.id, origin) }
        guard saves[origin.sequence] == origin.save else { return true }
        let isLost = try index.versions(version.id).contains {
            $0.maker(among: saves) < origin.sequence && origin.sequence <= $0.last ?? .max
        }
        return try !isLost || has(version.id, origin)
    }

    private func has(_ id: RecordID, _ origin: VersionOrigin) throws -> Bool {
        try index.versions(id).contains { self.origin(of: $0) == origin }
    }

    /// The present state of each record, tombstones too, without those that the other side has as they are: from a save of
    /// both, up to the ancestor.
    func states(since ancestor: UInt64, besides other: MergeSide) throws -> [Entry] {
        let merged = try MergedSaves.id()
        return try vault.diagnosing {
            try vault.manifest.flatMap { entries in
                entries.filter { entry in
                    let isShared = entry.first <= ancestor && entry.origin == nil
                    return !(isShared && other.firsts[entry.id] == entry.first) && entry.id != merged
                        && !entry.kind.isOfStore
                }
            }
        }
    }

    /// The versions of a record under an id, oldest first: those that follow each other without a gap, the newest of which
    /// ended with a save; nil for the present one.
    func versions(_ id: RecordID, until last: UInt64?) throws -> [Entry] {
        var (versions, last) = ([Entry](), last)
        for version in try index.versions(id).reversed() where !version.isTombstone && version.last == last {
            versions.append(version)
            if version.formerID != nil { break }
            last = version.first - 1
        }
        return versions.reversed()
    }

    /// The version that brought a live folder to its id, the oldest that is kept of those that follow each other there.
    func arrival(_ folder: Entry) throws -> Entry { try versions(folder.id, until: nil).first ?? folder }

    /// The live versions of a record, oldest first.
    func liveVersions(_ id: RecordID) throws -> [Entry] { try index.versions(id).filter { $0.state == .live } }

    /// The present state of a record, in the trash and tombstones included.
    func entry(_ id: RecordID) throws -> Entry? { try index.entry(id) }

    /// Opens the header of a stored record.
    ///
    /// - Throws: `FormatError` `.unsupported` where a newer program stored it, `.malformed`, `.damaged`, `.tampered`.
    func checkHeader(of entry: Entry) throws {
        let prelude = try vault.file.bytes(at: entry.place, count: StoredRecord.preludeByteCount)
        try vault.diagnosing { try headers.check(prelude.span, of: entry.content) }
    }

    /// Holds a piece list against the pieces, and the headers of these: each once, however many name them.
    ///
    /// - Throws: as `checkHeader`.
    func checkPieces(of content: StoredContent) throws {
        guard !soundLists.contains(content) else { return }
        let known = try pieceLengths ?? vault.diagnosing { try vault.pieces() }
        pieceLengths = known
        for id in try vault.pieces(namedBy: [content], of: known) where soundPieces.insert(id).inserted {
            try vault.environment.checkCancellation()
            if let piece = try entry(id) { try checkHeader(of: piece) }
        }
        soundLists.insert(content)
    }

    /// True if a reader lists what lies in the folder with an inner id; nil is the top.
    func isListed(_ inner: RecordID?) -> Bool { liveTree.isRooted(inner) }

    /// The live records that belong to any of these, what belongs to them, and so on: each once, and none of these.
    func dependents(of owners: Set<RecordID>) throws -> [Entry] {
        guard !owners.isEmpty else { return [] }
        let parts = try allParts()
        var (found, seen, next) = ([Entry](), owners, Array(owners))
        while let owner = next.popLast() {
            for part in parts[owner] ?? [] where seen.insert(part.id).inserted {
                found.append(part)
                next.append(part.id)
            }
        }
        return found
    }

    /// The live records that belong to a record themselves.
    func parts(of owner: RecordID) throws -> [Entry] { try allParts()[owner] ?? [] }

    private func allParts() throws -> [RecordID: [Entry]] {
        let parts = try self.parts ?? readParts()
        self.parts = parts
        return parts
    }

    private func readParts() throws -> [RecordID: [Entry]] {
        let all = try vault.diagnosing {
            try vault.manifest.flatMap { entries in
                entries.filter { $0.state == .live && !$0.kind.isInTree && !$0.kind.isOfStore && $0.parent != nil }
            }
        }
        return Dictionary(grouping: all, by: { $0.parent! })
    }

    /// The path of a record of the tree; of any other its title behind that of what it belongs to. Where the folders above one
    /// are not as they must be, its title stands for its path.
    func path(_ entry: Entry) throws -> BytePath {
        let title = entry.overview.title
        if entry.kind.isInTree { return (try? paths.path(of: entry)) ?? BytePath(title) }
        guard let owner = try entry.parent.flatMap({ try self.entry($0) }), !owner.kind.isInTree, !owner.isTombstone
        else {
            return BytePath(title)
        }
        return BytePath(owner.overview.title).appending(title)
    }

    /// Records with their paths.
    func listing(_ entries: [Entry]) throws -> TreeListing {
        TreeListing(entries, paths: try entries.map { try path($0) })
    }

    /// Shows folders with their new places in paths from now on.
    func relocate(_ moved: [Entry]) {
        let inners = Set(moved.map(\.innerID))
        paths = VaultTree(allFolders.filter { !inners.contains($0.innerID) } + moved)
    }

    /// Counts the live records with these parents, without those that are in `replaced`.
    func childCounts(_ parents: Set<RecordID>, without replaced: [RecordID: Entry]) throws -> [RecordID: Int] {
        guard !parents.isEmpty else { return [:] }
        let children = try vault.diagnosing {
            try vault.manifest.flatMap { entries in
                entries.filter { $0.state == .live && $0.parent.map(parents.contains) ?? false }
                    .map { (id: $0.id, parent: $0.parent) }
            }
        }
        var counts: [RecordID: Int] = [:]
        for child in children where replaced[child.id] == nil {
            if let parent = child.parent { counts[parent, default: 0] += 1 }
        }
        return counts
    }
}

/// An id that a record had, and the last save in which it had it.
struct Former: Hashable {
    let id: RecordID
    let last: UInt64
}
