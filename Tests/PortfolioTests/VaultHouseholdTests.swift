import Testing
import Values
import VaultFormat
import Cards
import VaultStore

import Portfolio

/// A household in a vault: what counts, in which currency, and what is written of it (Spec/product/assets.md).
struct VaultHouseholdTests {
    private func number(_ text: String) -> ExactDecimal { ExactDecimal(text) ?? .zero }

    private static func house() throws -> MadeVault {
        let made = try MadeVault()
        try made.card(
            "fund", "Stock",
            ["code": "110011", "stock_position": "80", "allocation": "sector 60 food\nsector 40 banks"])
        try made.card(
            "fund", "中债 A", ["code": "000001", "currency": "USD", "type": "", "shares": "10", "cost": "2.50"])
        try made.card("fund", "Gold", ["code": "000216", "type": "黄金"])
        for (title, fields) in [
            ("one", ["code": "110011", "platform": "alipay", "shares": "100", "cost": "2"]),
            ("two", ["code": "110011", "platform": "支付宝", "shares": "50", "cost": "1", "date": "2026-11-20"]),
            ("three", ["code": "000216", "platform": "B", "shares": "1", "cost": "1"]),
            ("stray", ["code": "999999", "platform": "", "shares": "7", "cost": "3"]),
            ("sold", ["code": "110011", "platform": "S", "trades": "2026-01-01 buy 1 1\n2026-01-02 sell 1 2"]),
        ] { try made.card("holding", title, fields) }
        for (title, fields) in [
            (
                "现金: a",
                ["category": "liquid", "bucket": "liquid", "amount": "100", "annual_rate": "2", "platform": "蚂蚁财富"]
            ),
            (
                "loan",
                ["category": "debt", "bucket": "liquid", "amount": "50", "currency": "USD", "maturity": "2026-11-25"]
            ),
            ("flat", ["category": "fixed", "amount": "1000"]),
            ("9  x;", ["category": "investment", "amount": "30", "currency": "HKD"]),
            ("term", ["category": "investment", "bucket": "stable", "amount": "200", "maturity": "2026-11-24"]),
            (
                "past",
                [
                    "category": "investment", "bucket": "stable", "amount": "10", "maturity": "2026-11-23",
                    "annual_rate": "5",
                ]
            ),
            ("term", ["category": "investment", "bucket": "stable", "amount": "1", "maturity": "2026-12-24"]),
        ] { try made.card("asset", title, fields) }
        for (title, fields) in [
            ("p1", ["annual_premium": "10", "insured_person": "A", "next_payment": "2026-11-24", "type": "life"]),
            (
                "p2",
                [
                    "annual_premium": "20", "insured_person": "A", "currency": "HKD", "next_payment": "2026-11-23",
                    "type": "life",
                ]
            ),
            ("p3", ["annual_premium": "40", "insured_person": "B", "status": "lapsed"]),
        ] { try made.card("policy", title, fields.merging(["insurer": "I"]) { $1 }) }
        try made.prices(
            "P 2026-11-19 110011 8.90 CNY", "P 2026-11-20 110011 9.00 CNY", "P 2026-11-23 000001 3.00 CNY",
            "P 2026-11-25 110011 9 CNY",
            "P 2026-11-20 000216 5 CNY", "P 2026-11-20 USD 7.00 CNY", "P 2026-11-25 USD 8 CNY", at: 1_795_600_000)
        return made
    }

