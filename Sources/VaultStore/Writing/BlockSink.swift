import VaultIO
import Synchronization
import VaultCrypto
import VaultFormat

/// Takes the bytes of a payload area in any order and from any thread: each 64 KiB block is hashed
/// (Spec/container.md, 3.3) and written once, when all of it is there.
/// Sendable: the file's methods are system calls; the rest is constant or guarded.
final class BlockSink: @unchecked Sendable {
    private static let block = Layout.blockByteCount
    /// Space is asked for in steps of this many bytes, once a commit is larger than a batch.
    private static let allocationStep: UInt64 = 1 << 24
    /// An area up to this length is written at once, and not preallocated.
    private static let smallAreaByteCount: UInt64 = 1 << 19

    private let file: any File
    /// The offset of the payload area in the file.
    private let start: UInt64
    private let salt: Salt
    private let state = Mutex(State())
    /// One write at a time: the system has them take turns on one file anyway, but burns a core in waiting.
    private let turn = Mutex(())

    private struct State {
        /// Blocks of which some bytes are there.
        var waiting: [UInt64: Waiting] = [:]
        /// The check table's rows.
        var rows: [UInt8] = []
        var allocated: UInt64 = 0
    }

    private struct Waiting {
        var bytes = [UInt8](repeating: 0, count: block)
        var count = 0
    }

    /// - Parameter salt: the commit's.
    init(_ file: any File, start: UInt64, salt: Salt) { (self.file, self.start, self.salt) = (file, start, salt) }

    private func row(_ index: UInt64, _ block: Span<UInt8>) throws -> [UInt8] {
        try CheckTable.row(index, of: block, salt: salt)
    }

    /// Takes bytes `range` of a buffer that stands at payload position `base`.
    func put(_ buffer: [UInt8], _ range: Range<Int>, at base: UInt64) throws {
        let size = UInt64(Self.block)
        var from = base + UInt64(range.lowerBound)
        let end = base + UInt64(range.upperBound)
        if from % size != 0, from < end {
            let part = from..<min(end, (from / size + 1) * size)
            try wait(buffer, part, at: base)
            from = part.upperBound
        }
        let whole = from..<max(from, end / size * size)
        for block in stride(from: whole.lowerBound, to: whole.upperBound, by: Self.block) {
            let at = Int(block - base)
            set(block / size, try row(block / size, buffer.span.extracting(at..<at + Self.block)))
        }
        try write(buffer, whole, at: base)
        if whole.upperBound < end { try wait(buffer, whole.upperBound..<end, at: base) }
    }

    /// Keeps part of a block, and completes the block with its last part.
    private func wait(_ buffer: [UInt8], _ part: Range<UInt64>, at base: UInt64) throws {
        let index = part.lowerBound / UInt64(Self.block)
        let block = state.withLock { state -> [UInt8]? in
            var waiting = state.waiting.removeValue(forKey: index) ?? Waiting()
            let to = Int(part.lowerBound - index * UInt64(Self.block))
            let from = Int(part.lowerBound - base)
            waiting.bytes.replaceSubrange(to..<to + part.count, with: buffer[from..<from + part.count])
            waiting.count += part.count
            if waiting.count == Self.block { return waiting.bytes }
            state.waiting[index] = waiting
            return nil
        }
        if let block { try complete(block, index) }
    }

    private func complete(_ block: [UInt8], _ index: UInt64) throws {
        set(index, try row(index, block.span))
        let position = index * UInt64(Self.block)
        try write(block, position..<position + UInt64(block.count), at: position)
    }

    private func set(_ index: UInt64, _ row: [UInt8]) {
        state.withLock { state in
            let at = Int(index) * CheckTable.rowByteCount
            let missing = at + CheckTable.rowByteCount - state.rows.count
            if missing > 0 { state.rows += [UInt8](repeating: 0, count: missing) }
            state.rows.replaceSubrange(at..<at + CheckTable.rowByteCount, with: row)
        }
    }

    private func write(_ buffer: [UInt8], _ range: Range<UInt64>, at base: UInt64) throws {
        guard !range.isEmpty else { return }
        allocate(to: range.upperBound)
        let bytes = buffer.span.extracting(Int(range.lowerBound - base)..<Int(range.upperBound - base))
        try turn.withLock { _ in try file.writeAll(bytes, at: start + range.lowerBound) }
    }

    private func allocate(to end: UInt64) {
        guard end > Self.smallAreaByteCount else { return }
        let wanted = state.withLock { state -> Range<UInt64>? in
            guard end > state.allocated else { return nil }
            defer { state.allocated = end + Self.allocationStep }
            return state.allocated..<end + Self.allocationStep
        }
        if let wanted { file.allocate(start + wanted.lowerBound..<start + wanted.upperBound) }
    }

    /// Writes the part of the last block that is there, once all bytes before it were put.
    func flush() throws {
        let waiting = state.withLock { $0.waiting }
        precondition(waiting.count <= 1, "all bytes before it were put")
        guard let (index, block) = waiting.first else { return }
        let position = index * UInt64(Self.block)
        try write(block.bytes, position..<position + UInt64(block.count), at: position)
    }

    /// Completes the last block, once all bytes of an area that ends at `length` were put, and gives the check table.
    func finish(_ length: UInt64) throws -> [UInt8] {
        let last = length / UInt64(Self.block)
        let rest = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting
        }
        precondition(
            rest.allSatisfy { $0.key == last && $0.value.count == length % UInt64(Self.block) },
            "all bytes of the area were put")
        if let waiting = rest[last] { try complete(Array(waiting.bytes[..<waiting.count]), last) }
        return state.withLock { $0.rows }
    }
}
