import Values

extension Card {
    /// A title, a group or a tag as a person gave it.
    ///
    /// - Parameter key: names the input.
    /// - Throws: `Refusal` of what is no name.
    public static func name(_ text: String, _ key: String) throws -> String {
        // The decoder's replacement for bytes that are no text.
        guard !text.unicodeScalars.contains("\u{FFFD}") else { throw Refusal("'\(printable(text.utf8))' is not UTF-8") }
        if let what = complaint(aboutName: text) { throw Refusal(what, key: key) }
        return text
    }

    /// Tags as a person gave them, each once, behind those that are there.
    ///
    /// - Throws: `Refusal` of what is no tag, and of too many.
    public static func tags(_ texts: [String], _ key: String, besides tags: [String] = []) throws -> [String] {
        let all = try texts.reduce(into: tags) { tags, text in
            let tag = try name(text, key)
            guard !tags.contains(tag) else { return }
            guard !tag.contains(",") else { throw Refusal("a tag has no comma", key: key) }
            tags.append(tag)
        }
        guard all.count <= tagCount else { throw Refusal("a record takes \(tagCount) tags, not \(all.count)") }
        return all
    }
}
