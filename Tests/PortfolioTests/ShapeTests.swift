import Testing
import Values
import VaultFormat
import Cards
import VaultStore

import Portfolio

/// Fields that are said once: JSON for the API and for the command, tables, and what `--private` hides.
struct ShapeTests {
    private static func number(_ text: String) -> ExactDecimal { ExactDecimal(text) ?? .zero }

    /// A fund that is held twice, once without a cost, and has one net value; two assets and a debt.
    private static func house() throws -> MadeVault {
        let made = try MadeVault()
        try made.card("fund", "F", ["code": "110011", "type": "混合型"])
        try made.card("holding", "F A", ["code": "110011", "platform": "alipay", "shares": "1000", "cost": "2.31"])
        try made.card("holding", "F B", ["code": "110011", "platform": "B", "shares": "1", "cost": "0"])
        try made.card("asset", "cash", ["category": "liquid", "bucket": "liquid", "amount": "12000.5"])
        try made.card("asset", "deposit", ["category": "investment", "bucket": "stable", "amount": "50000"])
        try made.card("asset", "loan", ["category": "debt", "amount": "9000"])
        try made.save { transaction in
            var book = PriceBook(transaction.before)
            for line in try PriceLine.lines(Array("P 2026-11-20 110011 2.506 CNY".utf8), source: "s") {
                try book.take(line)
            }
            try book.store(in: transaction, now: MadeVault.today.second)
        }
        return made
    }

    @Test func aHolding() throws {
        let held = try #require(Watchlist(Self.house().vault).valuedHoldings.last)
        let json = ValuedHolding.line.texts(held)
        let values = ["name": "F", "platform": "支付宝", "shares": "1000", "value": "2506.00", "profit": "196.00"]
        for (key, value) in values { #expect(json[key]?.text == value, "\(key)") }
        #expect(json["date"]?.isNull == true && json["return"]?.text == "0.084848484848")
        let hidden = ValuedHolding.line.texts(held, isHidden: true)
        for key in ["shares", "cost", "value", "profit"] { #expect(hidden[key]?.text == "****", "\(key)") }
        #expect(hidden["return"]?.text == "0.0848", "with more places it would tell the cost")
        #expect(hidden["name"]?.text == "F" && hidden["date"]?.isNull == true)
    }

    @Test func aTableOfHoldings() throws {
        let watchlist = try Watchlist(Self.house().vault)
        let table = ValuedHolding.table(watchlist, isHidden: false)
        #expect(table.head.map(\.description).suffix(3) == ["market value", "profit or loss", "return"])
        #expect(
            table.rows.map { $0.map(\.description) } == [
                ["110011", "F", "B", "1", "0", "2.51", "+2.51", "—"],
                ["110011", "F", "支付宝", "1000", "2.31", "2,506.00", "+196.00", "+8.48%"],
            ])
        #expect(table.sums?.map(\.description) == ["sum", "", "", "", "", "2,508.51", "+198.51", "+8.59%"])
        let short = ValuedHolding.table(watchlist, ["name", "value", "profit", "return"], isHidden: true)
        #expect(short.rows[1].map(\.description) == ["F", "****", "****", "+8.48%"])
        #expect(short.head.count == short.sums?.count)
    }

    /// No amount of a household is in what is printed with `--private`; nothing else is left out.
    @Test func amountsAreHiddenOnce() throws {
        let vault = try Self.house().vault
        let household = try Household(vault)
        let snapshot = try Snapshot(vault, today: MadeVault.today)
        for isHidden in [false, true] {
            let lines =
                [
                    Household.line.texts(household, isHidden: isHidden).line,
                    Household.Buckets.line.texts(household.buckets(today: MadeVault.today), isHidden: isHidden).line,
                    Snapshot.line.texts(snapshot, isHidden: isHidden).line,
                ] + household.assets.map { Asset.line.texts($0, isHidden: isHidden).line }
            for amount in ["12000.50", "50000.00", "9000.00", "2508.51"] {
                #expect(lines.contains { $0.contains(amount) } == !isHidden, "\(amount)")
            }
            #expect(lines[0].contains(#""without_rate":[]"#) && lines[1].contains(#""count":1"#))
        }
    }

    @Test func figuresOfSnapshots() throws {
        let snapshot = try Snapshot(Self.house().vault, today: MadeVault.today)
        let names = [
            "assets", "debts", "growth", "liquid", "net", "premium", "stable", "total", "liquid_funds", "fixed_assets",
            "investments", "receivables",
        ]
        #expect(Snapshot.line.amounts == names)
        #expect(Snapshot.line.amount("net")?.value(snapshot) == Self.number("55509.01"))
        #expect(Snapshot.line.amount("net")?.label.description == "net worth")
        #expect(Snapshot.line.amount("date") == nil && Snapshot.line.amount("x") == nil)
    }

    @Test(
        arguments: [
            ("0", "0.00", "0.00"), ("-0.001", "0.00", "0.00"), ("1234567.125", "1,234,567.12", "+1,234,567.12"),
            ("-999.995", "-1,000.00", "-1,000.00"), ("12", "12.00", "+12.00"),
        ]) func amountsForPeople(_ number: String, _ text: String, _ signed: String)
    {
        #expect(Self.number(number).amountText() == text)
        #expect(Self.number(number).amountText(isSigned: true) == signed)
    }

    @Test func partsOfTheWhole() throws {
        let vault = try Self.house().vault
        let watchlist = try Watchlist(vault)
        let household = try Household(vault, watchlist)
        func parts(_ by: Shares.By) -> [String] {
            let shares = Shares(by, household, watchlist, MadeVault.today) { $0.description }
            return shares.parts.map { "\($0.name) \($0.percent.rounded(2))" }
        }
        #expect(parts(.bucket) == ["stable 77.51", "liquid 18.60", "growth 3.89"])
        #expect(parts(.category) == ["investments 81.40", "liquid funds 18.60"])
        #expect(parts(.platform) == [" 96.11", "支付宝 3.88", "B 0.00"])
        #expect(parts(.sector).isEmpty)
    }
}
