import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let repair = Verb(
        name: "repair", summary: "make a damaged file whole by its parity, by what it has twice, and by other copies",
        operands: "FILE -o OUT",
        options: [
            Option(
                .output, also: "-o", value: "OUT",
                help: "the repaired file to make; - is standard output; FILE stays as it is"),
            Option(.inPlace, help: "repair FILE itself, if it becomes whole; a journal makes that safe"),
            Option(
                .from, value: "COPY", help: "take what is sound from this copy too, of this save or another",
                repeats: true), .wait, .noProgress, .json,
        ],
        example: "qvault repair damaged.qvault -o repaired.qvault",
        note: "no password is needed; a backup has parity, unless it was made without"
    ) { arguments in
        let path = BytePath(arguments.operands[0])
        let isInPlace = arguments.has(.inPlace)
        guard isInPlace != arguments.has(.output) else {
            throw Failure(.usage, "repair: give either -o OUT or --in-place")
        }
        let target = try isInPlace ? path : arguments.output("repair", "OUT", mayStream: true)
        return try withVault(path) {
            try StreamedFile.making(target) { try repair(path, to: $0, shownAs: target, arguments) }
        }
    }

    private static func repair(
        _ path: BytePath, to file: BytePath, shownAs target: BytePath, _ arguments: Arguments
    ) throws -> ExitCode {
        let copies = arguments.all(.from).map(BytePath.init)
        let isInPlace = arguments.has(.inPlace)
        let size = try Machine.store.files.status(path).size
        let repair = try offering(path) {
            try Progress.showing("repaired", total: 2 * size, arguments) { progress in
                try isInPlace
                    ? Repair(
                        inPlace: path, from: copies, in: Machine.store, timeout: arguments.wait(),
                        progress: progress)
                    : Repair(path, to: file, from: copies, in: Machine.store, progress: progress)
            }
        }
        let worst = repair.verification.map(\.worst) ?? .damaged
        for range in repair.lost {
            Messages.say(
                "\(path): bytes \(range.lowerBound)-\(range.upperBound - 1): more is damaged than its parity repairs")
        }
        if !repair.isWhole {
            if !repair.isWritten {
                Messages.say(
                    isInPlace
                        ? "\(path): it would not become whole, so nothing was changed"
                        : "\(path): nothing of it could be repaired, so \(target) was not written")
            }
            Messages.hint(.rescuing(path))
        }
        if target.isStandardStream {
            Messages.note(result(repair, worst, path))
        } else if arguments.has(.json) {
            try StandardOutput.print(json(repair, worst, target))
        } else {
            try StandardOutput.show(result(repair, worst, target).said + "\n")
        }
        return repair.lost.isEmpty ? worst?.exitCode ?? .done : .lost
    }

    /// Says of what cannot be repaired what else there is to do.
    private static func offering<R>(_ path: BytePath, _ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as FormatError where error.code == .invalid {
            throw Failure(.invalid, "\(path): \(error.what)", hint: .rescuing(path))
        }
    }

    private static func result(_ repair: Repair, _ worst: FormatError.Code?, _ target: BytePath) -> Phrase {
        let repaired = sizeText(repair.repairedByteCount)
        guard repair.isWritten else { return "\(target): what could be repaired: \(repaired)" }
        guard let worst else {
            return "\(target): no damage (repaired: \(repaired); tampering is not looked for without a key)"
        }
        return "\(target): \(Phrase(stringLiteral: worst.rawValue)) (repaired: \(repaired))"
    }

    private static func json(_ repair: Repair, _ worst: FormatError.Code?, _ target: BytePath) -> JSON {
        let lost = repair.lost.map { range -> JSON in ["offset": range.lowerBound, "length": range.count] }
        return JSON(
            joining: .path(target),
            [
                "class": worst?.rawValue ?? "ok", "repaired_bytes": repair.repairedByteCount, "lost": lost,
                "written": repair.isWritten,
            ])
    }
}

extension Phrase {
    /// What is left to do for a file that its parity does not make whole.
    static func rescuing(_ path: BytePath) -> Phrase {
        let file = shellWord(path.bytes)
        return
            "'qvault repair \(file) -o OUT --from COPY' takes what another copy has; 'qvault salvage \(file) -o OUT' gets out what can be read"
    }
}
