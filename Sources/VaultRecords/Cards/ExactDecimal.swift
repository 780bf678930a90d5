/// An exact decimal number, as amounts and rates are: a whole number of up to 34 digits, and how many of them stand
/// behind the point. Nothing is ever rounded unasked.
public struct ExactDecimal: Sendable {
    /// The digits as a whole number.
    private let digits: Int128
    /// The number of digits behind the point; 0 … 34.
    private let scale: Int

    /// Digits at most.
    public static let digitCount = 34
    private static let limit = power(digitCount)

    private static func power(_ exponent: Int) -> Int128 { (0..<exponent).reduce(1) { result, _ in result * 10 } }

    private init?(_ digits: Int128, _ scale: Int) {
        guard digits.magnitude < Self.limit.magnitude, scale <= Self.digitCount else { return nil }
        (self.digits, self.scale) = (digits, scale)
    }

    /// - Parameter text: `-` or nothing, digits, and perhaps a point and digits; nothing else.
    /// - Returns: nil for anything else, and for more than 34 digits.
    public init?(_ text: String) {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let parts = text.utf8.dropFirst(isNegative ? 1 : 0)
            .split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let digits = parts.joined()
        guard parts.allSatisfy({ !$0.isEmpty }), digits.allSatisfy({ 0x30...0x39 ~= $0 }),
            digits.drop(while: { $0 == 0x30 }).count <= Self.digitCount
        else { return nil }
        let value = digits.reduce(Int128(0)) { $0 * 10 + Int128($1 - 0x30) }
        self.init(isNegative ? -value : value, parts.count > 1 ? parts[1].count : 0)
    }

    /// The sum; nil where it takes more than 34 digits.
    public static func + (left: ExactDecimal, right: ExactDecimal) -> ExactDecimal? {
        guard let (a, b, scale) = aligned(left, right) else { return nil }
        return ExactDecimal(a + b, scale)
    }

    /// The difference; nil where it takes more than 34 digits.
    public static func - (left: ExactDecimal, right: ExactDecimal) -> ExactDecimal? {
        guard let (a, b, scale) = aligned(left, right) else { return nil }
        return ExactDecimal(a - b, scale)
    }

    /// The product; nil where it takes more than 34 digits.
    public static func * (left: ExactDecimal, right: ExactDecimal) -> ExactDecimal? {
        let (product, isTooLarge) = left.digits.multipliedReportingOverflow(by: right.digits)
        return isTooLarge ? nil : ExactDecimal(product, left.scale + right.scale)
    }

    private static func aligned(_ left: ExactDecimal, _ right: ExactDecimal) -> (Int128, Int128, scale: Int)? {
        let scale = max(left.scale, right.scale)
        let (a, isLeftTooLarge) = left.digits.multipliedReportingOverflow(by: power(scale - left.scale))
        let (b, isRightTooLarge) = right.digits.multipliedReportingOverflow(by: power(scale - right.scale))
        // Two sums of 38 digits stay below 2^127.
        guard !isLeftTooLarge, !isRightTooLarge, max(a.magnitude, b.magnitude) < power(38).magnitude / 2 else {
            return nil
        }
        return (a, b, scale)
    }
}

extension ExactDecimal: Comparable {
    /// By value: 1.5 is 1.50.
    public static func == (left: ExactDecimal, right: ExactDecimal) -> Bool { left.key == right.key }

    /// By value.
    public static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
        if (left.digits < 0) != (right.digits < 0) { return left.digits < 0 }
        let (a, b) = (left.whole, right.whole)
        if a != b { return a < b }
        return left.part < right.part
    }

    /// Digits before the point.
    private var whole: Int128 { digits / Self.power(scale) }
    /// Those behind it, as 34.
    private var part: Int128 { digits % Self.power(scale) * Self.power(Self.digitCount - scale) }
    private var key: [Int128] { [whole, part] }
}

extension ExactDecimal: CustomStringConvertible {
    /// With the digits behind the point that it was given with.
    public var description: String {
        let text = String(digits.magnitude)
        let padded = String(repeating: "0", count: max(0, scale + 1 - text.count)) + text
        let sign = digits < 0 ? "-" : ""
        guard scale > 0 else { return sign + padded }
        return sign + padded.dropLast(scale) + "." + padded.suffix(scale)
    }
}
