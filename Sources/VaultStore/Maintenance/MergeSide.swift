import VaultFormat

/// One of the two vaults of a merge. What did not change since they went apart is read one record at a time, or all of it
/// where most of it is asked for.
final class MergeSide {
    let vault: Vault
    /// The last save that both have; 0 where there is none.
    private let ancestor: UInt64
    /// The folders, live and in the trash.
    let allFolders: [Entry]
    /// The live folders by inner id.
    let folders: [RecordID: Entry]
    /// The ids of live records with the name of a conflict, by the folder that they lie in.
    let conflicts: [RecordID?: [RecordID]]
    /// The present state of each record that changed since the two went apart, tombstones too.
    let changed: [Entry]
    private let index: VersionIndex
    /// The live folders, to tell which of them a reader lists.
    private var liveTree: VaultTree
    /// The live records that belong to others, by these; nil until it is asked for.
    private var parts: [RecordID: [Entry]]?

    init(_ vault: Vault, since ancestor: UInt64) throws {
        (self.vault, self.ancestor, index) = (vault, ancestor, VersionIndex(vault))
        let isFolder = { (entry: Entry) in entry.kind == .folder && !entry.isTombstone }
        let found = try vault.diagnosing {
            try vault.manifest.flatMap { entries in
                entries.filter { isFolder($0) || $0.first > ancestor || Self.isConflict($0) }
            }
        }
        allFolders = found.filter(isFolder)
        let live = allFolders.filter { $0.state == .live }
        folders = Dictionary(live.map { ($0.innerID, $0) }, uniquingKeysWith: { $0.id < $1.id ? $0 : $1 })
        liveTree = VaultTree(live)
        conflicts = Dictionary(grouping: found.filter(Self.isConflict), by: \.parent)
            .mapValues { $0.map(\.id).sorted() }
        changed = found.filter { $0.first > ancestor }
    }

    static let conflictMark = Array(" (conflict ".utf8)

    static func isConflict(_ entry: Entry) -> Bool { entry.state == .live && entry.isMergeCopy }

    /// The present state of a record, in the trash and tombstones included.
    func entry(_ id: RecordID) throws -> Entry? { try index.entry(id) }

    /// The live versions of a record since the two went apart; none where they never were one.
    func history(_ id: RecordID) throws -> [Entry] {
        ancestor == 0 ? [] : try index.versions(id).filter { $0.state == .live && $0.first > ancestor }
    }

    /// The live version of a record that both had when they went apart; nil where there is none any more.
    func atAncestor(_ id: RecordID) throws -> Entry? {
        guard ancestor > 0 else { return nil }
        return try index.versions(id).first { version in
            version.state == .live && version.first <= ancestor && version.last.map { $0 >= ancestor } ?? true
        }
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

extension Entry {
    /// True if its name is that of a copy which a merge left beside the record.
    package var titleBeforeMerge: [UInt8] {
        guard let mark = overview.title.firstRange(of: MergeSide.conflictMark) else { return overview.title }
        return Array(overview.title[..<mark.lowerBound])
    }

    /// True if a merge made it beside another record.
    package var isMergeCopy: Bool { overview.title.firstRange(of: MergeSide.conflictMark) != nil }
}
