import VaultFormat

/// One of the two vaults of a merge, and the saves whose changes it has.
final class MergeSide {
    let vault: Vault
    /// The fingerprints of its saves, by sequence.
    let saves: [UInt64: Bytes16]
    /// The saves whose changes are in it, or were: its own, and those of copies that were merged into it.
    private(set) var known: Set<Bytes16>
    /// The live folders, and those in the trash.
    let allFolders: [Entry]
    /// The live folders by inner id.
    let folders: [RecordID: Entry]
    private let index: VersionIndex
    /// The save that brought the present state of each record, tombstones too.
    private let firsts: [RecordID: UInt64]
    /// The live folders, to tell which of them a reader lists.
    private var liveTree: VaultTree
    /// The live records that belong to others, by these; nil until it is asked for.
    private var parts: [RecordID: [Entry]]?

    init(_ vault: Vault) throws {
        (self.vault, index) = (vault, VersionIndex(vault))
        saves = Dictionary(
            try vault.lines().map { ($0.sequence, $0.fingerprint) }, uniquingKeysWith: { first, _ in first })
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
        liveTree = VaultTree(live)
    }

    /// Takes in the saves that the vault remembers to have merged.
    ///
    /// - Throws: `FormatError.malformed`.
    func readMergedSaves() throws { known.formUnion(try MergedSaves.read(vault)) }

    /// The save that made a version; nil of one from a save that the vault has no line of.
    func origin(of version: Entry) -> VersionOrigin? {
        version.origin ?? saves[version.first].map { VersionOrigin(sequence: version.first, save: $0) }
    }

    /// True if this side has, or had, a version of a record of the other side. One whose save it has a line of, and nothing
    /// as new of the record, was lost.
    func knows(_ version: Entry, of other: MergeSide) throws -> Bool {
        guard let origin = other.origin(of: version), let first = firsts[version.id] else { return false }
        if saves[origin.sequence] == origin.save { return first >= origin.sequence }
        return try known.contains(origin.save) || index.versions(version.id).contains { self.origin(of: $0) == origin }
    }

    /// The present state of each record, tombstones too, without those that the other side has as they are: from a save of
    /// both, up to the ancestor.
    func states(since ancestor: UInt64, besides other: MergeSide) throws -> [Entry] {
        try vault.diagnosing {
            try vault.manifest.flatMap { entries in
                entries.filter { entry in
                    let isShared = entry.first <= ancestor && entry.origin == nil
                    let isThere = isShared && other.firsts[entry.id].map { $0 >= entry.first } ?? false
                    return !isThere && entry.kind != .mergedSaves
                }
            }
        }
    }

    /// The live versions of a record, oldest first.
    func liveVersions(_ id: RecordID) throws -> [Entry] { try index.versions(id).filter { $0.state == .live } }

    /// The present state of a record, in the trash and tombstones included.
    func entry(_ id: RecordID) throws -> Entry? { try index.entry(id) }

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
                entries.filter { $0.state == .live && !$0.kind.isInTree && $0.parent != nil }
            }
        }
        return Dictionary(grouping: all, by: { $0.parent! })
    }

    /// Records with their paths, those of the tree or with what they belong to. Where the folders above one are not as they
    /// must be, its title stands for its path.
    func listing(_ entries: [Entry]) throws -> TreeListing {
        var owners: [RecordID: Entry] = [:]
        for entry in entries where !entry.kind.isInTree {
            guard let id = entry.parent, owners[id] == nil, let owner = try self.entry(id) else { continue }
            if !owner.kind.isInTree, !owner.isTombstone { owners[id] = owner }
        }
        var tree = VaultTree(allFolders + owners.values)
        return TreeListing(entries, paths: entries.map { (try? tree.path(of: $0)) ?? BytePath($0.overview.title) })
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
