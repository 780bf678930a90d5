import Foundation
import Testing
import VaultFormat
import Cards
import VaultStore

import Portfolio

/// The calls of TestVectors/api, in their order, on a vault in memory (Tests/Scripts/api-fixtures.py makes them by the command).
struct RecordedCallTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "TestVectors/api")
    private static let report =
        #"{"report_date":"2026-11-01","issues_summary":[{"issue":"现金过多","severity":"medium"}],"score":97.5}"#

    private static func house() throws -> MadeVault {
        let made = try MadeVault()
        try made.card(
            "fund", "易方达优质精选",
            [
                "code": "110011", "type": "混合型", "company": "易方达基金", "stock_position": "90",
                "report_date": "2026-09-30",
                "stocks": "600519 9.50 贵州茅台\n000858 8.20 五粮液",
            ])
        try made.card("fund", "国富全球科技", ["code": "006373", "type": "QDII", "stock_position": "60"])
        try made.prices(
            "P 2026-11-18 006373 1.8100 CNY", "P 2026-11-19 006373 1.8240 CNY", "P 2026-11-19 110011 2.5000 CNY",
            "P 2026-11-20 110011 2.5060 CNY")
        try made.save { try #require(Diagnosis(Array(report.utf8))).store(in: $0) }
        return made
    }

    /// Ids are zeros, and times the beginning of 2026.
    private static func masked(_ line: String) -> String {
        line.replacing(/"[0-9a-f]{32}"/, with: "\"" + String(repeating: "0", count: 32) + "\"")
            .replacing(/"id":\d+/, with: #""id":0"#)
            .replacing(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/, with: #""2026-01-01T00:00:00Z""#)
    }

    @Test func haveTheirAnswers() throws {
        let made = try Self.house()
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(names.count == 77)
        for name in names {
            let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
            let lines = text.components(separatedBy: "\n")
            let words = lines[0].split(separator: " ", maxSplits: 1).map(String.init)
            var answer: String
            do { answer = try made.call(words[0], words[1], lines[1], in: .chinese) } catch let problem as APIProblem {
                answer =
                    JSON.object([("status", .integer(Int64(problem.status))), ("detail", .text(problem.what))]).line
            }
            answer = Self.masked(answer)
            #expect(answer == lines[2], "\(name)")
            // What is hidden is as declared too, and no number of a household is left.
            guard let call = try? PortfolioAPI(words[0], words[1]), !call.isChange else { continue }
            guard let hidden = try? call.answer(made.vault, .init(today: MadeVault.today, now: .zero), isPrivate: true)
            else { continue }
            if hidden == "\"****\"" { continue }  // a report is hidden whole
            #expect(try call.complaint(aboutAnswer: hidden, isPrivate: true) == nil, "\(name)")
            for amount in ["7066", "42000", "130000", "20000", "2000.5"] {
                #expect(!hidden.contains(amount), "\(name): \(amount)")
            }
        }
    }

    @Test func theSpecIsTheDeclarations() throws {
        let page = Self.folder.appending(path: "../../Spec/api.md")
        #expect(try PortfolioAPI.reference == String(contentsOf: page, encoding: .utf8))
    }

    private func refusal(_ made: MadeVault, _ method: String, _ path: String, _ body: String) -> String? {
        do {
            _ = try made.call(method, path, body)
            return nil
        } catch let problem as APIProblem { return "\(problem.status) \(problem.what)" } catch { return "\(error)" }
    }

    /// Calls that change nothing, and what they say.
    static let refused: [(String, String, String, String)] = [
        ("POST", "/api/liquid", "[]", "422 the body is no JSON object"),
        ("POST", "/api/liquid", "{", "422 the body, line 1: no JSON: string or '}' expected"),
        (
            "POST", "/api/liquid", #"{"name":"a\nb","type":"x","platform":" ","amount":-1}"#,
            "422 type is none of deposit, money_fund; name has control characters, or more than one line; amount is no number, or is negative"
        ),
        (
            "POST", "/api/liquid", #"{"name":" ","type":"deposit","platform":"","amount":"1 e"}"#,
            "422 amount is no money; name is empty; name is empty"
        ),
        (
            "POST", "/api/liquid", #"{"name":"n","type":"deposit","platform":"","amount":1,"a\nb":1}"#,
            "422 a\nb is no name of a field"
        ),
        (
            "POST", "/api/liquid", #"{"name":"n","type":"deposit","platform":"","amount":1,"currency":"usd1"}"#,
            "422 currency is no currency of ISO 4217: three capitals like USD"
        ),
        ("PUT", "/api/liquid/cash", #"{"amount":null}"#, "422 amount cannot be taken away"),
        ("PUT", "/api/liquid/twin", #"{"amount":1}"#, "404 several are called twin: give the id"),
        ("PUT", "/api/liquid/none", #"{"amount":1}"#, "404 no LiquidItem none"),
        ("DELETE", "/api/stable/cash", "", "404 no StableItem cash"),
        ("DELETE", "/api/liquid/loan", "", "404 no LiquidItem loan"),
        (
            "POST", "/api/stable",
            #"{"name":"n","type":"term_deposit","platform":"","amount":1,"annual_rate":101,"start_date":"2026-01-02","maturity_date":"2026-01-01"}"#,
            "422 annual_rate is no percentage from 0 to 100; maturity_date is before the start"
        ),
        (
            "POST", "/api/holdings",
            #"{"fund_code":"110011","platform":"支付宝","shares":1,"cost_price":1,"purchase_date":"2026-11-24"}"#,
            "422 110011 is held on this platform already: 'holding update' changes that"
        ),
        ("PUT", "/api/holdings/110011", #"{"shares":null}"#, "404 110011 is held on several platforms: give the id"),
        ("PUT", "/api/holdings/110011@alipay", #"{"shares":null}"#, "422 shares cannot be taken away"),
        (
            "PUT", "/api/holdings/110011@alipay", #"{"platform":"B"}"#,
            "422 110011 is held on this platform already: 'holding update' changes that"
        ),
        (
            "PUT", "/api/holdings/110011@alipay", #"{"purchase_date":"2026-11-25"}"#,
            "422 purchase_date is a day to come"
        ),
        ("PUT", "/api/holdings/110011@C", #"{"shares":1}"#, "422 the holding lists its trades: 'card edit' adds one"),
        (
            "PUT", "/api/holdings/110011@C", #"{"cost_price":1}"#,
            "422 the holding lists its trades: 'card edit' adds one"
        ),
        (
            "PUT", "/api/holdings/000001", #"{"platform":"C"}"#,
            "422 these shares stand on the card of the fund, which has no platform and no day"
        ),
        (
            "PUT", "/api/holdings/000001", #"{"purchase_date":"2026-11-24"}"#,
            "422 these shares stand on the card of the fund, which has no platform and no day"
        ),
        (
            "POST", "/api/holdings/110011@alipay/update-snapshot", #"{"shares":1,"cost_price":1}"#,
            "422 change_date is missing"
        ),
        (
            "POST", "/api/holdings/110011@alipay/update-snapshot",
            #"{"shares":1,"cost_price":0,"change_date":"2026-11-24"}"#, "422 cost_price takes a number above 0"
        ),
        (
            "POST", "/api/holdings/110011@alipay/update-snapshot",
            #"{"shares":1,"cost_price":1,"change_date":"2026-11-25"}"#, "422 change_date is a day to come"
        ),
        ("DELETE", "/api/holdings/999999", "", "404 no Holding 999999"),
        ("GET", "/api/funds/110011/nav-history?start=2026-1-1", "", "422 start is no day like 2026-01-31"),
        ("GET", "/api/funds/110011/nav-history?start=2026-11-25&end=2026-11-24", "", "422 end is before start"),
        ("PUT", "/api/funds/110011/allocation", "{}", "422 the body is no list"),
        (
            "PUT", "/api/funds/110011/allocation", #"[{"dimension":"x","category":"a","percentage":1}]"#,
            "422 part 1: dimension is none of asset_class, geography, sector"
        ),
        (
            "PUT", "/api/funds/110011/allocation", #"[{"dimension":"sector","category":"a","percentage":1},1]"#,
            "422 part 2: the body is no JSON object"
        ),
        (
            "PUT", "/api/funds/110011/allocation",
            #"[{"dimension":"sector","category":"a","percentage":1},{"dimension":"sector","category":"a","percentage":1}]"#,
            "422 has a twice"
        ),
        ("POST", "/api/funds", #"{"fund_code":"11001"}"#, "422 fund_code is no code of a fund: 6 digits"),
        ("POST", "/api/funds", "{}", "422 fund_code is missing; fund_name is empty"),
        ("PUT", "/api/position/strategy-config/none", "{}", "404 no strategy none"),
        ("PUT", "/api/position/strategy-config/simple", #"{"config_json":{"a":1}}"#, "422 simple has no parameters"),
        ("PUT", "/api/position/strategy-config/simple", #"{"config_json":1}"#, "422 simple has no parameters"),
        ("PUT", "/api/position/strategy-config/simple", "{}", "422 config_json is missing"),
        (
            "PUT", "/api/position/strategy-config/asset_rebalance", #"{"config_json":[]}"#,
            "422 config_json: is no object"
        ),
        ("GET", "/api/dashboard/trend?days=-1", "", "422 days is no number from 0"),
        ("GET", "/api/dashboard/trend?days=x", "", "422 days is no number from 0"),
        ("GET", "/api/liquid?days=1", "", "422 days is no parameter of /api/liquid"),
        ("PATCH", "/api/liquid", "", "405 /api/liquid takes GET, POST, and not PATCH"),
        ("GET", "/api/liquid/a/b", "", "404 no path /api/liquid/a/b; 'qvault api' lists them"),
        ("GET", "/api/diagnosis/report", "", "404 no report is kept"),
        ("POST", "/api/insurance/none/renew", "", "404 no Policy none"),
    ]

    @Test func refusalsNameTheFault() throws {
        let made = try MadeVault()
        try made.card("fund", "F", ["code": "110011"])
        try made.card("fund", "G", ["code": "000001", "shares": "3", "cost": "1"])
        let holding = ["code": "110011", "shares": "1", "cost": "1"]
        for platform in ["支付宝", "B"] {
            try made.card("holding", platform, holding.merging(["platform": platform]) { $1 })
        }
        try made.card("holding", "C", holding.merging(["platform": "C", "trades": "2026-11-20 buy 1 1"]) { $1 })
        let liquid = ["category": "liquid", "bucket": "liquid", "amount": "1"]
        for title in ["cash", "twin", "twin"] { try made.card("asset", title, liquid) }
        try made.card("asset", "loan", ["category": "debt", "bucket": "liquid", "amount": "1"])
        let before = try made.vault.sequence
        for (method, path, body, what) in Self.refused {
            #expect(refusal(made, method, path, body) == what, "\(method) \(path) \(body)")
        }
        #expect(try made.vault.sequence == before)
    }
}
