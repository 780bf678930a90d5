import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let verify = Verb(
        name: "verify", summary: "check that a vault is whole and unchanged", operands: "FILE|DIR…",
        operandCount: 0...Int.max,
        options: [
            .vault, Option(.keyless, help: "look for damage only; needs no password, finds no tampering"),
            Option(.auditKey, value: "FILE", help: "find tampering too, with this key, which cannot read"),
            Option(.map, help: "list every damaged range of bytes"),
            Option(
                .expect, value: "FINGERPRINT",
                help: "fail (7) unless one of its saves has this fingerprint, as 'info' showed it then"), .json,
            .noProgress,
        ] + Option.password,
        example: "qvault verify --keyless backups/",
        note: "checks every .qvault file in the folder and beneath, on a machine that cannot read them"
    ) { arguments in
        let first = try Session.vaultPath(arguments, operand: arguments.operands.first)
        if arguments.has(.auditKey), arguments.has(.keyless) {
            throw Failure(.usage, "verify: --keyless or --audit-key, not both")
        }
        if arguments.has(.auditKey) || arguments.has(.keyless),
            let option = Option.password.first(where: { arguments.has($0.name) })
        {
            throw Failure(.usage, "verify: \(option.name.word) goes neither with --keyless nor with --audit-key")
        }
        let paths = try ([first] + arguments.operands.dropFirst().map(BytePath.init)).flatMap(files)
        let expected = try arguments.text(.expect).map(fingerprint)
        if expected != nil, paths.count > 1 { throw Failure(.usage, "--expect goes with one vault, not several") }
        var out = StandardOutput()
        var codes: [ExitCode] = []
        for path in paths {
            var outcome = try check(path, arguments)
            outcome.expected = expected
            try out.write(arguments.has(.json) ? outcome.json(path).line + "\n" : outcome.text(path, arguments))
            try out.flush()
            codes.append(outcome.code)
        }
        return ExitCode.worst(codes)
    }

    /// The digits of a fingerprint that a person typed.
    private static func fingerprint(_ text: String) throws -> String {
        let (digits, wrong) = FingerprintWords.digits(text)
        guard let digits else {
            throw Failure(
                .usage,
                wrong.map { "'\(printable($0.utf8))' is no word of a fingerprint" }
                    ?? "a fingerprint has 64 hexadecimal digits or eight words", hint: "'qvault info' shows a vault's")
        }
        return digits
    }

    /// A folder stands for the vaults in it and in its subfolders.
    private static func files(_ path: BytePath) throws -> [BytePath] {
        guard let status = try? Machine.store.files.status(path), status.kind == .folder else { return [path] }
        var (found, folders) = ([BytePath](), [path])
        while let folder = folders.popLast() {
            let open = try Machine.store.files.openFolder(folder)
            for entry in try open.entries() {
                let path = folder.appending(entry.name)
                if try (entry.kind ?? open.status(of: entry.name).kind) == .folder {
                    folders.append(path)
                } else if entry.name.suffix(7) == Array(".qvault".utf8)[...] {
                    found.append(path)
                }
            }
        }
        guard !found.isEmpty else { throw Failure(.notFound, "\(path): no .qvault file in this folder") }
        return found.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    private static func audit(
        _ path: BytePath, _ locked: LockedVault, _ key: AuditKey, _ progress: @escaping (UInt64) -> Void
    ) throws -> Verification {
        do { return try locked.verify(with: key, progress: progress) } catch let error as FormatError
            where error.code == .wrongKey
        {
            throw Failure(
                .wrongKey, "\(path): NOT verified: \(error.what)",
                hint: "was 'rekey rotate' run, then export the audit key anew; if not, take this for an alarm")
        }
    }

    private static func check(_ path: BytePath, _ arguments: Arguments) throws -> Outcome {
        let isKeyless = arguments.has(.keyless)
        do {
            let auditKey = try arguments.bytes(.auditKey).map { file in
                try naming(BytePath(file)) { try AuditKey(parsing: readSecret(fromFile: BytePath(file))) }
            }
            let key = isKeyless || auditKey != nil ? nil : try VaultSecret(path, arguments)
            return try Session.reading(path) { locked in
                try Progress.showing("checked", total: locked.fileByteCount, arguments) { update in
                    if let auditKey {
                        var outcome = try Outcome(
                            result: audit(path, locked, auditKey, update), isKeyless: true, isAudited: true)
                        if outcome.result?.worst == .damaged { outcome.repair = tryRepair(path, arguments) }
                        return outcome
                    }
                    let vault = try key.map { try locked.open(master: $0.unlock(locked)) }
                    let freshness = try vault.flatMap { try Machine.witnesses?.freshness(of: $0, at: path) } ?? .unknown
                    let result = try vault?.verify(progress: update) ?? locked.verify(progress: update)
                    // The pages of a file that was replaced may be gone.
                    if result.worst != nil, locked.isReplaced { throw VaultError.replaced }
                    if result.worst == nil, !locked.header.isCopy { Upkeep.note(.check, locked.header.vaultID) }
                    var outcome = Outcome(result: result, isKeyless: vault == nil, freshness: freshness)
                    if result.worst == .damaged { outcome.repair = tryRepair(path, arguments) }
                    if arguments.has(.expect) {
                        // Lines that cannot be read tell of no save; the check itself says that they are damaged.
                        let oldest = result.cores.last?.sequence ?? 0
                        outcome.earlier = ((try? vault?.lines()) ?? []).filter { $0.sequence < oldest }
                    }
                    return outcome
                }
            }
        } catch VaultError.cancelled {
            throw VaultError.cancelled
        } catch {
            var outcome = Outcome(
                failure: failure(for: error, vault: path), error: error as? FormatError, isKeyless: isKeyless,
                isAudited: arguments.has(.auditKey))
            if outcome.error?.code == .damaged { outcome.repair = tryRepair(path, arguments) }
            return outcome
        }
    }

    /// What a repair would give; nil where there is nothing to repair it from, or no room to try it.
    private static func tryRepair(_ path: BytePath, _ arguments: Arguments) -> Repair? {
        let scratch = environment(folder: "TMPDIR") ?? BytePath("/tmp")
        return Progress.showing("tried to repair", arguments) { progress in
            try? Repair(trying: path, scratch: scratch, in: Machine.store, progress: progress)
        }
    }
}

