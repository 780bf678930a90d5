/// Live entries with different ids, encoded as they will stand in a manifest, and found by id. An entry takes half the
/// memory that it takes as a value.
package struct PackedEntries: Sendable {
    /// Encoded entries, each behind its length in 4 bytes. None begins above `blockByteCount`.
    private var blocks: [[UInt8]] = []
    /// A hash table with open addressing. A cell is zero, or 24 bits of an id's hash and the place of its entry plus one.
    private var cells = [UInt64](repeating: 0, count: 16)
    /// The number of entries.
    package private(set) var count = 0
    private var encoder = CBORWriter()

    fileprivate static let blockByteCount = 1 << 20
    private static let placeBitCount = 40

    package init() {}

    package func contains(_ id: RecordID) -> Bool { cells[cell(of: id)] != 0 }

    /// The entry with this id.
    ///
    /// - Throws: `FormatError.malformed` for an entry that no manifest may hold.
    package func entry(_ id: RecordID) throws -> Entry? {
        let cell = cells[cell(of: id)]
        return cell == 0 ? nil : try entry(in: cell)
    }

    private func entry(in cell: UInt64) throws -> Entry {
        var reader = reader(at: Self.place(cell))
        return try Entry(parsing: &reader, part: .live)
    }

    /// All entries, in no order.
    ///
    /// - Throws: as `entry`.
    package func all() throws -> [Entry] {
        try cells.filter { $0 != 0 }.map(entry)
    }

    /// Adds an entry, in the place of one that has its id.
    package mutating func insert(_ entry: Entry) {
        let cell = cell(of: entry.id)
        if cells[cell] == 0 { count += 1 }
        cells[cell] = Self.hash(entry.id) & ~Self.placeMask | UInt64(append(entry) + 1)
        if count > cells.count / 4 * 3 { grow() }
    }

    /// The place of the entry's encoding: the number of its block, then the offset in it.
    private mutating func append(_ entry: Entry) -> Int {
        encoder.removeAll()
        entry.write(to: &encoder)
        let length = encoder.bytes.count
        if blocks.last.map({ $0.count + 4 + length > Self.blockByteCount }) ?? true { blocks.append([]) }
        let last = blocks.count - 1
        let offset = blocks[last].count
        blocks[last].append(bigEndian: UInt32(length))
        blocks[last] += encoder.bytes
        return last * Self.blockByteCount + offset
    }

    /// The cell of an id, or the empty one in which it belongs.
    private func cell(of id: RecordID) -> Int {
        let hash = Self.hash(id)
        var index = Int(truncatingIfNeeded: hash) & (cells.count - 1)
        while cells[index] != 0 {
            let isLike = (cells[index] ^ hash) & ~Self.placeMask == 0
            if isLike, self.id(at: Self.place(cells[index])) == id { break }
            index = (index + 1) & (cells.count - 1)
        }
        return index
    }

    private mutating func grow() {
        let old = cells
        cells = [UInt64](repeating: 0, count: 2 * old.count)
        for cell in old where cell != 0 { cells[self.cell(of: id(at: Self.place(cell)))] = cell }
    }

    private func id(at place: Int) -> RecordID {
        var reader = reader(at: place)
        do {
            _ = try (reader.mapCount(), reader.smallKey(after: nil))
            return RecordID(try reader.bytes16())
        } catch { preconditionFailure("an entry begins with its id") }
    }

    private func reader(at place: Int) -> CBORReader {
        CBORReader(blocks[place / Self.blockByteCount], at: place % Self.blockByteCount + 4)
    }

    fileprivate static let placeMask: UInt64 = 1 << placeBitCount - 1
    private static func place(_ cell: UInt64) -> Int { Int(cell & placeMask) - 1 }
    private static func hash(_ id: RecordID) -> UInt64 { UInt64(truncatingIfNeeded: id.hashValue) }

    /// The same entries by id. None can be added any more.
    package consuming func sorted() -> SortedEntries {
        var order: [UInt64] = []
        order.reserveCapacity(count)
        for cell in cells where cell != 0 {
            let place = Self.place(cell)
            order.append(id(at: place).high & ~Self.placeMask | UInt64(place))
        }
        cells = [0]
        order.sort {
            let isTie = ($0 ^ $1) & ~Self.placeMask == 0
            return isTie ? id(at: Int($0 & Self.placeMask)) < id(at: Int($1 & Self.placeMask)) : $0 < $1
        }
        return SortedEntries(entries: self, order: order)
    }

    fileprivate subscript(_ place: Int) -> (id: RecordID, encoding: ArraySlice<UInt8>) {
        let block = blocks[place / Self.blockByteCount]
        let offset = place % Self.blockByteCount
        let length = block[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        return (id(at: place), block[offset + 4..<offset + 4 + length])
    }
}

/// Encoded live entries by id.
package struct SortedEntries: RandomAccessCollection, Sendable {
    fileprivate let entries: PackedEntries
    /// The first 24 bits of each id, and the place of its entry.
    fileprivate let order: [UInt64]

    package var startIndex: Int { 0 }
    package var endIndex: Int { order.count }
    package subscript(_ index: Int) -> (id: RecordID, encoding: ArraySlice<UInt8>) {
        entries[Int(order[index] & PackedEntries.placeMask)]
    }
}
