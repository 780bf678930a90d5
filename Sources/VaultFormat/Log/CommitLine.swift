/// One earlier commit, as the manifest remembers it (Spec/container.md, 3.5).
public struct CommitLine: Equatable, Sendable {
    /// Its sequence.
    public let sequence: UInt64
    /// Microseconds since 1970.
    public let time: Timestamp
    /// The place of its record in the file; nil if the state of that save can no longer be shown.
    public let recordOffset: UInt64?
    /// The first 16 bytes of its fingerprint.
    public let fingerprint: Bytes16
    /// Further items, which a newer program added, as they are encoded.
    private let more: [UInt8]
    private let moreCount: Int

    package init(sequence: UInt64, time: Timestamp, recordOffset: UInt64?, fingerprint: Bytes16) {
        (self.sequence, self.time) = (sequence, time)
        (self.recordOffset, self.fingerprint) = (recordOffset, fingerprint)
        (more, moreCount) = ([], 0)
    }

    /// The line of a save that can no longer be shown.
    package init(forgetting line: CommitLine) {
        (sequence, time, recordOffset, fingerprint) = (line.sequence, line.time, nil, line.fingerprint)
        (more, moreCount) = (line.more, line.moreCount)
    }

    init(parsing reader: inout CBORReader) throws {
        let count = try reader.arrayCount()
        guard count >= 4 else { throw reader.malformed("a line of four items") }
        sequence = try reader.sequence()
        time = try reader.timestamp()
        let stored = try reader.unsigned(upTo: Limits.fileByteCount)
        recordOffset = stored == 0 ? nil : Layout.place(ofStored: stored)
        fingerprint = try reader.bytes16()
        moreCount = count - 4
        more = try (0..<moreCount).reduce(into: []) { bytes, _ in bytes += try reader.item(depth: 3) }
    }

    package func write(to writer: inout CBORWriter) {
        writer.array(4 + moreCount)
        writer.unsigned(sequence)
        writer.unsigned(time.microseconds)
        writer.unsigned(recordOffset.map(Layout.stored) ?? 0)
        writer.byteString(fingerprint)
        writer.encoded(more)
    }
}

extension CommitLine {
    /// The sequence as a chunk's first key.
    package var key: Bytes16 { Self.key(sequence) }

    static func key(_ sequence: UInt64) -> Bytes16 { Bytes16(high: 0, low: sequence) }
}
