import VaultCrypto
import VaultFormat
import VaultStore

extension Option {
    /// For verbs that make a new master key.
    static let slotCredentials = [
        Option(
            .slotSecretFile, value: "FILE", help: "a file with another password or recovery key, to keep its key slot",
            repeats: true),
        Option(.slotKeyfile, value: "FILE", help: "a keyfile that goes with one of these passwords", repeats: true),
        Option(.drop, value: "N", help: "let this key slot go", repeats: true),
    ]
}

/// Passwords and recovery keys that prove that key slots can be kept when they are to wrap a new master key.
struct SlotCredentials {
    private var boxes: [(box: Box<Credential>, file: BytePath)] = []
    private let isAnyCostAccepted: Bool

    init(_ arguments: Arguments) throws {
        isAnyCostAccepted = arguments.has(.acceptKdfCost)
        let names = arguments.all(.keyfile) + arguments.all(.slotKeyfile)
        let keyfiles = try names.map { try keyfileDigest(BytePath($0)) }
        for file in arguments.all(.slotSecretFile) {
            let path = BytePath(file)
            try naming(path) {
                let text = try readSecret(fromFile: path)
                if RecoveryKey.isText(text) {
                    return boxes.append((Box<Credential>(Credential(recoveryKey: try RecoveryKey.parse(text))), path))
                }
                boxes.append((Box<Credential>(try Credential(password: text)), path))
                for keyfile in keyfiles {
                    boxes.append((Box<Credential>(try Credential(password: text, keyfileDigest: keyfile)), path))
                }
            }
        }
    }

    /// The slots that are kept, each with what opens it.
    struct Kept {
        fileprivate var boxes: [Int: Box<Credential>] = [:]
        /// Slots of recipients, which are wrapped anew without anybody's secret.
        fileprivate var recipients: Set<Int> = []
        /// The number of slots that are kept.
        var count: Int { boxes.count + recipients.count }
        /// The number of slots that are dropped.
        fileprivate(set) var dropped = 0

        /// The same slots around a new master key.
        func slots(_ keys: Keys, of vault: Vault) throws -> SlotArea {
            var environment = Machine.store
            var area = vault.keySlots
            for (number, slot) in vault.keySlots.slots {
                let label = slot.knownKind == nil ? nil : try vault.label(of: slot)
                let request = KeySlot.Request(
                    derivation: slot.derivation ?? .standard, label: label?.text ?? "", created: label?.created)
                if recipients.contains(number), let recipient = label?.recipient {
                    area = try area.setting(number, for: recipient, request, keys: keys, &environment)
                } else if let box = boxes[number] {
                    area = try area.setting(number, for: box.value, request, keys: keys, &environment)
                } else {
                    area = area.setting(number, to: nil)
                }
            }
            return area
        }
    }

    /// Tries every credential on every slot that is not to be dropped; a person at a terminal is asked for what is missing.
    func keep(_ key: VaultSecret, _ vault: Vault, _ arguments: Arguments, _ path: BytePath) throws -> Kept {
        guard let opened = key.number, let first = key.box else {
            throw Failure(.failure, "\(path): no key slot was opened")
        }
        let dropped = Set(try arguments.texts(.drop).map { try vault.keySlots.number(named: Array($0.utf8)) })
        guard !dropped.contains(opened) else {
            throw Failure(
                .refused, "\(path): key slot \(opened) is the one that opened the vault just now",
                hint: "open with another one to drop it")
        }
        var kept = Kept(dropped: dropped.count)
        if first.value.kind != .identity { kept.boxes[opened] = first }
        let others = vault.keySlots.slots.filter { !dropped.contains($0.number) }
        let recipients = others.filter { $0.slot.knownKind == .identity }
        let open = others.filter { $0.number != opened && $0.slot.knownKind != .identity }
        try keep(open, of: vault, &kept)
        let missing = open.filter { kept.boxes[$0.number] == nil }
        guard missing.isEmpty || Terminal.isPresent else {
            let names = try missing.map { try Self.name($0, in: vault).said }
            throw Failure(
                .refused, "\(path): nothing proves that these key slots can be kept: \(names.listed)",
                hint:
                    "give their password or recovery key in a file, --slot-secret-file FILE, a keyfile with --slot-keyfile; or let them go with --drop N"
            )
        }
        for item in recipients {
            let isOpened = item.number == opened
            if try isOpened || isRecipientKept(item, vault, path, arguments) {
                kept.recipients.insert(item.number)
            } else {
                kept.dropped += 1
            }
        }
        for (number, slot) in missing {
            kept.boxes[number] = try ask(number, slot, vault, path)
            if kept.boxes[number] == nil { kept.dropped += 1 }
        }
        return kept
    }

