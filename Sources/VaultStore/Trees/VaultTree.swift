public import VaultFormat

/// The paths of a vault's records.
public struct VaultTree {
    /// By inner id.
    private let folders: [RecordID: Entry]
    private let entries: [Entry]
    /// The owners of other records; made when the first of those comes.
    private lazy var owners = Dictionary(
        entries.lazy.filter { !$0.kind.isInTree }.map { ($0.id, $0) },
        uniquingKeysWith: { first, _ in first })
    /// The path of each folder, and the number of folders that lead to it, itself included.
    private var paths: [RecordID: (path: BytePath, depth: Int)] = [:]
    /// The inner ids of folders known not to lead to the top.
    private var broken: Set<RecordID> = []
    /// The inner ids that two live folders have.
    private let ambiguous: Set<RecordID>

    /// Takes the live entries of a vault.
    public init(_ entries: [Entry]) {
        folders = Dictionary(
            entries.lazy.filter { $0.kind == .folder }.map { ($0.innerID, $0) },
            uniquingKeysWith: { $0.state == .live ? $0 : $1 })
        self.entries = entries
        var seen: Set<RecordID> = []
        ambiguous = Set(
            entries.lazy.filter { $0.kind == .folder && $0.state == .live }.map(\.innerID)
                .filter { !seen.insert($0).inserted })
    }

    /// The path of a file, folder or symlink; of anything else its title, behind that of the record it belongs to. What stands before the last title is cut
    /// behind `Limits.pathByteCount` + 1 bytes, which no file system takes: long titles in deep folders would fill
    /// any memory.
    ///
    /// - Throws: `FormatError.malformed` when a parent is missing, is no folder, two live folders have one inner id, or the
    ///   tree is deeper than `Limits.treeDepth`.
    public mutating func path(of entry: Entry) throws -> BytePath {
        guard entry.kind.isInTree else {
            let owner = entry.parent.flatMap { owners[$0] }
            return BytePath(owner?.overview.title ?? []).appending(entry.overview.title)
        }
        guard ambiguous.isEmpty else { throw FormatError(.malformed, "two folders with one inner id") }
        return try folderPath(entry.parent).path.appending(entry.overview.title)
    }

    /// Holds the folder with an inner id, and all around it, against the rules of a tree.
    ///
    /// - Throws: `FormatError.malformed` as `path`.
    mutating func checkFolder(_ inner: RecordID?) throws {
        guard ambiguous.isEmpty else { throw FormatError(.malformed, "two folders with one inner id") }
        _ = try folderPath(inner)
    }

    /// True if the folder with an inner id leads to the top by folders that are here, each of them the only one with its
    /// inner id, and is not too deep for an entry in it.
    mutating func isRooted(_ inner: RecordID?) -> Bool { (try? folderPath(inner)) != nil }

    private mutating func folderPath(_ inner: RecordID?) throws -> (path: BytePath, depth: Int) {
        // Upwards to a folder whose path is known, then back.
        var way: [Entry] = []
        var next = inner
        var known = (path: BytePath(""), depth: 0)
        while let id = next {
            if let path = paths[id] {
                known = path
                break
            }
            guard let folder = folders[id], way.count < Limits.treeDepth, !ambiguous.contains(id), !broken.contains(id)
            else {
                // The result is kept, so that the next walk along this way ends here.
                if let inner { broken.insert(inner) }
                throw FormatError(.malformed, "the parent of a record")
            }
            way.append(folder)
            next = folder.parent
        }
        for folder in way.reversed() {
            guard known.depth + 1 < Limits.treeDepth else {
                broken.insert(folder.innerID)
                throw FormatError(.malformed, "the parent of a record")
            }
            let path = known.path.appending(folder.overview.title).cut(to: Limits.pathByteCount + 1)
            known = (path, known.depth + 1)
            paths[folder.innerID] = known
        }
        return known
    }
}

/// Records with their paths, in the order that lists a folder right before what is in it.
public struct TreeListing: RandomAccessCollection {
    private let entries: [Entry]
    private let paths: [BytePath]
    private var order: [Int]

    /// Lists `entries` under `paths`, one for each.
    public init(_ entries: [Entry], paths: [BytePath]) {
        precondition(entries.count == paths.count, "each entry has a path")
        (self.entries, self.paths, order) = (entries, paths, Self.order(of: paths))
    }

