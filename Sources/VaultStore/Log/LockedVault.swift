public import VaultIO
public import VaultFormat

/// A vault as anybody sees it: its pages, without a key.
public struct LockedVault {
    let file: any File
    let environment: StoreEnvironment
    package let root: Root

    /// Opens the file and reads its pages.
    ///
    /// - Parameter toSalvage: takes pages that contradict each other, as two writers without locks may leave them.
    /// - Throws: `IOError`; `FormatError` `.notAVault`, `.damaged`, `.unsupported`.
    public init(_ path: BytePath, in environment: StoreEnvironment, toSalvage: Bool = false) throws {
        for attempt in 1... {
            let file = try environment.files.openFile(path, writing: false)
            do {
                try self.init(file, environment, toSalvage: toSalvage)
                guard attempt < 10, warnings.count > 0, isReplaced else { return }
            } catch let error as FormatError {
                guard attempt < 10, Self.isReplaced(file, environment) else { throw error }
            }
        }
        preconditionFailure("attempts do not end")
    }

    /// Reads the pages of a file that is open.
    ///
    /// - Throws: as `init(_:in:)`.
    public init(reading file: any File, in environment: StoreEnvironment) throws {
        try self.init(file, environment)
    }

    /// - Parameter isLocked: no writer is at work, so that a torn page stays torn.
    init(_ file: any File, _ environment: StoreEnvironment, isLocked: Bool = false, toSalvage: Bool = false) throws {
        (self.file, self.environment) = (file, environment)
        root = try Root(file, environment, isLocked: isLocked, toSalvage: toSalvage)
    }

    /// The header of the page that counts.
    public var header: Header { root.header }
    /// Its key slots.
    public var slots: SlotArea { root.slots }
    /// The newest commit record, not authenticated.
    ///
    /// - Throws: `FormatError.malformed` where the page contradicts itself.
    public func record() throws -> CommitRecord { try root.page.record() }
    /// Bytes of the file.
    public var fileByteCount: UInt64 { root.fileByteCount }

    /// True if the path now leads to another file, or to none.
    public var isReplaced: Bool { Self.isReplaced(file, environment) }

    private static func isReplaced(_ file: any File, _ environment: StoreEnvironment) -> Bool {
        guard let mine = try? file.status(), let named = try? environment.files.status(file.path) else { return true }
        return !mine.isOfSameFile(as: named)
    }

    /// The reason in the header why nobody may write; nil if there is none.
    public var obstacle: VaultError.Obstacle? { header.obstacle }

    /// Warnings about its pages, for a person.
    public var warnings: [Phrase] { root.warnings }

    /// The commits of the log, newest first, as far as they can be found without a key.
    public func commits() throws -> [Core] {
        var log = try CommitLog(file, newest: record())
        var cores: [Core] = []
        while let item = try log.pop() { cores.append(item.core) }
        return cores
    }
}
