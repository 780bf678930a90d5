import Glibc
import Portfolio
import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let fundImport = Verb.at(
        name: "fund import",
        summary: "take in funds, holdings, net values, prices and rates that another program gives",
        operands: "FILE…|-",
        options: [
            .vault, Option(.source, value: "NAME", help: "who says so, where the lines do not; else the file's name"),
            Option(.map, value: "KEY=COLUMN,…", help: "which columns of a table mean what: code=基金代码,shares=份额"),
            Option(
                .zeros, help: "codes of a table that a spreadsheet has shortened get their zeros back: 1725 is 001725"),
            .dryRun, .json, .wait,
        ] + Option.use,
        example: "qvault fund import holdings.csv nav.ledger quotes.jsonl",
        note:
            "JSON lines, tables (CSV), price directives of ledger and beancount, lists of leek-fund; one save takes all"
    ) { path, arguments in
        let map = try FundImport.map(arguments.text(.map))
        let isPiped = arguments.operands.contains(Array("-".utf8))
        let sources = try arguments.operands.map { ($0, try LineSource($0)) }
        let isDry = arguments.has(.dryRun)
        let transaction = isDry ? nil : try Session.begin(path, arguments, readsInput: isPiped)
        let vault = try transaction?.before ?? Session.open(path, arguments)
        var work = try FundImport(vault, map: map, fillsZeros: arguments.has(.zeros), showsColumns: isDry)
        for (operand, lines) in sources {
            let name = operand == Array("-".utf8) ? "-" : printable(BytePath(operand).lastComponent)
            try work.take(lines, printable(operand), source: arguments.text(.source) ?? name)
        }
        return try work.finish(in: transaction, arguments)
    }
}

/// An import of funds and prices: its lines, and what they are to change.
struct FundImport {
    private var prices: PriceBook
    private var funds: FundBook
    private let map: [String: String]
    /// True if it is said what becomes of each column.
    private let showsColumns: Bool
    private let fillsZeros: Bool
    private var refused = 0

    init(
        _ vault: Vault, map: [String: String] = [:], fillsZeros: Bool = false, showsColumns: Bool = false
    ) throws {
        (prices, funds, self.map) = (PriceBook(vault), try FundBook(vault), map)
        (self.fillsZeros, self.showsColumns) = (fillsZeros, showsColumns)
    }

    /// The columns of `--map`.
    static func map(_ text: String?) throws -> [String: String] {
        var map: [String: String] = [:]
        for part in (text ?? "").split(separator: ",") {
            let words = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard words.count == 2, FundTableHeader.isKey(words[0]), map.updateValue(words[1], forKey: words[0]) == nil
            else { throw Failure(.usage, "fund import: --map takes KEY=COLUMN, not '\(printable(part.utf8))'") }
        }
        return map
    }

