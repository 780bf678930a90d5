import VaultCrypto
import VaultFormat
import VaultStore

extension Verb {
    static let rekeyPassword = Verb(
        name: "rekey password", summary: "replace a password; nothing is encrypted anew", operands: "",
        operandCount: 0...0,
        options: [
            .vault, Option("--replace", value: "N", help: "replace this key slot; else the one that opens"),
            Option("--without-keyfile", help: "the new password opens alone, where the old one wanted a keyfile"),
            .iterations, .kdfTime, .label, .wait,
        ] + Option.newSecret + Option.use,
        example: (
            "qvault rekey password -f family.qvault",
            "asks for the old and the new; a forgotten one: --recovery-key-file"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        if arguments.has("--without-keyfile"), arguments.has(Option.newKeyfile) {
            throw Failure(.usage, "rekey password: --without-keyfile or --new-keyfile, not both")
        }
        return try withVault(path) {
            let secret = try NewSecret(arguments)
            let change = try KeyChange(path, arguments)
            let number = try slotToReplace(change, arguments)
            guard let old = change.vault.keySlots[number] else { preconditionFailure("a slot that was just found") }
            let label = try change.vault.label(of: old)
            let wanted = try Session.iterations(arguments) ?? Config.iterations()
            let iterations = try notLowered(wanted, from: old, arguments)
            let kept = try keptKeyfile(old, isOpened: number == change.key.number, arguments)
            try withdrawingOnFailure { written in
                let credential = try secret.credential(
                    path, opened: change.key, iterations, kept: kept, written: &written)
                // A label that says the kind follows it; a person's own stays.
                let isOwn = !["password", "password and keyfile"].contains(label.text)
                let kind = credential.kind == .password ? "password" : "password and keyfile"
                let text = arguments.text(Option.label.key) ?? (isOwn ? label.text : kind)
                let transaction = try change.begin()
                try transaction.setSlot(number, for: credential, .init(iterations: iterations, label: text))
                try Session.commit(transaction)
            }
            Messages.done("\(path): key slot \(number) has a new password", arguments)
            Session.tellOfCopies(path, arguments)
            return .done
        }
    }

    /// The slot that was opened; with a recovery key the one slot of a password.
    private static func slotToReplace(_ change: KeyChange, _ arguments: Arguments) throws -> Int {
        let (slots, key) = (change.vault.keySlots, change.key)
        if let wanted = arguments.bytes("--replace") {
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
                "which password is to be replaced? key slots: \(passwords.map(String.init).joined(separator: ", "))",
                hint: "--replace N; 'qvault key add' adds one")
        }
        return number
    }

    /// The digest of the keyfile that the old slot asked for: a factor never goes by accident.
    private static func keptKeyfile(_ old: KeySlot, isOpened: Bool, _ arguments: Arguments) throws -> [UInt8]? {
        guard old.knownKind == .passwordAndKeyfile, !arguments.has("--without-keyfile") else { return nil }
        if isOpened, let keyfile = arguments.bytes("--keyfile") { return try keyfileDigest(Path(keyfile)) }
        guard arguments.has(Option.newKeyfile) else {
            throw Failure(
                .refused, "the old password goes with a keyfile",
                hint: "give it with --keyfile or another with --new-keyfile; --without-keyfile drops it")
        }
        return nil
    }

    /// - Throws: `Failure` `.refused`: what guessing costs is never lowered in passing.
    private static func notLowered(_ wanted: UInt32, from old: KeySlot, _ arguments: Arguments) throws -> UInt32 {
        if let asked = try Session.iterations(arguments), asked < old.iterations {
            throw Failure(
                .refused, "the key slot costs \(old.iterations) iterations now; \(asked) would be less",
                hint: "'qvault rekey iterations \(asked) --lower' lowers it all the same")
        }
        return max(wanted, old.iterations)
    }

    static let rekeyIterations = Verb(
        name: "rekey iterations", summary: "make guessing the password that opens cost more", operands: "[N]",
        operandCount: 0...1,
        options: [
            .vault, .kdfTime, Option("--lower", help: "also where that makes guessing cheaper"), .wait,
        ] + Option.use,
        example: ("qvault rekey iterations 600000 -f family.qvault", "unlocking takes six times as long as with 100000")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        let text = arguments.operands.first.map { String(decoding: $0, as: UTF8.self) }
        guard (text == nil) == arguments.has(Option.kdfTime) else {
            throw Failure(.usage, "rekey iterations: give a number, or --kdf-time")
        }
        let number = try text.map { text -> UInt32 in
            guard let number = Int(text), 1...Int(Limits.iterationsWithoutConsent) ~= number else {
                throw Failure(
                    .usage,
                    "rekey iterations takes a whole number from \(Limits.minimumIterations) to \(Limits.iterationsWithoutConsent)"
                )
            }
            return try Session.enough(number)
        }
        return try withVault(path) {
            let change = try KeyChange(path, arguments)
            let key = change.key
            guard let opened = key.number, let old = change.vault.keySlots[opened],
                old.knownKind?.usesPBKDF2 == true, let proof = key.proof
            else { throw Failure(.refused, "\(path): what opened the vault has no iterations") }
            let wanted = try number ?? Session.iterations(taking: arguments.text(Option.kdfTime.key) ?? "")
            guard wanted != old.iterations else {
                throw Failure(.refused, "\(path): the key slot costs \(wanted) iterations already")
            }
            guard wanted > old.iterations || arguments.has("--lower") else {
                throw Failure(
                    .refused,
                    "\(path): the key slot costs \(old.iterations) iterations now; \(wanted) would not be more",
                    hint: "--lower lowers it all the same")
            }
            let label = try change.vault.label(of: old)
            let transaction = try change.begin()
            try transaction.setSlot(
                opened, for: proof.credential, .init(iterations: wanted, label: label.text, created: label.created))
            try Session.commit(transaction)
            Messages.done("\(path): key slot \(opened) costs \(wanted) iterations, \(old.iterations) before", arguments)
            if !arguments.has(.quiet), wanted > old.iterations {
                Messages.say("note: older copies of \(path) can still be guessed at the old cost")
            }
            return .done
        }
    }
}
