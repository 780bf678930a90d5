public import Values
import VaultFormat
import Cards

/// A value that moved farther than its market allows, and was not stored (Spec/product/portfolio.md, 4). The series
/// `fund.dropped.YYYY-MM` keeps it for whoever asks what became of it.
public struct DroppedValue: Sendable {
    /// What it would have been.
    public enum Kind: String, CaseIterable, Sendable {
        /// A net value.
        case netValue = "nav"
        /// An estimate that a source gave.
        case estimate
        /// The price of a security.
        case price
    }

    /// The fund or the security.
    public let code: String
    /// What it would have been.
    public let kind: Kind
    /// The value.
    public let value: ExactDecimal
    /// Seconds since 1970; of a net value, midnight of its day in UTC.
    public let time: Int64
    /// Who says so.
    public let source: String

    /// The day that it is of.
    public var day: Day { kind == .netValue ? Day(second: time) : TradingClock.day(time) }

    /// `net value 9.0000 of 2026-11-25 (a.csv)`.
    package var said: Phrase {
        switch kind {
        case .netValue: "net value \(value) of \(day.text) (\(source))"
        case .estimate: "estimate \(value) of \(day.text) (\(source))"
        case .price: "\(code) \(value) of \(day.text) (\(source))"
        }
    }

    /// `nav 110011 9.0000 2026-11-25 a.csv`.
    var line: String { "\(kind.rawValue) \(code) \(value) \(day.text) \(source)" }

    var point: Series.Point {
        Series.Point(time: UInt64(clamping: time), values: [kind.rawValue, value.description, source])
    }

    init(_ kind: Kind, _ code: String, _ value: ExactDecimal, time: Int64, source: String) {
        (self.kind, self.code, self.value, self.time, self.source) = (kind, code, value, time, source)
    }

    init?(_ code: String, _ point: Series.Point) {
        guard let kind = point.text(0).flatMap(Kind.init), let value = point.number(1), let source = point.text(2)
        else { return nil }
        self.init(kind, code, value, time: point.second, source: source)
    }

    /// Values of a code and a kind that a series keeps at most.
    static let countPerMonth = 20

    /// The farthest that a fund may move in so many sessions: that of the shares that it holds, and half a percent for rounding.
    static func limit(sessions: Int64) -> ExactDecimal { (ExactDecimal("0.105") ?? .one) * ExactDecimal(Int(sessions)) }
}
