public import Values
import VaultFormat
import VaultIO

/// The saves of a vault that a rewriting keeps: those that can be shown afterwards. The newest is one of them.
public struct KeptSaves: Sendable {
    /// The saves with lines, ascending, and whether each is kept.
    private let saves: [(line: CommitLine, isKept: Bool)]
    /// The numbers of those that are kept, and of all.
    private let kept, all: [UInt64]

    private init(_ lines: [CommitLine], _ isKept: (Int) -> Bool) {
        saves = lines.indices.map { (lines[$0], lines[$0].recordOffset != nil && isKept($0) || $0 == lines.count - 1) }
        kept = saves.filter(\.isKept).map(\.line.sequence)
        all = lines.map(\.sequence)
    }

    /// All saves from one on that can be shown now.
    ///
    /// - Throws: what reading the manifest throws.
    public static func since(_ oldest: UInt64, in vault: Vault) throws -> KeptSaves {
        let lines = try vault.lines()
        return KeptSaves(lines) { lines[$0].sequence >= oldest }
    }

    /// The saves that a rule keeps, of those that can be shown now.
    ///
    /// - Parameter day: the day of a time, here. A save counts as made no earlier than the one before it; one from the
    ///   future, as made now.
    /// - Throws: what reading the manifest throws.
    public static func by(
        _ retention: Retention, in vault: Vault, day: (Timestamp) -> Day
    ) throws -> KeptSaves {
        let lines = try vault.lines()
        let shown = lines.indices.filter { lines[$0].recordOffset != nil || $0 == lines.count - 1 }
        let now = vault.environment.now()
        var latest = Timestamp.zero
        let days = shown.map { place in
            latest = max(latest, min(lines[place].time, now))
            return day(latest)
        }
        let kept = Set(retention.kept(days).map { shown[$0] })
        return KeptSaves(lines, kept.contains)
    }

    /// Some saves, of those that can be shown now, and the newest.
    ///
    /// - Throws: what reading the manifest throws.
    package static func only(_ wanted: Set<UInt64>, in vault: Vault) throws -> KeptSaves {
        let lines = try vault.lines()
        return KeptSaves(lines) { wanted.contains(lines[$0].sequence) }
    }

    /// The saves that are kept, of those that can be shown now.
    public var counts: (kept: Int, all: Int) {
        (kept.count, saves.count { $0.isKept || $0.line.recordOffset != nil })
    }

    /// The lines of all earlier commits and of the newest, as the new file has them.
    var lines: [CommitLine] { saves.map { $0.isKept ? $0.line : CommitLine(forgetting: $0.line) } }

    /// True if a save that is kept shows a version, or nobody knows which saves did.
    private func shows(_ version: Entry) -> Bool {
        guard let last = version.last else { return true }
        guard last >= kept.first ?? 0 else { return false }
        func isAny(among saves: [UInt64]) -> Bool {
            let place = saves.firstIndex(from: 0) { $0 >= version.first }
            return place < saves.count && saves[place] <= last
        }
        return isAny(among: kept) || !isAny(among: all)
    }

    /// Removes the versions that no kept save shows. A version behind such a gap, with another one before it, begins where
    /// the gap began, with its save as its origin (Spec/store.md, 10): versions that follow each other still do.
    ///
    /// - Parameters:
    ///   - versions: all versions of some records, by id and then oldest first.
    ///   - isEvidence: true of versions that stay all the same.
    func thin(_ versions: inout [Entry], isEvidence: (Entry) -> Bool) {
        var (result, gap): ([Entry], [Entry]) = ([], [])
        result.reserveCapacity(versions.count)
        for version in versions {
            if gap.last.map({ $0.id != version.id }) ?? false { gap = [] }
            guard shows(version) || isEvidence(version) else {
                gap.append(version)
                continue
            }
            if let before = result.last, before.id == version.id, follow([before] + gap + [version]), !gap.isEmpty {
                if let bridged = bridged(version, gap) { result.append(bridged) } else { result += gap + [version] }
            } else {
                result.append(version)
            }
            gap = []
        }
        versions = result
    }

    /// True if each version ended right before the next one began.
    private func follow(_ versions: [Entry]) -> Bool {
        zip(versions, versions.dropFirst()).allSatisfy { $0.last == $1.first - 1 }
    }

    /// A version that takes over the saves of those that are gone before it; nil where its origin has no place, or is not known.
    private func bridged(_ version: Entry, _ gap: [Entry]) -> Entry? {
        guard let first = gap.first?.first, !version.isTombstone,
            !(gap + [version]).contains(where: { $0.formerID != nil })
        else { return nil }
        var bridged = version
        if version.origin == nil {
            let place = saves.firstIndex(from: 0) { $0.line.sequence >= version.first }
            guard place < saves.count, saves[place].line.sequence == version.first else { return nil }
            bridged.origin = VersionOrigin(sequence: version.first, save: saves[place].line.fingerprint)
        }
        bridged.first = first
        return bridged
    }
}
