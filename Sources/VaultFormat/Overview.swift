/// What a list shows of a record without opening it (Spec/records.cddl).
public struct Overview: Equatable, Sendable {
    /// The title; UTF-8 except for file names that are not.
    public var title: [UInt8]
    /// Modification time of a file, folder or symlink, in nanoseconds since 1970.
    public var modified: Int64?
    public var isExecutable = false
    public var tags: [String] = []
    public var group: String?
    public var isPinned = false
    /// Pairs that this version does not know, in order, carried along unchanged.
    var unknown: [UnknownPair] = []

    public init(title: [UInt8], modified: Int64? = nil, isExecutable: Bool = false) {
        self.title = title
        self.modified = modified
        self.isExecutable = isExecutable
    }
}

/// A map entry of a newer writer: the encodings of its key and value.
struct UnknownPair: Equatable, Sendable {
    let key: [UInt8]
    let value: [UInt8]
}

extension Overview {
    private enum Key {
        static let exec = encodedKey("exec")
        static let tags = encodedKey("tags")
        static let group = encodedKey("group")
        static let mtime = encodedKey("mtime")
        static let title = encodedKey("title")
        static let pinned = encodedKey("pinned")

        private static func encodedKey(_ name: String) -> [UInt8] {
            var writer = CBORWriter()
            writer.text(name)
            return writer.bytes
        }
    }

    init(parsing reader: inout CBORReader) throws {
        var title: [UInt8]?
        self.init(title: [])
        try reader.map { reader, key in
            switch Array(key) {
            case Key.exec: try reader.presence(); isExecutable = true
            case Key.tags: tags = try Self.tags(&reader)
            case Key.group: group = try reader.text()
            case Key.mtime: modified = try reader.signed()
            case Key.title: title = try Self.title(&reader)
            case Key.pinned: try reader.presence(); isPinned = true
            default:
                guard key.first.map({ $0 >> 5 == 3 }) == true else { throw reader.malformed("text key expected") }
                unknown.append(UnknownPair(key: Array(key), value: Array(try reader.item(depth: 4))))
            }
        }
        guard let title else { throw reader.malformed("an overview without a title") }
        self.title = title
    }

    private static func title(_ reader: inout CBORReader) throws -> [UInt8] {
        let title = try reader.string(allowingText: true)
        guard title.isText || String(validating: title.bytes, as: UTF8.self) == nil else {
            throw reader.malformed("a title that is text, as a byte string")
        }
        return title.bytes
    }

    private static func tags(_ reader: inout CBORReader) throws -> [String] {
        let count = try reader.arrayCount()
        guard count > 0 else { throw reader.malformed("an empty list of tags") }
        return try (0..<count).map { _ in try reader.text() }
    }

    func write(to writer: inout CBORWriter) {
        let known =
            1 + (modified == nil ? 0 : 1) + (isExecutable ? 1 : 0) + (tags.isEmpty ? 0 : 1) + (group == nil ? 0 : 1)
            + (isPinned ? 1 : 0)
        var map = MapWriter(writer, count: known, unknown: unknown)
        if isExecutable { map.pair(Key.exec) { $0.presence() } }
        if !tags.isEmpty {
            map.pair(Key.tags) { writer in
                writer.array(tags.count)
                for tag in tags { writer.text(tag) }
            }
        }
        if let group { map.pair(Key.group) { $0.text(group) } }
        if let modified { map.pair(Key.mtime) { $0.signed(modified) } }
        map.pair(Key.title) { $0.name(title) }
        if isPinned { map.pair(Key.pinned) { $0.presence() } }
        writer = map.finish()
    }
}

/// Writes a map whose known keys come in order, and slips the unknown ones in between.
struct MapWriter {
    private var writer: CBORWriter
    private var unknown: ArraySlice<UnknownPair>

    init(_ writer: CBORWriter, count: Int, unknown: [UnknownPair]) {
        self.writer = writer
        self.unknown = unknown[...]
        self.writer.map(count + unknown.count)
    }

    mutating func pair(_ key: [UInt8], _ value: (inout CBORWriter) -> Void) {
        while let next = unknown.first, next.key.lexicographicallyPrecedes(key) { putUnknown() }
        writer.encoded(key)
        value(&writer)
    }

    private mutating func putUnknown() {
        let next = unknown.removeFirst()
        writer.encoded(next.key)
        writer.encoded(next.value)
    }

    mutating func finish() -> CBORWriter {
        while !unknown.isEmpty { putUnknown() }
        return writer
    }
}
