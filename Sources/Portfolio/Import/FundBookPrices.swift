import VaultFormat

extension FundBook {
    /// Takes what one line says: cards here, prices into their book.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: as `take` of both, and as `PriceLine.check`; then nothing of the line is taken.
    public mutating func take(_ lines: [FundLine], _ prices: inout PriceBook, now: Int64) throws {
        let values = lines.compactMap { if case .price(let price) = $0 { price } else { nil } }
        for price in values { try price.check(at: now) }
        try take(lines, today: TradingClock.day(now))
        for price in values {
            try prices.take(price)
            if let name = price.name, price.isOfFund { describe(price.code, ["name": name]) }
        }
    }
}
