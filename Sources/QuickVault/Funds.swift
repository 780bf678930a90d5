@_exported public import Portfolio
import VaultStore

/// What an import of prices and funds did.
public struct PriceImport: Sendable {
    /// Net values, prices, estimates and rates that were not there, and those that took the place of another value.
    public let added: Int, changed: Int
    /// Prices older than the stored ones, which stay.
    public let older: Int
    /// Codes whose price moved farther than their market allows: the stored one stays.
    public let dropped: [String]
    /// Funds and holdings that were not there, and those with other values.
    public let cardsAdded: Int, cardsChanged: Int
    /// Lines that are none, with their numbers from 1 and the reason.
    public let refused: [(line: Int, reason: String)]
    /// Reminders that fired.
    public let fired: [FiredReminder]
}

extension VaultFile {
    /// The funds of the vault with their prices, estimates and holdings.
    public func watchlist() async throws -> Watchlist { try await read { try Watchlist($0) } }

    /// Takes in lines of text of another program, such as a feed: all good ones in one save, and the estimates that follow.
    /// Text that is imported again changes nothing.
    ///
    /// - Parameters:
    ///   - text: lines as product/portfolio.md, 7 and 7.1, has them; in UTF-8.
    ///   - source: who says so, where the lines do not; 100 bytes on one line.
    ///   - now: seconds since 1970; what is of a time to come is refused.
    /// - Throws: `FormatError.invalid` for more than a million values; as `save`.
    public func importPrices(_ text: [UInt8], source: String, now: Int64) async throws -> PriceImport {
        try await save { transaction in
            var (prices, funds) = (PriceBook(transaction.before), try FundBook(transaction.before))
            var refused: [(line: Int, reason: String)] = []
            let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
            for (place, bytes) in lines.enumerated() {
                do {
                    try funds.take(FundLine.lines(Array(bytes), source: source), &prices, now: now)
                } catch let problem as PriceLine.Problem {
                    refused.append((place + 1, problem.what.description))
                }
            }
            refused += funds.finish().map { (lines.count, $0.what.description) }
            try prices.takeEstimates(with: funds)
            let report = PriceImport(
                added: prices.added, changed: prices.changed, older: prices.older,
                dropped: Set(prices.dropped.map(\.code)).sorted(), cardsAdded: funds.added, cardsChanged: funds.edited,
                refused: refused, fired: prices.fired)
            try funds.store(in: transaction)
            try prices.store(in: transaction, now: now)
            return report
        }
    }
}
