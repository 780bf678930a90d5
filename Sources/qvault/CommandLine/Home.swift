import Glibc
import Portfolio
import VaultFormat
import Cards
import VaultIO
import VaultStore

/// The page of who types `qvault`: at a terminal a list of cards to pick from, else the state of the vault, what is due, cards,
/// and what to do next, without any question.
enum Home {
    /// The options that may stand behind a bare `qvault`.
    private static let verb = Verb(
        name: "home", summary: "", options: [.vault, .noProgress] + Option.use, example: "qvault", note: "",
        run: { _ in .done })

    static func run(_ words: [[UInt8]]) throws -> ExitCode {
        let arguments = try Arguments(words, for: verb)
        if arguments.has(.quiet) { Messages.beQuiet() }
        let path = try Session.vaultPath(arguments)
        let isThere = (try? Machine.store.files.status(path)) != nil
        guard isThere || !arguments.has(.vault) && Welcome.isPossible else {
            throw Failure(
                .notFound, "no vault yet: \(path)", hint: "'qvault create' makes one; 'qvault --help' lists the verbs")
        }
        guard isThere else { return try Welcome.run(path, arguments) }
        return try withVault(path) {
            try CardPicker.isPossible(arguments) ? pick(path, arguments) : show(path, arguments)
        }
    }

    /// Shows the cards to pick from; the page where there are none.
    private static func pick(_ path: BytePath, _ arguments: Arguments) throws -> ExitCode {
        let vault = try Session.open(path, arguments)
        let records = try vault.cardsAndShares()
        guard records.contains(where: \.isCard) else { return try show(path, arguments) }
        let report = ProblemReport()
        let due = try Due.today(in: vault, within: 30, report, among: records)
        let news: Phrase = due.isEmpty ? "nothing is due" : "due: \(due.counts)"
        let header = ["\(news.said) · \(safety(Upkeep(vault)))"]
        let notices = twice(records) + beside(path, vault.id)
        let code = try CardPicker.run(path, vault, header: header + notices, arguments)
        return code == .done ? report.exitCode(hint: "'qvault verify' tells more of damage") : code
    }

    private static func show(_ path: BytePath, _ arguments: Arguments) throws -> ExitCode {
        let header = try LockedVault(path, in: Machine.store).header
        let left = Keyring.timeLeft(header)
        let state: Phrase = left.map { "unlocked, locks itself in \(span($0 / 1000))" } ?? "locked"
        var lines = ["\(path): \(state.said)"]
        var upkeep = Upkeep(header.vaultID)
        var cards: [Entry]?
        let report = ProblemReport()
        if left != nil {
            let vault = try Session.open(path, arguments)
            upkeep = Upkeep(vault)
            let records = try vault.cardsAndShares()
            lines += due(try Due.today(in: vault, within: 30, report, among: records))
            let all = Vault.listed(records.filter(\.isCard))
            lines += list(all)
            lines += twice(all)
            cards = all
        }
        lines += beside(path, header.vaultID)
        lines += ["", safety(upkeep), ""] + next(upkeep, cards)
        try StandardOutput.show(lines.joined(separator: "\n") + "\n")
        return report.exitCode(hint: "'qvault verify' tells more of damage")
    }

    /// Cards that a merge kept twice.
    private static func twice(_ records: [Entry]) -> [String] {
        let copies = CardConflict.copies(among: records.filter(\.isCard)).count
        guard copies > 0 else { return [] }
        return [Phrase("cards that a merge kept twice: \(copies); 'qvault resolve' makes one of each two").said]
    }

    /// Copies of the vault beside it that were changed elsewhere.
    private static func beside(_ path: BytePath, _ vaultID: VaultID) -> [String] {
        ConflictCopy.beside(path, vaultID).map { copy in
            Phrase("\(copy): a copy that was changed elsewhere; 'qvault merge' brings it in").said
        }
    }

    private static func due(_ items: [Due]) -> [String] {
        guard !items.isEmpty else { return ["", Phrase("nothing is due").said] }
        let rest = items.count > 5 ? ["  …  'qvault due'"] : []
        return ["", Phrase("due: \(items.counts)").said] + Array(items.prefix(5)).rows.map { "  " + $0 } + rest
    }

    /// Up to five pinned cards, and the latest, eight in all.
    private static func list(_ cards: [Entry]) -> [String] {
        guard !cards.isEmpty else { return ["", Phrase("no cards yet").said] }
        let pinned = cards.prefix { $0.overview.isPinned }.prefix(5)
        let latest = cards.drop { $0.overview.isPinned }.prefix(8 - pinned.count)
        let shown = Array(pinned) + latest
        let rows = shown.map { card in
            [
                "  \(card.overview.isPinned ? "*" : " ") \(Schema.of(card.kind)?.label.said ?? "")",
                printable(card.overview.title),
            ]
        }
        return ["", Phrase("cards: \(cards.count)").said] + inColumns(rows)
    }

    /// When the last backup, check and trial restore were.
    private static func safety(_ upkeep: Upkeep) -> String {
        let now = UInt64(max(0, Machine.store.now().seconds))
        return Upkeep.Task.allCases.map { task in
            let age: Phrase = upkeep.last(task).map { "\(span(now - min(now, $0))) ago" } ?? "never"
            return Phrase("\(task.label): \(age)").said
        }.joined(separator: " · ")
    }

    /// A length of time in its largest unit.
    private static func span(_ seconds: UInt64) -> Phrase {
        switch seconds {
        case ..<120: "\(seconds) seconds"
        case ..<7200: "\(seconds / 60) minutes"
        case ..<172_800: "\(seconds / 3600) hours"
        default: "\(Int64(seconds) / Day.seconds) days"
        }
    }

    /// Three commands that suit the state.
    private static func next(_ upkeep: Upkeep, _ cards: [Entry]?) -> [String] {
        var rows: [(String, Phrase)]
        switch cards {
        case nil: rows = [("qvault unlock", "asks for the password once")]
        case let cards? where cards.isEmpty:
            rows = [("qvault card add idcard", "asks for each field"), ("qvault import FILE", "from another program")]
        default: rows = [("qvault copy NAME", "to the clipboard"), ("qvault search WORDS", "in all cards")]
        }
        if upkeep.last(.backup) == nil { rows.append(("qvault backup --to DIR", "a copy on another disk")) }
        rows.append(("qvault put FILE…", "store files"))
        rows.append(("qvault --help", "all verbs"))
        return inColumns(rows.prefix(3).map { ["  \($0.0)", $0.1.said] })
    }
}