    /// Takes the lines of a file; those that are wrong are named and counted.
    mutating func take(_ lines: LineSource, _ name: String, source: String) throws {
        if !lines.isUTF8 { Messages.say("\(name): read as GB 18030") }
        var header: FundTableHeader?
        var isFirst = true
        var isShortCodeSaid = false
        while let line = try header == nil ? lines.next() : lines.nextRow() {
            if isFirst, !line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
                isFirst = false
                if let document = try Self.document(line.bytes, lines) {
                    return try take(items: FundLine.items(document), name, source)
                }
                if let table = PurchaseTable(line.bytes) { return try take(table, lines, name, source) }
                header = self.header(line.bytes, name)
                if header == nil, !Self.isLine(line.bytes) {
                    let skipped = try linesBefore(&header, [line], lines, name)
                    for line in skipped { try attempt(line, nil, name, source) }
                    continue
                }
                if header != nil { continue }
            }
            if !isShortCodeSaid, let code = header?.shortCode(line.bytes) {
                isShortCodeSaid = true
                Messages.hint(
                    "\(printable(code.utf8)): where a spreadsheet took the zeros of codes, --zeros gives them back")
            }
            try attempt(line, header, name, source)
        }
    }

    /// Lines before the header of a table at most: a title, a date, the name of an account.
    private static let linesBeforeHeader = 19

    /// True if a line says something of a fund, or is a comment.
    private static func isLine(_ line: [UInt8]) -> Bool {
        do {
            _ = try FundLine.lines(line, source: "")
            return true
        } catch {
            return false
        }
    }

    /// Looks for a header behind lines that are none.
    ///
    /// - Returns: the lines, where there is no header.
    private func linesBefore(
        _ header: inout FundTableHeader?, _ first: [(bytes: [UInt8], number: Int)], _ lines: LineSource, _ name: String
    ) throws -> [(bytes: [UInt8], number: Int)] {
        var skipped = first
        while skipped.count <= Self.linesBeforeHeader, let line = try lines.next() {
            header = self.header(line.bytes, name)
            if header != nil {
                Messages.say("\(name): lines before the header of the table, left out: \(skipped.count)")
                return []
            }
            skipped.append(line)
            // A line with values is no title.
            let isBlank = line.bytes.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }
            if !isBlank, Self.isLine(line.bytes) { break }
        }
        return skipped
    }

    private mutating func attempt(
        _ line: (bytes: [UInt8], number: Int), _ header: FundTableHeader?, _ name: String, _ source: String
    ) throws {
        try attempt("\(name):\(line.number)") { () throws(PriceLine.Problem) in
            guard let header else { return try FundLine.lines(line.bytes, source: source) }
            return try header.lines(line.bytes, source: source)
        }
    }

    private mutating func take(items: [JSON], _ name: String, _ source: String) throws {
        for (place, item) in items.enumerated() {
            try attempt("\(name): \(place + 1)") { () throws(PriceLine.Problem) in
                try FundLine.lines(item, source: source)
            }
        }
    }

    /// Takes a table of transactions: its rows first, since a holding has several.
    private mutating func take(_ header: PurchaseTable, _ lines: LineSource, _ name: String, _ source: String) throws {
        var table = header
        while let row = try lines.nextRow() {
            try attempt("\(name):\(row.number)") { () throws(PriceLine.Problem) in
                try table.take(row.bytes)
                return []
            }
        }
        try take(items: table.holdings, name, source)
    }

    /// The JSON document that a file is: a list, or an object of more than one line.
    private static func document(_ line: [UInt8], _ lines: LineSource) throws -> JSON? {
        guard let first = line.first(where: { $0 != 0x20 && $0 != 0x09 }), "{[".utf8.contains(first) else { return nil }
        var bytes = line
        if let json = try? JSON(parsing: bytes) { return json.isDocument ? json : nil }
        // A line that is no JSON among others that are.
        guard line.count < 64 || first == UInt8(ascii: "[") else { return nil }
        while let more = try lines.next() {
            bytes += [0x0A] + more.bytes
            guard bytes.count <= documentByteCount else {
                throw Failure(.invalid, "fund import: a JSON document takes 8 MiB", hint: "give a line for each value")
            }
        }
        do { return try JSON(parsing: bytes) } catch {
            throw Failure(.invalid, "fund import: a file that begins as JSON is none", hint: "nothing was saved")
        }
    }

    private static let documentByteCount = 8 << 20

    private func header(_ line: [UInt8], _ name: String) -> FundTableHeader? {
        guard line.first != UInt8(ascii: "{"), let header = FundTableHeader(line, map: map, fillsZeros: fillsZeros)
        else { return nil }
        if showsColumns {
            let meanings = header.meanings.map { "\(printable($0.column.utf8)) → \($0.key)" }
            Messages.say("\(name): columns: \(meanings.listed)")
        }
        if !header.unknown.isEmpty {
            let columns = header.unknown.map { printable($0.utf8) }.listed
            Messages.say("\(name): columns that were left out: \(columns)")
        }
        if !header.ambiguous.isEmpty {
            let columns = header.ambiguous.map { printable($0.utf8) }.listed
            Messages.hint("\(columns): where it is the cost of one share, --map cost=\(columns) takes it")
        }
        return header
    }

    private mutating func attempt(_ place: String, _ lines: () throws(PriceLine.Problem) -> [FundLine]) throws {
        do { try take(lines()) } catch let problem as PriceLine.Problem {
            refused += 1
            Messages.say("\(place): \(problem.what)")
        }
    }

    /// Takes what a line says: all of it, or nothing.
    ///
    /// - Throws: `PriceLine.Problem`, and all that reading the vault throws.
    mutating func take(_ lines: [FundLine]) throws {
        try funds.take(lines, &prices, now: Machine.store.now().seconds)
    }

    /// Takes what a feed says.
    ///
    /// - Throws: `PriceLine.Problem`, and all that reading the vault throws.
    mutating func take(ofFeed line: FundLine) throws {
        if case .fund(let code, let values) = line { return funds.describe(code, values) }
        try take([line])
    }

    /// Adds the estimates that follow, saves, and says how much there was.
    ///
    /// - Parameter transaction: nil where nothing is to be saved.
    mutating func finish(in transaction: VaultTransaction?, _ arguments: Arguments) throws -> ExitCode {
        for problem in funds.finish() {
            refused += 1
            Messages.say("fund import: \(problem.what)")
        }
        try prices.takeEstimates(with: funds)
        if let transaction, !prices.isEmpty || funds.added + funds.edited > 0 {
            try funds.store(in: transaction)
            try prices.store(in: transaction, now: Int64(Machine.store.now().seconds))
            try Session.commit(transaction)
        }
        for reminder in prices.fired { Messages.say(reminder.said) }
        try report(arguments)
        guard refused > 0 else { return .done }
        Messages.say("lines that were refused: \(refused); the others count")
        return .inPart
    }

    private func report(_ arguments: Arguments) throws {
        let dropped = Set(prices.dropped.map(\.code)).sorted()
        if !dropped.isEmpty {
            let codes = dropped.joined(separator: " ")
            Messages.say("values beyond what a market allows were dropped: \(codes)")
            for value in prices.dropped.prefix(5) {
                Messages.say(value.kind == .price ? value.said : "\(value.code): \(value.said)")
            }
        }
        for what in prices.contradicted.prefix(5) { Messages.say("sources differ, the last one counts: \(what)") }
        if prices.contradicted.count > 5 {
            Messages.say("net values that two sources give otherwise: \(prices.contradicted.count)")
        }
        if prices.older > 0 { Messages.say("prices older than the stored ones were left out: \(prices.older)") }
        if funds.added + funds.edited > 0, !arguments.has(.json) {
            Messages.done("funds and holdings added: \(funds.added), changed: \(funds.edited)")
        }
        try Messages.done(
            "values added: \(prices.added), changed: \(prices.changed), refused: \(refused)", arguments,
            json: [
                "added": prices.added, "changed": prices.changed, "refused": refused, "older": prices.older,
                "dropped": dropped, "cards_added": funds.added, "cards_changed": funds.edited,
            ])
    }
}
