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
                let created = label.map { timeText(microseconds: $0.created) }
                guard arguments.has(.json) else {
                    let kind = padded(slot.kindName.said, 22)
                    let cost = padded("\(slot.iterations)", 10, left: true)
                    let day = label.map { timeText(microseconds: $0.created, local: true) } ?? "-"
                    try out.write(
                        "\(number)  \(kind)  \(cost)  \(day)  \(hexText(Array(slot.id.bytes.prefix(4))))  "
                            + printable((label?.text ?? "").utf8) + "\n")
                    continue
                }
                let line = JSON.object([
                    ("number", .integer(Int64(number))), ("kind", .text(slot.kindName.description)),
                    ("id", .text(hexText(slot.id.bytes))), ("label", label.map { .text($0.text) } ?? .null),
                    ("iterations", .unsigned(UInt64(slot.iterations))),
                    ("created", created.map { .text($0) } ?? .null),
                ])
                try out.write(line.line + "\n")
            }
            try out.flush()
            return .done
        }
    }

    static let keyAdd = Verb(
        name: "key add", summary: "add another password, or one with a keyfile", operands: "", operandCount: 0...0,
        options: [.vault, .label, .iterations, .kdfTime, .wait] + Option.newSecret + Option.use,
        example: (
            "qvault key add -f family.qvault --new-keyfile /media/stick/family.key",
            "opens with the present password and the keyfile together; the password alone still opens it too"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let iterations = try Session.iterations(arguments) ?? Config.iterations()
            let secret = try NewSecret(arguments)
            let change = try KeyChange(path, arguments)
            let number = try change.vault.keySlots.free(path)
            try withdrawingOnFailure { written in
                let credential = try secret.credential(path, opened: change.key, iterations, written: &written)
                let label = arguments.text(Option.label.key) ?? secret.label
                let transaction = try change.begin()
                try transaction.setSlot(number, for: credential, .init(iterations: iterations, label: label))
                try Session.commit(transaction, arguments)
            }
            Messages.done("\(path): added key slot \(number)", arguments)
            return .done
        }
    }

    static let keyRemove = Verb(
        name: "key remove", summary: "take away a key slot; another one must open the vault", operands: "N|ID",
        operandCount: 1...1, options: [.vault, .wait] + Option.use,
        example: (
            "qvault key remove 2 -f family.qvault", "what 2 opened before, it opens no more; 'key list' shows numbers"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
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
            try Session.commit(transaction, arguments)
            Messages.done("\(path): removed key slot \(number) (\(goes))", arguments)
            Session.tellOfCopies(path, arguments)
            return .done
        }
    }

    static let keyRecovery = Verb(
        name: "key recovery", summary: "make a recovery key, to be printed and kept on paper", operands: "",
        operandCount: 0...0,
        options: [
            .vault, Option("-o", "--output", value: "FILE", help: "write it to this file; else to standard output"),
            Option("--qr", help: "draw it as a QR code too"),
            Option("--qr-out", value: "FILE", help: "write the QR code as a picture, .png or .svg"), .label, .wait,
        ] + Option.use,
        example: ("qvault key recovery -f family.qvault --qr", "four lines of nine characters, each with a check")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            try checkFree(["--output", "--qr-out"], arguments)
            if let picture = arguments.bytes("--qr-out") { try QRCode.check(Path(picture)) }
            let change = try KeyChange(path, arguments)
            let number = try change.vault.keySlots.free(path)
            var random = SystemRandom()
            let recovery = try RecoveryKey.random(&random)
            let sheet = try RecoverySheet.text(of: recovery, for: path)
            let code = try QRCode(RecoveryKey.text(of: recovery))
            // What is written is there before the vault opens with it; what fails leaves nothing.
            try withdrawingOnFailure { written in
                if let picture = arguments.bytes("--qr-out").map(Path.init) {
                    try code.write(to: picture)
                    written.append(picture)
                }
                var out = StandardOutput()
                if arguments.has("--output") {
                    let output = try arguments.output("key recovery", "FILE")
                    try writePrivately(sheet, to: output)
                    written.append(output)
                } else {
                    try sheet.withSpan { try out.write($0) }
                }
                if arguments.has("--qr") { try out.write(code.text) }
                try out.flush()
                let transaction = try change.begin()
                try transaction.setSlot(
                    number, for: Credential(recoveryKey: recovery.slice(0..<recovery.byteCount)),
                    .init(label: arguments.text(Option.label.key) ?? RecoverySheet.label))
                try Session.commit(transaction, arguments)
            }
            Messages.done("\(path): added key slot \(number)", arguments)
            return .done
        }
    }

    static let keyAudit = Verb(
        name: "key audit", summary: "export the key that finds tampering and cannot read", operands: "",
        operandCount: 0...0,
        options: [.vault, Option("-o", "--output", value: "FILE", help: "the file to make; only you can read it")]
            + Option.use,
        example: (
            "qvault key audit -f family.qvault -o family.audit",
            "for 'verify --audit-key' on a backup machine; a rotation makes it worthless"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        let output = try arguments.output("key audit", "FILE")
        return try withVault(path) {
            try checkFree(["--output"], arguments)
            let locked = try LockedVault(path, in: Session.world)
            let key = try Session.Key(path, arguments, asksAgain: true)
            let vault = try Session.pass(locked.open(master: key.unlock(locked)), path, arguments, isSource: false)
            try writePrivately(vault.auditKey.text(), to: output)
            Messages.done("wrote the audit key of \(path) to \(output)", arguments)
            return .done
        }
    }
}

