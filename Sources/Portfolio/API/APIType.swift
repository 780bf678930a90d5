package import Values
import Cards
import VaultFormat

/// The type of a value in a request or an answer, as Spec/api.md documents it.
package indirect enum APIType: Sendable {
    case text
    /// A text that somebody wrote: it may have amounts.
    case note
    /// A text that names a record: 32 hexadecimal digits.
    case id
    /// A day, `YYYY-MM-DD`.
    case day
    /// A time, RFC 3339 in UTC.
    case time
    case flag
    case integer
    /// Yuan, with 2 places.
    case money
    /// A number in percent, with 2 places.
    case percent
    /// A number with all its places, which is a person's own: shares, costs of one.
    case number
    /// A number with all its places, which everybody can look up: net values.
    case price
    /// A part of one with all its places, which the command alone prints.
    case part
    case word([String])
    case object(APIObject)
    case list(APIType)
    /// An object with a member for each of something.
    case map(of: String, APIType)
    /// Any JSON.
    case any

    var isMoney: Bool { if case .money = self { true } else { false } }

    static func words<Word: RawRepresentable & CaseIterable>(_ type: Word.Type) -> APIType
    where Word.RawValue == String { .word(type.allCases.map(\.rawValue)) }
}

/// The declaration of an object: the Spec is written from it, requests are read by it, and the tests hold answers against it.
package struct APIObject: Sendable {
    let name: String
    let fields: [APIField]

    init(_ name: String, _ fields: [APIField]) { (self.name, self.fields) = (name, fields) }

    /// The same object, none of whose fields has to be given.
    var optional: APIObject { APIObject(name, fields.map { $0.optional(true) }) }

    /// The names of the fields that have to be given.
    var required: [String] { fields.filter { !$0.isOptional }.map(\.name) }

    /// The object of a card that came of a request: its id, the fields, and when it changed last. A card that was made
    /// elsewhere may lack all but some of them.
    func item(_ name: String, having names: Set<String>) -> APIObject {
        let fields = fields.map { $0.optional(!names.contains($0.name)) }
        return APIObject(name, [APIField("id", .id)] + fields + [APIField("updated_at", .time)])
    }

    fileprivate func complaint(about value: JSON, at path: String, isHidden: Bool) -> String? {
        guard let members = value.members else { return "\(path) is no \(name)" }
        let names = members.map(\.0)
        guard Array(names.prefix(fields.count)) == fields.map(\.name) else {
            return "\(path) has \(names), and no \(name)"
        }
        return zip(fields, members).lazy.compactMap { field, member in
            member.1.isNull && field.isOptional
                ? nil : field.type.complaint(about: member.1, at: "\(path).\(field.name)", isHidden: isHidden)
        }.first
    }
}

/// A field of an object, or a word behind the `?` of a path.
package struct APIField: Sendable {
    let name: String
    let type: APIType
    /// True if it may be left out of a request, and may be null in an answer.
    let isOptional: Bool
    /// What it says; empty where the name suffices.
    let note: String

    init(_ name: String, _ type: APIType, isOptional: Bool = false, _ note: String = "") {
        (self.name, self.type, self.isOptional, self.note) = (name, type, isOptional, note)
    }

    /// The same field, where it may be left out or not.
    func optional(_ isOptional: Bool) -> APIField { APIField(name, type, isOptional: isOptional, note) }

    static let currency = APIField("currency", .text, isOptional: true, "ISO 4217; CNY where it is left out")
}

extension APIType {
    /// The type in words: of most the name of the case.
    var said: String {
        switch self {
        case .text, .note, .id, .day, .time, .integer, .money, .percent, .any: "\(self)"
        case .flag: "true or false"
        case .number, .price, .part: "number"
        case .word(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .object(let object): object.name
        case .list(let item): "[\(item.said)]"
        case .map(let keys, let item): "{\(keys): \(item.said)}"
        }
    }

    /// The first thing in a value that its type does not allow; nil if there is none.
    ///
    /// - Parameter path: where the value stands.
    package func complaint(about value: JSON, at path: String = "$", isHidden: Bool = false) -> String? {
        let isRight: Bool
        switch self {
        case .text, .note: isRight = value.text != nil
        case .id: isRight = value.text.map { RecordID(hex: $0) != nil } ?? false
        case .day: isRight = value.text.map { Day(stored: $0) != nil } ?? false
        case .time: isRight = value.text.map { Timestamp($0) != nil } ?? false
        case .flag: isRight = value.flag != nil
        case .integer: isRight = value.number != nil
        case .money:
            isRight = isHidden ? value.text == hiddenAmount : value.decimal.map { $0 == $0.rounded(2) } ?? false
        case .percent: isRight = value.decimal.map { $0 == $0.rounded(2) } ?? false
        case .number: isRight = isHidden && value.text == hiddenAmount || value.decimal != nil
        case .price, .part: isRight = value.decimal != nil
        case .word(let words): isRight = value.text.map(words.contains) ?? false
        case .any: isRight = true
        case .list(let type):
            guard let items = value.items else { return "\(path) is no list" }
            return items.enumerated().lazy.compactMap { place, item in
                type.complaint(about: item, at: "\(path)[\(place)]", isHidden: isHidden)
            }.first
        case .map(_, let type):
            guard let members = value.members else { return "\(path) is no object" }
            return members.lazy.compactMap { type.complaint(about: $1, at: "\(path).\($0)", isHidden: isHidden) }.first
        case .object(let object): return object.complaint(about: value, at: path, isHidden: isHidden)
        }
        return isRight ? nil : "\(path) is no \(said)"
    }

    /// A value whose parts are changed, each by its type. Members beyond those declared were given by somebody: they are `any`.
    func changing(_ value: JSON, _ change: (APIType, JSON) -> JSON) -> JSON {
        switch self {
        case .list(let type): value.items.map { .list($0.map { type.changing($0, change) }) } ?? value
        case .map(_, let type): value.members.map { .object($0.map { ($0, type.changing($1, change)) }) } ?? value
        case .object(let object):
            value.members.map { members in
                .object(
                    members.enumerated().map { place, member in
                        let type = place < object.fields.count ? object.fields[place].type : .any
                        return (member.0, type.changing(member.1, change))
                    })
            } ?? value
        default: change(self, value)
        }
    }

    /// A value with `****` in the place of each amount.
    func hidden(_ value: JSON) -> JSON {
        changing(value) { type, value in
            switch type {
            case .money, .number, .note: value.isNull || value.text == "" ? value : .text(hiddenAmount)
            // With all its places it would tell the amounts that it comes from.
            case .part: .number(value.decimal?.rounded(4))
            case .any: .text(hiddenAmount)
            default: value
            }
        }
    }

    /// A value with texts in the place of numbers, as the command prints it.
    func texts(_ value: JSON) -> JSON {
        changing(value) { type, value in
            switch type {
            case .money, .percent, .part: value.decimal.map { .text($0.description) } ?? value
            case .number, .price: value.decimal.map { .text($0.shortest.description) } ?? value
            default: value
            }
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

extension JSON {
    /// A number with 2 places, or null.
    static func money(_ value: ExactDecimal?) -> JSON { .number(value?.rounded(2)) }
    /// All places, or null.
    static func number(_ value: ExactDecimal?) -> JSON { value.map { .decimal($0) } ?? .null }
    static func optional(_ text: String?) -> JSON { text.map { .text($0) } ?? .null }
}
