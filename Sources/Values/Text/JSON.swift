/// A JSON value (RFC 8259).
package indirect enum JSON: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    /// A number with just these digits.
    case decimal(ExactDecimal)
    case unsigned(UInt64)
    case text(String)
    case list([JSON])
    case object([(String, JSON)])

    /// One line, members in the order given.
    package var line: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .decimal(let value): value.shortest.description
        case .unsigned(let value): "\(value)"
        case .text(let value): Self.quoted(value)
        case .list(let items): "[" + items.map(\.line).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0) + ":" + $1.line }.joined(separator: ",") + "}"
        }
    }

    /// A text in quotation marks.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case " "..."~": result.unicodeScalars.append(scalar)
            default:
                if [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
                {
                    result += scalar.utf16.map { "\\u" + String(0x10000 + UInt32($0), radix: 16).dropFirst() }.joined()
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }
}

extension JSON {
    /// The member of an object; nil where there is none, or no object.
    package subscript(_ key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.0 == key }?.1
    }

    /// True for null.
    package var isNull: Bool { if case .null = self { true } else { false } }
    /// A text; nil of anything else.
    package var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The items of a list; nil of anything else.
    package var items: [JSON]? { if case .list(let items) = self { items } else { nil } }
    /// The members of an object; nil of anything else.
    package var members: [(String, JSON)]? { if case .object(let members) = self { members } else { nil } }
    /// A whole number; nil of anything else.
    package var number: Int64? { if case .integer(let number) = self { number } else { nil } }
    /// True or false; nil of anything else.
    package var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
}
