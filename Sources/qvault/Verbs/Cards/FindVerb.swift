import Cards
import VaultFormat
import VaultStore

extension Verb {
    static let find = Verb.reading(
        name: "find", summary: "ask for records of any kind by words and conditions", operands: "QUERY…",
        options: [
            Option(.columns, value: "A,B…", help: "these fields of each, in columns"),
            Option(.sort, value: "A,-B…", help: "by these fields; '-' before one turns its order"),
            Option(.count, help: "how many there are, and no more"),
            Option(.facets, value: "A,B…", help: "how many there are of each value of these fields"),
            Option(.explain, help: "say how the query is understood, and what was read for it"), .reveal, .json,
        ],
        example: "qvault find 'kind:bankcard bank:招行 expiry<90d'",
        note: "words, FIELD:VALUE, <, >=, LO..HI, not, or, brackets; @NAME is a saved query"
    ) { vault, arguments in
        let clock = QueryArguments.clock
        let text = try QueryArguments.text(arguments.operands[...])
        let query = try QueryArguments.query(text, in: vault, clock)
        let columns = try QueryArguments.columns(arguments.text(.columns), in: vault)
        let facets = try QueryArguments.columns(arguments.text(.facets), in: vault)
        if arguments.has(.count), [.columns, .facets, .sort, .reveal].contains(where: { arguments.has($0) }) {
            throw Failure(.usage, "find: --count goes without --columns, --facets, --sort and --reveal")
        }
        guard facets.isEmpty || columns.isEmpty && !arguments.has(.sort) else {
            throw Failure(.usage, "find: --facets goes without --columns and --sort")
        }
        let report = ProblemReport()
        if arguments.has(.count) {
            try writeCount(try vault.count(query, clock: clock, damaged: report.add), query, vault, text, arguments)
            return report.exitCode(hint: damageHint)
        }
        let result = try vault.find(query, clock: clock, damaged: report.add)
        guard result.saves.isEmpty || columns.isEmpty && facets.isEmpty && !arguments.has(.sort) else {
            throw Failure(.usage, "find: saves have no fields for --columns, --facets and --sort")
        }
        try begin(query, result.counts, saves: result.saves.count, vault, text, arguments)
        var answer = FindAnswer(vault: vault, query: query, clock: clock, result: result, report: report)
        if result.hits.isEmpty, result.saves.isEmpty {
            guard report.exitCode() == .done else { return report.exitCode() }
            throw Failure(
                .notFound, "nothing answers '\(QueryArguments.shown(query.term))'",
                hint: try answer.looser() ?? "'qvault ls' lists all there is")
        } else if !facets.isEmpty {
            try answer.write(facets: facets, arguments)
        } else {
            try answer.sort(arguments.text(.sort))
            try answer.write(columns, arguments)
        }
        return report.exitCode(hint: damageHint)
    }

    private static let damageHint: Phrase = "'qvault verify' tells more of damage"

    private static func writeCount(
        _ found: QueryCount, _ query: Query, _ vault: Vault, _ text: String, _ arguments: Arguments
    ) throws {
        try begin(query, found.counts, saves: found.saves, vault, text, arguments)
        let json: JSON = ["count": found.total]
        try StandardOutput.print(arguments.has(.json) ? json.line + "\n" : "\(found.total)\n")
    }

    /// The beginning of every answer: the refusal of saves at another time, the explanation, and the search that is kept.
    private static func begin(
        _ query: Query, _ counts: QueryCounts, saves: Int, _ vault: Vault, _ text: String, _ arguments: Arguments
    ) throws {
        guard saves == 0 || !arguments.has(.at) else {
            throw Failure(.usage, "find: saves are listed as they are now, without --at")
        }
        if arguments.has(.explain) {
            Messages.say("understood as: \(printable(query.term.description.utf8))")
            Messages.say("looked at \(counts.records) records, read the content of \(counts.opened)")
        }
        try SearchMemory.keep(text, in: vault, arguments)
    }
}
