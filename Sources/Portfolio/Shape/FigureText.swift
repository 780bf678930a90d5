import Cards
package import Values

extension ExactDecimal {
    /// An amount for people: so many places, and commas between groups of three digits.
    ///
    /// - Parameter isSigned: `+` before what is above 0.
    package func amountText(isSigned: Bool = false, digits places: Int = 2) -> String {
        let sign = rounded(2).sign
        return (sign < 0 ? "-" : isSigned && sign > 0 ? "+" : "") + magnitude.rounded(places).description.groupedDigits
    }

    /// The nearest whole number within a range: the place of a value in something that is drawn.
    package func whole(in range: ClosedRange<Int>) -> Int {
        let number = rounded(0)
        if number <= ExactDecimal(range.lowerBound) { return range.lowerBound }
        guard number < ExactDecimal(range.upperBound) else { return range.upperBound }
        return Int(number.description) ?? range.lowerBound
    }
}

extension Sequence {
    /// The sum of a figure of each.
    func sum(_ figure: (Element) -> ExactDecimal) -> ExactDecimal { reduce(.zero) { $0 + figure($1) } }
}

extension Collection {
    /// The mean of a figure of each, to 12 places; 0 of none.
    func mean(_ figure: (Element) -> ExactDecimal) -> ExactDecimal {
        sum(figure).divided(by: ExactDecimal(count)) ?? .zero
    }
}

/// Amounts as people read them, or hidden.
package struct Figures: Sendable {
    /// True if `****` stands in the place of each.
    package let isHidden: Bool

    package init(isHidden: Bool) { self.isHidden = isHidden }

    /// As many places as a currency has, with commas between groups of three digits.
    package func amount(_ value: ExactDecimal, isSigned: Bool = false, digits places: Int = 2) -> String {
        isHidden ? hiddenAmount : value.amountText(isSigned: isSigned, digits: places)
    }

    /// The same with its currency behind it, and as many places as that has.
    package func amount(_ value: ExactDecimal, in currency: String) -> String {
        "\(amount(value, digits: Currency.digits(currency) ?? 2)) \(currency)"
    }
}

/// A part of one as percent with two places.
package func percentText(_ value: ExactDecimal, signed isSigned: Bool = false) -> String {
    let percent = (value * .hundred).rounded(2)
    return (isSigned ? signedText(percent) : percent.description) + "%"
}

/// With its sign; none for zero.
package func signedText(_ value: ExactDecimal) -> String {
    value.sign > 0 ? "+\(value)" : value.sign == 0 ? value.magnitude.description : value.description
}

extension String {
    /// A number with commas between groups of three digits before the point.
    package var groupedDigits: String {
        let parts = split(separator: ".", maxSplits: 1)
        let digits = Array(parts.first?.drop { $0 == "-" } ?? "")
        let groups = digits.indices.map { place in
            (place > 0 && (digits.count - place) % 3 == 0 ? "," : "") + String(digits[place])
        }.joined()
        return (hasPrefix("-") ? "-" : "") + groups + (parts.count > 1 ? "." + parts[1] : "")
    }
}
