import VaultFormat

/// The tree here as a merge will leave it (Spec/store.md, 13). A folder is known by its inner id, and what lies in it goes with
/// it; so a record of theirs has the id here that it has there.
extension Merge {
    /// Plans the new paths of folders that the other side moved.
    ///
    /// - Throws: `VaultError.movedApart` where both sides moved one folder.
    mutating func followFolders() throws {
        var followed: [(path: BytePath, there: Entry, here: Entry)] = []
        for (path, there) in try theirs.listing(theirs.folders.values.filter { mine.folders[$0.innerID] != nil }) {
            guard let here = mine.folders[there.innerID], here.id != there.id, theirs.isListed(there.innerID) else {
                continue
            }
            let refusal = VaultError.movedApart(try mine.path(here), there: path)
            movedApart = movedApart ?? refusal
            let theyMoved = try !mine.knows(theirs.arrival(there), of: theirs)
            let weMoved = try !theirs.knows(mine.arrival(here), of: mine)
            guard !theyMoved || !weMoved else { throw refusal }
            let isOlder = try origins(here, there).map { $0 < $1 } ?? false
            guard theyMoved || !weMoved && isOlder else { continue }
            try leavingOut(there, path) { merge in
                try merge.checkComing(there)
                followed.append((path, there, here))
            }
        }
        for (_, _, here) in followed { try leave(here) }
        // Nothing is left out from here on: the folder would be at neither path.
        for (path, there, here) in followed { try place(here, at: there, path) }
        mine.relocate(Array(folders.values))
    }

    /// Holds a folder of theirs, and those above it that are not here, against the rules for what is stored.
    ///
    /// - Throws: `LeftOut`.
    private mutating func checkComing(_ folder: Entry) throws {
        try checkStorable(folder)
        try checkKind(folder)
        if let parent = folder.parent, mine.folders[parent] == nil, let above = theirs.folders[parent] {
            try checkComing(above)
        }
    }

    /// Plans that a folder here gets the path that it has there.
    private mutating func place(_ here: Entry, at there: Entry, _ path: BytePath) throws {
        if let parent = there.parent { try ensureFolder(parent) }
        var moved = here
        let isNews = try isChanged(here)
        if !isNews { (moved.overview, moved.updated) = (there.overview, there.updated) }
        moved.move(to: there.id, in: there.parent, title: there.overview.title)
        (moved.origin, moved.formerID) = (isNews ? nil : theirs.origin(of: there), here.id)
        let target = try makingRoom(for: moved, of: theirs)
        note(.moved(path.parentInTree.appending(target.overview.title)), try mine.path(here))
        plan(.place, at: target.id, target)
    }

    /// Plans that a folder of theirs is here.
    mutating func takeFolder(_ entry: Entry, _ path: BytePath) throws {
        guard let here = mine.folders[entry.innerID] else { return try ensureFolder(entry.innerID) }
        guard here.id == entry.id, planned[here.id] == nil, try origins(here, entry).map({ $0 != $1 }) ?? true else {
            return
        }
        if try isChanged(here) {
            try joinOverviews(entry, here, path)
        } else if here.overview == entry.overview {
            if let origin = theirs.origin(of: entry) { plan(.adopt(here, origin), at: here.id, here) }
        } else {
            try store(.taken, path, entry, as: entry)
        }
    }

    /// Plans that the folder of theirs with an inner id is here, and all above it, if it is not.
    ///
    /// - Throws: `LeftOut`.
    mutating func ensureFolder(_ inner: RecordID) throws {
        if folders[inner] != nil || mine.folders[inner] != nil { return }
        guard theirs.isListed(inner), let entry = theirs.folders[inner] else {
            throw LeftOut(reason: "the folder that it lies in is not there")
        }
        try checkStorable(entry)
        if let parent = entry.parent { try ensureFolder(parent) }
        let target = try makingRoom(for: entry, of: theirs)
        let wasHere = try mine.entry(entry.id).map { $0.kind == .folder && $0.innerID == inner } ?? false
        let path = try theirs.path(entry)
        try store(
            target.id != entry.id
                ? .keptBoth(path.parentInTree.appending(target.overview.title)) : wasHere ? .broughtBack : .taken, path,
            entry, as: target)
    }

    /// Plans that a folder is here which a record outside the tree belongs to.
    mutating func ensureOwner(_ owner: RecordID) throws {
        if theirs.folders[owner] != nil, theirs.isListed(owner) { try ensureFolder(owner) }
    }

    /// Makes its path free for a folder. Of two folders that come to one path the one with the lower inner id has it, in every
    /// copy; the other gets the name of a conflict, and so does a file that was changed here.
    ///
    /// - Returns: the folder with the path that it gets.
    private mutating func makingRoom(for folder: Entry, of side: MergeSide) throws -> Entry {
        guard let blocking = try present(folder.id), !blocking.isTombstone else { return folder }
        try checkKind(folder)
        if blocking.kind == .folder {
            if blocking.innerID == folder.innerID { return folder }
            if blocking.state == .live, blocking.innerID < folder.innerID, try !isRemovedThere(blocking) {
                let (title, id) = try unusedName(folder, of: side)
                return folder.named(title, id)
            }
            try moveAside(blocking)
        } else if blocking.state == .live, try isChanged(blocking) {
            try keepAside(blocking)
        }
        return folder
    }

    /// True of a folder here that is not live there under any path, and was not changed here.
    func isRemovedThere(_ folder: Entry) throws -> Bool {
        try theirs.folders[folder.innerID] == nil && planned[folder.id] == nil && !isChanged(folder)
    }

    /// Plans that a folder here, live or in the trash, gets the name of a conflict. One that was removed there goes to the trash
    /// in the end, if nothing is left in it.
    mutating func moveAside(_ here: Entry) throws {
        let (title, id) = try unusedName(here, of: mine)
        var aside = here.named(title, id)
        (aside.origin, aside.formerID) = (mine.origin(of: here), here.id)
        if try here.state == .live && isRemovedThere(here) {
            orphans.append(aside)
        } else {
            let path = try mine.path(here)
            note(.keptBoth(path.parentInTree.appending(title)), path)
        }
        try leave(here)
        plan(.place, at: id, aside)
    }

    /// Plans that a record here stays under the name of a conflict, and makes room for another one.
    mutating func keepAside(_ here: Entry) throws {
        // This merge may have taken the copy that the other side kept. Its content is compared: its origin proves nothing.
        let first = try conflictName(here, of: mine, 1)
        if planned[first.id] != nil, let there = try theirs.entry(first.id), there.state == .live,
            try isSame(here, there, besidesTitle: true)
        {
            return
        }
        let (title, id) = try unusedName(here, of: mine)
        var copy = here.named(title, id)
        (copy.origin, copy.formerID) = (mine.origin(of: here), nil)
        plan(.keep(here), at: id, copy)
        let path = try mine.path(here)
        note(.keptBoth(path.parentInTree.appending(title)), path)
    }

    /// Holds the tree that will be here against its rules: where one side moved folders, one may come to lie in itself, or too
    /// deep.
    ///
    /// - Throws: `VaultError.movedApart`.
    func checkTree() throws {
        guard let movedApart else { return }
        var tree = VaultTree(Array(mine.folders.merging(folders) { $1 }.values))
        let inners = Set(mine.folders.keys.filter { mine.isListed($0) }).union(folders.keys)
        guard inners.allSatisfy({ tree.isRooted($0) }) else { throw movedApart }
    }
}
