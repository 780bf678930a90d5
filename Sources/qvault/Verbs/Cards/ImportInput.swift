import Glibc
import VaultFormat
import Exchange
import VaultIO
import VaultStore

/// The formats of an import.
enum ImportFormat: String, CaseIterable {
    case json, csv, keepass, kdbx, bitwarden, proton, enpass, pass, zip, otp
    case onePassword = "1password"

    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// The format of a source, by its beginning.
    init(of bytes: [UInt8]) {
        let start = bytes.prefix(4096).drop { [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if bytes.starts(with: [0x03, 0xD9, 0xA2, 0x9A]) {
            self = .kdbx
        } else if bytes.starts(with: "PK\u{03}\u{04}".utf8) {
            self = .zip
        } else if start.starts(with: "otpauth".utf8) || bytes.starts(with: [0x89, 0x50, 0x4E, 0x47])
            || bytes.starts(with: [0xFF, 0xD8])
        {
            self = .otp
        } else if start.first == UInt8(ascii: "<") {
            self = .keepass
        } else if start.first != UInt8(ascii: "{") {
            self = .csv
        } else {
            self = start.prefix { $0 != 0x0A }.starts(with: #"{"format":"#.utf8) ? .json : .bitwarden
        }
    }
}

/// The source of an import: the folder of an export, a file, or standard input.
struct ImportInput {
    let path: BytePath
    /// The format that was found.
    let format: ImportFormat
    private let folder: BytePath?
    /// The program that a person says wrote it.
    private let program: JSONProgram?
    let bytes: [UInt8]
    private let database: KeePassDatabase?

    /// Bytes that are read of one source at most. All of it, and what is made of it, is held in memory.
    private static let byteCount = 48 << 20

    init(_ path: BytePath, isPiped: Bool, _ arguments: Arguments) throws {
        let isFolder = !isPiped && (try? Machine.store.files.status(path))?.kind == .folder
        let given: ImportFormat? = try arguments.value(.format, or: "--format takes one of \(ImportFormat.names)")
        program = given.flatMap { JSONProgram(rawValue: $0.rawValue) }
        let isStore = try isFolder && Machine.store.files.exists(path.appending(Array(".gpg-id".utf8)))
        let isPass = given.map { isFolder && $0 == .pass } ?? isStore
        folder = isFolder ? path : nil
        self.path = isFolder && !isPass ? path.appending(NativeExport.linesName) : path
        guard !isPass else {
            (format, bytes, database) = (.pass, [], nil)
            return
        }
        let content = try Self.content(self.path, isPiped: isPiped, limit: Self.byteCount)
        format = given ?? ImportFormat(of: content)
        database = format == .kdbx ? try KeePassDatabase(self.path, isPiped: isPiped, arguments) : nil
        bytes = try database?.xml() ?? content
    }

    /// The bytes of a file, a pipe or standard input.
    static func content(_ path: BytePath, isPiped: Bool, limit: Int) throws -> [UInt8] {
        if isPiped { return try all(from: STDIN_FILENO, limit: limit) }
        if (try? Machine.store.files.status(path))?.kind == .other {
            let pipe = try Descriptor(opening: path, O_RDONLY)
            return try all(from: pipe.number, limit: limit)
        }
        let file = try Machine.store.files.openFile(path, writing: false)
        let size = try file.status().size
        guard size <= UInt64(limit) else { throw tooLong(path, limit) }
        return try file.bytes(at: 0, count: Int(size))
    }

    private static func tooLong(_ path: BytePath, _ limit: Int) -> Failure {
        Failure(
            .invalid, "\(path): longer than \(sizeText(UInt64(limit)))",
            hint: "export into a folder, which keeps attachments in separate files, or import it in parts")
    }

    private static func all(from descriptor: Int32, limit: Int) throws -> [UInt8] {
        let bytes = try StandardInput.all(upTo: limit + 1, from: descriptor)
        guard bytes.count <= limit else { throw tooLong(BytePath("-"), limit) }
        return bytes
    }

    /// Its records.
    func batch(_ arguments: Arguments) throws -> ImportBatch {
        let kind = try arguments.text(.kind).map { try CardArguments.schema(Array($0.utf8)) }
        guard kind == nil || format == .csv else { throw Failure(.usage, "import: --kind goes with CSV") }
        do {
            let limit = Int(try Config.attachmentLimit())
            switch format {
            case .json: return try ImportBatch(native: bytes)
            case .csv: return try ImportBatch(csv: bytes, kind: kind)
            case .keepass, .kdbx:
                return try ImportBatch(keePass: bytes, limit: limit, fetch: database.map { $0.attachment })
            case .bitwarden, .proton, .enpass: return try ImportBatch(json: bytes, of: program)
            case .onePassword, .zip: return try ImportBatch(zip: bytes, limit: limit)
            case .pass: return try PasswordStore(path).batch()
            case .otp: return try ImportBatch(oneTimeCodes: QRPicture.lines(in: bytes, path))
            }
        } catch let error as MalformedText {
            throw Failure(
                .invalid, "\(path): line \(error.line): \(error.what)",
                hint: "nothing was saved; --format says what it is")
        } catch ImportError.unsupported(let what, let hint) { throw Failure(.invalid, "\(path): \(what)", hint: hint) }
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
        } catch let error as IOError { throw ImportFileError("\(name): \(error.message)") }
    }

    /// Notes the files of the folder that nothing takes: those beside the lines and the page, and attachments that no line names.
    func noteOthers(besides batch: inout ImportBatch) throws {
        guard format == .json, let folder, path != folder else { return }
        var named = Set(
            batch.items.compactMap { item -> BytePath? in
                if case .attachment(.file(let path, _), _) = item.content { path } else { nil }
            })
        named.formUnion([BytePath(path.lastComponent), BytePath(NativeExport.pageName)])
        func visit(_ place: any Folder, _ prefix: BytePath, _ depth: Int) throws {
            for entry in try place.entries().sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
                let name = prefix.appending(entry.name)
                if named.contains(name) || name.bytes == Array("files".utf8) { continue }
                if try (entry.kind ?? place.status(of: entry.name).kind) == .folder, depth < 16 {
                    try visit(place.openFolder(entry.name), name, depth + 1)
                } else {
                    batch.leaveOut("\(name)", "no line names it")
                }
            }
        }
        try visit(Machine.store.files.openFolder(folder), BytePath(""), 1)
    }

    /// Stores the files and folders that were exported; how many are new.
    func storeFiles(in transaction: VaultTransaction, _ report: ProblemReport) throws -> Int {
        guard format != .pass, let files = folder?.appending(Array("files".utf8)),
            try Machine.store.files.exists(files)
        else {
            return 0
        }
        let work = try transaction.treeImport(report: report.add)
        let folder = try Machine.store.files.openFolder(files)
        for entry in try folder.entries() { try work.add(files.appending(entry.name), as: BytePath(entry.name)) }
        return work.count.files + work.count.symlinks
    }
}
