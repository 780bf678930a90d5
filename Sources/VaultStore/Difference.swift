public import VaultFormat

/// What is at one path in one state of a vault and in another.
public struct Difference: Sendable {
    /// How the second differs from the first.
    public enum Kind: Sendable {
        case added, removed
        /// Another content, or another kind of record.
        case changed
        /// The same content with another time, mode, tag or the like.
        case relabelled
    }

    /// Where.
    public let path: Path
    /// How.
    public let kind: Kind
    /// The record in the first.
    public let old: Entry?
    /// The record in the second.
    public let new: Entry?

    /// All differences from one state to another, by path; of the same vault or of two. Records are matched by id; those
    /// left over, by kind and path if each side has exactly one.
    ///
    /// - Throws: what reading either vault throws; content is read where only that tells.
    public static func all(from old: Vault, to new: Vault) throws -> [Difference] {
        let (before, after) = (try TreeListing(old.entries()), try TreeListing(new.entries()))
        let pairs = Self.pairs(before, after)
        let matched = Set(pairs.values.map(\.id))
        let comparison = try ContentComparison(old, new)
        var result = before.filter { !matched.contains($0.entry.id) }.map {
            Difference(path: $0.path, kind: .removed, old: $0.entry, new: nil)
        }
        for (path, entry) in after {
            guard let old = pairs[entry.id] else {
                result.append(Difference(path: path, kind: .added, old: nil, new: entry))
                continue
            }
            if try !comparison.isSame(old, entry) {
                result.append(Difference(path: path, kind: .changed, old: old, new: entry))
            } else if old.overview != entry.overview {
                result.append(Difference(path: path, kind: .relabelled, old: old, new: entry))
            }
        }
        return result.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
    }

    /// The record of the first listing for each id of the second.
    private static func pairs(_ before: TreeListing, _ after: TreeListing) -> [RecordID: Entry] {
        let there = Dictionary(before.map { ($0.entry.id, $0.entry) }, uniquingKeysWith: { first, _ in first })
        var pairs = Dictionary(
            after.compactMap { item in there[item.entry.id].map { (item.entry.id, $0) } },
            uniquingKeysWith: { first, _ in first })
        struct Name: Hashable {
            let path: Path
            let kind: UInt16
        }
        func alone(_ items: [(path: Path, entry: Entry)]) -> [Name: Entry] {
            Dictionary(grouping: items) { Name(path: $0.path, kind: $0.entry.kind) }
                .compactMapValues { $0.count == 1 ? $0[0].entry : nil }
        }
        let still = Set(after.map(\.entry.id))
        let gone = alone(before.filter { !still.contains($0.entry.id) })
        for (name, entry) in alone(after.filter { there[$0.entry.id] == nil }) { pairs[entry.id] = gone[name] }
        return pairs
    }
}

/// Holds records of two vaults against each other.
final class ContentComparison {
    private let left, right: Vault
    private var leftReader, rightReader: RecordReader
    private var leftBytes = [UInt8](repeating: 0, count: 1 << 17)
    private var rightBytes = [UInt8](repeating: 0, count: 1 << 17)

    init(_ left: Vault, _ right: Vault) throws {
        let leftReader = try left.reader()
        let rightReader = try right.reader()
        (self.left, self.right) = (left, right)
        self.leftReader = leftReader
        self.rightReader = rightReader
    }

    /// Whether two records have one kind and the same bytes.
    func isSame(_ a: Entry, _ b: Entry) throws -> Bool {
        guard a.kind == b.kind, a.length == b.length else { return false }
        if a.salt == b.salt || a.length == 0 { return true }
        try left.diagnosing { try leftReader.open(a) }
        try right.diagnosing { try rightReader.open(b) }
        while true {
            try left.environment.checkCancellation()
            let count = try left.diagnosing {
                var span = leftBytes.mutableSpan
                return try leftReader.pull(into: &span)
            }
            try right.diagnosing {
                var span = rightBytes.mutableSpan
                _ = try rightReader.pull(into: &span)
            }
            if leftBytes[..<count] != rightBytes[..<count] { return false }
            if count < leftBytes.count { return true }
        }
    }
}
