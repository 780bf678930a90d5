/// The metadata of a record that a list shows without opening it (Spec/entries.cddl).
public struct Overview: Equatable, Sendable {
    /// The title; UTF-8 except for file names that are not.
    public var title: [UInt8]
    /// Modification time of a file, folder or symlink, in nanoseconds since 1970.
    public var modified: FileTime?
    /// True if someone may execute the file.
    public var isExecutable = false
    /// Metadata that few records have, in a box of its own, so that a list of many files stays small and is copied
    /// fast.
    private var rest: Box?

    private final class Box: Sendable {
        let rest: Rest

        init(_ rest: Rest) { self.rest = rest }
    }

    private struct Rest: Equatable {
        var tags: [String] = []
        var group: String?
        var isPinned = false
        var mediaType: String?
        var unknown: [UnknownPair] = []
    }

    /// An overview with what files have.
    public init(title: [UInt8], modified: FileTime? = nil, isExecutable: Bool = false) {
        self.title = title
        self.modified = modified
        self.isExecutable = isExecutable
    }

    private subscript<Value>(field: WritableKeyPath<Rest, Value>) -> Value {
        get { (rest?.rest ?? Rest())[keyPath: field] }
        set {
            var changed = rest?.rest ?? Rest()
            changed[keyPath: field] = newValue
            rest = changed == Rest() ? nil : Box(changed)
        }
    }

    /// Words that records are found by.
    public var tags: [String] {
        get { rest?.rest.tags ?? [] }
        set { self[\.tags] = newValue }
    }

    /// The group it is in, if any.
    public var group: String? {
        get { rest?.rest.group }
        set { self[\.group] = newValue }
    }

    /// True if lists show it first.
    public var isPinned: Bool {
        get { rest?.rest.isPinned ?? false }
        set { self[\.isPinned] = newValue }
    }

    /// The media type of what is attached to another record, such as `image/png`.
    public var mediaType: String? {
        get { rest?.rest.mediaType }
        set { self[\.mediaType] = newValue }
    }

    /// Pairs that this version does not know, in order, carried along unchanged.
    package var unknown: [UnknownPair] {
        get { rest?.rest.unknown ?? [] }
        set { self[\.unknown] = newValue }
    }

    private static let attributesKey = encodedKey("+posix")

    /// The encoded attributes that a file system kept beside name, content and time (Spec/product/trees.md, 5): a pair that
    /// the format does not know, with a key that stays with the record.
    package var attributes: [UInt8]? {
        get { unknown.first { $0.key == Self.attributesKey }?.value }
        set {
            guard newValue != attributes else { return }
            var pairs = unknown.filter { $0.key != Self.attributesKey }
            if let newValue {
                let place = pairs.firstIndex { Self.attributesKey.lexicographicallyPrecedes($0.key) } ?? pairs.endIndex
                pairs.insert(UnknownPair(key: Self.attributesKey, value: newValue), at: place)
            }
            unknown = pairs
        }
    }

    /// True if there is a group, a tag, a pin, a media type or an unknown pair.
    var hasLabels: Bool { rest != nil }

    /// The same title and attributes of a file, with all else (tags, group, pin, media type, unknown pairs) as in `old`.
    package func keepingLabels(of old: Overview) -> Overview {
        var overview = old
        (overview.title, overview.modified, overview.isExecutable) = (title, modified, isExecutable)
        overview.attributes = attributes
        return overview
    }

    /// That of a record which gets new content: of the pairs that this version does not know, those of the record stay. Others may
    /// describe a content that is another now.
    package func ofNewContent(after old: Overview?) -> Overview {
        var overview = self
        overview.unknown = old?.unknown.filter(\.isOfRecord) ?? []
        overview.attributes = attributes
        return overview
    }

    /// Equal fields.
    public static func == (left: Overview, right: Overview) -> Bool {
        left.title == right.title && left.modified == right.modified && left.isExecutable == right.isExecutable
            && left.rest?.rest == right.rest?.rest
    }
}

