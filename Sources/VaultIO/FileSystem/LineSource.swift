import VaultFormat

/// The lines of a file, or of what is piped in, with only one of them in memory, in UTF-8 (`TextEncoding`).
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
        var evidence = TextEncoding.Evidence()
        guard file != nil else {
            _ = try fill()
            evidence.add(buffer[..<(buffer.lastIndex(of: 0x0A) ?? buffer.endIndex)])
            return evidence.isUTF8
        }
        while let line = try raw() { evidence.add(line[...]) }
        return evidence.isUTF8
    }

    /// The next line and its number, from 1. A line that is too long to be one comes in part.
    package func next() throws -> (bytes: [UInt8], number: Int)? {
        guard var line = try raw() else { return nil }
        number += 1
        if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        if line.last == 0x0D { line.removeLast() }
        return (isUTF8 ? line : TextEncoding.utf8(ofGB18030: line), number)
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
}
