import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let salvage = Verb(
        name: "salvage", summary: "get everything that can be read out of a damaged vault", operands: "FILE -o OUT",
        options: [
            Option(.output, also: "-o", value: "OUT", help: "the new, sound vault to make; - is standard output"),
            Option(.dropUnsupported, help: "leave out what only a newer qvault can read; it counts as lost"),
            .noProgress, .json,
        ] + Option.password,
        example: "qvault salvage damaged.qvault -o saved.qvault",
        note: "lists what is lost; the damaged file stays as it is"
    ) { arguments in
        let path = BytePath(arguments.operands[0])
        let target = try arguments.output("salvage", "OUT", mayStream: true)
        if !target.isStandardStream, try Machine.store.files.exists(target) {
            throw failure(for: VaultError.exists(target), vault: nil)
        }
        return try withVault(path) {
            try StreamedFile.making(target) { try salvage(path, to: $0, shownAs: target, arguments) }
        }
    }

    private static func salvage(
        _ path: BytePath, to file: BytePath, shownAs target: BytePath, _ arguments: Arguments
    ) throws -> ExitCode {
        let shown = target.isStandardStream ? BytePath("standard output") : target
        let size = try Machine.store.files.status(path).size
        let scratch = target.isStandardStream ? Machine.scratchFolder : target.parent
        let view = try Progress.showing("checked", total: 2 * size, arguments) {
            try Repair.openRepaired(path, scratch: scratch, in: Machine.store, progress: $0)
        }
        let (locked, repaired) = (view.vault, view.repairedByteCount)
        if let obstacle = view.obstacle {
            Messages.say("\(path): read without a repair, which could not be tried: \(obstacle.message)")
        }
        if repaired > 0 {
            Messages.say(
                "\(path): read as repaired from parity and redundant copies: \(sizeText(repaired)); the file is unchanged"
            )
        }
        // The slot that opens is known only where a secret is given.
        let key = try VaultSecret(path, arguments, asksAgain: true)
        let master = try key.unlock(locked)
        guard let number = key.number else { preconditionFailure("a secret opens a slot") }
        var salvage = try Salvage(locked, master: master, slot: number)
        let seen = Machine.witnesses?.lastSeen(locked.header.vaultID) ?? 0
        let seenHere = Machine.witnesses?.lastSeen(locked.header.vaultID, at: path) ?? 0
        if seenHere > salvage.newestSequence, let old = Freshness.older(seen: seenHere).message {
            Messages.say("\(path): warning: \(old)")
        }
        let vault = try Progress.showing("salvaged", total: locked.fileByteCount, arguments) {
            try salvage.write(to: file, above: seen, dropsUnsupported: arguments.has(.dropUnsupported), progress: $0)
        }
        if !target.isStandardStream { Session.placed(vault, at: target) }
        if !salvage.keepsAllSlots {
            Messages.say(
                "\(path): no commit confirms its key slots: \(shown) keeps only the slot that you opened; 'qvault key add' adds others"
            )
        }
        if arguments.has(.json) {
            try StandardOutput.print(json(salvage, target, repaired))
        } else {
            let lines = try map(locked) + salvage.losses.map(describe)
            for line in lines where target.isStandardStream { Messages.say(line) }
            if !target.isStandardStream { try StandardOutput.show(lines.map { $0.said + "\n" }.joined()) }
        }
        tell(salvage, of: path, shown)
        return salvage.losses.isEmpty && salvage.isComplete && salvage.leftOut.isEmpty ? .done : .lost
    }

    /// Says how much came out.
    private static func tell(_ salvage: borrowing Salvage, of path: BytePath, _ target: BytePath) {
        for what in salvage.leftOut { Messages.say("\(target): left out: \(what)") }
        if !salvage.isComplete {
            Messages.say(
                "\(path): pages, saves or parts of the manifest are lost: there may be losses that nothing tells of")
        }
        if salvage.foundByHeader > 0 {
            Messages.say(
                "\(path): found without the manifest: \(salvage.foundByHeader); these have the first 63 bytes of their names, no times of change, and are out of the trash"
            )
        }
        Messages.say(
            "\(target): records: \(salvage.count.records), versions: \(salvage.count.versions), lost versions: \(salvage.losses.count)"
        )
    }

    private static func json(_ salvage: borrowing Salvage, _ target: BytePath, _ repaired: UInt64) -> JSON {
        let losses = salvage.losses.map { loss in
            JSON(
                joining: .path(loss.path),
                [
                    "save": loss.sequence, "what": loss.what, "offset": loss.range.lowerBound,
                    "length": loss.range.count, "present": loss.wasPresent, "substitute": loss.substitute,
                ])
        }
        return JSON(
            joining: .path(target),
            [
                "records": salvage.count.records, "versions": salvage.count.versions, "complete": salvage.isComplete,
                "repaired_bytes": repaired,
                "keeps_all_slots": salvage.keepsAllSlots, "losses": losses,
            ])
    }

    /// The damaged ranges of the file, as far as they are found without a key.
    private static func map(_ locked: LockedVault) throws -> [Phrase] {
        do { return try locked.verify().findings.map { "  \($0.phrase)" } } catch let error as FormatError {
            return ["  \(Phrase(stringLiteral: error.code.rawValue)): \(error.what)"]
        }
    }

    private static func describe(_ loss: Salvage.Loss) -> Phrase {
        let place: Phrase = "\(loss.what), bytes \(loss.range.lowerBound)-\(loss.range.upperBound - 1)"
        guard loss.wasPresent else { return "lost: the version of save \(loss.sequence) of \(loss.path): \(place)" }
        guard let substitute = loss.substitute else { return "lost: \(loss.path): \(place)" }
        return "lost: the newest version of \(loss.path), that of save \(substitute) takes its place: \(place)"
    }
}
