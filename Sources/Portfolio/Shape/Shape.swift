package import Values
import VaultFormat

/// The fields of something of a household, each said once: its name, its type, its label, and where its value comes from. The
/// object of Spec/api.md, the JSON of the API and of the command, the cells of tables, and what `--private` hides follow from it.
package struct Shape<Value>: Sendable {
    let fields: [ShapeField<Value>]
    let object: APIObject

    /// - Parameter name: in the Spec; empty where the command alone prints it.
    init(_ name: String = "", _ fields: [ShapeField<Value>]) {
        (self.fields, object) = (fields, APIObject(name, fields.map(\.declaration)))
    }

    /// JSON of the API, in which numbers are numbers.
    func json(_ value: Value) -> JSON { .object(members(value)) }

    func members(_ value: Value) -> [(String, JSON)] { fields.map { ($0.declaration.name, $0.json(value)) } }

    /// JSON of the command, in which numbers are texts with all their places.
    package func texts(_ value: Value, isHidden: Bool = false) -> JSON {
        let (type, json) = (APIType.object(object), json(value))
        return type.texts(isHidden ? type.hidden(json) : json)
    }

    package func cells(_ value: Value, isHidden: Bool = false) -> [Phrase] { fields.map { $0.cell(value, isHidden) } }

    /// A table of the fields that have a label, or of those that are named.
    package func table(_ values: [Value], _ names: [String]? = nil, isHidden: Bool = false) -> Table {
        let shown =
            names.map { names in names.compactMap { name in fields.first { $0.declaration.name == name } } }
            ?? fields.filter { $0.label != nil }
        return Table(
            head: shown.map { $0.label ?? "" }, rows: values.map { value in shown.map { $0.cell(value, isHidden) } })
    }

    package var amounts: [String] { fields.filter { $0.declaration.type.isMoney }.map(\.declaration.name) }

    /// The label of an amount and how it is read; nil where there is none of this name.
    package func amount(_ name: String) -> (label: Phrase, value: @Sendable (Value) -> ExactDecimal?)? {
        fields.first { $0.declaration.name == name && $0.declaration.type.isMoney }.map { field in
            (field.label ?? "", { field.json($0).decimal })
        }
    }
}

extension ShapeField {
    static func object<Part>(_ name: String, _ shape: Shape<Part>, _ get: @escaping Get<Part>) -> Self {
        Self(name, .object(shape.object)) { shape.json(get($0)) }
    }
    static func list<Part>(
        _ name: String, _ shape: Shape<Part>, _ get: @escaping Get<[Part]>, _ note: String = ""
    ) -> Self {
        Self(name, .list(.object(shape.object)), note) { .list(get($0).map(shape.json)) }
    }
}

/// Cells in columns, for a terminal and for a page.
package struct Table: Sendable {
    package var head: [Phrase]
    package var rows: [[Phrase]]
    /// A last row; nil of what is not added up.
    package var sums: [Phrase]?

    package init(head: [Phrase], rows: [[Phrase]]) { (self.head, self.rows) = (head, rows) }
}