    @Test func totals() throws {
        let made = try Self.house()
        let (vault, watchlist) = (try made.vault, try Watchlist(made.vault))
        let home = try Household(vault)
        // 150 · 9 + 10 · 3 · 8 + 5; the stray has no net value.
        #expect(home.growth.amount == number("1595") && home.growth.count == 6)
        #expect(home.growth.cost == number("451"), "200 + 50 + 25 · 8 + 1")
        #expect(home.missingRates == ["HKD"] && home.totalsWithoutRate == ["HKD": number("30")])
        #expect(home.total(.liquid) == number("100") && home.total(.investment) == number("1806"))
        #expect(home.totalAssets == number("2906") && home.totalDebts == number("400") && home.net == number("2506"))
        #expect(try #require(home.withoutBucket).count == 1 && home.withoutBucket?.amount == .zero)
        let (liquid, stable) = (
            home.bucket(.liquid, today: MadeVault.today), home.bucket(.stable, today: MadeVault.today)
        )
        #expect(
            liquid.amount == number("100") && liquid.count == 1 && liquid.nearestMaturity == nil
                && liquid.estimatedReturn == number("2"))
        #expect(
            stable.amount == number("211") && stable.nearestMaturity == 0 && stable.estimatedReturn == number("0.5"))
        #expect(home.bucket(.stable, today: MadeVault.today.advanced(by: 1)).nearestMaturity == 29)
        let insurance = home.insurance(today: MadeVault.today)
        #expect(
            insurance.activeCount == 2 && insurance.count == 3 && insurance.persons == 1
                && insurance.nearestRenewal == 0)
        #expect(
            insurance.annualPremium == number("10")
                && home.insurance(today: MadeVault.today.advanced(by: 1)).nearestRenewal == nil)
        let all = home.buckets(today: MadeVault.today)
        #expect(
            all.total == number("1906") && all.totalReturn == number("1146.5"), "100 + 211 + 1595; 2.5 + 1595 − 451")
        #expect(all.rate == number("1146.5").divided(by: number("762")))
        #expect(home.platforms(watchlist) == ["支付宝": number("1450"), "": number("1451"), "B": number("5"), "S": .zero])
        #expect(watchlist.strayHoldings.map(\.code) == ["999999"] && watchlist.newestHeldDay == Day("2026-11-25"))
        #expect(watchlist.classAmounts == [.equity: number("1350"), .bond: number("240"), .gold: number("5")])
        #expect(
            watchlist.name("999999") == "999999" && watchlist.currency("000001") == "USD"
                && watchlist.currency("999999") == "CNY")
        let platforms = Growth.byPlatform(watchlist)
        #expect(platforms.map(\.name) == ["支付宝", "", "B", "S"] && platforms.map(\.growth.count) == [2, 2, 1, 1])
    }

    @Test func holdingsByName() throws {
        let watchlist = try Watchlist(Self.house().vault)
        func found(_ word: String) -> [String] { watchlist.holdings(named: word).map(\.lot.platform) }
        #expect(found("110011") == ["S", "alipay", "支付宝"] && found("110011@alipay") == ["alipay", "支付宝"])
        #expect(found("110011@B").isEmpty && found("000216@B") == ["B"] && found("000001") == [""])
        let id = try #require(watchlist.holdings.first?.id)
        #expect(watchlist.holdings(named: hexText(id.bytes)).map(\.id) == [id])
        #expect(
            watchlist.obstacle(toHolding: "110011", platform: "B") == nil
                && watchlist.obstacle(toHolding: "999999", platform: "") != nil)
        #expect(watchlist.obstacle(toHolding: "110011", platform: "蚂蚁财富") != nil)
        let three = try #require(watchlist.holdings(named: "000216").first)
        #expect(watchlist.obstacle(toHolding: "000216", platform: "B", besides: three.id) == nil)
        #expect(watchlist.obstacle(toHolding: "000216", platform: "B", besides: id) != nil)
    }

    @Test func aJournalForHledger() throws {
        let lines = try Journal(Self.house().vault).lines(.hledger, today: MadeVault.today)
        let expected = """
            P 2026-11-23 "000001" 3.00 USD
            P 2026-11-20 "000216" 5 CNY
            P 2026-11-19 "110011" 8.90 CNY
            P 2026-11-20 "110011" 9.00 CNY
            P 2026-11-20 USD 7.00 CNY

            2026-11-24 opening balances
                liabilities:loan    -50 USD
                assets:fixed:flat    1000 CNY
                assets:investment:9 x-    30 HKD
                assets:investment:past    10 CNY
                assets:investment:term    200 CNY
                assets:investment:term-2    1 CNY
                assets:liquid:现金- a    100 CNY
                assets:investment:fund:000001    10 "000001" (@) 2.5 USD
                assets:investment:fund:B    1 "000216" (@) 1 CNY
                assets:investment:fund:alipay    100 "110011" (@) 2 CNY
                assets:investment:fund:支付宝    50 "110011" (@) 1 CNY
                assets:investment:fund:999999    7 "999999" (@) 3 CNY
                equity:opening balances
            """
        #expect(lines.joined(separator: "\n") == expected)
    }

    @Test func aJournalForBeancount() throws {
        let made = try Self.house()
        let lines = try Journal(made.vault).lines(.beancount, today: MadeVault.today)
        let text = lines.joined(separator: "\n")
        for line in [
            #"option "operating_currency" "CNY""#, "2026-11-24 open Liabilities:Loan",
            "2026-11-24 open Assets:Investment:9--x-",
            "2026-11-24 open Assets:Liquid:X现金--a", "2026-11-24 open Assets:Investment:Fund:X支付宝",
            "2026-11-24 open Equity:Opening-Balances",
            "2026-11-23 price F000001 3.00 USD", "2026-11-20 price USD 7.00 CNY", #"2026-11-24 * "opening balances""#,
            "  Liabilities:Loan  -50 USD", "  Assets:Investment:Fund:Alipay  100 F110011 {2 CNY}",
            "  Assets:Investment:Term-2  1 CNY",
            // 1000 + 10 + 200 + 1 + 100 + 1 + 200 + 50 + 21; −50 + 10 · 2.5
            "  Equity:Opening-Balances  -1583 CNY", "  Equity:Opening-Balances  -30 HKD",
            "  Equity:Opening-Balances  25.0 USD",
        ] { #expect(text.contains("\n\(line)\n") || lines.first == line || lines.last == line, "\(line) in \(text)") }
        #expect(!text.contains("2026-11-25") && lines.count == 36)
    }

    @Test func findingsOfAHousehold() throws {
        let made = try Self.house()
        let (home, watchlist) = (try Household(made.vault), try Watchlist(made.vault))
        let check = HouseholdCheck(home, watchlist, [.fund: .zero...number("20")], today: MadeVault.today)
        func said(_ rule: HouseholdCheck.Rule) -> [String] {
            check.findings.filter { $0.rule == rule }.map { "\($0.subject) \($0.value.rounded(2)) \($0.isOutside)" }
        }
        // 1350, 240 and 5 of 1595.
        #expect(said(.fund) == ["Stock 84.64 true", "中债 A 15.05 false", "Gold 0.31 false", "999999 0.00 false"])
        #expect(said(.sector) == ["food 50.78 true", "banks 33.86 true"] && said(.region).isEmpty)
        #expect(said(.platform) == ["支付宝 84.64 true", "B 0.31 false", "S 0.00 false"])
        #expect(said(.liquid) == [" 5.25 true"] && said(.stable) == [" 11.07 true"] && said(.growth) == [" 83.68 true"])
        #expect(said(.policies) == ["A 1.00 true"])
        #expect(check.findings.first { $0.rule == .sector }?.limits == HouseholdCheck.Rule.sector.standard)
        let empty = try MadeVault()
        let none = try HouseholdCheck(Household(empty.vault), Watchlist(empty.vault), [:], today: 0)
        #expect(none.findings.isEmpty)
    }

    @Test func limitsOfAVault() throws {
        let made = try MadeVault()
        try made.save {
            try $0.put(Setting(.text("25")), as: HouseholdCheck.settingName(.fund))
            try $0.put(Setting(.text("x")), as: HouseholdCheck.settingName(.sector))
            try $0.put(Setting(.number(.one)), as: HouseholdCheck.settingName(.region))
        }
        let limits = try HouseholdCheck.limits(made.vault)
        #expect(limits[.fund] == .zero...number("25") && limits[.sector] == HouseholdCheck.Rule.sector.standard)
        #expect(
            limits[.region] == .zero...number("30") && limits[.growth] == number("40")...number("60")
                && limits.count == 8)
        for (text, rule, first, last) in [
            ("0", .fund, "0", "0"), ("100", .fund, "0", "100"), ("30-30", .stable, "30", "30"),
            ("0", .policies, "0", "4"), ("4", .policies, "4", "4"),
        ]
            as [(String, HouseholdCheck.Rule, String, String)]
        {
            #expect(HouseholdCheck.limits(text, of: rule) == number(first)...number(last))
        }
        for (text, rule) in [("100.1", .fund), ("1-2", .policies), ("4.1", .policies), ("30.1-30", .fund)]
            as [(String, HouseholdCheck.Rule)]
        {
            #expect(HouseholdCheck.limits(text, of: rule) == nil, "\(text)")
        }
    }

    @Test func purchasesForTrackers() throws {
        let made = try Self.house()
        let export = try PurchaseExport(made.vault, today: MadeVault.today)
        let rows = export.text(.portfolioPerformance).split(separator: "\n")
        #expect(rows.count == 6 && rows[1] == "2026-11-24,Buy,25.00,USD,10,000001,中债 A,")
        #expect(rows[4] == "2026-11-20,Buy,50.00,CNY,50,110011,Stock,支付宝")
        let json = try JSON(parsing: Array(export.text(.ghostfolio).utf8))
        let activities = try #require(json["activities"]?.items)
        #expect(
            activities.count == 5
                && activities.map { $0["symbol"]?.text } == ["000001", "000216", "110011", "110011", "999999"])
        #expect(activities[3]["date"]?.text == "2026-11-20T00:00:00.000Z" && activities[3]["comment"]?.text == "支付宝")
        #expect(activities[0]["unitPrice"]?.decimal == number("2.5") && activities[0]["currency"]?.text == "USD")
        let names = try MadeVault()
        try names.card("fund", "a,b \"c\"", ["code": "110011", "shares": "1", "cost": "1"])
        #expect(
            try PurchaseExport(names.vault, today: 0).text(.portfolioPerformance).contains(#",110011,"a,b ""c""","#))
    }

    @Test func fundsAsText() throws {
        let made = try Self.house()
        let export = try FundExport(made.vault)
        let table = export.lines(.csv)
        #expect(table.count == 11 && table[0].hasPrefix("kind,code,name,group,allocation,benchmark"))
        #expect(export.lines(.ledger).last == #"P 2026-11-25 "110011" 9 CNY"# && export.lines(.ledger).count == 5)
        #expect(export.lines(.beancount).first == "2026-11-23 price F000001 3.00 CNY")
        let lines = export.lines(.jsonl)
        #expect(
            lines[0] == #"{"kind":"fund","code":"000001","currency":"USD","shares":"10","cost":"2.50","name":"中债 A"}"#)
        #expect(lines[2] == #"{"kind":"holding","code":"000216","platform":"B","shares":"1","cost":"1"}"#)
        #expect(lines[3].hasPrefix(#"{"kind":"fund","code":"110011","#), "a fund stands before what is held of it")
        #expect(lines.count == 13 && lines[8] == #"{"code":"000001","nav":"3.00","nav_date":"2026-11-23"}"#)
    }

    @Test func cardsWithUnknownWordsAreNamed() throws {
        let made = try MadeVault()
        for (title, fields) in [
            ("ring", ["category": "jewels", "amount": "1"]), ("cash", ["category": "liquid", "amount": "2"]),
            ("no amount", ["category": "liquid"]),
        ] {
            // As another program may write them.
            var card = Card(
                schema: try #require(Schema.named("asset")), overview: Overview(title: Array(title.utf8)),
                fields: RecordFields())
            card.fields.texts = fields
            try made.save { try $0.put(card, as: $0.makeID()) }
        }
        let home = try Household(made.vault)
        #expect(home.unreadCards == ["no amount", "ring"] && home.assets.map(\.name) == ["cash"])
    }
}
