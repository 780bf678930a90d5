import VaultFormat

/// The pages of `qvault help TOPIC`: those about tasks are Markdown in the folder Guide, the others are made from the
/// declarations.
enum Guide {
    struct Topic: Sendable {
        let name: String
        /// The subject of the page, in a line.
        let summary: Phrase
        let text: @Sendable (Language) -> String

        fileprivate init(_ name: String, _ summary: Phrase, _ text: @escaping @Sendable (Language) -> String) {
            (self.name, self.summary, self.text) = (name, summary, text)
        }

        /// A page in English and Chinese.
        fileprivate init(_ name: String, _ summary: Phrase, _ english: [UInt8], _ chinese: [UInt8]) {
            self.init(name, summary) { String(decoding: $0 == .chinese ? chinese : english, as: UTF8.self) }
        }
    }

    private typealias Page = PackageResources

    static let topics = [
        Topic("start", "first steps", Page.start_md, Page.start_zh_md),
        Topic("window", "the vault in your browser", Page.window_md, Page.window_zh_md),
        Topic("cards", "cards, attachments, settings, and other programs", Page.cards_md, Page.cards_zh_md),
        Topic("finding", "finding records by words and conditions", Page.finding_md, Page.finding_zh_md),
        Topic("pictures", "marked copies of pictures", Page.pictures_md, Page.pictures_zh_md),
        Topic("funds", "a watchlist of funds: estimates, feeds, profit", Page.funds_md, Page.funds_zh_md),
        Topic("apps", "a wish list of apps: prices, and what is free", Page.apps_md, Page.apps_zh_md),
        Topic("household", "assets, debts, insurance, holdings, one screen", Page.household_md, Page.household_zh_md),
        Topic("backups", "backups, checks, a timer, restoring, damage", Page.backups_md, Page.backups_zh_md),
        Topic("keys", "passwords, key slots, unlocking", Page.keys_md, Page.keys_zh_md),
        Topic("copies", "old versions, the trash, merging", Page.copies_md, Page.copies_zh_md),
        Topic("security", "who can do what", Page.security_md, Page.security_zh_md),
        Topic("options", "options that many verbs have") { _ in options },
        Topic("reference", "every verb in a line") { _ in reference },
        Topic("configuration", "what may be set for all vaults") { _ in configuration },
        Topic("exit-codes", "how a command can end") { _ in exitCodes },
        Topic("glossary", "the words", Page.glossary_md, Page.glossary_zh_md),
    ]

    /// The page with a name; nil of none.
    static func page(_ name: String) -> String? {
        let topic = ["assets", "money", "portfolio"].contains(name) ? "household" : name
        let text = topics.first { $0.name == topic }?.text(Language.current)
        // Pages are written for terminals of 120 columns; a narrower one breaks whole paragraphs.
        return StandardOutput.width.map { $0 < 120 } == true ? text.map(withoutBreaks) : text
    }

    /// Markdown with each paragraph in one line. Headings, tables, commands and the beginnings of items stay as they are.
    private static func withoutBreaks(_ text: String) -> String {
        var (lines, isOpen) = ([String](), false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let isFixed = line.isEmpty || line.hasPrefix("    ") || line.hasPrefix("#") || line.hasPrefix("|")
            let begins = line.hasPrefix("- ") || line.first?.isNumber == true && line.contains(". ")
            if isOpen, !isFixed, !begins, let last = lines.last?.last {
                let next = line.drop { $0 == " " }
                let isWide = columns(String(last)) == 2 && next.first.map { columns(String($0)) == 2 } == true
                lines[lines.count - 1] += (isWide ? "" : " ") + next
            } else {
                lines.append(line)
            }
            isOpen = !isFixed
        }
        return lines.joined(separator: "\n")
    }

    /// The topics, a line each.
    static var list: String {
        inColumns(topics.map { ["  " + $0.name, $0.summary.said] }).joined(separator: "\n")
    }

    private static var options: String {
        page(
            "Options that many verbs have", Verb.rows(Option.common),
            notes: [
                "Some of them may stand before the verb.",
                "'qvault --arguments-fd N' reads all arguments from a descriptor, each ended by NUL: nobody sees them there.",
                "A password comes from the first that is given: an option, the environment, an unlocked vault, the terminal.",
                "Lengths of time: 60 or 60s, 0.5s, 15m, 2h, 90d, 4w, 1y.",
                "Times: today, 2026-01-31, '2026-01-31 18:30', 2026-01-31T18:30:00Z, or a length of time ago.",
                "Where a file is read or written, - is standard input or output.",
            ])
    }

    private static var reference: String {
        let rows = VerbIndex.qvault.all.map { verb in
            let operands = verb.operands.isEmpty ? "" : " " + Placeholder.said(verb.operands)
            return "    qvault \(verb.name)\(operands)\n        \(verb.summary.said)\n"
        }
        return page("Verbs", rows.joined())
    }

    private static var configuration: String {
        page(
            "Configuration", Config.Key.allCases.map { "    \($0.usage)\n        \($0.meaning.said)\n" }.joined(),
            start: [
                "The file is $XDG_CONFIG_HOME/quickvault/config, else ~/.config/quickvault/config.",
                "It has a line for each setting, and # before a comment. Options and the environment go before it.",
            ])
    }

    private static var exitCodes: String {
        page(
            "Exit codes",
            ExitCode.allCases.map { "    " + padded("\($0.rawValue)", 4) + $0.meaning.said + "\n" }.joined(),
            notes: [
                "Of several files, the worst counts: 6, 5, 7, 4, 8, 3, 13, 12, then the others.",
                "A command that is stopped by Ctrl-C ends by that signal, and leaves nothing half-written.",
            ])
    }

    /// A page that is made here: rows, with paragraphs before and behind them.
    private static func page(_ title: Phrase, _ rows: String, start: [Phrase] = [], notes: [Phrase] = []) -> String {
        let parts = [start, notes].map { $0.map { $0.said + "\n" }.joined() }
        return (["# \(title.said)\n", parts[0], rows, parts[1]].filter { !$0.isEmpty }).joined(separator: "\n")
    }
}
