import Glibc
import VaultFormat
import VaultIO
import VaultStore

/// A folder of backups of one vault, each with the time in its name.
struct BackupShelf {
    private let folder: BytePath
    private let stem: [UInt8]

    init(_ folder: BytePath, _ vault: BytePath) {
        let name = vault.lastComponent
        (self.folder, stem) = (folder, name.suffix(7) == Array(".qvault".utf8)[...] ? Array(name.dropLast(7)) : name)
    }

    /// `documents-20260131T180000Z.qvault`, in UTC.
    func newName() throws -> BytePath {
        let files = Machine.store.files
        // A disk that is not plugged in has no folder either.
        guard (try? files.status(folder)) != nil else {
            throw Failure(
                .notFound, "\(folder): no such folder; is the disk plugged in?", hint: "'mkdir -p \(folder)' makes it")
        }
        let now = Timestamp(microseconds: UInt64(Machine.store.now().seconds) * 1_000_000)
        let time = timeText(now).filter { $0 != "-" && $0 != ":" }
        for number in 1... {
            // Comes after the one without in every list.
            let mark = number == 1 ? "" : "_\(number)"
            let path = folder.appending(stem + Array("-\(time)\(mark).qvault".utf8))
            if (try? files.status(path)) == nil { return path }
        }
        return folder
    }

    /// The files of the shelf, by what is known of them.
    struct Contents {
        /// This vault's backups: each was checked, and holds a save of this vault. The oldest comes first.
        var proven: [(sequence: UInt64, path: BytePath)] = []
        /// Files with the name of a backup that are none of those, and why.
        var others: [(path: BytePath, reason: Phrase)] = []

        /// The backups beyond the newest ones.
        func outdated(keeping count: Int) -> [BytePath] { proven.dropLast(max(0, count)).map(\.path) }
    }

    /// Looks at each file with the name of a backup. Only one that is sound, and whose newest save is one of this vault's by
    /// its fingerprint, counts: names, clocks and numbers that anybody can write prove nothing.
    func contents(_ vault: Vault) throws -> Contents {
        var contents = Contents()
        guard (try? Machine.store.files.status(folder)) != nil else { return contents }
        let names = try Machine.store.files.openFolder(folder).entries().map(\.name).filter(isBackup)
        for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let path = folder.appending(name)
            do {
                contents.proven.append((try Self.save(in: path, of: vault), path))
            } catch let error as Unproven {
                contents.others.append((path, error.reason))
            } catch let error as FormatError {
                contents.others.append((path, error.what))
            } catch let error as IOError {
                contents.others.append((path, error.message))
            }
        }
        contents.proven.sort { $0.sequence < $1.sequence }
        return contents
    }

    private struct Unproven: Error { let reason: Phrase }

    /// The save of a vault that a backup holds.
    private static func save(in path: BytePath, of vault: Vault) throws -> UInt64 {
        let locked = try LockedVault(path, in: Machine.store)
        guard locked.header.vaultID == vault.id else { throw Unproven(reason: "of another vault") }
        guard locked.header.isCopy else { throw Unproven(reason: "no backup") }
        let check = try locked.verify()
        guard check.findings.isEmpty, let newest = check.newest else { throw Unproven(reason: "damaged") }
        if try vault.holds(newest) { return newest.sequence }
        if let origin = try vault.origin(of: locked) { return origin }
        throw Unproven(reason: "it holds a save that this vault does not know")
    }

    /// Removes this vault's oldest backups. The one that was just made stays, whatever a clock gave it as a name.
    ///
    /// - Returns: the backups that were removed.
    func thin(_ contents: Contents, besides target: BytePath, keeping count: Int) throws -> [BytePath] {
        let doomed = contents.outdated(keeping: count).filter { $0 != target }
        let shelf = try Machine.store.files.openFolder(folder)
        for path in doomed { try shelf.removeFile(path.lastComponent) }
        return doomed
    }

    private func isBackup(_ name: [UInt8]) -> Bool {
        let shape = Array("-00000000T000000Z".utf8)
        let rest = name.dropFirst(stem.count)
        return name.starts(with: stem) && name.suffix(7) == Array(".qvault".utf8)[...]
            && rest.count >= shape.count + 7
            && zip(rest, shape).allSatisfy { $1 == UInt8(ascii: "0") ? (48...57).contains($0) : $0 == $1 }
    }
}
