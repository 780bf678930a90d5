import VaultFormat
import Cards
import VaultStore

extension Verb {
    static let list = Verb.reading(
        name: "ls", summary: "list what is in the vault", operands: "[NAME…]",
        options: [
            Option(.long, also: "-l", help: "bytes, version, mode and both times too"),
            Option(.trash, help: "what is in the trash"), .find, .json,
        ],
        example: "qvault ls -f documents.qvault", note: "one line a record: id, kind, size, time, path"
    ) { vault, arguments in
        if arguments.operands.isEmpty, !arguments.has(.trash), !arguments.has(.find) {
            let records = try RecordList(vault)
            let table = Table(idLength: records.idDigitCount(), kinds: records.kinds(), isLong: arguments.has(.long))
            try write(records, table, arguments)
        } else {
            let items = try items(arguments, vault).selecting { !$1.isPart }
            let table = Table(
                idLength: items.idDigitCount(), kinds: Set(items.map(\.entry.kind)), isLong: arguments.has(.long))
            try write(items.lazy.map { ($0, ListedRecord($1)) }, table, arguments)
        }
        return .done
    }

    private static func write<Items: RandomAccessCollection>(
        _ items: Items, _ table: Table, _ arguments: Arguments
    ) throws where Items.Index == Int, Items.Element == (path: BytePath, record: ListedRecord) {
        var out = StandardOutput()
        if arguments.has(.json) {
            try out.write(linesOf: items) { $1 += json($0.path, $0.record).line.utf8 }
        } else {
            try out.show(items) { table.lines($0) }
        }
        try out.flush()
    }

    /// The records in the trash, or those that were named.
    private static func items(_ arguments: Arguments, _ vault: Vault) throws -> TreeListing {
        guard arguments.has(.trash) else { return try Names.select(arguments.operands, arguments, in: vault) }
        if arguments.has(.at) { throw Failure(.usage, "ls: the trash is listed as it is now, without --at") }
        let trash = try vault.listing { $0.state == .trashed }
        guard !arguments.operands.isEmpty || arguments.has(.find) else { return trash }
        let roots = try arguments.operands.flatMap { try Names.fitting($0, in: vault, among: trash).map(\.path) }
        let found = Set(try QueryArguments.found(arguments, in: vault, trash: trash).map(\.id))
        return trash.selecting { path, entry in
            found.contains(entry.id) || roots.contains { path.isOrIsBeneath($0) }
        }
    }

    private static func json(_ path: BytePath, _ record: ListedRecord) -> JSON {
        JSON(
            joining: ["id": record.id, "kind": Names.kindName(record.kind)], .path(path),
            [
                "size": record.length, "revision": record.revision, "created": record.created,
                "updated": record.updated, "modified": record.modified, "executable": record.isExecutable,
            ])
    }
}

/// Lines for people: id, kind, size, time, path; long ones have the size in bytes, the version, `x` of what may be executed,
/// and when the record came, too. Bytes are put where they belong, since there may be many.
private struct Table: Sendable {
    private let idLength: Int
    private let kinds: [Entry.Kind: [UInt8]]
    private let kindWidth: Int
    private let isLong: Bool

    /// - Parameter present: the kinds that are listed; the column is as wide as they need.
    init(idLength: Int, kinds present: Set<Entry.Kind>, isLong: Bool) {
        self.isLong = isLong
        let wanted = Names.kindNames.filter { !$0.0.isPart && (Schema.of($0.0) == nil || present.contains($0.0)) }
        let names = wanted.map { kind, name in
            let schema = Language.current == .chinese ? Schema.of(kind) : nil
            return (kind, schema?.label.chinese ?? Phrase(stringLiteral: name).said)
        }
        let width = names.map { columns($1) }.max() ?? 0
        (self.idLength, kindWidth) = (idLength, width)
        kinds = Dictionary(names.map { ($0, Array(padded($1, width).utf8)) }) { first, _ in first }
    }

    func lines(_ items: some Collection<(path: BytePath, record: ListedRecord)>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(items.count * 96)
        var clock = LocalClock()
        for (path, record) in items { write(path, record, &clock, to: &text) }
        return text
    }

    private func write(_ path: BytePath, _ record: ListedRecord, _ clock: inout LocalClock, to text: inout [UInt8]) {
        let isFolder = record.kind == .folder
        text.append(record.id, digits: idLength)
        text += "  ".utf8
        text += kinds[record.kind] ?? Array(padded(Names.kindName(record.kind), kindWidth).utf8)
        text += "  ".utf8
        let size = isFolder ? "-" : isLong ? "\(record.length)" : sizeText(record.length)
        write(size, width: isLong ? 13 : 10, to: &text)
        if isLong {
            write("\(record.revision)", width: 4, to: &text)
            write(record.isExecutable ? "x" : "-", width: 1, to: &text)
            clock.write(seconds: record.created.seconds, to: &text)
            text += "  ".utf8
        }
        clock.write(seconds: record.shownTime, to: &text)
        text += "  ".utf8
        text.append(printable: path.bytes)
        if isFolder { text.append(UInt8(ascii: "/")) }
        text.append(UInt8(ascii: "\n"))
    }

    /// A cell that stands to the right, and two blanks.
    private func write(_ cell: String, width: Int, to text: inout [UInt8]) {
        for _ in 0..<max(0, width - cell.utf8.count) { text.append(UInt8(ascii: " ")) }
        text += cell.utf8
        text += "  ".utf8
    }
}

extension ListedRecord {
    /// When it was modified, or came: in seconds since 1970.
    fileprivate var shownTime: Int64 { modified?.seconds ?? updated.seconds }
}
