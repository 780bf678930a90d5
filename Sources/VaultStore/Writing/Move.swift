public import VaultFormat

extension VaultTransaction {
    /// Gives a live file, folder or symlink of the state before another path, at the cost of two entries. Missing folders
    /// of the new path are made.
    ///
    /// - Throws: `VaultError` `.invalidName` where the new path is too long, too deep, or in the folder itself; `.taken`
    ///   where something is there; `.kindConflict` where a file is in its way; `.duplicateName` where the record is moved
    ///   twice.
    public func move(_ entry: Entry, from source: BytePath, to target: BytePath) throws {
        precondition(entry.kind.isInTree, "only files, folders and symlinks have paths")
        let title = target.lastComponent
        guard target.isTreePath, !target.isOrIsBeneath(source) || target == source else {
            throw VaultError.invalidName(target)
        }
        guard !writer.changes.hasChanged(entry.id) else { throw VaultError.duplicateName(source) }
        if entry.kind == .folder { try checkRoom(for: entry, source, target) }
        let parent = try treeImport { _ in }.makeParents(of: target)
        let id = try TreeName.id(title, in: parent)
        if let old = try writer.changes.entry(id) {
            // A record in the trash there could not come back, nor its contents.
            if !old.isTombstone { throw VaultError.taken(target, inTrash: old.state == .trashed) }
            guard !writer.changes.hasChanged(id) else { throw VaultError.duplicateName(target) }
        }
        try writer.changes.move(entry, to: id, in: parent, title: title)
    }

    /// - Throws: `VaultError.invalidName` where something beneath a folder would get too long or deep a path.
    private func checkRoom(for folder: Entry, _ source: BytePath, _ target: BytePath) throws {
        let depth = target.components.count - source.components.count
        let length = target.bytes.count - source.bytes.count
        guard depth > 0 || length > 0 else { return }
        let listing = try before.listing(of: folder, at: source, withTrash: true) ?? before.listing { _ in true }
        for (path, _) in listing where path.isOrIsBeneath(source) {
            guard path.components.count + depth <= Limits.treeDepth, path.bytes.count + length <= Limits.pathByteCount
            else { throw VaultError.invalidName(target) }
        }
    }
}
