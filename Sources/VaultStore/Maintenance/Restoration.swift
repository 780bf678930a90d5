import VaultIO
import VaultCrypto
public import VaultFormat

/// Puts a backup into the place of a vault: its log as it is, and one more commit, whose sequence is above all that
/// anybody has seen, so that nothing older is ever taken for newer (Spec/store.md, 11).
public struct Restoration {
    /// The vault as it is now.
    public let vault: Vault
    /// The path at which the replaced file is kept; nil if there was none.
    public let replaced: BytePath?
    /// True if the slots of the replaced vault stay in force, and those of the backup, which were others, do not come back.
    public let keepsSlots: Bool

    /// The new master key of a backup from before a rotation.
    public struct Renewal {
        /// The counter of the newest epoch that is known.
        let newest: UInt64
        /// Makes the slots that wrap the new master key.
        let slots: (Keys) throws -> SlotArea

        /// - Parameters:
        ///   - newest: the counter of the newest epoch that is known.
        ///   - slots: makes the slots that wrap the new master key.
        public init(after newest: UInt64, slots: @escaping (Keys) throws -> SlotArea) {
            (self.newest, self.slots) = (newest, slots)
        }
    }

    fileprivate init(
        _ backup: Vault, to target: BytePath, above seen: UInt64, renewal: Renewal?, timeout: Duration,
        expecting: (CommitRecord, Keys) -> Void, progress: @escaping (UInt64) -> Void
    ) throws {
        let environment = backup.environment
        let isThere = try environment.files.exists(target)
        let target = isThere ? try environment.files.resolve(target) : target
        // Held until the new file has the name.
        let old = isThere ? try VaultLock.open(target, environment, timeout: timeout) : nil
        let folder = try environment.files.openFolder(target.parent)
        TemporaryFiles.removeStale(in: target.parent, environment.files, besides: try old?.status())
        let new = try folder.makeFile(replacing: isThere)
        if let old { try new.takeAccess(of: old) }
        let present = try old.flatMap { try Self.root(of: $0, like: backup) }
        let floor =
            [seen, backup.root.header.origin?.sequence ?? 0, present?.header.sequence ?? 0]
            .filter { $0 <= Limits.remembered }.max() ?? 0
        let slots = present?.slots ?? backup.root.slots
        let extensions = try old.flatMap { file in try present.flatMap { try Self.extensions(of: $0, in: file) } }
        keepsSlots = renewal == nil && slots != backup.root.slots
        let keys =
            try renewal.map { try backup.renew(into: new, above: floor, $0, progress) }
            ?? backup.repeatLog(into: new, above: floor, slots, extensions, progress)
        vault = try Vault(LockedVault(new, environment), keys: keys)
        if !isThere { _ = try? new.lock() }
        replaced = try old.map { try Self.keepAside($0, target, in: folder, environment) }
        expecting(vault.record, keys)
        do {
            try new.publish(as: target, replacing: isThere)
        } catch {
            // The old file is to have one name again.
            if let replaced { try? folder.removeFile(replaced.lastComponent) }
            throw error
        }
        do { try folder.sync() } catch let error as IOError { throw VaultError.outcomeUnknown(error) }
        withExtendedLifetime(old) {}
    }

    /// The extension area that the slots of a replaced vault need. Nil where it cannot be read: the area of the backup stays then,
    /// which has the items of those slots that have not changed since.
    private static func extensions(of root: Root, in file: any File) throws -> [UInt8]? {
        do { return try root.page.record().core.extensionArea.map(file.extensionBytes) ?? [] } catch is FormatError {
            return nil
        }
    }

    /// The pages of a file, if it is a state of the same vault under the same master key, whatever became of its records.
    ///
    /// - Throws: `IOError` of a file that cannot be read: nobody knows what it holds, and which slots are in force.
    fileprivate static func root(of file: any File, like backup: Vault) throws -> Root? {
        do {
            let root = try LockedVault(file, backup.environment).root
            guard root.header.vaultID == backup.root.header.vaultID, root.header.epoch == backup.root.header.epoch
            else { return nil }
            try root.page.authenticate(backup.keys)
            return root
        } catch is FormatError { return nil }
    }

    /// Gives the file a second name: `v-replaced-1.qvault`, or the first number that is free. Where the file system
    /// has no second names, a copy gets it.
    static func keepAside(
        _ old: any File, _ target: BytePath, in folder: any Folder, _ environment: StoreEnvironment
    ) throws -> BytePath {
        for number in 1... {
            let aside = asidePath(of: target, number)
            do {
                try folder.link(target.lastComponent, as: aside.lastComponent)
                return aside
            } catch let error as IOError where error.isNameTaken {
                continue
            } catch let error as IOError where error.isUnsupported {
                if try folder.exists(aside.lastComponent) { continue }
                try copy(old, to: aside, environment)
                return aside
            }
        }
        preconditionFailure("numbers do not end")
    }

