import Portfolio
import VaultFormat
import Cards
import VaultIO

extension Verb {
    static let fundShow = Verb.reading(
        name: "fund show",
        summary: "all that is known of a fund: estimate, holdings, what it holds, how good estimates were",
        operands: "CODE", options: [.json],
        example: "qvault fund show 110011", note: "a part of its name will do too"
    ) { vault, arguments in
        let watchlist = try Watchlist(vault)
        let fund = try FundArguments.fund(arguments.operands[0], in: watchlist)
        let details = FundDetails(fund, watchlist, today: TradingClock.day(Machine.store.now().seconds))
        return try StandardOutput.print(FundDetails.line, [details], arguments) { $0.text }
    }
}

extension FundDetails {
    fileprivate var text: String {
        let fund = figures.fund
        let group = fund.group.map { "  [\(printable($0.utf8))]" } ?? ""
        let heads = heads(now: Machine.store.now().seconds)
        let report = fund.reportDate.map { Phrase("what it holds, by its report of \($0)") } ?? "what it holds"
        let lines =
            ["\(fund.code)  \(printable(fund.name.utf8))\(group)", ""] + Self.lines(heads, rightFrom: .max)
            + Self.section("holdings", holdings, rightFrom: 1) + Self.section(report, stocks, rightFrom: 2)
            + Self.section("what it consists of", allocation, rightFrom: 2)
        return (lines + ["", FundTable.disclaimer.said]).joined(separator: "\n")
    }

    private static func section(_ title: Phrase, _ rows: [[Phrase]], rightFrom column: Int) -> [String] {
        rows.isEmpty ? [] : ["", title.said] + lines(rows, rightFrom: column).map { "  " + $0 }
    }

    private static func lines(_ rows: [[Phrase]], rightFrom column: Int) -> [String] {
        inColumns(rows.map { $0.map(\.cell) }) { $0 >= column }
    }
}
