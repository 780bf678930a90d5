// Cards: what people keep besides files, as typed records. A kind of card is a row of data in `Schema.cards`. What is in a
// record is checked against it when it is set, and carried along when it is not known (Spec/product/records.md). Only
// VaultStore reads and writes files.

public import VaultFormat

/// One field of a kind.
public struct Field: Equatable, Sendable {
    /// Its name in a stored record, on the command line and in JSON.
    public let key: String
    /// Its name for people.
    public let label: LocalizedLabel
    /// True if a record has to have it.
    public let isRequired: Bool
    /// The rule for its value.
    public let check: Check
    /// True if it is shown only when asked for.
    public let isSensitive: Bool

    /// True if it is typed without an echo: a secret, and no number that people read from a card while they type.
    public var isHiddenInput: Bool { isSensitive && !check.isNumber }

    /// True if it is typed twice, since nobody sees what is typed.
    public var isPassword: Bool { isSensitive && (key == "password" || key == "passphrase") }

    init(
        _ key: String, _ english: String, _ chinese: String, _ check: Check = .line, required: Bool = false,
        sensitive: Bool = false
    ) {
        (self.key, label, self.check) = (key, LocalizedLabel(english, chinese), check)
        (isRequired, isSensitive) = (required, sensitive)
    }
}

/// The fields of one kind of records.
public struct Schema: Equatable, Sendable {
    /// The kind's number in an entry.
    public let kind: Entry.Kind
    /// Its name on the command line and in JSON.
    public let name: String
    /// Its name for people.
    public let label: LocalizedLabel
    /// In the order in which people see them.
    public let fields: [Field]
    /// True if fields may be made up besides.
    public let takesOwnFields: Bool

    init(
        _ kind: UInt16, _ name: String, _ english: String, _ chinese: String, takesOwnFields: Bool = false,
        _ fields: [Field]
    ) {
        (self.kind, self.name, label) = (Entry.Kind(rawValue: kind), name, LocalizedLabel(english, chinese))
        (self.fields, self.takesOwnFields) = (fields, takesOwnFields)
    }

    /// The field with this key.
    public subscript(_ key: String) -> Field? { fields.first { $0.key == key } }

    /// The field that a word means: its key, else its label in either language, in small or capital letters.
    public func field(called name: String) -> Field? {
        let word = name.lowercased()
        return self[name]
            ?? fields.first { [$0.key, $0.label.english.lowercased(), $0.label.chinese.lowercased()].contains(word) }
    }
}
