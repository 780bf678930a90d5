package import Values
import VaultFormat

/// A table of transactions with the column names of Portfolio Performance in English: what `PurchaseExport` writes, and
/// what that program exports (Spec/product/portfolio.md, 7.1).
public struct PurchaseTable {
    private let places: [String: Int]
    private var activities: [JSON] = []

    private static let required = ["Date", "Type", "Value", "Shares", "Ticker Symbol"]
    /// Types, and the words of a trade for them.
    private static let types = [
        "Buy": "buy", "Delivery (Inbound)": "buy", "Sell": "sell", "Delivery (Outbound)": "sell",
        "Dividend": "dividend",
    ]
    /// Places of a price that has no more of them than the total of a row tells.
    private static let pricePlaces = 4

    /// Reads a header.
    ///
    /// - Returns: nil where a column is missing that each of these tables has.
    public init?(_ line: [UInt8]) {
        guard let names = FundTableHeader.fields(line)?.map(\.trimmed), Self.required.allSatisfy(names.contains) else {
            return nil
        }
        places = Dictionary(zip(names, names.indices)) { first, _ in first }
    }

    /// Takes a row.
    ///
    /// - Throws: `PriceLine.Problem`; the row is not taken.
    public mutating func take(_ row: [UInt8]) throws(PriceLine.Problem) {
        guard let fields = FundTableHeader.fields(row) else { throw PriceLine.Problem("is no row of a table") }
        guard fields.contains(where: { !$0.trimmed.isEmpty }) else { return }
        func text(_ name: String) -> String {
            places[name].flatMap { $0 < fields.count ? fields[$0].trimmed : nil } ?? ""
        }
        func noNumber(_ name: String) -> PriceLine.Problem { PriceLine.Problem("has no number as \(name)") }
        func number(_ name: String, isNeeded: Bool = false) throws(PriceLine.Problem) -> ExactDecimal {
            guard isNeeded || !text(name).isEmpty else { return .zero }
            guard let number = ExactDecimal(printed: text(name)) else { throw noNumber(name) }
            return number.magnitude
        }
        guard let type = Self.types[text("Type")] else {
            throw PriceLine.Problem("is neither a purchase, a sale nor a dividend")
        }
        let costs = try number("Fees") + number("Taxes")
        let (value, shares) = (try number("Value", isNeeded: true), try number("Shares", isNeeded: type != "dividend"))
        let gross = type == "buy" ? value - costs : value + costs
        var (count, price) = (ExactDecimal.one, value)
        if type != "dividend" {
            guard let exact = gross.divided(by: shares) else { throw noNumber("Shares") }
            let short = exact.rounded(Self.pricePlaces)
            (count, price) = (shares, (short * shares).rounded(2) == gross.rounded(2) ? short : exact)
        }
        activities.append([
            "symbol": text("Ticker Symbol"), "comment": text("Note"), "date": text("Date"), "type": type,
            "quantity": JSON.decimal(count), "unitPrice": JSON.decimal(price),
            "fee": JSON.decimal(type == "dividend" ? .zero : costs),
        ])
    }

    /// A holding with its trades for each symbol and note.
    package var holdings: [JSON] { Activities.holdings(activities) }
}
