/// Files that writers make beside a vault under a name of their own, where the system cannot make them without one
/// (Spec/store.md, 4). Each is locked by its maker.
enum TemporaryFiles {
    /// What their names begin with; 16 hexadecimal digits follow.
    static let prefix = Array(".qvault-tmp-".utf8)

    /// Removes those that nobody has locked: their maker is gone. A courtesy, which may fail.
    static func removeStale(in path: Path, _ files: any FileSystem) {
        guard let folder = try? files.openFolder(path), let entries = try? folder.entries() else { return }
        for entry in entries where entry.name.starts(with: prefix) && entry.name.count == prefix.count + 16 {
            guard let file = try? files.openFile(path.appending(entry.name), writing: true), (try? file.lock()) == true
            else { continue }
            try? folder.removeFile(entry.name)
        }
    }
}
