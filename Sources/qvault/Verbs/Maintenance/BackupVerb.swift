import Glibc
import VaultFormat
import VaultStore

extension Verb {
    static let backup = Verb(
        name: "backup", summary: "write a consistent, read-only copy while others may write", operands: "[FILE]",
        operandCount: 0...1,
        options: [
            .vault, Option(.output, also: "-o", value: "OUT", help: "the file to write"),
            Option(.to, value: "DIR", help: "write it into this folder, with the time in its name"),
            Option(.keep, value: "N", help: "with --to: keep this vault's newest N there, and remove older ones"),
            Option(.noHistory, help: "only what is live, without older versions and the trash"), .noProgress,
        ] + Option.password,
        example: (
            "qvault backup documents.qvault --to /mnt/backups --keep 7", "the last seven; 'restore' brings one back"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments, operand: arguments.operands.first)
        guard arguments.has(.output) != arguments.has(.to) else {
            throw Failure(.usage, "backup: where to? give either -o OUT or --to DIR")
        }
        let keep = try arguments.number(.keep, in: 1...100_000)
        if keep != nil, !arguments.has(.to) { throw Failure(.usage, "backup: --keep goes with --to") }
        return try withVault(path) {
            let vault = try Session.open(path, arguments, isSource: true)
            let shelf = arguments.bytes(.to).map { Shelf(BytePath($0), path) }
            let target = try shelf?.newName() ?? arguments.output("backup", "OUT")
            let progress = Progress("copied", total: vault.byteCount, arguments)
            do {
                defer { progress.finish() }
                try vault.backUp(
                    to: target, withHistory: !arguments.has(.noHistory), progress: progress.update)
            }
            Messages.done("backed up save \(vault.sequence) to \(target)", arguments)
            if let keep { try shelf?.thin(out: vault, besides: target, keeping: keep, arguments) }
            return .done
        }
    }
}

/// A folder of backups of one vault, each with the time in its name.
private struct Shelf {
    private let folder: BytePath
    private let stem: [UInt8]

    init(_ folder: BytePath, _ vault: BytePath) {
        let name = vault.lastComponent
        (self.folder, stem) = (folder, name.suffix(7) == Array(".qvault".utf8)[...] ? Array(name.dropLast(7)) : name)
    }

    /// `documents-20260131T180000Z.qvault`, in UTC.
    func newName() throws -> BytePath {
        let files = Machine.store.files
        if (try? files.status(folder)) == nil { try files.makeFolders(folder) }
        let time = timeText(microseconds: Machine.store.now() / 1_000_000 * 1_000_000).filter { $0 != "-" && $0 != ":" }
        for number in 1... {
            // Comes after the one without in every list.
            let mark = number == 1 ? "" : "_\(number)"
            let path = folder.appending(stem + Array("-\(time)\(mark).qvault".utf8))
            if (try? files.status(path)) == nil { return path }
        }
        return folder
    }

    /// Removes this vault's oldest backups.
    func thin(out vault: Vault, besides target: BytePath, keeping count: Int, _ arguments: Arguments) throws {
        let shelf = try Machine.store.files.openFolder(folder)
        // By what they hold, and not by a clock that may have been wrong.
        let mine = try shelf.entries().map(\.name).filter(isBackup).compactMap { name -> (UInt64, [UInt8])? in
            guard let locked = try? LockedVault(folder.appending(name), in: Machine.store), locked.header.isCopy,
                locked.header.vaultID == vault.id, let origin = locked.header.origin
            else { return nil }
            return (origin.sequence, name)
        }.sorted { $0.0 == $1.0 ? $0.1.lexicographicallyPrecedes($1.1) : $0.0 < $1.0 }
        for (_, name) in mine.dropLast(count) where name != target.lastComponent {
            try shelf.removeFile(name)
            Messages.done("removed \(folder.appending(name))", arguments)
        }
    }

    private func isBackup(_ name: [UInt8]) -> Bool {
        let shape = Array("-00000000T000000Z".utf8)
        let rest = name.dropFirst(stem.count)
        return name.starts(with: stem) && name.suffix(7) == Array(".qvault".utf8)[...]
            && rest.count >= shape.count + 7
            && zip(rest, shape).allSatisfy { $1 == UInt8(ascii: "0") ? (48...57).contains($0) : $0 == $1 }
    }
}
