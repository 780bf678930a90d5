import Testing
import VaultFormat
import Cards
import VaultStore

import Portfolio

/// The one list of what is due, and the parts of it that are shown.
struct DueListTests {
    private static func day(_ days: Int64) -> String { MadeVault.today.advanced(by: days).text }

    private static func house() throws -> MadeVault {
        let made = try MadeVault()
        let policy = ["insurer": "A", "insured_person": "P", "annual_premium": "1"]
        try made.card("policy", "lapsed", policy.merging(["status": "lapsed"]) { $1 })
        try made.card("policy", "late", policy.merging(["end": day(-4), "next_payment": day(-5)]) { $1 })
        try made.card("policy", "week", policy.merging(["next_payment": day(7)]) { $1 })
        try made.card("policy", "month", policy.merging(["next_payment": day(8)]) { $1 })
        try made.card("policy", "over", policy.merging(["status": "expired", "next_payment": day(-20)]) { $1 })
        let stable = ["category": "investment", "bucket": "stable", "amount": "1", "platform": "B"]
        for days: Int64 in [-1, 7, 30, 31] {
            try made.card("asset", "in \(days)", stable.merging(["maturity": day(days)]) { $1 })
        }
        try made.card("asset", "loan", ["category": "debt", "amount": "1", "maturity": day(2)])
        return made
    }

    private func titles(_ due: [Due]) -> [String] { due.map { "\($0.level) \($0.days) \($0.title) \($0.key)" } }

    @Test func listIsByLevelAndDay() throws {
        let made = try Self.house()
        let due = try Due.all(in: made.vault, within: 30, today: MadeVault.today)
        #expect(due.map(\.days) == [-5, -4, -1, 0, 2, 7, 7, 8, 30])
        #expect(due.map(\.level) == [.urgent, .urgent, .urgent, .urgent, .urgent, .urgent, .urgent, .soon, .soon])
        #expect(titles(due).contains("urgent 0 lapsed status") && titles(due).contains("urgent 2 loan maturity"))
        #expect(try Due.all(in: made.vault, within: 31, today: MadeVault.today).last?.level == .later)
    }

    /// A premium after the end of the cover is not due, and reports are two quarters after their day.
    @Test func whatIsNoLongerNeededIsNotDue() throws {
        let made = try MadeVault()
        let policy = ["insurer": "A", "insured_person": "P", "annual_premium": "1", "end": Self.day(3)]
        try made.card("policy", "over", policy.merging(["next_payment": Self.day(4)]) { $1 })
        for (code, days) in [("000001", Int64(-184)), ("000002", -183)] {
            try made.card("fund", code, ["code": code, "stocks": "600519 5", "report_date": Self.day(days)])
        }
        try made.card("fund", "index", ["code": "000003", "method": "index", "report_date": "2020-01-01"])
        let due = try Due.all(in: made.vault, within: 30, today: MadeVault.today)
        #expect(titles(due) == ["urgent 3 over end", "soon 0 000001 report_date"])
    }

    @Test func tasksAreDueOnTheirDay() throws {
        let made = try MadeVault()
        let tasks = [0, -29, -30, 1].map {
            Due.Task(name: "n\($0)", command: "c", day: MadeVault.today.advanced(by: $0), interval: 30)
        }
        let due = try Due.all(in: made.vault, within: 30, today: MadeVault.today, tasks: tasks)
        #expect(titles(due) == ["urgent -30 c upkeep", "soon -29 c upkeep", "soon 0 c upkeep"])
    }

