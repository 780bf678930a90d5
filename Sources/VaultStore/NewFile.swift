import VaultFormat

extension File {
    /// Gives a file whose log is written its three pages, makes all of it durable, and reads it back.
    ///
    /// - Parameter origin: of a backup, the newest commit of the vault that it was copied from.
    /// - Throws: `FormatError.damaged` where it does not read back as it was written; `IOError`.
    func finish(
        naming record: CommitRecord, slots: SlotArea, keys: Keys, origin: Core? = nil, _ environment: Environment
    ) throws {
        let page = try Page(naming: record, slots: slots, keys: keys, origin: origin)
        let keyPage = try KeyPage(of: page, keys: keys)
        try writeAll(page.bytes.span, at: Layout.pageAOffset)
        try writeAll(page.bytes.span, at: Layout.pageBOffset)
        try writeAll(keyPage.bytes.span, at: Layout.pageKOffset)
        try sync()
        let reopened = try Vault(LockedVault(self, environment), keys: keys)
        guard reopened.record == record, reopened.warnings.isEmpty else {
            throw FormatError(.damaged, "the new file, which does not read back as it was written")
        }
    }
}
