import Glibc
import VaultFormat
import VaultRecords
import VaultStore

extension Verb {
    static let importing = Verb(
        name: "import", summary: "take over cards and more from an export, or from another program",
        operands: "DIR|FILE|-", operandCount: 1...1,
        options: [
            .vault,
            Option(
                .format, value: "FORMAT", help: "json, csv, keepass or bitwarden; else told by what is in it"),
            Option(.kind, value: "KIND", help: "the kind of all cards, where a CSV file does not say it"),
            Option(.group, value: "NAME", help: "the group of cards that come without one"),
            Option(.tag, value: "TAG", help: "a tag for every card; may be given more than once", repeats: true),
            Option(.dryRun, help: "say what would be done, and save nothing"), .wait, .noProgress,
        ] + Option.use,
        example: (
            "qvault import passwords.xml --dry-run",
            "what cannot be taken is listed, the rest is; 'undelete' and 'history' undo"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let source = BytePath(arguments.operands[0])
            let isPiped = source.bytes == Array("-".utf8)
            let key = try VaultSecret(path, arguments, readsInput: isPiped)
            let input = try ImportInput(source, isPiped: isPiped)
            var batch = try input.batch(arguments)
            try batch.label(as: arguments)
            let transaction = try Session.begin(path, arguments, key: key)
            let limit = try Config.attachmentLimit()
            let outcome = try transaction.store(&batch, limit: limit) { try input.file($0, limit: limit) }
            let report = ProblemReport()
            let files = try input.storeFiles(in: transaction, report)
            for problem in batch.problems { Messages.say("\(source): \(problem.place): left out: \(problem.what)") }
            let isDryRun = arguments.has(.dryRun)
            if !isDryRun, !transaction.isEmpty { try Session.commit(transaction) }
            let counts: Phrase =
                "added \(outcome.added + files), changed \(outcome.changed), as they were \(outcome.unchanged), left out \(batch.problems.count)"
            if isDryRun || !arguments.has(.quiet) { Messages.say(isDryRun ? "would have \(counts)" : counts) }
            if !isDryRun { Messages.advise("the source stays where it is, unencrypted", arguments) }
            return batch.problems.isEmpty ? report.exitCode() : .failure
        }
    }
}

extension ImportBatch {
    /// Gives all cards the group and tags that the options name.
    fileprivate mutating func label(as arguments: Arguments) throws {
        let group = try CardArguments.name(arguments.text(.group), "--group")
        let tags = try CardArguments.tags(arguments.texts(.tag), "--tag")
        guard group != nil || !tags.isEmpty else { return }
        try changeCards { overview in
            if overview.group == nil { overview.group = group }
            overview.tags = try CardArguments.tags(tags, "--tag", besides: overview.tags)
        }
    }
}

/// The source of an import: the folder of an export, a file, or standard input.
private struct ImportInput {
    private let path: BytePath
    private let folder: BytePath?
    private let bytes: [UInt8]

    /// Bytes that are read of one source at most. All of it, and what is made of it, is held in memory.
    private static let byteCount = 48 << 20

    init(_ path: BytePath, isPiped: Bool) throws {
        let isFolder = !isPiped && (try? Machine.store.files.status(path))?.kind == .folder
        folder = isFolder ? path : nil
        self.path = isFolder ? path.appending(Array("records.jsonl".utf8)) : path
        if isPiped {
            bytes = try Self.all { try StandardInput.fill(&$0) }
        } else if (try? Machine.store.files.status(self.path))?.kind == .other {
            let pipe = try Descriptor(opening: self.path, O_RDONLY)
            bytes = try Self.all { try StandardInput.fill(&$0, from: pipe.number) }
        } else {
            let file = try Machine.store.files.openFile(self.path, writing: false)
            let size = try file.status().size
            guard size <= UInt64(Self.byteCount) else { throw Self.tooLong(self.path) }
            bytes = try file.bytes(at: 0, count: Int(size))
        }
    }

    private static func tooLong(_ path: BytePath) -> Failure {
        Failure(
            .invalid, "\(path): longer than \(sizeText(UInt64(byteCount)))",
            hint: "export into a folder, which keeps attachments in separate files, or import it in parts")
    }

    private static func all(_ fill: (inout MutableSpan<UInt8>) throws -> Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            var span = piece.mutableSpan
            let count = try fill(&span)
            bytes += piece[..<count]
            guard bytes.count <= byteCount else { throw tooLong(BytePath("-")) }
            if count < piece.count { return bytes }
        }
    }

    /// Its records.
    func batch(_ arguments: Arguments) throws -> ImportBatch {
        let format = arguments.text(.format) ?? guess()
        let kind = try arguments.text(.kind).map { try CardArguments.schema(Array($0.utf8)) }
        guard kind == nil || format == "csv" else { throw Failure(.usage, "import: --kind goes with CSV") }
        do {
            switch format {
            case "json": return try ImportBatch(native: bytes)
            case "csv": return try ImportBatch(csv: bytes, kind: kind)
            case "keepass":
                let limit = try Config.attachmentLimit()
                return try ImportBatch(keePass: bytes, limit: Int(limit))
            case "bitwarden": return try ImportBatch(bitwarden: bytes)
            default: throw Failure(.usage, "--format takes json, csv, keepass or bitwarden")
            }
        } catch ImportError.malformed(let what, let line) {
            throw Failure(
                .invalid, "\(path): line \(line): \(what)", hint: "nothing was saved; --format says what it is")
        } catch ImportError.unsupported(let what, let hint) {
            throw Failure(.invalid, "\(path): \(what)", hint: hint)
        }
    }

    /// The format, by its beginning.
    private func guess() -> String {
        let start = bytes.prefix(4096).drop { [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if start.first == UInt8(ascii: "<") { return "keepass" }
        guard start.first == UInt8(ascii: "{") else { return "csv" }
        return start.prefix { $0 != 0x0A }.starts(with: #"{"format":"#.utf8) ? "json" : "bitwarden"
    }

    /// The bytes of an attachment in the folder.
    func file(_ name: BytePath, limit: UInt64) throws -> [UInt8] {
        guard let folder else {
            throw ImportFileError("its content is in a separate file: import the whole folder of the export")
        }
        do {
            // Symbolic links in the folder are not followed.
            let place = try Machine.store.files.openFolder(folder).openBeneath(name.parent)
            let file = try place.openFile(name.lastComponent, writing: false)
            let status = try file.status()
            guard status.kind == .regular else { throw ImportFileError("\(name): not a regular file") }
            guard status.size <= limit else {
                throw ImportFileError(
                    "\(name): \(sizeText(status.size)) exceeds the attachment limit of \(sizeText(limit)) (attachment-limit in the configuration file)"
                )
            }
            return try file.bytes(at: 0, count: Int(status.size))
        } catch let error as IOError {
            throw ImportFileError("\(name): \(error.message)")
        }
    }

    /// Stores the files and folders that were exported; how many are new.
    func storeFiles(in transaction: VaultTransaction, _ report: ProblemReport) throws -> Int {
        guard let files = folder?.appending(Array("files".utf8)), (try? Machine.store.files.status(files)) != nil else {
            return 0
        }
        let work = try transaction.treeImport(report: report.add)
        let folder = try Machine.store.files.openFolder(files)
        for entry in try folder.entries() { try work.add(files.appending(entry.name), as: BytePath(entry.name)) }
        return work.count.files + work.count.symlinks
    }
}
