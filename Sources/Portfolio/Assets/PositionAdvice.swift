public import Values

/// What a strategy says of a position or a class.
public struct PositionAdvice: Equatable, Sendable {
    /// What to do.
    public enum Action: String, CaseIterable, Sendable { case buy, sell, hold }

    /// What to do.
    public let action: Action
    /// For how much; nil of `hold`.
    public let amount: ExactDecimal?

    /// Buy for this much.
    public static func buy(_ amount: ExactDecimal) -> PositionAdvice { PositionAdvice(action: .buy, amount: amount) }
    /// Sell for this much.
    public static func sell(_ amount: ExactDecimal) -> PositionAdvice { PositionAdvice(action: .sell, amount: amount) }
    /// Nothing.
    public static let hold = PositionAdvice(action: .hold, amount: nil)
}
