import VaultCrypto
import VaultFormat
import VaultStore

/// A change of a vault's keys: what it takes is asked for before anybody has to wait for the lock.
struct KeyChange {
    private let path: BytePath
    private let arguments: Arguments
    /// The key that opened the vault.
    let key: VaultSecret
    /// The vault as it was then.
    let vault: Vault

    init(_ path: BytePath, _ arguments: Arguments) throws {
        (self.path, self.arguments) = (path, arguments)
        if let label = arguments.text(.label), label.utf8.count > Limits.labelByteCount {
            throw Failure(.invalid, "a label has at most \(Limits.labelByteCount) bytes")
        }
        key = try VaultSecret(path, arguments, asksAgain: true)
        vault = try Session.reading(path) { [key] locked in
            if let obstacle = locked.obstacle { throw VaultError.readOnly(obstacle) }
            return try locked.open(master: key.unlock(locked))
        }
    }

    /// Takes the lock.
    func begin() throws -> VaultTransaction {
        let transaction = try Session.begin(path, arguments, key: key)
        guard transaction.slots == vault.keySlots else {
            throw Failure(.busy, "\(path): the key slots were changed meanwhile", hint: "try again")
        }
        return transaction
    }

    /// Gives a slot another secret, saves that, and says it.
    func setSlot(
        _ number: Int, for credential: borrowing Credential, _ request: KeySlot.Request, saying what: Phrase
    ) throws {
        let transaction = try begin()
        try transaction.setSlot(number, for: credential, request)
        try commit(transaction, number, saying: what)
    }

    /// The same for a recipient.
    func setSlot(_ number: Int, for recipient: Recipient, _ request: KeySlot.Request, saying what: Phrase) throws {
        let transaction = try begin()
        try transaction.setSlot(number, for: recipient, request)
        try commit(transaction, number, saying: what)
    }

    /// Saves the change of a slot, and says it.
    func commit(_ transaction: VaultTransaction, _ number: Int, saying what: Phrase) throws {
        let save = try Session.commit(transaction).core.sequence
        try Messages.done(
            "\(path): \(what)", arguments, json: JSON(joining: .path(path), ["save": save, "slot": number]))
    }

    /// Says what older copies still open with, after a secret was replaced or taken away.
    static func tellOfCopies(_ path: BytePath) {
        Messages.note(
            "note: older copies of \(path) still open with the old secret, and who has one can read what is saved later too, until 'qvault rekey rotate'"
        )
    }
}

/// The secret of a new key slot: the options of `key add` and `rekey password`.
struct NewSecret {
    private let source: PasswordSource?
    private let keyfile: BytePath?

    init(_ arguments: Arguments) throws {
        source = try PasswordSource.givenNew(arguments)
        keyfile = arguments.bytes(.newKeyfile).map(BytePath.init)
        if source == nil, keyfile == nil {
            _ = try PasswordSource.orTerminal(nil, hint: "give the new password with --new-password-file")
        }
    }

    var label: String { keyfile == nil ? "password" : "password and keyfile" }

    /// The credential: a new password, with the new keyfile or `kept`; for a keyfile alone the password that opened.
    ///
    /// - Parameter written: a keyfile is added if it was made.
    func credential(
        _ path: BytePath, opened: VaultSecret, _ derivation: KeyDerivation, kept: [UInt8]? = nil,
        written: inout [BytePath]
    ) throws -> Credential {
        let digest = try keyfile.map { try newKeyfileDigest($0, written: &written) } ?? kept
        if source == nil, keyfile != nil, let digest, let box = opened.box, box.value.kind == .password {
            return try box.value.adding(keyfileDigest: digest)
        }
        let source = try PasswordSource.orTerminal(source, hint: "give the new password with --new-password-file")
        return try Credential(password: source.readNew(for: path, derivation), keyfileDigest: digest)
    }
}