/// The result of checking one file.
private struct Outcome {
    var result: Verification?
    var failure: Failure?
    var error: FormatError?
    let isKeyless: Bool
    /// Tampering was looked for with an audit key.
    var isAudited = false
    /// Its relation to the state that this machine has seen; this alone fails no check.
    var freshness = Freshness.unknown
    /// The expected beginning of its fingerprint, in hexadecimal.
    var expected: String?
    /// What the manifest says of saves that a rewriting has taken out of the file.
    var earlier: [CommitLine] = []

    /// What a repair of a damaged file would give; nil where none was tried, or none can be.
    var repair: Repair?

    /// True if a repair would make it whole.
    private var isRepairable: Bool { repair?.isWhole ?? false }

    var code: ExitCode {
        let code = isRepairable ? .repairable : failure?.code ?? result?.worst?.exitCode ?? .done
        return isAsExpected ? code : .worst([code, .older])
    }

    private var isAsExpected: Bool { expected == nil || result == nil || expectedSequence != nil }

    /// The save that has the expected fingerprint.
    private var expectedSequence: UInt64? {
        guard let expected, let result else { return nil }
        return result.cores.first { hexText($0.fingerprint.bytes).hasPrefix(expected) }?.sequence ?? toldSequence
    }

    /// The same of a save that is not in the file any more, as the manifest tells.
    private var toldSequence: UInt64? {
        expected.flatMap { expected in
            earlier.first { expected.hasPrefix(hexText($0.fingerprint.bytes)) }?.sequence
        }
    }

    /// Facts that are no damage and should be known.
    private var notes: [Phrase] {
        var notes = result?.notes ?? []
        if let old = freshness.message { notes.append(old) }
        if !isAsExpected { notes.append("no save has the fingerprint that was expected") }
        if let save = toldSequence {
            notes.append(
                "its manifest says that save \(save), which is not in the file any more, had the fingerprint that was expected (16 bytes of it); who has a key can write that"
            )
        } else if let save = expectedSequence, let newest = result?.newest, save != newest.sequence {
            notes.append(
                "save \(save) has the fingerprint that was expected; it does not vouch for later saves, up to \(newest.sequence)"
            )
        }
        return notes
    }

    /// The class's name (Spec/reader.md, 1); "error" when the file could not be read at all.
    private var name: String {
        if isRepairable { return FormatError.Code.repairable.rawValue }
        if let failure {
            let names: [ExitCode: String] = [.locked: "locked", .wrongKey: "wrong-key", .refused: "refused"]
            return error?.code.rawValue ?? names[failure.code] ?? "error"
        }
        return result?.worst?.rawValue ?? "ok"
    }

