extension CBORReader {
    /// An unsigned number of at most `limit`.
    mutating func unsigned(upTo limit: UInt64) throws -> UInt64 {
        let value = try unsigned()
        guard value <= limit else { throw malformed("\(value) is above \(limit)") }
        return value
    }

    /// The sequence of a commit: 1 or more.
    mutating func sequence() throws -> UInt64 {
        let value = try unsigned(upTo: Limits.counter)
        guard value > 0 else { throw malformed("sequence 0") }
        return value
    }

    mutating func timestamp() throws -> Timestamp { Timestamp(microseconds: try unsigned(upTo: Limits.counter)) }
}

extension FieldReader {
    mutating func timestamp() -> Timestamp { Timestamp(microseconds: integer()) }
}

extension FieldWriter {
    mutating func put(_ time: Timestamp) { put(time.microseconds) }
}
