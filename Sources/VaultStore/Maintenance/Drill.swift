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
            var random = Draw(source: backup.environment.random)
            entries = Array(entries.shuffled(using: &random).prefix(sample))
        }
        // Commits with the fingerprint of the live vault's have its bytes.
        let isSameLog =
            backup.sequence == save && backup.header.isCopy && locked.header.origin?.sequence == save
            && locked.header.origin?.fingerprint == backup.record.core.fingerprint
        let shown = isSameLog ? nil : try? live.snapshot(atSave: save)
        for entry in entries {
            try backup.environment.checkCancellation()
            let digest = try digest(of: entry, in: backup)
            recordCount += 1
            byteCount += entry.length
            progress(byteCount)
            if isSameLog { comparedCount += 1 }
            guard let shown else { continue }
            comparedCount += 1
            let theirs = try shown.entry(entry.id)
            let isSame = try theirs.map { try $0.length == entry.length && self.digest(of: $0, in: shown) == digest }
            if isSame != true { differing.append(entry) }
        }
    }

    private func digest(of entry: Entry, in vault: Vault) throws -> [UInt8] {
        let hash = try Hash()
        try vault.read(entry) { try hash.update($0) }
        return try hash.finish()
    }

    /// A hash that a closure feeds.
    private final class Hash {
        private var hash: SHA256?

        init() throws { hash = try SHA256() }

        func update(_ piece: Span<UInt8>) throws { try hash?.update(piece) }

        func finish() throws -> [UInt8] {
            guard let hash = hash.take() else { return [] }
            return try hash.finish()
        }
    }

    /// Random numbers for shuffling.
    private struct Draw: RandomNumberGenerator {
        var source: any RandomSource

        mutating func next() -> UInt64 {
            guard let bytes = try? source.bytes(8) else { return 0 }
            return loadBigEndian(bytes.span, at: 0)
        }
    }
}
