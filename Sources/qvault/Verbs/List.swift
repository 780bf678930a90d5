import VaultFormat
import VaultStore

extension Verb {
    static let list = Verb(
        name: "ls", summary: "list what is in the vault", operands: "[NAME…]", operandCount: 0...Int.max,
        options: [.vault, .moment, Option("--trash", help: "what is in the trash"), .json] + Option.use,
        example: ("qvault ls -f documents.qvault", "one line a record: id, kind, size, time, path")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let vault = try Session.openAsOf(path, arguments)
            let items = try items(arguments, vault)
            var out = StandardOutput()
            let idLength = max(8, items.idDigitCount())
            let names = Session.kindNames.map { Phrase(stringLiteral: $1).said }
            let kindWidth = names.map(columns).max() ?? 0
            // Lines are made by all cores, a few thousand at a time, and written in order.
            let (step, wave) = (1024, 16)
            for start in stride(from: 0, to: items.count, by: step * wave) {
                let end = min(start + step * wave, items.count)
                let parts = try Parallel.map((end - start + step - 1) / step) { part in
                    let first = start + part * step
                    return items[first..<min(first + step, end)].reduce(into: Line()) { line, item in
                        if arguments.has(.json) {
                            line.add(json(item.path, item.entry).line)
                        } else {
                            add(item.path, item.entry, idLength, kindWidth, to: &line)
                        }
                        line.add("\n")
                    }
                }
                for part in parts { try out.write(part.bytes.span) }
            }
            try out.flush()
            return .done
        }
    }

    private static func items(_ arguments: Arguments, _ vault: Vault) throws -> TreeListing {
        guard arguments.has("--trash") else { return try Session.select(arguments.operands, in: vault) }
        if arguments.has(.moment) { throw Failure(.usage, "ls: the trash is listed as it is now, without --at") }
        let trash = try vault.listing { $0.state == .trashed }
        guard !arguments.operands.isEmpty else { return trash }
        let roots = try arguments.operands.map { try Session.record($0, among: trash).path }
        return trash.selecting { path, _ in roots.contains { path.isOrIsBeneath($0) } }
    }

    /// Text as it grows.
    private struct Line {
        var bytes: [UInt8] = []

        mutating func add(_ text: String) { bytes += text.utf8 }
    }

    private static func add(_ path: Path, _ entry: Entry, _ idLength: Int, _ kindWidth: Int, to line: inout Line) {
        let isFolder = entry.kind == Entry.Kind.folder
        line.add(String(hexText(entry.id.bytes).prefix(idLength)))
        line.add("  ")
        line.add(padded(Phrase(stringLiteral: Session.kindName(entry.kind)).said, kindWidth))
        line.add("  ")
        line.add(padded(isFolder ? "-" : sizeText(entry.length), 10, left: true))
        line.add("  ")
        line.add(
            entry.overview.modified.map { timeText(nanoseconds: $0, local: true) }
                ?? timeText(microseconds: entry.updated, local: true))
        line.add("  ")
        line.add(path.description)
        if isFolder { line.add("/") }
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