    /// The same for a file that has no name any more.
    static func keepAside(_ old: any File, _ target: BytePath, _ environment: StoreEnvironment) throws -> BytePath {
        for number in 1... {
            let aside = asidePath(of: target, number)
            if try environment.files.exists(aside) { continue }
            try copy(old, to: aside, environment)
            return aside
        }
        preconditionFailure("numbers do not end")
    }

    /// `v-replaced-1.qvault`.
    private static func asidePath(of target: BytePath, _ number: Int) -> BytePath {
        let name = target.lastComponent
        let ending = Array(".qvault".utf8)
        let (stem, suffix) = name.suffix(7) == ending[...] ? (name.dropLast(7), ending) : (name[...], [])
        return target.parent.appending(stem + Array("-replaced-\(number)".utf8) + suffix)
    }

    private static func copy(_ old: any File, to aside: BytePath, _ environment: StoreEnvironment) throws {
        let new = try AtomicFile(vault: aside, environment)
        let size = try old.status().size
        for start in stride(from: 0, to: size, by: 1 << 20) {
            try environment.checkCancellation()
            let bytes = try old.bytes(at: start, count: Int(min(1 << 20, size - start)))
            try new.file.writeAll(bytes.span, at: start)
        }
        try new.file.sync()
        try new.publishDurably()
    }
}

extension Vault {
    /// Copies the log as it is, with a commit on top.
    fileprivate func repeatLog(
        into new: any UnnamedFile, above floor: UInt64, _ slots: SlotArea, _ extensions: [UInt8]?,
        _ progress: @escaping (UInt64) -> Void
    ) throws -> Keys {
        try copyLog(to: new, progress)
        try new.finish(naming: record, slots: root.slots, keys: keys, environment)
        let base = try Vault(LockedVault(new, environment), keys: keys)
        var basis = CommitChanges.Basis(
            vaultID: id, epoch: base.root.header.epoch, sequence: try next(after: floor), start: base.record.core.end,
            previous: base)
        basis.extensions = extensions
        let newest = try CommitWriter(new, basis, keys: keys, environment).finish(slots: slots)
        try new.finish(naming: newest, slots: slots, keys: keys, environment, isCheckedWhole: true)
        return keys
    }

    /// Writes all anew under a new master key, in an epoch after all that are known.
    fileprivate func renew(
        into new: any UnnamedFile, above floor: UInt64, _ renewal: Restoration.Renewal,
        _ progress: @escaping (UInt64) -> Void
    ) throws -> Keys {
        let (target, keys) = try rotated(
            after: renewal.newest, sequence: next(after: floor), slots: renewal.slots)
        let record = try Rewrite(VaultVersions(vault: self), lines: lines(), source: source, progress: progress)
            .write(to: new, as: target)
        try new.finish(naming: record, slots: target.slots, keys: keys, environment, isCheckedWhole: true)
        return keys
    }

    private func next(after floor: UInt64) throws -> UInt64 {
        let newest = max(floor, sequence)
        guard newest < Limits.counter else {
            throw FormatError(.invalid, "the vault has as many commits as the format allows")
        }
        return newest + 1
    }
}

extension Vault {
    /// Puts this backup, or any vault, into the place of a vault.
    ///
    /// - Parameters:
    ///   - target: the vault's path; a file there is kept under another name.
    ///   - seen: the newest sequence that is known from elsewhere.
    ///   - renewal: a new master key, for a backup of a retired one; all is encrypted anew then.
    ///   - timeout: how long to wait for a writer of the replaced vault.
    ///   - progress: told the bytes done so far.
    ///   - expecting: told of the newest commit just before its file gets the name.
    /// - Throws: `VaultError` `.busy`, `.outcomeUnknown`, `.readOnly` for features that are not known; `FormatError`, `IOError`.
    ///   Until then all is as before. The caller verifies the backup first.
    public func restore(
        to target: BytePath, above seen: UInt64, renewal: Restoration.Renewal? = nil, timeout: Duration = .seconds(10),
        progress: @escaping (UInt64) -> Void = { _ in }, expecting: (CommitRecord, Keys) -> Void = { _, _ in }
    ) throws -> Restoration {
        try checkReproducible()
        try checkEntries()
        return try Restoration(
            self, to: target, above: seen, renewal: renewal, timeout: timeout, expecting: expecting,
            progress: progress)
    }

    /// The key slots that stay in force when this backup is restored to a path: those of the vault there, if its pages can be
    /// read and it is under the same master key; else nil, and those of the backup come back.
    ///
    /// - Throws: `IOError` of a file that cannot be read.
    public func slotsInForce(at target: BytePath) throws -> SlotArea? {
        guard try environment.files.exists(target) else { return nil }
        return try Restoration.root(of: environment.files.openFile(target, writing: false), like: self)?.slots
    }
}
