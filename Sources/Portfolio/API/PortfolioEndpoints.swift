import VaultFormat
import Cards

extension Endpoint {
    private static let summary = APIObject(
        "PortfolioSummary",
        [
            APIField("total_value", .money, "Σ shares · newest net value; 0 without one"),
            APIField("total_cost", .money), APIField("total_pnl", .money), APIField("pnl_percent", .percent),
        ])
    private static let platform = APIObject(
        "Platform",
        [
            APIField("platform", .text, "its usual name: `alipay` is 支付宝"), APIField("market_value", .money),
            APIField("cost", .money), APIField("count", .integer), APIField("pnl", .money),
        ])
    private static let part = APIObject(
        "AllocationFund",
        [
            APIField("fund_code", .text), APIField("fund_name", .text),
            APIField("percentage", .percent, "of all that is held"),
        ])
    private static let category = APIObject(
        "AllocationCategory",
        [
            APIField("category", .text),
            APIField("percentage", .percent, "Σ share in the fund's newest report · value of the fund / value of all"),
            APIField("funds", .list(.object(part))),
        ])
    private static let coverage = APIObject(
        "Coverage",
        [
            APIField("covered_funds", .integer), APIField("total_funds", .integer), APIField("covered_value", .money),
            APIField("total_value", .money), APIField("covered_percent", .percent),
            APIField("missing_funds", .list(.text), "codes of funds without a report"),
        ])
    private static let allocation = APIObject(
        "Allocation",
        [APIField("items", .list(.object(category)), "the largest first"), APIField("coverage", .object(coverage))])
    private static let day = APIObject(
        "PortfolioDay",
        [
            APIField("date", .day), APIField("total_value", .money), APIField("total_cost", .money),
            APIField("total_pnl", .money),
        ])

    static let portfolio = [
        Endpoint(.get, "/api/portfolio/summary", "What is held of funds", response: .object(summary)) { call in
            let growth = Growth(try Watchlist(call.vault))
            return .object([
                ("total_value", .money(growth.amount)), ("total_cost", .money(growth.cost)),
                ("total_pnl", .money(growth.profit)), ("pnl_percent", .percent(of: growth.rate)),
            ])
        },
        Endpoint(
            .get, "/api/portfolio/by-platform", "The same by platform, the largest first",
            response: .list(.object(platform))
        ) { call in
            .list(
                Growth.byPlatform(try Watchlist(call.vault)).map { platform in
                    .object([
                        ("platform", .text(platform.name)), ("market_value", .money(platform.growth.amount)),
                        ("cost", .money(platform.growth.cost)), ("count", .integer(Int64(platform.growth.count))),
                        ("pnl", .money(platform.growth.profit)),
                    ])
                })
        },
        Endpoint(
            .get, "/api/portfolio/allocation", "What is held through funds",
            query: [APIField("dimension", .word(AllocationLine.Dimension.allCases.map(\.rawValue)), "by what")],
            response: .object(allocation), errors: [(422, "dimension is missing or another word")]
        ) { call in
            guard let dimension = call.query["dimension"].flatMap({ AllocationLine.Dimension(rawValue: $0) }) else {
                let words = AllocationLine.Dimension.allCases.map(\.rawValue).joined(separator: ", ")
                throw APIProblem(422, "dimension is one of \(words)")
            }
            return LookThrough(try Watchlist(call.vault), dimension).json
        },
        Endpoint(
            .get, "/api/portfolio/trend",
            "A line for each day with a net value of what is held; other funds count at their last one. A holding counts from "
                + "its purchase date and from the first net value of its fund, with the shares and the cost that its log tells",
            query: [
                APIField("start", .day, isOptional: true, "the first day"),
                APIField("end", .day, isOptional: true, "the last day"),
            ], response: .list(.object(day)), errors: [(422, "start or end is no day")]
        ) { call in
            let changes = try HoldingChange.all(in: call.vault)
            return .list(
                Growth.trend(try Watchlist(call.vault), changes, in: try call.days()).map { day in
                    .object([
                        ("date", .text(day.day.text)), ("total_value", .money(day.growth.amount)),
                        ("total_cost", .money(day.growth.cost)), ("total_pnl", .money(day.growth.profit)),
                    ])
                })
        },
    ]
}

extension LookThrough {
    fileprivate var json: JSON {
        let items = items.map { item in
            JSON.object([
                ("category", .text(item.category)), ("percentage", .percent(item.percentage)),
                (
                    "funds",
                    .list(
                        item.funds.map { fund in
                            .object([
                                ("fund_code", .text(fund.code)), ("fund_name", .text(fund.name)),
                                ("percentage", .percent(fund.percentage)),
                            ])
                        })
                ),
            ])
        }
        let coverage: [(String, JSON)] = [
            ("covered_funds", .integer(Int64(coveredFunds))), ("total_funds", .integer(Int64(totalFunds))),
            ("covered_value", .money(coveredValue)), ("total_value", .money(totalValue)),
            ("covered_percent", .percent(coveredPercent)), ("missing_funds", .list(missing.map { .text($0) })),
        ]
        return .object([("items", .list(items)), ("coverage", .object(coverage))])
    }
}
