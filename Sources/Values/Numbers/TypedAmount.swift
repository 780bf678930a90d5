extension ExactDecimal {
    /// Behind a number: what it is multiplied by.
    private static let multiples: [(sign: String, factor: Int)] = [
        ("万亿", 1_000_000_000_000), ("亿", 100_000_000), ("千万", 10_000_000), ("百万", 1_000_000), ("万", 10_000),
        ("w", 10_000),
        ("W", 10_000), ("千", 1000), ("k", 1000), ("K", 1000),
    ]

    /// An amount as people in China type it: as `init(printed:)`, with ¥, 元 or 份, with 千, 万 or 亿: `¥50,000.00`, `1.2万`,
    /// `320万元`, `３亿`. Nil for anything else, also for the sign of another currency: it would be lost.
    public init?(typed text: String) {
        var rest = text.trimmed
        let sign = rest.first.map { "+-−".contains($0) ? String($0) : "" } ?? ""
        rest = String(rest.dropFirst(sign.count)).trimmed
        if let mark = rest.first, "¥￥".contains(mark) { rest = String(rest.dropFirst()).trimmed }
        for unit in ["元整", "元", "块钱", "块", "份", "人民币"] where rest.hasSuffix(unit) {
            rest = String(rest.dropLast(unit.count)).trimmed
            break
        }
        var factor: Int?
        for multiple in Self.multiples where rest.hasSuffix(multiple.sign) {
            rest = String(rest.dropLast(multiple.sign.count))
            factor = multiple.factor
            break
        }
        guard let number = ExactDecimal(printed: sign + rest) else { return nil }
        self = factor.map { (number * ExactDecimal($0)).shortest } ?? number
    }
}
