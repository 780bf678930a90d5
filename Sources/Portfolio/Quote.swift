public import Values

/// The price of a security at a time, and the one at the close of the day before.
public struct Quote: Equatable, Sendable {
    /// The last price, and the one at the previous close; above 0.
    public let price: ExactDecimal, previousClose: ExactDecimal
    /// Seconds since 1970.
    public let time: Int64
    /// Who says so.
    public let source: String

    /// A quote.
    public init(price: ExactDecimal, previousClose: ExactDecimal, time: Int64, source: String) {
        (self.price, self.previousClose, self.time, self.source) = (price, previousClose, time, source)
        change = (price.divided(by: previousClose) ?? .one) - .one
    }

    /// price / previous close − 1, to 12 places.
    public let change: ExactDecimal

    /// True if a security with this code cannot have moved so far in a day.
    public func isOutlier(_ code: String) -> Bool {
        guard let limit = Self.limit(code) else { return false }
        return change.magnitude > limit
    }

    /// The farthest that a price may be from the previous close, by the market that the code tells; with half a percent for
    /// the rounding of prices. Nil where there is no limit: Hong Kong (5 digits), and codes with letters.
    ///
    /// Source: rules of the exchanges of Shanghai, Shenzhen (10 %; ChiNext 300, 301, 302 and STAR 688, 689: 20 %) and
    /// Beijing (4, 8, 92: 30 %).
    static func limit(_ code: String) -> ExactDecimal? {
        guard code.utf8.count == 6, code.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        let percent =
            if ["300", "301", "302", "688", "689"].contains(code.prefix(3)) {
                20
            } else if code.hasPrefix("4") || code.hasPrefix("8") || code.hasPrefix("92") {
                30
            } else {
                10
            }
        return ExactDecimal("0.\(percent)5")
    }
}