    /// What a person put off is hidden until its day; what is due every day anew by any answer that is in force.
    @Test func answersHide() throws {
        let made = try Self.house()
        let due = try Due.all(in: made.vault, within: 30, today: MadeVault.today)
        let (lapsed, late) = (
            try #require(due.first { $0.title == "lapsed" }), try #require(due.first { $0.days == -5 })
        )
        try made.save {
            try $0.note([
                DueAnswer(lapsed, until: MadeVault.today.advanced(by: 2)), DueAnswer(late, until: nil),
            ])
        }
        func shown(_ days: Int64) throws -> [String] {
            try Due.all(in: made.vault, within: 30, today: MadeVault.today.advanced(by: days)).map(\.title)
        }
        #expect(try shown(0).contains("lapsed") == false && shown(0).count { $0 == "late" } == 1)
        #expect(try shown(1).contains("lapsed") == false && shown(2).contains("lapsed"))
        // The API shows a part of the same list.
        #expect(try !made.call("GET", "/api/dashboard/reminders").contains("insurance_lapsed"))
    }

    @Test func remindersOfTheAPI() throws {
        let made = try Self.house()
        let answer = try JSON(parsing: Array(made.call("GET", "/api/dashboard/reminders").utf8)).items ?? []
        #expect(
            answer.map { $0["title"]?.text ?? "" } == [
                "insurance payment overdue", "insurance ended", "deposit ended", "deposit ends within a week",
                "insurance payment within a week", "insurance lapsed", "insurance payment", "deposit ends",
            ])
        #expect(answer.map { $0["days"]?.number } == [-5, -4, -1, 7, 7, nil, 8, 30])
        #expect(answer.map { $0["level"]?.text } == Array(repeating: "urgent", count: 6) + ["warning", "warning"])
        let chinese = try made.call("GET", "/api/dashboard/reminders", in: .chinese)
        #expect(chinese.contains("保险已失效") && chinese.contains("理财即将到期") && !chinese.contains("deposit"))
    }
}

struct PolicyRenewalTests {
    private static let policy = ["insurer": "A", "insured_person": "P", "annual_premium": "1"]

    @Test(arguments: [("2027-02-28", "2028-02-28"), ("2028-02-29", "2029-02-28"), ("2026-12-31", "2027-12-31")])
    func theNextPaymentIsAYearLater(_ day: String, _ next: String) throws {
        let made = try MadeVault()
        let entry = try made.card("policy", "p", Self.policy.merging(["next_payment": day]) { $1 })
        try made.save { transaction in
            let renewed = try transaction.renewPolicy(entry)
            #expect(renewed.next.text == next)
        }
        #expect(try made.fields("p")["next_payment"] == next)
    }

    @Test(
        arguments: [
            (["status": "lapsed", "next_payment": "2026-12-01"], "the policy is no longer active"),
            ([:], "the policy has no next payment"),
        ] as [([String: String], String)])
    func refused(_ fields: [String: String], _ what: String) throws {
        let made = try MadeVault()
        let entry = try made.card("policy", "p", Self.policy.merging(fields) { $1 })
        try made.save { transaction in
            let refusal = #expect(throws: Refusal.self) { try transaction.renewPolicy(entry) }
            #expect(refusal?.what.description == what)
        }
        #expect(throws: APIProblem.self) { try made.call("POST", "/api/insurance/p/renew") }
        #expect(try made.fields("p")["next_payment"] == fields["next_payment"])
    }
}

struct HoldingOperationTests {
    private static func house() throws -> MadeVault {
        let made = try MadeVault()
        try made.card("fund", "F", ["code": "110011"])
        return made
    }

