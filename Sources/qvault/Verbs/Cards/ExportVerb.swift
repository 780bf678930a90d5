import Glibc
import Portfolio
import VaultFormat
import Cards
import Pictures
import Exchange
import VaultIO
import VaultStore

extension Verb {
    static let export = Verb.at(
        name: "export", summary: "write everything in the clear, for other programs", operands: "-o DIR|FILE|-",
        options: [
            .vault, .moment,
            Option(.output, also: "-o", value: "OUT", help: "a new folder; for other programs a new file; or -"),
            Option(
                .format, value: "FORMAT",
                help:
                    "json (all of it, the default); keepass, bitwarden, csv (cards); hledger, beancount (assets, funds); ghostfolio, portfolio-performance (holdings)"
            ), .kind, .onlyGroup, .onlyTag, .find, Option(.json, help: "the same as --format json"), .noProgress,
        ] + Option.use,
        example: "qvault export -o dump",
        note: "dump/index.html for a browser, dump/records.jsonl, dump/attachments, dump/files; 'import' reads it back"
    ) { path, arguments in
        guard let output = arguments.bytes(.output) else {
            throw Failure(.usage, "export: where to? give -o DIR, or -o - for standard output")
        }
        let format = arguments.text(.format) ?? "json"
        let (journal, purchases) = (Journal.Format(rawValue: format), PurchaseExport.Format(rawValue: format))
        guard ["json", "csv", "keepass", "bitwarden"].contains(format) || journal != nil || purchases != nil,
            format == "json" || !arguments.has(.json)
        else {
            throw Failure(
                .usage,
                "--format takes json, keepass, bitwarden, csv, hledger, beancount, ghostfolio or portfolio-performance")
        }
        // Somebody at an unlocked machine must not get everything.
        let vault = try Session.openAsOf(path, arguments, isSource: true, asksAgain: true)
        if let journal {
            let lines = try Journal(vault).lines(journal, today: Machine.today)
            return try writeText(lines.map { $0 + "\n" }.joined(), to: output, arguments)
        }
        if let purchases {
            return try writeText(PurchaseExport(vault, today: Machine.today).text(purchases), to: output, arguments)
        }
        let export = try Export(vault, arguments)
        let target = output == Array("-".utf8) ? nil : BytePath(output)
        switch format {
        case "json":
            try export.writeJSON(to: target)
            let left = try vault.shares(damaged: { _, _ in }).count { $0.isCardRemoved }
            if left > 0, ![.kind, .group, .tag, .find].contains(where: { arguments.has($0) }) {
                Messages.say(
                    "warning: what is noted of copies whose original is in the trash is not exported: \(left)")
            }
        default: try export.writeText(format, to: target)
        }
        return export.finish(target, path)
    }

    /// Assets and holdings for a program that accounts for them.
    private static func writeText(_ text: String, to output: [UInt8], _ arguments: Arguments) throws -> ExitCode {
        if [.kind, .group, .tag, .find].contains(where: { arguments.has($0) }) {
            throw Failure(.usage, "export: a journal has all assets and funds")
        }
        try TextOutput.write(text, to: output)
        if output != Array("-".utf8) { Messages.advise("what was written is not encrypted") }
        return .done
    }
}

/// An export: its records and its destination.
private final class Export {
    private let vault: Vault
    private let arguments: Arguments
    private let records: [Entry]
    private let files: TreeListing
    private let report = ProblemReport()
    private var count = 0

