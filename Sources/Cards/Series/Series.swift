public import VaultFormat

/// Values over time, of many keys: net values of funds, prices, rates (Spec/product/portfolio.md, 3). The points of a key
/// are sorted by time. A time has one value, unless a merge brought two: then it has both.
public struct Series: Equatable, Sendable {
    /// One point: a time, in the unit of its series, and the values at it.
    public struct Point: Equatable, Sendable {
        /// Days or seconds since 1970, as the series says.
        public let time: UInt64
        /// Texts, as many as the series says.
        public let values: [String]

        /// A point.
        public init(time: UInt64, values: [String]) { (self.time, self.values) = (time, values) }

        /// Values on a day from 1970 on, in a series whose times are days.
        public init(day: Day, values: [String]) { self.init(time: UInt64(clamping: day.number), values: values) }

        /// The second since 1970, where times are seconds; at most the last of the calendar, so that sums with it are in range.
        public var second: Int64 { min(Int64(clamping: time), Day.lastSecond) }

        /// The day, where times are days.
        public var day: Day { Day(clamping: Int64(clamping: time)) }

        /// The text at a place, from 0; nil where there is none.
        package func text(_ place: Int) -> String? { place < values.count ? values[place] : nil }

        /// The number at a place; nil where there is none.
        package func number(_ place: Int) -> ExactDecimal? { text(place).flatMap { ExactDecimal($0) } }

        /// By time, then by values.
        fileprivate static func precedes(_ one: Point, _ other: Point) -> Bool {
            if one.time != other.time { return one.time < other.time }
            return one.values.lexicographicallyPrecedes(other.values) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }

    /// The points of each key, by time.
    public private(set) var points: [String: [Point]] = [:]

    /// Bytes of a series' content at most.
    public static let byteCount = 1 << 24

    /// No points.
    public init() {}

    /// The points of a key; none where it is not there.
    public subscript(_ key: String) -> [Point] { points[key] ?? [] }

    /// What became of a series when a point was put into it.
    public enum Change: Sendable { case none, added, replaced }

    /// Puts a point in the place of what is there at its time.
    @discardableResult public mutating func set(_ key: String, _ point: Point) -> Change {
        var list = points[key] ?? []
        let start = Self.place(of: point.time, in: list)
        let end = list[start...].firstIndex { $0.time > point.time } ?? list.endIndex
        guard Array(list[start..<end]) != [point] else { return .none }
        points[key] = nil
        list.replaceSubrange(start..<end, with: CollectionOfOne(point))
        points[key] = list
        return start == end ? .added : .replaced
    }

    /// The place of the first point at a time or behind it.
    private static func place(of time: UInt64, in list: [Point]) -> Int {
        var range = list.startIndex..<list.endIndex
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = list[middle].time < time ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    /// The last point of a key before a time.
    package func last(_ key: String, before time: UInt64) -> Point? {
        guard let list = points[key] else { return nil }
        let place = Self.place(of: time, in: list)
        return place > 0 ? list[place - 1] : nil
    }

    /// The last point of a key at a time.
    package func last(_ key: String, at time: UInt64) -> Point? {
        guard let list = points[key] else { return nil }
        return list[Self.place(of: time, in: list)...].prefix { $0.time == time }.last
    }

    /// Takes away all points of a key.
    public mutating func removePoints(of key: String) { points[key] = nil }

    /// Takes away the points of a key at a time; false where there are none.
    public mutating func removePoints(of key: String, at time: UInt64) -> Bool {
        let kept = self[key].filter { $0.time != time }
        guard kept.count != self[key].count else { return false }
        points[key] = kept.isEmpty ? nil : kept
        return true
    }

    /// Takes away what is older.
    public mutating func removePoints(before time: UInt64) {
        for (key, list) in points {
            let kept = list.drop { $0.time < time }
            points[key] = kept.isEmpty ? nil : Array(kept)
        }
    }

    /// The points of both. A time with one value here and another there has both.
    public func union(_ other: Series) -> Series {
        var result = self
        for (key, list) in other.points {
            let mine = self[key]
            guard !mine.isEmpty else {
                result.points[key] = list
                continue
            }
            var all = (mine + list)
            all.sort(by: Point.precedes)
            var unique: [Point] = []
            for point in all where unique.last != point { unique.append(point) }
            result.points[key] = unique
        }
        return result
    }

    /// Times that have more than one value, by key.
    public var conflicts: [(key: String, time: UInt64)] {
        points.keys.sorted().flatMap { key in
            zip(self[key], self[key].dropFirst()).filter { $0.time == $1.time }.map { (key, $0.0.time) }
        }
    }

    /// Reads the content of a record.
    ///
    /// - Throws: `FormatError.malformed`.
    public init(parsing bytes: [UInt8]) throws {
        var reader = CBORReader(bytes)
        var last: String?
        for _ in 0..<(try reader.mapCount()) {
            let key = try reader.text()
            guard last.map({ Self.precedes($0, key) }) ?? true else { throw Self.malformed }
            last = key
            points[key] = try Self.list(&reader)
        }
        try reader.finish()
    }

    /// The latest time, as all numbers of the format (Spec/limits.md).
    private static let latest: UInt64 = 1 << 53

    private static let malformed = FormatError(.malformed, "a series that is not sorted, or has a point without values")

    private static func list(_ reader: inout CBORReader) throws -> [Point] {
        var (list, time, values) = ([Point](), UInt64(0), [String]())
        for _ in 0..<(try reader.arrayCount()) {
            let count = try reader.arrayCount()
            let (sum, isTooLarge) = time.addingReportingOverflow(try reader.unsigned())
            guard count > 1, !isTooLarge, sum <= latest else { throw malformed }
            time = sum
            let before = values
            values = try (0..<count - 1).map { place in
                guard try reader.null() else { return try reader.text() }
                guard place < before.count else { throw malformed }
                return before[place]
            }
            let point = Point(time: time, values: values)
            guard list.last.map({ Point.precedes($0, point) }) ?? true else { throw malformed }
            list.append(point)
        }
        guard !list.isEmpty else { throw malformed }
        return list
    }

    /// As deterministic CBOR: a time as the distance from the one before, a value as null where it is the one before.
    public var bytes: [UInt8] {
        var writer = CBORWriter()
        writer.map(points.count)
        for key in points.keys.sorted(by: Self.precedes) {
            writer.text(key)
            writer.array(self[key].count)
            var before = Point(time: 0, values: [])
            for point in self[key] {
                writer.array(point.values.count + 1)
                writer.unsigned(point.time - before.time)
                for (place, value) in point.values.enumerated() {
                    if place < before.values.count, before.values[place].hasBytes(of: value) {
                        writer.null()
                    } else {
                        writer.text(value)
                    }
                }
                before = point
            }
        }
        return writer.bytes
    }

    /// The order of keys in deterministic CBOR: shorter ones first.
    private static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count
            ? one.utf8.lexicographicallyPrecedes(other.utf8) : one.utf8.count < other.utf8.count
    }

    /// The id of the series with this name, the same in every copy of a vault.
    public static func id(_ name: String) throws -> RecordID { try RecordID(of: "series", named: name.utf8) }
}
