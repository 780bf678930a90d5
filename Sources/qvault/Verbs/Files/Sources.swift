import Values
import VaultFormat
import VaultIO
import VaultStore

/// The sources of `pack` and `put`: operands, or the lines of a list, and the names they get.
struct Sources {
    private let items: [(source: [UInt8], name: BytePath)]
    /// What is left out, and what is kept.
    var options: TreeImportOptions
    /// True if it is said what becomes of each thing.
    private let isVerbose: Bool
    /// True if standard input is read: as a source, or as a list of them.
    let readsInput: Bool

    /// What is carried in, and what is left out.
    static let options = [
        Option(
            .exclude, value: "PATTERN", help: "leave out what fits, by the rules of gitignore; may be repeated",
            repeats: true),
        Option(.excludeFrom, value: "FILE", help: "the same with each line of a file", repeats: true),
        Option(.excludeCaches, help: "leave out what is in folders with a CACHEDIR.TAG"),
        Option(.oneFileSystem, help: "store folders of other file systems as empty ones"), .keepModes,
        Option(
            .filesFrom, value: "FILE|-",
            help: "store the paths of a list under their own names: a line each, or NUL between"),
        Option(.verbose, also: "-v", help: "say what becomes of each file, and why"),
    ]

    private static let dash = Array("-".utf8)

    init(_ arguments: Arguments) throws {
        options = try Self.options(arguments)
        isVerbose = arguments.has(.verbose) || arguments.has(.dryRun)
        let list = arguments.bytes(.filesFrom)
        readsInput = arguments.operands.contains(Self.dash) || list == Self.dash
        guard let list else {
            items = try Self.named(arguments)
            return
        }
        guard arguments.operands.isEmpty, !arguments.has(.as), !arguments.has(.mirror) else {
            throw Failure(.usage, "--files-from goes without FILE, --as and --mirror")
        }
        items = try Self.listed(BytePath(list))
    }

    private static func options(_ arguments: Arguments) throws -> TreeImportOptions {
        var options = TreeImportOptions()
        for pattern in arguments.all(.exclude) { options.excluded.add(pattern) }
        for file in arguments.all(.excludeFrom) {
            let path = BytePath(file)
            options.excluded.add(linesOf: try ImportInput.content(path, isPiped: false, limit: listByteCount))
        }
        options.skipsCaches = arguments.has(.excludeCaches)
        options.staysOnFileSystem = arguments.has(.oneFileSystem)
        options.mirrors = arguments.has(.mirror)
        options.keepsModes = arguments.has(.keepModes)
        return options
    }

    private static func named(_ arguments: Arguments) throws -> [(source: [UInt8], name: BytePath)] {
        let name = arguments.bytes(.as).map(BytePath.init)
        if name != nil, arguments.operands.count != 1 { throw Failure(.usage, "--as names one source, not several") }
        if arguments.operands.contains(dash), name == nil {
            throw Failure(.usage, "standard input needs a name", hint: "give one with --as NAME")
        }
        let items: [(source: [UInt8], name: BytePath)] = try arguments.operands.map { operand in
            if let name { return (operand, name) }
            var source = BytePath(operand)
            if [[], [0x2E], [0x2E, 0x2E]].contains(source.lastComponent) {
                source = try Machine.store.files.resolve(source)
            }
            return (operand, BytePath(source.lastComponent))
        }
        // What one source has would be gone from the other.
        let names = Set(items.map(\.name.bytes))
        guard names.count == items.count || !arguments.has(.mirror) else {
            throw Failure(
                .usage, "--mirror takes sources of different names",
                hint: "give each a place with --as, one at a time")
        }
        return items
    }

    /// Bytes of a list at most: 64 MiB.
    private static let listByteCount = 64 << 20

