import VaultCrypto
public import VaultFormat
public import VaultStore

/// A setting: a value of some type under a name like `copy.address` (Spec/product/records.md, 7).
public struct Setting: Equatable, Sendable {
    /// The value of a setting.
    public enum Value: Equatable, Sendable {
        case text(String)
        case number(ExactDecimal)
        case flag(Bool)
        case list([String])
        /// A text that is shown only when asked for.
        case secret(String)
        /// Any bytes.
        case file([UInt8])
    }

    /// The type of a value.
    public enum ValueType: String, CaseIterable, Sendable { case text, number, flag, list, secret, file }

    /// Its value.
    public var value: Value
    private var unknown: [UnknownPair] = []

    /// True if there is more in it: a newer program's.
    package var isPartlyUnknown: Bool { !unknown.isEmpty }

    /// A new setting.
    public init(_ value: Value) { self.value = value }

    /// The type of its value.
    public var type: ValueType {
        switch value {
        case .text: .text
        case .number: .number
        case .flag: .flag
        case .list: .list
        case .secret: .secret
        case .file: .file
        }
    }

    /// Its value; bytes in base64.
    package var json: JSON {
        switch value {
        case .text(let text), .secret(let text): .text(text)
        case .number(let number): .text(number.description)
        case .flag(let flag): .bool(flag)
        case .list(let items): items.json
        case .file(let bytes): .text(Base64.text(bytes))
        }
    }

    /// Bytes of a setting's content at most.
    public static let byteCount = 1 << 24

    /// The id of the setting with this name.
    public static func id(_ name: String) throws -> RecordID { try RecordID(of: "setting", named: name.utf8) }

    /// The error in a name; nil if there is none. A name has parts of letters of any script, digits, `-` and `_`, with dots
    /// between.
    public static func complaint(aboutName name: String) -> Phrase? {
        let parts = name.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty
                && part.allSatisfy { "0"..."9" ~= $0 || $0.properties.isAlphabetic || "-_".unicodeScalars.contains($0) }
        }
        guard isPlain, name.utf8.count <= Card.titleByteCount else {
            return "is no name of a setting: letters, digits, '-' and '_', with dots between, up to 255 bytes"
        }
        return nil
    }

    private static let (typeKey, valueKey) = ("type", "value")

    /// Reads the content of a record.
    ///
    /// - Throws: `FormatError.malformed`, also for a type that this version does not know.
    public init(parsing bytes: [UInt8]) throws {
        var reader = CBORReader(bytes)
        var (type, value): (ValueType?, [UInt8]?)
        var unknown: [UnknownPair] = []
        try reader.map { reader, key in
            let item = try reader.item(depth: 2)
            if reader.has(Self.encoded(Self.typeKey), at: key) {
                var name = CBORReader(item)
                type = ValueType(rawValue: try name.text())
            } else if reader.has(Self.encoded(Self.valueKey), at: key) {
                value = item
            } else {
                unknown.append(UnknownPair(key: reader.encoding(at: key), value: item))
            }
        }
        try reader.finish()
        guard let type, let value, let parsed = try Self.value(type, value) else {
            throw FormatError(.malformed, "a setting of an unknown type")
        }
        (self.value, self.unknown) = (parsed, unknown)
    }

    private static func value(_ type: ValueType, _ item: [UInt8]) throws -> Value? {
        var reader = CBORReader(item)
        switch type {
        case .text: return .text(try reader.text())
        case .secret: return .secret(try reader.text())
        case .number: return try ExactDecimal(reader.text()).map { .number($0) }
        case .flag: return try Bool(reader.text()).map { .flag($0) }
        case .list: return .list(try (0..<reader.arrayCount()).map { _ in try reader.text() })
        case .file: return .file(try reader.string().bytes)
        }
    }

    /// As deterministic CBOR.
    public var bytes: [UInt8] {
        var (type, item) = (CBORWriter(), CBORWriter())
        type.text(self.type.rawValue)
        switch value {
        case .text(let text), .secret(let text): item.text(text)
        case .number(let number): item.text(number.description)
        case .flag(let flag): item.text(flag ? "true" : "false")
        case .list(let items):
            item.array(items.count)
            for text in items { item.text(text) }
        case .file(let bytes): item.byteString(bytes)
        }
        return RecordFields.map(
            unknown + [
                UnknownPair(key: Self.encoded(Self.typeKey), value: type.bytes),
                UnknownPair(key: Self.encoded(Self.valueKey), value: item.bytes),
            ])
    }

    private static func encoded(_ key: String) -> [UInt8] {
        var writer = CBORWriter()
        writer.text(key)
        return writer.bytes
    }
}

extension Vault {
    /// The setting with this name; nil where there is none.
    ///
    /// - Throws: as `content`; `FormatError.malformed`.
    public func setting(_ name: String) throws -> Setting? { try entry(Setting.id(name)).map { try setting($0) } }

    /// A setting that was listed.
    ///
    /// - Throws: as `content`; `FormatError.malformed`.
    public func setting(_ entry: Entry) throws -> Setting {
        let content = try content(of: entry, limit: Setting.byteCount)
        do { return try Setting(parsing: content) } catch let error as FormatError { throw error.at(entry.place) }
    }
}

extension VaultTransaction {
    /// Stores a setting under a name: a new one, or a new version.
    ///
    /// - Throws: `FormatError.invalid` where it is longer than 16 MiB; all that storing throws.
    public func put(_ setting: Setting, as name: String) throws {
        precondition(Setting.complaint(aboutName: name) == nil, "the name was looked at")
        let (id, content) = (try Setting.id(name), setting.bytes)
        guard content.count <= Setting.byteCount else {
            throw FormatError(.invalid, "a setting takes 16 MiB, not \(content.count) bytes")
        }
        let overview = try entry(id)?.overview ?? Overview(title: Array(name.utf8))
        try put(id, kind: .setting, parent: nil, overview: overview, content: content)
    }
}
