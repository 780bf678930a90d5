import Values

extension APIType {
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
