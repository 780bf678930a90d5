import Portfolio
import VaultFormat

extension Verb {
    static let fundExport = Verb.at(
        name: "fund export", summary: "write funds, holdings and net values in the clear",
        options: [
            .vault, .moment, Option(.output, also: "-o", value: "FILE", help: "a new file; else standard output"),
            Option(
                .format, value: "FORMAT",
                help: "jsonl (all of it, the default), csv (funds and holdings), ledger or beancount (net values)"),
            .json,
        ] + Option.use,
        example: "qvault fund export --format ledger >> prices.db", note: "'fund import' reads all of these back"
    ) { path, arguments in
        let formats = FundExport.Format.allCases.map(\.rawValue).listed
        let format: FundExport.Format? = try arguments.value(.format, or: "fund export: --format takes \(formats)")
        // Somebody at an unlocked machine must not get everything.
        let vault = try Session.openAsOf(path, arguments, isSource: true, asksAgain: true)
        let export = try FundExport(vault)
        if let copies = Phrase.mergeCopies(export.mergeCopies) { Messages.say(copies) }
        let text = export.lines(format ?? .jsonl).map { $0 + "\n" }.joined()
        let output = arguments.bytes(.output)
        let file = output.map { BytePath($0) }.flatMap { $0.isStandardStream ? nil : $0 }
        guard file != nil || !arguments.has(.json) else {
            throw Failure(.usage, "fund export: --json goes with -o FILE", hint: "--format jsonl is JSON, a line each")
        }
        try TextOutput.write(text, to: output)
        guard let file else { return .done }
        return try Messages.done("wrote \(file), which is not encrypted", arguments, json: .path(file))
    }
}
