import Testing
import VaultFormat
import Cards

import Portfolio

/// The worked examples of Spec/product/assets.md, and rules that hold for any household.
struct HouseholdTests {
    private func number(_ text: String) -> ExactDecimal { ExactDecimal(text) ?? .zero }

    private func card(_ kind: String, _ fields: [String: String]) throws -> Card {
        let schema = try #require(Schema.named(kind))
        var card = Card(schema: schema, overview: Overview(title: Array("A".utf8)), fields: RecordFields())
        #expect(card.set(fields.map { ($0.key, $0.value) }).isEmpty)
        return card
    }

    private func asset(_ fields: [String: String]) throws -> Asset {
        try #require(Asset(card("asset", fields), id: Fund.recordID("000000")))
    }

    private func household(
        _ assets: [Asset], policies: [Policy] = [], growth: (String, String) = ("0", "0"),
        rates: [String: ExactDecimal] = [:]
    ) -> Household {
        Household(
            assets: assets, policies: policies,
            growth: .init(amount: number(growth.0), cost: number(growth.1), count: 2), rates: rates)
    }

    @Test func fiveCategories() throws {
        let amounts = [
            ("流动资金", "86,000.00"), ("fixed", "2300000"), ("投资理财", "415,000.50"), ("应收款", "12000"), ("负债", "980000"),
        ]
        let home = household(try amounts.map { try asset(["category": $0.0, "amount": $0.1]) })
        #expect(home.totalAssets == number("2813000.50"))
        #expect(home.net == number("1833000.50"))
        #expect(home.debtRatio?.rounded(4) == number("0.3484"))
        #expect(household([]).debtRatio == nil)
        #expect(household([try asset(["category": "debt", "amount": "1"])]).debtRatio == nil)
    }

