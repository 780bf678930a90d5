import VaultCrypto
public import VaultFormat
import VaultIO

/// A trial restoration of a backup into nowhere: its records are opened, put together and hashed, and compared with those of
/// the live vault at the same save.
public struct Drill {
    /// The save of the live vault that the backup holds.
    public let save: UInt64
    /// Records that were opened.
    public private(set) var recordCount = 0
    /// Bytes of their content.
    public private(set) var byteCount: UInt64 = 0
    /// Records that were compared with the live vault: all, where its history has the backup's newest save or shows it.
    public private(set) var comparedCount = 0
    /// Records whose content, or absence, differs from the live vault at that save.
    public private(set) var differing: [Entry] = []

    /// - Parameters:
    ///   - sample: so many records, drawn at random; nil for all.
    ///   - progress: told the bytes of content done so far.
    /// - Returns: nil of a backup whose save the live vault does not know.
    /// - Throws: `FormatError` of the first record that cannot be read; `IOError`; `VaultError.cancelled`.
    public init?(
        of backup: Vault, against live: Vault, sample: Int? = nil, progress: @escaping (UInt64) -> Void = { _ in }
    ) throws {
        let locked = try LockedVault(backup.file, backup.environment)
        guard let save = try live.holds(backup.record.core) ? backup.sequence : live.origin(of: locked) else {
            return nil
        }
        self.save = save
        var entries = try backup.presentEntries { $0.state == .live }.filter { $0.kind != .piece }
        if let sample, sample < entries.count {
            var random: any RandomSource = backup.environment.random
            let drawn = try entries.map { entry in
                let bytes = try random.bytes(8)
                return (entry, loadBigEndian(bytes.span, at: 0))
            }
            entries = drawn.sorted { $0.1 < $1.1 }.prefix(sample).map(\.0)
        }
        // Commits with the fingerprint of the live vault's have its bytes.
        let isSameLog =
            backup.sequence == save && backup.header.isCopy && locked.header.origin?.sequence == save
            && locked.header.origin?.fingerprint == backup.record.core.fingerprint
        let shown = try isSameLog ? nil : Self.state(of: live, at: save)
        var reader = try backup.reader()
        var other = try (shown ?? backup).reader()
        for entry in entries {
            try backup.environment.checkCancellation()
            let digest = try Self.digest(of: entry, in: backup, with: &reader)
            recordCount += 1
            byteCount += entry.length
            progress(byteCount)
            if isSameLog { comparedCount += 1 }
            guard let shown else { continue }
            comparedCount += 1
            guard let theirs = try shown.entry(entry.id), theirs.length == entry.length,
                try Self.digest(of: theirs, in: shown, with: &other) == digest
            else {
                differing.append(entry)
                continue
            }
        }
    }

    /// The live vault as it was; nil where it does not show that save any more.
    private static func state(of live: Vault, at save: UInt64) throws -> Vault? {
        do { return try live.snapshot(atSave: save) } catch VaultError.noSuchSave { return nil }
    }

    private static func digest(of entry: Entry, in vault: Vault, with reader: inout RecordReader) throws -> [UInt8] {
        var hash = try SHA256()
        try vault.read(entry, with: &reader) { try hash.update($0) }
        return try hash.finish()
    }
}
