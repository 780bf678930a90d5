import Synchronization
public import VaultFormat

/// The columns of a list.
public struct ListedRecord: Sendable {
    /// Its id.
    public let id: RecordID
    /// See `Entry.Kind`.
    public let kind: Entry.Kind
    /// Length of the content in bytes.
    public let length: UInt64
    /// 1, then one more with every change.
    public let revision: UInt64
    /// Microseconds since 1970.
    public let created: Timestamp
    /// Microseconds since 1970.
    public let updated: Timestamp
    /// Modification time of a file, folder or symlink, in nanoseconds since 1970.
    public let modified: FileTime?
    /// True if someone may execute the file.
    public let isExecutable: Bool

    /// Takes the columns from an entry.
    public init(_ entry: Entry) {
        (id, kind, length, revision) = (entry.id, entry.kind, entry.length, entry.revision)
        (created, updated, modified) = (entry.created, entry.updated, entry.overview.modified)
        isExecutable = entry.overview.isExecutable
    }
}

/// All live records of a vault with their paths, a folder right before what is in it, records of one path by id, without
/// those that only serve others (`Entry.Kind.isPart`). A record takes some 130 bytes, half of what its entry takes.
public struct RecordList: RandomAccessCollection, Sendable {
    private struct Row: Sendable {
        let record: ListedRecord
        let parent: RecordID?
        let title: Range<UInt32>

        var isOfTree: Bool { record.kind.isInTree }
    }

    /// Records that were read together, and their titles.
    private struct Block: Sendable {
        var rows: [Row] = []
        var titles: [UInt8] = []

        init(_ entries: [Entry]) {
            rows.reserveCapacity(entries.count)
            titles.reserveCapacity(entries.reduce(0) { $0 + $1.overview.title.count })
            for entry in entries {
                let start = UInt32(titles.count)
                titles += entry.overview.title
                let row = Row(record: ListedRecord(entry), parent: entry.parent, title: start..<UInt32(titles.count))
                rows.append(row)
            }
        }
    }

    private struct Place: Hashable, Sendable {
        let block, row: UInt32
    }

    /// The sort key of records in one folder.
    private struct Key {
        let folder: UInt32
        /// The first bytes of the title.
        let head: UInt64
        let place: Place
    }

    private let blocks: [Block]
    private var order: [Place] = []
    /// The paths of the folders by inner id.
    private let folders: [RecordID: BytePath]
    /// The titles of records that others belong to, by id.
    private let owners: [RecordID: [UInt8]]

    /// Lists the live records of a vault.
    ///
    /// - Throws: as `Vault.entries`; `FormatError.malformed` as `VaultTree.path`.
    public init(_ vault: Vault) throws {
        let found = Mutex((folders: [Entry](), owned: Set<RecordID>()))
        blocks = try vault.flatMapEntries { all in
            let entries = all.filtered { !$0.kind.isPart }
            let folders = entries.filter { $0.kind == .folder }
            let owned = entries.filter { !$0.kind.isInTree }.compactMap(\.parent)
            found.withLock { found in
                found.folders += folders
                found.owned.formUnion(owned)
            }
            return [Block(entries)]
        }
        let (folders, owned) = found.withLock { $0 }
        self.folders = try Self.paths(folders)
        let owners =
            owned.isEmpty ? [] : try vault.entries { owned.contains($0.id) && !$0.kind.isInTree }
        self.owners = Dictionary(
            owners.map { ($0.id, $0.overview.title) }, uniquingKeysWith: { first, _ in first })
        order = try arranged(folders)
    }

    /// The paths of the folders in which something may lie.
    private static func paths(_ folders: [Entry]) throws -> [RecordID: BytePath] {
        var tree = VaultTree(folders)
        var paths: [RecordID: BytePath] = [:]
        for folder in folders {
            let path = try tree.path(of: folder).cut(to: Limits.pathByteCount + 1)
            // The deepest folder is empty.
            if (try? tree.checkFolder(folder.innerID)) != nil { paths[folder.innerID] = path }
        }
        return paths
    }

    /// 0.
    public var startIndex: Int { 0 }
    /// The number of records.
    public var endIndex: Int { order.count }
    /// One record.
    public subscript(_ index: Int) -> (path: BytePath, record: ListedRecord) {
        let row = row(order[index])
        let folder = row.isOfTree ? row.parent.flatMap { folders[$0] } : nil
        let path = BytePath(Array(title(order[index])))
        return (folder?.appending(path.bytes) ?? path, row.record)
    }

