import VaultFormat

extension CommitChanges {
    /// The inner id of a folder that is made at an id: the id, or where a folder that was moved away has that, the first
    /// free one of those derived from it. So copies of a vault give it the same.
    func innerID(at id: RecordID, after old: Entry?) throws -> RecordID {
        guard let old else { return id }
        let isFolder = old.kind == .folder && !old.isTombstone
        if isFolder, try isFree(old.innerID, for: id) { return old.innerID }
        var inner = id
        while try !isFree(inner, for: id) { inner = try TreeName.nextInnerID(after: inner) }
        return inner
    }

    private func isFree(_ inner: RecordID, for id: RecordID) throws -> Bool {
        if let folder = try folder(inner: inner) { return folder.id == id }
        // A folder that was moved away had it. Older versions of what lay in that would come back into the new one.
        return try entry(inner)?.state != .moved
    }

    /// The folder, live or in the trash, that has an inner id as this commit will leave it.
    private func folder(inner: RecordID) throws -> Entry? {
        // A folder with another id than its inner id has an entry at both.
        if let id = movedFolders[inner], let folder = try entry(id), folder.innerID == inner, !folder.isTombstone {
            return folder
        }
        guard let entry = try entry(inner) else { return nil }
        if entry.kind == .folder, entry.innerID == inner, !entry.isTombstone { return entry }
        return try foldersBefore()[inner].flatMap { try self.entry($0.id) }.flatMap {
            $0.innerID == inner && !$0.isTombstone ? $0 : nil
        }
    }

    /// The folders of the state before, by inner id. They are read once, and only where a moved folder makes it necessary.
    private func foldersBefore() throws -> [RecordID: Entry] {
        if let known = knownFolders { return known }
        let folders = try diagnosing { try basis.previous?.manifest.folders() ?? [:] }
        knownFolders = folders
        return folders
    }

    /// Makes each folder the only one with its inner id: one in the trash under another path has become this one. Leaves a
    /// tombstone at the inner id of a folder that has another id, so that whoever makes a folder there looks for it.
    func settleInnerIDs() throws {
        for id in changedFolders {
            // A folder that is moved was the only one with its inner id.
            guard let folder = try entry(id), !folder.isTombstone, !carriedInnerIDs.contains(folder.innerID) else {
                continue
            }
            guard let manifest = basis.previous?.manifest, let known = try manifest.entry(folder.innerID) else {
                continue
            }
            if known.id == folder.id, known.kind == .folder, known.innerID == folder.innerID { continue }
            guard let other = try foldersBefore()[folder.innerID], other.id != folder.id, !hasChanged(other.id)
            else { continue }
            guard other.state != .live else { throw VaultError.taken(BytePath(folder.overview.title), inTrash: false) }
            try retire(other)
            change(try Entry(burying: other, as: .moved, at: basis.sequence, time))
        }
        for inner in movedFolders.keys.sorted() where try entry(inner) == nil {
            change(Entry(tombstoneAt: inner, at: basis.sequence, time))
        }
    }
}
