public import VaultFormat
public import VaultRecords

extension Watchlist {
    /// shares · newest net value; nil without a net value.
    public func value(_ holding: Holding) -> ExactDecimal? {
        netValue(holding.code).map { holding.lot.shares * $0.value }
    }

    /// The name of a fund; its code where it is not watched.
    public func name(_ code: String) -> String { funds.first { $0.code == code }?.name ?? code }

    /// The day of the newest net value of what is held; nil where nothing has one.
    public var newestHeldDay: Int64? { Set(holdings.map(\.code)).compactMap { netValue($0)?.day }.max() }

    /// The reason why nothing new can be held: the fund is not watched, or is held on this platform. Nil if there is none.
    public func obstacle(toHolding code: String, platform: String) -> Phrase? {
        guard funds.contains(where: { $0.code == code }) else { return "no fund '\(code)' is watched" }
        guard holdings.contains(where: { $0.code == code && $0.lot.platform == platform }) else { return nil }
        return "\(code) is held on this platform already: 'holding update' changes that"
    }

    /// The holdings that a word names: by a code, `CODE@PLATFORM`, or the id of the card.
    public func holdings(named word: String) -> [Holding] {
        let parts = word.split(separator: "@", maxSplits: 1).map(String.init)
        return holdings.filter { holding in
            if hexText(holding.id.bytes) == word.lowercased() { return true }
            guard holding.code == parts.first else { return false }
            return parts.count < 2 || [holding.lot.platform, holding.platformName].contains(parts[1])
        }
    }
}
