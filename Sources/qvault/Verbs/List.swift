import VaultFormat
import VaultStore

extension Verb {
    static let list = Verb(
        name: "ls", summary: "list what is in the vault", operands: "[NAME…]", operandCount: 0...Int.max,
        options: [.vault, .json] + Option.password,
        example: ("qvault ls -f documents.qvault", "one line a record: id, kind, size, time, path")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let vault = try Session.open(path, arguments)
            let items = try Session.select(arguments.operands, in: vault)
            var out = StandardOutput()
            let idLength = max(8, items.idDigitCount())
            let names = Session.kindNames.map { Phrase(stringLiteral: $1).said }
            let kindWidth = names.map(columns).max() ?? 0
            for (path, entry) in items {
                if arguments.has(.json) {
                    try out.write(json(path, entry).line)
                } else {
                    try writeLine(path, entry, idLength, kindWidth, to: &out)
                }
                try out.write("\n")
            }
            try out.flush()
            return .done
        }
    }

    private static func writeLine(
        _ path: Path, _ entry: Entry, _ idLength: Int, _ kindWidth: Int, to out: inout StandardOutput
    ) throws {
        let isFolder = entry.kind == Entry.Kind.folder
        try out.write(String(hexText(entry.id.bytes).prefix(idLength)))
        try out.write("  ")
        try out.write(padded(Phrase(stringLiteral: Session.kindName(entry.kind)).said, kindWidth))
        try out.write("  ")
        try out.write(padded(isFolder ? "-" : sizeText(entry.length), 10, left: true))
        try out.write("  ")
        try out.write(
            entry.overview.modified.map { timeText(nanoseconds: $0, local: true) }
                ?? timeText(microseconds: entry.updated, local: true))
        try out.write("  ")
        try out.write(path.description)
        if isFolder { try out.write("/") }
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
