import Glibc
import VaultFormat
import Cards
import VaultStore

extension Verb {
    static let search = Verb.at(
        name: "search", summary: "find cards by title, tag or value, also by pinyin", operands: "WORD…",
        options: [
            .vault, .moment, .kind, .onlyGroup, .onlyTag,
            Option(.copy, value: "N", help: "copy the N-th card that is found"), .stdout, .reveal, .json,
        ] + Option.use,
        example: "qvault search zhsh",
        note: "finds 招商; the best first, every word has to be found, one letter may be wrong"
    ) { path, arguments in
        let text = arguments.words.joined(separator: " ")
        guard let query = CardQuery(text) else { throw Failure(.usage, "search: what for?") }
        let number = try arguments.number(.copy, in: 1...1_000_000)
        guard number != nil || !arguments.has(.stdout) else {
            throw Failure(.usage, "search: --stdout goes with --copy N")
        }
        guard number == nil || !arguments.has(.json) && !arguments.has(.reveal) else {
            throw Failure(.usage, "search: --json and --reveal go without --copy")
        }
        let vault = try Session.openAsOf(path, arguments)
        let report = ProblemReport()
        let hits = try vault.search(query, where: CardArguments.filter(arguments), damaged: report.add)
        try SearchMemory.keep(text, in: vault, arguments)
        guard !hits.isEmpty || report.exitCode() != .done else {
            throw Failure(.notFound, "no card contains '\(printable(text.utf8))'", hint: "'qvault card list' lists all")
        }
        if let number {
            guard number <= hits.count else {
                throw Failure(.notFound, "--copy \(number): only \(hits.count) cards were found")
            }
            let entry = hits[number - 1].entry
            let code = try Clipboard.copy(vault.card(entry).copied(), Copied(entry), arguments)
            return code == .done ? report.exitCode() : code
        }
        let style = Highlight(arguments)
        let digits = hits.map(\.entry.id).digitCount
        let isRevealed = arguments.has(.reveal)
        try StandardOutput.list(many: hits, arguments, json: { $0.json(isRevealed: isRevealed) }) { hit, text in
            hit.writeLine(query, style, digits, isRevealed: isRevealed, to: &text)
        }
        return report.exitCode(hint: "'qvault verify' tells more of damage")
    }
}

/// Marks what was found, on a terminal that shows it.
private struct Highlight {
    private let isOn: Bool

    init(_ arguments: Arguments) { isOn = Paint.isPossible(arguments) }

    /// Writes a text for the terminal, with what answers in bold.
    func write(_ shown: [UInt8], _ query: CardQuery, to text: inout [UInt8]) {
        guard isOn, let shown = String(validating: shown, as: UTF8.self) else { return text.append(printable: shown) }
        var start = shown.startIndex
        for range in query.ranges(in: shown).sorted(by: { $0.lowerBound < $1.lowerBound })
        where range.lowerBound >= start {
            text.append(printable: Array(shown[start..<range.lowerBound].utf8))
            text += "\u{1B}[1m\(printable(shown[range].utf8))\u{1B}[0m".utf8
            start = range.upperBound
        }
        text.append(printable: Array(shown[start...].utf8))
    }
}

extension Hit {
    fileprivate func json(isRevealed: Bool) -> JSON {
        JSON(
            joining: CardArguments.members(of: entry),
            [
                "level": "\(match.level)", "place": "\(match.place)", "key": match.key,
                "value": line?.shown(isRevealed: isRevealed),
            ])
    }

    fileprivate func writeLine(
        _ query: CardQuery, _ style: Highlight, _ digits: Int, isRevealed: Bool, to text: inout [UInt8]
    ) {
        text.append(entry.id, digits: digits)
        text += "  ".utf8
        style.write(entry.overview.title, query, to: &text)
        if let label = Schema.of(entry.kind)?.label.said {
            text += "  (".utf8
            text += label.utf8
            text += ")".utf8
        }
        for tag in entry.overview.tags where match.key == tag && match.place == .tag {
            text += "  #".utf8
            style.write(Array(tag.utf8), query, to: &text)
        }
        guard let line else { return }
        text += "  ".utf8
        if let label = line.label { text += label.said.utf8 } else { text.append(printable: Array(line.key.utf8)) }
        text += ": ".utf8
        if line.isSensitive, !isRevealed {
            text += line.shown(isRevealed: false).utf8
        } else {
            style.write(Array(query.excerpt(of: line.value).utf8), query, to: &text)
        }
    }
}
