/// Sizes as people write them.
package enum ByteSize {
    private static let units: [(name: String, bytes: Int)] = [
        ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("kb", 1000), ("mb", 1_000_000), ("gb", 1_000_000_000),
        ("k", 1000), ("m", 1_000_000), ("g", 1_000_000_000), ("b", 1), ("", 1),
    ]

    /// The number of bytes in a text such as `500000`, `2MB`, `1.5 GB` or `10MiB`, in small or capital letters; nil if it is no such
    /// size, or no whole number of bytes.
    package static func bytes(_ text: String) -> UInt64? {
        let word = text.lowercased()
        guard let unit = units.first(where: { word.hasSuffix($0.name) }) else { return nil }
        let digits = word.dropLast(unit.name.count)
        let number = digits.last == " " ? digits.dropLast() : digits
        guard number.utf8.first != UInt8(ascii: "-"), let count = ExactDecimal(String(number)) else { return nil }
        let bytes = (count * ExactDecimal(unit.bytes)).shortest
        return UInt64(bytes.description)
    }
}
