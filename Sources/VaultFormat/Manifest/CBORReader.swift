/// Reads deterministic CBOR (RFC 8949, 4.2.1) as Spec/entries.cddl restricts it, and refuses everything else: longer
/// forms than needed, indefinite lengths, floats, tags, unordered or doubled keys, bytes left over, deep nesting.
package struct CBORReader {
    private let bytes: [UInt8]
    package private(set) var position: Int
    private let end: Int

    /// Reads from byte `position` on.
    package init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
        end = bytes.count
    }

    /// Major types of RFC 8949, 3.1.
    private enum Major: UInt8 {
        case unsigned = 0
        case negative, byteString, textString, array, map, tag, simple
    }

    private mutating func head() throws -> (Major, UInt64) {
        var next = position
        defer { position = next }
        return try Self.head(bytes.span, &next)
    }

    private static func head(_ bytes: Span<UInt8>, _ position: inout Int) throws -> (Major, UInt64) {
        guard position < bytes.count else { throw malformed("ends too early", at: position) }
        let first = bytes[position]
        position += 1
        let info = first & 0x1F
        let major = Major(rawValue: first >> 5)!  // three bits, eight cases
        guard info >= 24 else { return (major, UInt64(info)) }
        guard info <= 27 else { throw malformed("indefinite length or reserved form", at: position) }
        let count = 1 << Int(info - 24)
        guard bytes.count - position >= count else { throw malformed("ends too early", at: position) }
        var value: UInt64 = 0
        for i in 0..<count { value = value << 8 | UInt64(bytes[position + i]) }
        position += count
        let least: UInt64 = info == 24 ? 24 : 1 << (UInt64(count) * 4)
        guard value >= least else { throw malformed("integer longer than needed", at: position) }
        return (major, value)
    }

    package mutating func unsigned() throws -> UInt64 {
        guard case (.unsigned, let value) = try head() else { throw malformed("unsigned integer expected") }
        return value
    }

    package mutating func signed() throws -> Int64 {
        switch try head() {
        case (.unsigned, let value) where value <= UInt64(Int64.max): return Int64(value)
        case (.negative, let value) where value <= UInt64(Int64.max): return -1 - Int64(value)
        default: throw malformed("integer of 64 bits expected")
        }
    }

    /// The range of the bytes of a string that begins here; text has to be UTF-8.
    private mutating func content(of major: Major, _ count: UInt64) throws -> Range<Int> {
        guard count <= UInt64(end - position) else { throw malformed("ends too early") }
        let content = position..<position + Int(count)
        position = content.upperBound
        guard major == .byteString || isUTF8(bytes.span.extracting(content)) else {
            throw malformed("text that is not UTF-8")
        }
        return content
    }

    /// A byte string, or with `allowingText` also a text string.
    package mutating func string(allowingText: Bool = false) throws -> (bytes: [UInt8], isText: Bool) {
        let (major, count) = try head()
        guard major == .byteString || allowingText && major == .textString else { throw malformed("string expected") }
        let content = try content(of: major, count)
        return (Array(copying: bytes.span.extracting(content)), major == .textString)
    }

    package mutating func text() throws -> String {
        guard case (.textString, let count) = try head() else { throw malformed("string expected") }
        let content = try content(of: .textString, count)
        return String(utf8: bytes.span.extracting(content))
    }

    package mutating func bytes16() throws -> Bytes16 {
        guard case (.byteString, 16) = try head(), end - position >= 16 else { throw malformed("16 bytes expected") }
        defer { position += 16 }
        return Bytes16(bytes.span.extracting(position...))
    }

    package mutating func bytes32() throws -> Bytes32 {
        guard case (.byteString, 32) = try head(), end - position >= 32 else { throw malformed("32 bytes expected") }
        defer { position += 32 }
        return Bytes32(bytes.span.extracting(position...))
    }

    /// True; `false` and `null` are refused where only presence has a meaning.
    package mutating func presence() throws {
        guard case (.simple, 21) = try head() else { throw malformed("true expected") }
    }

    /// Reads `null`, if it stands here; false with nothing read for anything else.
    package mutating func null() throws -> Bool {
        guard position < end, bytes[position] == 0xF6 else { return false }
        position += 1
        return true
    }

    /// Number of items of an array; each takes a byte at least, so that a count is never larger than what is left.
    package mutating func arrayCount() throws -> Int {
        guard case (.array, let count) = try head(), count <= UInt64(end - position) else {
            throw malformed("array expected")
        }
        return Int(count)
    }

    /// Reads the head of a map; each pair takes two bytes at least.
    package mutating func mapCount() throws -> Int {
        guard case (.map, let count) = try head(), count <= UInt64(end - position) / 2 else {
            throw malformed("map expected")
        }
        return Int(count)
    }

    /// The next key if it is a number below 24, and above `last`: the commonest case of a map's key, without copies.
    ///
    /// - Returns: nil, with nothing read, for any other key.
    mutating func smallKey(after last: UInt8?) throws -> UInt8? {
        guard position < end, bytes[position] < 24 else { return nil }
        let key = bytes[position]
        guard last ?? 0 < key || last == nil else { throw malformed("map keys out of order or doubled") }
        position += 1
        return key
    }

    /// Reads a map and hands the place of each key's encoding to `body`, which reads the value; keys must ascend.
    package mutating func map(_ body: (inout CBORReader, _ key: Range<Int>) throws -> Void) throws {
        let count = try mapCount()
        var last = 0..<0
        for _ in 0..<count {
            let key = try itemRange(depth: 1)
            try Self.checkOrder(bytes.span, last, key)
            last = key
            try body(&self, key)
        }
    }

    /// True if the item at `place` is encoded so.
    package func has(_ encoding: [UInt8], at place: Range<Int>) -> Bool {
        guard encoding.count == place.count else { return false }
        for index in encoding.indices where bytes[place.lowerBound + index] != encoding[index] { return false }
        return true
    }

    /// The encoding of the item at `place`.
    package func encoding(at place: Range<Int>) -> [UInt8] { Array(bytes[place]) }

    /// Checks one item of any type and returns its encoding; `depth` is the level it has if it is an array or a map.
    package mutating func item(depth: Int) throws -> [UInt8] { encoding(at: try itemRange(depth: depth)) }

    /// Passes over items that a newer writer added.
    mutating func skipItems(_ count: Int, depth: Int) throws {
        for _ in 0..<count { _ = try itemRange(depth: depth) }
    }

    /// The same without a copy: where it stands.
    package mutating func itemRange(depth: Int) throws -> Range<Int> {
        var end = position
        try Self.skip(bytes.span, &end, depth: depth)
        defer { position = end }
        return position..<end
    }

    /// Checks one item and goes behind it.
    private static func skip(_ bytes: Span<UInt8>, _ position: inout Int, depth: Int) throws {
        let start = position
        let (major, argument) = try head(bytes, &position)
        guard depth <= Limits.nesting || (major != .array && major != .map) else {
            throw malformed("nested deeper than \(Limits.nesting)", at: start)
        }
        switch major {
        case .unsigned, .negative: break
        case .byteString, .textString:
            guard argument <= UInt64(bytes.count - position) else { throw malformed("ends too early", at: position) }
            let content = position..<position + Int(argument)
            guard major == .byteString || isUTF8(bytes.extracting(content)) else {
                throw malformed("text that is not UTF-8", at: start)
            }
            position = content.upperBound
        case .simple:
            guard (20...22).contains(argument) else { throw malformed("simple value \(argument)", at: start) }
        case .tag: throw malformed("a tag", at: start)
        case .array:
            // An item takes a byte at least, so that a count that is too large ends where the bytes do.
            for _ in 0..<argument { try skip(bytes, &position, depth: depth + 1) }
        case .map:
            try forEachPair(bytes, &position, argument, depth: depth + 1) { _, _ in }
        }
    }

    /// Goes over the pairs of a map of `count`, whose head was read; keys must ascend.
    private static func forEachPair(
        _ bytes: Span<UInt8>, _ position: inout Int, _ count: UInt64, depth: Int,
        _ body: (_ key: Range<Int>, _ value: Range<Int>) throws -> Void
    ) throws {
        var last = 0..<0
        for _ in 0..<count {
            let start = position
            try skip(bytes, &position, depth: depth)
            let key = start..<position
            try checkOrder(bytes, last, key)
            last = key
            try skip(bytes, &position, depth: depth)
            try body(key, key.upperBound..<position)
        }
    }

    private static func checkOrder(_ bytes: Span<UInt8>, _ last: Range<Int>, _ key: Range<Int>) throws {
        guard precedes(bytes.extracting(last), bytes.extracting(key)) else {
            throw malformed("map keys out of order or doubled", at: key.upperBound)
        }
    }

    private static func precedes(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
        for index in 0..<min(a.count, b.count) where a[index] != b[index] { return a[index] < b[index] }
        return a.count < b.count
    }

    /// Checks bytes that are one map and hands out where the encodings of keys and values stand, without copies.
    package static func forEachPair(
        _ bytes: Span<UInt8>, _ body: (_ key: Range<Int>, _ value: Range<Int>) throws -> Void
    ) throws {
        var position = 0
        guard case (.map, let count) = try head(bytes, &position) else { throw malformed("map expected", at: 0) }
        try forEachPair(bytes, &position, count, depth: 2, body)
        guard position == bytes.count else { throw malformed("bytes left over", at: position) }
    }

    package func finish() throws { guard position == end else { throw malformed("bytes left over") } }

    func malformed(_ why: Phrase) -> FormatError { Self.malformed(why, at: position) }

    private static func malformed(_ why: Phrase, at position: Int) -> FormatError {
        .malformed("CBOR at byte \(position): \(why)")
    }
}
