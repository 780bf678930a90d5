import Cards
import Glibc
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore

/// Functions that verbs share: the vault's path, its key, and the names of records.
enum Session {
    /// The vault that a verb works on: an operand, the option, the environment, or the default.
    static func vaultPath(_ arguments: Arguments, operand: [UInt8]? = nil) throws -> BytePath {
        let option = arguments.bytes(.vault)
        if operand != nil, option != nil { throw Failure(.usage, "name the vault as an operand or with -f, not both") }
        if let named = operand ?? option ?? environment(bytes: "QVAULT_FILE") { return BytePath(named) }
        let folder = Machine.folder("XDG_DATA_HOME", else: ".local/share") ?? BytePath("/.local/share/quickvault")
        return folder.appending(Array("default.qvault".utf8))
    }

    /// Reads a vault, and reads it again if its file is replaced meanwhile (by a rotation, compaction or restore).
    ///
    /// - Throws: `VaultError.replaced` after ten times; what `body` throws.
    static func reading<R>(_ path: BytePath, _ body: (LockedVault) throws -> R) throws -> R {
        var attempt = 1
        var pause = 10
        while true {
            let locked = try LockedVault(path, in: Machine.store)
            do { return try body(locked) } catch let error where isOfReplacement(error) && locked.isReplaced {
                guard attempt < 10 else { throw VaultError.replaced }
                attempt += 1
            } catch VaultError.rollback where pause <= 80 {
                // A program that restores a vault gives it its name first, and remembers it right after.
                Machine.store.pause(pause)
                pause *= 2
            }
        }
    }

    /// True if an error may come from reading a replaced file.
    private static func isOfReplacement(_ error: any Error) -> Bool {
        switch error {
        case VaultError.replaced, VaultError.rollback: true
        case let error as FormatError: ![.refused, .invalid].contains(error.code)
        default: false
        }
    }

    /// Opens a vault for reading and passes on its warnings.
    ///
    /// - Parameters:
    ///   - isSource: only to get at what is in it, however old it is.
    ///   - asksAgain: a vault that was unlocked for a while does not suffice.
    static func open(
        _ path: BytePath, _ arguments: Arguments, isSource: Bool = false, asksAgain: Bool = false
    ) throws -> Vault {
        try open(path, VaultSecret(path, arguments, asksAgain: asksAgain), arguments, isSource: isSource)
    }

    /// The same with a key that is at hand.
    static func open(
        _ path: BytePath, _ key: VaultSecret, _ arguments: Arguments, isSource: Bool = false
    ) throws -> Vault {
        try reading(path) { locked in
            try pass(locked.open(master: key.unlock(locked)), path, arguments, isSource: isSource)
        }
    }

    /// Opens another vault to read from; a copy of the same one needs no password of its own.
    static func openOther(_ path: BytePath, beside vault: Vault, _ arguments: Arguments) throws -> Vault {
        try withVault(path) {
            let key = try VaultSecret(path, arguments)
            return try reading(path) { locked in
                let other = try locked.open(like: vault) ?? locked.open(master: key.unlock(locked))
                return try pass(other, path, arguments, isSource: true, isCopy: other.id == vault.id)
            }
        }
    }

    /// Opens another vault to read from, if it is none that the keys of the one at `vault` open; else nil.
    static func openUnrelated(_ path: BytePath, to vault: BytePath, _ arguments: Arguments) throws -> Vault? {
        let mine = try LockedVault(vault, in: Machine.store).header
        return try withVault(path) {
            let theirs = try LockedVault(path, in: Machine.store).header
            guard theirs.vaultID != mine.vaultID || theirs.epoch != mine.epoch else { return nil }
            return try open(path, arguments, isSource: true)
        }
    }

