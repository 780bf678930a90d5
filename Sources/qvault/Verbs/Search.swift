import Glibc
import VaultFormat
import VaultRecords
import VaultStore

extension Verb {
    static let search = Verb(
        name: "search", summary: "find cards by title, tag or value, also by pinyin", operands: "WORD…",
        operandCount: 1...Int.max,
        options: [
            .vault, .moment, .kind, .onlyGroup, .onlyTag,
            Option("--copy", value: "N", help: "copy the N-th card that is found"), .stdout,
            .reveal, .json,
        ] + Option.use,
        example: ("qvault search zhsh", "finds 招商; the best first, every word has to be found, one letter may be wrong")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let text = String(decoding: Array(arguments.operands.joined(separator: [0x20])), as: UTF8.self)
            guard let query = Query(text) else { throw Failure(.usage, "search: what for?") }
            let number = try arguments.number("--copy", in: 1...1_000_000)
            guard number != nil || !arguments.has(.stdout) else {
                throw Failure(.usage, "search: --stdout goes with --copy N")
            }
            guard number == nil || !arguments.has(.json) && !arguments.has(.reveal) else {
                throw Failure(.usage, "search: --json and --reveal go without --copy")
            }
            let vault = try Session.openAsOf(path, arguments)
            let report = ProblemReport()
            let cards = try Session.cards(arguments, among: vault.cardsByID())
            let hits = try vault.search(query, among: cards) { entry, error in
                report.add(TreeProblem(path: Path(entry.overview.title), reason: .unreadableRecord(error)))
            }
            guard !hits.isEmpty || report.exitCode() != .done else {
                throw Failure(.notFound, "no card says '\(printable(text.utf8))'", hint: "'qvault card list' lists all")
            }
            if let number {
                guard number <= hits.count else {
                    throw Failure(.notFound, "--copy \(number): only \(hits.count) cards were found")
                }
                let code = try Clipboard.copy(hits[number - 1].card.copied, arguments)
                return code == .done ? report.exitCode() : code
            }
            var out = StandardOutput()
            let style = Highlight(arguments)
            let digits = hits.map(\.entry).idDigitCount
            try out.write(linesOf: hits) { hit in
                arguments.has(.json) ? hit.json(arguments) : hit.line(query, style, digits, arguments)
            }
            try out.flush()
            return report.exitCode(hint: "'qvault verify' tells more of damage")
        }
    }
}

extension Session {
    /// Those of some cards that the options of a list ask for.
    static func cards(_ arguments: Arguments, among all: [Entry]) throws -> [Entry] {
        let kind = try arguments.text("--kind").map { try schema(Array($0.utf8)).kind }
        let (group, tags) = (arguments.text("--group"), arguments.texts("--tag"))
        guard kind != nil || group != nil || !tags.isEmpty else { return all }
        return all.filter { entry in
            (kind == nil || entry.kind == kind) && (group == nil || entry.overview.group == group)
                && tags.allSatisfy(entry.overview.tags.contains)
        }
    }
}

/// Marks what was found, on a terminal that shows it.
private struct Highlight {
    private let isOn: Bool

    init(_ arguments: Arguments) {
        isOn =
            isatty(STDOUT_FILENO) == 1 && environment("NO_COLOR") == nil && environment("TERM") ?? "dumb" != "dumb"
            && !arguments.has(.plain)
    }

    /// A text for the terminal, with what answers in bold.
    func shown(_ text: String, _ query: Query) -> String {
        guard isOn else { return printable(text.utf8) }
        var result = ""
        var start = text.startIndex
        for range in query.ranges(in: text).sorted(by: { $0.lowerBound < $1.lowerBound })
        where range.lowerBound >= start {
            result += printable(text[start..<range.lowerBound].utf8)
            result += "\u{1B}[1m\(printable(text[range].utf8))\u{1B}[0m"
            start = range.upperBound
        }
        return result + printable(text[start...].utf8)
    }
}

extension Hit {
    fileprivate func json(_ arguments: Arguments) -> String {
        let masked = line?.shown(isRevealed: arguments.has(.reveal))
        return JSON.object(
            Session.cardMembers(entry) + [
                ("level", .text("\(match.level)")), ("place", .text("\(match.place)")),
                ("key", match.key.map { .text($0) } ?? .null), ("value", masked.map { .text($0) } ?? .null),
            ]
        ).line
    }

    fileprivate func line(_ query: Query, _ style: Highlight, _ digits: Int, _ arguments: Arguments) -> String {
        var text =
            "\(hexText(entry.id.bytes).prefix(digits))  \(style.shown(String(decoding: entry.overview.title, as: UTF8.self), query))"
        if let schema = Schema.of(entry.kind) { text += "  (\(schema.label.said))" }
        for tag in entry.overview.tags where match.key == tag && match.place == .tag {
            text += "  #\(style.shown(tag, query))"
        }
        guard let line else { return text }
        let name = line.label?.said ?? printable(line.key.utf8)
        if line.isSensitive, !arguments.has(.reveal) { return text + "  \(name): \(line.shown(isRevealed: false))" }
        return text + "  \(name): \(style.shown(query.excerpt(of: line.value), query))"
    }
}
