import Values

// Values as people type them, print them on paper or copy them from a phone, in the one form that is stored
// (Spec/product/records.md, 4).

extension Check {
    /// The value as it is stored. A value that no rule understands stays as it is, and `complaint` names the error.
    public func normalized(_ value: String) -> String {
        switch self {
        case .taxID, .identityNumber, .passportNumber, .documentNumber: compact(value).uppercased()
        case .bankCard, .account, .postalCode, .securityCode: compact(value)
        case .phone, .anyPhone: phoneNumber(value)
        case .date: day(value) ?? halfWidth(value).trimmed
        case .dateOrForever: day(value) ?? forever(value) ?? halfWidth(value).trimmed
        case .expiry: month(value) ?? halfWidth(value).trimmed
        case .sex: sexWord(value)
        case .email: value.trimmed
        case .text: value.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        case .amount: ExactDecimal(typed: value)?.description ?? halfWidth(value).trimmed
        case .percent: ExactDecimal(printed: value)?.description ?? halfWidth(value).trimmed
        case .rating: ExactDecimal(typed: value)?.description ?? halfWidth(value).trimmed
        case .size: ByteSize.bytes(halfWidth(value).trimmed)?.description ?? halfWidth(value).trimmed
        case .time: timeText(value, isStart: true) ?? halfWidth(value).trimmed
        case .deadline: timeText(value, isStart: false) ?? halfWidth(value).trimmed
        case .fundCode: compact(value)
        case .currency: compact(value).uppercased()
        case .word(let words): storedWord(halfWidth(value).trimmed.lowercased(), words)
        case .stocks, .allocation, .trades, .reminders: lineType?.normalized(value) ?? value
        case .line: value
        }
    }
}

/// Letters, digits and signs of full width as those of ASCII.
private func halfWidth(_ value: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in value.unicodeScalars {
        switch scalar.value {
        case 0xFF01...0xFF5E: scalars.append(Unicode.Scalar(UInt8(scalar.value - 0xFEE0)))
        case 0x3000, 0xA0: scalars.append(" ")
        default: scalars.append(scalar)
        }
    }
    return String(scalars)
}

/// Without the spaces and dashes that group digits.
private func compact(_ value: String) -> String { String(halfWidth(value).filter { $0 != " " && $0 != "-" }) }

/// A number that is written with a country code, spaces, dashes or parentheses, or with the invisible marks of direction
/// that phones copy along. Anything else between the digits, such as the `/` of two numbers, stays, and is refused.
private func phoneNumber(_ value: String) -> String {
    let signs = halfWidth(value).replacing("(0)", with: " ").unicodeScalars
        .filter { $0.properties.generalCategory != .format }
    let isPlain = signs.allSatisfy { "0"..."9" ~= $0 || "+ ()-‐‑–—".unicodeScalars.contains($0) }
    guard isPlain, signs.dropFirst().count(where: { $0 == "+" }) == 0 else { return halfWidth(value).trimmed }
    let code = ["+86", "0086"].first { String(String.UnicodeScalarView(signs)).hasPrefix($0) }
    let parts = signs.dropFirst(code?.count ?? 0).split { !("0"..."9" ~= $0 || $0 == "+") }.map { String($0) }
    let number = parts.joined()
    let national = number.count == 13 && number.hasPrefix("86") ? String(number.dropFirst(2)) : number
    let mobile = national.hasPrefix("01") ? String(national.dropFirst()) : national
    // Three digits stand together at its front, which a number of North America does not have behind its 1.
    if isMobile(mobile), parts.first.map({ $0.count > 2 }) ?? false { return mobile }
    if number.hasPrefix("+") || isServiceNumber(number) { return number }
    guard code != nil || number.hasPrefix("0") else { return halfWidth(value).trimmed }
    return landline(parts)
}

/// 11 digits from 13 to 19.
private func isMobile(_ number: String) -> Bool {
    number.count == 11 && number.first == "1" && number.dropFirst().first.map { "3"..."9" ~= $0 } ?? false
}

/// 400 and 800 have no area code.
private func isServiceNumber(_ number: String) -> Bool {
    number.count == 10 && (number.hasPrefix("400") || number.hasPrefix("800"))
}

