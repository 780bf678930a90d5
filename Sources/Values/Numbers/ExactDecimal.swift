/// An exact decimal number, as amounts, rates and prices are: a whole number of any length (by GMP), and how many of its
/// digits stand behind the point. Sums and products are exact; only `divided` and `rounded` drop digits, and both are
/// told how.
public struct ExactDecimal: Sendable {
    /// The digits as a whole number.
    private let digits: WholeNumber
    /// The number of digits behind the point.
    private let scale: Int

    /// Digits of a number that is read, at most. Results may have more.
    public static let digitCount = 34

    private init(_ digits: WholeNumber, _ scale: Int) { (self.digits, self.scale) = (digits, scale) }

    /// A whole number.
    public init(_ value: Int) { self.init(WholeNumber(value), 0) }

    /// 0.
    public static let zero = ExactDecimal(0)
    /// 1.
    public static let one = ExactDecimal(1)
    /// 100, for percentages.
    public static let hundred = ExactDecimal(100)

    /// - Parameter text: `-` or nothing, digits, and perhaps a point and digits; nothing else.
    /// - Returns: nil for anything else, and for more than 34 digits.
    public init?(_ text: String) {
        if let (digits, scale) = Self.short(text.utf8) {
            self.init(WholeNumber(digits), scale)
            return
        }
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let parts = text.utf8.dropFirst(isNegative ? 1 : 0)
            .split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let digits = parts.joined()
        guard parts.allSatisfy({ !$0.isEmpty }), digits.allSatisfy({ 0x30...0x39 ~= $0 }),
            digits.drop(while: { $0 == 0x30 }).count <= Self.digitCount
        else { return nil }
        let scale = parts.count > 1 ? parts[1].count : 0
        guard scale <= Self.digitCount, text.utf8.count <= 256 else { return nil }
        self.init(WholeNumber(Array(digits), isNegative: isNegative), scale)
    }

    /// The digits and the scale of a number of up to 18 digits, as nearly all are; nil for any other text.
    private static func short(_ text: String.UTF8View) -> (Int, scale: Int)? {
        var (digits, scale, count) = (0, -1, 0)
        let isNegative = text.first == UInt8(ascii: "-")
        for byte in isNegative ? text.dropFirst() : text[...] {
            switch byte {
            case 0x30...0x39 where count < 18:
                digits = digits * 10 + Int(byte - 0x30)
                count += 1
                if scale >= 0 { scale += 1 }
            case UInt8(ascii: ".") where scale < 0 && count > 0: scale = 0
            default: return nil
            }
        }
        guard count > 0, scale != 0 else { return nil }
        return (isNegative ? -digits : digits, max(scale, 0))
    }

    /// A number as people and tables write it: `12,345.60`, `+1.2`, `2.5%`, `１２．５`. Groups of digits, with commas or
    /// blanks between, have three, or four where all have four; a percent sign is taken for what it says beside the number, and
    /// goes.
    public init?(printed text: String) {
        // Most are written as they are stored.
        if let plain = ExactDecimal(text) {
            self = plain
            return
        }
        let scalars = text.unicodeScalars.map { scalar -> Character in
            switch scalar.value {
            case 0xFF01...0xFF5E: Character(Unicode.Scalar(UInt8(scalar.value - 0xFEE0)))
            case 0x3000, 0xA0, 0x202F, 0x2009, 0x09: " "
            case 0x2212: "-"
            default: Character(scalar)
            }
        }
        var plain = String(scalars).trimmed
        if plain.last == "%" { plain = String(plain.dropLast()).trimmed }
        let isNegative = plain.first == "-"
        if isNegative || plain.first == "+" { plain = String(plain.dropFirst()).trimmed }
        plain = (isNegative ? "-" : "") + plain.replacing(" ", with: ",")
        let parts = plain.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let groups = (parts.first ?? "").split(separator: ",", omittingEmptySubsequences: false)
        if groups.count > 1 {
            let size = groups[1].count
            let first = groups[0].drop { $0 == "-" }.count
            guard [3, 4].contains(size), 1...size ~= first, groups.dropFirst().allSatisfy({ $0.count == size }) else {
                return nil
            }
        }
        self.init(groups.joined() + parts.dropFirst().map { "." + $0 }.joined())
    }

