import Testing
import Values

import Portfolio

struct PriceLineTests {
    private func line(_ text: String) throws -> PriceLine? {
        try PriceLine.lines(Array(text.utf8), source: "test").first
    }

    @Test(
        arguments: [
            "P 2026-11-20 \"110011\" 2.5060 CNY", "P 2026/11/20 15:00:00 110011 2.5060 CNY",
            "2026-11-20 price F110011 2.5060 CNY", #"{"code":"110011","nav":"2.5060","nav_date":"2026-11-20"}"#,
            #"{"code":"110011","nav":2.506,"nav_date":"2026-11-20","time":null,"name":"易方达"}"#,
        ])
    func netValues(_ text: String) throws {
        let price = try #require(try line(text))
        #expect(price.code == "110011" && price.value == .netValue(EstimateTests.number("2.506"), day: 20_777))
    }

    @Test(arguments: ["", "; a comment", "# another", "   \r"])
    func emptyOnes(_ text: String) throws { #expect(try line(text) == nil) }

    @Test(
        arguments: [
            "rubbish", "P 1949-10-01 110011 2.5060 CNY", #"{"code":"110011","nav":"1","nav_date":"1949-10-01"}"#,
            "P 2026-11-20 110011 2.5060 USD", "P 2026-02-30 110011 2.5060 CNY", "P 2026-11-20 110011 0 CNY",
            "P 2026-11-20 110011 -1 CNY", "P 2026-11-20 11001 2.5 CNY", "P 2026-11-20 1100111 2.5 CNY",
            "{", "[]", "{}", #"{"code":"110011","nav":"NaN","nav_date":"2026-11-20"}"#,
            #"{"code":"110011","nav":1e-13,"nav_date":"2026-11-20"}"#, #"{"code":"110011","nav":"1"}"#,
            #"{"code":"110011","nav":"1.0000000000001","nav_date":"2026-11-20"}"#,
            #"{"code":"600519","price":"1","time":"2026-11-20T10:00:00+08:00"}"#,
            #"{"code":"600519","price":"1","previous_close":"0","time":"2026-11-20T10:00:00+08:00"}"#,
            #"{"code":"a b","nav":"1","nav_date":"2026-11-20"}"#,
            #"{"code":"USDX","rate":"7","time":"2026-11-20T10:00:00Z"}"#,
            #"{"code":"110011","nav":"1","nav_date":"2026-11-20","source":"\u001b[2J"}"#,
            #"{"code":"110011","nav":"1","nav_date":"2026-11-20","name":"\#(String(repeating: "x", count: 101))"}"#,
            "P 2026-11-20 110011 \(String(repeating: "9", count: 400)) CNY", "\u{1B}[2J",
            String(repeating: "x", count: 5000),
        ])
    func areRefused(_ text: String) { #expect(throws: PriceLine.Problem.self) { try line(text) } }

    /// A directive that ends too early is told as one, not as another kind of line.
    @Test(arguments: ["P 2026-11-20 110011 2.5", "2026-11-20 price 110011 2.5"])
    func aCurrencyIsMissing(_ text: String) throws {
        let problem = #expect(throws: PriceLine.Problem.self) { try line(text) }
        #expect(problem?.what.description == "has a price that is not in CNY")
    }

    @Test func timesToComeAreRefused() throws {
        let now = EstimateTests.noon
        let today = try #require(try line("P 2026-11-24 110011 2.5 CNY"))
        try today.check(at: now)
        let tomorrow = try #require(try line("P 2026-11-25 110011 2.5 CNY"))
        #expect(throws: PriceLine.Problem.self) { try tomorrow.check(at: now) }
        let quote = try #require(
            try line(#"{"code":"1","price":"1","previous_close":"1","time":"2026-11-24T12:06:00+08:00"}"#))
        #expect(throws: PriceLine.Problem.self) { try quote.check(at: now) }
        try quote.check(at: now + 60)
    }
}
