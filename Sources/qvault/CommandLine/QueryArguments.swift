import Cards
import Glibc
import VaultFormat
import VaultIO
import VaultStore

/// Queries as a command line gives them.
enum QueryArguments {
    /// Now, by the clock and the calendar of this place.
    static var clock: QueryClock {
        QueryClock(now: Timestamp(second: Machine.store.now().seconds), today: Machine.today) {
            TimeArgument.time($0.text, isStart: true) ?? Timestamp(second: $0.second)
        }
    }

    /// The text that operands make. Bytes that are no text would be looked for as others.
    static func text(_ words: ArraySlice<[UInt8]>) throws -> String {
        try words.map(Arguments.text).joined(separator: " ")
    }

    /// The query that words make, with the queries of the vault that have names.
    static func query(_ text: String, in vault: Vault, _ clock: QueryClock) throws -> Query {
        do { return try Query(text, clock: clock) { try vault.query(named: $0) } } catch let error as QueryError {
            throw try failure(error, in: vault)
        }
    }

    /// The records that `--find` asks for; none without it. One that cannot be read is an error: it might be meant.
    ///
    /// - Parameter trash: the records in the trash, where the query is asked of these.
    static func found(_ arguments: Arguments, in vault: Vault, trash: TreeListing? = nil) throws -> [Entry] {
        guard let text = try arguments.validText(.find) else { return [] }
        let clock = clock
        let query = try query(text, in: vault, clock)
        let isMeant = trash.map { Set($0.map(\.entry.id)) }
        let hits = try (trash == nil ? vault : vault.showingTrash()).find(query, clock: clock).hits.filter {
            isMeant?.contains($0.entry.id) ?? true
        }
        guard !hits.isEmpty else {
            throw Failure(
                .notFound, "nothing answers '\(shown(query.term))'",
                hint: trash == nil ? "'qvault find' says what would" : "'qvault ls --trash' lists what is there")
        }
        return hits.map(\.entry)
    }

    /// Those among them that a verb means; the others are said to be left as they are.
    static func found(
        _ arguments: Arguments, in vault: Vault, where isMeant: (Entry) -> Bool
    ) throws -> [Entry] {
        let found = try found(arguments, in: vault)
        let meant = found.filter(isMeant)
        guard !meant.isEmpty || found.isEmpty else {
            throw Failure(.notFound, "records found: \(found.count), none of which this verb is for")
        }
        if meant.count < found.count {
            Messages.say(
                "records found that are not meant by this verb, and left as they are: \(found.count - meant.count)")
        }
        return meant
    }

    /// The cards among them, of the kind that the verb is for.
    static func foundCards(_ arguments: Arguments, in vault: Vault) throws -> [Entry] {
        try found(arguments, in: vault) {
            $0.isCard && (arguments.kind == nil || Schema.of($0.kind)?.name == arguments.kind)
        }
    }

    /// The error, with its place in the query beneath it.
    static func failure(_ error: QueryError, in vault: Vault) throws -> Failure {
        let general: Phrase = "'qvault help finding' shows the language; in quotes a text is taken as it is"
        let hint: Phrase? = try error.unknown.map { unknown in
            switch unknown.subject {
            case .field:
                .meant(
                    unknown.word, among: unknown.known,
                    else:
                        "a field of one's own is asked for as '.\(printable(unknown.word.utf8))'; in quotes it is a word"
                )
            case .word: .meant(unknown.word, among: unknown.known, else: general)
            case .query:
                .meant(
                    unknown.word, among: try vault.namedQueries().map(\.name), else: "'qvault query list' lists them")
            }
        }
        return Failure(.usage, "\(error.what)\(shown(error))", hint: hint ?? general)
    }

    /// A query in a message: the beginning of a long one.
    static func shown(_ term: QueryTerm) -> String {
        let text = term.description
        return printable(text.prefix(200).utf8) + (text.count > 200 ? "…" : "")
    }

    /// `: amount>[abc]`: the query around its fault, which is in brackets.
    private static func shown(_ error: QueryError) -> String {
        guard !error.text.isEmpty else { return "" }
        let bytes = Array(error.text.utf8)
        let place = error.place.clamped(to: 0..<bytes.count)
        let before = String(decoding: bytes[..<place.lowerBound], as: UTF8.self).suffix(40)
        let fault = String(decoding: bytes[place], as: UTF8.self).prefix(40)
        let after = String(decoding: bytes[place.upperBound...], as: UTF8.self).prefix(20)
        let text = fault.isEmpty ? "\(before)[?]\(after)" : "\(before)[\(fault)]\(after)"
        return ": " + printable(text.utf8)
    }

    /// The column that a word means.
    static func column(_ name: String, in vault: Vault) throws -> QueryColumn {
        do { return try QueryColumn(name) } catch let error as QueryError { throw try failure(error, in: vault) }
    }

    /// Columns as `title,kind,amount`.
    static func columns(_ text: String?, in vault: Vault) throws -> [QueryColumn] {
        guard let text else { return [] }
        let names = names(text)
        guard !names.isEmpty else { throw Failure(.usage, "'\(printable(text.utf8))' names no field") }
        guard Set(names).count == names.count else {
            throw Failure(.usage, "'\(printable(text.utf8))' names a field twice")
        }
        return try names.map { try column($0, in: vault) }
    }

    /// The names of a list, with commas of any width between.
    static func names(_ text: String) -> [String] {
        text.split { ",，、".contains($0) }.map { String($0).trimmed.replacing("－", with: "-") }
    }
}
