import VaultCrypto
import VaultFormat
import VaultStore

extension Verb {
    static let keyList = Verb(
        name: "key list", summary: "the key slots: kind, cost, label and when they were made", operands: "[FILE]",
        operandCount: 0...1, options: [.vault, .json] + Option.use,
        example: ("qvault key list -f family.qvault", "labels are encrypted, so it asks for a password")
    ) { arguments in
        let path = try Session.vaultPath(arguments, operand: arguments.operands.first)
        return try withVault(path) {
            let vault = try Session.open(path, arguments)
            var out = StandardOutput()
            for (number, slot) in vault.keySlots.slots {
                let label = slot.knownKind == nil ? nil : try vault.label(of: slot)
                let created = label.map { timeText($0.created) }
                guard arguments.has(.json) else {
                    let kind = padded(slot.kindName.said, 22)
                    let cost = padded(slot.derivation?.text.said ?? "", 42)
                    let day = label.map { timeText($0.created, local: true) } ?? "-"
                    try out.write(
                        "\(number)  \(kind)  \(cost)  \(day)  \(hexText(Array(slot.id.bytes.prefix(4))))  "
                            + printable((label?.text ?? "").utf8) + "\n")
                    continue
                }
                let head: [(String, JSON)] = [
                    ("number", .integer(Int64(number))), ("kind", .text(slot.kindName.description)),
                    ("id", .text(hexText(slot.id.bytes))), ("label", label.map { .text($0.text) } ?? .null),
                    ("created", created.map { .text($0) } ?? .null),
                ]
                let line = JSON.object(head + (slot.derivation ?? .none).json)
                try out.write(line.line + "\n")
            }
            try out.flush()
            return .done
        }
    }

    static let keyAdd = Verb.at(
        name: "key add", summary: "add another password, or one with a keyfile", operands: "", operandCount: 0...0,
        options: [.vault, .label, .wait] + Option.derivation + Option.newSecret + Option.use,
        example: (
            "qvault key add -f family.qvault --new-keyfile /media/stick/family.key",
            "opens with the present password and the keyfile together; the password alone still opens it too"
        )
    ) { path, arguments in
        let derivation = try DerivationOptions(arguments).new()
        let secret = try NewSecret(arguments)
        let change = try KeyChange(path, arguments)
        let number = try change.vault.keySlots.free(path)
        try withdrawingOnFailure { written in
            let credential = try secret.credential(path, opened: change.key, derivation, written: &written)
            let label = arguments.text(.label) ?? secret.label
            let transaction = try change.begin()
            try transaction.setSlot(number, for: credential, .init(derivation: derivation, label: label))
            try Session.commit(transaction)
        }
        Messages.done("\(path): added key slot \(number)", arguments)
        return .done
    }

    static let keyRemove = Verb.at(
        name: "key rm", summary: "take away a key slot; another one must open the vault", operands: "N|ID",
        operandCount: 1...1, options: [.vault, .wait] + Option.use,
        example: (
            "qvault key rm 2 -f family.qvault", "what 2 opened before, it opens no more; 'key list' shows numbers"
        )
    ) { path, arguments in
        let change = try KeyChange(path, arguments)
        let slots = change.vault.keySlots
        let number = try slots.number(named: arguments.operands[0])
        guard let opened = change.key.number, number != opened else {
            throw Failure(
                .refused, "\(path): key slot \(number) is the one that opened the vault just now",
                hint: slots.slots.count == 1
                    ? "it is the last one: 'qvault key add' makes another, 'qvault rekey password' replaces it"
                    : "open with another one to prove that it works: --slot, --recovery-key-file or --keyfile")
        }
        let goes = slots[number]?.kindName ?? ""
        let transaction = try change.begin()
        try transaction.removeSlot(number, besides: opened)
        try Session.commit(transaction)
        Messages.done("\(path): removed key slot \(number) (\(goes))", arguments)
        KeyChange.tellOfCopies(path, arguments)
        return .done
    }
}

extension KeySlot {
    /// True if a password opens it, with a keyfile or without.
    var isOfPassword: Bool { knownKind == .password || knownKind == .passwordAndKeyfile }

    /// Its kind in words.
    var kindName: Phrase { knownKind?.name ?? "made by a newer program (kind \(kind))" }
}

extension SlotArea {
    /// The slot that a number 1 … 8, or the beginning of an id, means.
    ///
    /// - Throws: `Failure` `.notFound`.
    func number(named text: [UInt8]) throws -> Int {
        let text = String(decoding: text, as: UTF8.self)
        if let number = Int(text), self[number] != nil { return number }
        let found = slots.filter { text.utf8.count >= 4 && hexText($0.slot.id.bytes).hasPrefix(text) }
        guard found.count == 1 else {
            throw Failure(
                .notFound, "no key slot '\(printable(text.utf8))'", hint: "'qvault key list' shows their numbers")
        }
        return found[0].number
    }
}

extension SlotArea {
    func free(_ path: BytePath) throws -> Int {
        guard let number = freeNumber else {
            throw Failure(
                .refused, "\(path): all \(Limits.slotCount) key slots are in use",
                hint: "'qvault key rm' takes one away, 'qvault rekey password' replaces one")
        }
        return number
    }
}
