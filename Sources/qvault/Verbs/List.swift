import VaultFormat
import VaultStore

extension Verb {
    static let list = Verb(
        name: "ls", summary: "list what is in the vault", operands: "[NAME…]", operandCount: 0...Int.max,
        options: [.vault, .json] + Option.password,
        example: ("qvault ls -f documents.qvault", "one line a record: id, kind, size, time, path")
    ) { arguments in
        let path = Session.vaultPath(arguments)
        return try withVault(path) {
            let vault = try Session.open(path, arguments)
            let items = try Session.select(arguments.operands, in: vault)
            var out = StandardOutput()
            let idLength = shortIDLength(items.map(\.entry.id))
            for (path, entry) in items {
                try out.write(arguments.has(.json) ? json(path, entry).line : line(path, entry, idLength))
                try out.write("\n")
            }
            try out.flush()
            return .done
        }
    }

    /// Hexadecimal digits that tell all ids apart, at least 8.
    private static func shortIDLength(_ ids: [RecordID]) -> Int {
        var length = 8
        let sorted = ids.sorted().map { hexText($0.bytes) }
        for (left, right) in zip(sorted, sorted.dropFirst()) {
            length = max(length, zip(left, right).prefix { $0 == $1 }.count + 1)
        }
        return length
    }

    private static func line(_ path: Path, _ entry: Entry, _ idLength: Int) -> String {
        let isFolder = entry.kind == Entry.Kind.folder
        let size = isFolder ? "-" : sizeText(entry.length)
        let time =
            entry.overview.modified.map { timeText(nanoseconds: $0, local: true) }
            ?? timeText(microseconds: entry.updated, local: true)
        return [
            String(hexText(entry.id.bytes).prefix(idLength)), padded(Session.kindName(entry.kind), 7),
            padded(size, 10, left: true), time, "\(path)\(isFolder ? "/" : "")",
        ].joined(separator: "  ")
    }

    private static func padded(_ text: String, _ width: Int, left: Bool = false) -> String {
        let fill = String(repeating: " ", count: max(0, width - text.count))
        return left ? fill + text : text + fill
    }

    private static func json(_ path: Path, _ entry: Entry) -> JSON {
        .object(
            [("id", .text(hexText(entry.id.bytes))), ("kind", .text(Session.kindName(entry.kind)))]
                + JSON.path(path)
                + [
                    ("size", .unsigned(entry.length)), ("revision", .unsigned(entry.revision)),
                    ("created", .text(timeText(microseconds: entry.created))),
                    ("updated", .text(timeText(microseconds: entry.updated))),
                    ("modified", entry.overview.modified.map { .text(timeText(nanoseconds: $0)) } ?? .null),
                    ("executable", .bool(entry.overview.isExecutable)),
                ])
    }
}
