import VaultFormat

/// The values that are equal in all entries of one stored record (Spec/entries.cddl, "Shared content").
struct StoredTwin: Hashable {
    let content: StoredContent
    let kind: Entry.Kind
}

extension Entry {
    var twin: StoredTwin { StoredTwin(content: content, kind: kind) }
}
