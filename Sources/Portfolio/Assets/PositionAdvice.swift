public import Values

/// What a strategy says of a position or a class.
public enum PositionAdvice: Equatable, Sendable {
    /// There is no budget.
    case setBudget
    /// Buy for this much.
    case buy(ExactDecimal)
    /// Sell for this much.
    case sell(ExactDecimal)
    /// Nothing.
    case hold
}
