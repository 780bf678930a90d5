import VaultIO
public import VaultFormat

/// One save that a vault remembers.
public struct SaveInfo: Equatable, Sendable {
    /// Its number.
    public let sequence: UInt64
    /// When it was made.
    public let time: Timestamp
    /// True if the state after it can still be shown; compaction forgets.
    public let isKept: Bool

    init(_ line: CommitLine) {
        (sequence, time, isKept) = (line.sequence, line.time, line.recordOffset != nil)
    }
}

extension Vault {
    /// All saves that are remembered, oldest first; this state's own is the last.
    public func saves() throws -> [SaveInfo] { try lines().map(SaveInfo.init) }

    /// The lines of all earlier commits and of this one, oldest first.
    package func lines() throws -> [CommitLine] {
        let lines = try diagnosing { try manifest.segments.flatMap { try $0.lines() } }
        return lines.sorted { $0.sequence < $1.sequence } + [line]
    }

    /// True if a commit is this vault's newest, or one before it that the manifest has a line of.
    public func holds(_ core: Core) throws -> Bool {
        guard core.vaultID == id else { return false }
        return try core == record.core || line(of: core.sequence)?.fingerprint == core.fingerprint.prefix16
    }

    /// The save that a backup without history holds, where its page is signed with this vault's key and the save is this
    /// vault's; else nil.
    public func origin(of backup: LockedVault) throws -> UInt64? {
        guard let origin = backup.header.origin, backup.header.epoch == root.header.epoch,
            (try? backup.root.page.authenticate(keys)) != nil
        else { return nil }
        let fingerprint =
            origin.sequence == sequence
            ? record.core.fingerprint.prefix16 : try line(of: origin.sequence)?.fingerprint
        return fingerprint == origin.fingerprint.prefix16 ? origin.sequence : nil
    }

    /// Every version of every record, by id and then oldest first; also what is in the trash, and tombstones.
    public func versions() throws -> [Entry] {
        var versions = try allEntries()
        for segment in manifest.segments { versions += try diagnosing { try segment.entries(.past) } }
        versions.sort { ($0.id, $0.first) < ($1.id, $1.first) }
        return versions
    }

    /// Records at most, tombstones too, without reading them all.
    public var recordBound: Int { manifest.segments.reduce(0) { $0 + $1.head.live.reduce(0) { $0 + $1.count } } }

    /// The vault as it was after a save.
    ///
    /// - Throws: `VaultError.noSuchSave`; all that reading the manifest throws.
    public func snapshot(atSave sequence: UInt64) throws -> Vault {
        let saves = try saves()
        guard let moment = saves.last(where: { $0.sequence == sequence }), moment.isKept else {
            throw VaultError.noSuchSave(sequence, oldest: saves.first(where: \.isKept)?.sequence ?? self.sequence)
        }
        return Vault(self, showing: Self.rooted(try versions().filter { $0.holds(at: sequence) }))
    }

    /// Without what lay in a folder that was purged since.
    private static func rooted(_ versions: [Entry]) -> [Entry] {
        var tree = VaultTree(versions.filter { $0.kind == .folder && $0.state == .live })
        return versions.filter { !$0.kind.isInTree || $0.state != .live || tree.isRooted($0.parent) }
    }

    /// The number of the newest save that was made at a time or before. A save counts as
    /// made no earlier than the one before it; one from the future, as made at the time of that one.
    ///
    /// - Throws: `VaultError.noSuchSave`.
    public func sequence(at time: Timestamp) throws -> UInt64 {
        let saves = try saves()
        guard let moment = SaveInfo.last(of: saves, madeBy: time, now: environment.now(), believingFuture: false) else {
            throw VaultError.noSuchSave(nil, oldest: saves.first(where: \.isKept)?.sequence ?? sequence)
        }
        return moment.sequence
    }
}

extension SaveInfo {
    /// The last of the saves, oldest first, that was made at a time or before. Clocks go wrong: a save counts as made no
    /// earlier than the one before it.
    ///
    /// - Parameter believingFuture: a save from the future counts as made now; else at the time of the one before it.
    static func last(of saves: [SaveInfo], madeBy time: Timestamp, now: Timestamp, believingFuture: Bool) -> SaveInfo? {
        var latest = Timestamp.zero
        var result: SaveInfo?
        for moment in saves {
            if moment.time <= now { latest = max(latest, moment.time) } else if believingFuture { latest = now }
            guard latest <= time else { break }
            result = moment
        }
        return result
    }
}

extension Vault {
    /// The oldest save that has to be kept so that the vault can be shown as it was at any time in the last `age`
    /// microseconds.
    public func oldestSave(since age: UInt64) throws -> UInt64 {
        let kept = try saves().filter(\.isKept)
        let now = environment.now()
        return
            (SaveInfo.last(
                of: kept, madeBy: Timestamp(microseconds: now.microseconds - min(now.microseconds, age)), now: now,
                believingFuture: true) ?? kept.first)?
            .sequence ?? sequence
    }
}
