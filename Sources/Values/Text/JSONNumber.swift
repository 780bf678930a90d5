extension JSON {
    /// A number as exact digits: of a binary fraction the 15 that it tells. Nil of what is no number, and of one with more than
    /// 34 digits or places.
    package var decimal: ExactDecimal? {
        switch self {
        case .integer(let value): ExactDecimal("\(value)")
        case .unsigned(let value): ExactDecimal("\(value)")
        case .real(let value): Self.decimal(value)
        case .decimal(let value): value
        default: nil
        }
    }

    /// Digits that every binary fraction of 64 bits keeps.
    private static let digitCount = 15

    private static func decimal(_ value: Double) -> ExactDecimal? {
        // The shortest text that reads back as the same fraction: "0.1", "1e-05".
        let parts = "\(value)".split(separator: "e").map(String.init)
        guard let digits = parts.first.flatMap({ ExactDecimal($0) }),
            let exponent = Int(parts.count > 1 ? parts[1] : "0"),
            exponent.magnitude <= 34
        else { return nil }
        let halves = parts[0].drop { $0 == "-" }.split(separator: ".")
        let (whole, fraction) = (halves[0], halves.count > 1 ? halves[1] : "")
        let places = digitCount + (whole == "0" ? fraction.prefix { $0 == "0" }.count : -whole.count)
        let power = String(repeating: "0", count: Int(exponent.magnitude))
        let factor = exponent < 0 ? ExactDecimal("0." + power.dropLast() + "1") : ExactDecimal("1" + power)
        return factor.flatMap { ExactDecimal((digits.rounded(max(0, places)) * $0).shortest.description) }
    }
}
