import VaultCrypto
package import VaultIO
import VaultFormat

/// The search for parity in a file, by its blocks (Spec/reader.md, 10.1 and 10.2).
enum ParitySearch {
    /// Blocks of parity stand at multiples of this.
    private static let step = 256
    /// Bytes at the end of a file that tell of its tail.
    private static let tailByteCount: UInt64 = 32_768

    /// The blocks that begin in the first `count` bytes, none of which overlaps the one before, each with the place in the file
    /// that it gives to its parity; and where the next one can begin.
    private static func parities(
        _ bytes: [UInt8], at start: UInt64, count: Int
    ) -> (found: [Parity], next: UInt64) {
        var found: [Parity] = []
        var at = 0
        while at < min(count, bytes.count) {
            let rest = bytes.span.extracting(at...)
            guard ParityBlock.hasMagic(rest), let block = ParityBlock(rest) else {
                at += step
                continue
            }
            let (place, offset) = (start + UInt64(at), block.layout.offset(group: block.group, row: block.row))
            if place >= offset { found.append(Parity(layout: block.layout, place: place - offset)) }
            at += ParityLayout.blockByteCount
        }
        return (found, start + UInt64(at))
    }

    /// The tail of a backup, by a block among the last bytes of the file; nil where there is none.
    static func tail(of file: any File) throws -> Parity? {
        let size = try file.status().size
        let start = Layout.align(size - min(size, tailByteCount), to: UInt64(step))
        let bytes = try file.bytes(at: start, count: Int(size - min(size, start)))
        return parities(bytes, at: start, count: bytes.count).found.last { $0.isTail }
    }

    /// The parity of a save's payload area, by its first sound block; nil where there is none.
    static func payload(of core: Core, in file: any File) throws -> Parity? {
        let start = Layout.align(core.headCopyOffset, to: UInt64(step))
        // Most saves have less behind their tables than the least parity takes.
        let least = UInt64(ParityLayout.parityCounts.lowerBound * ParityLayout.blockByteCount)
        // A commit may say any length, whatever the file has.
        let end = min(core.end, try file.status().size)
        guard end >= start + least else { return nil }
        let part: UInt64 = 1 << 16
        for start in stride(from: start, to: end, by: Int(part)) {
            let count = Int(min(part, end - start))
            let bytes = try file.bytes(at: start, count: count + ParityLayout.blockByteCount)
            let found = parities(bytes, at: start, count: count).found
            if let parity = found.first(where: core.holds) { return parity }
        }
        return nil
    }

    /// All parity of the file of which a sound block is there, with the number of its sound blocks: that with most first.
    ///
    /// - Parameter isWanted: tells which parity counts.
    static func all(
        from start: UInt64 = 0, in file: any File, _ environment: StoreEnvironment, where isWanted: (Parity) -> Bool
    ) throws -> [Parity] {
        let step: UInt64 = 1 << 20
        var counts: [Parity: Int] = [:]
        let size = try file.status().size
        var next = start
        while next < size {
            try environment.checkCancellation()
            // Holes have none.
            let start = max(next, file.nextData(from: next)) / UInt64(Self.step) * UInt64(Self.step)
            guard start < size else { break }
            let bytes = try file.bytes(at: start, count: Int(step) + ParityLayout.blockByteCount)
            let (found, end) = parities(bytes, at: start, count: Int(step))
            next = max(end, start + UInt64(Self.step))
            for parity in found where isWanted(parity) { counts[parity, default: 0] += 1 }
        }
        return counts.sorted {
            ($1.value, $0.key.place, $0.key.layout.tag) < ($0.value, $1.key.place, $1.key.layout.tag)
        }.map(\.key)
    }
}

extension Parity {
    /// True if it stands where the tail of a backup does.
    var isTail: Bool { layout.kind == .file && place == layout.range.upperBound }

    /// False for a tail behind so much more than a file of this length has that nothing could be repaired.
    package func isPlausible(in size: UInt64) -> Bool { place <= 2 * size }

    /// The number of its blocks.
    package var blockCount: UInt64 { layout.groupCount * UInt64(layout.parityCount) }

    /// The blocks that are damaged or missing.
    package func damagedBlockCount(in file: any File, _ environment: StoreEnvironment) throws -> UInt64 {
        let size = UInt64(ParityLayout.blockByteCount)
        let batch: UInt64 = 512
        let end = try file.status().size
        let readable = min(blockCount, (end - min(end, place)) / size)
        var damaged = blockCount - readable
        for first in stride(from: 0, to: readable, by: Int(batch)) {
            try environment.checkCancellation()
            let blocks = first..<min(first + batch, readable)
            let bytes = try file.bytes(at: place + first * size, count: blocks.count * Int(size))
            for (index, number) in blocks.enumerated() {
                let start = min(index * Int(size), bytes.count)
                let block = ParityBlock(bytes.span.extracting(start...))
                let isHere = block.map { layout.offset(group: $0.group, row: $0.row) } == number * size
                if block?.layout != layout || !isHere { damaged += 1 }
            }
        }
        return damaged
    }
}

extension Core {
    /// True if this is the parity of its payload area, and stands behind its check table.
    func holds(_ parity: Parity) -> Bool {
        parity.layout.kind == .payload && parity.layout.range == start..<recordOffset
            && headCopyOffset <= parity.place && parity.range.upperBound <= end
    }
}

extension Header {
    /// The place of a backup's tail.
    var tailPlace: UInt64 { logEnd + UInt64(Layout.pageByteCount) }

    /// The tail of a backup: that of which most blocks are there, or else one as long as its pages say, all of which is missing;
    /// nil where there is none.
    func tail(in file: any File, _ environment: StoreEnvironment) throws -> Parity? {
        guard isCopy else { return nil }
        let place = tailPlace
        let found = try ParitySearch.all(from: place, in: file, environment) { parity in
            parity.isTail && parity.place == place && (tailLength == 0 || parity.layout.byteCount == tailLength)
        }.first
        guard found == nil, tailLength > 0 else { return found }
        var random = environment.random
        let tag = try random.bytes(ParityLayout.tagByteCount)
        let size = try file.status().size
        return ParityLayout.ofLength(tailLength, place, tag: tag).map { Parity(layout: $0, place: place) }
            .flatMap { $0.isPlausible(in: size) ? $0 : nil }
    }
}
