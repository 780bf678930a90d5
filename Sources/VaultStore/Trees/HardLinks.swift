import VaultFormat

extension TreeListing {
    /// Maps the path of each further hard link to that of the first one: same device, inode and stored content.
    func hardLinks() -> [BytePath: BytePath] {
        struct Origin: Hashable {
            let link: KeptAttributes.Link
            let content: StoredTwin
        }
        var (first, links): ([Origin: BytePath], [BytePath: BytePath]) = ([:], [:])
        for (path, entry) in self {
            // A file whose attributes are malformed is reported when it is written.
            guard let link = (try? entry.overview.kept)?.link else { continue }
            let origin = Origin(link: link, content: entry.twin)
            if let leader = first[origin] { links[path] = leader } else { first[origin] = path }
        }
        return links
    }
}