    /// The lines of a text. If every line ends with a carriage return, it is removed from all; otherwise it belongs to the name.
    private static func lines(_ text: [UInt8]) -> [[UInt8]] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let lines = (text.starts(with: mark) ? text.dropFirst(3) : text[...]).split(separator: 0x0A).map(Array.init)
        let isFromWindows = lines.allSatisfy { $0.last == 0x0D }
        return isFromWindows ? lines.map { $0.dropLast() } : lines
    }

    /// The paths of a list. What lies in a folder that is listed too comes with that.
    private static func listed(_ file: BytePath) throws -> [(source: [UInt8], name: BytePath)] {
        let bytes = try ImportInput.content(file, isPiped: file.bytes == dash, limit: listByteCount)
        let lines = bytes.contains(0) ? bytes.split(separator: 0).map(Array.init) : lines(bytes)
        var named: [(source: [UInt8], name: BytePath)] = []
        for line in lines {
            let parts = BytePath(line).components.filter { $0 != [0x2E] }
            guard !parts.contains([0x2E, 0x2E]) else {
                throw Failure(.invalid, "\(file): '\(printable(line))' leads upwards", hint: "list paths without '..'")
            }
            // The folder itself: all that is in it, under its own names, is no one path.
            guard !parts.isEmpty else {
                throw Failure(
                    .invalid, "\(file): '\(printable(line))' has no name", hint: "'qvault put DIR' stores a folder")
            }
            // A file may be called `-`, which elsewhere is standard input.
            named.append((line == dash ? Array("./-".utf8) : line, parts.reduce(BytePath("")) { $0.appending($1) }))
        }
        named.sort {
            $0.name.components.lexicographicallyPrecedes($1.name.components) { $0.lexicographicallyPrecedes($1) }
        }
        var kept: [(source: [UInt8], name: BytePath)] = []
        for item in named {
            guard let last = kept.last, item.name.isOrIsBeneath(last.name) else {
                kept.append(item)
                continue
            }
            // One list may say a path twice, and what is in a folder that it has. Anything else would be lost.
            let isSame = (item.source.first == 0x2F) == (last.source.first == 0x2F)
            guard isSame, item.name == last.name || isFolder(last.source) else {
                throw Failure(
                    .invalid,
                    "\(file): '\(printable(item.source))' and '\(printable(last.source))' have one place in the vault",
                    hint: "store them one at a time, with --as")
            }
        }
        return kept
    }

    /// True of a folder itself, and not of a symbolic link to one.
    private static func isFolder(_ source: [UInt8]) -> Bool {
        let path = BytePath(source)
        let status = try? Machine.store.files.openFolder(path.parent).status(of: path.lastComponent)
        return status?.kind == .folder
    }

    /// The folders among a few sources, and the names that they get.
    var folders: [(source: BytePath, target: BytePath)] {
        guard items.count <= 16 else { return [] }
        return items.filter { $0.source != Self.dash && Self.isFolder($0.source) }.map {
            (BytePath($0.source), $0.name)
        }
    }

    /// The imports of folders that came before, by the places of these in the vault.
    var earlier: [BytePath: EarlierImport] = [:]

    /// Stores them; one that cannot be read is listed like anything beneath it, unless nothing else was stored.
    func add(to work: TreeImport, _ report: ProblemReport, _ arguments: Arguments) throws {
        work.options = options
        work.told = { if isVerbose || $0.action.isNote { Messages.say("\($0.path): \($0.action.said)") } }
        // The size of a folder is known only after it was read; that of a file before.
        let files = items.map { try? Machine.store.files.status(BytePath($0.source)) }
        let isKnown = files.allSatisfy { $0?.kind == .regular }
        let total = isKnown ? files.reduce(0) { $0 &+ ($1?.size ?? 0) } : nil
        var failures: [(BytePath, IOError)] = []
        try Progress.showing("stored", total: total, arguments) { update in
            work.progress = update
            for (source, name) in items {
                if source == Self.dash {
                    try work.addStream(as: name, read: { try StandardInput.fill(&$0) })
                    continue
                }
                work.options.earlier = earlier[name]
                if let error = try work.add(BytePath(source), as: name) { failures.append((BytePath(source), error)) }
            }
        }
        if let (_, error) = failures.first, failures.count == items.count { throw error }
        for (path, error) in failures { report.add(TreeProblem(path: path, reason: .unreadable(error))) }
    }
}

extension TreeChange.Action {
    /// True if a person has to know it also without `--verbose`.
    fileprivate var isNote: Bool {
        switch self {
        case .socket, .changedMeanwhile: true
        default: false
        }
    }

    /// What became of a thing, behind its path.
    fileprivate var said: Phrase {
        switch self {
        case .added: "new"
        case .replaced: "other content"
        case .updated: "other time or mode"
        case .trashed: "gone: to the trash"
        case .excluded(let pattern): "left out by the pattern '\(printable(pattern))'"
        case .cache: "a cache: only its tag is stored"
        case .otherFileSystem: "another file system: stored as an empty folder"
        case .socket: "a socket or pipe: passed over"
        case .changedMeanwhile: "changed while it was read: stored as it was read"
        }
    }
}
