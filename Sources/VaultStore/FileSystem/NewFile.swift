import VaultFormat

/// A file in the making, beside where it will be: it gets its name, which must be free, when it is whole
/// (Spec/store.md, 4).
struct NewFile {
    let file: any UnnamedFile
    private let target: BytePath
    private let folder: any Folder

    /// - Throws: `VaultError.exists`; `IOError`.
    init(_ target: BytePath, _ environment: StoreEnvironment) throws {
        folder = try environment.files.openFolder(target.parent)
        if (try? folder.status(of: target.lastComponent)) != nil { throw VaultError.exists(target) }
        TemporaryFiles.removeStale(in: target.parent, environment.files)
        file = try folder.makeFile(replacing: false)
        self.target = target
    }

    /// Names it, durably. Nobody can save into it before it is gone.
    ///
    /// - Throws: `VaultError.exists`; `IOError`.
    func publish() throws {
        // Until its name is durable nobody is to save into it. Where there are no locks nobody can.
        _ = try? file.lock()
        do {
            try file.publish(as: target.lastComponent, replacing: false)
        } catch let error as IOError where error.isNameTaken {
            throw VaultError.exists(target)
        }
        try folder.sync()
    }
}

extension File {
    /// Gives a file whose log is written its three pages, makes all of it durable, and reads it back.
    ///
    /// - Parameters:
    ///   - origin: of a backup, the newest commit of the vault that it was copied from.
    ///   - isCheckedWhole: every block, and all of the manifest, is read back too: what the file takes the place of
    ///     may be gone afterwards.
    /// - Throws: `FormatError.damaged` where it does not read back as it was written; `IOError`.
    func finish(
        naming record: CommitRecord, slots: SlotArea, keys: Keys, origin: Core? = nil, _ environment: StoreEnvironment,
        isCheckedWhole: Bool = false
    ) throws {
        let page = try Page(naming: record, slots: slots, keys: keys, origin: origin)
        try writeAll(page.bytes.span, at: Layout.pageAOffset)
        try writeAll(page.bytes.span, at: Layout.pageBOffset)
        try writeEndPage(page)
        try sync()
        let reopened = try Vault(LockedVault(self, environment), keys: keys)
        guard reopened.record == record, reopened.warnings.isEmpty else {
            throw FormatError(.damaged, "the new file, which does not read back as it was written")
        }
        guard isCheckedWhole else { return }
        try reopened.diagnosing { try reopened.manifest.readAll() }
        let check = try LockedVault(self, environment).verify()
        if let finding = check.findings.first(where: { $0.code == check.worst }) {
            throw FormatError(finding.code, finding.what, at: finding.range?.lowerBound)
        }
    }
}
