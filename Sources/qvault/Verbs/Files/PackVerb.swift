import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let pack = Verb(
        name: "pack", summary: "make a vault from folders and files", operands: "SOURCE… -o OUT",
        options: [
            Option(.output, also: "-o", value: "OUT", help: "the vault to make"), .storedName, .noProgress, .json,
        ] + [.compression] + Option.derivation + Option.newPassword,
        example: "qvault pack ~/Documents -o documents.qvault",
        note: "everything in the folder, under the name Documents"
    ) { arguments in
        let path = try arguments.output("pack", "OUT")
        return try withVault(path) {
            let sources = try Sources(arguments)
            let report = ProblemReport()
            try Session.create(path, arguments, readsInput: sources.readsInput) { creation, _ in
                let work = try creation.treeImport(report: report.add)
                try sources.add(to: work, report, arguments)
                try Session.commit(creation)
                try Messages.done(
                    "packed \(describe(work.count)) into \(path)", arguments,
                    json: work.count.json(path, save: 1, report))
            }
            return report.exitCode()
        }
    }
}

/// The sources of `pack` and `put`: operands and the names they get.
struct Sources {
    private let items: [(source: [UInt8], name: BytePath)]
    /// True if one of them is standard input.
    let readsInput: Bool

    init(_ arguments: Arguments) throws {
        let dash = Array("-".utf8)
        readsInput = arguments.operands.contains(dash)
        let name = arguments.bytes(.as).map(BytePath.init)
        if name != nil, arguments.operands.count != 1 { throw Failure(.usage, "--as names one source, not several") }
        if readsInput, name == nil {
            throw Failure(.usage, "standard input needs a name", hint: "give one with --as NAME")
        }
        items = try arguments.operands.map { operand in
            if let name { return (operand, name) }
            var source = BytePath(operand)
            if [[], [0x2E], [0x2E, 0x2E]].contains(source.lastComponent) {
                source = try Machine.store.files.resolve(source)
            }
            return (operand, BytePath(source.lastComponent))
        }
    }

    /// Stores them; one that cannot be read is listed like anything beneath it, unless nothing else was stored.
    func add(to work: TreeImport, _ report: ProblemReport, _ arguments: Arguments) throws {
        // The size of a folder is known only after it was read; that of a file before.
        let files = items.map { try? Machine.store.files.status(BytePath($0.source)) }
        let isKnown = files.allSatisfy { $0?.kind == .regular }
        let total = isKnown ? files.reduce(0) { $0 &+ ($1?.size ?? 0) } : nil
        var failures: [(BytePath, IOError)] = []
        try Progress.showing("stored", total: total, arguments) { update in
            work.progress = update
            for (source, name) in items {
                if source == Array("-".utf8) {
                    try work.addStream(as: name, read: { try StandardInput.fill(&$0) })
                } else if let error = try work.add(BytePath(source), as: name) {
                    failures.append((BytePath(source), error))
                }
            }
        }
        if let (_, error) = failures.first, failures.count == items.count { throw error }
        for (path, error) in failures { report.add(TreeProblem(path: path, reason: .unreadable(error))) }
    }
}
