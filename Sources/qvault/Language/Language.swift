import CUTF8Proc
import VaultFormat

extension Language {
    /// The language that the command speaks: `--lang`, else the configuration, else the first that is set of `LC_ALL`,
    /// `LC_MESSAGES` and `LANG`. Found once, before anything is said.
    static let current = named(on: commandWords) ?? fromEnvironment

    private static func named(on words: [[UInt8]]) -> Language? {
        let words = words.prefix { $0 != Array("--".utf8) }.map { String(decoding: $0, as: UTF8.self) }
        let option = OptionName.lang.word
        for (index, word) in words.enumerated() {
            if word == option, index + 1 < words.count { return Language(rawValue: words[index + 1]) }
            if word.hasPrefix(option + "=") { return Language(rawValue: String(word.dropFirst(option.count + 1))) }
        }
        return nil
    }

    /// Nil where the configuration does not say, or cannot be read: errors in it are for what needs the rest.
    private static var configured: Language? { (try? Config.text(.language)).flatMap { Language(rawValue: $0) } }

    private static var fromEnvironment: Language {
        if let language = configured { return language }
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first ?? ""
        // The command prints UTF-8.
        let isUTF8 = !locale.contains(".") || locale.lowercased().contains("utf")
        return locale.hasPrefix("zh") && isUTF8 ? .chinese : .english
    }

    static func check(_ name: String) throws {
        guard Language(rawValue: name) == nil else { return }
        throw Failure(.usage, "--lang takes zh or en, not '\(printable(name.utf8))'")
    }
}

extension Phrase {
    /// In the person's language.
    var said: String {
        switch Language.current {
        case .english: description
        case .chinese: said { Chinese.words($0) }
        }
    }

    /// The same for a line on a terminal.
    var line: String { terminalSafe(said) }
}

extension String {
    /// The sign between a name and its value in the person's language.
    static var colon: String { Language.current == .chinese ? "：" : ": " }
}

extension Sequence<String> {
    /// All of them, with the person's language's sign between each two. Errors of the configuration, which says the
    /// language, are no place for it.
    var listed: String { joined(separator: Language.current == .chinese ? "、" : ", ") }
}

/// Columns that text takes on a terminal: two for a Chinese character.
func columns(_ text: String) -> Int {
    if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return text.utf8.count }
    return text.unicodeScalars.reduce(0) {
        $0 + Int(max(0, utf8proc_charwidth(utf8proc_int32_t(bitPattern: $1.value))))
    }
}

/// Text with spaces up to `width` columns; behind it, or with `left` before it.
func padded(_ text: String, _ width: Int, left: Bool = false) -> String {
    let fill = String(repeating: " ", count: max(0, width - columns(text)))
    return left ? fill + text : text + fill
}

/// The beginning of a text that takes at most `width` columns.
func clipped(_ text: String, _ width: Int) -> String {
    var (result, used) = ("", 0)
    for character in text {
        used += columns(String(character))
        if used > width { break }
        result.append(character)
    }
    return result
}
