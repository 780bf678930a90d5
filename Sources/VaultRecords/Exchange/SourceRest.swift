extension ForeignItem {
    /// Adds what the source says of an item and no field has yet, as JSON in one field of its own: `more`.
    ///
    /// - Parameters:
    ///   - source: the item there.
    ///   - ignored: members that say nothing about it: ids, types, times of use.
    ///   - texts: texts that were taken in another form.
    mutating func addMore(of source: JSON, besides ignored: Set<String>, _ texts: [String?] = []) {
        var taken = Set((texts + parts).compactMap(\.self) + tags + [title, group].compactMap(\.self))
        for (_, value) in fields { taken.insert(value) }
        for field in own {
            taken.formUnion([field.label, field.value])
            if let json = try? JSON(parsing: Array(field.value.utf8)) { json.addLeaves(to: &taken) }
        }
        for file in attachments { taken.insert(String(decoding: file.name, as: UTF8.self)) }
        if let rest = source.without(taken, ignored) { addOwn("more", rest.line, isSensitive: true) }
    }
}

extension JSON {
    /// Adds all texts in it, and numbers as text.
    fileprivate func addLeaves(to texts: inout Set<String>) {
        switch self {
        case .list(let items): for item in items { item.addLeaves(to: &texts) }
        case .object(let members): for (_, value) in members { value.addLeaves(to: &texts) }
        case .text(let text): texts.insert(text)
        default: texts.insert(line)
        }
    }

    /// What is left without texts and numbers that were taken, members that say nothing, and what is empty then.
    fileprivate func without(_ taken: Set<String>, _ ignored: Set<String>) -> JSON? {
        switch self {
        case .null, .bool(false): return nil
        case .text(let text): return text.isEmpty || taken.contains(text) ? nil : self
        case .list(let items):
            let rest = items.compactMap { $0.without(taken, ignored) }
            return rest.isEmpty ? nil : .list(rest)
        case .object(let members):
            let rest = members.filter { !ignored.contains($0.0) }.compactMap { key, value in
                value.without(taken, ignored).map { (key, $0) }
            }
            return rest.isEmpty ? nil : .object(rest)
        default: return taken.contains(line) || line == "0" ? nil : self
        }
    }
}
