import Portfolio
import Testing
import Values
import Cards

/// Trades of a holding, and the return a year.
struct TradeTests {
    private func position(_ text: String) -> TradedPosition? { TradedPosition(Trade.list(text)) }

    @Test func bothCostsOfASale() throws {
        let made = try #require(
            position(
                """
                2025-01-06 buy 1000 0.7000 1
                2025-06-06 sell 400 0.80
                2026-01-06 cash 12.5
                """))
        #expect(made.shares == ExactDecimal(600))
        #expect(made.averageCostOfShare == ExactDecimal("0.701"))
        // (701 − 320 − 12.50) / 600
        #expect(made.dilutedCostOfShare == ExactDecimal("0.614166666667"))
    }

    @Test func sharesOfADividendCostNothing() throws {
        let made = try #require(position("2025-01-06 buy 100 2\n2025-06-06 reinvest 5"))
        #expect(made.shares == ExactDecimal(105))
        #expect(made.averageCost == ExactDecimal(200))
    }

    @Test(arguments: [
        "2025-01-06 buy 10 1\n2025-01-07 sell 11 1", "2025-01-06 sell 1 1",
    ]) func moreThanThereIsIsNotSold(text: String) { #expect(position(text) == nil) }

    @Test(arguments: [
        "2025-02-30 buy 1 1", "2025-01-06 buy 1", "2025-01-06 buy -1 1", "2025-01-06 give 1 1", "2025-01-06 buy 0 1",
        "2025-01-06 cash 1 2", "2025-01-06 buy 1 1 1 1", "2025-1-6 buy 1 1", "2025-01-06 buy NaN 1",
    ]) func whatIsNoTrade(line: String) { #expect(Trade.list(line).isEmpty) }

    /// The example of the function's documentation in spreadsheets: 37.34 % (rounded).
    @Test func theReturnAYear() throws {
        let days = ["2008-01-01", "2008-03-01", "2008-10-30", "2009-02-15", "2009-04-01"].compactMap { Day($0) }
        let flows = zip(days, [-10000, 2750, 4250, 3250, 2750]).map { ($0, ExactDecimal($1)) }
        let rate = try #require(MoneyWeightedReturn.rate(flows))
        #expect(rate.rounded(4) == ExactDecimal("0.3734"))
    }

    @Test func aRateThatIsNone() {
        let (one, hundred) = (ExactDecimal(-100), ExactDecimal(110))
        #expect(MoneyWeightedReturn.rate([(10, one), (10, hundred)]) == nil)
        #expect(MoneyWeightedReturn.rate([(10, one), (400, one)]) == nil)
        #expect(MoneyWeightedReturn.rate([]) == nil)
        // -100, +230, -132 at 10 % and at 20 %.
        let two: [(Day, ExactDecimal)] = [(0, ExactDecimal(-100)), (365, ExactDecimal(230)), (730, ExactDecimal(-132))]
        #expect(MoneyWeightedReturn.rate(two.map { $0 }) == nil)
        #expect(MoneyWeightedReturn.rate([(0, one), (365, hundred)]) == ExactDecimal("0.1"))
    }
}