    /// The number with so many digits behind the point; zeros are added where it has fewer.
    public func rounded(_ places: Int, _ mode: Rounding = .halfEven) -> ExactDecimal {
        places >= scale
            ? ExactDecimal(digits.shifted(places - scale), places)
            : ExactDecimal(digits.divided(by: WholeNumber(1).shifted(scale - places), mode), places)
    }

    /// The same number without zeros at the end of its places.
    public var shortest: ExactDecimal {
        var number = self
        while number.scale > 0, number.rounded(number.scale - 1) == number { number = number.rounded(number.scale - 1) }
        return number
    }

    /// The quotient with so many digits behind the point; nil for a divisor of 0.
    public func divided(by other: ExactDecimal, places: Int = 12, _ mode: Rounding = .halfEven) -> ExactDecimal? {
        guard other.sign != 0 else { return nil }
        let shift = places + other.scale - scale
        let (above, below) =
            shift >= 0 ? (digits.shifted(shift), other.digits) : (digits, other.digits.shifted(-shift))
        return ExactDecimal(above.divided(by: below, mode), places)
    }

    /// -1, 0 or 1.
    public var sign: Int { digits.sign }

    /// The distance from zero.
    public var magnitude: ExactDecimal { sign < 0 ? -self : self }

    /// The nearest binary number: for charts and for searching, never for a result.
    public var approximation: Double { digits.approximation / pow10(scale) }

    private func pow10(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { result, _ in result * 10 } }

    /// The sum.
    public static func + (left: ExactDecimal, right: ExactDecimal) -> ExactDecimal {
        let (a, b, scale) = aligned(left, right)
        return ExactDecimal(a + b, scale)
    }

    /// The difference.
    public static func - (left: ExactDecimal, right: ExactDecimal) -> ExactDecimal {
        let (a, b, scale) = aligned(left, right)
        return ExactDecimal(a - b, scale)
    }

    /// The negated number.
    public static prefix func - (value: ExactDecimal) -> ExactDecimal {
        ExactDecimal(WholeNumber(0) - value.digits, value.scale)
    }

    /// The product.
    public static func * (left: ExactDecimal, right: ExactDecimal) -> ExactDecimal {
        ExactDecimal(left.digits * right.digits, left.scale + right.scale)
    }

    /// Adds to it.
    public static func += (left: inout ExactDecimal, right: ExactDecimal) { left = left + right }

    private static func aligned(
        _ left: ExactDecimal, _ right: ExactDecimal
    ) -> (WholeNumber, WholeNumber, scale: Int) {
        let scale = max(left.scale, right.scale)
        return (left.digits.shifted(scale - left.scale), right.digits.shifted(scale - right.scale), scale)
    }
}

extension ExactDecimal: Comparable {
    /// By value: 1.5 is 1.50.
    public static func == (left: ExactDecimal, right: ExactDecimal) -> Bool {
        let (a, b, _) = aligned(left, right)
        return a.order(b) == 0
    }

    /// By value.
    public static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
        let (a, b, _) = aligned(left, right)
        return a.order(b) < 0
    }
}

extension ExactDecimal: CustomStringConvertible {
    /// With the digits behind the point that it was given with.
    public var description: String {
        let text = digits.description
        let isNegative = text.hasPrefix("-")
        let magnitude = text.dropFirst(isNegative ? 1 : 0)
        let padded = String(repeating: "0", count: max(0, scale + 1 - magnitude.count)) + magnitude
        let sign = isNegative ? "-" : ""
        guard scale > 0 else { return sign + padded }
        return sign + padded.dropLast(scale) + "." + padded.suffix(scale)
    }
}
