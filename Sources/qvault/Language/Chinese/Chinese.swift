/// The command's words in Chinese, by their words in English (Phrase), in a table for each area. The English text is the key:
/// a change of it shows at once, since `Tests/Checks/messages.py` holds the tables against the sources. A phrase without
/// Chinese fails the check, and so does an entry that nobody says.
enum Chinese {
    private static let tables = [
        commandLine, vault, keys, maintenance, cards, files, records, pictures, documents, home, funds, fundLines,
        assets,
        household, verbs,
        common,
    ]

    /// The words for an English phrase.
    static func words(_ english: String) -> String? {
        for table in tables { if let words = table[english] { return words } }
        return nil
    }
}