extension Overview {
    private enum Key {
        static let exec = encodedKey("exec")
        static let tags = encodedKey("tags")
        static let type = encodedKey("type")
        static let group = encodedKey("group")
        static let mtime = encodedKey("mtime")
        static let title = encodedKey("title")
        static let pinned = encodedKey("pinned")
    }

    private static func encodedKey(_ name: String) -> [UInt8] {
        var writer = CBORWriter()
        writer.text(name)
        return writer.bytes
    }

    init(parsing reader: inout CBORReader) throws {
        var title: [UInt8]?
        var rest = Rest()
        self.init(title: [])
        try reader.map { reader, key in
            if reader.has(Key.title, at: key) {
                title = try Self.title(&reader)
            } else if reader.has(Key.mtime, at: key) {
                modified = FileTime(nanoseconds: try reader.signed())
            } else if reader.has(Key.exec, at: key) {
                try reader.presence()
                isExecutable = true
            } else if reader.has(Key.tags, at: key) {
                rest.tags = try Self.tags(&reader)
            } else if reader.has(Key.type, at: key) {
                rest.mediaType = try reader.text()
            } else if reader.has(Key.group, at: key) {
                rest.group = try reader.text()
            } else if reader.has(Key.pinned, at: key) {
                try reader.presence()
                rest.isPinned = true
            } else {
                rest.unknown.append(try Self.unknownPair(key, &reader))
            }
        }
        guard let title else { throw reader.malformed("an overview without a title") }
        self.title = title
        if rest != Rest() { self.rest = Box(rest) }
    }

    private static func unknownPair(_ key: Range<Int>, _ reader: inout CBORReader) throws -> UnknownPair {
        let name = reader.encoding(at: key)
        guard name[0] >> 5 == 3 else { throw reader.malformed("text key expected") }
        return UnknownPair(key: name, value: try reader.item(depth: 4))
    }

    /// The pairs that this version does not know, as a map of CBOR; nil if there are none.
    package var unknownBytes: [UInt8]? { unknown.isEmpty ? nil : encodedUnknown }

    private var encodedUnknown: [UInt8] {
        var writer = CBORWriter()
        var map = MapWriter(&writer, count: 0, unknown: unknown)
        map.finish(&writer)
        return writer.bytes
    }

    /// Takes what `unknownBytes` gave.
    ///
    /// - Throws: `FormatError.malformed`.
    package mutating func setUnknown(_ bytes: [UInt8]) throws {
        var reader = CBORReader(bytes)
        var pairs: [UnknownPair] = []
        try reader.map { reader, key in pairs.append(try Self.unknownPair(key, &reader)) }
        try reader.finish()
        unknown = pairs
    }

    private static func title(_ reader: inout CBORReader) throws -> [UInt8] {
        let title = try reader.string(allowingText: true)
        guard title.isText || !isUTF8(title.bytes.span) else {
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
            + (isPinned ? 1 : 0) + (mediaType == nil ? 0 : 1)
        var map = MapWriter(&writer, count: known, unknown: unknown)
        if isExecutable {
            map.key(Key.exec, &writer)
            writer.presence()
        }
        if !tags.isEmpty {
            map.key(Key.tags, &writer)
            writer.array(tags.count)
            for tag in tags { writer.text(tag) }
        }
        if let mediaType {
            map.key(Key.type, &writer)
            writer.text(mediaType)
        }
        if let group {
            map.key(Key.group, &writer)
            writer.text(group)
        }
        if let modified {
            map.key(Key.mtime, &writer)
            writer.signed(modified.nanoseconds)
        }
        map.key(Key.title, &writer)
        writer.name(title)
        if isPinned {
            map.key(Key.pinned, &writer)
            writer.presence()
        }
        map.finish(&writer)
    }
}
