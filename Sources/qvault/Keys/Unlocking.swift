import Glibc
import VaultCrypto
import VaultFormat
import VaultStore

/// The secret of one vault, asked for when it is needed, and once.
final class VaultSecret {
    private let path: BytePath
    private let arguments: Arguments
    private let given: PasswordSource?
    private let slot: Int?
    private let asksAgain: Bool
    /// The secret that opened it; nil if it was unlocked before.
    private(set) var box: Box<Credential>?
    /// The number of the slot that opened, 1 … 8.
    private(set) var number: Int?
    /// The master key that the slots gave, for later use.
    private var opened: OpenedSlots?

    /// True if a session is there that does not suffice.
    private var isUnlocked = false

    /// - Parameters:
    ///   - readsInput: whether data comes from standard input.
    ///   - asksAgain: a vault that was unlocked for a while does not suffice.
    init(_ path: BytePath, _ arguments: Arguments, readsInput: Bool = false, asksAgain: Bool = false) throws {
        (self.path, self.arguments, self.asksAgain) = (path, arguments, asksAgain)
        slot = try arguments.number(.slot, in: 1...Limits.slotCount)
        given = try PasswordSource.given(arguments, readsInput: readsInput)
        if readsInput,
            Self.alone.contains(where: { arguments.bytes($0).map { BytePath($0) }?.isStandardInput == true })
        {
            throw Failure.secretBesideData
        }
        let others: [OptionName] = [.slot, .keyfile, .passwordFd, .passwordFile, .passwordCommand]
        if let alone = Self.alone.first(where: arguments.has),
            let other = (others + Self.alone).first(where: { $0 != alone && arguments.has($0) })
        {
            throw Failure(.usage, "\(other.word) does not go with \(alone.word), which opens alone")
        }
    }

    /// The master key.
    func unlock(_ locked: LockedVault) throws -> Secret {
        if let master = try opened?.master(locked.slots) { return master }
        if arguments.isAgain, let master = try arguments.opened.master(path, locked.slots) { return master }
        let isAsked =
            asksAgain || given != nil || (Self.alone + [.keyfile, .slot]).contains(where: arguments.has)
        if box == nil, !isAsked, let master = Keyring.master(for: locked.header) { return master }
        if let slot, locked.slots[slot] == nil {
            throw Failure(.notFound, "\(path): no key slot \(slot)", hint: "'qvault info' shows which there are")
        }
        isUnlocked = Keyring.timeLeft(locked.header) != nil
        var book = UnlockThrottle(locked.header.vaultID, isTyped: isTyped)
        if isTyped, let refusal = try book.refusal(path) { throw refusal }
        for attempt in 1... {
            let box = try self.box ?? Box<Credential>(read())
            do {
                let master = try open(locked, with: box.value, &book)
                self.box = box
                let opened = try OpenedSlots(locked.slots, master)
                self.opened = opened
                arguments.opened.keep(opened, path)
                return master
            } catch let error as FormatError where error.code == .wrongKey {
                // The slots may have changed since it opened them.
                (self.box, number) = (nil, nil)
                let canTryAgain = try isTyped && attempt < 3 && book.pause() == nil
                guard canTryAgain else { throw explained(error, locked.slots, box.value.kind) }
                Messages.say("wrong password; tries left: \(3 - attempt)")
            }
        }
        preconditionFailure("attempts do not end")
    }

    /// Options that open without anything beside them.
    private static let alone: [OptionName] = [.recoveryKeyFile, .identityFile]

    private var isTyped: Bool { given == nil && !Self.alone.contains(where: arguments.has) }

    private func open(
        _ locked: LockedVault, with credential: borrowing Credential, _ book: inout UnlockThrottle
    ) throws -> Secret {
        let kind = credential.kind
        let isTried = locked.slots.slots.contains { $0.slot.knownKind == kind && (slot ?? $0.number) == $0.number }
        // A right secret that a script gives does not wait for somebody else's wrong ones: it is judged during a pause too.
        let isAdmitted = try !isTried || self.box != nil || book.begin()
        if !isAdmitted, isTyped, let refusal = try book.refusal(path) { throw refusal }
        do {
            let master = try locked.slots.unlock(
                with: credential, of: locked.header, number: slot, first: book.slot,
                acceptsAnyCost: arguments.has(.acceptKdfCost)
            ) { number = $0 }
            if let number { book.noteRight(number) }
            try offerUpgrade(locked.slots)
            return master
        } catch let error as FormatError where error.code == .wrongKey {
            if !isAdmitted, let refusal = try book.refusal(path) { throw refusal }
            throw error
        }
    }

    private func read() throws -> Credential {
        if let file = arguments.bytes(.recoveryKeyFile) {
            return try naming(BytePath(file)) {
                Credential(recoveryKey: try RecoveryKey.parse(readSecret(fromFile: BytePath(file))))
            }
        }
        if let file = arguments.bytes(.identityFile) {
            return try naming(BytePath(file)) { try Credential(identity: readIdentity(fromFile: BytePath(file))) }
        }
        let keyfile = try arguments.bytes(.keyfile).map { try keyfileDigest(BytePath($0)) }
        let hint: Phrase? =
            isUnlocked
            ? "a vault that is unlocked for a while does not suffice here: give the password with --password-file" : nil
        let source = try PasswordSource.orTerminal(given, hint: hint)
        guard !source.isTerminal else {
            return try Terminal.askCredential("password for \(path): ", keyfileDigest: keyfile)
        }
        return try Credential(password: source.read(for: path), keyfileDigest: keyfile)
    }

    private func explained(_ error: FormatError, _ slots: SlotArea, _ kind: Credential.Kind) -> any Error {
        let wantsKeyfile = slots.slots.contains { $0.slot.knownKind == .passwordAndKeyfile }
        guard kind == .password, wantsKeyfile else { return error }
        return Failure(
            .wrongKey, "\(path): wrong password: \(error.what)",
            hint: "a key slot of this vault wants a keyfile beside the password: --keyfile")
    }

    /// Tells a person at a terminal that a slot costs less than the configuration wants.
    private func offerUpgrade(_ slots: SlotArea) throws {
        guard let number, let slot = slots[number], slot.isOfPassword, Messages.isRead else { return }
        let wanted = try Config.iterations()
        guard let iterations = slot.iterations, iterations < wanted else { return }
        Messages.hint(
            "key slot \(number) costs \(iterations) iterations, and the configuration wants \(wanted): 'qvault rekey iterations \(wanted) -f \(path)' raises it"
        )
    }
}
