import VaultIO
import VaultFormat

extension AtomicFile {
    /// A new vault, in a folder that is freed of what killed programs left.
    ///
    /// - Throws: `VaultError.exists`; `IOError`.
    init(vault target: BytePath, _ environment: StoreEnvironment) throws {
        TemporaryFiles.removeStale(in: target.parent, environment.files)
        self = try AtomicFile(target, environment.files)
    }
}

extension File {
    /// Gives a file whose log is written its three pages, makes all of it durable, and reads it back.
    ///
    /// - Parameters:
    ///   - origin: of a backup, the newest commit of the vault that it was copied from.
    ///   - tailLength: of a backup, the bytes of the parity that will follow.
    ///   - isCheckedWhole: every block, and all of the manifest, is read back too: what the file takes the place of
    ///     may be gone afterwards.
    /// - Throws: `FormatError.damaged` where it does not read back as it was written; `IOError`.
    func finish(
        naming record: CommitRecord, slots: SlotArea, keys: Keys, origin: Core? = nil, tailLength: UInt64 = 0,
        _ environment: StoreEnvironment,
        isCheckedWhole: Bool = false
    ) throws {
        let page = try Page(naming: record, slots: slots, keys: keys, origin: origin, tailLength: tailLength)
        try finish(with: page, keys: keys, environment, isCheckedWhole: isCheckedWhole)
    }

    /// The same with a page that is made already.
    func finish(with page: Page, keys: Keys, _ environment: StoreEnvironment, isCheckedWhole: Bool) throws {
        try writeAll(page.bytes.span, at: Layout.pageAOffset)
        try writeAll(page.bytes.span, at: Layout.pageBOffset)
        try writeEndPage(page)
        try sync()
        let reopened = try Vault(LockedVault(self, environment), keys: keys)
        guard reopened.record.bytes == page.recordBytes, reopened.warnings.isEmpty else {
            throw FormatError(.damaged, "the new file, which does not read back as it was written")
        }
        guard isCheckedWhole else { return }
        try reopened.diagnosing { try reopened.manifest.readAll() }
        let check = try LockedVault(self, environment).verify()
        if let finding = check.findings.first(where: { $0.code == check.worstBesidesParity }) {
            throw FormatError(finding.code, finding.what, at: finding.range?.lowerBound)
        }
    }
}
