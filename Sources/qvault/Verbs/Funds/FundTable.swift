import Portfolio
import VaultFormat
import VaultIO

/// The list of funds as a table.
struct FundTable {
    private let rows: [FundFigures]
    private let watchlist: Watchlist
    private let title: String?
    private let paint: Paint

    init(_ rows: [FundFigures], _ watchlist: Watchlist, title: String?, paint: Paint) {
        (self.rows, self.watchlist, self.title, self.paint) = (rows, watchlist, title, paint)
    }

    /// - Parameter width: the columns that a line may take.
    func text(width: Int = .max) -> String {
        let now = Machine.store.now().seconds
        var cells = [FundFigures.heads] + rows.map { $0.cells(now: now) }
        let groups = Set(rows.compactMap(\.fund.group)).sorted()
        if groups.count > 1 {
            for group in groups { cells += Self.total(of: rows.filter { $0.fund.group == group }, "\(group): ") }
        }
        cells += Self.total(of: rows, "")
        let plain = { (line: String) in width == .max ? line : clipped(line, width) }
        let lines = [plain(header)] + lines(cells.map { $0.map(\.cell) }, width) + footer.map { plain($0.said) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The sum of what is owned, over funds with shares and a price; none where there are none.
    private static func total(of rows: [FundFigures], _ name: String) -> [[Phrase]] {
        // Amounts of several currencies are not added up.
        let profits = rows.filter { $0.fund.currency == "CNY" }.compactMap(\.profit)
        guard !profits.isEmpty else { return [] }
        let (total, left) = (profits.reduce(.zero, +), rows.count - profits.count)
        let counted: Phrase = "total of \(profits.count)"
        return [
            [
                "", "", "\(name)\(counted)", "", "", "", "\(signedText(total.amount.rounded(2)))",
                "\(total.rate.map { percentText($0, signed: true) } ?? "—")",
                left > 0 ? "\(left) without shares or price left out" : "",
            ]
        ]
    }

    private var header: String {
        let name = title.map { printable($0.utf8) } ?? Phrase("all funds").said
        let sources = Set(rows.filter { $0.estimate != nil }.flatMap(\.fund.quoteCodes))
            .compactMap { watchlist.prices.quotes[$0]?.source }
        let count: Phrase = "\(name): \(rows.count)"
        guard let newest = rows.compactMap({ $0.estimate?.newestQuote }).max() else { return count.said }
        let names = Set(sources).sorted().map { printable($0.utf8) }.joined(separator: " ")
        let age: Phrase = "prices of \(TradingClock.day(newest).text) \(TradingClock.clock(newest)), UTC+8"
        let source: Phrase = "source \(names)"
        return ([count, age] + (names.isEmpty ? [] : [source])).map(\.said).joined(separator: "   ")
    }

    /// Columns of equal width; numbers to the right, and those with a sign in colour.
    private func lines(_ cells: [[String]], _ width: Int) -> [String] {
        let widths = cells[0].indices.map { place in cells.map { columns($0[place]) }.max() ?? 0 }
        return cells.map { row in
            var (line, left) = ("", width)
            let last = row.lastIndex { !$0.isEmpty } ?? 0
            for (place, cell) in row.enumerated() where place <= last && left > 0 {
                let isNumber = 3...7 ~= place
                let text =
                    (place > 0 ? "  " : "")
                    + padded(cell, place == last && !isNumber ? 0 : widths[place], left: isNumber)
                let shown = columns(text) > left ? clipped(text, left) : text
                left -= columns(shown)
                line += paint.byItsSign(shown, cell, isFigure: [4, 6, 7].contains(place))
            }
            return line
        }
    }

    private var footer: [Phrase] {
        var lines: [Phrase] = []
        if !watchlist.conflicts.isEmpty {
            lines.append(
                "two values at one time, since a merge: \(watchlist.conflicts.count); the next price replaces them")
        }
        if let copies = Phrase.mergeCopies(watchlist.mergeCopies) { lines.append(copies) }
        if !watchlist.strayHoldings.isEmpty {
            let codes = Set(watchlist.strayHoldings.map(\.code)).sorted().joined(separator: " ")
            lines.append("holdings of funds that are not watched: \(codes)")
        }
        return lines + [Self.disclaimer]
    }

    static let disclaimer: Phrase =
        "an estimate is not the net value: what the fund company publishes after the close counts; no advice"

    /// What stands beneath figures that somebody might act on, where a person reads them.
    static let risk: Phrase = "for reference only, and no advice: investments may lose value"
}
