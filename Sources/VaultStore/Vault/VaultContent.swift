import VaultIO
import Synchronization
package import VaultCrypto
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

    /// The values that `transform` makes of the content of many short records, read on all cores; in their order. It appends
    /// to what is there.
    ///
    /// - Parameter damaged: told, by id, which records cannot be read; the rest goes on if it returns.
    /// - Throws: as `content`, unless `damaged` says otherwise; what `transform` throws.
    package func map<Value>(
        _ entries: [Entry], limit: Int, damaged: (Entry, FormatError) throws -> Void,
        _ transform: (Entry, Span<UInt8>, inout [Value]) throws -> Void
    ) throws -> [Value] {
        try collecting(damaged) { faults in
            try Parallel.flatMapPieces(of: entries) { try map($0.span, limit: limit, faults, transform) }
        }
    }

    /// The same for all live records that are wanted, in no order; `makeTransform` is asked for each piece of them.
    package func map<Value>(
        where isWanted: (Entry) -> Bool, limit: Int, damaged: (Entry, FormatError) throws -> Void,
        _ makeTransform: () -> (Entry, Span<UInt8>, inout [Value]) throws -> Void
    ) throws -> [Value] {
        try map(splitting: { ([], $0.filtered(isWanted)) }, limit: limit, damaged: damaged, makeTransform)
    }

    /// The same where content need not be read for all: `split` gives the values of some records, and those that are read.
    package func map<Value>(
        splitting split: ([Entry]) throws -> (known: [Value], unread: [Entry]), limit: Int,
        damaged: (Entry, FormatError) throws -> Void,
        _ makeTransform: () -> (Entry, Span<UInt8>, inout [Value]) throws -> Void
    ) throws -> [Value] {
        try collecting(damaged) { faults in
            try flatMapEntries { entries in
                let (known, unread) = try split(entries)
                return try known + map(unread.span, limit: limit, faults, makeTransform())
            }
        }
    }

    /// Which records cannot be read, as several threads find it.
    private typealias Faults = Mutex<[(Entry, FormatError)]>

    private func collecting<Value>(
        _ damaged: (Entry, FormatError) throws -> Void, _ body: (borrowing Faults) throws -> [Value]
    ) throws -> [Value] {
        let faults = Faults([])
        let values = try body(faults)
        for (entry, error) in faults.withLock({ $0 }).sorted(by: { $0.0.id < $1.0.id }) { try damaged(entry, error) }
        return values
    }

    /// The same for records one after the other, with one reader.
    private func map<Value>(
        _ entries: Span<Entry>, limit: Int, _ faults: borrowing Faults,
        _ transform: (Entry, Span<UInt8>, inout [Value]) throws -> Void
    ) throws -> [Value] {
        guard !entries.isEmpty else { return [] }
        var values: [Value] = []
        var reader = try reader()
        for index in entries.indices {
            let entry = entries[index]
            do {
                guard entry.length > 0, entry.length <= min(limit, RecordReader.pieceByteCount), !entry.content.isList
                else {
                    let content = try content(of: entry, limit: limit, with: &reader)
                    try transform(entry, content.span, &values)
                    continue
                }
                try read(entry, with: &reader) { content in
                    // The bytes before a damaged chunk are handed out too; then the reason why there are no more
                    // counts.
                    if UInt64(content.count) == entry.length { try transform(entry, content, &values) }
                }
            } catch let error as FormatError {
                faults.withLock { $0.append((entry, error)) }
            }
        }
        return values
    }

    /// Records with those that belong to them (what is attached to a card, thumbnails of that), each once.
    ///
    /// - Parameter all: where to look, such as `entries()`.
    public static func withDependents(_ entries: [Entry], among all: [Entry]) -> [Entry] {
        let children = Dictionary(
            grouping: all.filter { !$0.kind.isInTree && $0.parent != nil }, by: { $0.parent })
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

extension VaultTransaction {
    /// Random bytes of the vault's own source.
    package func makeSecret(byteCount: Int) throws -> Secret { try writer.makeSecret(byteCount: byteCount) }

    /// An id that no record has.
    public func makeID() throws -> RecordID { try writer.makeID() }

    /// Stores a record of a kind that forms no tree: a new one, or a new version.
    ///
    /// - Parameter times: when it was created and updated, in microseconds since 1970, where it was kept elsewhere.
    public func put(
        _ id: RecordID, kind: Entry.Kind, parent: RecordID?, overview: Overview, content: [UInt8],
        times: (created: Timestamp, updated: Timestamp)? = nil
    ) throws {
        precondition(!kind.isInTree, "ids of files and folders come from their names")
        var content = content[...]
        try writer.put(id, kind: kind, parent: parent, overview: overview, times: times) { $0.take(from: &content) }
    }

    /// Gives a live record another overview; its content stays as it is stored.
    public func updateMetadata(_ entry: Entry, _ overview: Overview) throws {
        var version = entry
        version.overview = overview
        try reinstate(version)
    }
}
