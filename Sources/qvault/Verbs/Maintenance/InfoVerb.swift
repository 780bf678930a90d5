import VaultFormat
import VaultStore
import Pictures
import Watermark

extension Verb {
    static let info = Verb.at(
        name: "info", summary: "what the file says without a key, to anybody", operands: "[FILE]",
        options: [
            .vault, .json,
            Option(
                .markKey,
                help: "instead, the key that signs copies, for those who get them: it takes the vault's password"),
        ] + Option.use,
        example: "qvault info documents.qvault", note: "format, saves, key slots and their cost; nothing of the content"
    ) { path, arguments in
        if arguments.has(.markKey) { return try printMarkKey(Session.open(path, arguments), arguments) }
        let locked = try LockedVault(path, in: Machine.store)
        return try arguments.has(.json)
            ? StandardOutput.print(json(path, locked)) : StandardOutput.show(text(locked))
    }

    private static func printMarkKey(_ vault: Vault, _ arguments: Arguments) throws -> ExitCode {
        guard let seed = try vault.watermarkSeed() else {
            throw Failure(
                .notFound, "the vault has no key for copies yet", hint: "the first 'qvault share' makes it")
        }
        let publicKey = try seed.markKey().publicKey
        let fingerprint = Bytes32(try MarkKey.fingerprint(of: publicKey))
        let words = FingerprintWords.text(fingerprint)
        guard !arguments.has(.json) else {
            return try StandardOutput.print([
                "public_key": hexText(publicKey), "fingerprint": fingerprint, "fingerprint_words": words,
            ])
        }
        let rows: [(Phrase, String)] = [
            ("public key", hexText(publicKey)), ("fingerprint", hexText(fingerprint.bytes)), ("  as words", words),
        ]
        let width = rows.map { columns($0.0.said) }.max() ?? 0
        return try StandardOutput.show(rows.map { padded($0.0.said, width + 3) + $0.1 + "\n" }.joined())
    }

    private static func text(_ locked: LockedVault) throws -> String {
        let header = locked.header
        let record = try locked.record()
        let commits = try locked.commits()
        let payload = sizeText(commits.reduce(0) { $0 + $1.payloadLength })
        var rows: [(Phrase, Phrase)] = [
            ("format", header.isCopy ? "1, a backup copy" : "1"),
            ("vault id", "\(hexText(header.vaultID.bytes))"),
            ("master key", "number \(header.epoch.counter)"),
            ("newest save", "\(record.core.sequence)"),
            ("saves", "\(commits.count) in this file, \(payload) with padding"),
            ("size", "\(sizeText(locked.fileByteCount)) (\(locked.fileByteCount) bytes)"),
            ("fingerprint", "\(hexText(record.core.fingerprint.bytes))"),
            ("  as words", "\(FingerprintWords.text(record.core.fingerprint))"),
        ]
        if header.tailLength > 0 { rows.insert(("parity", "\(sizeText(header.tailLength))"), at: 6) }
        if let parity = try locked.saveParity() {
            rows.append(("parity of saves", "\(sizeText(parity.byteCount)), in saves: \(parity.saveCount)"))
        }
        if let seen = Machine.witnesses?.lastSeen(header.vaultID) { rows.append(("seen here", "save \(seen)")) }
        for warning in locked.warnings { rows.append(("warning", warning)) }
        for (number, slot) in locked.slots.slots { rows.append(("key slot \(number)", slot.costText)) }
        // A recovery key is random: nobody guesses it at whatever cost.
        let derivations = locked.slots.slots.map(\.slot).filter(\.isOfPassword).compactMap(\.derivation)
        if let most = derivations.map(Strength.guessesPerSecond).max() {
            rows.append(
                ("cost", "one graphics card tries \(Int(most)) passwords a second; 'qvault rekey' changes that"))
        }
        let width = rows.map { columns($0.0.said) }.max() ?? 0
        return rows.map { padded($0.said, width + 3) + $1.said + "\n" }.joined()
    }

    private static func json(_ path: BytePath, _ locked: LockedVault) throws -> JSON {
        let header = locked.header
        let record = try locked.record()
        let slots = locked.slots.slots.map { number, slot in
            JSON(
                joining: ["number": number, "kind": slot.knownKind?.name.description ?? "unknown"],
                (slot.derivation ?? .none).numbers)
        }
        let parity = try locked.saveParity()
        let commits = try locked.commits().map { core -> JSON in
            [
                "sequence": core.sequence, "offset": core.start, "payload_bytes": core.payloadLength,
                "fingerprint": core.fingerprint,
            ]
        }
        return JSON(
            joining: .path(path, key: "file"),
            [
                "format": 1, "copy": header.isCopy, "vault_id": header.vaultID, "epoch": header.epoch.counter,
                "sequence": record.core.sequence, "size": locked.fileByteCount, "log_end": record.core.end,
                "parity_bytes": header.tailLength, "saves_with_parity": parity?.saveCount ?? 0,
                "save_parity_bytes": parity?.byteCount ?? 0,
                "fingerprint": record.core.fingerprint,
                "fingerprint_words": FingerprintWords.text(record.core.fingerprint),
                "seen_sequence": Machine.witnesses?.lastSeen(header.vaultID), "warnings": locked.warnings,
                "slots": slots, "commits": commits,
            ])
    }
}
