import Cards
import VaultFormat
import VaultStore

extension Verb {
    static let querySave = Verb.changing(
        name: "query save", summary: "give a query a name", operands: "NAME QUERY…",
        example: "qvault query save 到期卡 'kind:bankcard due<90d'", note: "'qvault find @到期卡' asks it again"
    ) { transaction, arguments in
        let name = arguments.words[0]
        let setting = try NamedQueries.setting(name)
        if let old = try transaction.before.query(named: name) {
            throw Failure(
                .refused, "a query is called '\(printable(name.utf8))': \(printable(old.utf8))",
                hint: "'qvault query edit' gives the name another query")
        }
        // A list or a secret of that name is no query, and stays.
        guard try transaction.before.setting(setting) == nil else {
            throw Failure(.refused, "the setting \(setting) is no query", hint: "choose another name")
        }
        return try put(transaction, arguments)
    }

    static let queryEdit = Verb.changing(
        name: "query edit", summary: "give the name of a query another query", operands: "NAME QUERY…",
        example: "qvault query edit 到期卡 'kind:bankcard due<30d'", note: "'qvault history query.到期卡' keeps the old one"
    ) { transaction, arguments in
        guard try transaction.before.query(named: arguments.words[0]) != nil else {
            throw try missing(arguments.words[0], transaction.before)
        }
        return try put(transaction, arguments)
    }

    private static func put(_ transaction: VaultTransaction, _ arguments: Arguments) throws -> ExitCode {
        let name = arguments.words[0]
        let setting = try NamedQueries.setting(name)
        let text = try QueryArguments.text(arguments.operands.dropFirst())
        let vault = transaction.before
        do {
            // Its own faults are shown in it. The new text counts where another query names it: none contains itself.
            let named = { (other: String) in other == name ? "x" : try vault.query(named: other) }
            _ = try Query(text, clock: QueryArguments.clock, named: named)
            _ = try Query("@\(name)", clock: QueryArguments.clock) { $0 == name ? text : try vault.query(named: $0) }
        } catch let error as QueryError { throw try QueryArguments.failure(error, in: vault) }
        let value = Setting(.text(text))
        guard try vault.setting(setting) != value else { return Messages.done("nothing to change: it is set so") }
        try transaction.put(value, as: setting)
        return try Session.commit(transaction, arguments, saying: "saved the query '\(printable(name.utf8))'")
    }

    private static func missing(_ name: String, _ vault: Vault) throws -> Failure {
        Failure(
            .notFound, "no query is called '\(printable(name.utf8))'",
            hint: .meant(name, among: try vault.namedQueries().map(\.name), else: "'qvault query list' lists them"))
    }

    static let queryList = Verb.reading(
        name: "query list", summary: "list the queries that have names", options: [.json],
        example: "qvault query list", note: "name and query, a line each"
    ) { vault, arguments in
        let queries = try vault.namedQueries()
        let width = queries.map { columns($0.name) }.max() ?? 0
        return try StandardOutput.list(queries, arguments) {
            ["name": $0.name, "query": $0.text]
        } text: {
            "\(padded(printable($0.name.utf8), width))  \(printable($0.text.utf8))"
        }
    }

    static let queryRemove = Verb.changing(
        name: "query rm", summary: "put queries that have names into the trash", operands: "NAME…",
        example: "qvault query rm 到期卡", note: "'qvault undelete query.到期卡' brings it back"
    ) { transaction, arguments in
        var seen: Set<String> = []
        for name in arguments.words where seen.insert(name).inserted {
            guard let entry = try transaction.entry(Setting.id(NamedQueries.setting(name))) else {
                throw try missing(name, transaction.before)
            }
            try transaction.trash(entry)
        }
        return try Session.commit(transaction, arguments, saying: "queries moved to the trash: \(seen.count)")
    }
}
