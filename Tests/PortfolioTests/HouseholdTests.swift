import Testing
import VaultFormat
import VaultRecords

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
        let (liquid, stable) = (home.bucket("liquid", today: 0), home.bucket("stable", today: 0))
        #expect((liquid.amount, liquid.estimatedReturn) == (number("42000.50"), number("525")))
        #expect((stable.amount, stable.estimatedReturn) == (number("130000"), number("3780")))
        #expect((home.growth.profit, home.growth.rate.rounded(4)) == (number("6"), number("0.0008")))
        let all = home.buckets(today: 0)
        #expect(
            (all.total, all.totalReturn, all.rate.rounded(4)) == (number("179066.50"), number("4311"), number("0.0241"))
        )
    }

    @Test func aPosition() {
        let position = Position(budget: number("20000"), least: number("50"), most: number("80"), value: number("7066"))
        #expect(position.ratio == number("35.33"))
        #expect(position.simple == .buy(number("2934")))
        #expect(position.availableCash == number("12934"))
        let full = Position(budget: number("20000"), least: number("50"), most: number("80"), value: number("17000"))
        #expect(full.simple == .sell(number("1000")))
        #expect(Position(budget: .zero, least: .zero, most: .hundred, value: .one).simple == .setBudget)
        #expect(Position(budget: .hundred, least: .zero, most: .hundred, value: .hundred).simple == .hold)
        let amounts = ["equity": "78000", "bond": "7000", "gold": "15000"]
        let advice = Position.AssetClass.standard.map {
            Position.rebalance($0, amount: number(amounts[$0.name] ?? ""), total: number("100000"))
        }
        #expect(advice.map(\.percent) == [number("78"), number("7"), number("15")])
        #expect(advice.map(\.advice) == [.sell(number("8000")), .buy(number("3000")), .buy(number("5000"))])
        let through = Position.lookThrough([(number("2506"), number("90")), (number("4560"), number("60"))])
        #expect(through?.rounded(2) == number("70.64"))
        #expect(["债券型", "黄金ETF联接", "混合型"].map(Position.AssetClass.name) == ["bond", "gold", "equity"])
    }

    @Test func aPolicyIsRenewed() {
        #expect(Policy.renewed("2028-02-29") == "2029-02-28")
        #expect(Policy.renewed("2026-11-24") == "2027-11-24")
        #expect(Policy.renewed("2027-02-28") == "2028-02-28")
        #expect(Policy.renewed("soon") == nil)
    }

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
                let category = AssetWords.categories.randomElement(using: &generator) ?? "debt"
                let cents = Int.random(in: 0..<100_000_000, using: &generator)
                return try asset(["category": category, "amount": "\(cents / 100).\(cents % 100)", "bucket": bucket])
            }
            let home = household(assets, growth: ("7066.12", "7060"))
            let inBuckets = home.buckets(today: 0).total
            let rest = assets.filter { $0.bucket == nil && !$0.isDebt }.reduce(ExactDecimal.zero) { $0 + $1.amount }
            #expect(inBuckets + rest == home.totalAssets)
            #expect(home.net + home.totalDebts == home.totalAssets)
        }
    }
}
