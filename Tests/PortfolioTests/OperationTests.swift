import Testing
import Values
import VaultFormat
import Cards
import VaultStore

import Portfolio

/// Operations without a clock, a terminal or a command: what they change, and what they refuse.
struct OperationTests {
    private static func number(_ text: String) -> ExactDecimal { ExactDecimal(text) ?? .zero }

    /// Words like `min=50`.
    private static func values(_ words: String) -> GivenValues {
        words.split(separator: " ").map { word in
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (key: parts[0], value: parts[1])
        }
    }

    /// The refusal of an operation: its class, the key that has it, and what is wrong.
    private static func refusal(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch let refusal as Refusal {
            return "\(refusal.reason) \(refusal.key ?? "-") \(refusal.what)"
        } catch { return "\(error)" }
    }

    @Test(
        arguments: [
            ("budget=20000 min=50 max=80", ""), ("预算=5 下限=1 上限=2", ""), ("max=100", ""),
            ("min=90 max=80", "invalid - position set: the lowest share is above the highest"),
            ("min=101", "invalid min "), ("budget=+5", "invalid - '+5': give the new number"),
            ("min=1 min=2", "misused - 'min' is given twice"), ("colour=1", "misused - position set: BUDGET"),
            ("budget=x", "invalid budget "),
        ]) func boundsOfThePosition(_ words: String, _ what: String)
    {
        var plan = PositionPlan()
        let refusal = Self.refusal { try plan.take(bounds: Self.values(words)) }
        #expect(what.isEmpty ? refusal.isEmpty : refusal.hasPrefix(what), "\(refusal)")
    }

    @Test(
        arguments: [
            ("equity=60,55,65 bond=20,18,22 days=31 from=0", ""), ("", ""),
            ("gold=50,40,60", "invalid target takes numbers in percent"), ("days=0", "invalid days takes 1 to 31"),
            ("days=2.5", "invalid days takes 1 to 31"), ("days=x", "invalid days takes numbers"),
            ("from=101", "invalid from takes numbers"), ("silver=1,1,1", "invalid - the strategy has no parameter"),
            ("equity=70,75,80", "invalid equity takes numbers"), ("equity=70", "invalid equity takes numbers"),
            ("equity=", "invalid equity takes numbers"), ("from=1 from=2", "misused - 'from' is given twice"),
        ]) func parametersOfTheStrategy(_ words: String, _ what: String)
    {
        var rules = Rebalancing()
        let refusal = Self.refusal { try rules.take(Self.values(words)) }
        #expect(what.isEmpty ? refusal.isEmpty : refusal.hasPrefix(what), "\(refusal)")
        #expect(what.isEmpty || rules == Rebalancing(), "nothing is taken of what is wrong")
        #expect(Rebalancing(rules.line) == rules)
    }

    @Test func anotherBudgetIsLogged() throws {
        let made = try MadeVault()
        func change(_ body: (inout PositionPlan) throws -> Void) throws -> Bool {
            var isNew = false
            try made.save {
                isNew = try $0.changePosition(reason: "r", at: Timestamp(second: 1_795_500_000), body).isNew
            }
            return isNew
        }
        #expect(try change { $0.budget = Self.number("20000") })
        #expect(try !change { $0.budget = Self.number("20000") })
        #expect(try change { try $0.take(strategy: "asset_rebalance") })
        #expect(throws: Refusal.self) { try change { try $0.take(strategy: "luck") } }
        let log = try BudgetChange.all(in: made.vault)
        #expect(log.map(\.new) == [Self.number("20000")] && log[0].reason == "r")
        #expect(try PositionPlan(made.vault).parameters.hasPrefix("asset_rebalance  equity=70,65,75 bond=10,8,12"))
        let line = BudgetChange.line.texts(log[0], isHidden: true)
        #expect(line["new"]?.text == "****" && line["reason"]?.text == "****")
    }

    /// The verb and the call say the same of a position.
    @Test(
        arguments: [
            (0, "simple", "no budget is set: 'qvault position set BUDGET'", "set_budget", "set a budget first"),
            (1000, "simple", "buy for 500.00 to reach the lower bound", "buy", "position below its bounds: buy"),
            (
                1000, "asset_rebalance", "less than 80% is invested: first buy for 800.00", "buy",
                "position below 80%: buy first"
            ),
        ]) func suggestions(_ budget: Int, _ strategy: String, _ text: String, _ action: String, _ summary: String)
        throws
    {
        let made = try MadeVault()
        try made.save {
            _ = try $0.changePosition(at: .zero) { plan in
                (plan.budget, plan.least, plan.most) = (ExactDecimal(budget), Self.number("50"), Self.number("80"))
                try plan.take(strategy: strategy)
            }
        }
        let (vault, watchlist) = (try made.vault, try Watchlist(made.vault))
        let suggestion = try Position.suggestion(
            vault, Household(vault, watchlist), watchlist, today: MadeVault.today)
        #expect(suggestion.said(Figures(isHidden: false)).description == text)
        #expect(Position.Suggestion.line.texts(suggestion)["action"]?.text == action)
        #expect(try made.call("GET", "/api/position/suggestion").contains(#""summary":"\#(summary)""#))
        #expect(suggestion.classes.count == (strategy == "simple" ? 0 : 3))
    }