/// `0571-88888888`; without the dash where nothing tells the area code's end.
private func landline(_ parts: [String]) -> String {
    guard let first = parts.first, !first.isEmpty else { return "" }
    let area = first.hasPrefix("0") ? first : "0" + first
    let rest = parts.dropFirst().joined()
    return rest.isEmpty ? area : 3...4 ~= area.count ? area + "-" + rest : area + rest
}

/// The digits of a value in groups; nil if other signs stand between them than those of days and months.
private func groups(_ value: String) -> [String]? {
    let text = halfWidth(value)
    guard text.allSatisfy({ "0"..."9" ~= $0 || "年月日号./- ".contains($0) }) else { return nil }
    return text.split { !("0"..."9" ~= $0) }.map { String($0) }
}

/// `1949-12-31` from `1949年12月31日`, `1949.12.31`, `1949/1/2` or `19491231`.
private func day(_ value: String) -> String? {
    guard let groups = groups(value) else { return nil }
    if groups.count == 1, groups[0].count == 8 {
        return "\(groups[0].prefix(4))-\(groups[0].dropFirst(4).prefix(2))-\(groups[0].suffix(2))"
    }
    guard groups.count == 3, groups[0].count == 4, groups[1].count <= 2, groups[2].count <= 2 else { return nil }
    return "\(groups[0])-\(twoDigits(groups[1]))-\(twoDigits(groups[2]))"
}

/// `2026-11-25T10:30:00Z` from `2026年11月25日 18:30` at a place that is 8 hours ahead.
private func timeText(_ value: String, isStart: Bool) -> String? {
    let text = halfWidth(value).trimmed
    let parts = text.split(maxSplits: 1) { $0 == " " || $0 == "T" || $0 == "t" }.map { String($0) }
    guard let first = parts.first, let day = day(first) else { return nil }
    // A clock may have one digit of hours.
    let clock = parts.dropFirst().first.map { ($0.prefix { $0 != ":" }.count == 1 ? "T0" : "T") + $0.trimmed } ?? ""
    return LocalTime.time(day + clock, isStart: isStart)?.text
}

/// `12/30` from `12/2030`, `2030-12`, `2030年12月`, `30年12月`, `1230` or `1/30`.
private func month(_ value: String) -> String? {
    guard let groups = groups(value) else { return nil }
    // Behind a year the month follows.
    let isYearFirst = value.contains("年")
    switch groups.map(\.count) {
    case [2, 1] where isYearFirst, [2, 2] where isYearFirst: return "\(twoDigits(groups[1]))/\(groups[0])"
    case [1, 2] where isYearFirst, [1, 4] where isYearFirst, [2, 4] where isYearFirst: return nil
    case [4]: return "\(groups[0].prefix(2))/\(groups[0].suffix(2))"
    case [1, 2], [2, 2]: return "\(twoDigits(groups[0]))/\(groups[1])"
    case [1, 4], [2, 4]: return groups[1].hasPrefix("20") ? "\(twoDigits(groups[0]))/\(groups[1].suffix(2))" : nil
    case [4, 1], [4, 2]: return groups[0].hasPrefix("20") ? "\(twoDigits(groups[1]))/\(groups[0].suffix(2))" : nil
    default: return nil
    }
}

private func twoDigits(_ group: String) -> String { group.count == 1 ? "0" + group : group }

private func forever(_ value: String) -> String? {
    switch halfWidth(value).trimmed.lowercased() {
    case "长期", "長期", "长期有效", "永久": "长期"
    case "forever", "permanent", "long-term": "forever"
    default: nil
    }
}

/// `男` and `女` as the cards print them; `M`, `F` and `X` as passports do.
private func sexWord(_ value: String) -> String {
    let word = halfWidth(value).trimmed
    return switch word.lowercased() {
    case "男", "男的", "男性": "男"
    case "女", "女的", "女性": "女"
    case "m", "male": "M"
    case "f", "female": "F"
    case "x": "X"
    case "男/m": "男"
    case "女/f": "女"
    default: word
    }
}

/// The word that is meant by one of its names; any other text as it is.
private func storedWord(_ name: String, _ words: [ClosedWord]) -> String {
    words.first { $0.names.contains { $0.lowercased() == name } }?.stored ?? name
}
