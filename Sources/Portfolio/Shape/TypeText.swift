import Values

extension APIType {
    /// A value of this type with texts in the place of numbers, as the command prints it.
    func texts(_ value: JSON) -> JSON {
        switch self {
        case .money, .percent, .part: value.decimal.map { .text($0.description) } ?? value
        case .number, .price: value.decimal.map { .text($0.shortest.description) } ?? value
        case .list(let type): value.items.map { .list($0.map(type.texts)) } ?? value
        case .object(let object):
            value.members.map { members in
                .object(zip(object.fields, members).map { ($1.0, $0.type.texts($1.1)) })
            } ?? value
        default: value
        }
    }

    /// A value of this type for people; of what is not there a dash.
    func cell(_ value: JSON, isSigned: Bool) -> String {
        guard let number = value.decimal else { return value.isNull ? "—" : value.text ?? value.line }
        return switch self {
        case .money: number.amountText(isSigned: isSigned)
        case .percent: "\(number)%"
        case .part: percentText(number, signed: isSigned)
        default: number.shortest.description
        }
    }
}
