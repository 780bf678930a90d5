/// The frames of compressed content (Spec/container.md, 3.7): where each begins and ends among the stored bytes.
package struct FrameTable: Sendable {
    /// Bytes of content in every frame but the last.
    package static let contentByteCount = 1 << 20
    /// Bytes that a frame may have beyond its content.
    private static let overhead: UInt64 = 4096
    /// Bytes of a frame at most.
    package static let mostByteCount = UInt64(contentByteCount) + overhead
    private static let rowByteCount: UInt64 = 4

    /// The end of each frame.
    private let ends: [UInt64]
    private let length: UInt64

    /// Frames of `length` bytes of content, at least one.
    package static func count(_ length: UInt64) -> UInt64 { (length - 1) / UInt64(contentByteCount) + 1 }

    /// The bytes of the table among the stored ones: those at the end, none where there is one frame.
    ///
    /// - Throws: `FormatError.malformed` where there is no room for it.
    package static func range(in content: StoredContent) throws -> Range<UInt64> {
        let rows = count(content.length)
        let byteCount = rows == 1 ? 0 : rows * rowByteCount
        guard byteCount < content.byteCount else { throw FormatError(.malformed, fault, at: content.place) }
        return content.byteCount - byteCount..<content.byteCount
    }

    /// - Parameter table: the bytes of `range(in: content)`.
    /// - Throws: `FormatError.malformed`.
    package init(_ table: [UInt8], of content: StoredContent) throws {
        length = content.length
        let end = try Self.range(in: content).lowerBound
        var ends: [UInt64] = []
        ends.reserveCapacity(max(table.count / Int(Self.rowByteCount), 1))
        var fields = FieldReader(table)
        repeat {
            let count = table.isEmpty ? end : UInt64(fields.integer(UInt32.self))
            let room = UInt64(Self.contentByteCount(ends.count, of: length)) + Self.overhead
            guard 1...room ~= count else { throw FormatError(.malformed, Self.fault, at: content.place) }
            ends.append((ends.last ?? 0) + count)
        } while fields.offset < table.count
        guard ends.last == end else { throw FormatError(.malformed, Self.fault, at: content.place) }
        self.ends = ends
    }

    /// The number of frames.
    package var count: Int { ends.count }

    /// The stored bytes of a frame.
    package subscript(_ index: Int) -> Range<UInt64> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

    /// Bytes of content in a frame.
    package func contentByteCount(_ index: Int) -> Int { Self.contentByteCount(index, of: length) }

    private static func contentByteCount(_ index: Int, of length: UInt64) -> Int {
        Int(min(length - UInt64(index * contentByteCount), UInt64(contentByteCount)))
    }

    /// The bytes of the table for frames of these lengths: none for a single one.
    package static func bytes(_ lengths: [UInt32]) -> [UInt8] {
        var fields = FieldWriter(byteCount: lengths.count * Int(rowByteCount))
        if lengths.count > 1 { for length in lengths { fields.put(length) } }
        return fields.bytes
    }

    /// The error about content that is authentic and breaks the form.
    package static let fault: Phrase = "compressed content that breaks the format"
}
