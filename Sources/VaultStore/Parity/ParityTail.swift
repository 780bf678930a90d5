import VaultCrypto
import VaultFormat
public import Values
public import VaultIO

/// Gives a backup its tail of parity later, and takes it away (Spec/container.md, 3.9).
public enum ParityTail {
    /// Appends parity to a backup that has none, or makes anew what is damaged of it. It takes no key.
    ///
    /// - Parameters:
    ///   - percent: how much of the file may be damaged then, 3 … 26; nil for what the pages of the backup say, else the standard.
    ///   - progress: told the bytes of data done so far, by one thread at a time.
    /// - Throws: `FormatError` `.invalid` of a file that is no backup, or whose pages say another share, `.damaged` of one that is not sound: the parity would be of
    ///   the damage; `VaultError.busy`; `IOError`.
    public static func add(
        to path: BytePath, percent: Int? = nil, in environment: StoreEnvironment,
        timeout: Duration = .seconds(10), progress: @escaping (UInt64) -> Void = { _ in }
    ) throws {
        let file = try VaultLock.open(environment.files.resolve(path), environment, timeout: timeout)
        let locked = try LockedVault(file, environment)
        guard locked.header.isCopy else { throw live }
        let check = try locked.verify()
        if let finding = check.findings.first(where: { !$0.isOfParity }) {
            throw FormatError(finding.code, finding.what, at: finding.range?.lowerBound)
        }
        var random = environment.random
        let (length, tag) = (locked.header.tailPlace, try random.bytes(ParityLayout.tagByteCount))
        let said = locked.header.tailLength
        let wanted = ParityLayout.standard(.file, 0..<length, percent: percent ?? Vault.standardParity, tag: tag)
        let layout = said > 0 ? ParityLayout.ofLength(said, length, tag: tag) : wanted
        guard let layout else { throw FormatError(.invalid, "the vault is too long for parity") }
        guard percent == nil || layout.parityCount == wanted?.parityCount else {
            throw FormatError(.invalid, "its pages say that it has parity of another share: take that away first")
        }
        try file.truncate(to: length)
        try file.append(layout, environment, progress: progress)
    }

    /// Takes the parity of an open backup away.
    ///
    /// - Throws: as `add`.
    public static func remove(from backup: Vault, timeout: Duration = .seconds(10)) throws {
        let environment = backup.environment
        let file = try VaultLock.open(backup.file.path, environment, timeout: timeout)
        guard backup.header.isCopy else { throw live }
        let page = try Page(
            copying: backup.root.page, origin: backup.header.origin, keys: backup.keys, tailLength: 0)
        for offset in [Layout.pageAOffset, Layout.pageBOffset, page.header.logEnd] {
            try file.writeDurably(page.bytes, at: offset)
        }
        try file.truncate(to: backup.header.tailPlace)
        try file.sync()
    }

    private static let live = FormatError(.invalid, "a vault that is written to: only a backup has parity")
}
