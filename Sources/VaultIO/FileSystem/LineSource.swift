import CSystem
import VaultFormat

/// The lines of a file, or of what is piped in, with only one of them in memory. Text that is not UTF-8 is taken as GB 18030,
/// which tables of Chinese programs are written in; UTF-8 with a few wrong bytes stays what it is.
package final class LineSource {
    /// Fills as much of a buffer as there is; less means the end.
    package typealias Pipe = (inout MutableSpan<UInt8>) throws -> Int

    private let file: (any File)?
    private let pipe: Pipe
    private var offset: UInt64 = 0
    private var buffer: [UInt8] = []
    private var place = 0
    private var number = 0
    private var isAtEnd = false
    /// False for text that is converted from GB 18030.
    package private(set) var isUTF8 = true

    private static let pieceByteCount = 1 << 18
    /// Bytes of a line that are kept: a list of all funds is one line.
    private static let lineByteCount = 8 << 20
    /// Bytes of a row whose quotes are still open.
    private static let rowByteCount = 1 << 16

    /// - Parameters:
    ///   - file: nil for what comes through `pipe`.
    ///   - pipe: asked where there is no file.
    /// - Throws: `IOError`; what `pipe` throws.
    package init(_ file: (any File)?, _ pipe: @escaping Pipe) throws {
        (self.file, self.pipe) = (file, pipe)
        isUTF8 = try seemsUTF8()
        (offset, isAtEnd, number) = (file == nil ? offset : 0, file == nil && isAtEnd, 0)
        if file != nil { (buffer, place) = ([], 0) }
    }

    /// Looks at all of a file, and at the beginning of what is piped in.
    private func seemsUTF8() throws -> Bool {
        guard file != nil else {
            _ = try fill()
            let last = buffer.lastIndex(of: 0x0A) ?? buffer.endIndex
            let (good, bad) = Self.sequences(buffer[..<last])
            return 2 * bad <= good
        }
        var (good, bad) = (0, 0)
        while let line = try raw() {
            let (more, worse) = Self.sequences(line[...])
            (good, bad) = (good + more, bad + worse)
        }
        return 2 * bad <= good
    }

    /// The characters of UTF-8 that have three bytes or more, as Chinese ones have, and the places that are no UTF-8. Text in
    /// GB 18030 has many of these, and hardly any of those.
    private static func sequences(_ bytes: ArraySlice<UInt8>) -> (good: Int, bad: Int) {
        guard bytes.contains(where: { $0 > 0x7F }) else { return (0, 0) }
        if String(validating: bytes, as: UTF8.self) != nil { return (bytes.count { $0 >= 0xE0 }, 0) }
        var (good, bad) = (0, 0)
        var decoder = UTF8()
        var source = bytes.makeIterator()
        while true {
            switch decoder.decode(&source) {
            case .scalarValue(let scalar): good += scalar.value > 0x7FF ? 1 : 0
            case .error: bad += 1
            case .emptyInput: return (good, bad)
            }
        }
    }

    /// The next line and its number, from 1. A line that is too long to be one comes in part.
    package func next() throws -> (bytes: [UInt8], number: Int)? {
        guard var line = try raw() else { return nil }
        number += 1
        if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        if line.last == 0x0D { line.removeLast() }
        return (isUTF8 ? line : converted(line), number)
    }

    /// The next row of a table: a line, and those behind it while a quote is open.
    package func nextRow() throws -> (bytes: [UInt8], number: Int)? {
        guard let first = try next() else { return nil }
        var bytes = first.bytes
        while bytes.count(where: { $0 == 0x22 }) % 2 == 1, bytes.count < Self.rowByteCount, let more = try next() {
            bytes += [0x0A] + more.bytes
        }
        return (bytes, first.number)
    }

    private func raw() throws -> [UInt8]? {
        var line: [UInt8] = []
        var isLine = false
        while true {
            if place == buffer.count {
                guard try fill() else { break }
            }
            isLine = true
            let end = buffer[place...].firstIndex(of: 0x0A) ?? buffer.endIndex
            if line.count <= Self.lineByteCount { line += buffer[place..<end] }
            place = min(end + 1, buffer.count)
            if end < buffer.endIndex { break }
        }
        return isLine ? line : nil
    }

    private func fill() throws -> Bool {
        guard !isAtEnd else { return false }
        if let file {
            buffer = try file.bytes(at: offset, count: Self.pieceByteCount)
        } else {
            var piece = [UInt8](repeating: 0, count: Self.pieceByteCount)
            var span = piece.mutableSpan
            let count = try pipe(&span)
            buffer = Array(piece[..<count])
        }
        (offset, place) = (offset + UInt64(buffer.count), 0)
        isAtEnd = buffer.isEmpty
        return !isAtEnd
    }

    /// A line of GB 18030 as UTF-8; as it is where it is none.
    private func converted(_ line: [UInt8]) -> [UInt8] {
        var target = [UInt8](repeating: 0, count: line.count * 3 + 4)
        let count = unsafe qv_from_gb18030(line, line.count, &target, target.count)
        return count < 0 ? line : Array(target[..<count])
    }
}
