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
        let start = stem + Array("-\(time)".utf8)
        let names =
            try environment.files.exists(folder) ? environment.files.openFolder(folder).entries().map(\.name) : []
        // Behind all of this second: those before may have been removed, and a name of theirs would be out of order.
        let number = (names.filter { $0.starts(with: start) }.map { self.number(in: $0) }.max() ?? 0) + 1
        let mark = number == 1 ? "" : "_\(number)"
        return folder.appending(start + Array("\(mark).qvault".utf8))
    }

    /// The number in the name of a backup among those of its second: `v-20260131T180000Z_2.qvault` is the second one.
    private func number(in name: [UInt8]) -> Int {
        let rest = name.dropFirst(stem.count + Self.shape.count)
        let digits = rest.dropFirst().prefix { 0x30...0x39 ~= $0 }
        guard rest.first == UInt8(ascii: "_"), 1...9 ~= digits.count else { return 1 }
        return digits.reduce(0) { 10 * $0 + Int($1 - 0x30) }
    }

    /// True if one name of a backup is of an earlier one than another, by its time and number.
    private func isEarlier(_ one: [UInt8], than other: [UInt8]) -> Bool {
        let (time, otherTime) = (one.prefix(stem.count + Self.shape.count), other.prefix(stem.count + Self.shape.count))
        guard time == otherTime else { return time.lexicographicallyPrecedes(otherTime) }
        let (place, otherPlace) = (number(in: one), number(in: other))
        return place == otherPlace ? one.lexicographicallyPrecedes(other) : place < otherPlace
    }

    /// The time in a name, behind the vault's: 0 stands for a digit.
    private static let shape = Array("-00000000T000000Z".utf8)

    /// The files of the shelf, by what is known of them.
    public struct Contents {
        /// This vault's backups: each was checked, and holds a save of this vault, made at this time. The oldest comes first.
        public var proven: [(sequence: UInt64, time: Timestamp, path: BytePath)] = []
        /// Files with the name of a backup that are none of those, and why.
        public var others: [(path: BytePath, reason: Phrase)] = []

        /// The backups that do not stay.
        ///
        /// - Parameters:
        ///   - next: the time of a save of which one more backup will be there.
        ///   - day: the day of a time, here.
        public func outdated(
            keeping retention: Retention, beside next: Timestamp? = nil, day: (Timestamp) -> Day
        ) -> [BytePath] {
            let kept = retention.kept((proven.map(\.time) + (next.map { [$0] } ?? [])).map(day))
            return proven.enumerated().filter { !kept.contains($0.offset) }.map(\.element.path)
        }
    }

    /// Looks at each file with the name of a backup. Only one that is sound, and whose newest save is one of this vault's by
    /// its fingerprint, counts: names, clocks and numbers that anybody can write prove nothing.
    ///
    /// - Throws: what reading the folder throws.
    public func contents(_ vault: Vault) throws -> Contents {
        var contents = Contents()
        guard try environment.files.exists(folder) else { return contents }
        let names = try environment.files.openFolder(folder).entries().map(\.name).filter(isBackup)
        for name in names.sorted(by: isEarlier) {
            let path = folder.appending(name)
            do {
                let sequence = try save(in: path, of: vault)
                let time = try sequence == vault.sequence ? vault.time : vault.line(of: sequence)?.time ?? .zero
                contents.proven.append((sequence, time, path))
            } catch {
                switch error {
                case let error as Unproven: contents.others.append((path, error.reason))
                case let error as FormatError: contents.others.append((path, error.what))
                case let error as IOError: contents.others.append((path, error.message))
                default: throw error
                }
            }
        }
        // Backups of one save stay in the order of their names.
        contents.proven = contents.proven.enumerated()
            .sorted { ($0.element.sequence, $0.offset) < ($1.element.sequence, $1.offset) }.map(\.element)
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

    /// Removes backups.
    ///
    /// - Throws: what the file system throws.
    public func remove(_ paths: [BytePath]) throws {
        let shelf = try environment.files.openFolder(folder)
        for path in paths { try shelf.removeFile(path.lastComponent) }
    }

    private func isBackup(_ name: [UInt8]) -> Bool {
        let rest = name.dropFirst(stem.count)
        return name.starts(with: stem) && name.suffix(7) == Array(".qvault".utf8)[...]
            && rest.count >= Self.shape.count + 7
            && zip(rest, Self.shape).allSatisfy { $1 == UInt8(ascii: "0") ? (48...57).contains($0) : $0 == $1 }
    }
}