    @Test func fourBuckets() throws {
        let rows = [
            ("liquid", "30000", "1.75"), ("liquid", "12000.50", ""), ("stable", "50000", "2.60"),
            ("stable", "80000", "3.10"),
        ]
        let home = household(
            try rows.map {
                try asset(["category": "liquid", "bucket": $0.0, "amount": $0.1, "annual_rate": $0.2])
            }, growth: ("7066", "7060"))
        let all = home.buckets(today: 0)
        let (liquid, stable) = (all.liquid, all.stable)
        #expect((liquid.amount, liquid.estimatedReturn) == (number("42000.50"), number("525")))
        #expect((stable.amount, stable.estimatedReturn) == (number("130000"), number("3780")))
        #expect((home.growth.profit, home.growth.rate.rounded(4)) == (number("6"), number("0.0008")))
        #expect(
            (all.total, all.totalReturn, all.rate.rounded(4)) == (number("179066.50"), number("4311"), number("0.0241"))
        )
    }

    private func position(_ value: String, _ change: (inout PositionPlan) -> Void = { _ in }) -> Position {
        var plan = PositionPlan()
        (plan.budget, plan.least, plan.most) = (number("20000"), number("50"), number("80"))
        change(&plan)
        return Position(plan, value: number(value))
    }

    private func said(_ value: String) -> PositionAdvice { position(value).suggestion([:], today: 0).advice }

    @Test func aPosition() {
        let low = position("7066")
        #expect(low.ratio == number("35.33"))
        #expect(said("7066") == .buy(number("2934")))
        #expect(low.availableCash == number("12934"))
        #expect(low.isBelow && !low.isAbove)
        #expect(said("17000") == .sell(number("1000")))
        #expect(said("16000") == .hold && said("10000") == .hold)
        #expect(position("1") { $0.budget = .zero }.suggestion([:], today: 0).state == .noBudget)
        #expect(!position("1") { $0.budget = .zero }.isBelow)
        #expect(
            ["债券型", "黄金ETF联接", "贵金属", "混合型"].map(Rebalancing.AssetClass.Kind.init) == [.bond, .gold, .gold, .equity])
    }

    /// 2026-11-26 is among the last five days of its month, 2026-11-25 is not.
    @Test func rebalancing() throws {
        let amounts: [Rebalancing.AssetClass.Kind: ExactDecimal] = [
            .equity: number("78000"), .bond: number("7000"), .gold: number("15000"),
        ]
        let full = position("100000") { $0.budget = number("100000") }
        let (last, early) = (try #require(Day("2026-11-26")), try #require(Day("2026-11-25")))
        let open = full.rebalance(amounts, today: last)
        #expect(open.state == .open)
        #expect(open.classes.map(\.percent) == [number("78"), number("7"), number("15")])
        #expect(open.classes.map(\.advice) == [.sell(number("8000")), .buy(number("3000")), .buy(number("5000"))])
        let waiting = full.rebalance(amounts, today: early)
        #expect(waiting.state == .waiting && waiting.classes.allSatisfy { $0.advice == .hold })
        let low = position("7066").rebalance(amounts, today: last)
        #expect(
            low.state == .fillFirst && low.advice == .buy(number("8934"))
                && low.classes.allSatisfy { $0.advice == .hold })
        #expect(position("1") { $0.budget = .zero }.rebalance([:], today: last).state == .noBudget)
        #expect(Rebalancing().isInWindow(try #require(Day("2028-02-25"))))
        #expect(!Rebalancing().isInWindow(try #require(Day("2028-02-24"))))
    }

    @Test(
        arguments: [
            ("{}", ""), (#"{"gold":{"target":20,"min":10,"max":30}}"#, ""),
            (#"{"gold":{"target":50}}"#, "takes target"),
            (#"{"gold":{"target":24}}"#, "104 % in all"), (#"{"silver":{}}"#, "no parameter"), ("[]", "is no object"),
            (#"{"execution_window_days":0}"#, "no number of days"),
            (#"{"min_position_for_rebalance":101}"#, "percentage"),
            (#"{"equity":{"target":60,"min":55,"max":70},"bond":{"target":20,"min":18,"max":22}}"#, ""),
        ]) func parametersOfRebalancing(_ text: String, _ wrong: String) throws
    {
        var plan = Rebalancing()
        let what = plan.take(try JSON(parsing: Array(text.utf8)))
        #expect(wrong.isEmpty ? what == nil : what?.description.contains(wrong) ?? false, "\(String(describing: what))")
        #expect(wrong.isEmpty || plan == Rebalancing(), "nothing is taken of what is wrong")
        #expect(Rebalancing(plan.line) == plan)
    }

    @Test func throughTheFunds() {
        func held(_ code: String, _ value: String, _ stocks: String?) -> LookThrough.Held {
            let report = stocks.map { [AllocationLine(.assetClass, "股票", percentage: number($0), day: nil)] }
            return LookThrough.Held(code: code, name: code, value: number(value), report: report ?? [])
        }
        let look = LookThrough([held("a", "2506", "90"), held("b", "4560", "60")])
        #expect(look.items.map { $0.percentage.rounded(2) } == [number("70.64")])
        #expect(look.coveredPercent == .hundred && look.missing.isEmpty)
        let part = LookThrough([held("a", "2506", "90"), held("b", "4560", nil)])
        #expect(part.coveredFunds == 1 && part.missing == ["b"] && part.coveredPercent.rounded(2) == number("35.47"))
        #expect(LookThrough([held("a", "0", "90")]).items.isEmpty, "nothing is divided by 0")
    }

    @Test(
        arguments: [
            ("sector 45.5 食品 饮料", "sector manual - 45.5 食品 饮料"),
            ("geography 2026-09-30 95% 中国", "geography manual 2026-09-30 95 中国"),
            ("asset_class auto - 90 股票", "asset_class auto - 90 股票"), ("colour 5 x", nil), ("sector 101 x", nil),
            ("sector 5", nil),
            ("sector -1 x", nil), ("sector 2026-02-30 5 x", nil),
        ] as [(String, String?)]) func allocationLines(_ line: String, _ stored: String?)
    {
        #expect(AllocationLine(line)?.line == stored)
        if let stored { #expect(AllocationLine(stored)?.line == stored) }
    }

    @Test func limitsOfChecks() {
        #expect(HouseholdCheck.limits("25", of: .fund) == number("0")...number("25"))
        #expect(HouseholdCheck.limits("10-20", of: .liquid) == number("10")...number("20"))
        #expect(HouseholdCheck.limits("2", of: .policies) == number("2")...number("4"))
        for text in ["", "-", "20-10", "101", "a", "1-2-3", "-5"] {
            #expect(HouseholdCheck.limits(text, of: .fund) == nil, "\(text)")
        }
        #expect(HouseholdCheck.limits("5", of: .policies) == nil)
    }

    @Test(
        arguments: [("CNY", 2), ("JPY", 0), ("KWD", 3), ("CLF", 4), ("XYZ", nil), ("cny", nil), ("", nil)]
            as [(String, Int?)])
    func digitsOfCurrencies(_ code: String, _ digits: Int?) { #expect(Currency.digits(code) == digits) }

    @Test func anotherCurrencyNeedsARate() throws {
        let assets = [
            try asset(["category": "liquid", "amount": "100", "currency": "USD"]),
            try asset(["category": "liquid", "amount": "5", "currency": "HKD"]),
            try asset(["category": "liquid", "amount": "1"]),
        ]
        let home = household(assets, rates: ["USD": number("7.1")])
        #expect(home.totalAssets == number("711"))
        #expect(home.missingRates == ["HKD"])
    }

    /// Both views count the same: what is liquid, stable or growth is part of the assets, whatever the household.
    @Test func theViewsAgree() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let assets = try (0..<Int.random(in: 0..<12, using: &generator)).map { _ in
                let bucket = ["liquid", "stable", ""].randomElement(using: &generator) ?? ""
                let category = AssetCategory.allCases.randomElement(using: &generator) ?? .debt
                let cents = Int.random(in: 0..<100_000_000, using: &generator)
                return try asset([
                    "category": category.rawValue, "amount": "\(cents / 100).\(cents % 100)", "bucket": bucket,
                ])
            }
            let home = household(assets, growth: ("7066.12", "7060"))
            let inBuckets = home.buckets(today: 0).total
            let rest = assets.filter { $0.bucket == nil && !$0.isDebt }.reduce(ExactDecimal.zero) { $0 + $1.amount }
            #expect(inBuckets + rest == home.totalAssets)
            #expect(home.net + home.totalDebts == home.totalAssets)
        }
    }
}
