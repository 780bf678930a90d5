/// Reads a recipe: numbers and byte strings from fuzzed input; what is not there is zero or empty.
struct Recipe {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func number(_ byteCount: Int) -> UInt64 {
        (0..<byteCount).reduce(0) { value, _ in value << 8 | UInt64(byte()) }
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        let taken = Array(rest.prefix(count))
        rest = rest.dropFirst(taken.count)
        return taken
    }

    /// A byte string with its length before it: one byte, or two behind 255.
    mutating func string() -> [UInt8] {
        let short = byte()
        return bytes(short == 255 ? Int(number(2)) : Int(short))
    }

    mutating func all() -> [UInt8] { bytes(rest.count) }
}
