import Glibc
import VaultFormat
import VaultRecords
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
        let time = timeText(FileTime(nanoseconds: Machine.store.now().seconds * 1_000_000_000)).filter {
            $0 != "-" && $0 != ":"
        }
        for number in 1... {
            // Comes after the one without in every list.
            let mark = number == 1 ? "" : "_\(number)"
            let path = folder.appending(stem + Array("-\(time)\(mark).qvault".utf8))
            if (try? files.status(path)) == nil { return path }
        }
        return folder
    }

    /// This vault's backups beyond the newest ones.
    ///
    /// - Parameter more: backups that are to come, which count too.
    func outdated(_ vault: Vault, keeping count: Int, with more: Int = 0) throws -> [BytePath] {
        guard (try? Machine.store.files.status(folder)) != nil else { return [] }
        let shelf = try Machine.store.files.openFolder(folder)
        // By what they hold, and not by a clock that may have been wrong.
        let mine = try shelf.entries().map(\.name).filter(isBackup).compactMap { name -> (UInt64, [UInt8])? in
            guard let locked = try? LockedVault(folder.appending(name), in: Machine.store), locked.header.isCopy,
                locked.header.vaultID == vault.id, let origin = locked.header.origin
            else { return nil }
            return (origin.sequence, name)
        }.sorted { $0.0 == $1.0 ? $0.1.lexicographicallyPrecedes($1.1) : $0.0 < $1.0 }
        return mine.dropLast(max(0, count - more)).map { folder.appending($0.1) }
    }

    /// Removes this vault's oldest backups, and says which.
    func thin(out vault: Vault, besides target: BytePath, keeping count: Int) throws -> [BytePath] {
        let doomed = try outdated(vault, keeping: count).filter { $0 != target }
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