    /// As `[RecordID].digitCount`.
    public func idDigitCount() -> Int { blocks.flatMap { $0.rows.map(\.record.id) }.digitCount }

    /// The kinds of its records.
    public func kinds() -> Set<Entry.Kind> {
        var kinds: Set<Entry.Kind> = []
        var last: Entry.Kind?
        for block in blocks {
            for row in block.rows where row.record.kind != last {
                last = row.record.kind
                kinds.insert(row.record.kind)
            }
        }
        return kinds
    }

    private func row(_ place: Place) -> Row { blocks[Int(place.block)].rows[Int(place.row)] }

    /// The title of a record of the tree; of any other one, behind that of the record it belongs to.
    private func title(_ place: Place) -> ArraySlice<UInt8> {
        let row = row(place)
        let title = blocks[Int(place.block)].titles[Int(row.title.lowerBound)..<Int(row.title.upperBound)]
        guard !row.isOfTree, let owner = row.parent.flatMap({ owners[$0] }) else { return title }
        return BytePath(owner).appending(Array(title)).bytes[...]
    }

    /// The places of all records, from the top down.
    private func arranged(_ folders: [Entry]) throws -> [Place] {
        let numbers = Dictionary(
            zip(folders.map(\.innerID).filter { self.folders[$0] != nil }, 1...),
            uniquingKeysWith: { first, _ in first })
        let innerIDs = Dictionary(folders.map { ($0.id, $0.innerID) }, uniquingKeysWith: { first, _ in first })
        let keys = try sortedKeys(numbers)
        var ranges = [Range<Int>](repeating: 0..<0, count: folders.count + 1)
        for (index, key) in keys.enumerated() {
            let range = ranges[Int(key.folder)]
            ranges[Int(key.folder)] = (range.isEmpty ? index : range.lowerBound)..<index + 1
        }
        var order: [Place] = []
        order.reserveCapacity(keys.count)
        var stack = [ranges[0]]
        while var range = stack.popLast() {
            while let index = range.first {
                range = range.dropFirst()
                order.append(keys[index].place)
                let record = row(keys[index].place).record
                guard record.kind == .folder, let number = innerIDs[record.id].flatMap({ numbers[$0] })
                else { continue }
                stack.append(range)
                range = ranges[number]
            }
        }
        return order
    }

    /// The keys of all records, by folder, then title, then id.
    ///
    /// - Parameter numbers: the number of each folder by inner id; the top is 0.
    private func sortedKeys(_ numbers: [RecordID: Int]) throws -> [Key] {
        var keys: [Key] = []
        keys.reserveCapacity(blocks.reduce(0) { $0 + $1.rows.count })
        for (number, block) in blocks.enumerated() {
            for (index, row) in block.rows.enumerated() {
                let place = Place(block: UInt32(number), row: UInt32(index))
                var folder = 0
                if row.isOfTree, let parent = row.parent {
                    guard let number = numbers[parent] else { throw FormatError(.malformed, "the parent of a record") }
                    folder = number
                }
                keys.append(Key(folder: UInt32(folder), head: Self.head(title(place)), place: place))
            }
        }
        keys.sort { left, right in
            guard left.folder == right.folder else { return left.folder < right.folder }
            guard left.head == right.head else { return left.head < right.head }
            let (leftTitle, rightTitle) = (title(left.place), title(right.place))
            guard leftTitle == rightTitle else {
                return leftTitle.lazy.map(Self.rank).lexicographicallyPrecedes(rightTitle.lazy.map(Self.rank))
            }
            return row(left.place).record.id < row(right.place).record.id
        }
        return keys
    }

    /// The slash is the lowest byte, as between a folder and what is in it.
    private static func rank(_ byte: UInt8) -> UInt8 { byte == 0x2F ? 0 : byte }

    /// Eight bytes, with zeros behind the end.
    private static func head(_ title: ArraySlice<UInt8>) -> UInt64 {
        title.prefix(8).reduce(0) { $0 << 8 | UInt64(rank($1)) } << UInt64(8 * (8 - Swift.min(title.count, 8)))
    }
}
