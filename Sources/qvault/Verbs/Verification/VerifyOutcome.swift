import VaultFormat
import VaultIO
import VaultStore

/// The result of checking one file.
struct VerifyOutcome {
    let path: BytePath
    /// It came by standard input: no command can be given its name.
    var isStream = false
    /// As the file system has it: its length, and when it was written last.
    var file: FileStatus?
    var vaultID: VaultID?
    /// When the newest save was made; nil without a key.
    var time: Timestamp?
    /// How long the check took.
    var duration = Duration.zero
    /// It is older than, or has another history than, what an earlier check saw at this path.
    var isBehind = false
    /// An earlier check saw another vault at this path.
    var isStranger = false
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

    /// The result of a trial repair of a damaged file; nil where none was tried, or none can be.
    var repair: Repair?

    /// True if a repair would make it whole.
    private var isRepairable: Bool { repair?.isWhole ?? false }

    var code: ExitCode {
        let code = isRepairable ? .repairable : failure?.code ?? result?.worst?.exitCode ?? .done
        return isAsExpected && !isBehind && !isStranger ? code : .worst([code, .older])
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
        if isStranger { notes.append("another vault than the one that was checked here before") }
        if isBehind { notes.append("not what was checked here before: an older state, or another history") }
        if isBehind || freshness.message != nil, let newest = result?.newest {
            notes.append(
                time.map { "its newest save is \(newest.sequence), of \(timeText($0, local: true))" }
                    ?? "its newest save is \(newest.sequence)")
        }
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
    var name: String {
        if isRepairable { return FormatError.Code.repairable.rawValue }
        if let failure {
            let names: [ExitCode: String] = [.locked: "locked", .wrongKey: "wrong-key", .refused: "refused"]
            return error?.code.rawValue ?? names[failure.code] ?? "error"
        }
        return result?.worst?.rawValue ?? "ok"
    }

    func text(_ arguments: Arguments) -> String {
        guard let result else {
            if let failure { Messages.say(isRepairable ? Failure(failure.code, failure.message) : failure) }
            return ""
        }
        for note in notes { Messages.say("\(subject): \(note)") }
        var text = summary(result).said + "\n"
        let shown = result.findings.filter { arguments.has(.map) || $0.record != nil }
            .sorted { ($0.range?.lowerBound ?? 0) < ($1.range?.lowerBound ?? 0) }
        for finding in shown { text += "  " + finding.phrase.said + "\n" }
        if let parity = result.parity, parity.damaged == 0, result.worst == nil {
            text +=
                "  " + Phrase("any one damaged stretch of up to \(sizeText(parity.guaranteed)) can be repaired").said
            text += "\n"
        }
        if let parity = result.saveParity, result.worst == nil {
            let (saves, all, size) = (parity.saveCount, result.count.commits, sizeText(parity.guaranteed))
            text +=
                "  "
                + Phrase(
                    "saves with parity: \(saves) of \(all); one damaged stretch of up to \(size) in the content of each can be repaired"
                ).said
            text += "\n"
        }
        if let repair, !repair.isWhole {
            for range in repair.lost where arguments.has(.map) {
                text += "  " + Phrase("lost: bytes \(range.lowerBound)-\(range.upperBound - 1)").said + "\n"
            }
        }
        return text
    }

    /// The file, or the stream, for people.
    private var subject: Phrase { isStream ? "standard input" : "\(path)" }

    /// Names the command that helps, behind the result.
    func sayNextStep(_ arguments: Arguments) {
        defer {
            let isListed = arguments.has(.map) || result?.findings.allSatisfy { $0.record != nil } ?? true
            if !isListed { Messages.hint("--map lists all findings with their bytes") }
        }
        let isDamaged = result.map { $0.worst == .damaged || $0.worst == .repairable } ?? (error?.code == .damaged)
        guard isDamaged else { return }
        let count = repair?.lost.reduce(0) { $0 + $1.count } ?? 0
        if count > 0 {
            Messages.say("\(subject): more is damaged than its parity repairs: \(sizeText(UInt64(count))) are lost")
        }
        if let margin = repair?.margin, isRepairable {
            Messages.say(
                "\(subject): all of it can be repaired; parity left where most is needed: \(Int(margin * 100)) %")
        }
        let file = shellWord(path.bytes)
        guard !isStream else { return Messages.hint("'qvault repair' needs a file: save the stream as one") }
        Messages.hint(
            isRepairable || result?.worst == .repairable
                ? "'qvault repair \(file) -o OUT' makes it whole" : .rescuing(path))
    }

    private func summary(_ result: Verification) -> Phrase {
        let (saves, size) = (result.count.commits, sizeText(result.count.payloadBytes))
        guard isAsExpected || !result.findings.isEmpty else {
            return "\(subject): no damage, but no save with the expected fingerprint (saves: \(saves), \(size))"
        }
        guard result.findings.isEmpty else {
            let count = result.findings.count
            return "\(subject): \(Phrase(stringLiteral: name)), findings: \(count) (saves: \(saves), \(size))"
        }
        if isAudited {
            return
                "\(subject): no damage, no tampering (saves: \(saves), \(size); this does not detect changes by someone who holds the audit key, nor an older copy)"
        }
        return isKeyless
            ? "\(subject): no damage (saves: \(saves), \(size); tampering is not looked for without a key)"
            : "\(subject): sound (saves: \(saves), \(size), record versions: \(result.count.records))"
    }

    var json: JSON {
        let found = result.map { result -> JSON in
            [
                "sequence": result.newest?.sequence, "fingerprint": result.newest?.fingerprint,
                "expected_sequence": expectedSequence, "commits": result.count.commits,
                "payload_bytes": result.count.payloadBytes,
                "record_versions": isKeyless ? nil : result.count.records,
                "parity_bytes": result.parity?.byteCount ?? 0, "parity_damaged": result.parity?.damaged ?? 0,
                "saves_with_parity": result.saveParity?.saveCount ?? 0,
                "save_parity_bytes": result.saveParity?.byteCount ?? 0,
                "save_guaranteed_bytes": result.saveParity?.guaranteed,
                "notes": notes,
                "findings": result.findings.map(json), "guaranteed_bytes": result.parity?.guaranteed,
            ]
        }
        return JSON(
            joining: .path(path, key: "file"),
            [
                "class": name, "exit_code": code.rawValue, "keyless": isKeyless && !isAudited, "audited": isAudited,
                "time": time.map { timeText($0) }, "modified": file.map { timeText($0.modified) }, "size": file?.size,
                "duration_ms": UInt64(max(0, duration / .milliseconds(1))),
            ],
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
