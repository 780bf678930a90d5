import Values
import VaultFormat

/// A field that a condition may ask for (Spec/product/query.md, 5).
struct QueryField: Sendable {
    /// The part of a record that it stands for.
    enum Place: Equatable, Sendable {
        case title, kind, tag, group, path, media, id, size, updated, created, due, save
        /// States and parts that a record has or has not.
        case state, presence
        /// Fields of kinds of records: of each kind the keys.
        case values([Entry.Kind: [Field]])
        /// Fields of one's own with this name, folded.
        case own(String)
    }

    /// The types that values are compared as.
    struct ValueClasses: OptionSet {
        let rawValue: Int

        static let text = ValueClasses(rawValue: 1)
        static let number = ValueClasses(rawValue: 2)
        static let day = ValueClasses(rawValue: 4)
        static let time = ValueClasses(rawValue: 8)
        static let size = ValueClasses(rawValue: 16)
        /// A time at which something ends: a length of time is counted from now on.
        static let deadline = ValueClasses(rawValue: 32)
    }

    let place: Place
    let classes: ValueClasses

    /// The fields of all records, by the names that people give them.
    static let general: [(place: Place, classes: ValueClasses, names: [String])] = [
        (.title, .text, ["title", "标题", "名称"]), (.kind, .text, ["kind", "种类"]), (.tag, .text, ["tag", "tags", "标签"]),
        (.group, .text, ["group", "分组"]), (.path, .text, ["path", "in", "路径"]), (.media, .text, ["media", "媒体类型"]),
        (.id, .text, ["id"]), (.size, .size, ["size", "大小"]), (.updated, .time, ["updated", "更新", "修改"]),
        (.created, .time, ["created", "创建"]), (.due, .day, ["due", "到期"]), (.save, .number, ["save", "存档"]),
        (.state, .text, ["is", "是"]), (.presence, .text, ["has", "有"]),
    ]

    /// The fields of records of copies, which are no cards (Spec/product/watermark.md, 7).
    static let ofShares = [
        Field("recipient", "recipient", "接收方"), Field("purpose", "purpose", "用途"),
        Field("until", "valid until", "有效期至", .date), Field("note", "note", "备注", .text),
        Field("text", "text of the mark", "水印文字", .text), Field(Entry.revokedKey, "asked back", "收回日期", .date),
    ]

    /// Names that people give fields besides their labels: 有效期 of a bank card, and of a passport too.
    private static let aliases: [(name: String, key: String)] = [
        ("有效期", "valid_until"), ("有效日期", "valid_until"), ("到期日", "valid_until"), ("开户行", "bank"), ("利率", "annual_rate"),
        ("手机", "phone"), ("手机号", "phone"),
    ]

    /// All fields of kinds, by the name that a query gives them: key, and labels of both languages.
    private static let named: [String: [Entry.Kind: [Field]]] = {
        var named: [String: [Entry.Kind: [Field]]] = [:]
        func add(_ field: Field, of kind: Entry.Kind) {
            for name in Set([field.key, field.label.english, field.label.chinese].map(fold)) {
                named[name, default: [:]][kind, default: []].append(field)
            }
        }
        for schema in Schema.cards { for field in schema.fields { add(field, of: schema.kind) } }
        for field in ofShares { add(field, of: .share) }
        for (name, key) in aliases {
            for schema in Schema.cards {
                guard let field = schema[key], named[name]?[schema.kind] == nil else { continue }
                named[name, default: [:]][schema.kind] = [field]
            }
        }
        return named
    }()

    /// A name as names are compared: folded, without the blanks and dashes that a label may have.
    static func fold(_ name: String) -> String {
        String(decoding: Folding.fold(name.utf8), as: UTF8.self).filter { !" -_".contains($0) }
    }

    /// The names of all fields that a query may ask for: in English where the word that nobody knows is ASCII, else in Chinese.
    static func names(like word: String) -> [String] {
        let fields = Schema.cards.flatMap(\.fields) + ofShares
        guard word.utf8.allSatisfy({ $0 < 0x80 }) else {
            return general.flatMap { $0.names.filter { $0.utf8.contains { $0 >= 0x80 } } }
                + Set(fields.map(\.label.chinese) + aliases.map(\.name)).sorted()
        }
        return general.map(\.names[0]) + Set(fields.map(\.key)).sorted()
    }

    /// The field that a name means: one of all records, else those of kinds; behind a point one of one's own.
    ///
    /// - Returns: nil where no field has the name.
    init?(_ name: String) {
        if name.hasPrefix(".") {
            self.init(place: .own(Self.fold(String(name.dropFirst()))), classes: [.text, .number, .day])
            return
        }
        let folded = Self.fold(name)
        if let found = Self.general.first(where: { $0.names.contains(folded) }) {
            self.init(place: found.place, classes: found.classes)
            return
        }
        guard let fields = Self.named[folded] else { return nil }
        let classes = fields.values.joined().reduce(into: ValueClasses()) { $0.formUnion($1.check.classes) }
        self.init(place: .values(fields), classes: classes)
    }

    private init(place: Place, classes: ValueClasses) { (self.place, self.classes) = (place, classes) }

    /// Parts of a vault that a query on this field needs besides the records.
    var needs: QueryNeeds {
        switch place {
        case .due: .due
        case .path: .paths
        default: []
        }
    }
}

extension Check {
    /// The type that such values are compared as.
    var classes: QueryField.ValueClasses {
        switch self {
        case .amount, .percent, .rating: .number
        case .size: .size
        case .time: .time
        case .deadline: .deadline
        case .date, .dateOrForever, .expiry: .day
        default: .text
        }
    }
}
