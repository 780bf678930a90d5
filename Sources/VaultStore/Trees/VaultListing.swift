public import VaultFormat

extension Vault {
    /// The records that belong to it, live or in the trash, with their paths.
    ///
    /// - Throws: as `entries`; `FormatError.malformed` as `VaultTree.path`.
    public func listing(_ belongs: (Entry) -> Bool) throws -> TreeListing {
        try TreeListing(records: allEntries(), belongs)
    }
}

extension TreeListing {
    /// Those of all records of a vault, live or in the trash, that belong to it.
    ///
    /// - Throws: `FormatError.malformed` as `VaultTree.path`.
    init(records: [Entry], _ belongs: (Entry) -> Bool) throws {
        let all = records.filter { !$0.isTombstone }
        var tree = VaultTree(all)
        let chosen = all.filter(belongs)
        lazy var titles = Dictionary(
            all.map { ($0.kind == .folder ? $0.innerID : $0.id, $0.overview.title) },
            uniquingKeysWith: { first, _ in first })
        self.init(
            chosen,
            paths: try chosen.map { entry in
                do { return try tree.path(of: entry) } catch let error as FormatError {
                    // The folder of a trashed record may have given way to a file.
                    guard entry.state == .trashed else { throw error }
                    return BytePath(entry.parent.flatMap { titles[$0] } ?? []).appending(entry.overview.title)
                }
            })
    }
}

extension Vault {
    /// The vault with the records of its trash as its live ones, among all live folders.
    ///
    /// - Throws: as `entries`.
    public func showingTrash() throws -> Vault {
        let all = try allEntries()
        var trash = all.filter { $0.state == .trashed }
        let gone = Set(trash.filter { $0.kind == .folder }.map(\.innerID))
        let folders = all.filter { $0.kind == .folder && $0.state == .live && !gone.contains($0.innerID) }
        for index in trash.indices { trash[index].state = .live }
        var tree = VaultTree(trash + folders)
        // The folder of a trashed record may have given way to a file.
        for index in trash.indices where trash[index].kind.isInTree && !tree.isRooted(trash[index].parent) {
            trash[index].parent = nil
        }
        return Vault(self, showing: trash + folders)
    }
}

extension Vault {
    /// A live folder and all that lies in it. Only the parts of the manifest that can hold them are read.
    ///
    /// - Parameter withTrash: also what lies in the trash of these folders.
    /// - Returns: nil where reading all is as quick: there are many folders in it, or this is an earlier save.
    /// - Throws: as `entries`.
    public func listing(of folder: Entry, at path: BytePath, withTrash: Bool = false) throws -> TreeListing? {
        guard !isEarlier else { return nil }
        var (entries, paths, folders) = ([folder], [path], [(folder, path)])
        var innerIDs: Set<RecordID> = [folder.innerID]
        var next = 0
        while next < folders.count {
            guard folders.count <= Self.separateFolderCount else { return nil }
            let (folder, path) = folders[next]
            next += 1
            for entry in try diagnosing({ try manifest.entries(in: folder.innerID) })
            where entry.state == .live || withTrash && entry.state == .trashed {
                let path = path.appending(entry.overview.title).cut(to: Limits.pathByteCount + 1)
                entries.append(entry)
                paths.append(path)
                guard entry.kind == .folder else { continue }
                // The list of all refuses two folders with one inner id.
                guard innerIDs.insert(entry.innerID).inserted else { return nil }
                folders.append((entry, path))
            }
        }
        return TreeListing(entries, paths: paths)
    }

    private static let separateFolderCount = 64
}
