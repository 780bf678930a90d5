// QuickVault: vaults for an app. What the modules below do on the thread that calls them, this does in the background,
// one piece of work at a time, with `await`, progress and cancellation. Everything that crosses is `Sendable`.

import Synchronization
@_exported public import VaultFormat
@_exported public import Cards
@_exported public import Exchange
@_exported public import Pictures
@_exported public import VaultIO
@_exported public import VaultStore

/// A vault that is open.
///
/// Work is done in order. A task that is cancelled ends its work with `VaultError.cancelled`; nothing is left half-written.
public final class VaultFile: Sendable {
    /// The path of the vault's file.
    public let path: BytePath
    private let queue: WorkQueue
    private let state: Mutex<State>
    /// The sequence of the newest save that this object has seen.
    private let newest: Atomic<UInt64>

    /// The open vault.
    /// Sendable: it is only used under the lock.
    private struct State: @unchecked Sendable {
        var vault: Vault
        let witnesses: WitnessBook?
    }

    private init(_ path: BytePath, _ queue: WorkQueue, _ state: sending State) {
        self.path = path
        self.queue = queue
        newest = Atomic(state.vault.sequence)
        self.state = Mutex(state)
    }

    /// Makes a new vault and opens it.
    ///
    /// - Parameters:
    ///   - path: a name that is free.
    ///   - key: what will open it.
    ///   - derivation: what trying a password costs; a device key has nothing of this.
    ///   - memory: a folder in which the app remembers the newest state it has seen, so that an older copy in the vault's
    ///     place is told; nil remembers nothing.
    ///   - compression: whether files and attachments are compressed; it stays a setting of the vault.
    /// - Throws: `VaultError.exists`; `FormatError.refused` for a cost outside the limits; `IOError`.
    public static func create(
        at path: String, with key: VaultKey, derivation: KeyDerivation = .standard, memory: String? = nil,
        compression: Compression = .auto
    ) async throws -> VaultFile {
        let queue = WorkQueue()
        return try await queue.run { environment in
            let creation = try VaultCreation(
                BytePath(path), credential: key.credential, slot: .init(derivation: derivation, label: "password"),
                in: environment)
            try creation.set(compression)
            try creation.commit()
            return try open(BytePath(path), key, memory, queue, environment)
        }
    }

    /// Opens a vault.
    ///
    /// - Parameters:
    ///   - path: where it is.
    ///   - key: a password, recovery key or device key that one of its slots is for.
    ///   - memory: as for `create`.
    /// - Throws: `FormatError` `.wrongKey`, `.damaged`, `.tampered`, `.notAVault`, …; `VaultError.rollback` where the file
    ///   is older than what `memory` has seen; `IOError`.
    public static func open(_ path: String, with key: VaultKey, memory: String? = nil) async throws -> VaultFile {
        let queue = WorkQueue()
        return try await queue.run { environment in try open(BytePath(path), key, memory, queue, environment) }
    }

    private static func open(
        _ path: BytePath, _ key: VaultKey, _ memory: String?, _ queue: WorkQueue, _ environment: StoreEnvironment
    ) throws -> VaultFile {
        let locked = try LockedVault(path, in: environment)
        let master = try locked.slots.unlock(with: key.credential, of: locked.header)
        let vault = try locked.open(master: master)
        let book = memory.map { WitnessBook(BytePath($0), environment) }
        if let refusal = try book?.refusal(of: vault) { throw VaultError.rollback(refusal) }
        book?.remember(vault)
        return VaultFile(path, queue, State(vault: vault, witnesses: book))
    }

    // MARK: Reading

    /// Reads the vault as its last save left it, on a thread of its own.
    ///
    /// - Parameter body: gets the vault; it must not keep it.
    /// - Throws: what `body` throws.
    public func read<Result: Sendable>(_ body: @escaping @Sendable (Vault) throws -> Result) async throws -> Result {
        try await queue.run { environment in
            try self.state.withLock { state in
                // Another program may have saved.
                state.vault = try state.vault.reopened(in: environment)
                self.newest.store(state.vault.sequence, ordering: .relaxed)
                state.witnesses?.remember(state.vault)
                return try body(state.vault)
            }
        }
    }

