import Testing
import Values
import Cards

/// Fields that are lists, line by line and as a whole (Spec/product/portfolio.md).
struct FundFieldTests {
    private static func lines(_ numbers: Range<Int>, _ line: (Int) -> String) -> String {
        numbers.map(line).joined(separator: "\n")
    }

    // MARK: Stocks

    @Test(arguments: [
        ("600519 9.5 贵州 茅台", "600519 9.5 贵州 茅台"), ("600519\t9.50", "600519 9.50 "),
        ("600519\u{3000}9.5%", "600519 9.5 "),
        ("600519 0", "600519 0 "), ("600519 100", "600519 100 "), ("600519 100.01", nil), ("600519 -1", nil),
        ("600519", nil),
        ("", nil), ("600519 x", nil), ("ABCDEFGHIJKLMNOP 1", "ABCDEFGHIJKLMNOP 1 "), ("ABCDEFGHIJKLMNOPQ 1", nil),
        ("BRK.B 1", "BRK.B 1 "), ("bf-b 1", "bf-b 1 "), ("A_B 1", nil), ("AÉ 1", nil), ("/1234 1", nil),
        (":1234 1", nil),
        ("@A 1", nil), ("[A 1", nil), ("{A 1", nil), ("`A 1", nil), ("SH600519 1", "600519 1 "),
        ("600519.SH 1", "600519 1 "),
        ("sz000001 1", "000001 1 "), ("BJ430047 1", "430047 1 "), ("SS600519 1", "600519 1 "),
        ("HK00700 1", "00700 1 "),
        ("00700.hk 1", "00700 1 "), ("SH60051 1", "SH60051 1 "), ("HK700 1", "HK700 1 "), ("SH60051X 1", "SH60051X 1 "),
        ("00700.SH 1", "00700.SH 1 "), ("123 1", nil), ("1234 1", "1234 1 "), ("ABC 1", "ABC 1 "),
        ("600519.X 1", "600519.X 1 "),
    ])
    func stocks(_ line: String, _ read: String?) {
        #expect(StockWeight(line).map { "\($0.code) \($0.weight) \($0.name)" } == read)
    }

    @Test(
        arguments: [
            (.stocks, lines(1000..<2000) { "\($0) 0.1" }, nil),
            (.stocks, lines(1000..<2001) { "\($0) 0" }, "has more than 1000 lines"),
            (.stocks, "600519 60\n000858 40", nil),
            (.stocks, "600519 60\n000858 40.01", "has weights of 100.01 % in all"),
            (.stocks, "600519 1\nSH600519 1", "has 600519 twice"),
            (.stocks, "600519 1\nx", "has a line that is no 'CODE WEIGHT [NAME]', with a weight from 0 to 100"),
            (.allocation, lines(0..<1000) { "sector 0.1 c\($0)" }, nil),
            (.allocation, lines(0..<1001) { "sector 0 c\($0)" }, "has more than 1000 lines"),
            (.allocation, "sector 60 a\nsector 40 b\ngeography 100 a\nsector 2026-01-31 100 a", nil),
            (.allocation, "sector 60 a\nsector 40.5 b", "has weights of 100.5 % in all"),
            (.allocation, "sector 1 a\nsector - 2 a", "has a twice"),
            (
                .allocation, "sector 1",
                "has a line that is no 'DIMENSION [DAY] PERCENT CATEGORY' of asset_class, geography or sector"
            ),
            (.reminders, lines(1..<21) { "rise \($0)" }, nil),
            (.reminders, lines(1..<22) { "rise \($0)" }, "has more than 20 lines"),
            (.reminders, "rise 1\noff rise 1", "has a reminder twice"), (.reminders, "rise 1\nfall 1\nnav", nil),
            (
                .reminders, "rise",
                "has a line that is no 'rise PERCENT', 'fall PERCENT', 'above PRICE', 'below PRICE' or 'nav'"
            ),
            (.trades, lines(0..<10_000) { _ in "2026-01-31 cash 1" }, nil),
            (.trades, lines(0..<10_001) { _ in "2026-01-31 cash 1" }, "has more than 10000 lines"),
            (.trades, "2026-01-31 buy 5 1\n2026-01-31 sell 5 1", nil),
            (.trades, "2026-01-31 sell 5 1", "sells more shares than there are"),
            (.trades, "2026-01-31 buy 5 1\n2026-01-31 sell 5.01 1", "sells more shares than there are"),
            (.trades, "2026-01-31 buy 5", "has a line that is no 'DAY buy|sell SHARES PRICE [FEE]'"),
        ] as [(Check, String, String?)])
    func wholeFields(_ check: Check, _ text: String, _ what: String?) {
        #expect(check.complaint(about: text)?.description == what)
    }

    @Test(
        arguments: [
            (.stocks, " 600519  9.50  茅台 ;000858 8.20%；\r\n\r\nx y z", "600519 9.50 茅台\n000858 8.20\nx y z"),
            (
                .allocation, "sector 5.50  a b; x ;geography auto 2026-01-31 1 c",
                "sector manual - 5.5 a b\nx\ngeography auto 2026-01-31 1 c"
            ),
            (.reminders, "涨 1；off 跌 2.50%;NAV;x", "rise 1\noff fall 2.50\nnav\nx"),
            (
                .trades, "2026/02/01 sell 1 2;2026-01-31  买入 10  1,000.50 1;2026-02-01 cash 3",
                "2026-01-31 buy 10 1000.50 1\n2026-02-01 sell 1 2\n2026-02-01 cash 3"
            ),
            (.trades, "2026-02-01 sell 1 2; x ;2026-01-31 buy 1 1", "2026-02-01 sell 1 2\nx\n2026-01-31 buy 1 1"),
        ] as [(Check, String, String)])
    func oneForm(_ check: Check, _ typed: String, _ stored: String) {
        #expect(check.normalized(typed) == stored && check.normalized(stored) == stored)
    }

