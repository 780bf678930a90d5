extension CBORReader {
    mutating func timestamp() throws -> Timestamp { Timestamp(microseconds: try unsigned(upTo: Limits.counter)) }
}

extension FieldReader {
    mutating func timestamp() -> Timestamp { Timestamp(microseconds: integer()) }
}

extension FieldWriter {
    mutating func put(_ time: Timestamp) { put(time.microseconds) }
}
