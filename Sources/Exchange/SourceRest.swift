import VaultFormat

extension ForeignItem {
    /// Adds what the source says of an item and no field has yet, as JSON in one field of its own: `more`.
    ///
    /// - Parameters:
    ///   - source: the item there.
    ///   - ignored: members that say nothing about it: ids, types, times of use.
    ///   - texts: texts that were taken in another form.
    mutating func addMore(of source: JSON, besides ignored: Set<String>, _ texts: [String?] = []) {
        parts += texts
        var taken = TakenTexts()
        taken.take(self)
        if let rest = taken.rest(of: source, besides: ignored) { addOwn("more", rest.line, isSensitive: true) }
    }
}

extension ImportBatch {
    /// Keeps what a source has beside its items, and no card has, in a note of its own.
    ///
    /// - Parameters:
    ///   - source: all of it, where it is text.
    ///   - ignored: members that only serve the other program.
    ///   - files: files of its archive that no item names.
    mutating func addRest(
        of source: JSON?, besides ignored: Set<String>, files: [(name: String, content: [UInt8])] = []
    ) {
        let rest = source.flatMap { taken.rest(of: $0, besides: ignored) }
        guard rest != nil || !files.isEmpty else { return }
        var note = ForeignItem(note: "", title: "rest of an import", at: "what belongs to no item")
        note.isPlain = true
        note.addOwn("more", rest?.line, isSensitive: true)
        for file in files {
            note.attach(file.name, file.content)
            if file.name.contains("/") { note.addOwn("file", file.name) }
        }
        notices.append(ImportProblem(note.place, "kept in the note 'rest of an import'"))
        add(note)
    }
}