    @Test(
        arguments: [
            ("shares=1,500 cost=2.35", "1500 2.35 2026-11-24", ""), ("date=2026-11-01", "1000 2 2026-11-01", ""),
            ("持有份额=5 持仓成本=1 买入日期=20261102", "5 1 2026-11-02", ""),
            ("shares=+1", "", "invalid - '+1': give the new number"), ("shares=x", "", "invalid shares takes a number"),
            ("date=x", "", "invalid date "), ("colour=1", "", "misused - holding update"),
            ("shares=1 shares=2", "", "misused - 'shares' is given twice"),
        ]) func changesOfAHolding(_ words: String, _ result: String, _ what: String) throws
    {
        let made = try MadeVault()
        try made.card("fund", "F", ["code": "110011"])
        try made.card("holding", "H", ["code": "110011", "shares": "1000", "cost": "2"])
        let holding = try #require(Watchlist(made.vault).holdings.first)
        var text = ""
        let refusal = Self.refusal {
            let (shares, cost, day) = try holding.change(Self.values(words), today: MadeVault.today)
            text = "\(shares) \(cost) \(day.text)"
        }
        #expect(text == result)
        #expect(what.isEmpty ? refusal.isEmpty : refusal.hasPrefix(what), "\(refusal)")
    }

    @Test(
        arguments: [
            ("fund=25 liquid=10-20", ""), ("colour=1", "notFound - no rule is called 'colour'"),
            ("fund=200", "invalid fund takes percent"), ("fund=1 fund=2", "misused - 'fund' is given twice"),
            ("policies=5", "invalid policies takes percent"),
        ]) func limitsOfChecks(_ words: String, _ what: String) throws
    {
        let made = try MadeVault()
        var refusal = ""
        try made.save { transaction in refusal = Self.refusal { try transaction.setLimits(Self.values(words)) } }
        #expect(what.isEmpty ? refusal.isEmpty : refusal.hasPrefix(what), "\(refusal)")
        guard what.isEmpty else { return }
        #expect(try HouseholdCheck.limits(made.vault)[.liquid] == Self.number("10")...Self.number("20"))
    }
}

/// Operations on the list of funds, and what its lines say.
struct FundOperationTests {
    private static func house() throws -> MadeVault {
        let made = try MadeVault()
        for (code, fields) in [
            ("000001", ["method": "index", "benchmark": "000300"]), ("000002", [:]), ("000003", ["qdii": "USD"]),
        ] as [(String, [String: String])] {
            try made.card("fund", "F\(code)", fields.merging(["code": code]) { $1 })
        }
        return made
    }

    private func codes(_ made: MadeVault) throws -> [String] { try Watchlist(made.vault).funds.map(\.code).sorted() }

    @Test func aFundIsMoved() throws {
        let made = try Self.house()
        for (code, place, first) in [("000003", "1", "000003"), ("000003", "3", "000002"), ("000002", "2", "000001")] {
            let watchlist = try Watchlist(made.vault)
            if place == "3" {
                try made.save { try FundSettings.put(["000003", "000002", "000001"], as: FundSettings.order, in: $0) }
            }
            let fund = try #require(watchlist.funds.first { $0.code == code })
            try made.save { try $0.moveFund(fund, to: place) }
            #expect(try Watchlist(made.vault).funds.first?.code == first)
        }
        let fund = try #require(Watchlist(made.vault).funds.first)
        for place in ["0", "4", "x", ""] {
            try made.save { transaction in
                let refusal = #expect(throws: Refusal.self) { try transaction.moveFund(fund, to: place) }
                #expect(refusal?.what.description == "fund move: PLACE is a number from 1 to 3")
            }
        }
    }

