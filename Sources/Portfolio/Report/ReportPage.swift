package import Values
import VaultFormat
import Cards
package import VaultStore

/// `report -o FILE`: one page of HTML, with the trend as a picture in it. It needs no network, no script and no font of its own.
package struct ReportPage {
    private let household: Household
    private let watchlist: Watchlist
    private let position: Position
    private let check: HouseholdCheck
    private let snapshots: [Snapshot]
    private let due: [[Phrase]]
    private let today: Day
    private let figures: Figures

    private let notes: [String]
    private let language: Language
    private let say: (Phrase) -> String

    /// - Parameters:
    ///   - due: the rows of what ends soon: its day, what it is, its name.
    ///   - notes: lines about what does not count.
    ///   - say: a phrase in that language.
    /// - Throws: all that reading a vault throws.
    package init(
        _ vault: Vault, today: Day, due: [[Phrase]], notes: [String], isHidden: Bool, in language: Language,
        say: @escaping (Phrase) -> String
    ) throws {
        watchlist = try Watchlist(vault)
        household = try Household(vault, watchlist)
        position = try Position(vault, household)
        check = try HouseholdCheck(vault, household, watchlist, today: today)
        snapshots = try Snapshot.all(in: vault).filter { $0.day.distance(to: today) < 365 }
        (self.today, self.due, self.notes, self.language, self.say) = (today, due, notes, language, say)
        figures = Figures(isHidden: isHidden)
    }

    package var html: String {
        let day = today.text
        let title = "\(say("household report")) \(day)".htmlEscaped
        let parts = [
            "<!DOCTYPE html>", "<html lang=\"\(language.rawValue)\"><head><meta charset=\"utf-8\">",
            "<meta name=\"viewport\" content=\"width=device-width\"><title>\(title)</title>",
            "<style>\(Self.style)</style></head><body>", "<h1>\(title)</h1>", totals, buckets, trend, assets, growth,
            allocations, insurance, checks, dueList, "<footer>\(escaped(Self.disclaimer))</footer>", "</body></html>",
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
    }

    private static let disclaimer: Phrase =
        "Arithmetic on what was typed in and on published net values. It is no advice."

    private static let style = """
        body{font:14px/1.5 sans-serif;color:#222;max-width:60em;margin:2em auto;padding:0 1em}
        h1{font-size:1.5em}h2{font-size:1.1em;margin:1.6em 0 .4em;border-bottom:1px solid #ccc}
        table{border-collapse:collapse;width:100%}td,th{padding:.25em .6em;text-align:right;border-bottom:1px solid #eee}
        td:first-child,th:first-child{text-align:left}td.l,th.l{text-align:left}th{font-weight:600;color:#555}
        .big{display:flex;gap:2em;flex-wrap:wrap}.big div{font-size:1.4em;margin-right:1em}.big small{display:block;font-size:.6em;color:#666}
        .bar{background:#eee;width:12em;height:.8em}.bar i{display:block;background:#2e8b57;height:100%}
        svg{max-width:100%;height:auto}.charts{display:grid;grid-template-columns:1fr 1fr;gap:1em}.charts svg:first-child{grid-column:1/3}tr.sum td{font-weight:600}footer{margin-top:2em;color:#666;font-size:.9em}
        @media print{body{margin:0;max-width:none}h2{break-after:avoid}table,svg{break-inside:avoid}}
        """

    private func escaped(_ phrase: Phrase) -> String { say(phrase).htmlEscaped }

    private func section(_ name: Phrase, _ body: String) -> String {
        body.isEmpty ? "" : "<h2>\(escaped(name))</h2>\n\(body)"
    }

    /// A table.
    ///
    /// - Parameters:
    ///   - texts: columns that stand to the left.
    ///   - bars: the place of a column of bars, and their percentages.
    private func table(_ table: Table, texts: Set<Int> = [], bars: (place: Int, percents: [ExactDecimal])? = nil)
        -> String
    {
        guard !table.rows.isEmpty else { return "" }
        func cells(_ row: [Phrase], _ tag: String, _ number: Int? = nil) -> String {
            var cells = row.map(escaped)
            if let bars, let number { cells[bars.place] = bar(bars.percents[number]) }
            return cells.enumerated().map { place, text in
                "<\(tag)\(texts.contains(place) ? " class=\"l\"" : "")>\(text)</\(tag)>"
            }.joined()
        }
        let lines =
            table.rows.enumerated().map { "<tr>\(cells($1, "td", $0))</tr>" }
            + (table.sums.map { ["<tr class=\"sum\">\(cells($0, "td"))</tr>"] } ?? [])
        return (["<table>", "<tr>\(cells(table.head, "th"))</tr>"] + lines + ["</table>"]).joined(separator: "\n")
    }

    private func bar(_ percent: ExactDecimal) -> String {
        "<div class=\"bar\"><i style=\"width:\(max(.zero, min(.hundred, percent)).rounded(1))%\"></i></div>"
    }

    private var totals: String {
        let items: [(Phrase, String)] = [
            ("net worth", figures.amount(household.net)), ("all assets", figures.amount(household.totalAssets)),
            ("all debts", figures.amount(household.totalDebts)), ("debt ratio", household.debtRatioText),
        ]
        let boxes = items.map { "<div><small>\(escaped($0.0))</small>\($0.1)</div>" }.joined()
        let missing = notes.map { "<p>\($0.htmlEscaped)</p>" }.joined()
        return "<div class=\"big\">\(boxes)</div>\(missing)"
    }

    private var buckets: String {
        let all = household.buckets(today: today)
        let gains = [all.liquid.estimatedReturn, all.stable.estimatedReturn, all.growth.profit]
        let percents = all.assets.map { ($0.amount * .hundred).divided(by: all.total) ?? .zero }
        func cells(_ amount: ExactDecimal, _ share: Phrase, _ gain: ExactDecimal) -> [Phrase] {
            ["\(figures.amount(amount))", share, "", "\(figures.amount(gain, isSigned: true))"]
        }
        let rows = all.assets.indices.map { place in
            [all.assets[place].name] + cells(all.assets[place].amount, "\(percents[place].rounded(2))%", gains[place])
        }
        var content = Table(head: ["bucket", "amount", "share", "", "gain in yuan"], rows: rows)
        content.sums = ["sum"] + cells(all.total, "", all.totalReturn)
        return section("buckets", table(content, texts: [3], bars: (3, percents)))
    }

    private var trend: String {
        guard snapshots.count > 1 else { return "" }
        let charts = Snapshot.charted.compactMap { name -> String? in
            guard let figure = Snapshot.line.amount(name) else { return nil }
            let values = snapshots.compactMap(figure.value)
            guard values.count > 1, values.contains(where: { $0.sign != 0 }) else { return nil }
            let chart = Chart(say(figure.label), of: snapshots, figure.value, hidesValues: figures.isHidden)
            return chart.svg.split(separator: "\n").dropFirst().joined(separator: "\n")
        }
        return section("trend", "<div class=\"charts\">\(charts.joined(separator: "\n"))</div>")
    }

    private var assets: String {
        let rows = AssetCategory.allCases.flatMap { category in
            household.assets(of: category).map { asset -> [Phrase] in
                [
                    category.label, "\(asset.name)", "\(Holding.platformName(asset.platform))",
                    "\(figures.amount(asset.amount, in: asset.currency))",
                    "\(asset.annualRate.map { "\($0.shortest)%" } ?? "")", "\(asset.maturity?.text ?? "")",
                ]
            }
        }
        let head: [Phrase] = ["category", "name", "platform", "amount", "rate a year", "maturity"]
        return section("assets and debts", table(Table(head: head, rows: rows), texts: [1, 2]))
    }

    private var growth: String {
        let names = ["name", "code", "platform", "shares", "value", "profit", "return"]
        let holdings = table(ValuedHolding.table(watchlist, names, isHidden: figures.isHidden), texts: [1, 2])
        let isPlanned = !holdings.isEmpty && position.plan.budget.sign > 0
        return section("funds", holdings + (isPlanned ? "<p>\(escaped(position.said(figures)))</p>" : ""))
    }

    private var allocations: String {
        let names: [(Shares.By, Phrase)] = [
            (.platform, "by platform"), (.assetClass, "by class, through the funds"),
            (.geography, "by region, through the funds"), (.sector, "by sector, through the funds"),
        ]
        return names.map { by, name in
            let parts = Shares(by, household, watchlist, today, say: say).parts.prefix(12)
            let rows = parts.map {
                [$0.name.isEmpty ? "not said" : "\($0.name)", "\($0.percent.rounded(2))%", ""] as [Phrase]
            }
            let content = Table(head: ["part", "share", ""], rows: rows)
            return section(name, table(content, texts: [2], bars: (2, parts.map(\.percent))))
        }.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var insurance: String {
        let rows = household.policiesByPerson.map { policy -> [Phrase] in
            [
                "\(policy.person)", "\(policy.name)", "\(figures.amount(policy.premium)) \(policy.currency)",
                policy.isActive(on: today) ? "\(policy.nextPayment?.text ?? "—")" : "ended",
            ]
        }
        let head: [Phrase] = ["insured person", "policy", "premium a year", "next payment"]
        return section("insurance", table(Table(head: head, rows: rows), texts: [1]))
    }

    private var checks: String {
        let head: [Phrase] = ["rule", "of", "value", "limit", "result"]
        return section("checks", table(Table(head: head, rows: check.findings.map(\.cells)), texts: [1, 3, 4]))
    }

    private var dueList: String {
        section("due", table(Table(head: ["date", "what", "name"], rows: due), texts: [1, 2]))
    }
}
