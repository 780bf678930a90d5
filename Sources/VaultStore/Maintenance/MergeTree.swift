import VaultFormat

/// The tree here as a merge will leave it: moved folders and files, and what comes to one path (Spec/store.md, 13).
extension Merge {
    /// Plans the new paths of folders that only the other side moved. What lies in one goes with it.
    ///
    /// - Throws: `VaultError.movedApart` where both sides moved one folder, or its new path is not free here.
    mutating func followFolders() throws {
        let apart = theirs.folders.values.filter { folder in
            mine.folders[folder.innerID].map { $0.id != folder.id } ?? false
        }
        for folder in apart { folders[folder.innerID] = folder.innerID }
        for (path, there) in try theirs.listing(apart) {
            guard let here = mine.folders[there.innerID] else { continue }
            let herePath = try mine.listing([here])[0].path
            let refusal = VaultError.movedApart(herePath, there: path)
            movedApart = movedApart ?? refusal
            let (isNews, isChanged) = (try !mine.knows(there, of: theirs), try isChanged(here))
            guard !isNews || !isChanged else { throw refusal }
            let isOlder = try origins(here, there).map { $0 < $1 } ?? false
            if isNews || !isChanged && isOlder {
                let parent = try there.parent.map { try self.folder($0) }
                var moved = here
                moved.overview = there.overview
                moved.move(
                    to: try TreeName.id(there.overview.title, in: parent), in: parent, title: there.overview.title)
                if let blocking = try present(moved.id), !blocking.isTombstone {
                    guard blocking.state == .live, blocking.kind != .folder else { throw refusal }
                    if try self.isChanged(blocking) { try keepAside(blocking) }
                }
                (moved.origin, moved.formerID, moved.updated) = (theirs.origin(of: there), here.id, there.updated)
                planned[moved.id] = moved
                steps.append(.place(moved))
                try leave(here)
                note(.moved(path), herePath)
            }
        }
    }

    /// Holds the tree that will be here against its rules: where one side moved folders, one may come to lie in itself, or too
    /// deep.
    ///
    /// - Throws: `VaultError.movedApart`.
    func checkTree() throws {
        guard let movedApart else { return }
        let new = Dictionary(
            planned.values.filter { $0.kind == .folder }.map { ($0.innerID, $0) }, uniquingKeysWith: { $1 })
        var tree = VaultTree(Array(mine.folders.merging(new) { $1 }.values))
        let inners = Set(mine.folders.keys.filter { mine.isListed($0) }).union(new.keys)
        guard inners.allSatisfy({ tree.isRooted($0) }) else { throw movedApart }
    }

    /// Plans that a record here is gone from its path.
    mutating func leave(_ former: Entry) throws {
        planned[former.id] = try Entry(burying: former, as: .moved, at: former.first, former.updated)
        left.append(former)
    }

    /// The id here of a file or symlink that they moved, where it is as both had it; nil for any other record.
    func leftFor(_ entry: Entry) throws -> RecordID? {
        var (next, seen) = (entry.formerID, Set<RecordID>())
        while entry.kind != .folder, let id = next, seen.insert(id).inserted {
            guard try theirs.entry(id)?.state == .moved, planned[id] == nil else { return nil }
            if let here = try mine.entry(id), here.state == .live {
                return try here.kind == entry.kind && !isChanged(here) ? id : nil
            }
            next = try theirs.liveVersions(id).last?.formerID
        }
        return nil
    }

    /// The inner id of a folder of theirs that is stored at an id here. What lies in a folder that is in the trash here goes
    /// on doing so; a folder that comes under another path than there, beside a file of its name, is another one.
    func innerID(of entry: Entry, at id: RecordID) throws -> RecordID {
        if let here = try present(id), here.kind == entry.kind, !here.isTombstone,
            theirs.folders[here.innerID].map({ $0.id == entry.id }) ?? true
        {
            return here.innerID
        }
        return id == entry.id ? entry.innerID : id
    }

    /// The id here of what a record of theirs lies in or belongs to. A part of a record keeps its owner.
    mutating func folder(_ parent: RecordID, of entry: Entry) throws -> RecordID {
        entry.kind.isInTree || theirs.folders[parent] != nil && theirs.isListed(parent) ? try folder(parent) : parent
    }

    /// The inner id here of a listed folder of theirs; it is planned if it is not there.
    mutating func folder(_ inner: RecordID) throws -> RecordID {
        if let known = folders[inner] { return known }
        guard theirs.isListed(inner), let entry = theirs.folders[inner] else {
            throw LeftOut(reason: "the folder that it lies in is not there")
        }
        let parent = try entry.parent.map { try folder($0) }
        let here = try TreeName.id(entry.overview.title, in: parent)
        switch try present(here) {
        case let there? where there.state == .live && there.kind == .folder: folders[inner] = there.innerID
        case let there?:
            if there.state == .live, try isChanged(there) { try keepAside(there) }
            try store(entry, here, parent, entry.overview.title)
        default: try store(entry, here, parent, entry.overview.title)
        }
        return folders[inner] ?? inner
    }

    /// Plans that a record here stays under the name of a conflict, and makes room for another one.
    mutating func keepAside(_ here: Entry) throws {
        let path = try mine.listing([here])[0].path
        for number in 1... {
            let (title, id) = try conflictName(here, of: mine, number, here.parent)
            guard try present(id) == nil, try theirs.entry(id) == nil else { continue }
            var copy = here
            copy.move(to: id, in: here.parent, title: title)
            (copy.origin, copy.formerID) = (nil, nil)
            steps.append(.keep(here, as: copy))
            return note(.keptBoth(path.parentInTree.appending(title)), path)
        }
    }
}
