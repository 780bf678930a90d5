import Glibc
import VaultCrypto
import VaultFormat
import VaultRecords
import VaultStore

/// What verbs share: which vault, which password, how names are understood.
enum Session {
    /// The real world, stopped by Ctrl-C.
    static var world: VaultStore.Environment { .system(checkCancellation: checkInterrupts) }

    /// The vault that a verb works on: an operand, the option, the environment, or the default.
    ///
    /// - Throws: `Failure` `.usage` when it is named twice.
    static func vaultPath(_ arguments: Arguments, operand: [UInt8]? = nil) throws -> Path {
        let option = arguments.bytes(Option.vault.key)
        if operand != nil, option != nil {
            throw Failure(.usage, "name the vault as an operand or with -f, not both")
        }
        if let named = operand ?? option { return Path(named) }
        if let variable = environment("QVAULT_FILE") { return Path(variable) }
        return Path(dataFolder + "/quickvault/default.qvault")
    }

    /// Where the XDG base directory specification puts a person's data; relative values are ignored, as it says.
    private static var dataFolder: String {
        if let folder = environment("XDG_DATA_HOME"), folder.hasPrefix("/") { return folder }
        return (environment("HOME") ?? "") + "/.local/share"
    }

    /// What this machine has seen of its vaults; nil without a home.
    static var witnesses: WitnessBook? { stateFolder.map { WitnessBook(Path($0 + "/witness"), world) } }

    /// `$XDG_STATE_HOME/quickvault`; nil without a home.
    static var stateFolder: String? {
        if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/quickvault" }
        return environment("HOME").flatMap { $0.hasPrefix("/") ? $0 + "/.local/state/quickvault" : nil }
    }

    /// Opens a vault for reading and passes on its warnings.
    ///
    /// - Parameters:
    ///   - isSource: only to get at what is in it, however old it is.
    ///   - asksAgain: a vault that was unlocked for a while does not suffice.
    static func open(
        _ path: Path, _ arguments: Arguments, isSource: Bool = false, asksAgain: Bool = false
    ) throws -> Vault {
        let locked = try LockedVault(path, in: world)
        let vault = try locked.open(master: Key(path, arguments, asksAgain: asksAgain).unlock(locked))
        return try pass(vault, path, arguments, isSource: isSource)
    }

    /// Opens another vault to read from; a copy of the same one needs no password of its own.
    static func openOther(_ path: Path, beside vault: Vault, _ arguments: Arguments) throws -> Vault {
        try withVault(path) {
            let locked = try LockedVault(path, in: world)
            let other = try locked.open(like: vault) ?? locked.open(master: Key(path, arguments).unlock(locked))
            return try pass(other, path, arguments, isSource: true)
        }
    }

    /// Opens another vault to read from, if it is none that the keys of the one at `vault` open; else nil.
    static func openUnrelated(_ path: Path, to vault: Path, _ arguments: Arguments) throws -> Vault? {
        let mine = try LockedVault(vault, in: world).header
        return try withVault(path) {
            let locked = try LockedVault(path, in: world)
            guard locked.header.vaultID != mine.vaultID || locked.header.epoch != mine.epoch else { return nil }
            return try pass(
                locked.open(master: Key(path, arguments).unlock(locked)), path, arguments, isSource: true)
        }
    }

    /// Passes on a vault's warnings, and holds it against what this machine has seen.
    static func pass(_ vault: Vault, _ path: Path, _ arguments: Arguments, isSource: Bool) throws -> Vault {
        for warning in vault.warnings { Messages.say("\(path): warning: \(warning)") }
        if isSource {
            let standing = try witnesses?.standing(of: vault) ?? .unknown
            if let old = describe(standing) { Messages.say("\(path): warning: \(old)") }
        } else {
            try admit(vault, arguments)
            witnesses?.remember(vault, accepts: arguments.has(.allowRollback))
        }
        return vault
    }

    /// Opens a vault for reading, as it was at the save that `--at` names.
    static func openAsOf(
        _ path: Path, _ arguments: Arguments, isSource: Bool = false, asksAgain: Bool = false
    ) throws -> Vault {
        let vault = try open(path, arguments, isSource: isSource, asksAgain: asksAgain)
        guard let moment = arguments.text(Option.moment.key) else { return vault }
        return try vault.at(Moments.sequence(moment, in: vault))
    }

    /// Refuses what is older than this machine has seen, or forked, unless the person says so, or `other`, which is
    /// merged into it, has what was seen.
    private static func admit(_ vault: Vault, _ arguments: Arguments, merging other: Vault? = nil) throws {
        guard !arguments.has(.allowRollback), let standing = try witnesses?.standing(of: vault),
            describe(standing) != nil
        else { return }
        if let other, other.id == vault.id, let theirs = try witnesses?.standing(of: other),
            theirs == .asSeen || theirs == .newer
        {
            return
        }
        throw VaultError.rollback(standing)
    }

