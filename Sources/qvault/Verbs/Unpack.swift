import VaultFormat
import VaultStore

extension Verb {
    static let unpack = Verb(
        name: "unpack", summary: "write everything, or what is named, as files", operands: "FILE -o DIR [NAME…]",
        operandCount: 1...Int.max,
        options: [
            Option("-o", "--output", value: "DIR", help: "the folder to write into; made if missing"),
            Option("--force", help: "replace files that are there"), .noProgress,
        ] + Option.password,
        example: ("qvault unpack documents.qvault -o restored", "everything, under restored/; never outside it")
    ) { arguments in
        guard let output = arguments.bytes("--output") else { throw Failure(.usage, "unpack: where to? give -o DIR") }
        let (path, target) = (Path(arguments.operands[0]), Path(output))
        return try withVault(path) {
            let vault = try Session.open(path, arguments)
            let items = try Session.select(Array(arguments.operands.dropFirst()), in: vault)
            let files = Session.world.files
            if (try? files.status(target)) == nil { try files.makeFolder(target) }
            let report = ProblemReport()
            let work = try TreeExport(vault, to: target, replacing: arguments.has("--force"), report: report.add)
            let progress = Progress("unpacked", total: items.reduce(0) { $0 &+ $1.entry.length }, arguments)
            defer { progress.finish() }
            work.progress = progress.update
            try work.write(items)
            Messages.done("unpacked \(describe(work.count)) into \(target)", arguments)
            return report.exitCode
        }
    }
}