    /// All cards: those that are pinned first, then those that changed last.
    public func cards() async throws -> [CardItem] { try await read { try $0.cardItems($0.cardEntries()) } }

    /// All cards, some at a time: for a list that is shown while it is read.
    ///
    /// - Parameter size: cards a page, 1 or more.
    public func cardPages(of size: Int = 100) -> CardPages {
        CardPages(size: max(1, size), ids: { try await self.read { try $0.cardEntries().map(\.id) } }) { ids in
            try await self.read { vault in
                try vault.cardItems(ids.compactMap { try vault.entry($0) }.filter(\.isCard))
            }
        }
    }

    /// Tells of saves: the sequence of the newest one, each time it is another. Saves of this object count, and those of
    /// other objects and programs.
    ///
    /// - Parameter interval: how often the file is looked at; that takes three reads of 4 KiB and no key.
    /// - Returns: a sequence that throws, and ends, when the file cannot be read.
    public func changes(checkedEvery interval: Duration = .seconds(1)) -> AsyncThrowingStream<UInt64, any Error> {
        let (changes, told) = AsyncThrowingStream.makeStream(of: UInt64.self, bufferingPolicy: .bufferingNewest(1))
        let (path, start) = (path, newest.load(ordering: .relaxed))
        let task = Task {
            // Not behind the work of this object, which may take long.
            let queue = WorkQueue()
            var known = start
            do {
                while true {
                    let now = try await queue.run { try LockedVault(path, in: $0).header.sequence }
                    if now != known { told.yield(now) }
                    known = now
                    try await Task.sleep(for: interval)
                }
            } catch {
                told.finish(throwing: Task.isCancelled ? nil : error)
            }
        }
        told.onTermination = { _ in task.cancel() }
        return changes
    }

    /// Cards that answer a query, the best first; none for an empty one.
    public func search(_ text: String) async throws -> [Hit] {
        guard let query = CardQuery(text) else { return [] }
        return try await read { try $0.search(query) }
    }

    /// The bytes of a record.
    ///
    /// - Throws: `FormatError.malformed` where it is longer than `limit` bytes.
    public func content(of entry: Entry, limit: Int = 64 << 20) async throws -> [UInt8] {
        try await read { try $0.content(of: entry, limit: limit) }
    }

    /// The bytes of a record in `range`, counted from 0, as far as there are any. The pieces around them alone are read.
    ///
    /// - Throws: as `read`.
    public func content(of entry: Entry, in range: Range<UInt64>) async throws -> [UInt8] {
        try await read { vault in
            var bytes: [UInt8] = []
            try vault.read(entry, in: range) { piece in for index in piece.indices { bytes.append(piece[index]) } }
            return bytes
        }
    }

    /// The attachments of a card.
    public func attachments(of card: Entry) async throws -> [Entry] {
        try await read { Vault.attachments(of: card.id, among: try $0.entries()) }
    }

    /// The thumbnail of an attachment, a JPEG; nil where it has none.
    public func thumbnail(of attachment: Entry) async throws -> [UInt8]? {
        try await read { try $0.thumbnail(of: attachment) }
    }

    /// Checks every byte of the vault.
    public func verify() async throws -> VerificationReport { try await verification().value }

    /// Begins to check every byte of the vault.
    public func verification() -> LongWork<VerificationReport> {
        LongWork { progress in try await self.read { VerificationReport(try $0.verify(progress: progress)) } }
    }

    /// Writes a consistent copy, as sealed as the vault.
    ///
    /// - Parameters:
    ///   - target: a name that is free.
    ///   - parity: how much of it may be damaged and is mended by `repair`, in percent, 3 … 26; nil for none.
    /// - Throws: `VaultError.exists`; `IOError`.
    public func backUp(to target: String, parity: Int? = Vault.standardParity) async throws {
        try await backup(to: target, parity: parity).value
    }

