package import Values
import VaultFormat

/// The content of a record besides its overview: texts by key, fields that somebody made up, and pairs that a newer
/// program put there, which are carried along (Spec/product/records.md, 3).
public struct RecordFields: Equatable, Sendable {
    /// A field that is not in the schema, under a name of its own.
    public struct CustomField: Equatable, Sendable {
        /// Its name.
        public let label: String
        /// Its value.
        public var value: String

        /// True if it is shown only when asked for.
        public var isSensitive: Bool

        /// Byte by byte: two texts that only look the same differ.
        public static func == (one: Self, other: Self) -> Bool {
            one.label.hasBytes(of: other.label) && one.value.hasBytes(of: other.value)
                && one.isSensitive == other.isSensitive
        }

        /// A field of one's own.
        public init(label: String, value: String, isSensitive: Bool = false) {
            (self.label, self.value, self.isSensitive) = (label, value, isSensitive)
        }
    }

    /// Values by key, also of keys that the schema does not have.
    public var texts: [String: String] = [:]
    /// In the order in which they were made.
    public var own: [CustomField] = []
    private var unknown: [UnknownPair] = []

    /// No fields.
    public init() {}

    /// Byte by byte, as `CustomField`.
    public static func == (one: Self, other: Self) -> Bool {
        one.own == other.own && one.unknown == other.unknown && one.texts.count == other.texts.count
            && one.texts.allSatisfy { key, value in other.texts[key]?.hasBytes(of: value) ?? false }
    }

    package func number(_ key: String) -> ExactDecimal? { texts[key].flatMap { ExactDecimal($0) } }
    package func day(_ key: String) -> Day? { texts[key].flatMap { Day($0) } }
    /// The word of a type that a text is.
    package func word<Word: RawRepresentable>(_ key: String) -> Word? where Word.RawValue == String {
        texts[key].flatMap { Word(rawValue: $0) }
    }
    package func lines<Line: FieldLine>(_ key: String) -> [Line] { texts[key].map { Line.list($0) } ?? [] }

    /// True if there is more in it than texts and fields of one's own: a newer program's.
    package var isPartlyUnknown: Bool { !unknown.isEmpty }

    private static let ownKey = "own"

    /// Reads the content of a record.
    ///
    /// - Throws: `FormatError.malformed`.
    public init(parsing bytes: [UInt8]) throws {
        try CBORReader.forEachPair(bytes.span) { key, value in
            guard let name = Self.text(bytes.span, key) else { throw Self.noText }
            if name == Self.ownKey {
                own = try Self.own(Array(bytes[value]))
            } else if let text = Self.text(bytes.span, value), texts[name] == nil {
                texts[name] = text  // a second key that only looks the same is carried along
            } else {
                unknown.append(UnknownPair(key: Array(bytes[key]), value: Array(bytes[value])))
            }
        }
    }

    private static let noText = FormatError(.malformed, "a record's key that is no text")

    /// The place of a text in a record: key and value as UTF-8 in its bytes, or the index and the name of a field of one's
    /// own.
    enum TextPlace {
        case field(key: Range<Int>, value: Range<Int>)
        case own(Int, label: String)
    }

    /// Hands out the texts of a record in UTF-8, without making strings: for who looks at very many.
    ///
    /// - Throws: `FormatError.malformed`.
    static func forEachText(_ bytes: Span<UInt8>, _ body: (Span<UInt8>, TextPlace) throws -> Void) throws {
        try CBORReader.forEachPair(bytes) { key, value in
            guard let name = content(bytes, key) else { throw noText }
            if isOwn(bytes.extracting(name)) {
                for (index, field) in try own(Array(copying: bytes.extracting(value))).enumerated() {
                    let text = Array(field.value.utf8)
                    try body(text.span, .own(index, label: field.label))
                }
            } else if let text = content(bytes, value) {
                try body(bytes.extracting(text), .field(key: name, value: text))
            }
        }
    }

    private static func isOwn(_ key: Span<UInt8>) -> Bool {
        key.count == ownKey.utf8.count && key[0] == UInt8(ascii: "o") && key[1] == UInt8(ascii: "w")
            && key[2] == UInt8(ascii: "n")
    }

    /// The range of a text's bytes in its item; nil for any other item.
    private static func content(_ bytes: Span<UInt8>, _ item: Range<Int>) -> Range<Int>? {
        let lead = bytes[item.lowerBound]
        guard lead >> 5 == 3 else { return nil }
        // The head has a byte, and those of a length that does not fit into it.
        return item.lowerBound + (lead & 0x1F < 24 ? 1 : 1 + 1 << Int(lead & 0x1F - 24))..<item.upperBound
    }

    private static func text(_ bytes: Span<UInt8>, _ item: Range<Int>) -> String? {
        content(bytes, item).map { String(utf8: bytes.extracting($0)) }
    }

    private static func own(_ item: [UInt8]) throws -> [CustomField] {
        var reader = CBORReader(item)
        let own = try (0..<reader.arrayCount()).map { _ in
            let count = try reader.arrayCount()
            guard 2...3 ~= count else { throw FormatError(.malformed, "a field of one's own in two or three items") }
            var own = CustomField(label: try reader.text(), value: try reader.text())
            if count == 3 {
                try reader.presence()
                own.isSensitive = true
            }
            return own
        }
        guard !own.isEmpty else { throw FormatError(.malformed, "an empty list of fields") }
        return own
    }

    /// As deterministic CBOR.
    public var bytes: [UInt8] {
        var pairs = unknown
        for (key, value) in texts { pairs.append(Self.pair(key) { $0.text(value) }) }
        if !own.isEmpty {
            pairs.append(
                Self.pair(Self.ownKey) { writer in
                    writer.array(own.count)
                    for field in own {
                        writer.array(field.isSensitive ? 3 : 2)
                        writer.text(field.label)
                        writer.text(field.value)
                        if field.isSensitive { writer.presence() }
                    }
                })
        }
        return Self.map(pairs)
    }

    /// A map of these pairs, in the order of deterministic CBOR.
    static func map(_ pairs: [UnknownPair]) -> [UInt8] {
        var writer = CBORWriter()
        writer.map(pairs.count)
        for pair in pairs.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            writer.encoded(pair.key)
            writer.encoded(pair.value)
        }
        return writer.bytes
    }

    private static func pair(_ key: String, _ write: (inout CBORWriter) -> Void) -> UnknownPair {
        var (name, value) = (CBORWriter(), CBORWriter())
        name.text(key)
        write(&value)
        return UnknownPair(key: name.bytes, value: value.bytes)
    }
}

extension String {
    /// True if both are the same bytes of UTF-8. `==` takes texts for equal that only look the same.
    package func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
