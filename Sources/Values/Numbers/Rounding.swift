/// The way in which digits are dropped.
public enum Rounding: String, CaseIterable, Sendable {
    /// To the nearest; from the middle to the even neighbour (IEEE 754, roundTiesToEven).
    case halfEven = "half-even"
    /// To the nearest; from the middle away from zero, as in trade.
    case halfUp = "half-up"
    /// Cut off, towards zero.
    case down
}