    /// Names a slot that stays without a secret. Whoever had the master key may have made it, or changed whose it is: a person at
    /// a terminal says whether it stays.
    private func isRecipientKept(
        _ item: (number: Int, slot: KeySlot), _ vault: Vault, _ path: BytePath, _ arguments: Arguments
    ) throws -> Bool {
        let (name, recipient) = (try Self.name(item, in: vault), try vault.label(of: item.slot).recipient?.text ?? "")
        if Terminal.isPresent, !arguments.has(.yes) {
            return try Terminal.confirm("keep key slot \(name) of \(recipient)?", standard: true)
        }
        Messages.say(
            "\(path): key slot \(name) stays without a secret, for the identity of \(recipient); --drop \(item.number) lets it go"
        )
        return true
    }

    private func keep(_ open: [(number: Int, slot: KeySlot)], of vault: Vault, _ kept: inout Kept) throws {
        let tried = open.flatMap { item in
            boxes.filter { $0.box.value.kind == item.slot.knownKind }.map { _ in item.slot }
        }
        try SlotArea.checkCost(tried, acceptsAnyCost: isAnyCostAccepted)
        var used: Set<BytePath> = []
        for (number, slot) in open {
            let box = try boxes.first { try slot.opens(with: $0.box.value, in: vault) }
            guard let box else { continue }
            used.insert(box.file)
            kept.boxes[number] = box.box
        }
        if let useless = boxes.map(\.file).first(where: { !used.contains($0) }) {
            throw Failure(
                .wrongKey, "\(useless): opens no key slot that is to be proven",
                hint: "a slot that asks for a keyfile too needs --slot-keyfile")
        }
    }

    /// The number, kind and label of a slot, as a person knows it.
    private static func name(_ item: (number: Int, slot: KeySlot), in vault: Vault) throws -> Phrase {
        let label = item.slot.knownKind == nil ? "" : try vault.label(of: item.slot).text
        return "\(item.number) (\(item.slot.kindName), '\(printable(label.utf8))')"
    }

    /// Asks the person for the secret of a slot; nil if the slot is to be dropped.
    private func ask(_ number: Int, _ slot: KeySlot, _ vault: Vault, _ path: BytePath) throws -> Box<Credential>? {
        let name = try Self.name((number, slot), in: vault)
        // A device key is nothing that is typed, and of an unknown kind nobody knows what it asks for.
        let isTyped = slot.isOfPassword || slot.knownKind == .recoveryKey
        let question: Phrase =
            isTyped ? "keep key slot \(name)? [Y/n] " : "key slot \(name) cannot be kept. Let it go? [y/N] "
        let isYes = try Terminal.ask(question).lowercased().first.map { $0 == "y" } ?? isTyped
        guard isTyped else {
            guard isYes else { throw Failure(.refused, "\(path): not rotated") }
            return nil
        }
        guard isYes else { return nil }
        try SlotArea.checkCost([slot], acceptsAnyCost: isAnyCostAccepted)
        for attempt in 1... {
            var digest: [UInt8]?
            if slot.knownKind == .passwordAndKeyfile {
                digest = try keyfileDigest(BytePath(Array(Terminal.ask("its keyfile: ").utf8)))
            }
            let box = Box<Credential>(
                try Terminal.askCredential("its password or recovery key: ", keyfileDigest: digest))
            if try slot.opens(with: box.value, in: vault) { return box }
            guard attempt < 3 else { throw Failure(.wrongKey, "\(path): that does not open key slot \(number)") }
            Messages.say("that does not open key slot \(number)")
        }
        preconditionFailure("attempts do not end")
    }
}
