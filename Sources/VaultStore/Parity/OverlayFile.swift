import Synchronization
package import Values
import VaultFormat
package import VaultIO

/// A view of a file that is not changed. Another file takes the bytes that are written, at the same places. Sectors of the
/// first one that cannot be read count as zeros.
package final class OverlayFile: File {
    private let base: any File
    private let changes: any File
    private let state: Mutex<State>
    package var path: BytePath { base.path }

    private struct State {
        var written: [Range<UInt64>] = []
        var size: UInt64
        /// The bytes of the file under it that still count, from its beginning.
        var baseSize: UInt64

        /// Joins a range with those that it touches.
        mutating func add(_ range: Range<UInt64>) {
            let first = written.firstIndex(from: 0) { $0.upperBound >= range.lowerBound }
            var (joined, next) = (range, first)
            while next < written.count, written[next].lowerBound <= range.upperBound {
                joined =
                    min(joined.lowerBound, written[next].lowerBound)..<max(joined.upperBound, written[next].upperBound)
                next += 1
            }
            written.replaceSubrange(first..<next, with: [joined])
        }

        mutating func truncate(to length: UInt64) {
            (size, baseSize) = (length, min(baseSize, length))
            written = written.filter { $0.lowerBound < length }.map { $0.clamped(to: 0..<length) }
        }
    }

    /// - Parameter changes: an empty file.
    package init(over base: any File, changes: any File) throws {
        (self.base, self.changes) = (base, changes)
        let size = try base.status().size
        state = Mutex(State(size: size, baseSize: size))
    }

    /// The ranges that were written, in order and apart; and all behind the bytes of the file under it that still count, where this one
    /// has zeros, and that may have others.
    package var written: [Range<UInt64>] {
        state.withLock { state in
            guard state.baseSize < state.size else { return state.written }
            var all = state
            all.add(state.baseSize..<state.size)
            return all.written
        }
    }

    /// The origin of bytes.
    private enum Source { case changes, base, zeros }

    /// The origin of the bytes from a place on, and where that ends.
    private func source(at offset: UInt64) -> (Source, end: UInt64) {
        state.withLock { state in
            let next = state.written.firstIndex(from: 0) { $0.upperBound > offset }
            let range = next < state.written.count ? state.written[next] : state.size..<state.size
            if range.contains(offset) { return (.changes, min(range.upperBound, state.size)) }
            let end = min(range.lowerBound, state.size)
            return offset < state.baseSize ? (.base, min(end, state.baseSize)) : (.zeros, end)
        }
    }

    package func read(into buffer: inout MutableSpan<UInt8>, at offset: UInt64) throws -> Int {
        let (source, end) = source(at: offset)
        guard offset < end, buffer.count > 0 else { return 0 }
        let count = Int(min(UInt64(buffer.count), end - offset))
        var part = buffer._mutatingExtracting(..<count)
        if source == .changes { return try changes.readAll(into: &part, at: offset) }
        let done = source == .base ? try base.readReadable(into: &part, at: offset) : 0
        for i in done..<count { part[i] = 0 }
        return count
    }

    package func write(_ bytes: Span<UInt8>, at offset: UInt64) throws -> Int {
        let count = try changes.write(bytes, at: offset)
        let range = offset..<offset + UInt64(count)
        state.withLock { state in
            state.add(range)
            state.size = max(state.size, range.upperBound)
        }
        return count
    }

    package func truncate(to length: UInt64) throws { state.withLock { $0.truncate(to: length) } }

    package func status() throws -> FileStatus {
        var status = try base.status()
        status.size = state.withLock { $0.size }
        return status
    }

    package func nextData(from offset: UInt64) -> UInt64 {
        let (source, end) = source(at: offset)
        return source == .base ? min(max(base.nextData(from: offset), offset), end) : offset
    }

    package func allocate(_ range: Range<UInt64>) {}
    package func sync() throws {}
    package func lock() throws -> Bool { true }
    package func isLockedElsewhere() -> Bool { false }
    package func takeAccess(of old: any File) throws {}
    package func attributes() throws -> FileAttributes { try base.attributes() }
    package func apply(_ attributes: FileAttributes, withOwner: Bool) throws {}
    package func setAttributes(modified: FileTime?, isExecutable: Bool) throws {}
}

extension File {
    /// Reads up to the end of the file, which must not lie within the buffer where something cannot be read. Sectors of 4,096 bytes
    /// that cannot be read are zeros.
    ///
    /// - Returns: the bytes read.
    func readReadable(into buffer: inout MutableSpan<UInt8>, at offset: UInt64) throws -> Int {
        do { return try readAll(into: &buffer, at: offset) } catch is IOError {}
        var done = 0
        while done < buffer.count {
            let count = min(buffer.count - done, 4096 - Int((offset + UInt64(done)) % 4096))
            var part = buffer._mutatingExtracting(done..<done + count)
            var read = 0
            do { read = try readAll(into: &part, at: offset + UInt64(done)) } catch is IOError {}
            for i in read..<count { part[i] = 0 }
            done += count
        }
        return done
    }

    /// `count` bytes from `offset`, fewer at the end of the file; sectors that cannot be read are zeros.
    func readableBytes(at offset: UInt64, count: Int) throws -> [UInt8] {
        let size = try status().size
        var bytes = [UInt8](repeating: 0, count: Int(min(UInt64(count), size - min(size, offset))))
        guard !bytes.isEmpty else { return [] }
        var span = bytes.mutableSpan
        let done = try readReadable(into: &span, at: offset)
        bytes.removeLast(bytes.count - done)
        return bytes
    }
}