    /// Begins a save, and says what had to be mended before.
    ///
    /// - Parameters:
    ///   - key: what opens the vault, where more is to be known of it.
    ///   - other: opens the vault that is to be merged into this one.
    static func begin(
        _ path: Path, _ arguments: Arguments, readsInput: Bool = false, key: Key? = nil,
        merging other: (Vault) throws -> Vault? = { _ in nil }
    ) throws -> Transaction {
        let wait = try arguments.number(Option.wait.key, in: 0...86_400) ?? 10
        let key = try key ?? Key(path, arguments, readsInput: readsInput)
        let transaction = try Transaction(
            path, in: world, wait: wait * 1000, admit: { try admit($0, arguments, merging: other($0)) },
            unlock: key.unlock)
        for what in transaction.mended { Messages.say("\(path): \(what)") }
        warnOfMedium(path, arguments)
        return transaction
    }

    /// Makes a save durable, and remembers it.
    ///
    /// - Parameter accepts: even if it is no descendant of what was seen.
    static func commit(_ transaction: Transaction, _ arguments: Arguments, accepts: Bool = false) throws {
        let record = try transaction.commit()
        witnesses?.remember(record, transaction.before.keys, accepts: accepts || arguments.has(.allowRollback))
    }

    /// Makes a new vault durable, and remembers it.
    static func commit(_ creation: VaultCreation) throws {
        let record = try creation.commit()
        witnesses?.remember(record, creation.keys)
    }

    private static func warnOfMedium(_ path: Path, _ arguments: Arguments) {
        guard !arguments.has(.quiet) else { return }
        switch world.files.medium(path.parent) {
        case .device: return
        case .memory: Messages.say("\(path): warning: kept in memory; what is saved is gone with the power")
        case .network:
            Messages.say(
                "\(path): warning: kept by another machine or program; whether a save outlives a crash is up to it")
        }
    }

    /// Makes a new vault with a new password, and a keyfile if the person wants one.
    ///
    /// - Parameter body: fills the vault and commits it; where it fails, the files that it adds to the list go again.
    static func create<R: ~Copyable>(
        _ path: Path, _ arguments: Arguments, readsInput: Bool = false,
        _ body: (VaultCreation, _ written: inout [Path]) throws -> R
    ) throws -> R {
        try withdrawingOnFailure { written in
            try body(begin(path, arguments, readsInput: readsInput, written: &written), &written)
        }
    }

    private static func begin(
        _ path: Path, _ arguments: Arguments, readsInput: Bool, written: inout [Path]
    ) throws -> VaultCreation {
        if (try? world.files.status(path)) != nil { throw VaultError.exists(path) }
        let iterations = try iterations(arguments) ?? Config.iterations()
        let source = try PasswordSource.orTerminal(.given(arguments, readsInput: readsInput))
        let password = try source.readNew(for: path, iterations: iterations, arguments)
        let keyfile = try arguments.bytes("--new-keyfile").map {
            try newKeyfileDigest(Path($0), arguments, written: &written)
        }
        warnOfMedium(path, arguments)
        let credential = try Credential(password: password, keyfileDigest: keyfile)
        let label = keyfile == nil ? "password" : "password and keyfile"
        return try VaultCreation(
            path, credential: credential, slot: .init(iterations: iterations, label: label), in: world)
    }

    /// Iterations that the options ask for; nil when they do not.
    static func iterations(_ arguments: Arguments) throws -> UInt32? {
        if arguments.has(Option.iterations), arguments.has(Option.kdfTime) {
            throw Failure(.usage, "give --iterations or --kdf-time, not both")
        }
        if let number = try arguments.number(Option.iterations.key, in: 1...Int(Limits.iterationsWithoutConsent)) {
            return try enough(number)
        }
        return try arguments.text(Option.kdfTime.key).map(iterations(taking:))
    }

    static func enough(_ iterations: Int) throws -> UInt32 {
        guard iterations >= Int(Limits.minimumIterations) else {
            throw Failure(
                .refused, "\(iterations) iterations are too few; the least is \(Limits.minimumIterations)")
        }
        return UInt32(iterations)
    }

    /// As many iterations as take so long here.
    static func iterations(taking text: String) throws -> UInt32 {
        guard let milliseconds = Moments.milliseconds(text), 1...60_000 ~= milliseconds else {
            throw Failure(.usage, "--kdf-time takes a time up to 60s, like 500ms or 2s")
        }
        let wanted = try PasswordHash.iterations(
            taking: .milliseconds(milliseconds), atLeast: Limits.minimumIterations)
        return min(wanted, UInt32(Limits.iterationsWithoutConsent))
    }