    @Test func daysAndSearchesAreKeptOnce() throws {
        let made = try Self.house()
        var counts: [Int?] = []
        for days in [["2026-10-02", "2026-10-01"], ["2026-10-01"], ["2026-10-03"]] {
            try made.save { counts.append(try $0.addHolidays(days)) }
        }
        #expect(counts == [2, nil, 3])
        func searches() throws -> [String] { try FundSettings.list(FundSettings.searches, in: made.vault) }
        try made.save { try $0.keepSearch("a", chosen: nil) }
        #expect(try searches().isEmpty, "nobody asked for that")
        try made.save { try $0.put(Setting(.flag(true)), as: FundSettings.keepsSearches) }
        for (text, code) in [("a", nil), ("b", "000001"), ("a", "000002")] as [(String, String?)] {
            try made.save { try $0.keepSearch(text, chosen: code) }
        }
        #expect(try searches() == ["b\t000001", "a\t000002"])
        try made.save { try $0.forgetSearches() }
        #expect(try searches().isEmpty)
    }

    @Test func fundsOfTheDirectoryAreWatched() throws {
        let made = try Self.house()
        let item = try #require(FundDirectory.item(.fund(code: "161725", values: ["name": "白酒", "type": "指数型"])))
        try made.save { try $0.watch([item], today: MadeVault.today) }
        #expect(try codes(made) == ["000001", "000002", "000003", "161725"])
        #expect(try made.fields("白酒") == ["code": "161725", "type": "指数型"])
    }

    @Test(arguments: [("000001", "has too few days"), ("000003", "only the methods top10 and index")])
    func aCoefficientNeedsDays(_ code: String, _ what: String) throws {
        let watchlist = try Watchlist(Self.house().vault)
        let fund = try #require(watchlist.funds.first { $0.code == code })
        let refusal = #expect(throws: Refusal.self) { try watchlist.fittedCoefficient(fund) }
        #expect(refusal?.what.description.contains(what) ?? false)
    }

    @Test func fundsInTheirOrder() throws {
        let watchlist = try Watchlist(MadeVault().vault)
        let rows = try [3, 1, 2].map { FundFigures(try .made([:], created: Timestamp(second: $0)), watchlist) }
        for (text, seconds) in [("added", [1, 2, 3]), ("-added", [3, 2, 1]), ("estimate", [3, 1, 2])]
            as [(String, [Int64])]
        {
            let order = try #require(FundOrder(text))
            #expect(order.sorted(rows).map(\.fund.created.seconds) == seconds, "\(text)")
        }
    }

    @Test(arguments: [("600519", Market.cn), ("00700", .hk), ("0070", .us), ("AAPL", .us)])
    func theMarketOfASecurity(_ code: String, _ market: Market) throws {
        #expect(try Fund.made(["market": "us"]).market(of: code) == market)
    }

    @Test func aLineOfTheList() throws {
        let made = try Self.house()
        let second = MadeVault.today.second
        try made.save { transaction in
            var book = PriceBook(transaction.before)
            let time = Timestamp(second: second + 3 * 3600).text
            let lines = [
                "P 2026-11-20 000001 2.00 CNY", "P 2026-11-20 000002 1.00 CNY",
                #"{"code":"000300","price":"101","previous_close":"100","time":"\#(time)"}"#,
            ]
            for line in lines {
                for price in try PriceLine.lines(Array(line.utf8), source: "s") { try book.take(price) }
            }
            try book.store(in: transaction, now: second)
        }
        let watchlist = try Watchlist(made.vault)
        let rows = watchlist.funds.map { FundFigures($0, watchlist) }.sorted { $0.fund.code < $1.fund.code }
        let cells = rows.map { $0.cells(now: second + 4 * 3600).map(\.description) }
        #expect(cells[0].prefix(6) == ["", "000001", "F000001", "2.0200", "+1.00%", "2.0000 (11-20)"])
        #expect(cells[0].last == "index, covers 100.00 %, net value of days before")
        #expect(cells[1].suffix(3) == ["—", "—", "what it holds is not known"] && cells[2].last == "no net value yet")
        let json = FundFigures.line.texts(rows[0])
        #expect(json["estimate"]?.text == "2.0200" && json["no_estimate"]?.isNull == true)
        #expect(FundFigures.line.texts(rows[1])["no_estimate"]?.text == "holdings unknown")
        let order = try #require(FundOrder("-estimate"))
        #expect(order.sorted(rows.reversed()).map(\.fund.code) == ["000001", "000003", "000002"])
        #expect(FundOrder("luck") == nil && FundOrder("") == nil)
        let details = FundDetails(rows[0].fund, watchlist, today: MadeVault.today)
        let heads = details.heads(now: second + 4 * 3600).map { $0.map(\.description) }
        #expect(
            heads.map { $0[0] } == ["estimate", "prices", "net value", "benchmark"]
                && heads[2][1] == "2.0000  2026-11-20  s")
        #expect(FundDetails.line.texts(details)["holdings"]?.items?.isEmpty == true)
    }
}
