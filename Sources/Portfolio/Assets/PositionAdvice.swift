public import Values

/// The advice of a strategy for a position or a class.
public struct PositionAdvice: Equatable, Sendable {
    /// The action that is advised.
    public enum Action: String, CaseIterable, Sendable { case buy, sell, hold }

    /// The action that is advised.
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