    private func card(_ fields: [String: String]) throws -> Card {
        var card = Card(
            schema: try #require(Schema.named("holding")), overview: Overview(title: []), fields: RecordFields())
        let all = ["code": "110011", "shares": "10", "cost": "2"].merging(fields) { $1 }
        #expect(card.set(all.map { ($0.key, $0.value) }).isEmpty)
        return card
    }

    private func holding(_ made: MadeVault) throws -> Holding {
        try #require(Watchlist(made.vault).holdings.first)
    }

    @Test func addedOnceForAPlatform() throws {
        let made = try Self.house()
        try made.save { _ = try $0.addHolding(card(["platform": "支付宝"]), today: MadeVault.today) }
        #expect(try made.fields("F 支付宝")["shares"] == "10")
        try made.save { transaction in
            for fields in [["platform": "alipay"], ["code": "000001"], ["platform": "B", "date": "2026-11-25"]] {
                #expect(throws: Refusal.self) { try transaction.addHolding(card(fields), today: MadeVault.today) }
            }
            _ = try transaction.addHolding(card(["platform": "B", "date": "2026-11-24"]), today: MadeVault.today)
        }
        #expect(try Watchlist(made.vault).holdings.count == 2)
    }

    @Test func updatesAreLogged() throws {
        let made = try Self.house()
        try made.save { _ = try $0.addHolding(card(["platform": "A"]), today: MadeVault.today) }
        let held = try holding(made)
        func update(_ shares: Int, _ cost: Int, _ days: Int64 = 0) throws -> Card? {
            var changed: Card?
            try made.save { transaction in
                let entry = try #require(try transaction.entry(held.id))
                changed = try transaction.updateHolding(
                    held, transaction.before.card(entry), shares: ExactDecimal(shares), cost: ExactDecimal(cost),
                    from: MadeVault.today.advanced(by: days), today: MadeVault.today,
                    now: Timestamp(second: 1_795_500_000))
            }
            return changed
        }
        #expect(try update(10, 2)?.fields.texts["shares"] == "10")
        #expect(try HoldingChange.all(in: made.vault).isEmpty, "nothing changed")
        for (shares, cost, days) in [(0, 2, 0), (10, -1, 0), (11, 2, 1)] as [(Int, Int, Int64)] {
            #expect(throws: Refusal.self) { try update(shares, cost, days) }
        }
        #expect(try update(15, 3, -1)?.fields.texts["cost"] == "3")
        let log = try HoldingChange.all(in: made.vault)
        #expect(log.map(\.newShares) == [ExactDecimal(15)] && log[0].oldCost == ExactDecimal(2))
        #expect(log[0].day == MadeVault.today.advanced(by: -1))
    }

    @Test func tradesSayWhatIsHeld() throws {
        let made = try Self.house()
        try made.save {
            _ = try $0.addHolding(card(["platform": "A", "trades": "2026-11-20 buy 5 2.0"]), today: MadeVault.today)
        }
        let held = try holding(made)
        try made.save { transaction in
            let entry = try #require(try transaction.entry(held.id))
            #expect(throws: Refusal.self) {
                try transaction.updateHolding(
                    held, transaction.before.card(entry), shares: .one, cost: .one, from: MadeVault.today,
                    today: MadeVault.today, now: .zero)
            }
        }
    }

    @Test func removedOnesGo() throws {
        let made = try Self.house()
        try made.card("fund", "G", ["code": "000001", "shares": "3", "cost": "1"])
        try made.save { _ = try $0.addHolding(card(["platform": "A"]), today: MadeVault.today) }
        for held in try Watchlist(made.vault).holdings { try made.save { try $0.removeHolding(held) } }
        #expect(try Watchlist(made.vault).holdings.isEmpty && Watchlist(made.vault).funds.count == 2)
        #expect(try made.vault.cardEntries().count == 2, "the card of a holding goes")
        #expect(try made.fields("G") == ["code": "000001"])
    }

    /// The call and the verb do the same, and name the fields by their own names.
    @Test func callsNameTheirFields() throws {
        let made = try Self.house()
        let body = #"{"fund_code":"110011","platform":"A","shares":1,"cost_price":2,"purchase_date":"2026-11-25"}"#
        let problem = #expect(throws: APIProblem.self) { try made.call("POST", "/api/holdings", body) }
        #expect(problem?.status == 422 && problem?.what == "purchase_date is a day to come")
        _ = try made.call("POST", "/api/holdings", body.replacing("25", with: "24"))
        let wrong = #"{"shares":0,"cost_price":2,"change_date":"2026-11-24"}"#
        #expect(throws: APIProblem.self) { try made.call("POST", "/api/holdings/110011/update-snapshot", wrong) }
        #expect(throws: APIProblem.self) { try made.call("GET", "/api/holdings?=") }
        #expect(throws: APIProblem.self) { try made.call("GET", "/api/holdings?") == "" ? "" : made.call("GET", "/x") }
    }
}
