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
            guard let old = change.vault.keySlots[number] else { return .failure }
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
                try Session.commit(transaction, arguments)
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
        guard wanted < old.iterations, try Session.iterations(arguments) != nil else {
            return max(wanted, old.iterations)
        }
        guard arguments.has("--lower") else {
            throw Failure(
                .refused, "the key slot costs \(old.iterations) iterations now; \(wanted) would be less",
                hint: "'qvault rekey iterations \(wanted) --lower' lowers it all the same")
        }
        return wanted
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
            try Session.commit(transaction, arguments)
            Messages.done("\(path): key slot \(opened) costs \(wanted) iterations, \(old.iterations) before", arguments)
            if !arguments.has(.quiet), wanted > old.iterations {
                Messages.say("note: older copies of \(path) can still be guessed at the old cost")
            }
            return .done
        }
    }

    static let rekeyRotate = Verb(
        name: "rekey rotate", summary: "a new master key, and everything encrypted anew", operands: "",
        operandCount: 0...0,
        options: [
            .vault,
            Option(
                "--proof", value: "FILE", help: "a file with another password or recovery key, to keep its key slot",
                repeats: true),
            Option(
                "--proof-keyfile", value: "FILE", help: "a keyfile that goes with one of these passwords", repeats: true
            ),
            Option("--drop", value: "N", help: "let this key slot go", repeats: true), .wait, .noProgress,
        ] + Option.use,
        example: (
            "qvault rekey rotate -f family.qvault --proof recovery.txt",
            "after this nobody reads what is saved from now on with an old copy and an old secret"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let proofs = try Proofs(arguments)
            let change = try KeyChange(path, arguments)
            let dropped = Set(
                try arguments.texts("--drop").map { try change.vault.keySlots.number(named: Array($0.utf8)) })
            let kept = try proofs.prove(change, dropped: dropped, path)
            let transaction = try change.begin()
            let progress = Progress("rewritten", total: transaction.before.byteCount, arguments)
            let (record, keys): (CommitRecord, Keys)
            do {
                defer { progress.finish() }
                (record, keys) = try transaction.rotate(progress: progress.update) { keys in
                    try kept.slots(keys, from: transaction)
                }
            }
            Session.witnesses?.remember(record, keys, accepts: arguments.has(.allowRollback))
            Keyring.drop(keys.vaultID)
            Messages.done(
                "\(path): a new master key; key slots kept: \(kept.count), dropped: \(dropped.count)", arguments)
            if !arguments.has(.quiet) {
                Messages.say(
                    "note: older copies of \(path) still open with the old secrets; what is saved from now on does not. Audit keys must be exported anew"
                )
            }
            return .done
        }
    }
}

/// Passwords and recovery keys that prove that a key slot can be kept through a rotation.
private struct Proofs {
    private var proofs: [(proof: Proof, file: Path)] = []
    private let isAnyCostAccepted: Bool

    init(_ arguments: Arguments) throws {
        isAnyCostAccepted = arguments.has("--accept-kdf-cost")
        let names =
            (arguments.bytes("--keyfile").map { [$0] } ?? [])
            + arguments.texts("--proof-keyfile").map { Array($0.utf8) }
        let keyfiles = try names.map { try keyfileDigest(Path($0)) }
        for file in arguments.texts("--proof") {
            let path = Path(file)
            try naming(path) {
                let text = try readSecret(fromFile: path)
                if RecoveryKey.isText(text) {
                    return proofs.append((Proof(Credential(recoveryKey: try RecoveryKey.parse(text))), path))
                }
                proofs.append((Proof(try Credential(password: text)), path))
                for keyfile in keyfiles {
                    proofs.append((Proof(try Credential(password: text, keyfileDigest: keyfile)), path))
                }
            }
        }
    }

    /// The slots that are kept, each with what opens it.
    struct Kept {
        fileprivate var proofs: [Int: Proof] = [:]
        var count: Int { proofs.count }

        /// The same slots around a new master key.
        func slots(_ keys: Keys, from transaction: Transaction) throws -> SlotArea {
            var world = Session.world
            var area = transaction.slots
            for (number, slot) in transaction.slots.slots {
                let label = slot.knownKind == nil ? nil : try transaction.before.label(of: slot)
                let request = KeySlot.Request(
                    iterations: slot.iterations, label: label?.text ?? "", created: label?.created)
                if let proof = proofs[number] {
                    area = try area.setting(number, for: proof.credential, request, keys: keys, &world)
                } else {
                    area = try area.setting(number, to: nil)
                }
            }
            return area
        }
    }

    /// Tries every proof on every slot that is not to be dropped.
    ///
    /// - Throws: `Failure` `.refused`, which names the slots without a proof.
    func prove(_ change: KeyChange, dropped: Set<Int>, _ path: Path) throws -> Kept {
        let key = change.key
        guard let opened = key.number, let first = key.proof else {
            throw Failure(.failure, "\(path): no key slot was opened")
        }
        guard !dropped.contains(opened) else {
            throw Failure(
                .refused, "\(path): key slot \(opened) is the one that opened the vault just now",
                hint: "open with another one to drop it")
        }
        var kept = Kept(proofs: [opened: first])
        var missing: [Phrase] = []
        var used: Set<Path> = []
        let open = change.vault.keySlots.slots.filter { $0.number != opened && !dropped.contains($0.number) }
        let tried = open.flatMap { item in
            proofs.filter { $0.proof.credential.kind == item.slot.knownKind }.map { _ in item.slot }
        }
        try SlotArea.checkCost(tried, acceptsAnyCost: isAnyCostAccepted)
        for (number, slot) in open {
            let proof = try proofs.first {
                try slot.open(with: $0.proof.credential, vaultID: change.vault.id) != nil
            }
            if let proof { used.insert(proof.file) }
            if let proof { kept.proofs[number] = proof.proof } else { missing.append("\(number) (\(slot.kindName))") }
        }
        if let useless = proofs.map(\.file).first(where: { !used.contains($0) }) {
            throw Failure(
                .wrongKey, "\(useless): opens no key slot that is to be proven",
                hint: "a slot that asks for a keyfile too needs --proof-keyfile")
        }
        guard missing.isEmpty else {
            throw Failure(
                .refused,
                "\(path): nothing proves that these key slots can be kept: \(missing.map(\.said).joined(separator: ", "))",
                hint:
                    "give their password or recovery key in a file, --proof FILE, a keyfile with --proof-keyfile; or let them go with --drop N"
            )
        }
        return kept
    }
}

extension KeySlot {
    fileprivate var isOfPassword: Bool { knownKind == .password || knownKind == .passwordAndKeyfile }
}
