import VaultFormat
import VaultRecords
import VaultStore
import Watermark

extension Verb {
    static let share = Verb(
        name: "share", summary: "write a marked copy of an attachment to give away, and note to whom",
        operands: "ATTACHMENT…", operandCount: 1...Int.max,
        options: [.vault, .wait] + CopyTarget.options + Option.mark + Option.copyLimits + Option.use,
        example: (
            "qvault share id-front.jpg --recipient 招商银行 --purpose 开户 --max-bytes 2MB -o front-bank.jpg",
            "'qvault shares' lists what was given away"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        let target = try CopyTarget("share", arguments, isNamed: false)
        let limits = try MarkedCopy.Limits(arguments)
        return try withVault(path) {
            // A copy that is only looked at is none that was given away.
            if case .preview = target {
                return try preview(Session.open(path, arguments), arguments, limits)
            }
            let outgoing = try note(target, limits, path, arguments)
            for (file, path) in outgoing.files {
                try file.publish()
                Messages.done("shared as \(path); 'qvault shares' lists it", arguments)
            }
            let output = outgoing.output
            var out = StandardOutput()
            try out.write(output.span)
            return .done
        }
    }

    /// Copies that are noted and not out yet.
    private struct Outgoing {
        var files: [(file: PendingFile, path: Path)] = []
        /// For standard output: the picture, or what is said of all.
        var output: [UInt8] = []
    }

    /// Makes copies and notes them: one that nobody knows of could not be traced. Others can save again before they go
    /// out, perhaps to somebody who takes his time.
    private static func note(
        _ target: CopyTarget, _ limits: MarkedCopy.Limits, _ path: Path, _ arguments: Arguments
    ) throws -> Outgoing {
        let transaction = try Session.begin(path, arguments)
        let seed = try transaction.watermarkSeed()
        var outgoing = Outgoing()
        for name in arguments.operands {
            let entry = try Session.attachment(name, in: transaction.before)
            let id = try transaction.makeID()
            let made = try copy(of: entry, as: id.bytes, transaction.before, arguments, limits, seed)
            try transaction.put(made.copy, as: id, of: entry, made.profile, made.order, seed: seed)
            let file = try made.copy.prepare(for: target, entry.overview.title, arguments)
            guard !outgoing.files.contains(where: { $0.path == file?.path }) else {
                throw Failure(.invalid, "two of the attachments have one name", hint: "share them one by one")
            }
            if let file { outgoing.files.append(file) }
            if case .standardOutput = target { outgoing.output = made.copy.picture.bytes }
            guard arguments.has(.json) else { continue }
            let members =
                [("id", .text(hexText(id.bytes))), ("attachment", .text(hexText(entry.id.bytes)))]
                + (file.map { JSON.path($0.path, key: "file") } ?? []) + made.copy.members
            outgoing.output += (JSON.object(members).line + "\n").utf8
        }
        try Session.commit(transaction, arguments)
        Session.offerCompaction(transaction.before, arguments)
        return outgoing
    }

    private static func preview(
        _ vault: Vault, _ arguments: Arguments, _ limits: MarkedCopy.Limits
    ) throws -> ExitCode {
        let seed = try vault.watermarkSeed() ?? .ofNobody()
        for name in arguments.operands {
            let entry = try Session.attachment(name, in: vault)
            let made = try copy(
                of: entry, as: [UInt8](repeating: 0, count: 16), vault, arguments, limits, seed)
            try TerminalGraphics.draw(made.copy.picture.bytes, entry.overview.title)
        }
        return .done
    }

    private static func copy(
        of entry: Entry, as id: [UInt8], _ vault: Vault, _ arguments: Arguments, _ limits: MarkedCopy.Limits,
        _ seed: borrowing WatermarkSeed
    ) throws -> (copy: MarkedCopy, profile: MarkProfile, order: MarkedCopy.Order) {
        let profile = try MarkProfile(arguments, changing: vault.mark(of: entry.id))
        for name in ["recipient", "purpose"] where arguments.has("--\(name)") && !profile.text.contains("{\(name)}") {
            Messages.say("warning: the mark's text does not name the \(name): --text with it in braces does")
        }
        let order = MarkedCopy.Order(
            try profile.textNow(), profile.style, original: entry.id.bytes, share: id, limits: limits)
        var content = try vault.content(of: entry, limit: Vault.maximumAttachmentByteCount)
        defer { wipeBytes(&content) }
        do { return (try MarkedCopy(of: content, order, seed: seed), profile, order) } catch let error as MarkError {
            throw error.failure(printable(entry.overview.title), content)
        }
    }

    static let shares = Verb(
        name: "shares", summary: "list the copies that were given away, the latest first", operands: "[ATTACHMENT]",
        operandCount: 0...1, options: [.vault, .moment, .json] + Option.use,
        example: ("qvault shares id-front.jpg", "one line a copy: id, time, name, for whom and what for")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let vault = try Session.openAsOf(path, arguments)
            let attachment = try arguments.operands.first.map { try Session.attachment($0, in: vault).id }
            var out = StandardOutput()
            let report = ProblemReport()
            let shares = try vault.shares(of: attachment) { entry, error in
                report.add(TreeProblem(path: Path(entry.overview.title), reason: .unreadableRecord(error)))
            }
            try out.write(linesOf: shares) { arguments.has(.json) ? $0.json : $0.line }
            try out.flush()
            return report.exitCode(hint: "'qvault verify' tells more of damage")
        }
    }
}

extension Share {
    fileprivate var line: String {
        let (recipient, purpose) = (texts["recipient"] ?? "-", texts["purpose"] ?? "-")
        return [
            String(hexText(id.bytes).prefix(8)), timeText(microseconds: time, local: true), printable(name),
            printable(recipient.utf8), printable(purpose.utf8),
        ].joined(separator: "  ")
    }

    fileprivate var json: String {
        func text(_ key: String) -> (String, JSON) { (key, texts[key].map { .text($0) } ?? .null) }
        func number(_ key: String) -> (String, JSON) {
            (key, texts[key].flatMap { Int64($0) }.map { .integer($0) } ?? .null)
        }
        return JSON.object(
            [("id", .text(hexText(id.bytes))), ("attachment", attachment.map { .text(hexText($0.bytes)) } ?? .null)]
                + JSON.path(Path(name), key: "name")
                + [
                    ("time", .text(timeText(microseconds: time))), text("recipient"), text("purpose"), text("text"),
                    number("width"), number("height"), number("bytes"), text("sha256"), number("quality"),
                    number("revision"),
                ]
        ).line
    }
}
