import VaultFormat

/// Records of another vault are checked against the rules before they are planned.
extension Merge {
    /// The gate: what comes from another vault keeps the rules that readers apply, and those that writers keep.
    ///
    /// - Throws: `LeftOut`.
    mutating func checkStorable(_ entry: Entry) throws {
        if passed.contains(entry.id) { return }
        guard try ![MergedSaves.id(), Cutter.keyID()].contains(entry.id) else {
            throw LeftOut(reason: "a record of another kind has its id")
        }
        do {
            try entry.checkStorable()
            try theirs.checkHeader(of: entry)
            guard entry.fitsInAnyState else {
                throw FormatError(.malformed, "title, group and tags together are longer than 16 KiB")
            }
            if entry.content.isList { try theirs.checkPieces(of: entry.content) }
            if entry.kind == .symlink {
                var reader = try theirs.vault.reader()
                _ = try theirs.vault.symlinkTarget(entry, with: &reader)
            }
            try parts?.check((theirs.vault, entry))
        } catch let error as FormatError where error.code == .malformed || error.code == .unsupported {
            throw LeftOut(reason: error.what)
        }
        guard !entry.kind.isInTree || theirs.isListed(entry.parent) else {
            throw LeftOut(reason: "the folder that it lies in is not there")
        }
        guard entry.kind != .folder || entry.innerID != .zero && !theirs.doubled.contains(entry.innerID) else {
            throw LeftOut(reason: "two folders with one inner id")
        }
        passed.insert(entry.id)
    }

    /// Holds a record of theirs against the kind of what has its id here. A file, folder and symlink may follow each other.
    ///
    /// - Throws: `LeftOut`.
    func checkKind(_ entry: Entry) throws {
        guard let here = try present(entry.id), !here.isTombstone else { return }
        guard here.kind == entry.kind || here.kind.isInTree && entry.kind.isInTree else {
            throw LeftOut(reason: "a record of another kind has its id")
        }
    }

    /// False of what goes without saying: the text of an attachment, and the thumbnail or mark of one that changed too.
    func isTold(_ entry: Entry) -> Bool {
        guard entry.kind != .attachmentText else { return false }
        return !entry.kind.isOneOfAttachment || !changedIDs.contains(entry.parent)
    }

    /// Plans that a record of theirs is stored, and tells it.
    ///
    /// - Parameter version: the record with the id, parent and title that it gets here.
    mutating func store(_ outcome: Outcome, _ path: BytePath, _ entry: Entry, as version: Entry) throws {
        try checkStorable(entry)
        try checkKind(version)
        var version = version
        let isItself = version.id == entry.id && version.overview.title == entry.overview.title
        // A version that comes as it was is the same one here; so are all copies of it under the name of a conflict.
        version.origin = isItself || version.id != entry.id ? theirs.origin(of: entry) : nil
        version.formerID = nil
        if isItself, let former = try formerPath(of: entry) {
            version.formerID = former.id
            try leave(former)
            note(.moved(path), try mine.path(former))
        } else if isTold(entry) {
            note(outcome, path)
        }
        plan(.store(entry.id), at: version.id, version)
        if version.kind == .attachment { attachmentNames[version.parent]?.titles.insert(version.overview.title) }
    }
}
