import Testing
import Values
import VaultFormat
import Cards

import Portfolio

/// A position at its bounds, and the parameters of a strategy (Spec/product/assets.md, 4).
struct PositionTests {
    private func number(_ text: String) -> ExactDecimal { ExactDecimal(text) ?? .zero }

    private func position(_ value: String, budget: String = "1000") -> Position {
        var plan = PositionPlan()
        (plan.budget, plan.least, plan.most) = (number(budget), number("50"), number("80"))
        return Position(plan, value: number(value))
    }

    @Test(
        arguments: [
            ("500", .hold, false, false, "500"), ("499.99", .buy(ExactDecimal("0.01") ?? .zero), true, false, "500.01"),
            ("800", .hold, false, false, "200"),
            ("800.01", .sell(ExactDecimal("0.01") ?? .zero), false, true, "199.99"),
            ("1000", .sell(ExactDecimal(200)), false, true, "0"),
            ("1000.01", .sell(ExactDecimal("200.01") ?? .zero), false, true, "0"),
            ("0", .buy(ExactDecimal(500)), true, false, "1000"),
        ] as [(String, PositionAdvice, Bool, Bool, String)])
    func bounds(_ value: String, _ advice: PositionAdvice, _ isBelow: Bool, _ isAbove: Bool, _ cash: String) {
        let position = position(value)
        let said = position.suggestion([:], today: 0)
        #expect(said.advice == advice && (said.state == .below) == isBelow && (said.state == .above) == isAbove)
        #expect(position.availableCash == number(cash) && position.ratio == number(value).divided(by: ExactDecimal(10)))
    }

    @Test func withoutABudget() {
        for budget in ["0", "-1"] {
            let position = position("100", budget: budget)
            let said = position.suggestion([:], today: 0)
            #expect(said.state == .noBudget && said.advice == .hold && position.availableCash == .zero)
            #expect(position.rebalance([.equity: number("1")], today: 0).state == .noBudget)
        }
        #expect(position("1", budget: "0").ratio == .zero)
    }

    @Test(arguments: [
        (0, 0, 0, nil), (-1, 0, 0, "a budget or a bound is negative"), (0, -1, 0, "a budget or a bound is negative"),
        (0, 0, -1, "a budget or a bound is negative"), (0, 5, 5, nil),
        (0, 6, 5, "the lowest share is above the highest"),
    ])
    func complaints(_ budget: Int, _ least: Int, _ most: Int, _ what: String?) {
        var plan = PositionPlan()
        (plan.budget, plan.least, plan.most) = (ExactDecimal(budget), ExactDecimal(least), ExactDecimal(most))
        #expect(plan.complaint?.description == what)
    }

