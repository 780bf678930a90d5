public import Values
import VaultFormat
public import VaultStore

/// Holdings of funds as purchases, in the forms that two portfolio trackers import (Spec/product/assets.md, 6): one
/// purchase for each holding, at its cost.
public struct PurchaseExport {
    /// The program that reads it.
    public enum Format: String, CaseIterable, Sendable {
        /// JSON of activities.
        case ghostfolio
        /// A table (CSV) of purchases.
        case portfolioPerformance = "portfolio-performance"
    }

    private let watchlist: Watchlist
    private let today: Day

    /// What a vault holds.
    ///
    /// - Parameter today: the day of a holding that has none.
    /// - Throws: as `Watchlist`.
    public init(_ vault: Vault, today: Day) throws {
        watchlist = try Watchlist(vault)
        self.today = today
    }

    /// The text of the file.
    public func text(_ format: Format) -> String {
        let held = watchlist.holdings.filter { $0.lot.shares.sign > 0 }
        switch format {
        case .ghostfolio:
            let json: JSON = ["activities": held.map(activity)]
            return json.line + "\n"
        case .portfolioPerformance:
            var table = CSVWriter()
            table.row([
                "Date", "Type", "Value", "Transaction Currency", "Shares", "Ticker Symbol", "Security Name", "Note",
            ])
            for holding in held { table.row(row(holding)) }
            return table.text
        }
    }

    private func activity(_ holding: Holding) -> JSON {
        [
            "comment": holding.platformName, "currency": watchlist.currency(holding.code), "dataSource": "MANUAL",
            "date": "\((holding.lot.date ?? today).text)T00:00:00.000Z", "fee": 0,
            "quantity": JSON.decimal(holding.lot.shares), "symbol": holding.code, "type": "BUY",
            "unitPrice": JSON.decimal(holding.lot.cost),
        ]
    }

    private func row(_ holding: Holding) -> [String] {
        [
            (holding.lot.date ?? today).text, "Buy", holding.cost.rounded(2).description,
            watchlist.currency(holding.code), holding.lot.shares.shortest.description, holding.code,
            watchlist.name(holding.code), holding.platformName,
        ]
    }
}