    init(_ vault: Vault, _ arguments: Arguments) throws {
        (self.vault, self.arguments) = (vault, arguments)
        let all = try vault.entries()
        let isPart = [.kind, .group, .tag].contains { arguments.has($0) }
        let cards = isPart ? Set(try vault.cardEntries(where: CardArguments.filter(arguments)).map(\.id)) : nil
        let found = arguments.has(.find) ? Set(try QueryArguments.found(arguments, in: vault).map(\.id)) : nil
        // All that is asked for has to hold.
        let wanted = cards.map { cards in found.map(cards.intersection) ?? cards } ?? found
        records = NativeExport.selected(all).filter { entry in
            wanted.map { $0.contains(entry.id) || entry.parent.map($0.contains) ?? false } ?? true
        }
        let listing = try TreeListing(all)
        let roots = found.map { found in listing.filter { found.contains($0.entry.id) } }
        files = (roots.map(listing.selecting(partsOf:)) ?? listing).selecting { $1.kind.isInTree && !isPart }
    }

    /// Cards in the format of another program, in one file or on standard output.
    func writeText(_ format: String, to target: BytePath?) throws {
        let cards = records.filter(\.isCard)
        count = cards.count
        try write(target) { put in
            switch format {
            case "csv": try put(vault.csv(cards))
            case "bitwarden": try put(vault.bitwarden(cards))
            default: try KeePassExport(vault, records).write(cards, to: put)
            }
        }
    }

    func writeJSON(to target: BytePath?) throws {
        count = records.count
        let (export, system) = (NativeExport(vault), Machine.store.files)
        if let target {
            if try system.exists(target) { throw VaultError.exists(target) }
            try system.makeFolder(target)
        }
        let attachments = records.filter(\.isAttachment)
        let paths = NativeExport.paths(of: attachments)
        try write(target?.appending(NativeExport.linesName)) { put in
            try put(NativeExport.head + "\n")
            let contents = target == nil ? NativeExport.Attachments.inLine : .files { paths[$0.id] ?? "" }
            for entry in records { try put(export.line(entry, contents) + "\n") }
        }
        guard let target else { return }
        if !attachments.isEmpty { try system.makeFolder(target.appending(NativeExport.attachmentsName)) }
        for entry in attachments {
            guard let path = paths[entry.id] else { continue }
            try vault.export(entry, to: target.appending(Array(path.utf8)), replacing: false)
        }
        let page = ExportPage(vault: vault, records: records, files: files, paths: paths)
        try write(target.appending(NativeExport.pageName)) { try page.write($0) }
        guard !files.isEmpty else { return }
        let folder = target.appending(Array("files".utf8))
        try system.makeFolder(folder)
        let work = try TreeExport(vault, to: folder, replacing: false, report: report.add)
        try Progress.showing("exported", total: files.reduce(0) { $0 &+ $1.entry.length }, arguments) { update in
            work.progress = update
            try work.write(files)
        }
    }

    /// Writes a file of the person's own, which gets its name when it is whole; or to standard output.
    private func write(_ target: BytePath?, _ body: ((String) throws -> Void) throws -> Void) throws {
        guard let target else {
            var out = StandardOutput()
            try body { try out.write(raw: $0) }
            return try out.flush()
        }
        let new = try AtomicFile(target, Machine.store.files)
        var offset: UInt64 = 0
        try body { text in
            try new.file.writeAll(Array(text.utf8).span, at: offset)
            offset += UInt64(text.utf8.count)
        }
        try new.publish()
    }

    /// Says what was written, and what was not.
    func finish(_ target: BytePath?, _ vault: BytePath) -> ExitCode {
        Messages.done("records exported: \(count)")
        let format = arguments.text(.format) ?? "json"
        let isWhole = target != nil && format == "json"
        let left = isWhole ? 0 : files.count { $1.kind != .folder }
        if left > 0 {
            Messages.note(
                "note: files left out: \(left); 'qvault unpack' writes them, and so does 'export' into a folder")
        }
        let other = format == "json" ? 0 : records.count { !$0.isCard && !(format == "keepass" && $0.isAttachment) }
        if other > 0 {
            Messages.note("note: attachments and settings left out: \(other); '--format json' takes them along")
        }
        if target != nil { Messages.advise("what was written is not encrypted") }
        return report.exitCode()
    }
}
