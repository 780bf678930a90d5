import VaultFormat
import Cards
public import VaultStore

/// Settings of a vault that its watchlist goes by (Spec/product/portfolio.md, 10).
public enum FundSettings {
    /// Codes in the person's own order; funds that it does not name come behind.
    public static let order = "fund.order"
    /// Days on which nothing is traded, `YYYY-MM-DD`.
    public static let holidays = "fund.holidays"
    /// True if searches are kept.
    public static let keepsSearches = "fund.search-history"
    /// The last searches, the newest last: a text, and perhaps a tab and the code that was chosen.
    public static let searches = "fund.searches"

    /// A line of `fund search` without a text.
    package static let search = Shape<String>("", [.text("text") { $0 }])
    /// Searches that are kept.
    public static let searchCount = 50

    /// The items of a list; none where there is no such setting, or one of another type.
    ///
    /// - Throws: as `Vault.setting`.
    public static func list(_ name: String, in vault: Vault) throws -> [String] {
        guard case .list(let items)? = try vault.setting(name)?.value else { return [] }
        return items
    }

    /// The clock of the exchange, with the holidays of a vault.
    ///
    /// - Throws: as `Vault.setting`.
    public static func clock(_ vault: Vault) throws -> TradingClock {
        TradingClock(holidays: Set(try list(holidays, in: vault).compactMap { Day($0) }))
    }

    /// Stores a list.
    ///
    /// - Throws: all that storing throws.
    public static func put(_ items: [String], as name: String, in transaction: VaultTransaction) throws {
        try transaction.put(Setting(.list(items)), as: name)
    }
}
