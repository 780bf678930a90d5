import VaultFormat

extension LocalizedLabel {
    /// In the person's language.
    var said: String { text(in: .current) }

    /// The label in the person's language.
    static var spoken: KeyPath<LocalizedLabel, String> { Language.current == .chinese ? \.chinese : \.english }
}
