import VaultIO
public import VaultFormat

/// A path in one state of a vault and in another.
public struct Difference: Sendable {
    /// The kind of difference between the first and the second.
    public enum Kind: Sendable {
        case added, removed
        /// Another content, or another kind of record.
        case changed
        /// The same content with another time, mode, tag or the like.
        case relabelled
        /// The same under another path.
        case moved
    }

    /// Its path in the second; of what was removed, in the first.
    public let path: BytePath
    /// The path from which it was moved; nil if it was not.
    public let oldPath: BytePath?
    /// How.
    public let kind: Kind
    /// The record in the first.
    public let old: Entry?
    /// The record in the second.
    public let new: Entry?

    /// The record of the first listing for each id of the second.
    fileprivate static func pairs(
        _ before: TreeListing, _ after: TreeListing, _ new: Vault
    ) throws -> [RecordID: Entry] {
        let there = Dictionary(before.map { ($0.entry.id, $0.entry) }, uniquingKeysWith: { first, _ in first })
        var pairs = Dictionary(
            after.compactMap { item in there[item.entry.id].map { (item.entry.id, $0) } },
            uniquingKeysWith: { first, _ in first })
        // A moved record is matched by a former id.
        if pairs.count < after.count, pairs.count < before.count {
            let present = Set(after.map(\.entry.id))
            let known = Dictionary(grouping: try new.versions(), by: \.id)
            for (_, entry) in after where pairs[entry.id] == nil {
                let former = Vault.versions(of: entry.id, until: entry.last) { known[$0] ?? [] }
                    .last { there[$0.id] != nil && !present.contains($0.id) }
                pairs[entry.id] = former.flatMap { there[$0.id] }
            }
        }
        struct Name: Hashable {
            let path: BytePath
            let kind: Entry.Kind
        }
        func alone(_ items: [(path: BytePath, entry: Entry)]) -> [Name: Entry] {
            Dictionary(grouping: items) { Name(path: $0.path, kind: $0.entry.kind) }
                .compactMapValues { $0.count == 1 ? $0[0].entry : nil }
        }
        let matched = Set(pairs.values.map(\.id))
        let gone = alone(before.filter { !matched.contains($0.entry.id) })
        for (name, entry) in alone(after.filter { pairs[$0.entry.id] == nil }) { pairs[entry.id] = gone[name] }
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

    /// True if two records have one kind and the same bytes.
    func isSame(_ a: Entry, _ b: Entry) throws -> Bool {
        guard a.kind == b.kind, a.length == b.length else { return false }
        if a.salt == b.salt || a.length == 0 { return true }
        try left.diagnosing { try leftReader.open(left.manifest.contents(of: a, with: &leftReader)) }
        try right.diagnosing { try rightReader.open(right.manifest.contents(of: b, with: &rightReader)) }
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

extension Vault {
    /// All differences from this state to another, by path; of the same vault or of two. Records are matched by id; those
    /// left over, by kind and path if each side has exactly one.
    ///
    /// - Throws: what reading either vault throws; content is read where only that tells.
    public func differences(to new: Vault) throws -> [Difference] {
        let (before, after) = (try listing(), try new.listing())
        let pairs = try Difference.pairs(before, after, new)
        let oldPaths = Dictionary(before.map { ($0.entry.id, $0.path) }, uniquingKeysWith: { first, _ in first })
        let matched = Set(pairs.values.map(\.id))
        let comparison = try ContentComparison(self, new)
        var result = before.filter { !matched.contains($0.entry.id) }.map {
            Difference(path: $0.path, oldPath: nil, kind: .removed, old: $0.entry, new: nil)
        }
        for (path, entry) in after {
            guard let old = pairs[entry.id] else {
                result.append(Difference(path: path, oldPath: nil, kind: .added, old: nil, new: entry))
                continue
            }
            // Records inside a moved folder keep their ids and are not listed.
            let isMoved = old.id != entry.id && oldPaths[old.id] != path
            let kind: Difference.Kind? =
                if try !comparison.isSame(old, entry) { .changed } else if isMoved {
                    .moved
                } else if old.overview != entry.overview { .relabelled } else { nil }
            guard let kind else { continue }
            let oldPath = isMoved ? oldPaths[old.id] : nil
            result.append(Difference(path: path, oldPath: oldPath, kind: kind, old: old, new: entry))
        }
        return result.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
    }

    /// The live records, without those of the store itself.
    private func listing() throws -> TreeListing { try TreeListing(entries().filter { !$0.kind.isOfStore }) }
}
