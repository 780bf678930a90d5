public import VaultFormat

extension VaultTransaction {
    /// Makes versions of records the present ones again, with the folders that they lie in and the records that they
    /// belong to.
    ///
    /// - Returns: those that were not the present ones.
    public func restore(_ versions: TreeListing) throws -> [(path: BytePath, entry: Entry)] {
        var folders = try before.diagnosing { try before.manifest.folders() }
        return try versions.flatMap { try restore($1, $0, &folders) }
    }

    private func restore(
        _ version: Entry, _ path: BytePath, _ folders: inout [RecordID: Entry]
    ) throws -> [(path: BytePath, entry: Entry)] {
        // From the record up to the first owner that is there. Owners may form a ring, which comes back whole.
        var chain: [(path: BytePath, entry: Entry)] = []
        var seen: Set<RecordID> = []
        var next: Entry? = version
        var path = path
        while let missing = next, try !isThere(missing, path, folders), seen.insert(missing.id).inserted {
            chain.append((path, missing))
            path = path.parentInTree
            next = try missingOwner(of: missing, path, folders)
        }
        chain.reverse()
        for (_, entry) in chain {
            try reinstate(entry)
            if entry.kind == .folder { folders[entry.innerID] = try self.entry(entry.id) }
        }
        return chain
    }

    /// True if a version is already the present one, or a folder that lives on under another path.
    ///
    /// - Throws: `VaultError.kindConflict` where a record of another kind has its place.
    private func isThere(_ version: Entry, _ path: BytePath, _ folders: [RecordID: Entry]) throws -> Bool {
        if version.kind == .folder, let folder = folders[version.innerID], folder.state == .live,
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
    private func missingOwner(of version: Entry, _ path: BytePath, _ folders: [RecordID: Entry]) throws -> Entry? {
        guard let parent = version.parent else { return nil }
        guard !version.kind.isInTree else {
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