    @Test func plansAreStoredPartByPart() throws {
        let made = try MadeVault()
        func store(_ second: Int64, _ reason: String = "", _ change: (inout PositionPlan) -> Void) throws -> Bool {
            var plan = try PositionPlan(made.vault)
            change(&plan)
            var isStored = false
            try made.save { isStored = try plan.store(in: $0, reason: reason, at: Timestamp(second: second)) }
            #expect(try PositionPlan(made.vault) == plan)
            return isStored
        }
        #expect(try PositionPlan(made.vault) == PositionPlan() && PositionPlan().most == .hundred)
        #expect(try !store(1) { _ in } && BudgetChange.all(in: made.vault).isEmpty)
        #expect(try store(2) { $0.least = number("10") } && made.vault.setting("position.min") != nil)
        #expect(try made.vault.setting("position.max") == nil && made.vault.setting("position.budget") == nil)
        #expect(try store(3) { $0.strategy = .assetRebalance } && BudgetChange.all(in: made.vault).isEmpty)
        #expect(try made.vault.setting("position.asset_rebalance") == nil)
        #expect(try store(4) { $0.rebalancing.windowDays = 3 } && made.vault.setting("position.budget") == nil)
        #expect(
            try store(1_800_000_000, "one") { $0.budget = number("1.5") }
                && store(1_700_000_000, "other") { $0.budget = number("2") })
        let log = try BudgetChange.all(in: made.vault)
        #expect(
            log.map(\.reason) == ["one", "other"] && log.map(\.new) == [number("1.5"), number("2")]
                && log[1].old == number("1.5"))
    }

    static let classes = "takes target, min and max: percentages, each not below the one before it"

    @Test(arguments: [
        ("[]", "is no object"), ("{}", nil),
        (#"{"execution_window_days":0}"#, "execution_window_days is no number of days from 1 to 31"),
        (#"{"execution_window_days":1}"#, nil), (#"{"execution_window_days":31}"#, nil),
        (#"{"execution_window_days":32}"#, "execution_window_days is no number of days from 1 to 31"),
        (#"{"execution_window_days":1.5}"#, "execution_window_days is no number of days from 1 to 31"),
        (#"{"min_position_for_rebalance":0}"#, nil), (#"{"min_position_for_rebalance":100}"#, nil),
        (#"{"min_position_for_rebalance":-0.1}"#, "min_position_for_rebalance is no percentage from 0 to 100"),
        (#"{"min_position_for_rebalance":100.1}"#, "min_position_for_rebalance is no percentage from 0 to 100"),
        (#"{"equity":{"min":70}}"#, nil), (#"{"equity":{"max":70}}"#, nil),
        (#"{"equity":{"min":70.01}}"#, "equity " + classes),
        (#"{"equity":{"max":69.99}}"#, "equity " + classes), (#"{"equity":{"size":1}}"#, "equity " + classes),
        (#"{"gold":1}"#, "gold " + classes),
        (#"{"gold":{"min":"1"}}"#, "gold " + classes), (#"{"cash":{}}"#, "cash is no parameter of this strategy"),
        (#"{"equity":{"target":71}}"#, "the targets are 101 % in all, and not 100"),
        (#"{"equity":{"target":69},"bond":{"target":11}}"#, nil),
    ])
    func parameters(_ text: String, _ what: String?) throws {
        var strategy = Rebalancing()
        #expect(try strategy.take(JSON(parsing: Array(text.utf8)))?.description == what)
        #expect((strategy == Rebalancing()) == (what != nil || text == "{}"))
        #expect(Rebalancing(strategy.line) == strategy && (Rebalancing(text) == nil) == (what != nil))
    }

    @Test(
        arguments: [
            ("65", .hold), ("64.99", .buy(ExactDecimal("5.01") ?? .zero)), ("75", .hold),
            ("75.01", .sell(ExactDecimal("5.01") ?? .zero)),
            ("70", .hold),
        ] as [(String, PositionAdvice)])
    func classesAtTheirBounds(_ amount: String, _ advice: PositionAdvice) {
        let equity = Rebalancing().classes[0]
        let state = equity.state(number(amount), of: .hundred)
        #expect(state.0 == number(amount) && state.1 == advice)
        let none = equity.state(.zero, of: .zero)
        #expect(none.0 == .zero && none.1 == .hold)
    }

    @Test(arguments: [
        ("2026-11-25", false), ("2026-11-26", true), ("2026-11-30", true), ("2026-12-01", false), ("2028-02-25", true),
        ("2027-02-23", false),
    ])
    func windows(_ day: String, _ isOpen: Bool) throws {
        #expect(Rebalancing().isInWindow(try #require(Day(day))) == isOpen)
    }

    /// A position is due while it is out of its bounds.
    @Test(arguments: [("50", "50", 0), ("50.01", "60", 1), ("10", "49.99", 1), ("10", "50", 0)])
    func aPositionIsDue(_ least: String, _ most: String, _ count: Int) throws {
        let made = try MadeVault()
        try made.card("fund", "F", ["code": "110011", "shares": "10", "cost": "1", "allocation": "sector 60 food"])
        try made.prices("P 2026-11-20 110011 5 CNY")
        var plan = PositionPlan()
        (plan.budget, plan.least, plan.most) = (.hundred, number(least), number(most))
        let wanted = plan
        try made.save { _ = try wanted.store(in: $0, reason: "", at: .zero) }
        let due = try Due.all(in: made.vault, within: 30, today: MadeVault.today)
        #expect(due.count == count && due.allSatisfy { $0.key == Due.positionName && $0.level == .soon })
        // Only dimensions with a report are named.
        let allocation = try made.call("GET", "/api/funds/110011/allocation")
        #expect(
            allocation
                == #"{"sector":[{"category":"food","percentage":60,"source":"manual","report_date":null}]}"#)
    }

    @Test func statesOfAStrategy() throws {
        let (open, shut) = (try #require(Day("2026-11-30")), try #require(Day("2026-11-01")))
        #expect(position("800").rebalance([.equity: .one], today: open).state == .open)
        #expect(position("800").rebalance([.equity: .one], today: shut).state == .waiting)
        let low = position("799.99").rebalance([.equity: .one], today: open)
        #expect(low.state == .fillFirst && low.advice == .buy(number("0.01")))
    }
}
