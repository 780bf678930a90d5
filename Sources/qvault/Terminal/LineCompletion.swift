import Cards
import VaultFormat
import VaultIO
import VaultStore

/// The words that Tab completes.
enum LineCompletion {
    case none
    /// Paths of files, one or several.
    case paths
    /// Known words. Several may stand in a line, with one of the separators between them.
    case words([String], separators: String = "")

    /// The change that Tab makes to a line.
    struct Answer: Equatable {
        /// Unicode scalars before the cursor that are taken away, and the text that is put there.
        var deleted = 0
        var inserted = ""
        /// Lines that show what may be meant; empty where one word is.
        var choices = ""
    }

    /// - Parameter text: what stands before the cursor.
    func answer(to text: String) -> Answer {
        switch self {
        case .none: Answer()
        case .paths: Self.path(text)
        case .words(let words, let separators): Self.word(text, words, separators)
        }
    }

    /// Choices that are shown at most.
    private static let shownCount = 40

    private static func word(_ text: String, _ words: [String], _ separators: String) -> Answer {
        let typed = text.lastIndex { separators.contains($0) }.map { text[text.index(after: $0)...] } ?? text[...]
        let start = String(typed.drop { $0 == " " })
        let beginning = words.filter { $0.unicodeScalars.starts(with: start.unicodeScalars) }
        guard beginning.isEmpty else { return answer(start, beginning.map { ($0, $0) }) }
        // By pinyin too, and in any case.
        let query = CardQuery(start)
        let found = words.filter { query?.match(name: $0).map { $0 <= .pinyin } ?? false }
        guard found.count == 1 else { return Answer(choices: listed(found)) }
        return Answer(deleted: start.unicodeScalars.count, inserted: found[0])
    }

    private static func path(_ text: String) -> Answer {
        let typed = TypedPaths(text)
        let path = typed.last
        let folder = path.lastIndex(of: 0x2F).map { BytePath(Array(path[...$0])) } ?? BytePath(".")
        let start = Array(path.lastIndex(of: 0x2F).map { path[path.index(after: $0)...] } ?? path[...])
        // A folder that cannot be read has nothing to complete.
        guard let entries = try? Machine.store.files.openFolder(folder).entries() else {
            return Answer()
        }
        let showsHidden = start.first == UInt8(ascii: ".")
        var names: [(name: String, whole: String)] = []
        for entry in entries where entry.name.starts(with: start) {
            guard showsHidden || entry.name.first != UInt8(ascii: "."),
                let name = String(validating: entry.name, as: UTF8.self)
            else { continue }
            names.append((name, entry.kind == .folder ? name + "/" : name))
        }
        names.sort { $0.name < $1.name }
        let answer = answer(String(decoding: start, as: UTF8.self), names)
        let isWhole = names.count == 1 && !names[0].whole.hasSuffix("/")
        return Answer(
            inserted: typed.escaped(answer.inserted) + (isWhole ? typed.end : ""), choices: answer.choices)
    }

    /// Puts in what all candidates have in common, and shows them where that is no more than was typed.
    ///
    /// - Parameter candidates: with what is put in where one is alone.
    private static func answer(_ start: String, _ candidates: [(name: String, whole: String)]) -> Answer {
        guard let first = candidates.first else { return Answer() }
        let count = start.unicodeScalars.count
        func rest(_ text: String) -> String { String(String.UnicodeScalarView(text.unicodeScalars.dropFirst(count))) }
        if candidates.count == 1 { return Answer(inserted: rest(first.whole)) }
        let common = candidates.dropFirst().reduce(first.name) { $0.commonPrefix(with: $1.name) }
        guard common.unicodeScalars.count <= count else { return Answer(inserted: rest(common)) }
        return Answer(choices: listed(candidates.map(\.whole)))
    }

    private static func listed(_ names: [String]) -> String {
        guard !names.isEmpty else { return "" }
        let rest = names.count > shownCount ? ["…"] : []
        return (names.prefix(shownCount) + rest).map { "  \(printable($0.utf8))\n" }.joined()
    }
}

extension String {
    fileprivate func commonPrefix(with other: String) -> String {
        String(String.UnicodeScalarView(zip(unicodeScalars, other.unicodeScalars).prefix { $0 == $1 }.map(\.0)))
    }
}
