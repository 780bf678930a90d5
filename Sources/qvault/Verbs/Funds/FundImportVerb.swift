import Glibc
import Portfolio
import VaultFormat
import VaultRecords
import VaultStore

extension Verb {
    static let fundImport = Verb(
        name: "fund import", summary: "take in net values, prices and rates that another program gives",
        operands: "FILE|-", operandCount: 1...1,
        options: [
            .vault, Option(.source, value: "NAME", help: "who says so, where the lines do not; else the file's name"),
            .dryRun, .json, .wait,
        ] + Option.use,
        example: (
            "pricehist fetch … -o ledger | qvault fund import - --source eastmoney",
            "JSON lines, and price directives of ledger and beancount; nothing is fetched by qvault"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let operand = arguments.operands[0]
            let isPiped = operand == Array("-".utf8)
            let file = BytePath(operand)
            let source = arguments.text(.source) ?? (isPiped ? "-" : printable(file.lastComponent))
            let lines = try LineSource(isPiped ? nil : file)
            let isDry = arguments.has(.dryRun)
            let transaction = isDry ? nil : try Session.begin(path, arguments, readsInput: isPiped)
            let vault = try transaction?.before ?? Session.open(path, arguments)
            var book = PriceBook(vault)
            var refused = 0
            let now = Int64(Machine.store.now().seconds)
            while let line = try lines.next() {
                do {
                    guard let price = try PriceLine(line.bytes, source: source) else { continue }
                    try price.check(at: now)
                    try book.take(price)
                } catch let problem as PriceLine.Problem {
                    refused += 1
                    if refused <= 20 { Messages.say("\(printable(operand)):\(line.number): \(problem.what)") }
                }
            }
            try FundImport.finish(&book, in: transaction, refused: refused, arguments)
            guard refused > 0 else { return .done }
            Messages.say("lines that were refused: \(refused); the others count")
            return .failure
        }
    }
}

/// The end of every import of prices.
enum FundImport {
    /// Adds the estimates that follow, saves, and says how much there was.
    ///
    /// - Parameter transaction: nil where nothing is to be saved.
    static func finish(
        _ book: inout PriceBook, in transaction: VaultTransaction?, refused: Int, _ arguments: Arguments
    ) throws {
        // Estimates first: then they are held against the net values.
        try book.takeEstimates(of: book.watchlist())
        try book.takeEstimates(of: book.watchlist())
        if let transaction, !book.isEmpty {
            try book.store(in: transaction, now: Int64(Machine.store.now().seconds))
            try Session.commit(transaction)
        }
        let dropped = Set(book.dropped).sorted()
        if !dropped.isEmpty {
            Messages.say(
                "prices that moved farther than their market allows were dropped: \(dropped.joined(separator: " "))")
        }
        if book.older > 0 { Messages.say("prices older than the stored ones were left out: \(book.older)") }
        try Messages.done(
            "values added: \(book.added), changed: \(book.changed), refused: \(refused)", arguments,
            json: [
                ("added", .unsigned(UInt64(book.added))), ("changed", .unsigned(UInt64(book.changed))),
                ("refused", .unsigned(UInt64(refused))), ("older", .unsigned(UInt64(book.older))),
                ("dropped", .list(dropped.map { .text($0) })),
            ])
    }
}

/// The lines of a file or of standard input, with only one of them in memory.
private final class LineSource {
    private let file: (any File)?
    private var offset: UInt64 = 0
    private var buffer: [UInt8] = []
    private var place = 0
    private var number = 0
    private var isAtEnd = false

    private static let pieceByteCount = 1 << 18

    /// - Parameter path: nil for standard input.
    init(_ path: BytePath?) throws { file = try path.map { try Machine.store.files.openFile($0, writing: false) } }

    /// The next line and its number, from 1. A line that is too long to be one comes in part.
    func next() throws -> (bytes: [UInt8], number: Int)? {
        var line: [UInt8] = []
        var isLine = false
        while true {
            if place == buffer.count {
                guard try fill() else { break }
            }
            isLine = true
            let end = buffer[place...].firstIndex(of: 0x0A) ?? buffer.endIndex
            if line.count <= PriceLine.byteCount { line += buffer[place..<end] }
            place = min(end + 1, buffer.count)
            if end < buffer.endIndex { break }
        }
        guard isLine else { return nil }
        number += 1
        return (line, number)
    }

    private func fill() throws -> Bool {
        guard !isAtEnd else { return false }
        if let file {
            buffer = try file.bytes(at: offset, count: Self.pieceByteCount)
        } else {
            var piece = [UInt8](repeating: 0, count: Self.pieceByteCount)
            var span = piece.mutableSpan
            let count = try StandardInput.fill(&span)
            buffer = Array(piece[..<count])
        }
        (offset, place) = (offset + UInt64(buffer.count), 0)
        isAtEnd = buffer.isEmpty
        return !isAtEnd
    }
}