    func text(_ path: BytePath, _ arguments: Arguments) -> String {
        guard let result else {
            if let failure { Messages.say(isRepairable ? Failure(failure.code, failure.message) : failure) }
            sayNextStep(path)
            return ""
        }
        for note in notes { Messages.say("\(path): \(note)") }
        var text = summary(path, result).said + "\n"
        let shown = result.findings.filter { arguments.has(.map) || $0.record != nil }
            .sorted { ($0.range?.lowerBound ?? 0) < ($1.range?.lowerBound ?? 0) }
        for finding in shown { text += "  " + finding.phrase.said + "\n" }
        if let parity = result.parity, parity.damaged == 0, result.worst == nil {
            text +=
                "  " + Phrase("any one damaged stretch of up to \(sizeText(parity.guaranteed)) can be repaired").said
            text += "\n"
        }
        if let repair, !repair.isWhole {
            for range in repair.lost where arguments.has(.map) {
                text += "  " + Phrase("lost: bytes \(range.lowerBound)-\(range.upperBound - 1)").said + "\n"
            }
        }
        sayNextStep(path)
        if shown.count < result.findings.count { Messages.hint("--map lists all findings with their bytes") }
        return text
    }

    /// Names the command that helps.
    private func sayNextStep(_ path: BytePath) {
        let isDamaged = result.map { $0.worst == .damaged || $0.worst == .repairable } ?? (error?.code == .damaged)
        guard isDamaged else { return }
        let file = shellWord(path.bytes)
        if let repair, !repair.isWhole {
            let count = repair.lost.reduce(0) { $0 + $1.count }
            Messages.say("\(path): more is damaged than its parity repairs: \(sizeText(UInt64(count))) are lost")
        }
        if let margin = repair?.margin, isRepairable {
            Messages.say("\(path): all of it can be repaired; parity left where most is needed: \(Int(margin * 100)) %")
        }
        Messages.hint(
            isRepairable || result?.worst == .repairable
                ? "'qvault repair \(file) -o OUT' makes it whole" : .rescuing(path))
    }

    private func summary(_ path: BytePath, _ result: Verification) -> Phrase {
        let (saves, size) = (result.count.commits, sizeText(result.count.payloadBytes))
        guard isAsExpected || !result.findings.isEmpty else {
            return "\(path): no damage, but no save with the expected fingerprint (saves: \(saves), \(size))"
        }
        guard result.findings.isEmpty else {
            let count = result.findings.count
            return "\(path): \(Phrase(stringLiteral: name)), findings: \(count) (saves: \(saves), \(size))"
        }
        if isAudited {
            return
                "\(path): no damage, no tampering (saves: \(saves), \(size); this does not detect changes by someone who holds the audit key, nor an older copy)"
        }
        return isKeyless
            ? "\(path): no damage (saves: \(saves), \(size); tampering is not looked for without a key)"
            : "\(path): sound (saves: \(saves), \(size), record versions: \(result.count.records))"
    }

    func json(_ path: BytePath) -> JSON {
        let found = result.map { result -> JSON in
            [
                "sequence": result.newest?.sequence, "fingerprint": result.newest?.fingerprint,
                "expected_sequence": expectedSequence, "commits": result.count.commits,
                "payload_bytes": result.count.payloadBytes,
                "record_versions": isKeyless ? nil : result.count.records,
                "parity_bytes": result.parity?.byteCount ?? 0, "parity_damaged": result.parity?.damaged ?? 0,
                "notes": notes,
                "findings": result.findings.map(json), "guaranteed_bytes": result.parity?.guaranteed,
            ]
        }
        return JSON(
            joining: .path(path, key: "file"),
            ["class": name, "exit_code": code.rawValue, "keyless": isKeyless && !isAudited, "audited": isAudited],
            failure.map { ["error": $0.message] } ?? [:], found ?? [:],
            repair.map {
                [
                    "repairable": $0.isWhole, "parity_left": $0.margin.map { JSON.real($0) } ?? JSON.null,
                    "lost_bytes": $0.lost.reduce(0) { $0 + $1.count },
                ]
            } ?? [:])
    }

    private func json(_ finding: Finding) -> JSON {
        JSON(
            joining: [
                "class": finding.code.rawValue, "what": finding.what, "offset": finding.range?.lowerBound,
                "length": finding.range?.count,
            ], finding.record.map { .path($0, key: "record") } ?? ["record": JSON.null])
    }
}

extension Finding {
    /// The finding and its place, for people.
    var phrase: Phrase {
        let what: Phrase = record.map { "\(self.what), of \($0)" } ?? self.what
        let code = Phrase(stringLiteral: self.code.rawValue)
        guard let range else { return "\(code): \(what)" }
        return range.count == 1
            ? "\(code) byte \(range.lowerBound): \(what)"
            : "\(code) bytes \(range.lowerBound)-\(range.upperBound - 1): \(what)"
    }
}
