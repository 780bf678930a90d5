import Values
public import VaultFormat
public import VaultStore

// The prices of apps over time: one series for all, whose keys are the ids of their cards in hexadecimal. Times are seconds;
// values are the price and the currency (Spec/product/apps.md, 3).

/// A price of an app, and since when it is known.
public struct AppPrice: Sendable {
    /// The record of the app.
    public let id: RecordID
    /// When it was so.
    public let time: Timestamp
    /// The price.
    public let price: ExactDecimal
    /// Its currency; empty where nobody said.
    public let currency: String

    /// A price.
    public init(id: RecordID, time: Timestamp, price: ExactDecimal, currency: String) {
        (self.id, self.time, self.price, self.currency) = (id, time, price, currency)
    }

    /// The current price of a card; nil of one that is no app, or has none.
    public init?(of card: Card, _ id: RecordID, at time: Timestamp) {
        guard card.schema.kind == Schema.app.kind, let price = card.fields.number("current_price") else { return nil }
        self.init(id: id, time: time, price: price, currency: card.fields.texts["currency"] ?? "")
    }

    fileprivate static let name = "app.price"
    fileprivate var key: String { hexText(id.bytes) }
    fileprivate var point: Series.Point {
        Series.Point(time: UInt64(time.seconds), values: [price.description, currency])
    }
}

extension Vault {
    /// The prices that an app had, each since it is known, the earliest first.
    ///
    /// - Throws: as `series`.
    public func prices(of app: RecordID) throws -> [AppPrice] {
        var prices: [AppPrice] = []
        for point in try series(named: AppPrice.name)[hexText(app.bytes)] {
            guard let price = point.number(0) else { continue }
            let currency = point.text(1) ?? ""
            // Two copies of a vault may have learnt of one price at two times.
            if let last = prices.last, last.price == price, last.currency == currency { continue }
            prices.append(
                AppPrice(id: app, time: Timestamp(second: point.second), price: price, currency: currency))
        }
        return prices
    }
}

extension VaultTransaction {
    /// Notes prices of apps. One that is the same as the price before it says nothing new, and is left out.
    ///
    /// - Returns: how many are new.
    /// - Throws: all that storing throws.
    @discardableResult public func note(_ prices: [AppPrice]) throws -> Int {
        guard !prices.isEmpty else { return 0 }
        var series = try before.series(named: AppPrice.name)
        var count = 0
        for price in prices.sorted(by: { $0.time < $1.time }) {
            let before = series[price.key].last { $0.time <= price.point.time }
            if before?.values == price.point.values { continue }
            if series.set(price.key, price.point) != .none { count += 1 }
        }
        if count > 0 { try put(series, as: AppPrice.name) }
        return count
    }
}
