import VaultIO
import VaultFormat

/// The search for parity in a file, by its blocks.
enum ParitySearch {
    /// Blocks of parity stand at multiples of this.
    private static let step = 256

    /// Bytes at the end of a file that tell of its tail.
    private static let tailByteCount: UInt64 = 32_768

    /// The blocks that begin in a range, each with the place in the file that it gives to its parity.
    private static func parities(_ bytes: [UInt8], at start: UInt64, count: Int) -> [Parity] {
        stride(from: 0, to: min(count, bytes.count), by: step).compactMap { at in
            let rest = bytes.span.extracting(at...)
            guard ParityBlock.hasMagic(rest), let block = ParityBlock(rest) else { return nil }
            let offset = block.layout.offset(group: block.group, row: block.row)
            guard start + UInt64(at) >= offset else { return nil }
            return Parity(layout: block.layout, place: start + UInt64(at) - offset)
        }
    }

    /// The tail of a backup, by a block among the last bytes of the file; nil where there is none.
    static func tail(of file: any File) throws -> Parity? {
        let size = try file.status().size
        let start = Layout.align(size - min(size, tailByteCount), to: UInt64(step))
        let bytes = try file.bytes(at: start, count: Int(size - start))
        return parities(bytes, at: start, count: bytes.count).last { $0.isTail }
    }

    /// All parity of a kind in the file. Of some that claims the same bytes, that of which more blocks are there.
    static func all(_ kind: ParityLayout.Kind, in file: any File, _ environment: StoreEnvironment) throws -> [Parity] {
        let size = try file.status().size
        let step: UInt64 = 1 << 20
        var counts: [Parity: Int] = [:]
        for start in stride(from: 0, to: size, by: Int(step)) {
            try environment.checkCancellation()
            let bytes = try file.bytes(at: start, count: Int(step) + ParityLayout.blockByteCount)
            for parity in parities(bytes, at: start, count: Int(step)) where parity.layout.kind == kind {
                counts[parity, default: 0] += 1
            }
        }
        var chosen: [(parity: Parity, count: Int)] = []
        let sorted = counts.sorted { $0.key.layout.range.lowerBound < $1.key.layout.range.lowerBound }
        for (parity, count) in sorted where parity.isPlausible(size) {
            if let last = chosen.last, last.parity.layout.range.overlaps(parity.layout.range) {
                if last.count >= count { continue }
                chosen.removeLast()
            }
            chosen.append((parity, count))
        }
        return chosen.map(\.parity)
    }
}

extension Parity {
    /// The blocks that are damaged or missing.
    func damagedBlockCount(in file: any File, _ environment: StoreEnvironment) throws -> UInt64 {
        let size = UInt64(ParityLayout.blockByteCount)
        let batch: UInt64 = 512
        let count = layout.groupCount * UInt64(layout.parityCount)
        var damaged: UInt64 = 0
        for first in stride(from: 0, to: count, by: Int(batch)) {
            try environment.checkCancellation()
            let blocks = first..<min(first + batch, count)
            let bytes = try file.bytes(at: place + first * size, count: blocks.count * Int(size))
            for (index, number) in blocks.enumerated() {
                let start = min(index * Int(size), bytes.count)
                let block = ParityBlock(bytes.span.extracting(start...))
                if block?.layout != layout
                    || block.map({ layout.offset(group: $0.group, row: $0.row) }) != number * size
                {
                    damaged += 1
                }
            }
        }
        return damaged
    }

    /// True if it stands where the tail of a backup does.
    var isTail: Bool { layout.kind == .file && place == layout.range.upperBound }

    /// True if it stands where parity of its kind does, in a file of this length that may have lost its end.
    fileprivate func isPlausible(_ size: UInt64) -> Bool {
        switch layout.kind {
        case .file: isTail && place <= 2 * size
        case .payload: place >= layout.range.upperBound && range.upperBound <= size
        }
    }
}
