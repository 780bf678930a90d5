import VaultFormat

/// The steps of a merge, in their order.
extension Merge {
    /// Plans; nothing is changed yet.
    ///
    /// - Parameter parts: makes one of two versions where it can; else both are kept.
    /// - Throws: what reading either vault throws.
    public init(_ other: Vault, into vault: Vault, parts: Parts? = nil) throws {
        try self.init(comparing: other, with: vault, parts)
        try followFolders()
        for (path, entry) in try theirs.listing(changed.filter { $0.state == .live }) {
            let path = entry.overview.title.isEmpty ? path.appending(entry.shownTitle) : path
            try leavingOut(entry, path) { try $0.take(entry, path) }
        }
        try settle()
        try takeEvidence()
        if mine.vault.id == theirs.vault.id { try removeWhatTheyRemoved() }
        try joinEvidence()
        try checkTree()
        if !changed.isEmpty { try remember() }
    }

    // MARK: What they have

    private mutating func take(_ entry: Entry, _ path: BytePath) throws {
        try checkStorable(entry)
        if entry.kind == .folder { return try takeFolder(entry, path) }
        if entry.kind.isInTree {
            if let parent = entry.parent { try ensureFolder(parent) }
        } else {
            if let owner = entry.parent {
                try ensureOwner(owner)
                try bringBack(owner)
                if planned[entry.id] != nil { return }
            }
            if let here = try mine.entry(entry.id), here.state != .live { return try bringBack(entry.id) }
        }
        try takeAlone(entry, path)
    }

    /// Takes what is no folder, whose folder or owner is here.
    private mutating func takeAlone(_ entry: Entry, _ path: BytePath) throws {
        try checkKind(entry)
        guard let here = try present(entry.id), !here.isTombstone else {
            if entry.kind == .attachment, let title = try freeAttachmentName(entry) {
                return try store(
                    .keptBoth(path.parentInTree.appending(title)), path, entry, as: entry.named(title, entry.id))
            }
            return try store(.taken, path, entry, as: entry)
        }
        let isPlanned = planned[entry.id] != nil
        if let (one, other) = try origins(here, entry), one == other, !isPlanned { return }
        let isSame = try isSame(here, entry)
        let isNews = try isPlanned || isChanged(here)
        switch (here.state, isNews) {
        case (.live, true) where isSame: try joinOverviews(entry, here, path)
        case (.live, false) where isSame && here.overview == entry.overview:
            if let origin = theirs.origin(of: entry) { plan(.adopt(here, origin), at: here.id, here) }
        // A folder here must not lose its contents.
        case (.live, false) where here.kind != .folder: try store(.taken, path, entry, as: entry)
        case (.live, false) where try isRemovedThere(here), (.trashed, _) where here.kind == .folder:
            try moveAside(here)
            try store(.taken, path, entry, as: entry)
        case (.live, _) where entry.kind.isOneOfAttachment:
            // Only one of an attachment is found: the later one.
            if let (one, other) = try origins(here, entry), one < other, !isPlanned {
                try store(.taken, path, entry, as: entry)
            } else if isTold(entry) {
                note(.keptHere, path)
            }
        case (.live, _):
            if try joins(entry, here, path) { return }
            guard let (title, id) = try freeName(entry) else { return }
            let copy = entry.named(title, id)
            let herePath = isPlanned ? path : try mine.path(here)
            try store(.keptBoth(path.parentInTree.appending(title)), herePath, entry, as: copy)
        case (_, true): try store(.broughtBack, path, entry, as: entry)
        case (_, false): try store(.taken, path, entry, as: entry)
        }
    }

    /// True if the two versions became one, or what is here has all of the other already.
    private mutating func joins(_ entry: Entry, _ here: Entry, _ path: BytePath) throws -> Bool {
        guard planned[here.id] == nil, entry.kind == here.kind, entry.id == here.id,
            let joined = try joined(here, entry, since: base(here.id))
        else { return false }
        let content = try mine.vault.content(of: here, limit: Int(here.length))
        guard joined.content != content || joined.overview != here.overview else { return true }
        plan(.write(here, joined.overview, content: joined.content), at: here.id, here)
        note(.joined, path)
        return true
    }

    /// Takes theirs where each side knows the other's version, and has kept its own: both were merged into the other as
    /// they were before. The version of the later save is the one that stays on both sides. The other one is kept beside it,
    /// where no copy of it is there any more.
    private mutating func settle() throws {
        let copies = Dictionary(
            grouping: states.filter { $0.state == .live && $0.titleBeforeMerge != nil }, by: \.titleBeforeMerge)
        for entry in states where entry.state == .live && entry.kind != .folder && planned[entry.id] == nil {
            guard let here = try mine.entry(entry.id), here.state == .live, here.kind == entry.kind,
                let (one, other) = try origins(here, entry), one < other, try !isChanged(here),
                try mine.knows(entry, of: theirs), try !isSame(here, entry)
            else { continue }
            let isKept = try (copies[here.overview.title] ?? []).contains {
                try $0.parent == here.parent && isSame(here, $0, besidesTitle: true)
            }
            let path = try theirs.path(entry)
            try leavingOut(entry, path) { merge in
                try merge.store(.taken, path, entry, as: entry)
                if !isKept { try merge.keepAside(here) }
            }
        }
    }

    // MARK: What they removed

    /// Puts into the trash what is gone there, also what stayed here when that was merged: it may have nothing new any more
    /// that belongs to it.
    private mutating func removeWhatTheyRemoved() throws {
        for gone in changed where try gone.state != .live && present(gone.id) == nil { plan(.bury, at: gone.id, nil) }
        let doomed = try states.filter { $0.state != .live && planned[$0.id] == nil }
            .compactMap { try mine.entry($0.id) }.filter { $0.state == .live && !$0.kind.isOfStore }
        let kept = try keptUnits(doomed)
        // A record that was moved there stays at its old path if its new version was left out.
        let awaited = Set(leftOut.values.compactMap(\.formerID))
        let parents = Set((doomed + orphans).map(\.innerID))
        var children = try mine.childCounts(parents, without: planned)
        for entry in planned.values where entry.state == .live {
            if let parent = entry.parent, parents.contains(parent) { children[parent, default: 0] += 1 }
        }
        // The contents of a folder go before the folder. What belongs to a record goes with it, or stays with it.
        for (path, here) in try mine.listing(doomed).reversed() {
            if try kept.contains(here.id) || isChanged(here) || awaited.contains(here.id) {
                if changedIDs.contains(here.id), isTold(here) { note(.keptHere, path) }
            } else if !here.kind.isInTree || children[here.innerID, default: 0] == 0 {
                plan(.trash, at: here.id, nil)
                if isTold(here) { note(.removed, path) }
                if let parent = here.parent { children[parent, default: 1] -= 1 }
            }
        }
        for var orphan in orphans {
            let path = try mine.path(orphan)
            if children[orphan.innerID, default: 0] == 0 {
                orphan.state = .trashed
                plan(.place, at: orphan.id, orphan)
                note(.removed, path)
            } else {
                note(.keptHere, path)
            }
        }
    }
}
