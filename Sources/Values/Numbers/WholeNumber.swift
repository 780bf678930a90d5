import CGMP

/// A whole number of any length. One that fits is an `Int`, as nearly all are: then a sum costs nothing but itself.
enum WholeNumber {
    case short(Int)
    case long(LongNumber)

    init(_ number: Int) { self = .short(number) }

    /// - Parameter digits: ASCII digits, one at least.
    init(_ digits: [UInt8], isNegative: Bool) { self = .long(LongNumber(digits, isNegative: isNegative)) }

    private var asLong: LongNumber {
        switch self {
        case .short(let number): LongNumber(number)
        case .long(let number): number
        }
    }

    var sign: Int {
        switch self {
        case .short(let number): number.signum()
        case .long(let number): number.sign
        }
    }

    var approximation: Double {
        switch self {
        case .short(let number): Double(number)
        case .long(let number): number.approximation
        }
    }

    var description: String {
        switch self {
        case .short(let number): String(number)
        case .long(let number): number.description
        }
    }

    private static let powers: [Int] = (0...18).map { (0..<$0).reduce(1) { result, _ in result * 10 } }

    /// Times 10 to the power of `places`.
    func shifted(_ places: Int) -> WholeNumber {
        if places == 0 { return self }
        if case .short(let number) = self, places < Self.powers.count {
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: Self.powers[places])
            if !isTooLarge { return .short(product) }
        }
        return .long(asLong.shifted(places))
    }

    /// -1, 0 or 1.
    func order(_ other: WholeNumber) -> Int {
        if case .short(let a) = self, case .short(let b) = other { return a < b ? -1 : a > b ? 1 : 0 }
        return asLong.order(other.asLong)
    }

    private static func calculate(
        _ a: WholeNumber, _ b: WholeNumber, _ short: (Int, Int) -> (Int, overflow: Bool),
        _ long: (LongNumber, LongNumber) -> LongNumber
    ) -> WholeNumber {
        if case .short(let x) = a, case .short(let y) = b {
            let (result, isTooLarge) = short(x, y)
            if !isTooLarge { return .short(result) }
        }
        return .long(long(a.asLong, b.asLong))
    }

    static func + (a: WholeNumber, b: WholeNumber) -> WholeNumber {
        calculate(a, b, { $0.addingReportingOverflow($1) }, +)
    }

    static func - (a: WholeNumber, b: WholeNumber) -> WholeNumber {
        calculate(a, b, { $0.subtractingReportingOverflow($1) }, -)
    }

    static func * (a: WholeNumber, b: WholeNumber) -> WholeNumber {
        calculate(a, b, { $0.multipliedReportingOverflow(by: $1) }, *)
    }

    func divided(by other: WholeNumber, _ mode: Rounding) -> WholeNumber {
        if case .short(let a) = self, case .short(let b) = other, a != .min, b != -1 {
            return .short(Self.quotient(a, b, mode))
        }
        let quotient = asLong.divided(by: other.asLong, mode)
        return quotient.short.map { .short($0) } ?? .long(quotient)
    }

    private static func quotient(_ a: Int, _ b: Int, _ mode: Rounding) -> Int {
        let (quotient, rest) = a.quotientAndRemainder(dividingBy: b)
        // What is left to the divisor, compared with the rest: neither can overflow.
        let (size, left) = (rest.magnitude, b.magnitude - rest.magnitude)
        let isAway =
            switch mode {
            case .down: false
            case .halfUp: rest != 0 && size >= left
            case .halfEven: size > left || size == left && quotient % 2 != 0
            }
        return isAway ? quotient + (a.signum() * b.signum()) : quotient
    }
}

/// A whole number of any length, by GMP.
/// Sendable: it never changes once it is made.
@safe final class LongNumber: @unchecked Sendable {
    private var value = unsafe mpz_t()

    private init(_ fill: (inout mpz_t) -> Void) {
        unsafe qv_number_init(&value)
        unsafe fill(&value)
    }

    convenience init(_ number: Int) { unsafe self.init { unsafe qv_number_set(&$0, number) } }

    /// - Parameter digits: ASCII digits, one at least.
    convenience init(_ digits: [UInt8], isNegative: Bool) {
        let text = (isNegative ? [0x2D] : []) + digits.map { CChar(bitPattern: $0) } + [0]
        unsafe self.init { value in
            let result = unsafe qv_number_parse(&value, text)
            precondition(result == 0, "digits were looked at")
        }
    }

    deinit { unsafe qv_number_clear(&value) }

    /// The number as an `Int`; nil where it does not fit.
    var short: Int? { unsafe qv_number_fits(&value) != 0 ? Int(unsafe qv_number_get(&value)) : nil }

    var sign: Int { Int(unsafe qv_number_sign(&value)) }
    var approximation: Double { unsafe qv_number_double(&value) }

    func shifted(_ places: Int) -> LongNumber {
        places == 0 ? self : unsafe LongNumber { unsafe qv_number_shift(&$0, &value, UInt(places)) }
    }

    /// -1, 0 or 1.
    func order(_ other: LongNumber) -> Int { Int(unsafe qv_number_compare(&value, &other.value).signum()) }

    static func + (a: LongNumber, b: LongNumber) -> LongNumber {
        unsafe LongNumber { unsafe qv_number_add(&$0, &a.value, &b.value) }
    }

    static func - (a: LongNumber, b: LongNumber) -> LongNumber {
        unsafe LongNumber { unsafe qv_number_subtract(&$0, &a.value, &b.value) }
    }

    static func * (a: LongNumber, b: LongNumber) -> LongNumber {
        unsafe LongNumber { unsafe qv_number_multiply(&$0, &a.value, &b.value) }
    }

    func divided(by other: LongNumber, _ mode: Rounding) -> LongNumber {
        unsafe LongNumber { result in
            let order = unsafe qv_number_divide(&result, &value, &other.value)
            let isAway =
                switch mode {
                case .down: false
                case .halfUp: order >= 0
                case .halfEven: unsafe order > 0 || order == 0 && qv_number_is_odd(&result) != 0
                }
            if isAway { unsafe qv_number_step(&result, sign * other.sign < 0 ? -1 : 1) }
        }
    }

    var description: String {
        let count = unsafe qv_number_size(&value)
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: count) { text in
            unsafe qv_number_write(&value, text.baseAddress)
            return unsafe text.baseAddress.map { unsafe String(cString: $0) } ?? ""
        }
    }
}
