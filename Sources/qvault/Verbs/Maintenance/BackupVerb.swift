import Glibc
import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let backup = Verb.at(
        name: "backup", summary: "write a consistent, read-only copy while others may write", operands: "[FILE]",
        options: [
            .vault, Option(.output, also: "-o", value: "OUT", help: "the file to write"),
            Option(.to, value: "DIR", help: "write it into this folder, with the time in its name"),
            Option(
                .keep, value: "N",
                help:
                    "with --to: keep this vault's newest N there, or 7d,4w,12m: the newest of each of 7 days, 4 weeks, 12 months; others go"
            ),
            Option(.noHistory, help: "only what is live, without older versions and the trash"),
            .parity,
            Option(.withReader, help: "lay qvault-reader.html beside it, which opens it in any browser"),
            .dryRun, .yes, .noProgress, .json,
        ] + Option.password,
        example: "qvault backup documents.qvault --to /mnt/backups --keep 7",
        note: "the last seven; 'restore' brings one back"
    ) { path, arguments in
        guard arguments.has(.output) != arguments.has(.to) else {
            throw Failure(.usage, "backup: where to? give either -o OUT or --to DIR")
        }
        let keep = try arguments.retention()
        if keep != nil, !arguments.has(.to) { throw Failure(.usage, "backup: --keep goes with --to") }
        guard !arguments.has(.withReader) || arguments.bytes(.output) != Array("-".utf8) else {
            throw Failure(.usage, "backup: --with-reader goes with --to, or with a file")
        }
        let vault = try Session.open(path, arguments, isSource: true)
        let folder = arguments.bytes(.to).map { BytePath($0) }
        let shelf = folder.map { BackupShelf($0, of: path, in: Machine.store) }
        if arguments.has(.dryRun) {
            let contents = try keep.flatMap { _ in try shelf?.contents(vault) }
            let doomed =
                keep.flatMap { contents?.outdated(keeping: $0, beside: vault.time, day: LocalTime.day(of:)) } ?? []
            if let contents { tellOfOthers(contents) }
            let reader = try readerPlace(in: folder, arguments)
            if arguments.has(.json) {
                let place = try folder ?? arguments.output("backup", "OUT", mayStream: true)
                return try StandardOutput.print(json(place, vault, isDry: true, removed: doomed, reader: reader))
            }
            for path in doomed { Messages.say("would remove \(path)") }
            Messages.say("would back up save \(vault.sequence)")
            if let reader { Messages.say("would write the reader to \(reader)") }
            return .done
        }
        // A disk that is not plugged in has no folder either.
        if let folder { try requireFolder(folder) }
        let target = try shelf?.newName() ?? arguments.output("backup", "OUT", mayStream: true)
        let reader = try readerPlace(in: folder, arguments)
        try StreamedFile.making(target) { try write(vault, to: $0, arguments) }
        Upkeep.note(.backup, vault.id)
        if let reader { try PocketReader.write(to: reader, replacing: true) }
        var removed: [BytePath] = []
        var isPartial = false
        if let keep, let shelf {
            let contents = try shelf.contents(vault)
            // The one that was just made stays, whatever a clock gave it as a name.
            let doomed = contents.outdated(keeping: keep, day: LocalTime.day(of:)).filter { $0 != target }
            let (count, all) = (doomed.count, contents.proven.count)
            let mayGo = try arguments.mayDrop(
                count, of: all, asking: "remove \(count) of \(all) backups?",
                refusing: "more than half of the backups would go, \(count) of \(all), so none was removed",
                hint: "--yes removes them; -n lists them")
            if mayGo {
                try shelf.remove(doomed)
                removed = doomed
            } else {
                isPartial = true
            }
            tellOfOthers(contents)
        }
        try Messages.done(
            "backed up save \(vault.sequence) to \(target)", arguments,
            json: json(target, vault, isDry: false, removed: removed, reader: reader))
        if !arguments.has(.json) {
            if let reader { Messages.done("wrote the reader to \(reader)") }
            for path in removed { Messages.done("removed \(path)") }
        }
        return isPartial ? .inPart : .done
    }

    /// The place of the reader, where one is asked for: in the folder of the backups, or beside the file.
    private static func readerPlace(in folder: BytePath?, _ arguments: Arguments) throws -> BytePath? {
        guard arguments.has(.withReader) else { return nil }
        return try PocketReader.place(in: folder ?? arguments.output("backup", "OUT").parent)
    }

    private static func json(
        _ path: BytePath, _ vault: Vault, isDry: Bool, removed: [BytePath], reader: BytePath? = nil
    ) -> JSON {
        JSON(
            joining: .path(path),
            [
                "save": vault.sequence, "dry_run": isDry, "removed": removed.map(\.description),
                "reader": reader?.description,
            ])
    }

    /// Refuses a folder that is not there.
    static func requireFolder(_ folder: BytePath) throws {
        guard try Machine.store.files.exists(folder) else {
            throw Failure(
                .notFound, "\(folder): no such folder; is the disk plugged in?", hint: "'mkdir -p \(folder)' makes it")
        }
    }

    /// Writes a backup, as the options say.
    static func write(_ vault: Vault, to target: BytePath, _ arguments: Arguments) throws {
        let parity = try arguments.parity()
        try Progress.showing("copied", total: vault.byteCount * (parity == nil ? 1 : 2), arguments) {
            try vault.backUp(to: target, withHistory: !arguments.has(.noHistory), parity: parity, progress: $0)
        }
    }

    private static func tellOfOthers(_ contents: BackupShelf.Contents) {
        for (path, reason) in contents.others {
            Messages.say("warning: \(path): left where it is, and not counted: \(reason)")
        }
    }
}