    /// The one record that a name means: a path, `kind:path`, a title, or the beginning of an id.
    ///
    /// - Throws: `VaultError` `.noSuchRecord`, `.ambiguous`.
    static func record(_ name: [UInt8], in vault: Vault) throws -> (path: Path, entry: Entry) {
        let (kinds, path) = splitKind(name)
        if let entry = try vault.entry(at: path), kinds?.contains(entry.kind) ?? true {
            return (Path(path.components.reduce(Path("")) { $0.appending($1) }.bytes), entry)
        }
        return try record(name, among: list(vault))
    }

    /// The same among records that are listed.
    static func record(_ name: [UInt8], among listing: TreeListing) throws -> (path: Path, entry: Entry) {
        let (kinds, path) = splitKind(name)
        let all = listing.filter { kinds?.contains($0.entry.kind) ?? !$0.entry.isPart }
        // Paths of files are their own; titles of all else may come twice.
        if let there = all.first(where: { $0.path == path && Entry.Kind.tree.contains($0.entry.kind) }) {
            return there
        }
        var found = all.filter { $0.entry.overview.title == path.bytes }
        if found.isEmpty { found = all.filter { $0.entry.isAttachment && $0.path == path } }
        if found.isEmpty, path.bytes.count >= 4, path.bytes.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "f") ~= $0 })
        {
            found = all.filter { hexText($0.entry.id.bytes).utf8.starts(with: path.bytes) }
        }
        guard let first = found.first else {
            // Verbs about files take the vault as an operand, others do not: the commonest mistake.
            if name.suffix(7) == Array(".qvault".utf8)[...], (try? world.files.status(Path(name))) != nil {
                throw Failure(.notFound, "no record '\(Path(name))'", hint: "did you mean -f \(Path(name))?")
            }
            throw VaultError.noSuchRecord(Path(name))
        }
        guard found.count == 1 else {
            // Two cards may have one title: their ids tell them apart.
            throw VaultError.ambiguous(
                Path(name),
                found.map { item in
                    found.filter { $0.path == item.path }.count == 1
                        ? item.path : Path("\(hexText(Array(item.entry.id.bytes.prefix(4)))) (\(item.path))")
                })
        }
        return first
    }

    /// The kinds that a name is restricted to, if any, and the rest of it.
    private static func splitKind(_ name: [UInt8]) -> (Set<UInt16>?, Path) {
        guard let colon = name.firstIndex(of: UInt8(ascii: ":")) else { return (nil, Path(name)) }
        let label = String(decoding: name[..<colon], as: UTF8.self)
        let kinds = label == "card" ? Schema.cards.map(\.kind) : kindNames.filter { $0.1 == label }.map(\.0)
        return kinds.isEmpty ? (nil, Path(name)) : (Set(kinds), Path(Array(name[(colon + 1)...])))
    }

    static let kindNames: [(UInt16, String)] =
        [(Entry.Kind.file, "file"), (Entry.Kind.folder, "folder"), (Entry.Kind.symlink, "symlink")]
        + Schema.cards.map { ($0.kind, $0.name) }
        + [(Entry.Kind.attachment, "attachment"), (Entry.Kind.thumbnail, "thumbnail"), (Entry.Kind.setting, "setting")]
        + [
            (Entry.Kind.watermark, "watermark"), (Entry.Kind.share, "share"),
            (Entry.Kind.watermarkSeed, "watermark-seed"),
        ]

    static func kindName(_ kind: UInt16) -> String { kindNames.first { $0.0 == kind }?.1 ?? "kind-\(kind)" }

    /// All live records with their paths.
    static func list(_ vault: Vault) throws -> TreeListing { try TreeListing(vault.entries()) }

    /// The records named, with everything beneath and what belongs to them; all if nothing is named.
    static func select(_ names: [[UInt8]], in vault: Vault) throws -> TreeListing {
        let all = try list(vault)
        guard !names.isEmpty else { return all }
        return all.selecting(partsOf: try names.map { try record($0, in: vault) })
    }

    /// Whether a record is the one that was named, or in the folder that was. (A card may have the title of another
    /// record: what counts are ids.)
    static func isPart(_ path: Path, _ entry: Entry, of root: (path: Path, entry: Entry)) -> Bool {
        if entry.id == root.entry.id { return true }
        return root.entry.kind == Entry.Kind.folder && Entry.Kind.tree.contains(entry.kind)
            && path.isOrIsBeneath(root.path)
    }
}

extension TreeListing {
    /// The records that were named, what is in the folders among them, and what belongs to any of these.
    func selecting(partsOf roots: [(path: Path, entry: Entry)]) -> TreeListing {
        let named = selecting { path, entry in roots.contains { Session.isPart(path, entry, of: $0) } }
        let ids = Set(Vault.withDependents(named.map(\.entry), among: map(\.entry)).map(\.id))
        return selecting { ids.contains($1.id) }
    }
}

extension Path {
    /// Whether it is `folder`, or in it.
    func isOrIsBeneath(_ folder: Path) -> Bool { self == folder || bytes.starts(with: folder.bytes + [0x2F]) }
}
