import VaultIO

/// The file that makes a folder one of a cache, which can be made again (bford.info/cachedir).
enum CacheTag {
    private static let name = Array("CACHEDIR.TAG".utf8)
    private static let signature = Array("Signature: 8a477f597d28d172789f06886806bc55".utf8)

    /// The entry of the tag; nil where there is none, or another file has its name.
    static func entry(among entries: [FolderEntry], of folder: any Folder) throws -> FolderEntry? {
        guard let entry = entries.first(where: { $0.name == name }) else { return nil }
        let isTag = try fromSource {
            guard try folder.status(of: name).kind == .regular else { return false }
            return try folder.openFile(name).bytes(at: 0, count: signature.count) == signature
        }
        return isTag ? entry : nil
    }
}
