import Glibc
import Portfolio
import VaultFormat
import Cards
import VaultIO
import VaultStore

extension Verb {
    static let fundSearch = Verb.at(
        name: "fund search", summary: "find funds by code, name, pinyin or type, and watch those that are ticked",
        operands: "[TEXT…]", options: [.vault, .json, .wait] + Option.use,
        example: "qvault fund search 白酒",
        note: "the funds come from 'fund directory'; without TEXT the searches that were kept are listed"
    ) { path, arguments in
        let vault = try Session.open(path, arguments)
        guard !arguments.operands.isEmpty else { return try FundSearch.listSearches(vault, arguments) }
        let text = arguments.words.joined(separator: " ")
        let funds = try Watchlist(vault).funds
        let kept = try FundSettings.list(FundSettings.searches, in: vault)
        let chosen = kept.compactMap { $0.split(separator: "\t").dropFirst().first.map(String.init) }
        let directory = try FundDirectory(vault)
        let found = Array(directory.search(text, watched: funds, chosen: chosen).prefix(50))
        let watched = Set(funds.map(\.code))
        try FundSearch.write(found, watched, arguments)
        if found.isEmpty {
            Messages.say("nothing answers '\(printable(text.utf8))'")
            if directory.items.isEmpty { Messages.hint("'qvault fund directory FILE' takes in a list of funds") }
        }
        let ticked = try FundSearch.ticked(found.filter { !watched.contains($0.code) }, found, arguments)
        try FundSearch.finish(ticked, text, path, arguments)
        return found.isEmpty ? .notFound : .done
    }

    static let fundDirectory = Verb.at(
        name: "fund directory", summary: "take in a list of all funds, which 'fund search' looks through",
        operands: "FILE|-", options: [.vault, .wait, .savesAsJSON] + Option.use,
        example: "qvault fund directory funds.csv",
        note: "columns code, name, type, company; or eastmoney's fundcode_search.js"
    ) { path, arguments in
        let isPiped = arguments.operands[0] == Array("-".utf8)
        let lines = try LineSource(arguments.operands[0])
        let (items, refused) = try FundSearch.items(lines, printable(arguments.operands[0]))
        guard !items.isEmpty else {
            throw Failure(.invalid, "fund directory: no fund with code and name", hint: "nothing was saved")
        }
        let transaction = try Session.begin(path, arguments, readsInput: isPiped)
        try FundDirectory.store(items, day: TradingClock.day(Machine.store.now().seconds), in: transaction)
        try Session.commit(transaction)
        Messages.done("funds in the directory: \(items.count)")
        return refused > 0 ? .inPart : .done
    }
}

/// The parts of `fund search` and `fund directory`.
private enum FundSearch {
    static func listSearches(_ vault: Vault, _ arguments: Arguments) throws -> ExitCode {
        let searches = try FundSettings.list(FundSettings.searches, in: vault).reversed()
        let texts = searches.map { $0.split(separator: "\t").first.map(String.init) ?? $0 }
        return try StandardOutput.print(FundSettings.search, texts, arguments) { $0 }
    }

    static func write(_ found: [FundDirectory.Item], _ watched: Set<String>, _ arguments: Arguments) throws {
        let width = found.map { columns($0.name) }.max() ?? 0
        let lines = found.enumerated().map { (place: $0 + 1, item: $1, isWatched: watched.contains($1.code)) }
        try StandardOutput.print(FundDirectory.line, lines, arguments) { line in
            let cells = FundDirectory.line.cells(line).map(\.cell)
            let (mark, name) = (line.isWatched ? "*" : " ", padded(cells[1], width))
            return "\(padded("\(line.place)", 2, left: true)) \(mark) \(cells[0])  \(name)  \(cells[2])".trimmed
        }
    }

    /// The funds that a person at a terminal ticks: numbers, and ranges of numbers.
    static func ticked(
        _ free: [FundDirectory.Item], _ found: [FundDirectory.Item], _ arguments: Arguments
    ) throws -> [FundDirectory.Item] {
        guard !free.isEmpty, !arguments.has(.json), isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            return []
        }
        while true {
            let answer = try Terminal.ask("watch which? like 1 3-5; Enter for none: ")
            let words = answer.split { $0 == " " || $0 == "," || $0 == "，" }
            let ranges = words.compactMap { word -> ClosedRange<Int>? in
                let ends = word.split(separator: "-").compactMap { Int($0) }
                guard let first = ends.first, let last = ends.last, 1 <= first, first <= last, last <= found.count
                else {
                    return nil
                }
                return first...last
            }
            guard ranges.count == words.count else { continue }
            let codes = Set(free.map(\.code))
            return found.enumerated().filter { place, item in
                codes.contains(item.code) && ranges.contains { $0.contains(place + 1) }
            }.map(\.element)
        }
    }

    /// Watches what was ticked, and keeps the search where the vault asks for that.
    static func finish(
        _ ticked: [FundDirectory.Item], _ text: String, _ path: BytePath, _ arguments: Arguments
    ) throws {
        let vault = try Session.open(path, arguments)
        let isKept = if case .flag(true)? = try vault.setting(FundSettings.keepsSearches)?.value { true } else { false }
        guard isKept || !ticked.isEmpty else { return }
        let transaction = try Session.begin(path, arguments)
        try transaction.watch(ticked, today: Machine.today)
        try transaction.keepSearch(text, chosen: ticked.first?.code)
        try Session.commit(transaction)
        let codes = ticked.map(\.code).joined(separator: " ")
        if !ticked.isEmpty { Messages.done("funds added: \(codes)") }
    }

    /// The funds of a list; lines that are none are named.
    static func items(_ lines: LineSource, _ name: String) throws -> (items: [FundDirectory.Item], refused: Int) {
        var (items, refused, header) = ([FundDirectory.Item](), 0, FundTableHeader?.none)
        func refuse(_ what: Phrase, _ number: Int) {
            refused += 1
            if refused <= 20 { Messages.say("\(name):\(number): \(what)") }
        }
        while let line = try header == nil ? lines.next() : lines.nextRow() {
            if items.isEmpty, header == nil, let list = try list(line.bytes) {
                return (list.compactMap { FundDirectory.item($0) }, list.count { FundDirectory.item($0) == nil })
            }
            if items.isEmpty, header == nil, line.bytes.first != UInt8(ascii: "{") {
                header = FundTableHeader(line.bytes)
                if header != nil { continue }
            }
            do {
                let found = try header?.lines(line.bytes, source: name) ?? FundLine.lines(line.bytes, source: name)
                let funds = found.compactMap { FundDirectory.item($0) }
                items += funds
                if funds.isEmpty, !found.isEmpty { refuse("has no code and name", line.number) }
            } catch let problem as PriceLine.Problem { refuse(problem.what, line.number) }
        }
        return (items, refused)
    }

    /// The list of a web site: JSON in one line, perhaps as a script's variable.
    private static func list(_ line: [UInt8]) throws -> [JSON]? {
        guard let start = line.firstIndex(of: UInt8(ascii: "[")), let end = line.lastIndex(of: UInt8(ascii: "]")),
            start < end, line[..<start].count < 64, line.first != UInt8(ascii: "{")
        else { return nil }
        return (try? JSON(parsing: Array(line[start...end])))?.items
    }
}
