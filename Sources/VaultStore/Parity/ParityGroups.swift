import VaultCrypto
import VaultIO
package import VaultFormat

/// The parity of a range of a file: how it is made, and where its first block stands.
package struct Parity: Hashable, Sendable {
    package let layout: ParityLayout
    /// In the file.
    package let place: UInt64

    package init(layout: ParityLayout, place: UInt64) { (self.layout, self.place) = (layout, place) }

    /// The bytes of its blocks in the file.
    package var range: Range<UInt64> { place..<place + layout.byteCount }

    /// The groups in stretches that are worked on at once.
    var stretches: [Range<UInt64>] {
        stride(from: 0, to: layout.groupCount, by: Int(ParityGroups.most)).map {
            $0..<min($0 + ParityGroups.most, layout.groupCount)
        }
    }
}

/// Neighbouring groups of a range in memory. Used by one thread at a time.
final class ParityGroups {
    /// Groups at most: 64 KiB of each place are read with one call.
    static let most: UInt64 = 64
    private static let size = ParityLayout.dataByteCount
    /// Bytes of padding behind the blocks of each place: one cache line.
    private static let padding = 64

    let parity: Parity
    let code: ErasureCode
    private(set) var groups: Range<UInt64> = 0..<0
    /// The blocks of data: those of place 0, one for each group, then those of place 1, and so on.
    private(set) var data: [UInt8] = []
    /// The blocks of parity that `encode` made, in the same way by rows.
    private(set) var made: [UInt8] = []

    init(_ parity: Parity) {
        self.parity = parity
        code = ErasureCode(dataCount: parity.layout.dataCount, parityCount: parity.layout.parityCount)
    }

    private var layout: ParityLayout { parity.layout }

    /// Bytes from one place to the next in `data` and `made`.
    private var stride: Int { groups.count * Self.size + Self.padding }

    /// The bytes of a block in `data` or `made`.
    func block(_ place: Int, _ group: UInt64) -> Range<Int> {
        let start = place * stride + Int(group - groups.lowerBound) * Self.size
        return start..<start + Self.size
    }

    /// Reads the data of groups. What lies behind the range, or is not in the file, is zero.
    func load(_ groups: Range<UInt64>, from file: any File) throws {
        self.groups = groups
        let width = groups.count * Self.size
        (data, made) = (resized(data, layout.dataCount * stride), resized(made, layout.parityCount * stride))
        for place in 0..<layout.dataCount {
            let range = layout.data(place: place, of: groups)
            let start = place * stride
            let done = try data.withMutableSlice(start..<start + range.count) {
                try file.readAll(into: &$0, at: range.lowerBound)
            }
            for at in start + done..<start + width { data[at] = 0 }
        }
    }

    private func resized(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        bytes.count == count ? bytes : [UInt8](repeating: 0, count: count)
    }

    /// Makes the parity of the data.
    func encode() {
        let (data, count) = (self.data, made.count)
        made.withMutableSlice(0..<count) { code.encode(data.span, into: &$0, padding: Self.padding) }
    }

    /// Puts zeros, or other bytes, in the place of a block of data.
    func replace(_ place: Int, _ group: UInt64, by bytes: ArraySlice<UInt8>? = nil) {
        data.replaceSubrange(block(place, group), with: bytes ?? ArraySlice(repeating: 0, count: Self.size))
    }

    /// True if a place of a group has a block of data.
    func hasBlock(_ place: Int, _ group: UInt64) -> Bool {
        !layout.data(place: place, of: group..<group + 1).isEmpty
    }

    /// The checksum of a block of data; 0 where there is none.
    func check(_ place: Int, _ group: UInt64) -> UInt32 {
        guard hasBlock(place, group) else { return 0 }
        let data = self.data
        return crc32c(data.span.extracting(block(place, group)))
    }

    /// The whole block of parity, with the checksums of its group's data.
    func parityBlock(_ row: Int, _ group: UInt64, checks: [UInt32]) -> [UInt8] {
        let parity = made[block(row, group)]
        let block = ParityBlock(layout, group: group, row: row, checks: checks)
        return block.head(before: parity.span) + parity
    }

    /// Writes all parity of the groups.
    func write(to file: any File) throws {
        let checks = groups.map { group in (0..<layout.dataCount).map { check($0, group) } }
        for row in 0..<layout.parityCount {
            let blocks = zip(groups, checks).flatMap { parityBlock(row, $0, checks: $1) }
            try file.writeAll(blocks.span, at: parity.place + layout.offset(group: groups.lowerBound, row: row))
        }
    }
}

extension File {
    /// Writes parity for all of a file behind its end, and makes it durable.
    ///
    /// - Parameter progress: told the bytes of data done so far, by one thread at a time.
    /// - Throws: `IOError`; `VaultError.cancelled`.
    func append(
        _ layout: ParityLayout, _ environment: StoreEnvironment, progress: @escaping (UInt64) -> Void
    ) throws {
        try write(Parity(layout: layout, place: layout.range.upperBound), environment, progress: progress)
        try sync()
    }

    /// Writes the parity of a range.
    ///
    /// - Parameter progress: as above.
    /// - Throws: as above.
    func write(_ parity: Parity, _ environment: StoreEnvironment, progress: @escaping (UInt64) -> Void) throws {
        let layout = parity.layout
        allocate(parity.range)
        let stretches = parity.stretches
        let workers = (0..<min(Parallel.threadCount, stretches.count)).map { _ in ParityGroups(parity) }
        let done = ProgressCounter(progress)
        try Parallel.forEach(stretches.count) { thread, piece in
            try environment.checkCancellation()
            let worker = workers[thread]
            try worker.load(stretches[piece], from: self)
            worker.encode()
            try worker.write(to: self)
            done.add(UInt64(stretches[piece].count * layout.dataCount * ParityLayout.dataByteCount))
        }
    }

    /// Adds bytes of the file to a hash.
    func hash(_ range: Range<UInt64>, into hash: inout SHA256) throws {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 20) {
            let count = Int(min(1 << 20, range.upperBound - start))
            let part = try bytes(at: start, count: count)
            try hash.update(part.span)
        }
    }
}
