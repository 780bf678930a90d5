import CSystem
import Glibc
import Portfolio
import VaultFormat

extension Option {
    static let isPrivate = Option(.private, help: "**** in the place of every amount; percentages stay")
}

extension Figures {
    init(_ arguments: Arguments) { self.init(isHidden: arguments.has(.private)) }

    /// A number with all its places, or what stands for it.
    func plain(_ number: ExactDecimal) -> String { isHidden ? amount(number) : "\(number)" }

    /// Columns for a bar on this terminal, beside text of some columns: 8 to 60.
    static func barWidth(beside count: Int) -> Int { max(8, min(60, terminalColumns - count)) }

    /// Columns of this terminal; 80 where there is none.
    static var terminalColumns: Int { isatty(STDOUT_FILENO) == 1 ? Int(qv_terminal_columns(STDOUT_FILENO)) : 80 }

    /// A line from 0 to 100 percent with the bounds and a dot at the value: `──●──┤░░░├──`.
    static func gauge(_ value: ExactDecimal, _ least: ExactDecimal, _ most: ExactDecimal, width: Int) -> String {
        func place(_ percent: ExactDecimal) -> Int {
            let share = (percent * ExactDecimal(width - 1)).divided(by: .hundred) ?? .zero
            return share.whole(in: 0...(width - 1))
        }
        let (first, last, dot) = (place(least), place(most), place(value))
        return (0..<width).map { column in
            if column == dot { return "●" }
            if column == first { return "┤" }
            if column == last { return "├" }
            return first < column && column < last ? "░" : "─"
        }.joined()
    }

    /// A line that names currencies without a rate, with what there is of each; none where all have one.
    func withoutRate(_ household: Household) -> [String] {
        let totals = household.totalsWithoutRate
        guard !totals.isEmpty else { return [] }
        let words = totals.sorted { $0.key < $1.key }.map { amount($0.value, in: $0.key) }
        let missing: Phrase =
            "not counted, without a rate: \(words.listed) ('fund import' takes lines like P DAY USD 7.10 CNY)"
        return [missing.said]
    }

    /// A bar of eighths of a column.
    static func bar(_ share: ExactDecimal, width: Int) -> String {
        let parts = Array(" ▏▎▍▌▋▊▉")
        let count = (share * ExactDecimal(width * 8)).whole(in: 0...(width * 8))
        return String(repeating: "█", count: count / 8) + (count % 8 > 0 ? String(parts[count % 8]) : "")
    }
}

extension Household {
    /// Says which cards do not count: copies that a merge left, and those that this version cannot read.
    func nameWhatDoesNotCount() {
        if let copies = Phrase.mergeCopies(mergeCopies) { Messages.say(copies) }
        guard !unreadCards.isEmpty else { return }
        let names = unreadCards.map { "'\(printable($0.utf8))'" }.listed
        Messages.say("cards without a known category, type or amount do not count: \(names); 'card edit' sets it")
    }
}

extension Phrase {
    /// What to do with the cards that a merge left beside others; nil where there are none.
    static func mergeCopies(_ titles: [String]) -> Phrase? {
        guard !titles.isEmpty else { return nil }
        let names = titles.map { "'\(printable($0.utf8))'" }.listed
        return "copies that a merge left do not count: \(names); 'qvault resolve' makes one card of two"
    }
}