    /// Begins to write a consistent copy, as sealed as the vault.
    public func backup(to target: String, parity: Int? = Vault.standardParity) -> LongWork<Void> {
        LongWork { progress in
            try await self.read {
                _ = try $0.backUp(to: BytePath(target), parity: parity, progress: progress)
            }
        }
    }

    /// Begins to write a repaired copy of a damaged backup that has parity. It takes no key, and authenticates nothing.
    ///
    /// - Returns: the check without a key of the new file; nil where no page of it can be read.
    /// - Throws: `FormatError.invalid` where the file has no parity; `VaultError.exists`; `IOError`.
    public static func repair(_ path: String, to target: String) -> LongWork<VerificationReport?> {
        LongWork { progress in
            try await WorkQueue().run { environment in
                try Repair(BytePath(path), to: BytePath(target), in: environment, progress: progress)
                    .verification.map(VerificationReport.init)
            }
        }
    }

    // MARK: Saving

    /// Changes the vault in one save: all of it becomes durable, or nothing.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait for another writer.
    ///   - body: makes the changes; it must not keep the transaction.
    /// - Throws: what `body` throws, and nothing is saved; `VaultError.busy`; `VaultError.outcomeUnknown`; `IOError`.
    public func save<Result: Sendable>(
        timeout: Duration = .seconds(10), _ body: @escaping @Sendable (VaultTransaction) throws -> Result
    ) async throws -> Result {
        try await queue.run { environment in
            try self.state.withLock { state in
                let keys = state.vault.keys
                let transaction = try VaultTransaction(self.path, in: environment, timeout: timeout, admit: { _ in }) {
                    _ in keys
                }
                try transaction.followSettings()
                let result = try body(transaction)
                if transaction.isEmpty { return result }
                let record = try transaction.commit()
                self.newest.store(record.core.sequence, ordering: .relaxed)
                state.witnesses?.remember(record, keys, at: state.vault.path)
                return result
            }
        }
    }

    /// Stores a new card.
    ///
    /// - Throws: `CardProblem` with everything that is wrong with it; as `save`.
    @discardableResult public func add(_ card: Card) async throws -> RecordID {
        try card.check()
        return try await save { transaction in
            let id = try transaction.makeID()
            try transaction.put(card, as: id)
            return id
        }
    }

    /// Stores a new version of a card.
    ///
    /// - Throws: `CardProblem`; as `save`.
    public func update(_ id: RecordID, to card: Card) async throws {
        try card.check()
        try await save { try $0.put(card, as: id) }
    }

    /// Attaches a file to a card, with a thumbnail if it can be made.
    ///
    /// - Throws: `FormatError.invalid` where it is no JPEG, PNG, HEIC or PDF; as `save`.
    @discardableResult
    public func attach(_ content: [UInt8], named name: String, to card: Entry) async throws -> Attached {
        guard let file = NewAttachment(name: Array(name.utf8), content: content) else {
            throw FormatError(.invalid, "\(name): is no JPEG, PNG, HEIC or PDF")
        }
        return try await save { try $0.attach(file, to: card, among: $0.before.entries()) }
    }

    /// Puts records into the trash, with what belongs to them.
    public func remove(_ entries: [Entry]) async throws {
        try await save { transaction in
            let all = try transaction.before.entries()
            for entry in Vault.withDependents(entries, among: all) { try transaction.trash(entry) }
        }
    }

    /// Stores files and folders under their names.
    public func store(_ sources: [String]) async throws -> StoreReport {
        try await save { transaction in
            var problems: [TreeProblem] = []
            let work = try transaction.treeImport { problems.append($0) }
            for source in sources { try work.add(BytePath(source), as: BytePath(BytePath(source).lastComponent)) }
            return StoreReport(count: work.count, problems: problems)
        }
    }
}
