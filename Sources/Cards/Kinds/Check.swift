public import VaultFormat

/// The rule for the value of a field. The rules are those of the issuers, named beside each.
public enum Check: Equatable, Sendable {
    /// One line.
    case line
    /// Lines.
    case text
    /// A phone number in China: 11 digits from 1, 10 digits from 400 or 800, or an area code and 7 or 8 digits.
    case phone
    /// The same, or an international one: `+` and 7 to 15 digits (E.164).
    case anyPhone
    /// A unified social credit code (GB 32100-2015), 18 characters with a check character.
    case taxID
    /// A citizen's number (GB 11643-1999), 18 characters with a date and a check character.
    case identityNumber
    /// 12 to 19 digits with a check digit (ISO/IEC 7812-1, Luhn).
    case bankCard
    /// Digits of a bank account, 5 to 34.
    case account
    /// 6 digits.
    case postalCode
    /// 5 to 12 letters and digits.
    case passportNumber
    /// 5 to 20 letters and digits.
    case documentNumber
    /// 3 or 4 digits.
    case securityCode
    /// A month, `MM/YY`.
    case expiry
    /// A day that the calendar has, `YYYY-MM-DD`.
    case date
    /// The same, or for ever: `长期` or `forever`.
    case dateOrForever
    /// Something before an `@` and a domain.
    case email
    /// `男`, `女`, `M`, `F` or `X`.
    case sex

    /// A number that is not negative.
    case amount
    /// The same, 100 at most.
    case percent
    /// A number from 0 to 5.
    case rating
    /// A whole number of bytes.
    case size
    /// A time, in RFC 3339. A day stands for its first second; a length of time in a query is an age.
    case time
    /// The end of something, in RFC 3339. A day stands for its last second; a length of time in a query counts from now.
    case deadline
    /// The code of a fund: 6 digits.
    case fundCode
    /// A currency (ISO 4217): three capitals.
    case currency
    /// What a fund holds: lines `CODE WEIGHT [NAME]`, weights in percent of its value, 100 in all at most.
    case stocks
    /// What a fund consists of: lines `DIMENSION [DAY] PERCENT CATEGORY`.
    case allocation
    /// Trades of a holding: lines `DAY buy SHARES PRICE [FEE]`.
    case trades
    /// Reminders of a fund: lines `rise PERCENT`, `fall PERCENT`, `above PRICE`, `below PRICE`, `nav`.
    case reminders
    /// One of these words.
    case word([ClosedWord])

    /// True if it is a number that people know by its end.
    var isNumber: Bool { [.identityNumber, .bankCard, .passportNumber, .documentNumber].contains(self) }

    /// The type of the lines of a field that is a list; nil of any other.
    var lineType: (any FieldLine.Type)? {
        switch self {
        case .stocks: StockWeight.self
        case .allocation: AllocationLine.self
        case .trades: Trade.self
        case .reminders: Reminder.self
        default: nil
        }
    }

    /// The words that a field takes alone; empty where it takes others.
    public var words: [ClosedWord] { if case .word(let words) = self { words } else { [] } }

    /// The closed word that a field has, if it takes such words alone, and this one.
    func closedWord(_ stored: String) -> ClosedWord? {
        if case .word(let words) = self { words.first { $0.stored == stored } } else { nil }
    }

    /// The longest value, in bytes of UTF-8.
    public static let byteCount = 1 << 20

    /// The words for a validity without end.
    static let endless = ["长期", "forever"]

    /// The years of days that cards have.
    private static let years = 1800...2999

    /// The day that a field has, `YYYY-MM-DD` from 1800 to 2999; nil of anything else.
    public static func storedDay(_ value: String) -> Day? {
        Int(value.prefix(4)).flatMap { years.contains($0) ? Day(stored: value) : nil }
    }