    /// Lists all live entries of a vault.
    ///
    /// - Throws: `FormatError.malformed` as `VaultTree.path`.
    public init(_ entries: [Entry]) throws {
        var tree = VaultTree(entries)
        self.init(entries, paths: try entries.map { try tree.path(of: $0) })
    }

    /// 0.
    public var startIndex: Int { 0 }
    /// The number of records.
    public var endIndex: Int { order.count }
    /// One record.
    public subscript(_ index: Int) -> (path: BytePath, entry: Entry) { (paths[order[index]], entries[order[index]]) }

    /// As `[RecordID].digitCount`, of all records that were listed.
    public func idDigitCount() -> Int { entries.map(\.id).digitCount }

    /// Only what belongs to it, in the same order.
    public func selecting(_ belongs: (BytePath, Entry) throws -> Bool) rethrows -> TreeListing {
        var selection = self
        selection.order = try order.filter { try belongs(paths[$0], entries[$0]) }
        return selection
    }

    private static func order(of paths: [BytePath]) -> [Int] {
        // Side by side in one buffer, with the slash as the lowest byte: then the bytes alone give the order, and
        // nothing is counted or copied while it is sorted.
        var keys: [UInt8] = []
        keys.reserveCapacity(paths.reduce(0) { $0 + $1.bytes.count })
        let ranges = paths.map { path in
            keys += path.bytes
            return keys.count - path.bytes.count..<keys.count
        }
        for index in keys.indices where keys[index] == 0x2F { keys[index] = 0 }
        // The common prefix tells nothing; the 16 bytes behind it mostly tell all.
        let shared = sharedByteCount(keys, ranges)
        var order = ranges.indices.map { (head: head(keys, ranges[$0].dropFirst(shared)), place: $0) }
        unsafe keys.withUnsafeBytes { keys in
            order.sort { left, right in
                guard left.head == right.head else { return left.head < right.head }
                return unsafe isLess(keys[ranges[left.place]], keys[ranges[right.place]])
            }
        }
        return order.map(\.place)
    }

    /// Bytes with which all keys begin.
    private static func sharedByteCount(_ keys: [UInt8], _ ranges: [Range<Int>]) -> Int {
        guard let first = ranges.first else { return 0 }
        return ranges.reduce(first.count) { shared, range in
            let most = Swift.min(shared, range.count)
            return (0..<most).first { keys[range.lowerBound + $0] != keys[$0] } ?? most
        }
    }

    /// 16 bytes of a key, with zeros behind its end.
    private static func head(_ keys: [UInt8], _ range: Range<Int>) -> Bytes16 {
        func word(_ start: Int) -> UInt64 {
            (start..<start + 8).reduce(0) { $0 << 8 | (range.contains($1) ? UInt64(keys[$1]) : 0) }
        }
        return Bytes16(high: word(range.lowerBound), low: word(range.lowerBound + 8))
    }

    /// Bytewise, eight at a time.
    private static func isLess(_ left: Slice<UnsafeRawBufferPointer>, _ right: Slice<UnsafeRawBufferPointer>) -> Bool {
        var (i, j) = unsafe (left.startIndex, right.startIndex)
        let end = unsafe i + Swift.min(left.count, right.count)
        while i + 8 <= end {
            let a = unsafe left.base.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            let b = unsafe right.base.loadUnaligned(fromByteOffset: j, as: UInt64.self)
            if a != b { return a.bigEndian < b.bigEndian }
            (i, j) = (i + 8, j + 8)
        }
        while i < end {
            let (a, b) = unsafe (left[i], right[j])
            if a != b { return a < b }
            (i, j) = (i + 1, j + 1)
        }
        return unsafe left.count < right.count
    }
}

extension [RecordID] {
    /// Hexadecimal digits at the front of an id that tell it from the other ids; 8 at least.
    public var digitCount: Int {
        // Mostly they come in order.
        let isInOrder = !indices.dropFirst().contains { self[$0 - 1] > self[$0] }
        let ids = isInOrder ? self : sorted()
        return ids.indices.dropFirst().reduce(8) { Swift.max($0, ids[$1 - 1].commonBitCount(with: ids[$1]) / 4 + 1) }
    }
}
