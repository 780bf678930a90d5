public import VaultFormat
public import VaultStore

extension Vault {
    /// A series that was listed.
    ///
    /// - Throws: as `content`; `FormatError.malformed`.
    public func series(_ entry: Entry) throws -> Series {
        let content = try content(of: entry, limit: Series.byteCount)
        do { return try Series(parsing: content) } catch let error as FormatError { throw error.at(entry.place) }
    }

    /// The series with this name; an empty one where there is none.
    ///
    /// - Throws: as `content`; `FormatError.malformed`.
    public func series(named name: String) throws -> Series {
        try entry(Series.id(name)).map { try series($0) } ?? Series()
    }

    /// The live series, in no order; their titles are their names.
    ///
    /// - Throws: as `entries`.
    public func seriesEntries(where isWanted: (Entry) -> Bool = { _ in true }) throws -> [Entry] {
        try entries { $0.kind == .series && isWanted($0) }
    }
}

extension VaultTransaction {
    /// Puts a point into the series with a name, which may be a new one, in the place of what is there at its time.
    ///
    /// - Returns: false where it is there already.
    /// - Throws: all that storing throws.
    @discardableResult package func put(_ point: Series.Point, of key: String, in name: String) throws -> Bool {
        var series = try entry(Series.id(name)).map { try before.series($0) } ?? Series()
        guard series.set(key, point) != .none else { return false }
        try put(series, as: name)
        return true
    }

    /// Stores a series under a name: a new one, or a new version.
    ///
    /// - Throws: `FormatError.invalid` where it is longer than 16 MiB; all that storing throws.
    public func put(_ series: Series, as name: String) throws {
        let (id, content) = (try Series.id(name), series.bytes)
        guard content.count <= Series.byteCount else {
            throw FormatError(.invalid, "a series takes 16 MiB, not \(content.count) bytes")
        }
        let overview = try entry(id)?.overview ?? Overview(title: Array(name.utf8))
        try put(id, kind: .series, parent: nil, overview: overview, content: content)
    }
}
