import VaultCrypto
import VaultFormat
import VaultStore

extension Verb {
    static let rekeyPassword = Verb.at(
        name: "rekey password", summary: "replace a password; nothing is encrypted anew",
        options: [
            .vault, Option(.replace, value: "N", help: "replace this key slot; else the one that opens"),
            Option(.withoutKeyfile, help: "the new password opens alone, where the old one wanted a keyfile"), .label,
            .wait, .json,
        ] + Option.derivation + Option.newSecret + Option.use,
        example: "qvault rekey password -f family.qvault",
        note: "asks for the old and the new; a forgotten one: --recovery-key-file"
    ) { path, arguments in
        if arguments.has(.withoutKeyfile), arguments.has(.newKeyfile) {
            throw Failure(.usage, "rekey password: --without-keyfile or --new-keyfile, not both")
        }
        let secret = try NewSecret(arguments)
        let change = try KeyChange(path, arguments)
        let number = try slotToReplace(change, arguments)
        guard let old = change.vault.keySlots[number] else { preconditionFailure("a slot that was just found") }
        let label = try change.vault.label(of: old)
        let derivation = try notLowered(from: old.derivation ?? .none, arguments)
        let kept = try keptKeyfile(old, isOpened: number == change.key.number, arguments)
        try withdrawingOnFailure { written in
            let credential = try secret.credential(path, opened: change.key, derivation, kept: kept, written: &written)
            // A label that says the kind follows it; a person's own stays.
            let isOwn = !["password", "password and keyfile"].contains(label.text)
            let kind = credential.kind == .password ? "password" : "password and keyfile"
            let text = arguments.text(.label) ?? (isOwn ? label.text : kind)
            try change.setSlot(
                number, for: credential, .init(derivation: derivation, label: text),
                saying: "key slot \(number) has a new password")
        }
        KeyChange.tellOfCopies(path)
        return .done
    }

    /// The slot that was opened; with a recovery key the one slot of a password.
    private static func slotToReplace(_ change: KeyChange, _ arguments: Arguments) throws -> Int {
        let (slots, key) = (change.vault.keySlots, change.key)
        if let wanted = arguments.bytes(.replace) {
            let number = try slots.number(named: wanted)
            guard slots[number]?.isOfPassword == true else {
                throw Failure(.invalid, "key slot \(number) is not one of a password")
            }
            return number
        }
        if let number = key.number, slots[number]?.isOfPassword == true { return number }
        let passwords = slots.slots.filter { $0.slot.isOfPassword }.map(\.number)
        guard passwords.count == 1, let number = passwords.first else {
            throw Failure(
                .usage,
                "which password is to be replaced? key slots: \(passwords.map(String.init).listed)",
                hint: "--replace N; 'qvault key add' adds one")
        }
        return number
    }

    /// The digest of the keyfile that the old slot asked for: a factor never goes by accident.
    private static func keptKeyfile(_ old: KeySlot, isOpened: Bool, _ arguments: Arguments) throws -> [UInt8]? {
        guard old.knownKind == .passwordAndKeyfile, !arguments.has(.withoutKeyfile) else { return nil }
        if isOpened, let keyfile = arguments.bytes(.keyfile) { return try keyfileDigest(BytePath(keyfile)) }
        guard arguments.has(.newKeyfile) else {
            throw Failure(
                .refused, "the old password goes with a keyfile",
                hint: "give it with --keyfile or another with --new-keyfile; --without-keyfile drops it")
        }
        return nil
    }

    /// The derivation asked for, else the old one or the configured one, if that costs more.
    ///
    /// - Throws: `Failure` `.refused`: what guessing costs is never lowered in passing.
    private static func notLowered(from old: KeyDerivation, _ arguments: Arguments) throws -> KeyDerivation {
        let options = try DerivationOptions(arguments)
        guard let asked = try options.asked(like: old) else {
            let configured = try options.configured()
            return configured.isBelow(old) ? old : configured
        }
        guard !asked.isBelow(old) else {
            throw Failure(
                .refused, "the key slot costs more now (\(old.text)) than that (\(asked.text))",
                hint: "'qvault rekey iterations' with --lower lowers it all the same")
        }
        return asked
    }

    static let rekeyIterations = Verb.at(
        name: "rekey iterations", summary: "make guessing the password that opens cost more", operands: "[N]",
        options: [.vault, .kdf, .kdfTime, Option(.lower, help: "also where that makes guessing cheaper"), .wait, .json]
            + Option.use,
        example: "qvault rekey iterations 600000 -f family.qvault",
        note: "unlocking takes six times as long as with 100000"
    ) { path, arguments in
        let options = try DerivationOptions(arguments)
        let number = try arguments.operands.first.map { try iterations(String(decoding: $0, as: UTF8.self)) }
        guard (number == nil) == (arguments.has(.kdfTime) || arguments.has(.kdf)) else {
            throw Failure(.usage, "rekey iterations: give a number, or --kdf, or --kdf-time")
        }
        let change = try KeyChange(path, arguments)
        let key = change.key
        guard let opened = key.number, let slot = change.vault.keySlots[opened], let old = slot.derivation,
            old != .none, let box = key.box, let wanted = try number ?? options.asked(like: old)
        else { throw Failure(.refused, "\(path): what opened the vault has no iterations") }
        guard wanted != old else { throw Failure(.refused, "\(path): the key slot costs that already (\(old.text))") }
        guard !wanted.isBelow(old) || arguments.has(.lower) else {
            throw Failure(
                .refused, "\(path): the key slot costs more now (\(old.text)) than that (\(wanted.text))",
                hint: "--lower lowers it all the same")
        }
        let label = try change.vault.label(of: slot)
        try change.setSlot(
            opened, for: box.value, .init(derivation: wanted, label: label.text, created: label.created),
            saying: "key slot \(opened): \(wanted.text); before: \(old.text)")
        if old.isBelow(wanted) { Messages.note("note: older copies of \(path) can still be guessed at the old cost") }
        return .done
    }

    private static func iterations(_ text: String) throws -> KeyDerivation {
        guard let number = Int(text), 1...Int(Limits.iterationsWithoutConsent) ~= number else {
            throw Failure(
                .usage,
                "rekey iterations takes a whole number from \(Limits.minimumIterations) to \(Limits.iterationsWithoutConsent)"
            )
        }
        return try DerivationOptions.pbkdf2(number)
    }
}
