import Testing
import VaultFormat
import VaultRecords
import VaultStore

import Portfolio

/// The one list of what is due, and the parts of it that are shown.
struct DueListTests {
    private static func day(_ days: Int64) -> String { MadeVault.today.advanced(by: days).text }

    private static func house() throws -> MadeVault {
        let made = try MadeVault()
        let policy = ["insurer": "A", "insured_person": "P", "annual_premium": "1"]
        try made.card("policy", "lapsed", policy.merging(["status": "lapsed"]) { $1 })
        try made.card("policy", "late", policy.merging(["end": day(-4), "next_payment": day(-3)]) { $1 })
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
        #expect(due.map(\.days) == [-4, -3, -1, 0, 2, 7, 7, 8, 30])
        #expect(due.map(\.level) == [.urgent, .urgent, .urgent, .urgent, .urgent, .urgent, .urgent, .soon, .soon])
        #expect(titles(due).contains("urgent 0 lapsed status") && titles(due).contains("urgent 2 loan maturity"))
        #expect(try Due.all(in: made.vault, within: 31, today: MadeVault.today).last?.level == .later)
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
            try #require(due.first { $0.title == "lapsed" }), try #require(due.first { $0.days == -3 })
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
                "insurance ended", "insurance payment overdue", "deposit ended", "deposit ends within a week",
                "insurance payment within a week", "insurance lapsed", "insurance payment", "deposit ends",
            ])
        #expect(answer.map { $0["days"]?.number } == [-4, -3, -1, 7, 7, nil, 8, 30])
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
