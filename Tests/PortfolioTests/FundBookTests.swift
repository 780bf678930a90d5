import Testing
import Values
import VaultFormat
import Cards
import VaultStore

import Portfolio

/// Funds that come in, are searched for, and are judged (Spec/product/portfolio.md, 6, 7 and 11).
struct FundBookTests {
    private func number(_ text: String) -> ExactDecimal { ExactDecimal(text) ?? .zero }

    /// Takes lines and stores them: added, edited; and what is said.
    private func stored(_ made: MadeVault, _ lines: String...) throws -> (counts: [Int], said: [String]) {
        var book = try FundBook(made.vault)
        var said: [String] = []
        for line in lines {
            do { try book.take(FundLine.lines(Array(line.utf8), source: "test"), today: MadeVault.today) } catch let
                problem as PriceLine.Problem
            {
                said.append(problem.what.description)
            }
        }
        said += book.finish().map(\.what.description)
        let full = book
        try made.save { try full.store(in: $0) }
        return ([book.added, book.edited], said)
    }

    @Test func cardsAreAddedAndEdited() throws {
        let made = try MadeVault()
        let fund = #"{"code":"110011","name":"A","group":"g"}"#
        #expect(try stored(made, fund) == ([1, 0], []) && stored(made, fund) == ([0, 0], []))
        #expect(try stored(made, #"{"code":"110011","type":"t"}"#) == ([0, 1], []))
        #expect(try made.fields("A") == ["code": "110011", "type": "t"])
        let held = #"{"code":"110011","platform":"alipay","shares":10,"cost":2,"date":"2026年11月24日"}"#
        #expect(try stored(made, held) == ([1, 0], []) && stored(made, held) == ([0, 0], []))
        #expect(
            try made.fields("110011 支付宝") == [
                "code": "110011", "platform": "支付宝", "shares": "10", "cost": "2", "date": "2026-11-24",
            ])
        #expect(try stored(made, held.replacing(#""shares":10"#, with: #""shares":11"#)).counts == [0, 1])
        #expect(try stored(made, #"{"code":"000001","platform":"B","shares":1,"cost":1}"#, fund) == ([2, 0], []))
        #expect(try Watchlist(made.vault).funds.map(\.code).sorted() == ["000001", "110011"])
    }

    @Test(arguments: [
        (#"{"code":"110011","platform":"B","shares":1,"cost":1,"date":"2026-11-25"}"#, "date: is a day to come"),
        (#"{"code":"110011","platform":"B","trades":"2026-11-25 buy 1 1"}"#, "trades: has a trade of a day to come"),
        (#"{"code":"110011","platform":"B","shares":1}"#, "cost: is missing"),
        (#"{"code":"110011","coefficient":-1}"#, "coefficient: is no number, or is negative"),
        (#"{"code":"110011","name":"a\nb"}"#, "has control characters, or more than one line"),
        (#"{"code":"110011","group":" "}"#, "is empty"),
        (#"{"code":"110011","stock":"600519","weight":101}"#, "has no stock with a weight from 0 to 100"),
    ])
    func linesThatAreRefused(_ line: String, _ what: String) throws {
        let made = try MadeVault()
        try made.card("fund", "F", ["code": "110011"])
        let outcome = try stored(made, line)
        #expect(outcome.counts == [0, 0] && outcome.said.first == what, "\(outcome)")
        #expect(try made.fields("F") == ["code": "110011"])
    }

    @Test func aHoldingThatComesTwiceNeedsAPlatform() throws {
        let made = try MadeVault()
        let one = #"{"code":"110011","kind":"holding","shares":1,"cost":1}"#
        let outcome = try stored(made, one, one, one.replacing(#""shares":1"#, with: #""shares":2"#))
        #expect(
            outcome.counts == [2, 0]
                && outcome.said == ["has another shares than a line before: a holding needs a platform"])
    }

    @Test func stocksTakeThePlaceOfOlderOnes() throws {
        func stock(_ code: String, _ weight: String, _ day: String = "2026-09-30", of fund: String = "110011") -> String
        {
            #"{"code":"\#(fund)","stock":"\#(code)","weight":"\#(weight)","report_date":"\#(day)"}"#
        }
        let made = try MadeVault()
        try made.card("fund", "F", ["code": "110011", "stocks": "600000 1"])
        #expect(try stored(made, stock("600519", "9.5"), stock("000858", "8")) == ([0, 1], []))
        #expect(
            try made.fields("F")["stocks"] == "600519 9.5\n000858 8" && made.fields("F")["report_date"] == "2026-09-30")
        let old = try made.fields("F")
        let kept = "the stocks of 110011 stay as they were: a line of the new ones is refused"
        #expect(
            try stored(made, stock("600519", "x"), stock("000858", "8")).said == [
                "has no stock with a weight from 0 to 100", kept,
            ])
        #expect(
            try stored(made, stock("600519", "1"), stock("000858", "8", "2026-06-30")).said == [
                "is of another report than the lines before", kept,
            ])
        #expect(
            try stored(made, stock("600519", "60"), stock("000858", "41")).said == [
                "110011: stocks: has weights of 101 % in all"
            ])
        #expect(
            try stored(made, stock("600519", "1", of: "000001")).said == ["has stocks of 000001, which is not watched"])
        #expect(try made.fields("F") == old)
    }

    @Test func twoCardsOfOneFund() throws {
        let made = try MadeVault()
        for title in ["F", "G"] { try made.card("fund", title, ["code": "110011"]) }
        #expect(try stored(made, #"{"code":"110011","type":"t"}"#) == ([0, 1], []))
        #expect(try ["F", "G"].filter { try made.fields($0)["type"] == "t" }.count == 1)
    }

    // MARK: The directory

    @Test(arguments: [
        (#"["110011","x","A","t","y"]"#, "110011 A t "), (#"["110011","x","A"]"#, nil),
        (#"["11001","x","A","t"]"#, nil), (#"["110011","x","","t"]"#, nil),
        (#"["110011",1,"A","t"]"#, "110011 A t "), (#"["110011","x",1,"t"]"#, nil),
        (#"["110011","x","a\nb","t"]"#, nil), (#"{"a":1}"#, nil),
        (
            #"["110011","x","\#(String(repeating: "n", count: 200))","t"]"#,
            "110011 \(String(repeating: "n", count: 200)) t "
        ),
        (#"["110011","x","\#(String(repeating: "n", count: 201))","t"]"#, nil),
    ])
    func listsOfAWebSite(_ text: String, _ item: String?) throws {
        let found = FundDirectory.item(try JSON(parsing: Array(text.utf8)))
        #expect(found.map { "\($0.code) \($0.name) \($0.type) \($0.company)" } == item)
    }

    @Test func aDirectoryIsSearched() throws {
        let made = try MadeVault()
        #expect(try FundDirectory(made.vault).items.isEmpty)
        let lines = ["110011 易方达优质精选 混合型 易方达", "000001 华夏成长 混合型 华夏", "000011 易 债券型 x", "161725 招商白酒 110011 x"]
        let items = try lines.map { line -> FundDirectory.Item in
            let words = line.split(separator: " ").map(String.init)
            let text = #"{"code":"\#(words[0])","name":"\#(words[1])","type":"\#(words[2])","company":"\#(words[3])"}"#
            let line = try #require(try FundLine.lines(Array(text.utf8), source: "").first)
            return try #require(FundDirectory.item(line))
        }
        try made.save { try FundDirectory.store(items, day: MadeVault.today, in: $0) }
        let directory = try FundDirectory(made.vault)
        #expect(directory.items == items.sorted { $0.code < $1.code })
        func found(_ text: String, _ chosen: [String] = [], watched: [Fund] = []) -> [String] {
            directory.search(text, watched: watched, chosen: chosen).map(\.code)
        }
        #expect(found("110011") == ["110011", "161725"], "the code itself first")
        #expect(found("易") == ["000011", "110011"] && found("易", ["110011"]) == ["110011", "000011"])
        #expect(
            found("混合型") == ["000001", "110011"] && found("yfd") == ["110011"] && found("none").isEmpty
                && found("").isEmpty)
        let watched = [try Fund.made([:])]
        #expect(found("110011", watched: watched) == ["110011", "161725"], "no fund stands twice")
        let other = try MadeVault()
        #expect(try FundDirectory(other.vault).search("110011", watched: watched, chosen: []).map(\.name) == ["A"])
    }

    // MARK: How near estimates came

    private func sample(_ day: Int64, _ estimate: String, _ netValue: String, _ coefficient: String = "1")
        -> Accuracy.Sample
    {
        Accuracy.Sample(
            day: Day(clamping: day), estimate: number(estimate), netValue: number(netValue), method: "top10",
            coefficient: number(coefficient))
    }

    /// Moves of 1 % that were guessed as 0.5 % with a coefficient of 1: 2 would have been right.
    @Test func aCoefficientIsFitted() throws {
        let values = (0..<30).map { (day: Day(clamping: $0), value: ExactDecimal(1)) }
        func fitted(
            _ count: Int64, _ estimate: String = "1.005", _ netValue: String = "1.01", _ coefficient: String = "1"
        ) -> FittedCoefficient? {
            FittedCoefficient(
                (1...max(1, count)).map { sample($0, estimate, netValue, coefficient) }, netValues: values)
        }
        #expect(fitted(4) == nil && fitted(5)?.days == 5 && fitted(25)?.days == 20)
        let five = try #require(fitted(5))
        #expect(
            five.value == ExactDecimal(2) && five.meanAfter == .zero && five.meanBefore.rounded(6) == number("0.004950")
        )
        #expect(
            try #require(fitted(5, "1.01", "1.01", "2")).value == ExactDecimal(2),
            "a coefficient that was in it is taken out")
        #expect(fitted(5, "1", "1.01") == nil && fitted(5, "0.995", "1.01") == nil && fitted(5, "1.005", "1") == nil)
        #expect(
            FittedCoefficient((1...5).map { sample($0, "1.005", "1.01") }, netValues: Array(values.suffix(29))) == nil,
            "no value before")
    }

    @Test func accuracyOfOddAndEvenDays() throws {
        let days = ["1", "1.002", "0.99"].map { sample(1, $0, "1") }
        let three = try #require(Accuracy(days))
        #expect(
            three.count == 3 && three.median == number("0.002") && three.worst == number("0.01")
                && three.within == number("0.666666666667"))
        #expect(
            try #require(Accuracy([sample(1, "1.005", "1")])).within == .one
                && #require(Accuracy([sample(1, "1.0051", "1")])).within == .zero)
    }

    @Test func reportsHaveAScore() throws {
        func diagnosis(_ severities: String...) throws -> Diagnosis {
            let issues = severities.map { #"{"issue":"i","severity":"\#($0)"}"# }.joined(separator: ",")
            return try #require(
                Diagnosis(Array(#"{"issues_summary":[\#(issues)],"recommendations":[{"title":"t"}]}"#.utf8)))
        }
        #expect(try diagnosis().score == 100 && diagnosis("high").score == 90 && diagnosis("medium").score == 97)
        #expect(try diagnosis("high", "info", "medium").score == 84 && diagnosis("high").issues.first?.title == "i")
        let eleven = Array(repeating: "high", count: 11).map { #"{"severity":"\#($0)"}"# }.joined(separator: ",")
        #expect(Diagnosis(Array(#"{"issues_summary":[\#(eleven)]}"#.utf8))?.score == 0)
        #expect(Diagnosis(Array("{}".utf8)) == nil && Diagnosis(Array("[".utf8)) == nil)
    }

    /// An answer about a card that is gone, or a policy that somebody else renewed, is left out and counted.
    @Test func answersThatCameTooLate() throws {
        let made = try MadeVault()
        try made.card("asset", "a", ["category": "liquid", "amount": "1"])
        try made.card(
            "policy", "p", ["insurer": "I", "insured_person": "P", "annual_premium": "1", "next_payment": "2027-01-01"])
        let entries = try made.vault.entries().filter(\.isCard)
        let asset = try #require(entries.first { $0.title == "a" }).id
        let policy = try #require(entries.first { $0.title == "p" }).id
        var answers = MonthlyAnswers()
        answers.amounts = [asset: number("5"), try RecordID(of: "asset", named: "gone".utf8): number("7")]
        answers.paid[policy] = Day("2026-01-01")
        try made.save { save in
            let stored = try save.store(answers, today: MadeVault.today, now: .zero)
            #expect(stored.leftOut == 2 && stored.snapshot.net == number("5"))
        }
        answers.paid[policy] = Day("2027-01-01")
        try made.save { save in
            let stored = try save.store(answers, today: MadeVault.today, now: .zero)
            #expect(stored.leftOut == 1)
        }
        #expect(try Household(made.vault).policies.first?.nextPayment == Day("2028-01-01"))
    }

    @Test(
        arguments: [([60, 26, 25, 24, 1, 0], 25), ([24, 1], 24), ([0, -1], nil), ([], nil)] as [([Int64], Int64?)])
    func aMonthIsHeldAgainst(_ ages: [Int64], _ age: Int64?) throws {
        let household = try Household(MadeVault().vault)
        let snapshots = ages.map { Snapshot(household, day: MadeVault.today.advanced(by: -$0)) }
        let then = Snapshot.aMonthBefore(MadeVault.today, among: snapshots)
        #expect(then.map { $0.day.distance(to: MadeVault.today) } == age)
    }

    @Test func snapshotsOfTheLastDays() throws {
        let made = try MadeVault()
        for days: Int64 in [0, 1, 30, 400] {
            try made.save {
                let snapshot = Snapshot(try Household($0.before), day: MadeVault.today.advanced(by: -days))
                let isNew = try snapshot.store(in: $0)
                #expect(isNew)
            }
        }
        func count(_ days: String) throws -> Int {
            try #require(JSON(parsing: Array(made.call("GET", "/api/dashboard/trend" + days).utf8)).items).count
        }
        #expect(
            try count("?days=0") == 4 && count("?days=1") == 1 && count("?days=2") == 2 && count("") == 3
                && count("?days=30") == 2 && count("?days=31") == 3)
        #expect(try Snapshot.all(in: made.vault).map { $0.day.distance(to: MadeVault.today) } == [400, 30, 1, 0])
        try made.save { save in
            let isNew = try Snapshot(Household(save.before), day: MadeVault.today).store(in: save)
            #expect(!isNew, "it is there")
        }
        for (days, isThere) in [(0, true), (-2, false), (-400, true)] as [(Int64, Bool)] {
            try made.save { save in
                let isGone = try Snapshot.remove(MadeVault.today.advanced(by: days), in: save)
                #expect(isGone == isThere)
            }
        }
        #expect(try Snapshot.all(in: made.vault).count == 2)
    }

    /// A holding counts from its day on, with what its log says of each day.
    @Test func trendOfHoldings() throws {
        let made = try MadeVault()
        try made.card("fund", "F", ["code": "110011"])
        try made.card("fund", "G", ["code": "000001"])
        try made.card(
            "holding", "f", ["code": "110011", "platform": "A", "shares": "30", "cost": "3", "date": "2026-11-10"])
        try made.card("holding", "g", ["code": "000001", "platform": "A", "shares": "1", "cost": "1"])
        try made.prices(
            "P 2026-11-09 110011 2 CNY", "P 2026-11-10 110011 2 CNY", "P 2026-11-12 110011 2.4 CNY",
            "P 2026-11-14 110011 2.6 CNY", "P 2026-11-11 000001 5 CNY")
        let held = try #require(try Watchlist(made.vault).holdings(named: "110011").first)
        try made.save { save in
            let entry = try #require(try save.entry(held.id))
            _ = try save.updateHolding(
                held, save.before.card(entry), shares: number("40"), cost: number("5"),
                from: #require(Day("2026-11-12")), today: MadeVault.today, now: .zero)
        }
        let trend = try Growth.trend(Watchlist(made.vault), HoldingChange.all(in: made.vault), in: .first ... .last)
        #expect(
            trend.map { "\($0.day.text) \($0.growth.amount) \($0.growth.cost) \($0.growth.count)" } == [
                "2026-11-09 0 0 0", "2026-11-10 60 90 1", "2026-11-11 65 91 2", "2026-11-12 101.0 201 2",
                "2026-11-14 109.0 201 2",
            ])
        let days = try #require(Day("2026-11-10"))...(#require(Day("2026-11-12")))
        #expect(
            try Growth.trend(Watchlist(made.vault), [], in: days).map(\.growth.amount) == [
                number("80"), number("85"), number("101"),
            ])
    }

    /// One of shares and cost may change alone; where neither does, nothing is logged.
    @Test(arguments: [("30", "3", false), ("40", "3", true), ("30", "4", true)])
    func aHoldingChangesInPart(_ shares: String, _ cost: String, _ isChange: Bool) throws {
        let made = try MadeVault()
        try made.card(
            "holding", "f", ["code": "110011", "platform": "A", "shares": "30", "cost": "3", "date": "2026-11-10"])
        let held = try #require(try Watchlist(made.vault).holdings(named: "110011").first)
        try made.save { save in
            let card = try save.before.card(#require(try save.entry(held.id)))
            let updated = try save.updateHolding(
                held, card, shares: number(shares), cost: number(cost), from: MadeVault.today, today: MadeVault.today,
                now: .zero)
            #expect(updated.fields.texts["shares"] == shares && updated.fields.texts["cost"] == cost)
        }
        #expect(try HoldingChange.all(in: made.vault).isEmpty != isChange)
    }
}
