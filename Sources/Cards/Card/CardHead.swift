/// The lines of a card's text that are no fields.
enum CardHead: String, CaseIterable {
    case title, group, tags, pinned

    /// True if a field of this name has a line of its own.
    static func isField(_ key: String) -> Bool {
        !key.utf8.contains(UInt8(ascii: ":")) && !"# \t".utf8.contains(key.utf8.first ?? 0x20)
            && CardHead(rawValue: key) == nil
    }
}
