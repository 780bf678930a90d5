import Foundation
import QuickVault
import Testing

/// Funds through the library.
struct FundTests {
    @Test func aWatchlistIsFilledAndValued() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "funds-\(UUID().uuidString).qvault").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let vault = try await VaultFile.create(at: path, with: VaultKey(password: "correct-horse-battery"))
        let text = """
            {"code":"110011","name":"A","stocks":"600519 9.50\\n000858 8.20\\n00700 7.80","shares":"1000","cost":"2.31"}
            P 2026-11-20 110011 2.5060 CNY
            {"code":"600519","time":"2026-11-23T14:46:10+08:00","price":"1482.30","previous_close":"1468.00"}
            {"code":"000858","time":"2026-11-23T14:46:10+08:00","price":"121.55","previous_close":"123.10"}
            {"code":"00700","time":"2026-11-23T14:46:10+08:00","price":"618.50","previous_close":"611.00"}
            rubbish
            """
        let report = try await vault.importPrices(Array(text.utf8), source: "test", now: 1_795_500_000)
        #expect((report.added, report.cardsAdded) == (5, 1))
        #expect(report.refused.map(\.line) == [6])
        let watchlist = try await vault.watchlist()
        let fund = try #require(watchlist.funds.first)
        let estimate = try watchlist.estimate(fund).get()
        #expect(estimate.value == ExactDecimal("2.5081"))
        #expect(Profit(fund.lots, price: estimate.value)?.amount == ExactDecimal("198.1"))
        let again = try await vault.importPrices(Array(text.utf8), source: "test", now: 1_795_500_000)
        #expect((again.added, again.changed, again.cardsAdded, again.cardsChanged) == (0, 0, 0, 0))
    }

    @Test func callsAreAnswered() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "calls-\(UUID().uuidString).qvault").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let vault = try await VaultFile.create(at: path, with: VaultKey(password: "correct-horse-battery"))
        let now = APISurroundings(today: Day(clamping: 20_781), now: Timestamp(microseconds: 1_795_500_000_000_000))
        let body = #"{"name":"A","type":"deposit","platform":"","amount":12.5}"#
        let answer = try await vault.answer("POST", "/api/liquid", body: Array(body.utf8), now)
        #expect(answer.contains(#""amount":12.5"#))
        #expect(try await vault.answer("GET", "/api/liquid", now, isPrivate: true).contains(#""amount":"****""#))
        #expect(try await vault.household().totalAssets == ExactDecimal("12.5"))
        await #expect { _ = try await vault.answer("PUT", "/api/liquid/B", body: Array("{}".utf8), now) } throws: {
            ($0 as? APIProblem)?.status == 404
        }
    }
}
