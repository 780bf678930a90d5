import VaultFormat
public import VaultIO
public import Values

/// A folder of backups of one vault, each with the time in its name.
public struct BackupShelf {
    private let folder: BytePath
    private let stem: [UInt8]
    private let environment: StoreEnvironment

    /// The backups of the vault at a path.
    public init(_ folder: BytePath, of vault: BytePath, in environment: StoreEnvironment) {
        let name = vault.lastComponent
        (self.folder, self.environment) = (folder, environment)
        stem = name.suffix(7) == Array(".qvault".utf8)[...] ? Array(name.dropLast(7)) : name
    }

    /// A path that is free: `documents-20260131T180000Z.qvault`, in UTC.
    ///
    /// - Throws: `IOError` where the system does not say whether a path is free.
    public func newName() throws -> BytePath {
        let time = Timestamp(second: environment.now().seconds).text.filter { $0 != "-" && $0 != ":" }
        for number in 1... {
            // Comes after the one without in every list.
            let mark = number == 1 ? "" : "_\(number)"
            let path = folder.appending(stem + Array("-\(time)\(mark).qvault".utf8))
            if try !environment.files.exists(path) { return path }
        }
        return folder
    }

    /// The files of the shelf, by what is known of them.
    public struct Contents {
        /// This vault's backups: each was checked, and holds a save of this vault. The oldest comes first.
        public var proven: [(sequence: UInt64, path: BytePath)] = []
        /// Files with the name of a backup that are none of those, and why.
        public var others: [(path: BytePath, reason: Phrase)] = []

        /// The backups beyond the newest ones.
        public func outdated(keeping count: Int) -> [BytePath] { proven.dropLast(max(0, count)).map(\.path) }
    }

    /// Looks at each file with the name of a backup. Only one that is sound, and whose newest save is one of this vault's by
    /// its fingerprint, counts: names, clocks and numbers that anybody can write prove nothing.
    ///
    /// - Throws: what reading the folder throws.
    public func contents(_ vault: Vault) throws -> Contents {
        var contents = Contents()
        guard try environment.files.exists(folder) else { return contents }
        let names = try environment.files.openFolder(folder).entries().map(\.name).filter(isBackup)
        for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let path = folder.appending(name)
            do { contents.proven.append((try save(in: path, of: vault), path)) } catch {
                switch error {
                case let error as Unproven: contents.others.append((path, error.reason))
                case let error as FormatError: contents.others.append((path, error.what))
                case let error as IOError: contents.others.append((path, error.message))
                default: throw error
                }
            }
        }
        contents.proven.sort { $0.sequence < $1.sequence }
        return contents
    }

    private struct Unproven: Error { let reason: Phrase }

    /// The save of a vault that a backup holds.
    private func save(in path: BytePath, of vault: Vault) throws -> UInt64 {
        let locked = try LockedVault(path, in: environment)
        guard locked.header.vaultID == vault.id else { throw Unproven(reason: "of another vault") }
        guard locked.header.isCopy else { throw Unproven(reason: "no backup") }
        let check = try locked.verify()
        guard check.worstBesidesParity == nil, let newest = check.newest else { throw Unproven(reason: "damaged") }
        if try vault.holds(newest) { return newest.sequence }
        if let origin = try vault.origin(of: locked) { return origin }
        throw Unproven(reason: "it holds a save that this vault does not know")
    }

    /// Removes this vault's oldest backups. The one that was just made stays, whatever a clock gave it as a name.
    ///
    /// - Returns: the backups that were removed.
    /// - Throws: what the file system throws.
    public func thin(_ contents: Contents, besides target: BytePath, keeping count: Int) throws -> [BytePath] {
        let doomed = contents.outdated(keeping: count).filter { $0 != target }
        let shelf = try environment.files.openFolder(folder)
        for path in doomed { try shelf.removeFile(path.lastComponent) }
        return doomed
    }

    private func isBackup(_ name: [UInt8]) -> Bool {
        let shape = Array("-00000000T000000Z".utf8)
        let rest = name.dropFirst(stem.count)
        return name.starts(with: stem) && name.suffix(7) == Array(".qvault".utf8)[...] && rest.count >= shape.count + 7
            && zip(rest, shape).allSatisfy { $1 == UInt8(ascii: "0") ? (48...57).contains($0) : $0 == $1 }
    }
}
