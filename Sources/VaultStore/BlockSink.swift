import VaultCrypto
import VaultFormat

/// Tags the blocks of a payload area and writes them, each once (Spec/container.md, 3.3). Blocks that hold the header
/// of a record in progress are set aside until its length is known. Used by one thread at a time.
final class BlockSink {
    private static let block = PayloadWriter.block
    /// Space is asked for in steps of this many bytes, once a commit is larger than a buffer.
    private static let allocationStep: UInt64 = 1 << 24

    private let file: any File
    /// Where the payload area starts in the file.
    private let start: UInt64
    private(set) var table: CheckTable
    private var allocated: UInt64 = 0
    private var held: [(index: UInt64, bytes: [UInt8])] = []

    init(_ file: any File, start: UInt64, salt: Salt, keys: Keys) throws {
        let table = try CheckTable(salt: salt, keys: keys)
        (self.file, self.start) = (file, start)
        self.table = table
    }

    /// Takes the first `count` bytes of `buffer`, which belong at payload position `base`, a multiple of 65,536.
    ///
    /// - Parameter header: where the header of the record in progress lies, if there is one.
    func write(_ buffer: [UInt8], _ count: Int, at base: UInt64, header: Range<UInt64>?) throws {
        var written = 0
        for from in stride(from: 0, to: count, by: Self.block) {
            let end = min(from + Self.block, count)
            let position = base + UInt64(from)
            let index = position / UInt64(Self.block)
            if let header, header.overlaps(position..<base + UInt64(end)) {
                try write(buffer, written..<from, at: base)
                held.append((index, Array(buffer[from..<end])))
                written = end
            } else {
                try table.set(index, to: buffer.span.extracting(from..<end))
            }
        }
        try write(buffer, written..<count, at: base)
    }

    private func write(_ buffer: [UInt8], _ range: Range<Int>, at base: UInt64) throws {
        guard !range.isEmpty else { return }
        let end = base + UInt64(range.upperBound)
        if end > allocated, base > 0 {
            file.allocate(start + allocated..<start + end + Self.allocationStep)
            allocated = end + Self.allocationStep
        }
        try file.writeAll(buffer.span.extracting(range), at: start + base + UInt64(range.lowerBound))
    }

    /// Changes a byte of a block that was set aside.
    func put(_ byte: UInt8, at position: UInt64) {
        let index = position / UInt64(Self.block)
        let slot = held.firstIndex { $0.index == index }!  // a block with header bytes was set aside
        held[slot].bytes[Int(position % UInt64(Self.block))] = byte
    }

    /// Tags and writes the blocks that were set aside.
    func releaseHeld() throws {
        for block in held {
            try table.set(block.index, to: block.bytes.span)
            try file.writeAll(block.bytes.span, at: start + block.index * UInt64(Self.block))
        }
        held = []
    }
}
