import VaultFormat

/// The holder's data in a citizen's number (GB 11643-1999): the day of birth at places 7 to 14, and the sex at place 17, odd
/// for men.
struct IdentityNumber {
    /// `YYYY-MM-DD`.
    let birth: String
    /// `男` or `女`.
    let sex: String

    /// Nil for a number that does not hold.
    init?(_ number: String) {
        guard Check.identityNumber.complaint(about: number) == nil else { return nil }
        let digits = Array(number)
        birth = "\(String(digits[6..<10]))-\(String(digits[10..<12]))-\(String(digits[12..<14]))"
        sex = (digits[16].wholeNumberValue ?? 0) % 2 == 1 ? "男" : "女"
    }
}

extension Schema {
    /// The fields in the order in which a form asks for them: those first from which others follow.
    public var fieldsToAsk: [Field] {
        guard name == "bankcard" else { return fields }
        return fields.filter { $0.key == "number" } + fields.filter { $0.key != "number" }
    }
}

extension Card {
    /// The value of a field that follows from other fields; nil if none does.
    public func derived(_ key: String) -> String? {
        if schema.name == "bankcard", key == "bank" { return fields.texts["number"].flatMap(BankPrefixes.bank) }
        if schema.name == "holding", let position = fields.texts["trades"].flatMap({ TradedPosition(Trade.list($0)) }) {
            switch key {
            case "shares": return position.shares.description
            case "cost": return position.averageCostOfShare?.shortest.description ?? "0"
            default: return nil
            }
        }
        guard schema.name == "idcard", let number = fields.texts["number"].flatMap(IdentityNumber.init) else {
            return nil
        }
        return switch key {
        case "birth": number.birth
        case "sex": number.sex
        default: nil
        }
    }

    /// Gives each empty field the value that follows from the others.
    ///
    /// - Returns: the fields that it filled.
    public mutating func fillDerived() -> [Field] {
        schema.fields.filter { field in
            guard fields.texts[field.key] == nil, let value = derived(field.key) else { return false }
            fields.texts[field.key] = value
            return true
        }
    }

    private static func chinese(_ sex: String) -> String { ["M": "男", "F": "女"][sex] ?? sex }

    /// Gives the fields that followed from the number or the trades before what follows from the new ones.
    public mutating func followDerived(from old: Card) {
        let sources = ["number", "trades"]
        guard sources.contains(where: { fields.texts[$0] != old.fields.texts[$0] }) else { return }
        for field in schema.fields where fields.texts[field.key] == old.fields.texts[field.key] {
            if let before = old.derived(field.key), old.fields.texts[field.key] == before {
                fields.texts[field.key] = derived(field.key)
            }
        }
        _ = fillDerived()
    }

    /// The fields that differ from what follows from the others. The number may be right, and the person too: this is a
    /// warning, and no error.
    public var contradictions: [Complaint] {
        schema.fields.compactMap { field in
            // A bank has many names.
            guard field.key != "bank", let value = fields.texts[field.key], let other = derived(field.key),
                Self.chinese(value) != other
            else { return nil }
            let what: Phrase =
                schema.name == "holding"
                ? "is '\(value)', but the trades say '\(other)'" : "is '\(value)', but the ID number says '\(other)'"
            return Complaint(key: field.key, label: field.label, what: what)
        }
    }
}
