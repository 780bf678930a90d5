package import VaultIO
public import VaultFormat

extension VaultTransaction {
    /// The same with all saves from one on.
    ///
    /// - Parameter oldest: the oldest save that can be shown afterwards.
    @discardableResult
    public func rewrite(
        keeping oldest: UInt64, purging: Set<RecordID> = [], isEvidence: @escaping (Entry) -> Bool = { _ in false },
        progress: @escaping (UInt64) -> Void = { _ in }
    ) throws -> CommitRecord {
        try rewrite(
            keeping: .since(oldest, in: vault), purging: purging, isEvidence: isEvidence, progress: progress)
    }

    /// Writes the vault anew, in place of all that this save collected: every record under a fresh salt, without the
    /// versions that no kept save shows, and of the records in `purging` nothing but their ids. The trash is kept.
    ///
    /// - Parameters:
    ///   - saves: those that can be shown afterwards.
    ///   - isEvidence: true of older versions that are kept all the same.
    ///   - progress: told the bytes of content done so far.
    /// - Returns: the new newest commit, with which the file ends.
    /// - Throws: as `replace`; `FormatError` of a record that cannot be read.
    @discardableResult
    public func rewrite(
        keeping saves: KeptSaves, purging: Set<RecordID> = [], isEvidence: @escaping (Entry) -> Bool = { _ in false },
        progress: @escaping (UInt64) -> Void = { _ in }
    ) throws -> CommitRecord {
        let doomed = try purged(purging)
        let (next, now) = (vault.sequence + 1, environment.now())
        func isDoomed(_ version: Entry) -> Bool {
            version.kind != .piece && doomed[version.id]?.contains(version.first) ?? false
        }
        /// Of all versions of some records leaves those that stay.
        func select(_ versions: inout [Entry]) {
            versions.removeAll { isDoomed($0) && $0.last != nil }
            saves.thin(&versions, isEvidence: isEvidence)
        }
        let named = try vault.pieces { versions in
            select(&versions)
            versions.removeAll(where: isDoomed)
        }
        let versions = VaultVersions(vault: vault) { versions in
            select(&versions)
            versions.removeAll { $0.kind == .piece && ($0.last != nil || !named.contains($0.id)) }
            for index in doomed.isEmpty ? 0..<0 : versions.indices {
                let version = versions[index]
                guard isDoomed(version) else { continue }
                versions[index] = try Entry(burying: version, at: next, now)
            }
        }
        let record = try rewrite(versions, saves.lines, as: vault.next(slots: slots), progress)
        if !purging.isEmpty { overwriteOldPages() }
        return record
    }

    /// The versions that a purge of records removes, those under former ids too: by id, the saves that brought them.
    private func purged(_ ids: Set<RecordID>) throws -> [RecordID: Set<UInt64>] {
        let index = VersionIndex(vault)
        var doomed: [RecordID: Set<UInt64>] = [:]
        for id in ids {
            for version in try Vault.versions(of: id, { try index.versions($0) }) {
                doomed[version.id, default: []].insert(version.first)
            }
        }
        return doomed
    }

    /// Writes the vault anew under a new master key, with all that it holds. What was copied before opens with the old
    /// secrets for ever; what is saved from now on does not open with what they give.
    ///
    /// - Parameters:
    ///   - slots: makes the slots that wrap the new master key.
    ///   - progress: told the bytes of content done so far.
    /// - Returns: the new newest commit, and the new keys.
    /// - Throws: as `replace`; `FormatError` of a record that cannot be read.
    public func rotate(
        progress: @escaping (UInt64) -> Void = { _ in }, slots: (Keys) throws -> SlotArea
    ) throws -> (record: CommitRecord, keys: Keys) {
        let (target, keys) = try vault.rotated(sequence: vault.sequence + 1, slots: slots)
        let record = try rewrite(VaultVersions(vault: vault), vault.lines(), as: target, progress)
        overwriteOldPages()
        return (record, keys)
    }

    private func rewrite(
        _ versions: VaultVersions, _ lines: [CommitLine], as target: Rewrite.Target,
        _ progress: @escaping (UInt64) -> Void
    ) throws -> CommitRecord {
        try vault.checkEntries()
        let file = try makeReplacement()
        let record = try Rewrite(versions, lines: lines, source: vault.source, progress: progress)
            .write(to: file, as: target)
        try file.finish(naming: record, slots: target.slots, keys: target.keys, environment, isCheckedWhole: true)
        try replace(with: file)
        return record
    }

    /// Gives a finished file, made by `makeReplacement`, the vault's name. Both files stay locked until the name is
    /// durable, so that nobody saves into one that loses it.
    ///
    /// - Throws: `IOError`, and the vault is as before; `VaultError.outcomeUnknown`.
    package func replace(with file: any UnnamedFile) throws {
        precondition(!isFinished, "a transaction ends once")
        writer.abandon()
        try file.sync()
        let folder = try environment.files.openFolder(path.parent)
        guard try isAlone() else { throw VaultError.changedUnderneath }
        isFinished = true
        do {
            try file.publish(as: path.lastComponent, replacing: true)
        } catch let error as IOError where error.isNameInUse {
            // A mount point: the name leads to the old file as before.
            throw error
        } catch let error as IOError {
            throw VaultError.outcomeUnknown(error)
        }
        do { try folder.sync() } catch let error as IOError { throw VaultError.outcomeUnknown(error) }
        remainingLinkCount = (try? self.file.status().linkCount) ?? 0
        try keepSaveOfAnother(in: folder)
    }

    /// Looks at the replaced file once more. A writer that no lock kept out may have saved into it in the moment before the
    /// name went: that one, or this one, notices (Spec/store.md, 2). Its save gets a name beside the vault.
    ///
    /// - Throws: `VaultError.savedUnderneath`.
    private func keepSaveOfAnother(in folder: any Folder) throws {
        guard try !isUnchangedBefore() else { return }
        throw VaultError.savedUnderneath(try Restoration.keepAside(file, path, environment))
    }

    /// Overwrites the pages of a replaced file that has no name left, so that no secret opens what remains on the disk.
    /// Errors are ignored. Readers that have it open no longer need its pages, or open the vault again.
    private func overwriteOldPages() {
        guard let status = try? file.status(), status.linkCount == 0 else { return }
        try? file.overwritePages(environment)
    }

    /// A new file beside the vault, locked, to take its place.
    package func makeReplacement() throws -> any UnnamedFile {
        let new = try environment.files.openFolder(path.parent).makeFile(replacing: true)
        try new.takeAccess(of: file)
        return new
    }
}
