public import Values
public import VaultFormat
public import VaultStore

/// A field of the records that were found: for columns, for sorting, for counting (Spec/product/query.md, 6).
public struct QueryColumn: Sendable {
    /// Its name as it was given.
    public let name: String
    private let field: QueryField

    /// - Throws: `QueryError` where no field has the name, or none that has values.
    public init(_ name: String) throws {
        let all = 0..<name.utf8.count
        guard let field = QueryField(name) else {
            throw QueryError(
                "no field is called '\(name)'", name, all,
                unknown: QueryError.Unknown(subject: .field, word: name, known: QueryField.names(like: name)))
        }
        guard ![.state, .presence, .save].contains(field.place) else {
            throw QueryError("'\(name)' has no values", name, all)
        }
        (self.name, self.field) = (name, field)
    }

    /// A value of a field.
    public struct Value: Sendable, Comparable {
        /// As lists show it; of a sensitive field its end alone, or asterisks.
        public let shown: String
        /// The part of it that is compared.
        fileprivate let key: Key

        fileprivate enum Key: Sendable {
            case number(ExactDecimal)
            case day(Day)
            case time(Timestamp)
            case text([UInt8])
        }

        fileprivate init(_ shown: String, _ key: Key? = nil) {
            (self.shown, self.key) = (shown, key ?? .text(Folding.fold(shown.utf8)))
        }

        /// The time that it is; nil of any other value.
        public var time: Timestamp? { if case .time(let time) = key { time } else { nil } }
        /// The kind of records that it names; nil of any other value.
        public private(set) var kind: Entry.Kind?
        /// The closed word that it is; nil of any other value.
        public fileprivate(set) var closedWord: ClosedWord?

        fileprivate init(_ kind: Entry.Kind) {
            self.init(QueryKinds.names(kind).first ?? "")
            self.kind = kind
        }

        /// True if it is a number.
        public var isNumber: Bool { if case .number = key { true } else { false } }

        /// Numbers, days and times by value, texts without case; of different types those first that stand first here.
        public static func < (one: Value, other: Value) -> Bool {
            switch (one.key, other.key) {
            case (.number(let one), .number(let other)): one < other
            case (.day(let one), .day(let other)): one < other
            case (.time(let one), .time(let other)): one < other
            case (.text(let one), .text(let other)): one.lexicographicallyPrecedes(other)
            default: one.order < other.order
            }
        }

        /// Equal as they are compared.
        public static func == (one: Value, other: Value) -> Bool { !(one < other) && !(other < one) }

        private var order: Int {
            switch key {
            case .number: 0
            case .day: 1
            case .time: 2
            case .text: 3
            }
        }
    }

    var needs: QueryNeeds { field.needs }

    /// True if the content of a record has to be read for its value.
    fileprivate var needsContent: Bool {
        switch field.place {
        case .values, .own: true
        default: false
        }
    }

    /// The values of a record; most have one or none.
    fileprivate func values(_ entry: Entry, _ lines: [Card.Line], _ context: QueryContext, isRevealed: Bool) -> [Value]
    {
        switch field.place {
        case .title: [Value(entry.title)]
        case .kind: [Value(entry.kind)]
        case .tag: entry.overview.tags.map { Value($0) }
        case .group: entry.overview.group.map { [Value($0)] } ?? []
        case .path: context.paths[entry.id].map { [Value($0.description)] } ?? []
        case .media: entry.overview.mediaType.map { [Value($0)] } ?? []
        case .id: [Value(hexText(entry.id.bytes))]
        case .size: [Value("\(entry.length)", .number(ExactDecimal(Int(clamping: entry.length))))]
        case .updated: [Value(entry.updated.text, .time(entry.updated))]
        case .created: [Value(entry.created.text, .time(entry.created))]
        case .due: context.due[entry.id].map { [Value($0.text, .day($0))] } ?? []
        case .state, .presence, .save: []
        case .values(let kinds):
            kinds[entry.kind]?.compactMap { field in
                lines.first { $0.key == field.key }.map { line in
                    Value(line, field.check, isRevealed: isRevealed)
                }
            } ?? []
        case .own(let name):
            lines.filter { $0.label == nil && QueryField.fold($0.key) == name }.map {
                Value($0, nil, isRevealed: isRevealed)
            }
        }
    }
}

extension QueryColumn.Value {
    fileprivate init(_ line: Card.Line, _ check: Check?, isRevealed: Bool) {
        let shown = line.shown(isRevealed: isRevealed)
        guard !line.isSensitive else {
            self.init(shown)
            return
        }
        guard let check else {
            // The value of a field of one's own says whether it is a number, a day or a text.
            let day = Check.storedDay(Check.date.normalized(line.value))
            self.init(shown, ExactDecimal(typed: line.value).map { .number($0) } ?? day.map { .day($0) })
            return
        }
        switch check.classes {
        case .number: self.init(shown, ExactDecimal(line.value).map { .number($0) })
        case .size: self.init(shown, ExactDecimal(line.value).map { .number($0) })
        case .time, .deadline: self.init(shown, Timestamp(line.value).map { .time($0) })
        case .day: self.init(shown, check.dayMeant(by: line.value).map { .day($0) })
        default:
            self.init(shown)
            closedWord = line.closedWord
        }
    }
}

extension Vault {
    /// The values of columns for each of some records, in their order.
    ///
    /// - Throws: as `card`, unless `damaged` says otherwise: then a record that cannot be read has no values of fields.
    public func values(
        of columns: [QueryColumn], for entries: [Entry], clock: QueryClock, isRevealed: Bool = false,
        damaged: (Entry, FormatError) throws -> Void = { throw $1 }
    ) throws -> [[[QueryColumn.Value]]] {
        let needs = columns.reduce(into: QueryNeeds()) { $0.formUnion($1.needs) }
        let context = try QueryContext(needs, self, clock, damaged: damaged)
        var lines: [RecordID: [Card.Line]] = [:]
        if columns.contains(where: \.needsContent) {
            let read = entries.filter { $0.isCard || $0.isShare }
            let found = try map(read, limit: Self.cardByteCount, damaged: damaged) { entry, content, lines in
                let fields = try RecordFields(parsing: Array(copying: content))
                let schema = Schema.of(entry.kind)
                let card = schema.map { Card(schema: $0, overview: entry.overview, fields: fields) }
                lines.append((entry.id, card?.lines ?? fields.texts.map { Card.Line($0, $1, isSensitive: false) }))
            }
            lines = Dictionary(found) { first, _ in first }
        }
        return entries.map { entry in
            columns.map { $0.values(entry, lines[entry.id] ?? [], context, isRevealed: isRevealed) }
        }
    }
}
