/// A map entry of a newer writer: the encodings of its key and value.
package struct UnknownPair: Equatable, Sendable {
    package let key: [UInt8]
    package let value: [UInt8]

    package init(key: [UInt8], value: [UInt8]) { (self.key, self.value) = (key, value) }

    /// True if it is about the record and stays with it when it gets new content: its key is a number from 2^16 on, or a text
    /// that begins with `+` (Spec/entries.cddl, "Keys to come").
    var isOfRecord: Bool {
        switch key[0] {
        case 0x1A, 0x1B: true
        case 0x61...0x77: key[1] == UInt8(ascii: "+")
        case 0x78: key[2] == UInt8(ascii: "+")
        default: false
        }
    }
}

extension [UnknownPair] {
    /// The first byte of an id in CBOR: a byte string of 16 bytes.
    static let idHead: UInt8 = 0x50

    /// The encoded value of a key that is a number below 24. The pairs stay in the order of their keys.
    subscript(key: UInt8) -> [UInt8]? {
        get { first { $0.key == [key] }?.value }
        set {
            removeAll { $0.key == [key] }
            guard let newValue else { return }
            let place = firstIndex { [key].lexicographicallyPrecedes($0.key) } ?? endIndex
            insert(UnknownPair(key: [key], value: newValue), at: place)
        }
    }

    /// The id that stands as the value of such a key.
    func id(_ key: UInt8) -> RecordID? { self[key].map { RecordID($0.span.extracting(1...)) } }

    mutating func setID(_ key: UInt8, _ id: RecordID?) { self[key] = id.map { [Self.idHead] + $0.bytes } }
}

/// Writes the keys of a map whose known ones come in order, and slips the unknown pairs in between. The caller writes
/// each value right after its key.
struct MapWriter {
    private var unknown: ArraySlice<UnknownPair>

    init(_ writer: inout CBORWriter, count: Int, unknown: [UnknownPair]) {
        self.unknown = unknown[...]
        writer.map(count + unknown.count)
    }

    mutating func key(_ key: [UInt8], _ writer: inout CBORWriter) {
        while let next = unknown.first, next.key.lexicographicallyPrecedes(key) { putUnknown(&writer) }
        writer.encoded(key)
    }

    /// A key that is a number below 24.
    mutating func key(_ number: UInt8, _ writer: inout CBORWriter) {
        if unknown.isEmpty { writer.unsigned(UInt64(number)) } else { key([number], &writer) }
    }

    private mutating func putUnknown(_ writer: inout CBORWriter) {
        let next = unknown.removeFirst()
        writer.encoded(next.key)
        writer.encoded(next.value)
    }

    mutating func finish(_ writer: inout CBORWriter) { while !unknown.isEmpty { putUnknown(&writer) } }
}