    /// The error in a value that is not empty; nil if there is none.
    public func complaint(about value: String) -> Phrase? {
        guard value.utf8.count <= Self.byteCount else { return "longer than 1 MiB" }
        let isText = self == .text || lineType != nil
        let isForbidden = { (scalar: Unicode.Scalar) in
            switch scalar.properties.generalCategory {
            case .control: !(isText && (scalar == "\n" || scalar == "\t"))
            case .lineSeparator, .paragraphSeparator: !isText
            default: false
            }
        }
        if !value.utf8.allSatisfy({ 0x20...0x7E ~= $0 }), value.unicodeScalars.contains(where: isForbidden) {
            return isText ? "has control characters" : "has control characters, or more than one line"
        }
        return wrong(value, Array(value.utf8))
    }

    /// The words for a message.
    private static func named(_ words: [ClosedWord]) -> String {
        words.map { "\($0.stored) \($0.label.chinese)" }.joined(separator: ", ")
    }

    /// - Parameter value: the text in UTF-8.
    private func wrong(_ text: String, _ value: [UInt8]) -> Phrase? {
        switch self {
        case .line, .text: nil
        case .phone: isPhone(value) ? nil : "is no phone number: 11 digits from 1, or like 0571-88888888"
        case .anyPhone:
            isPhone(value) || isInternational(value)
                ? nil : "is no phone number: 11 digits from 1, like 0571-88888888, or like +4930123456"
        case .taxID: taxIDComplaint(value)
        case .identityNumber: identityComplaint(value)
        case .bankCard: bankCardComplaint(value)
        case .account: digits(value, 5...34) ? nil : "is no bank account: 5 to 34 digits"
        case .postalCode: digits(value, 6...6) ? nil : "is no postal code: 6 digits"
        case .passportNumber:
            (5...12).contains(value.count) && value.allSatisfy(isAlphanumeric)
                ? nil : "is no passport number: 5 to 12 letters and digits"
        case .documentNumber:
            (5...20).contains(value.count) && value.allSatisfy(isAlphanumeric)
                ? nil : "is no number of a document: 5 to 20 letters and digits"
        case .securityCode: digits(value, 3...4) ? nil : "is no security code: 3 or 4 digits"
        case .expiry: isExpiry(value) ? nil : "is no month: give it as MM/YY"
        case .date: Self.storedDay(text) != nil ? nil : dateComplaint(value)
        case .dateOrForever:
            Self.storedDay(text) != nil || Self.endless.contains { text.hasBytes(of: $0) }
                ? nil : dateComplaint(value)
        case .email: isEmail(value) ? nil : "is no e-mail address"
        case .amount: isAmount(text) ? nil : "is no number, or is negative"
        case .percent: isAmount(text, upTo: .hundred) ? nil : "is no percentage from 0 to 100"
        case .rating: isAmount(text, upTo: ExactDecimal(5)) ? nil : "is no rating from 0 to 5"
        case .size: UInt64(text) == nil ? "is no size: write it like 500, 200kB or 10MiB" : nil
        case .time, .deadline: Timestamp(text) == nil ? "is no time: write it like 2027-12-31 18:30" : nil
        case .fundCode: digits(value, 6...6) ? nil : "is no code of a fund: 6 digits"
        case .currency: Currency.digits(text) == nil ? "is no currency of ISO 4217: three capitals like USD" : nil
        case .stocks, .allocation, .trades, .reminders: lineType?.complaint(about: text)
        case .word(let words): closedWord(text) != nil ? nil : "is not one of \(Self.named(words))"
        case .sex: ["男", "女", "M", "F", "X"].contains(text) ? nil : "is no sex as documents have it: 男, 女, M, F or X"
        }
    }
}

private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
private func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte }
private func digits(_ value: some Collection<UInt8>, _ count: ClosedRange<Int>) -> Bool {
    count.contains(value.count) && value.allSatisfy(isDigit)
}
private func number(_ value: some Sequence<UInt8>) -> Int { value.reduce(0) { $0 * 10 + Int($1 - 48) } }

