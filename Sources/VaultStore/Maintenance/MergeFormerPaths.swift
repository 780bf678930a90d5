import VaultFormat

/// The files and symlinks that the other side moved (Spec/store.md, 13).
extension Merge {
    /// The record here of a file or symlink that they moved, where it is as both had it; nil for any other.
    mutating func formerPath(of entry: Entry) throws -> Entry? {
        guard entry.kind.isInTree, entry.kind != .folder, let former = try former(at: entry.id, until: nil) else {
            return nil
        }
        guard let found = try oldest(former), planned[found.id] == nil, let here = try mine.entry(found.id),
            here.kind == entry.kind, try !isChanged(here)
        else { return nil }
        // Another one may have been moved away from there before; where versions are forgotten, nothing tells.
        let versions = try theirs.versions(found.id, until: found.last)
        let isSame = versions.isEmpty || versions.contains { theirs.origin(of: $0) == mine.origin(of: here) }
        return isSame ? here : nil
    }

    /// The id, of those that a record there had before, under which it is live here.
    private mutating func oldest(_ former: Former) throws -> Former? {
        var (way, next, found) = ([Former](), Optional(former), Former?.none)
        while let former = next {
            if let known = formerPaths[former] {
                found = known
                break
            }
            way.append(former)
            formerPaths[former] = .some(nil)
            guard try theirs.entry(former.id)?.state == .moved else { break }
            if try mine.entry(former.id)?.state == .live {
                found = former
                break
            }
            next = try self.former(at: former.id, until: former.last)
        }
        for former in way { formerPaths[former] = .some(found) }
        return found
    }

    /// The id that a record there had before it was moved to this one.
    private func former(at id: RecordID, until last: UInt64?) throws -> Former? {
        let moved = try theirs.versions(id, until: last).first
        return moved.flatMap { version in version.formerID.map { Former(id: $0, last: version.first - 1) } }
    }
}
