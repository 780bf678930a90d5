import Values
import VaultFormat
import VaultCrypto

struct ShapeField<Value>: Sendable {
    /// Reads a part of a value.
    typealias Get<Part> = @Sendable (Value) -> Part

    /// Its name, its type, and what the Spec says of it.
    private(set) var declaration: APIField
    /// The head of its column; nil of a field that tables leave out.
    private(set) var label: Phrase?
    /// True of an amount that may be won or lost: tables show its sign.
    private var isSigned = false
    /// The value, as JSON of the API.
    let json: Get<JSON>

    /// A field of any type.
    init(_ name: String, _ type: APIType, _ note: String = "", isOptional: Bool = false, _ json: @escaping Get<JSON>) {
        declaration = APIField(name, type, isOptional: isOptional, note)
        self.json = json
    }

    /// The same field, which may be null.
    var orNull: ShapeField {
        var field = self
        field.declaration = declaration.optional(true)
        return field
    }

    /// The same field, with a column in tables.
    func headed(_ label: Phrase, isSigned: Bool = false) -> ShapeField {
        var field = self
        (field.label, field.isSigned) = (label, isSigned)
        return field
    }

    /// The same field, of something that has the value as a part.
    func of<Whole>(_ part: @escaping @Sendable (Whole) -> Value) -> ShapeField<Whole> {
        let (field, json) = (declaration, json)
        return ShapeField<Whole>(field.name, field.type, field.note, isOptional: field.isOptional) { json(part($0)) }
    }

    func cell(_ value: Value, _ isHidden: Bool) -> Phrase {
        let type = declaration.type
        return "\(type.cell(isHidden ? type.hidden(json(value)) : json(value), isSigned: isSigned))"
    }

    static func text(_ name: String, _ get: @escaping Get<String?>, _ note: String = "") -> Self {
        Self(name, .text, note) { .optional(get($0)) }
    }
    /// Words of a person, which may have amounts.
    static func note(_ name: String, _ get: @escaping Get<String?>, _ note: String = "") -> Self {
        Self(name, .note, note) { .optional(get($0)) }
    }
    static func word<Word: RawRepresentable & CaseIterable & SendableMetatype>(
        _ name: String, _ get: @escaping Get<Word?>, _ note: String = ""
    ) -> Self where Word.RawValue == String {
        Self(name, .words(Word.self), note) { .optional(get($0)?.rawValue) }
    }
    static func id(_ name: String, _ get: @escaping Get<RecordID>) -> Self {
        Self(name, .id) { .text(hexText(get($0).bytes)) }
    }
    static func day(_ name: String, _ get: @escaping Get<Day?>, _ note: String = "") -> Self {
        Self(name, .day, note) { .optional(get($0)?.text) }
    }
    static func time(_ name: String, _ get: @escaping Get<Timestamp?>, _ note: String = "") -> Self {
        Self(name, .time, note) { .optional(get($0)?.text) }
    }
    static func flag(_ name: String, _ get: @escaping Get<Bool>) -> Self { Self(name, .flag) { .bool(get($0)) } }
    static func count<Number: BinaryInteger & SendableMetatype>(
        _ name: String, _ get: @escaping Get<Number?>, _ note: String = ""
    ) -> Self {
        Self(name, .integer, note) { value in get(value).map { .integer(Int64($0)) } ?? .null }
    }
    static func money(_ name: String, _ get: @escaping Get<ExactDecimal?>, _ note: String = "") -> Self {
        Self(name, .money, note) { .money(get($0)) }
    }
    /// A number in percent, with 2 places.
    static func percent(_ name: String, _ get: @escaping Get<ExactDecimal?>, _ note: String = "") -> Self {
        Self(name, .percent, note) { .money(get($0)) }
    }
    /// A part of one, shown in percent.
    static func percent(of name: String, _ get: @escaping Get<ExactDecimal?>, _ note: String = "") -> Self {
        Self(name, .percent, note) { .money(get($0).map { $0 * .hundred }) }
    }
    /// A part of one, with all its places.
    static func part(_ name: String, _ get: @escaping Get<ExactDecimal?>) -> Self {
        Self(name, .part) { .number(get($0)) }
    }
    /// A number with all its places, which is a person's own.
    static func number(_ name: String, _ get: @escaping Get<ExactDecimal?>, _ note: String = "") -> Self {
        Self(name, .number, note) { .number(get($0)) }
    }
    /// A number with so many places, which is written as a text.
    static func rounded(_ name: String, _ places: Int, _ get: @escaping Get<ExactDecimal?>) -> Self {
        text(name) { get($0)?.rounded(places).description }
    }
    /// A number that everybody can look up.
    static func price(_ name: String, _ get: @escaping Get<ExactDecimal?>) -> Self {
        Self(name, .price) { .number(get($0)) }
    }
    static func texts(_ name: String, _ get: @escaping Get<[String]>, _ note: String = "") -> Self {
        Self(name, .list(.text), note) { .list(get($0).map { .text($0) }) }
    }
}
