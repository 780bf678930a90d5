public import VaultIO
public import Values
import VaultFormat

/// A repair of a damaged file by its parity. It needs no key (Spec/reader.md, 10).
public struct Repair {
    /// Bytes that were damaged and are whole in the new file, of the vault and of its parity, by blocks.
    public private(set) var repairedByteCount: UInt64 = 0
    /// Bytes of the vault in damaged blocks that the parity could not make again.
    public private(set) var lost: [Range<UInt64>] = []
    /// The check without a key of the new file; nil where no page of it can be read.
    public private(set) var verification: Verification?

    /// Writes a repaired copy of a file. The file itself stays as it is.
    ///
    /// - Parameter progress: told the bytes read so far, by one thread at a time.
    /// - Throws: `VaultError.exists`; `FormatError.invalid` where the file has no parity; `IOError`.
    public init(
        _ path: BytePath, to target: BytePath, in environment: StoreEnvironment,
        progress: @escaping (UInt64) -> Void = { _ in }
    ) throws {
        let file = try environment.files.openFile(path, writing: false)
        let new = try AtomicFile(vault: target, environment)
        let done = ProgressCounter(progress)
        try new.file.copyBytes(of: file, 0..<file.status().size, environment, done)
        var isAny = false
        for kind in [ParityLayout.Kind.file, .payload] {
            for parity in try ParitySearch.all(kind, in: new.file, environment) {
                isAny = true
                let outcome = try ParityRepair(parity: parity, file: new.file, environment: environment)
                    .run(progress: done)
                repairedByteCount += outcome.data * UInt64(ParityLayout.dataByteCount)
                repairedByteCount += outcome.parity * UInt64(ParityLayout.blockByteCount)
                lost += outcome.lost
                if kind == .file { try new.file.truncate(to: parity.range.upperBound) }
            }
        }
        guard isAny else { throw FormatError(.invalid, "it has no parity from which it could be repaired") }
        try new.file.sync()
        verification = try Self.check(new.file, environment)
        try new.publishDurably()
    }

    private static func check(_ file: any File, _ environment: StoreEnvironment) throws -> Verification? {
        do { return try LockedVault(file, environment).verify() } catch is FormatError { return nil }
    }
}
