import VaultFormat
import Cards

extension Endpoint {
    private static let summary = Shape<Growth>(
        "PortfolioSummary",
        [
            .money("total_value", \.amount, "Σ shares · newest net value; 0 without one"),
            .money("total_cost", \.cost), .money("total_pnl", \.profit), .percent(of: "pnl_percent", \.rate),
        ])
    private static let platform = Shape<Growth.Platform>(
        "Platform",
        [
            .text("platform", \.name, "its usual name: `alipay` is 支付宝"), .money("market_value", \.growth.amount),
            .money("cost", \.growth.cost), .count("count", \.growth.count), .money("pnl", \.growth.profit),
        ])
    private static let part = Shape<LookThrough.Part>(
        "AllocationFund",
        [
            .text("fund_code", \.code), .text("fund_name", \.name),
            .percent("percentage", \.percentage, "of all that is held"),
        ])
    private static let category = Shape<LookThrough.Item>(
        "AllocationCategory",
        [
            .text("category", \.category),
            .percent(
                "percentage", \.percentage, "Σ share in the fund's newest report · value of the fund / value of all"),
            .list("funds", part, \.funds),
        ])
    private static let coverage = Shape<LookThrough>(
        "Coverage",
        [
            .count("covered_funds", \.coveredFunds), .count("total_funds", \.totalFunds),
            .money("covered_value", \.coveredValue), .money("total_value", \.totalValue),
            .percent("covered_percent", \.coveredPercent),
            .texts("missing_funds", \.missing, "codes of funds without a report"),
        ])
    private static let allocation = Shape<LookThrough>(
        "Allocation", [.list("items", category, \.items, "the largest first"), .object("coverage", coverage) { $0 }])
    private static let day = Shape<Growth.Point>(
        "PortfolioDay",
        [
            .day("date", \.day), .money("total_value", \.growth.amount), .money("total_cost", \.growth.cost),
            .money("total_pnl", \.growth.profit),
        ])

    static let portfolio = [
        Endpoint(.get, "/api/portfolio/summary", "What is held of funds", .object(summary)) {
            Growth(try Watchlist($0.vault))
        },
        Endpoint(.get, "/api/portfolio/by-platform", "The same by platform, the largest first", .list(platform)) {
            Growth.byPlatform(try Watchlist($0.vault))
        },
        Endpoint(
            .get, "/api/portfolio/allocation", "What is held through funds",
            query: [APIField("dimension", .words(AllocationLine.Dimension.self), "by what")],
            errors: [(422, "dimension is missing or another word")], .object(allocation)
        ) { call in
            guard let dimension = call.query["dimension"].flatMap({ AllocationLine.Dimension(rawValue: $0) }) else {
                let words = AllocationLine.Dimension.allCases.map(\.rawValue).joined(separator: ", ")
                throw APIProblem(422, "dimension is one of \(words)")
            }
            return LookThrough(try Watchlist(call.vault), dimension)
        },
        Endpoint(
            .get, "/api/portfolio/trend",
            "A line for each day with a net value of what is held; other funds count at their last one. A holding counts from "
                + "its purchase date and from the first net value of its fund, with the shares and the cost that its log tells",
            query: APIField.span, errors: [(422, "start or end is no day")], .list(day)
        ) { call in try Growth.trend(Watchlist(call.vault), HoldingChange.all(in: call.vault), in: call.days()) },
    ]
}
