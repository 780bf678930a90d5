// Values as people type them, print them on paper or copy them from a phone, in the one form that is stored
// (Spec/product/records.md, 4).

extension Check {
    /// The value as it is stored. A value that no rule understands stays as it is, and `complaint` names the error.
    public func normalized(_ value: String) -> String {
        switch self {
        case .taxID, .identityNumber, .passportNumber: compact(value).uppercased()
        case .bankCard, .account, .postalCode, .securityCode: compact(value)
        case .phone, .anyPhone: phoneNumber(value)
        case .date: day(value) ?? halfWidth(value).trimmed
        case .dateOrForever: day(value) ?? forever(value) ?? halfWidth(value).trimmed
        case .expiry: month(value) ?? halfWidth(value).trimmed
        case .sex: sexWord(value)
        case .email: value.trimmed
        case .text: value.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
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
/// that phones copy along.
private func phoneNumber(_ value: String) -> String {
    let signs = halfWidth(value).unicodeScalars.filter { $0.properties.generalCategory != .format }
    let parts = signs.split { !("0"..."9" ~= $0 || $0 == "+") }.map { String($0) }
    let number = parts.joined()
    // Extensions and words belong to no number.
    let isPlain = signs.allSatisfy { "0"..."9" ~= $0 || " ()-‐‑–+/.".unicodeScalars.contains($0) }
    guard isPlain, !number.isEmpty else { return halfWidth(value).trimmed }
    let chinese = ["+86", "0086"].first { number.hasPrefix($0) }.map { number.dropFirst($0.count) }
    if let chinese { return isMobile(chinese) ? String(chinese) : landline(String(chinese), parts, hasCode: true) }
    if number.count == 13, number.hasPrefix("86"), isMobile(number.dropFirst(2)) { return String(number.dropFirst(2)) }
    return isMobile(Substring(number)) || number.hasPrefix("+") ? number : landline(number, parts, hasCode: false)
}

private func isMobile(_ number: Substring) -> Bool { number.count == 11 && number.first == "1" }

/// `0571-88888888`; without the dash where nothing tells the area code's end.
private func landline(_ number: String, _ parts: [String], hasCode: Bool) -> String {
    let local = hasCode && !number.hasPrefix("0") ? "0" + number : number
    guard local.hasPrefix("0") else { return number }
    let area = parts.lazy.filter { !$0.hasPrefix("+") && $0 != "0086" }.map {
        hasCode && !$0.hasPrefix("0") ? "0" + $0 : $0
    }.first { 3...4 ~= $0.count }
    guard let area, local.hasPrefix(area), local.count > area.count else { return local }
    return area + "-" + local.dropFirst(area.count)
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

/// `12/30` from `12/2030`, `2030-12`, `2030年12月`, `1230` or `1/30`.
private func month(_ value: String) -> String? {
    guard let groups = groups(value) else { return nil }
    switch groups.map(\.count) {
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
