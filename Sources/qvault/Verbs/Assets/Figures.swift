import CSystem
import Glibc
import Portfolio
import VaultFormat
import VaultRecords
import VaultStore

extension Option {
    static let isPrivate = Option(.private, help: "**** in the place of every amount; percentages stay")
}

/// Amounts as people read them, or hidden.
struct Figures {
    let isHidden: Bool

    init(_ arguments: Arguments) { isHidden = arguments.has(.private) }

    /// As many places as a currency has, with commas between groups of three digits.
    func amount(_ value: ExactDecimal, isSigned: Bool = false, digits places: Int = 2) -> String {
        guard !isHidden else { return "****" }
        let text = value.magnitude.rounded(places).description
        let sign = value.rounded(2).sign < 0 ? "-" : isSigned && value.rounded(2).sign > 0 ? "+" : ""
        return sign + text.groupedDigits
    }

    /// The same for JSON: exact, to two places.
    func json(_ value: ExactDecimal) -> JSON { isHidden ? .text("****") : .text(value.rounded(2).description) }

    /// All places, or hidden: shares, and costs of one.
    func number(_ value: ExactDecimal) -> String { isHidden ? "****" : value.shortest.description }

    /// The same for JSON.
    func exact(_ value: ExactDecimal) -> JSON { .text(number(value)) }

    /// What somebody wrote, which may have amounts; or hidden.
    func words(_ text: String) -> String { isHidden && !text.isEmpty ? "****" : text }

    /// Refuses a name that is given twice.
    ///
    /// - Throws: `Failure` `.usage`.
    static func refuseTwice(_ names: [String]) throws {
        guard let twice = names.indices.first(where: { names[..<$0].contains(names[$0]) }) else { return }
        throw Failure(.usage, "'\(printable(names[twice].utf8))' is given twice")
    }

    /// Rows of cells, as wide as the widest; cells from one place on stand to the right.
    static func table(_ rows: [[String]], rightFrom place: Int) -> String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { columns($0[column]) }.max() ?? 0 }
        return rows.map { row in
            row.indices.map { padded(row[$0], widths[$0], left: $0 >= place) }.joined(separator: "  ").trimmingEnd()
                + "\n"
        }.joined()
    }

    /// Columns for a bar on this terminal, beside text of some columns: 8 to 60.
    static func barWidth(beside count: Int) -> Int { max(8, min(60, terminalColumns - count)) }

    /// Columns of this terminal; 80 where there is none.
    static var terminalColumns: Int { isatty(STDOUT_FILENO) == 1 ? Int(qv_terminal_columns(STDOUT_FILENO)) : 80 }

    /// A line from 0 to 100 percent with the bounds and a dot at the value: `──●──┤░░░├──`.
    static func gauge(_ value: ExactDecimal, _ least: ExactDecimal, _ most: ExactDecimal, width: Int) -> String {
        func place(_ percent: ExactDecimal) -> Int {
            let share = (percent * ExactDecimal(width - 1)).divided(by: .hundred) ?? .zero
            return max(0, min(width - 1, Int(share.rounded(0).description) ?? 0))
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
        let words = totals.sorted { $0.key < $1.key }.map {
            "\(amount($0.value, digits: Currency.digits($0.key) ?? 2)) \($0.key)"
        }
        let missing: Phrase =
            "not counted, without a rate: \(words.joined(separator: ", ")) ('fund import' takes lines like P DAY USD 7.10 CNY)"
        return [missing.said]
    }

    /// Refuses `+100`, which somebody may mean as 100 more.
    ///
    /// - Throws: `Failure` `.invalid`.
    static func refuseSign(_ text: String) throws {
        guard let first = text.first, "+＋".contains(first) else { return }
        throw Failure(.invalid, "'\(printable(text.utf8))': give the new number, without a plus sign")
    }

    /// A bar of eighths of a column.
    static func bar(_ share: ExactDecimal, width: Int) -> String {
        let eighths = Int((share * ExactDecimal(width * 8)).rounded(0).description) ?? 0
        let parts = Array(" ▏▎▍▌▋▊▉")
        let count = max(0, min(width * 8, eighths))
        return String(repeating: "█", count: count / 8) + (count % 8 > 0 ? String(parts[count % 8]) : "")
    }
}

extension PositionPlan {
    /// The bounds of the position.
    var wanted: Phrase { "wanted \(least.shortest) to \(most.shortest)%" }
}

extension Household {
    /// Says which cards do not count: copies that a merge left.
    func nameCopies() {
        if !mergeCopies.isEmpty { Messages.say(.mergeCopies(mergeCopies)) }
    }
}