    // MARK: Parts, reminders and trades

    @Test(arguments: [
        ("sector 0 x", "sector manual - 0 x"), ("sector 100 x", "sector manual - 100 x"), ("sector 100.1 x", nil),
        ("", nil),
        ("sector manual 5 x", "sector manual - 5 x"), ("sector auto 2026-01-31 5 x", "sector auto 2026-01-31 5 x"),
        ("sector auto", nil),
        ("sector manual 2026-01-31", nil), ("sector - - 5 x", nil), ("sector 1,000 x", nil),
        ("sector\t5\u{3000}x", "sector manual - 5 x"),
    ])
    func partsOfAFund(_ line: String, _ stored: String?) { #expect(AllocationLine(line)?.line == stored) }

    @Test(
        arguments: [
            ("rise 1", "rise 1", true), ("off fall 2.50", "fall 2.50", false), ("nav", "nav", true),
            ("off nav", "nav", false),
            ("涨 100", "rise 100", true), ("跌 1%", "fall 1", true), ("净值", "nav", true),
            ("RISE 0.01", "rise 0.01", true),
            ("rise", nil, true), ("rise 0", nil, true), ("rise -1", nil, true), ("rise 100.1", nil, true),
            ("rise 1 2", nil, true),
            ("nav 1", nil, true), ("off", nil, true), ("up 1", nil, true), ("off off nav", nil, true),
            ("rise x", nil, true),
        ] as [(String, String?, Bool)])
    func reminders(_ line: String, _ key: String?, _ isOn: Bool) {
        let reminder = Reminder.list(line).first
        #expect(reminder?.key == key && reminder.map { $0.isOn == isOn } ?? true)
        #expect(reminder.map { ($0.threshold == nil) == ($0.kind == .nav) } ?? true)
    }

    @Test(
        arguments: [
            ("2026-01-31 buy 10 2", "buy 10 -20"), ("2026-01-31 buy 10 2 1.5", "buy 10 -21.5"),
            ("2026-01-31 sell 10 2 1.5", "sell 10 18.5"),
            ("2026-01-31 reinvest 5", "reinvest 5 0"), ("2026-01-31 cash 12.5", "cash 0 12.5"),
            ("2026/01/31 申购 10 2", "buy 10 -20"),
            ("2026-01-31 赎回 10 2", "sell 10 20"), ("2026-01-31\t红利再投 5", "reinvest 5 0"),
            ("2026-01-31\u{3000}现金分红 1", "cash 0 1"),
            ("2026-01-31 卖出 1 1", "sell 1 1"), ("2026-01-31 BUY 1 0", "buy 1 0"), ("2026-01-31 buy 0 1", nil),
            ("2026-01-31 buy 1 1 -1", nil), ("2026-01-31 reinvest 1 1", nil), ("2026-01-31 cash 1 1", nil),
            ("2026-01-31 buy 1", nil),
            ("2026-01-31 buy", nil), ("2026-01-31 buy 1 x", nil), ("2026-01-31 buy 1 1 1 1", nil),
            ("31-01-2026 buy 1 1", nil),
            ("2026-01-31 gift 1 1", nil), ("2026-02-30 buy 1 1", nil),
        ] as [(String, String?)])
    func trades(_ line: String, _ read: String?) {
        #expect(Trade.list(line).first.map { "\($0.kind) \($0.shares) \($0.flow.shortest)" } == read)
    }

    @Test func positionsAreCompared() throws {
        func position(_ lines: String...) throws -> TradedPosition {
            try #require(TradedPosition(Trade.list(lines.joined(separator: "\n"))))
        }
        let one = try position("2026-01-01 buy 10 2")
        #expect(try one == position("2026-01-01 buy 10 2") && one != position("2026-01-02 buy 10 2"))
        #expect(try one != position("2026-01-01 buy 10 3") && one != position("2026-01-01 buy 11 2"))
        #expect(try one != position("2026-01-01 buy 10 2", "2026-01-02 cash 1"))
        #expect(try one != position("2026-01-01 buy 10 2", "2026-01-01 reinvest 1"))
        let half = try position("2026-01-01 buy 10 2", "2026-02-01 sell 5 3", "2026-02-02 reinvest 1")
        #expect(
            half.shares == ExactDecimal(6) && half.averageCost == ExactDecimal(10)
                && half.dilutedCost == ExactDecimal(5))
        #expect(half.flows.map(\.day) == ["2026-01-01", "2026-02-01"], "a dividend in shares is no money")
        #expect(
            half.averageCostOfShare == ExactDecimal("1.666666666667")
                && half.dilutedCostOfShare == ExactDecimal("0.833333333333"))
        let none = try position("2026-01-01 buy 10 2", "2026-02-01 sell 10 3")
        #expect(none.averageCostOfShare == nil && none.dilutedCostOfShare == nil && none.averageCost == .zero)
    }
}