/// A change of a vault's keys: what it takes is asked for before anybody has to wait for the lock.
struct KeyChange {
    private let path: Path
    private let arguments: Arguments
    /// What opened the vault.
    let key: Session.Key
    /// The vault as it was then.
    let vault: Vault

    init(_ path: Path, _ arguments: Arguments) throws {
        (self.path, self.arguments) = (path, arguments)
        if let label = arguments.text(Option.label.key), label.utf8.count > Limits.labelByteCount {
            throw Failure(.invalid, "a label has at most \(Limits.labelByteCount) bytes")
        }
        key = try Session.Key(path, arguments, asksAgain: true)
        let locked = try LockedVault(path, in: Session.world)
        if let obstacle = locked.obstacle { throw VaultError.readOnly(obstacle) }
        vault = try locked.open(master: key.unlock(locked))
    }

    /// Takes the lock.
    ///
    /// - Throws: `Failure` `.busy` if others changed the slots meanwhile.
    func begin() throws -> Transaction {
        let transaction = try Session.begin(path, arguments, key: key)
        guard transaction.slots == vault.keySlots else {
            throw Failure(.busy, "\(path): the key slots were changed meanwhile", hint: "try again")
        }
        return transaction
    }
}

/// What a new key slot is made for: the options of `key add` and `rekey password`.
struct NewSecret {
    private let arguments: Arguments
    private let source: PasswordSource?
    private let keyfile: Path?

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        source = try PasswordSource.givenNew(arguments)
        keyfile = arguments.bytes(Option.newKeyfile.key).map(Path.init)
        if source == nil, keyfile == nil {
            _ = try PasswordSource.orTerminal(nil, hint: "give the new password with --new-password-file")
        }
    }

    var label: String { keyfile == nil ? "password" : "password and keyfile" }

    /// The credential: a new password, with the new keyfile or `kept`; for a keyfile alone the password that opened.
    ///
    /// - Parameter written: a keyfile is added if it was made.
    func credential(
        _ path: Path, opened: Session.Key, _ iterations: UInt32, kept: [UInt8]? = nil, written: inout [Path]
    ) throws -> Credential {
        let digest = try keyfile.map { try newKeyfileDigest($0, arguments, written: &written) } ?? kept
        if source == nil, keyfile != nil, let digest, let proof = opened.proof, proof.credential.kind == .password {
            return try proof.credential.adding(keyfileDigest: digest)
        }
        let source = try PasswordSource.orTerminal(
            source, hint: "give the new password with --new-password-file")
        return try Credential(
            password: source.readNew(for: path, iterations: iterations, arguments), keyfileDigest: digest)
    }
}

extension KeySlot {
    /// Its kind in words.
    var kindName: Phrase { knownKind?.name ?? "kind \(kind), unknown to this program" }
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
    fileprivate func free(_ path: Path) throws -> Int {
        guard let number = freeNumber else {
            throw Failure(
                .refused, "\(path): all \(Limits.slotCount) key slots are in use",
                hint: "'qvault key remove' takes one away, 'qvault rekey password' replaces one")
        }
        return number
    }
}

extension Session {
    /// Says what older copies still open with, after a secret was replaced or taken away.
    static func tellOfCopies(_ path: Path, _ arguments: Arguments) {
        guard !arguments.has(.quiet) else { return }
        Messages.say(
            "note: older copies of \(path) still open with the old secret, and who has one can read what is saved later too, until 'qvault rekey rotate'"
        )
    }
}
