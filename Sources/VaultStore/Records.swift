import VaultCrypto
public import VaultFormat

extension Vault {
    /// The whole content of a record that is known to be short.
    ///
    /// - Throws: `FormatError` `.malformed` where it is longer than `limit` bytes; all that reading throws.
    public func content(of entry: Entry, limit: Int) throws -> [UInt8] {
        var reader = try reader()
        return try content(of: entry, limit: limit, with: &reader)
    }

    private func content(of entry: Entry, limit: Int, with reader: inout RecordReader) throws -> [UInt8] {
        guard entry.length <= UInt64(limit) else {
            throw FormatError(.malformed, "a record longer than its kind allows", at: entry.place)
        }
        var content: [UInt8] = []
        content.reserveCapacity(Int(entry.length))
        try read(entry, with: &reader) { content += Array(copying: $0) }
        return content
    }

    /// Reads many short records one after the other: `body` gets each with its content, `damaged` the index
    /// and why there is none, or what `body` found wrong with it.
    ///
    /// - Throws: what the two throw but `FormatError`; `IOError`.
    package func forEachContent(
        of entries: Span<Entry>, limit: Int, _ body: (Entry, Span<UInt8>) throws -> Void,
        damaged: (Int, FormatError) throws -> Void
    ) throws {
        var reader = try reader()
        for index in entries.indices {
            do {
                let length = entries[index].length
                guard length > 0, length <= min(limit, RecordReader.pieceByteCount) else {
                    let content = try content(of: entries[index], limit: limit, with: &reader)
                    try body(entries[index], content.span)
                    continue
                }
                // What comes before a damaged chunk is handed out too; then why there is no more counts.
                try read(entries[index], with: &reader) {
                    if UInt64($0.count) == length { try body(entries[index], $0) }
                }
            } catch let error as FormatError {
                try damaged(index, error)
            }
        }
    }

    /// Records with those that belong to them (what is attached to a card, thumbnails of that), each once.
    ///
    /// - Parameter all: where to look, such as `entries()`.
    public static func withDependents(_ entries: [Entry], among all: [Entry]) -> [Entry] {
        let children = Dictionary(
            grouping: all.filter { !Entry.Kind.tree.contains($0.kind) && $0.parent != nil }, by: { $0.parent })
        var found = entries
        var seen = Set(entries.map(\.id))
        var next = 0
        while next < found.count, !children.isEmpty {
            for child in children[found[next].id] ?? [] where seen.insert(child.id).inserted { found.append(child) }
            next += 1
        }
        return found
    }
}

extension Transaction {
    /// An id that no record has.
    public func makeID() throws -> RecordID { try writer.makeID() }

    /// Stores a record of a kind that forms no tree: a new one, or a new version.
    ///
    /// - Parameter times: when it was created and updated, in microseconds since 1970, where it was kept elsewhere.
    public func put(
        _ id: RecordID, kind: UInt16, parent: RecordID?, overview: Overview, content: [UInt8],
        times: (created: UInt64, updated: UInt64)? = nil
    ) throws {
        precondition(!Entry.Kind.tree.contains(kind), "ids of files and folders come from their names")
        var offset = 0
        try writer.put(id, kind: kind, parent: parent, overview: overview, times: times) { buffer in
            let count = min(buffer.count, content.count - offset)
            for index in 0..<count { buffer[index] = content[offset + index] }
            offset += count
            return count
        }
    }

    /// Gives a live record another overview; its content stays as it is stored.
    public func relabel(_ entry: Entry, _ overview: Overview) throws {
        var version = entry
        version.overview = overview
        try reinstate(version)
    }
}