    /// Passes on a vault's warnings, and holds it against what this machine has seen.
    ///
    /// - Parameter isCopy: it is a copy beside another one that is open: that it has another history is no news.
    static func pass(
        _ vault: Vault, _ path: BytePath, _ arguments: Arguments, isSource: Bool, isCopy: Bool = false
    ) throws -> Vault {
        if !isSource { try admit(vault, path, arguments) }
        for warning in vault.warnings { Messages.say("\(path): warning: \(warning)") }
        if Machine.witnesses?.isStranger(vault.id, at: path) ?? false {
            Messages.say("\(path): warning: another vault stood here before")
        }
        if !isCopy, isSource || vault.header.isCopy,
            let old = (try Machine.witnesses?.freshness(of: vault, at: path) ?? .unknown).message
        {
            Messages.say("\(path): warning: \(old)")
        }
        if !isSource { Machine.witnesses?.remember(vault, at: path) }
        return vault
    }

    /// Opens a vault for reading, as it was at the save that `--at` names.
    static func openAsOf(
        _ path: BytePath, _ arguments: Arguments, isSource: Bool = false, asksAgain: Bool = false
    ) throws -> Vault {
        let key = try VaultSecret(path, arguments, asksAgain: asksAgain)
        guard let moment = arguments.text(.at) else { return try open(path, key, arguments, isSource: isSource) }
        do {
            let vault = try open(path, key, arguments, isSource: isSource)
            return try vault.snapshot(atSave: TimeArgument.sequence(moment, in: vault))
        } catch let damage as FormatError where damage.code == .damaged {
            return try openBefore(damage, path, key, moment)
        }
    }

    /// Opens a vault, of which the newest save cannot be read, as it was at an earlier one that a person named.
    ///
    /// - Throws: `damage` where the save before cannot be read either, or the moment is later.
    private static func openBefore(
        _ damage: FormatError, _ path: BytePath, _ key: VaultSecret, _ moment: String
    ) throws -> Vault {
        do {
            let vault = try reading(path) { try $0.open(master: key.unlock($0), showsSaveBefore: true) }
            let shown = try vault.snapshot(atSave: TimeArgument.sequence(moment, in: vault))
            Messages.say("\(path): warning: newer than save \(vault.sequence), and not readable: \(damage.what)")
            return shown
        } catch VaultError.noSuchSave { throw damage }
    }

    /// Refuses what is older than this machine has seen, or forked, unless the person says so, or `other`, which is
    /// merged into it, has what was seen. Under a retired master key nothing new is stored, whatever is merged.
    private static func admit(
        _ vault: Vault, _ path: BytePath, _ arguments: Arguments, merging other: Vault? = nil
    ) throws {
        guard let refusal = try Machine.witnesses?.refusal(of: vault, at: path) else { return }
        if arguments.has(.allowRollback) {
            Machine.witnesses?.accept(vault, at: path)
            return
        }
        if refusal != .retired, let other, other.id == vault.id,
            let theirs = try Machine.witnesses?.freshness(of: other), theirs == .asSeen || theirs == .newer
        {
            return
        }
        throw VaultError.rollback(refusal)
    }

    /// Begins a save, and says what was repaired before.
    ///
    /// - Parameters:
    ///   - key: what opens the vault, where more is to be known of it.
    ///   - other: opens the vault that is to be merged into this one.
    static func begin(
        _ path: BytePath, _ arguments: Arguments, readsInput: Bool = false, key: VaultSecret? = nil,
        merging other: (Vault) throws -> Vault? = { _ in nil }
    ) throws -> VaultTransaction {
        let wait = try arguments.wait()
        let key = try key ?? VaultSecret(path, arguments, readsInput: readsInput)
        Saving.begin(path)
        let isDry = arguments.has(.dryRun)
        let transaction = try VaultTransaction(
            path, in: Machine.store, timeout: wait, scratch: isDry ? scratch(beside: path) : nil,
            admit: { try admit($0, path, arguments, merging: other($0)) },
            unlock: key.unlock)
        if try !transaction.followSettings() {
            Messages.say("\(path): warning: its setting 'compression' cannot be read: files are stored as they are")
        }
        guard !isDry else { return transaction }
        for what in transaction.repairs { Messages.say("\(path): \(what)") }
        warnOfMedium(path)
        return transaction
    }

