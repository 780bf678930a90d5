public import VaultFormat

/// The paths of a vault's records.
public struct VaultTree {
    private let folders: [RecordID: Entry]
    private var paths: [RecordID: Path] = [:]

    /// Takes the live entries of a vault.
    public init(_ entries: [Entry]) {
        folders = Dictionary(
            entries.lazy.filter { $0.kind == Entry.Kind.folder }.map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The path of a file, folder or symlink; the title of anything else. What stands before the last title is cut
    /// behind `Limits.pathByteCount` + 1 bytes, which no file system takes: long titles in deep folders would fill
    /// any memory.
    ///
    /// - Throws: `FormatError.malformed` when a parent is missing, is no folder, or the tree is deeper than
    ///   `Limits.treeDepth`.
    public mutating func path(of entry: Entry) throws -> Path {
        guard Entry.Kind.tree.contains(entry.kind) else { return Path(entry.overview.title) }
        return try folderPath(entry.parent, depth: 1).appending(entry.overview.title)
    }

    private mutating func folderPath(_ id: RecordID?, depth: Int) throws -> Path {
        guard let id else { return Path("") }
        if let known = paths[id] { return known }
        guard let folder = folders[id], depth < Limits.treeDepth else {
            throw FormatError(.malformed, "the parent of a record")
        }
        let path = try folderPath(folder.parent, depth: depth + 1).appending(folder.overview.title)
            .cut(to: Limits.pathByteCount + 1)
        paths[id] = path
        return path
    }
}
