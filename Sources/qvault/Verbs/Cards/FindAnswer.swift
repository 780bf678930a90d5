import Cards
import VaultFormat
import VaultStore

/// What was found, on its way to standard output.
struct FindAnswer {
    let vault: Vault
    let query: Query
    let clock: QueryClock
    let result: QueryResult
    let report: ProblemReport
    private(set) var hits: [QueryHit]

    init(vault: Vault, query: Query, clock: QueryClock, result: QueryResult, report: ProblemReport) {
        (self.vault, self.query, self.clock, self.result, self.report) = (vault, query, clock, result, report)
        hits = result.hits
    }

    private func values(_ columns: [QueryColumn], isRevealed: Bool = false) throws -> [[[QueryColumn.Value]]] {
        try vault.values(
            of: columns, for: hits.map(\.entry), clock: clock, isRevealed: isRevealed, damaged: report.add)
    }

    /// Sorts by fields; what has no value of one comes last.
    mutating func sort(_ text: String?) throws {
        guard let text else { return }
        let names = QueryArguments.names(text)
        let columns = try names.map {
            try QueryArguments.column($0.hasPrefix("-") ? String($0.dropFirst()) : $0, in: vault)
        }
        let isTurned = names.map { $0.hasPrefix("-") }
        let keys = try values(columns).map { $0.map(\.first) }
        let order = hits.indices.sorted { one, other in
            for place in columns.indices {
                switch (keys[one][place], keys[other][place]) {
                case (let a?, let b?) where a != b: return isTurned[place] ? b < a : a < b
                case (_?, nil): return true
                case (nil, _?): return false
                default: continue
                }
            }
            return one < other
        }
        hits = order.map { hits[$0] }
    }

    // MARK: Output

    func write(_ fields: [QueryColumn], _ arguments: Arguments) throws {
        let isRevealed = arguments.has(.reveal)
        let cells = fields.isEmpty ? [] : try values(fields, isRevealed: isRevealed)
        let paths = try paths()
        var out = StandardOutput()
        if arguments.has(.json) {
            for (index, hit) in hits.enumerated() {
                let shown = cells.isEmpty ? nil : Self.json(fields, cells[index])
                try out.write(hit.json(paths[hit.entry.id], shown, isRevealed: isRevealed).line + "\n")
            }
            for save in result.saves { try out.write(save.found.line + "\n") }
        } else if fields.isEmpty {
            let digits = hits.map(\.entry.id).digitCount
            let width = Set(hits.map(\.entry.kind)).map { columns(Self.label($0)) }.max() ?? 0
            for hit in hits {
                try out.show(hit.line(query, paths[hit.entry.id], digits, width, isRevealed: isRevealed) + "\n")
            }
            for save in result.saves {
                try out.show("\(Query.saveLabel.said) \(save.sequence)  \(timeText(save.time, local: true))\n")
            }
        } else {
            let rows = cells.map { row in row.map { $0.map(Self.text).listed } }
            let isNumber = fields.indices.map { place in
                cells.allSatisfy { $0[place].allSatisfy(\.isNumber) } && cells.contains { !$0[place].isEmpty }
            }
            let heads = fields.map { printable($0.name.utf8) }
            for line in inColumns([heads] + rows, right: { isNumber[$0] }) { try out.show(line + "\n") }
        }
        try out.flush()
    }

    /// A value for people: a time as the clock here shows it, a kind and a closed word in their language.
    private static func text(_ value: QueryColumn.Value) -> String {
        value.time.map { timeText($0, local: true) } ?? value.kind.map(label) ?? value.closedWord?.label.said
            ?? printable(value.shown.utf8)
    }

    static func label(_ kind: Entry.Kind) -> String {
        Query.label(of: kind)?.said ?? Names.kindName(kind)
    }

    private static func json(_ columns: [QueryColumn], _ cells: [[QueryColumn.Value]]) -> JSON {
        JSON.object(
            zip(columns, cells).map { column, values in
                (
                    column.name,
                    values.count > 1 ? values.map(\.shown).json : values.first.map { .text($0.shown) } ?? .null
                )
            })
    }

