public import VaultFormat

extension Watchlist {
    /// The currency of a fund; CNY of one that is not watched.
    public func currency(_ code: String) -> String { funds.first { $0.code == code }?.currency ?? "CNY" }

    /// Yuan for one unit of the currency of a fund, at the newest rate; nil without one.
    private func rate(_ code: String) -> ExactDecimal? {
        let currency = currency(code)
        return currency == "CNY" ? .one : prices.rates[currency]?.last?.rate
    }

    /// What is held in each currency that has no rate, in that currency.
    var amountsWithoutRate: [String: ExactDecimal] {
        let held = holdings.filter { rate($0.code) == nil }.map { holding in
            (currency(holding.code), holding.lot.shares * (netValue(holding.code)?.value ?? .zero))
        }
        return Dictionary(held, uniquingKeysWith: +)
    }

    /// shares · newest net value, in yuan; nil without a net value or a rate.
    public func value(_ holding: Holding) -> ExactDecimal? {
        guard let netValue = netValue(holding.code), let rate = rate(holding.code) else { return nil }
        return holding.lot.shares * netValue.value * rate
    }

    /// The value of the holdings of each fund, in yuan; 0 where it has no net value.
    var valuesByFund: [String: ExactDecimal] {
        Dictionary(holdings.map { ($0.code, value($0) ?? .zero) }, uniquingKeysWith: +)
    }

    /// The funds by code; of two with one code the first.
    var fundsByCode: [String: Fund] { Dictionary(funds.map { ($0.code, $0) }) { first, _ in first } }

    /// What was paid, in yuan at the newest rate; 0 without a rate.
    public func cost(_ holding: Holding) -> ExactDecimal { holding.cost * (rate(holding.code) ?? .zero) }

    /// The name of a fund; its code where it is not watched.
    public func name(_ code: String) -> String { funds.first { $0.code == code }?.name ?? code }

    /// The day of the newest net value of what is held; nil where nothing has one.
    public var newestHeldDay: Day? { Set(holdings.map(\.code)).compactMap { netValue($0)?.day }.max() }

    /// The reason why nothing new can be held: the fund is not watched, or is held on this platform. Nil if there is none.
    ///
    /// - Parameter id: a holding that may be there.
    public func obstacle(toHolding code: String, platform: String, besides id: RecordID? = nil) -> Phrase? {
        guard funds.contains(where: { $0.code == code }) else { return "no fund '\(code)' is watched" }
        let name = Holding.platformName(platform)
        guard holdings.contains(where: { $0.code == code && $0.platformName == name && $0.id != id }) else {
            return nil
        }
        return "\(code) is held on this platform already: 'holding update' changes that"
    }

    /// The holdings that a word names: by a code, `CODE@PLATFORM`, or the id of the card.
    public func holdings(named word: String) -> [Holding] {
        let parts = word.split(separator: "@", maxSplits: 1).map(String.init)
        return holdings.filter { holding in
            if holding.id.description == word.lowercased() { return true }
            guard holding.code == parts.first else { return false }
            return parts.count < 2 || holding.platformName == Holding.platformName(parts[1])
        }
    }
}
