import VaultFormat
import Cards
import VaultIO
import VaultStore

extension Verb {
    static let get = Verb.at(
        name: "get", summary: "write a record to a file", operands: "NAME [-o FILE]",
        options: [
            .vault, .moment,
            Option(.output, also: "-o", value: "FILE", help: "the file to write; else the record's own name, here"),
            Option(.force, help: "replace a file that is there"), .json,
        ] + Option.use,
        example: "qvault get -f documents.qvault notes.txt -o /tmp/notes.txt", note: "the file appears when it is whole"
    ) { path, arguments in
        let vault = try Session.openAsOf(path, arguments)
        let entry = try content(arguments.operands[0], in: vault)
        let title = entry.overview.title
        guard arguments.bytes(.output) != nil || TreeName.isValid(title) else {
            throw Failure(.invalid, "'\(printable(title))' is no name for a file", hint: "give one with -o FILE")
        }
        let target = arguments.has(.output) ? try arguments.output("get", "FILE") : BytePath(title)
        if (try? Machine.store.files.status(target))?.kind == .folder {
            throw Failure(.refused, "\(target): is a folder", hint: "name the file to write")
        }
        if arguments.has(.force) { try PendingFile.checkReplaceable(target) }
        do { try vault.export(entry, to: target, replacing: arguments.has(.force)) } catch VaultError.exists(let path) {
            throw Failure.overwriting(path)
        }
        return try Messages.done(
            "wrote \(target) (\(sizeText(entry.length)))", arguments,
            json: JSON(joining: .path(target), ["id": entry.id, "size": entry.length]))
    }

    /// A record that has content of its own.
    static func content(_ name: [UInt8], in vault: Vault) throws -> Entry {
        try content(Names.record(name, in: vault))
    }

    private static func content(_ record: (path: BytePath, entry: Entry)) throws -> Entry {
        let (path, entry) = record
        guard entry.kind != .folder else {
            throw Failure(.invalid, "'\(path)' is a folder", hint: "'qvault unpack' writes folders")
        }
        guard !entry.isCard else {
            throw Failure(.invalid, "'\(path)' is a card", hint: "'qvault card show' shows cards")
        }
        return entry
    }

    /// The records that a name or a pattern means, without the folders among several.
    static func contents(_ name: [UInt8], in vault: Vault) throws -> [Entry] {
        let found = try Names.fitting(name, in: vault)
        return try found.filter { found.count == 1 || $0.entry.kind != .folder }.map(content)
    }
}