    /// The number of records for each value of some fields, the most first.
    func write(facets: [QueryColumn], _ arguments: Arguments) throws {
        let cells = try values(facets, isRevealed: arguments.has(.reveal))
        var out = StandardOutput()
        for (place, facet) in facets.enumerated() {
            var counts: [String: Int] = [:]
            let isJSON = arguments.has(.json)
            var none = 0
            for row in cells {
                if row[place].isEmpty { none += 1 }
                for value in row[place] { counts[isJSON ? value.shown : Self.text(value), default: 0] += 1 }
            }
            var rows = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key as String?, $0.value) }
            if none > 0 { rows.append((nil, none)) }
            if isJSON {
                for (value, count) in rows {
                    let json: JSON = ["facet": facet.name, "value": value, "records": count]
                    try out.write(json.line + "\n")
                }
            } else {
                let table = rows.map { [printable(facet.name.utf8), $0 ?? "-", "\($1)"] }
                for line in inColumns(table, right: { $0 == 2 }) { try out.show(line + "\n") }
            }
        }
        try out.flush()
    }

    /// The paths of what lies in folders or belongs to other records.
    private func paths() throws -> [RecordID: BytePath] {
        let wanted = Set(hits.filter { !$0.entry.isCard && $0.entry.kind != .setting }.map(\.entry.id))
        guard !wanted.isEmpty else { return [:] }
        let found = try Names.list(vault).filter { wanted.contains($0.entry.id) }.map { ($0.entry.id, $0.path) }
        return Dictionary(found) { first, _ in first }
    }

    /// Queries that find something where this one found nothing, for a hint; nil where none does.
    func looser() throws -> Phrase? {
        var found: [String] = []
        for term in query.term.looser where found.count < 3 {
            let text = QueryArguments.shown(term)
            let other = try Query(term, text, clock: clock) { try vault.query(named: $0) }
            let count = try vault.count(other, clock: clock) { _, _ in }.total
            if count > 0 { found.append("\(text) (\(count))") }
        }
        return found.isEmpty ? nil : "there is something for: \(found.joined(separator: "; "))"
    }
}

extension SaveInfo {
    fileprivate var found: JSON { ["kind": "save", "sequence": sequence, "time": time, "kept": isKept] }
}

extension QueryHit {
    fileprivate func json(_ path: BytePath?, _ fields: JSON?, isRevealed: Bool) -> JSON {
        JSON(
            joining: CardArguments.members(of: entry), path.map { .path($0) } ?? [:], ["size": entry.length],
            match.map { match in
                [
                    "level": "\(match.level)", "place": "\(match.place)", "key": match.key,
                    "value": line?.shown(isRevealed: isRevealed),
                ]
            } ?? [:], fields.map { ["columns": $0] } ?? [:])
    }

    /// `id  kind  title  [group]  #tags  label: value`
    fileprivate func line(
        _ query: Query, _ path: BytePath?, _ digits: Int, _ width: Int, isRevealed: Bool
    ) -> String {
        var text: [UInt8] = []
        text.append(entry.id, digits: digits)
        var line = String(decoding: text, as: UTF8.self) + (entry.overview.isPinned ? "  *  " : "     ")
        line += padded(FindAnswer.label(entry.kind), width) + "  "
        line += path?.description ?? printable(entry.overview.title)
        if let group = entry.overview.group { line += "  [\(printable(group.utf8))]" }
        for tag in entry.overview.tags { line += "  #\(printable(tag.utf8))" }
        if let found = self.line {
            let shown =
                found.isSensitive && !isRevealed
                ? found.shown(isRevealed: false) : found.closedWord?.label.said ?? query.excerpt(of: found.value)
            line += "  " + (found.label?.said ?? printable(found.key.utf8)) + .colon + printable(shown.utf8)
        }
        return line
    }
}
