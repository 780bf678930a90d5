import Testing
import Values
import Cards

import Portfolio

/// What lines, tables and documents of other programs say (Spec/product/portfolio.md, 7).
struct FundLineTests {
    private static func said(_ line: FundLine) -> String {
        func fields(_ values: [String: String]) -> String {
            values.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        }
        return switch line {
        case .price(let price):
            switch price.value {
            case .netValue(let value, let day): "nav \(price.code) \(day.text) \(value)"
            case .quote(let quote): "quote \(price.code) \(quote.price) \(quote.previousClose) \(quote.time)"
            case .estimate(let value, let time): "estimate \(price.code) \(value) \(time)"
            case .rate(let value, let time): "rate \(price.code) \(value) \(time)"
            }
        case .fund(let code, let values): "fund \(code)" + fields(values)
        case .holding(let code, let values): "holding \(code)" + fields(values)
        case .stock(let code, let line, let day): "stock \(code) \(day ?? "-") \(line)"
        }
    }

    private static func said(_ read: () throws -> [FundLine]) -> [String] {
        do { return try read().map(said) } catch let problem as PriceLine.Problem { return ["! \(problem.what)"] } catch
        { return ["\(error)"] }
    }

    static let time = #""time":"1970-01-02T00:00:00Z""#

    @Test(
        arguments: [
            (#"{"code":"110011","name":"A"}"#, ["fund 110011 name=A"]),
            (" \t" + #"{"code":"110011"}"#, ["fund 110011"]),
            (#"{"基金代码":"1 1 0 0 1 1","基金名称":"A","分组":"g","colour":"red"}"#, ["fund 110011 group=g name=A"]),
            (
                #"{"code":"110011","platform":"alipay","shares":10,"cost":"2.5"}"#,
                ["fund 110011", "holding 110011 cost=2.5 platform=alipay shares=10"]
            ),
            (
                #"{"code":"110011","kind":"holding","shares":1,"type":"t"}"#,
                ["fund 110011 type=t", "holding 110011 shares=1"]
            ),
            (#"{"code":"110011","kind":"fund","shares":1}"#, ["fund 110011 shares=1"]),
            (#"{"code":"110011","trades":"x"}"#, ["fund 110011", "holding 110011 trades=x"]),
            (#"{"code":"110011","nav":2.5,"nav_date":"2026-11-20"}"#, ["nav 110011 2026-11-20 2.5"]),
            (#"{"code":"110011","nav":2.5,"nav_date":"2026年11月20日","name":"A"}"#, ["nav 110011 2026-11-20 2.5"]),
            (
                #"{"code":"110011","nav":2.5,"nav_date":"2026-11-20","group":"g"}"#,
                ["nav 110011 2026-11-20 2.5", "fund 110011 group=g"]
            ),
            (#"{"code":"110011","nav":2.5,"price":2.6,"nav_date":"2026-11-20"}"#, ["nav 110011 2026-11-20 2.5"]),
            (
                #"{"code":"110011","nav":2.5,"nav_date":"2026-11-20","estimate":2.6,\#(time)}"#,
                ["nav 110011 2026-11-20 2.5", "estimate 110011 2.6 86400"]
            ),
            (#"{"code":"600519","price":2,"previous_close":1.9,\#(time)}"#, ["quote 600519 2 1.9 86400"]),
            (
                #"{"code":"110011","nav":2.5,"nav_date":"2026-11-20","price":2,"previous_close":1.9,\#(time)}"#,
                ["nav 110011 2026-11-20 2.5", "quote 110011 2 1.9 86400"]
            ),
            (#"{"code":"USD","rate":"7.1",\#(time)}"#, ["rate USD 7.1 86400"]),
            (
                #"{"code":"110011","stock":"600519","weight":9.5,"stock_name":"茅台","report_date":"2026-09-30"}"#,
                ["stock 110011 2026-09-30 600519 9.5 茅台"]
            ),
            (#"{"code":"110011","stock":"600519"}"#, ["stock 110011 - 600519 ?"]),
            (#"{"code":"110011","stock":"600519","weight":[]}"#, ["stock 110011 - 600519 ?"]),
            (#"{"code":"110011","nav":null}"#, ["! has no nav, price, estimate or rate"]),
            (#"{"name":"A"}"#, ["! has no code"]),
            (#"{"code":"","fund_code":"110011"}"#, ["! has no code"]),
            (#"{"code":null,"fund_code":"110011"}"#, ["fund 110011"]),
            (#"{"code":"110011","fund_code":"000001"}"#, ["fund 110011"]),
            (#"{"code":"11001"}"#, ["! is no code of a fund: 6 digits"]),
            (#"{"code":"110011","name":[1]}"#, ["! has a name that is neither text nor number"]),
            ("{", ["! is no JSON"]),
            ("[1]", ["! is no JSON object and no price directive"]), ("", []), ("# x", []),
            ("P 2026-11-20 110011 2 CNY", ["nav 110011 2026-11-20 2"]),
            ("P 2026-11-20 USD 7 CNY", ["rate USD 7 1795158000"]),
            ("P 2026-11-20 x 7 CNY", ["! has no code of a fund"]),
            ("P 1970-01-01 110011 2 CNY", ["nav 110011 1970-01-01 2"]),
            ("P 1969-12-31 110011 2 CNY", ["! has no day of the calendar since 1970"]),
            ("P 2026-11-20 F110011 2 CNY", ["nav 110011 2026-11-20 2"]),
            ("P 2026-11-20 110011", ["! is no JSON object and no price directive"]),
            ("P 2026-11-20 110011 2", ["! has a price that is not in CNY"]),
            ("2026-11-20 price 110011", ["! is no JSON object and no price directive"]),
            ("2026-11-20 cost F110011 2 CNY", ["! is no JSON object and no price directive"]),
            (#"{"code":"110011","nav":2,"nav_date":"1970-01-01"}"#, ["nav 110011 1970-01-01 2"]),
            (#"{"code":"110011","nav":2,"nav_date":"1969-12-31"}"#, ["! has no nav_date, a day since 1970"]),
            (#"{"code":"USD","rate":7,"time":"1970-01-01T00:00:00Z"}"#, ["rate USD 7 0"]),
            (
                #"{"code":"USD","rate":7,"time":"1969-12-31T23:59:59Z"}"#,
                ["! has no time, like 2026-11-24T14:46:10+08:00"]
            ),
            (
                #"{"code":"600519","price":2,"previous_close":null,\#(time)}"#,
                ["! has no nav, estimate or rate, and no price with previous_close"]
            ),
            (#"{"code":"600519","previous_close":2,"price":null,\#(time)}"#, ["! has no nav, price, estimate or rate"]),
            (
                #"{"code":"ABCDEFGHIJKLMNOP","price":2,"previous_close":2,\#(time)}"#,
                ["quote ABCDEFGHIJKLMNOP 2 2 86400"]
            ),
            (#"{"code":"ABCDEFGHIJKLMNOPQ","price":2,"previous_close":2,\#(time)}"#, ["! has a code that is none"]),
            (#"{"code":"","price":2,"previous_close":2,\#(time)}"#, ["! has a code that is none"]),
            (#"{"code":"a_b","price":2,"previous_close":2,\#(time)}"#, ["! has a code that is none"]),
            (#"{"code":"b.R-1","price":2,"previous_close":2,\#(time)}"#, ["quote b.R-1 2 2 86400"]),
            (#"{"code":"11001","nav":2,"nav_date":"2026-11-20"}"#, ["! has no code of a fund: 6 digits"]),
            (#"{"code":"11001","estimate":2,\#(time)}"#, ["! has no code of a fund: 6 digits"]),
            (#"{"code":"usd","rate":2,\#(time)}"#, ["! has no currency: three capitals"]),
            (
                #"{"code":"110011","nav":999999999999.999999999999,"nav_date":"2026-11-20"}"#,
                ["! has a price that is no number above 0 with at most 12 places"]
            ),
            (
                #"{"code":"110011","nav":"999999999999.999999999999","nav_date":"2026-11-20"}"#,
                ["nav 110011 2026-11-20 999999999999.999999999999"]
            ),
            (
                #"{"code":"110011","nav":"1000000000000","nav_date":"2026-11-20"}"#,
                ["! has a price that is no number above 0 with at most 12 places"]
            ),
            (#"{"code":"110011","nav":true,"nav_date":"2026-11-20"}"#, ["! has a price that is no number"]),
            (
                #"{"code":"110011","nav":0,"nav_date":"2026-11-20"}"#,
                ["! has a price that is no number above 0 with at most 12 places"]
            ),
            (
                #"{"code":"110011","nav":2,"nav_date":"2026-11-20","name":"\#(String(repeating: "x", count: 100))"}"#,
                ["nav 110011 2026-11-20 2"]
            ),
        ] as [(String, [String])])
    func lines(_ line: String, _ expected: [String]) {
        #expect(Self.said { try FundLine.lines(Array(line.utf8), source: "test") } == expected)
    }

    @Test func longLines() {
        func line(_ count: Int) -> [UInt8] {
            let (start, end) = (#"{"code":"110011","notes":""#, #""}"#)
            return Array((start + String(repeating: "x", count: count - start.utf8.count - end.utf8.count) + end).utf8)
        }
        #expect(
            Self.said { try FundLine.lines(line(1 << 16), source: "") }.first?.hasPrefix("fund 110011 notes=xx") == true
        )
        #expect(Self.said { try FundLine.lines(line(1 + 1 << 16), source: "") } == ["! is longer than 64 KiB"])
        let comment = [UInt8(ascii: "#")] + [UInt8](repeating: 0x78, count: 4095)
        #expect(Self.said { try FundLine.lines(comment, source: "") } == [])
        #expect(Self.said { try FundLine.lines(comment + [0x78], source: "") } == ["! is longer than 4096 bytes"])
        #expect(Self.said { try FundLine.lines([0xFF], source: "") } == ["! is not UTF-8"])
    }

    @Test(arguments: [
        ("[1,2]", "1 2", true), (#"{"items":[1]}"#, "1", true), (#"{"holdings":[1]}"#, "1", true),
        (#"{"code":1}"#, #"{"code":1}"#, false),
        (
            #"{"leek-fund.funds":[["a","b"],"c",["d"]],"leek-fund.fundGroups":["x","y"]}"#,
            #"{"code":"a","group":"x"} {"code":"b","group":"x"} {"code":"c"} {"code":"d"}"#, true
        ),
        (#"{"leek-fund.funds":["a"]}"#, #"{"code":"a"}"#, true),
        (
            #"{"activities":[{"symbol":"1","comment":"p","date":"2026-01-31T00:00:00Z","type":"BUY","quantity":2,"unitPrice":3.50,"fee":1},{"symbol":"1","comment":"p","date":"2026-02-01","type":"DIVIDEND","quantity":2,"unitPrice":0.25},{"symbol":"2"}]}"#,
            #"{"kind":"holding","code":"1","platform":"p","trades":"2026-01-31 buy 2 3.5 1\n2026-02-01 cash 0.5"} {"kind":"holding","code":"2","platform":"","trades":"  0 0 0"}"#,
            true
        ),
    ])
    func documents(_ text: String, _ items: String, _ isDocument: Bool) throws {
        let json = try JSON(parsing: Array(text.utf8))
        #expect(FundLine.items(json).map(\.line).joined(separator: " ") == items && json.isDocument == isDocument)
    }

    // MARK: Tables

    @Test(arguments: [
        ("110011,A,2.5,x,", ["fund 110011 name=A shares=2.5"]), (",,,,", []), (" , ", []),
        ("110011,,,,", ["fund 110011"]),
        (",A,,,", ["! has no code"]), ("110011,A,2.5,x,,", ["! has more fields than the header"]),
        ("\"a", ["! is no row of a table"]),
        ("110011,A,2.5,x,B", ["! has two columns for name"]), ("110011,,2.5,x,B", ["fund 110011 name=B shares=2.5"]),
    ])
    func rows(_ row: String, _ expected: [String]) throws {
        let header = try #require(FundTableHeader(Array("基金代码,基金名称,份额,foo, name ".utf8)))
        #expect(header.unknown == ["foo"] && header.ambiguous.isEmpty)
        #expect(Self.said { try header.lines(Array(row.utf8), source: "") } == expected)
    }

    @Test func headers() throws {
        #expect(FundTableHeader(Array("name,shares".utf8)) == nil && FundTableHeader(Array("\"code".utf8)) == nil)
        let costs = try #require(FundTableHeader(Array("code,持仓成本,成本,x,".utf8)))
        #expect(costs.ambiguous == ["持仓成本", "成本"] && costs.unknown == ["持仓成本", "成本", "x"])
        let mapped = try #require(FundTableHeader(Array("c,成本价,x,持仓成本".utf8), map: ["cost": "x", "code": "c"]))
        #expect(mapped.unknown == ["成本价", "持仓成本"] && mapped.ambiguous == ["持仓成本"])
        #expect(Self.said { try mapped.lines(Array("110011,1,2,3".utf8), source: "") } == ["fund 110011 cost=2"])
        #expect(Self.said { try mapped.lines([0xFF], source: "") } == ["! is not UTF-8"])
        #expect(FundTableHeader.isKey("cost") && !FundTableHeader.isKey("成本价") && !FundTableHeader.isKey("x"))
        let prices = try #require(FundTableHeader(Array("code,nav,nav_date".utf8)))
        #expect(
            Self.said { try prices.lines(Array("110011,,2026-11-20".utf8), source: "") } == [
                "! has no nav, price, estimate or rate"
            ])
    }

    @Test(arguments: [
        ("2026-01-31,Buy,\"1,000.00\",400,110011,p,1,", "2026-01-31 buy 400 2.4975 1"),
        ("2026-01-31,Sell,1000,400,110011,p,1,1", "2026-01-31 sell 400 2.505 2"),
        ("2026-01-31,Delivery (Inbound),10,30000,110011,p,,", "2026-01-31 buy 30000 0.000333333333 0"),
        ("2026-01-31,Delivery (Outbound),-1000,3,110011,p,,", "2026-01-31 sell 3 333.3333 0"),
        ("2026-01-31,Dividend,5.50,,110011,p,1,", "2026-01-31 cash 5.5"), ("2026-01-31,Fees,1,1,110011,p,,", nil),
        ("2026-01-31,Buy,4,2,110011,p", "2026-01-31 buy 2 2 0"), ("2026-01-31,Buy,,1,110011,p,,", nil),
        ("2026-01-31,Buy,1,,110011,p,,", nil),
        ("2026-01-31,Buy,1,0,110011,p,,", nil),
        ("2026-01-31,Buy,1,x,110011,p,,", nil), ("2026-01-31,Buy,1,1,110011,p,x,", nil), ("\"a", nil),
    ])
    func purchases(_ row: String, _ trade: String?) throws {
        var table = try #require(PurchaseTable(Array("Date,Type,Value,Shares,Ticker Symbol,Note,Fees,Taxes".utf8)))
        do { try table.take(Array(row.utf8)) } catch { #expect(trade == nil, "\(error)") }
        let trades = table.holdings.map {
            ($0["code"]?.text ?? "") + ($0["platform"]?.text ?? "") + ": " + ($0["trades"]?.text ?? "")
        }
        #expect(trades == (trade.map { ["110011p: " + $0] } ?? []))
    }

    @Test func purchaseTables() throws {
        #expect(PurchaseTable(Array("Date,Type,Value,Shares".utf8)) == nil)
        var table = try #require(PurchaseTable(Array("Date,Type,Value,Shares,Ticker Symbol".utf8)))
        try table.take(Array(",,".utf8))
        #expect(table.holdings.isEmpty)
        try table.take(Array("2026-01-31,Buy,4,2,1".utf8))
        #expect(
            table.holdings.map(\.line) == [
                #"{"kind":"holding","code":"1","platform":"","trades":"2026-01-31 buy 2 2 0"}"#
            ])
    }
}
