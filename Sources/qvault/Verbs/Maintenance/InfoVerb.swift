import VaultFormat
import VaultStore

extension Verb {
    static let info = Verb(
        name: "info", summary: "what the file says without a key, to anybody", operands: "[FILE]", operandCount: 0...1,
        options: [.vault, .json],
        example: ("qvault info documents.qvault", "format, saves, key slots and their cost; nothing of the content")
    ) { arguments in
        let path = try Session.vaultPath(arguments, operand: arguments.operands.first)
        return try withVault(path) {
            let locked = try LockedVault(path, in: Machine.store)
            var out = StandardOutput()
            try out.write(arguments.has(.json) ? try json(path, locked).line + "\n" : try text(locked))
            try out.flush()
            return .done
        }
    }

    /// OWASP Password Storage Cheat Sheet, 2023, for PBKDF2-HMAC-SHA256.
    private static let recommended: UInt32 = 600_000

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
            ("  as words", "\(Fingerprint.words(record.core.fingerprint))"),
        ]
        if let seen = Machine.witnesses?.lastSeen(header.vaultID) { rows.append(("seen here", "save \(seen)")) }
        for warning in locked.warnings { rows.append(("warning", warning)) }
        for (number, slot) in locked.slots.slots {
            rows.append(("key slot \(number)", slot.costText))
        }
        // A recovery key is random: nobody guesses it at whatever cost.
        let iterations = locked.slots.slots.map(\.slot).filter(\.isOfPassword).compactMap(\.iterations)
        if let least = iterations.min() {
            rows.append(
                (
                    "cost",
                    least < recommended
                        ? "below the \(recommended) iterations that OWASP recommends for PBKDF2-HMAC-SHA256: 'qvault rekey iterations \(recommended)' raises a password's"
                        : "at least the \(recommended) iterations that OWASP recommends for PBKDF2-HMAC-SHA256"
                ))
        }
        let width = rows.map { columns($0.0.said) }.max() ?? 0
        return rows.map { padded($0.said, width + 3) + $1.said + "\n" }.joined()
    }

    private static func json(_ path: BytePath, _ locked: LockedVault) throws -> JSON {
        let header = locked.header
        let record = try locked.record()
        let slots = locked.slots.slots.map { number, slot in
            JSON.object(
                [
                    ("number", .integer(Int64(number))), ("kind", .text(slot.knownKind?.name.description ?? "unknown")),
                ] + (slot.derivation ?? .none).json)
        }
        let commits = try locked.commits().map { core in
            JSON.object([
                ("sequence", .unsigned(core.sequence)), ("offset", .unsigned(core.start)),
                ("payload_bytes", .unsigned(core.payloadLength)),
                ("fingerprint", .text(hexText(core.fingerprint.bytes))),
            ])
        }
        return .object(
            JSON.path(path, key: "file") + [
                ("format", .integer(1)), ("copy", .bool(header.isCopy)),
                ("vault_id", .text(hexText(header.vaultID.bytes))),
                ("epoch", .unsigned(header.epoch.counter)), ("sequence", .unsigned(record.core.sequence)),
                ("size", .unsigned(locked.fileByteCount)), ("log_end", .unsigned(record.core.end)),
                ("fingerprint", .text(hexText(record.core.fingerprint.bytes))),
                ("fingerprint_words", .text(Fingerprint.words(record.core.fingerprint))),
                ("seen_sequence", Machine.witnesses?.lastSeen(header.vaultID).map { .unsigned($0) } ?? .null),
                ("warnings", .list(locked.warnings.map { .text($0.description) })), ("slots", .list(slots)),
                ("commits", .list(commits)),
            ])
    }
}
