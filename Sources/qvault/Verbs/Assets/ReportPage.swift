import Portfolio
import VaultFormat
import VaultRecords
import VaultStore

/// `report -o FILE`: one page of HTML, with the trend as a picture in it. It needs no network, no script and no font of its own.
struct ReportPage {
    private let household: Household
    private let watchlist: Watchlist
    private let position: Position
    private let check: HouseholdCheck
    private let snapshots: [Snapshot]
    private let due: [Due]
    private let today: Day
    private let figures: Figures

    init(_ vault: Vault, _ arguments: Arguments) throws {
        today = Machine.today
        watchlist = try Watchlist(vault)
        household = try Household(vault, watchlist)
        position = try Position(vault, household)
        check = HouseholdCheck(household, watchlist, try HouseholdCheck.limits(vault), today: today)
        let today = today
        snapshots = try Snapshot.all(in: vault).filter { $0.day.distance(to: today) < 365 }
        due = try Due.today(in: vault, within: 30, isPresent: false)
        figures = Figures(arguments)
    }

    var html: String {
        let day = today.text
        let title = "\(Phrase("household report").said) \(day)"
        let parts = [
            "<!DOCTYPE html>", "<html lang=\"\(Language.current.rawValue)\"><head><meta charset=\"utf-8\">",
            "<meta name=\"viewport\" content=\"width=device-width\"><title>\(Self.escaped(title))</title>",
            "<style>\(Self.style)</style></head><body>", "<h1>\(Self.escaped(title))</h1>", totals, buckets, trend,
            assets,
            growth, allocations, insurance, checks, dueList, "<footer>\(Self.escaped(Self.disclaimer.said))</footer>",
            "</body></html>",
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
        svg{max-width:100%;height:auto}tr.sum td{font-weight:600}footer{margin-top:2em;color:#666;font-size:.9em}
        @media print{body{margin:0;max-width:none}h2{break-after:avoid}table,svg{break-inside:avoid}}
        """

    static func escaped(_ text: String) -> String {
        printable(text.utf8).replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }

    private func section(_ name: Phrase, _ body: String) -> String {
        body.isEmpty ? "" : "<h2>\(Self.escaped(name.said))</h2>\n\(body)"
    }

    /// A table; cells in columns of `texts` stand to the left.
    private func table(_ head: [Phrase], _ rows: [[String]], texts: Set<Int> = [], sum: [String]? = nil) -> String {
        guard !rows.isEmpty else { return "" }
        func cells(_ row: [String], _ tag: String) -> String {
            row.enumerated().map { place, text in
                let cell = text.hasPrefix("<div") ? text : Self.escaped(text)
                return "<\(tag)\(texts.contains(place) ? " class=\"l\"" : "")>\(cell)</\(tag)>"
            }.joined()
        }
        let lines =
            rows.map { "<tr>\(cells($0, "td"))</tr>" }
            + (sum.map { ["<tr class=\"sum\">\(cells($0, "td"))</tr>"] } ?? [])
        return (["<table>", "<tr>\(cells(head.map(\.said), "th"))</tr>"] + lines + ["</table>"]).joined(separator: "\n")
    }

    private func bar(_ percent: ExactDecimal) -> String {
        "<div class=\"bar\"><i style=\"width:\(max(.zero, min(.hundred, percent)).rounded(1))%\"></i></div>"
    }

    private var totals: String {
        let items: [(Phrase, String)] = [
            ("net worth", figures.amount(household.net)), ("all assets", figures.amount(household.totalAssets)),
            ("all debts", figures.amount(household.totalDebts)),
            ("debt ratio", household.debtRatio.map { percentText($0) } ?? "—"),
        ]
        let boxes = items.map { "<div><small>\(Self.escaped($0.0.said))</small>\($0.1)</div>" }.joined()
        let missing = figures.withoutRate(household).map { "<p>\(Self.escaped($0))</p>" }.joined()
        return "<div class=\"big\">\(boxes)</div>\(missing)"
    }

    private var buckets: String {
        let (liquid, stable) = (household.buckets(today: today).liquid, household.buckets(today: today).stable)
        let all = household.buckets(today: today)
        let rows: [(Phrase, ExactDecimal, ExactDecimal)] = [
            ("liquid", liquid.amount, liquid.estimatedReturn), ("stable", stable.amount, stable.estimatedReturn),
            ("growth", household.growth.amount, household.growth.profit),
        ]
        return section(
            "buckets",
            table(
                ["bucket", "amount", "share", "", "gain in yuan"],
                rows.map { name, amount, earned in
                    let share = (amount * .hundred).divided(by: all.total) ?? .zero
                    return [
                        name.said, figures.amount(amount), "\(share.rounded(2))%", bar(share),
                        figures.amount(earned, isSigned: true),
                    ]
                }, texts: [3],
                sum: [
                    Phrase("sum").said, figures.amount(all.total), "", "",
                    figures.amount(all.totalReturn, isSigned: true),
                ]))
    }

    private var trend: String {
        guard snapshots.count > 1 else { return "" }
        var chart = Chart(
            title: Phrase("net worth").said, points: snapshots.map { ($0.day.number, $0.net) },
            timeText: { Day(clamping: $0).text })
        (chart.places, chart.hidesValues) = (2, figures.isHidden)
        return section("trend", chart.svg.split(separator: "\n").dropFirst().joined(separator: "\n"))
    }

    private var assets: String {
        let order = AssetCategory.allCases
        let rows = order.flatMap { category in
            household.assets.filter { $0.category == category }.sorted { $0.name < $1.name }.map { asset in
                let digits = Currency.digits(asset.currency) ?? 2
                return [
                    category.label.said, asset.name, Holding.platformName(asset.platform),
                    "\(figures.amount(asset.amount, digits: digits)) \(asset.currency)",
                    asset.annualRate.map { "\($0.shortest)%" } ?? "", asset.maturity?.text ?? "",
                ]
            }
        }
        return section(
            "assets and debts",
            table(["category", "name", "platform", "amount", "rate a year", "maturity"], rows, texts: [1, 2]))
    }

    private var growth: String {
        let rows = watchlist.holdings.map { holding -> [String] in
            let value = watchlist.value(holding)
            let profit = value.map { $0 - watchlist.cost(holding) }
            return [
                watchlist.name(holding.code), holding.code, holding.platformName, figures.number(holding.lot.shares),
                value.map { figures.amount($0) } ?? "—", profit.map { figures.amount($0, isSigned: true) } ?? "—",
                profit?.divided(by: watchlist.cost(holding)).map { percentText($0, signed: true) } ?? "—",
            ]
        }
        let plan = position.plan
        let wanted: Phrase =
            "\(position.ratio.rounded(2))% of \(figures.amount(plan.budget)) is invested, wanted \(plan.least.shortest) to \(plan.most.shortest)%"
        let line = plan.budget.sign > 0 ? "<p>\(Self.escaped(wanted.said))</p>" : ""
        let sum = [
            Phrase("sum").said, "", "", "", figures.amount(household.growth.amount),
            figures.amount(household.growth.profit, isSigned: true), percentText(household.growth.rate, signed: true),
        ]
        let head: [Phrase] = ["fund", "code", "platform", "shares", "market value", "profit or loss", "return"]
        return section("funds", table(head, rows, texts: [1, 2], sum: sum) + (rows.isEmpty ? "" : line))
    }

    private var allocations: String {
        let names: [(Shares.By, Phrase)] = [
            (.platform, "by platform"), (.assetClass, "by class, through the funds"),
            (.geography, "by region, through the funds"), (.sector, "by sector, through the funds"),
        ]
        return names.map { by, name in
            let shares = Shares(by, household, watchlist, today)
            return section(
                name,
                table(
                    ["part", "share", ""],
                    shares.parts.prefix(12).map { [$0.name, "\($0.percent.rounded(2))%", bar($0.percent)] }, texts: [2])
            )
        }.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var insurance: String {
        let policies = household.policies.sorted { ($0.person, $0.name) < ($1.person, $1.name) }
        return section(
            "insurance",
            table(
                ["insured person", "policy", "premium a year", "next payment"],
                policies.map {
                    [
                        $0.person, $0.name, "\(figures.amount($0.premium)) \($0.currency)",
                        $0.isActive ? $0.nextPayment?.text ?? "—" : Phrase("ended").said,
                    ]
                }, texts: [1]))
    }

    private var checks: String {
        section(
            "checks", table(["rule", "of", "value", "limit", "result"], check.findings.map(\.cells), texts: [1, 3, 4]))
    }

    private var dueList: String {
        section(
            "due", table(["date", "what", "name"], due.map { [$0.day.text, $0.label, $0.rawTitle] }, texts: [1, 2]))
    }
}