    /// A folder for what a dry run writes: where the vault is, which has room for a save; else that for other temporary files.
    private static func scratch(beside path: BytePath) -> BytePath {
        let folder = (try? Machine.store.files.resolve(path).parent) ?? path.parent
        let isWritable = (try? Machine.store.files.openFolder(folder).makeFile(replacing: false)) != nil
        return isWritable ? folder : Machine.scratchFolder
    }

    /// Makes a save durable, and remembers it.
    ///
    /// - Parameter accepts: even if it is no descendant of what was seen.
    /// - Returns: the record of the save.
    @discardableResult
    static func commit(_ transaction: VaultTransaction, accepts: Bool = false) throws -> CommitRecord {
        let changes = Saving.isShown ? try transaction.changes() : []
        let record = try transaction.commit()
        saved(record, transaction.before.keys, at: transaction.givenPath, accepts: accepts, changes)
        return record
    }

    /// Notes that a save is durable, whatever fails afterwards.
    static func saved(
        _ record: CommitRecord, _ keys: Keys, at path: BytePath, accepts: Bool = false, _ changes: [RecordChange] = []
    ) {
        Saving.note(.init(path: path, number: record.core.sequence, isDry: false, changes: changes))
        Machine.witnesses?.remember(record, keys, at: path, accepts: accepts)
    }

    /// Notes that a vault was put at a path on purpose: restored or salvaged.
    static func placed(_ vault: Vault, at path: BytePath) {
        Saving.note()
        Machine.witnesses?.accept(vault, at: path)
    }

    /// Makes a new vault durable, and remembers it.
    static func commit(_ creation: VaultCreation) throws {
        let changes = Saving.isShown ? try creation.changes() : []
        saved(try creation.commit(), creation.keys, at: creation.path, changes)
    }

    private static func warnOfMedium(_ path: BytePath) {
        guard !Messages.isQuiet else { return }
        switch Machine.store.files.medium(path.parent) {
        case .device: return
        case .memory: Messages.say("\(path): warning: kept in memory; what is saved is gone with the power")
        case .network:
            Messages.say(
                "\(path): warning: kept by another machine or program; whether a save outlives a crash is up to it")
        }
    }

    /// A new vault for `-n`, which nobody can open and which is never committed: no password is asked for.
    static func dryCreation(_ path: BytePath, _ arguments: Arguments) throws -> VaultCreation {
        _ = try DerivationOptions(arguments).new()
        let creation = try VaultCreation(dryRunOf: path, in: Machine.store)
        if let word = arguments.text(.compression) { try creation.set(Compression(typed: word)) }
        return creation
    }

    /// Makes a new vault with a new password, and a keyfile if the person wants one.
    ///
    /// - Parameters:
    ///   - isStreamed: true of a file that goes to standard output and is gone then.
    ///   - body: fills the vault and commits it; where it fails, the files that it adds to the list go again.
    static func create<R: ~Copyable>(
        _ path: BytePath, _ arguments: Arguments, readsInput: Bool = false, isStreamed: Bool = false,
        _ body: (VaultCreation, _ written: inout [BytePath]) throws -> R
    ) throws -> R {
        try withdrawingOnFailure { written in
            if try Machine.store.files.exists(path) { throw VaultError.exists(path) }
            let derivation = try DerivationOptions(arguments).new()
            let compression = try arguments.text(.compression).map(Compression.init(typed:))
            let source = try PasswordSource.orTerminal(.given(arguments, readsInput: readsInput))
            let password = try source.readNew(for: path, derivation)
            let keyfile = try arguments.bytes(.newKeyfile).map { try newKeyfileDigest(BytePath($0), written: &written) }
            if !isStreamed { warnOfMedium(path) }
            let credential = try Credential(password: password, keyfileDigest: keyfile)
            let label = keyfile == nil ? "password" : "password and keyfile"
            let creation = try VaultCreation(
                path, credential: credential, slot: .init(derivation: derivation, label: label), in: Machine.store)
            if let compression { try creation.set(compression) }
            return try body(creation, &written)
        }
    }
}