private func isPhone(_ value: [UInt8]) -> Bool {
    if digits(value, 11...11), value[0] == UInt8(ascii: "1") { return true }
    if digits(value, 10...10), [Array("400".utf8), Array("800".utf8)].contains(Array(value[..<3])) { return true }
    let parts = value.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard value.first == UInt8(ascii: "0") else { return false }
    if parts.count == 2 { return digits(parts[0], 3...4) && digits(parts[1], 7...8) }
    return digits(value, 10...12)
}

private func isInternational(_ value: [UInt8]) -> Bool {
    value.first == UInt8(ascii: "+")
        && digits(value.dropFirst().filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }, 7...15)
}

/// GB 32100-2015: a weighted sum of the first 17 of an alphabet of 31 characters, without I, O, S, V and Z.
private func taxIDComplaint(_ value: [UInt8]) -> Phrase? {
    let alphabet = Array("0123456789ABCDEFGHJKLMNPQRTUWXY".utf8)
    let places = value.compactMap { alphabet.firstIndex(of: $0) }
    guard value.count == 18, places.count == 18 else {
        return "is no unified social credit code: 18 digits and capitals without I, O, S, V and Z"
    }
    var (sum, weight) = (0, 1)
    for place in places.dropLast() { (sum, weight) = (sum + place * weight, weight * 3 % 31) }
    let wanted = alphabet[(31 - sum % 31) % 31]
    guard value[17] == wanted else { return "does not hold its own check character: a character is mistyped" }
    return nil
}

/// GB 11643-1999, with the check character of ISO 7064, MOD 11-2.
private func identityComplaint(_ value: [UInt8]) -> Phrase? {
    guard value.count == 18, digits(value[..<17], 17...17), isDigit(value[17]) || value[17] == UInt8(ascii: "X") else {
        return "is no ID number: 17 digits, and a digit or X"
    }
    let day = [value[6..<10], value[10..<12], value[12..<14]].map { String(decoding: $0, as: UTF8.self) }
    guard Check.storedDay(day.joined(separator: "-")) != nil else { return "has a date of birth that no calendar has" }
    let sum = value[..<17].reduce(0) { ($0 * 2 + Int($1 - 48) * 2) % 11 }
    let wanted = Array("10X98765432".utf8)[sum]
    guard value[17] == wanted else { return "does not hold its own check character: a digit is mistyped" }
    return nil
}

private func bankCardComplaint(_ value: [UInt8]) -> Phrase? {
    guard digits(value, 12...19) else { return "is no card number: 12 to 19 digits" }
    let sum = value.reversed().enumerated().reduce(0) { sum, digit in
        let value = Int(digit.element - 48) * (digit.offset % 2 == 1 ? 2 : 1)
        return sum + value / 10 + value % 10
    }
    return sum % 10 == 0 ? nil : "does not hold its own check digit: a digit is mistyped"
}

private func isExpiry(_ value: [UInt8]) -> Bool {
    value.count == 5 && value[2] == UInt8(ascii: "/") && digits(value[..<2], 2...2) && digits(value[3...], 2...2)
        && (1...12).contains(number(value[..<2]))
}

private func dateComplaint(_ value: [UInt8]) -> Phrase {
    let parts = value.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let isFormed = parts.count == 3 && zip(parts, [4, 2, 2]).allSatisfy { digits($0, $1...$1) }
    return isFormed ? "is no day of the calendar" : "is no day: write it like 2027-12-31"
}

private func isAmount(_ text: String, upTo limit: ExactDecimal? = nil) -> Bool {
    guard let number = ExactDecimal(text), number.sign >= 0 else { return false }
    return limit.map { number <= $0 } ?? true
}

private func isEmail(_ value: [UInt8]) -> Bool {
    let parts = value.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, value.count <= 254 else { return false }
    let labels = parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return labels.count > 1 && labels.allSatisfy { !$0.isEmpty } && !value.contains(UInt8(ascii: " "))
}
