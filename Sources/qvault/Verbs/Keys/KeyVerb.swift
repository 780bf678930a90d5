import VaultCrypto
import VaultFormat
import VaultStore

extension Verb {
    static let keyList = Verb.at(
        name: "key list", summary: "the key slots: kind, cost, label and when they were made", operands: "[FILE]",
        options: [.vault, .json] + Option.use,
        example: "qvault key list -f family.qvault", note: "labels are encrypted, so it asks for a password"
    ) { path, arguments in
        let vault = try Session.open(path, arguments)
        let rows = try vault.keySlots.slots.map { number, slot in
            (number: number, slot: slot, label: slot.knownKind == nil ? nil : try vault.label(of: slot))
        }
        return try StandardOutput.list(rows, arguments) { number, slot, label in
            JSON(
                joining: [
                    "number": number, "kind": slot.kindName, "id": hexText(slot.id.bytes), "label": label?.text,
                    "created": label?.created, "recipient": try label?.recipient?.text,
                ], (slot.derivation ?? .none).numbers)
        } text: { number, slot, label in
            let kind = padded(slot.kindName.said, 22)
            // Enough of a recipient to tell it from others.
            let recipient = try label?.recipient.map { String(try $0.text.prefix(20)) + "…" }
            let cost = padded(recipient ?? slot.derivation?.text.said ?? "", 42)
            let day = label.map { timeText($0.created, local: true) } ?? "-"
            return "\(number)  \(kind)  \(cost)  \(day)  \(hexText(Array(slot.id.bytes.prefix(4))))  "
                + printable((label?.text ?? "").utf8)
        }
    }

    static let keyAdd = Verb.at(
        name: "key add", summary: "add another password, or one with a keyfile, or a recipient",
        options: [
            .vault, .label,
            Option(.recipient, value: "RECIPIENT", help: "whose identity opens the vault: what 'key identity' shows"),
            .wait, .json,
        ] + Option.derivation + Option.newSecret + Option.use,
        example: "qvault key add -f family.qvault --new-keyfile /media/stick/family.key",
        note: "opens with the present password and the keyfile together; the password alone still opens it too"
    ) { path, arguments in
        if arguments.has(.recipient) { return try addRecipient(path, arguments) }
        let derivation = try DerivationOptions(arguments).new()
        let secret = try NewSecret(arguments)
        let change = try KeyChange(path, arguments)
        let number = try change.vault.keySlots.free(path)
        try withdrawingOnFailure { written in
            let credential = try secret.credential(path, opened: change.key, derivation, written: &written)
            let label = arguments.text(.label) ?? secret.label
            try change.setSlot(
                number, for: credential, .init(derivation: derivation, label: label), saying: "added key slot \(number)"
            )
        }
        return .done
    }

    /// A slot that is made without the secret of the one who will open it.
    private static func addRecipient(_ path: BytePath, _ arguments: Arguments) throws -> ExitCode {
        if let other = (Option.derivation + Option.newSecret).map(\.name).first(where: arguments.has) {
            throw Failure(
                .usage, "\(other.word) does not go with --recipient, whose secret nobody stretches or asks for")
        }
        let recipient = try naming(BytePath("--recipient")) { try Recipient(parsing: arguments.text(.recipient) ?? "") }
        let change = try KeyChange(path, arguments)
        let number = try change.vault.keySlots.free(path)
        try change.setSlot(
            number, for: recipient, .init(label: arguments.text(.label) ?? "recipient"),
            saying: "added key slot \(number)")
        return .done
    }

    static let keyRemove = Verb.at(
        name: "key rm", summary: "take away a key slot; another one must open the vault", operands: "N|ID",
        options: [.vault, .wait, .json] + Option.use,
        example: "qvault key rm 2 -f family.qvault",
        note: "what 2 opened before, it opens no more; 'key list' shows numbers"
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
        try change.commit(transaction, number, saying: "removed key slot \(number) (\(goes))")
        KeyChange.tellOfCopies(path)
        return .done
    }
}
