import Values
import VaultFormat

/// Makes queries of what is written.
struct QueryBuilder {
    let text: String
    let clock: QueryClock
    var words: [(bytes: [UInt8], isAsItIs: Bool)] = []
    var conditions: [ResolvedCondition] = []
    /// The names of queries that are being read.
    var names: [String] = []
    /// The texts of queries with names, so that each is asked for once; and the bytes of those that were put in.
    var texts: [String: String] = [:]
    var byteCount = 0
    /// The number of parts that the present one is in.
    var depth = 0
    /// The name that errors of a named query point at; nil outside of such.
    var place: Range<Int>?

    private func error(_ what: Phrase, _ place: Range<Int>, unknown: QueryError.Unknown? = nil) -> QueryError {
        QueryError(what, text, self.place ?? place, unknown: unknown)
    }

    mutating func node(_ term: QueryTerm, _ named: (String) throws -> String?) throws -> QueryNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depth else {
            throw error(
                "more than \(Self.depth) parts in one another, with the queries that are named", 0..<text.utf8.count)
        }
        switch term {
        case .word(let word):
            words.append((try folded(word), word.isQuoted))
            guard words.count <= QueryTerm.leafCount else { throw tooMany(word.place) }
            return .word(words.count - 1)
        case .condition(let written):
            conditions.append(try condition(written))
            guard conditions.count <= QueryTerm.leafCount else { throw tooMany(written.place) }
            let node = QueryNode.condition(conditions.count - 1)
            return written.comparison == .unequal ? .not(node) : node
        case .named(let name): return try node(called: name, named)
        case .not(let term): return .not(try node(term, named))
        case .all(let terms): return .all(try terms.map { try node($0, named) })
        case .any(let terms): return .any(try terms.map { try node($0, named) })
        }
    }

    /// Parts of a query in one another at most, those of named queries too.
    private static let depth = 256

    /// A text as it is compared.
    private func folded(_ text: QueryText) throws -> [UInt8] {
        let folded = Folding.fold(text.text.utf8)
        guard !folded.isEmpty else { throw error("there is nothing to look for in this", text.place) }
        return folded
    }

    private func tooMany(_ place: Range<Int>) -> QueryError {
        error("more than \(QueryTerm.leafCount) words and conditions", place)
    }

    private mutating func node(called name: QueryText, _ named: (String) throws -> String?) throws -> QueryNode {
        guard !names.contains(name.text) else {
            throw error("the query '\(name.text)' contains itself", name.place)
        }
        guard let text = try texts[name.text] ?? named(name.text) else {
            throw error(
                "no query is called '\(name.text)'", name.place,
                unknown: QueryError.Unknown(subject: .query, word: name.text, known: []))
        }
        texts[name.text] = text
        byteCount += text.utf8.count + 1
        guard byteCount <= QueryTerm.byteCount else {
            throw error("the queries that are named are longer than 64 KiB", name.place)
        }
        let outer = place
        names.append(name.text)
        place = place ?? name.place
        defer {
            names.removeLast()
            place = outer
        }
        do { return try node(try QueryTerm(text), named) } catch let inner as QueryError {
            throw error("in the query '\(name.text)': \(inner.what)", name.place, unknown: inner.unknown)
        }
    }

    private func condition(_ written: QueryCondition) throws -> ResolvedCondition {
        let name = written.field
        guard let field = QueryField(name.text) else {
            throw error(
                "no field is called '\(name.text)'", name.place,
                unknown: QueryError.Unknown(subject: .field, word: name.text, known: QueryField.names(like: name.text)))
        }
        var kinds: (records: Set<Entry.Kind>, saves: Bool) = ([], false)
        var words: [String] = []
        var own: [String] = []
        var fields: [[Entry.Kind: [Field]]] = []
        switch field.place {
        case .kind:
            for text in try texts(of: written) {
                let found = QueryKinds.kinds(called: text.text)
                let isSaves = QueryKinds.save.contains(text.folded)
                guard !found.isEmpty || isSaves else {
                    throw error(
                        "no kind is called '\(text.text)'", text.place,
                        unknown: QueryError.Unknown(
                            subject: .word, word: text.text,
                            known: QueryKinds.all.flatMap { QueryKinds.names($0) } + QueryKinds.save)
                    )
                }
                kinds.records.formUnion(found)
                kinds.saves = kinds.saves || isSaves
            }
        case .state:
            words = try texts(of: written).map {
                try word($0, among: QueryState.allCases.map { ($0.rawValue, $0.chinese) })
            }
        case .presence:
            for text in try texts(of: written) {
                switch try part(text) {
                case .known(let part): words.append(part.rawValue)
                case .field(let kinds): fields.append(kinds)
                case .own(let name): own.append(name)
                }
            }
        case .values(let kinds): fields = [kinds]
        default: break
        }
        if field.classes.contains(.text) {
            for case .text(let text) in written.values { _ = try folded(text) }
        }
        let tests = try written.values.map { try test($0, written, field) }
        let keys = fields.reduce(into: [Entry.Kind: [ResolvedCondition.Key]]()) { keys, kinds in
            for (kind, fields) in kinds {
                keys[kind, default: []] += fields.map {
                    ResolvedCondition.Key(bytes: Array($0.key.utf8), check: $0.check)
                }
            }
        }
        return ResolvedCondition(field: field, tests: tests, kinds: kinds, words: words, own: own, fields: keys)
    }

    private func test(_ value: QueryCondition.Value, _ written: QueryCondition, _ field: QueryField) throws -> QueryTest
    {
        let test = QueryTest(value, written.comparison, field, clock)
        guard test.isEmpty else { return test }
        let what: Phrase =
            if field.classes == .text {
                "'\(written.field.text)' is text: it goes with ':' and '=', not with '\(written.comparison.rawValue)' or '..'"
            } else if field.classes.contains(.size) {
                "'\(value)' is no size: write it like 500, 200kB or 10MiB"
            } else if field.classes.contains(.time) || field.classes.contains(.day) {
                "'\(value)' is no day and no length of time: write it like 2026, 2026-01, 2026-01-31, today or 30d"
            } else {
                "'\(value)' is no number: write it like 50000, 50,000.00, 1.2万 or 2.5%"
            }
        throw error(what, written.place)
    }

    /// The values of a condition that takes words alone.
    private func texts(of written: QueryCondition) throws -> [QueryText] {
        try written.values.map { value in
            guard case .text(let text) = value, [.has, .equal, .unequal].contains(written.comparison) else {
                throw error("'\(written.field.text)' takes a word behind ':'", written.place)
            }
            return text
        }
    }

    /// One of some words, as each is called in one of two languages.
    private func word(_ text: QueryText, among known: [(name: String, chinese: String)]) throws -> String {
        let typed = text.folded
        guard let found = known.first(where: { $0.name == typed || $0.chinese == typed }) else {
            throw error(
                "'\(text.text)' is none of \(known.map { "\($0.name) \($0.chinese)" }.joined(separator: ", "))",
                text.place,
                unknown: QueryError.Unknown(
                    subject: .word, word: typed, known: known.flatMap { [$0.name, $0.chinese] }))
        }
        return found.name
    }

    /// A part of a record: an attachment, a copy, a tag, a group, or the value of a field.
    private func part(_ text: QueryText) throws -> Part {
        if let known = QueryPart.allCases.first(where: { [$0.rawValue, $0.chinese].contains(text.folded) }) {
            return .known(known)
        }
        let field = QueryField(text.text)
        if case .own(let name) = field?.place { return .own(name) }
        guard case .values(let kinds) = field?.place else {
            throw error(
                "no part and no field is called '\(text.text)'", text.place,
                unknown: QueryError.Unknown(
                    subject: .field, word: text.text,
                    known: QueryPart.allCases.flatMap { [$0.rawValue, $0.chinese] } + QueryField.names(like: text.text))
            )
        }
        return .field(kinds)
    }

    private enum Part {
        case known(QueryPart)
        case field([Entry.Kind: [Field]])
        case own(String)
    }
}

extension QueryText {
    /// As names are compared.
    fileprivate var folded: String { String(decoding: Folding.fold(text.utf8), as: UTF8.self) }
}

/// States of records, behind `is:`.
enum QueryState: String, CaseIterable {
    case pinned, overdue, executable
    /// Marks of apps.
    case free, new, ending, hot, ended

    var chinese: String {
        switch self {
        case .pinned: "置顶"
        case .overdue: "过期"
        case .executable: "可执行"
        default: mark?.label.chinese ?? ""
        }
    }

    /// The mark of an app that it is; nil of a state that every record may be in.
    var mark: App.Mark? { App.Mark(rawValue: rawValue) }
}

/// Parts of records, behind `has:`.
enum QueryPart: String, CaseIterable {
    case attachment, share, tag, group, due

    var chinese: String {
        switch self {
        case .attachment: "附件"
        case .share: "副本"
        case .tag: "标签"
        case .group: "分组"
        case .due: "到期"
        }
    }
}
