import VaultIO
import Synchronization
package import VaultFormat

/// The manifest of one state of a vault: a stack of segments, read as far as they are asked for (Spec/reader.md, 4).
package final class Manifest {
    /// Newest first.
    package let segments: [Segment]

    /// Reads the heads of the stack.
    ///
    /// - Throws: `Fault`, `FormatError.malformed`, `IOError`.
    init(_ file: any File, keys: Keys, newest: SegmentLink, of core: Core) throws {
        var segments: [Segment] = []
        var next: SegmentLink? = newest
        var limit = core.recordOffset
        try core.check(newest)
        while let link = next {
            guard segments.count < Limits.segmentCount else {
                throw FormatError(.malformed, "more than \(Limits.segmentCount) manifest segments")
            }
            try link.check(endsBy: limit)
            let segment = try Segment(file, keys: keys, link: link)
            segments.append(segment)
            (next, limit) = (segment.head.base, link.offset)
        }
        self.segments = segments
    }

    /// Holds the live chunks of the newest segment against their digests, unless they are so many that this would take
    /// longer than it is worth (Spec/reader.md, 4.7).
    ///
    /// - Throws: `Fault`; `IOError`.
    func checkNewest() throws {
        guard let newest = segments.first, newest.link.length <= Self.checkedByteCount else { return }
        try newest.checkDigests(.live)
    }

    private static let checkedByteCount: UInt64 = 1 << 20

    /// Bytes that it takes in the file.
    var byteCount: UInt64 { segments.reduce(0) { $0 + $1.link.length } }

    /// The newest live entry of a record: in the trash and tombstones included.
    package func entry(_ id: RecordID) throws -> Entry? {
        for segment in segments {
            if let entry = try segment.entry(id) { return entry }
        }
        return nil
    }

    /// The line of an earlier commit.
    func line(_ sequence: UInt64) throws -> CommitLine? {
        for segment in segments {
            if let line = try segment.line(sequence) { return line }
        }
        return nil
    }

    /// The files, folders and symlinks that lie in a folder, by id: in the trash and tombstones included. Only the chunks
    /// that can hold them are read.
    ///
    /// - Parameter inner: the folder's inner id; nil is the top.
    func entries(in inner: RecordID?) throws -> [Entry] {
        var found: [RecordID: Entry] = [:]
        for segment in segments {
            for entry in try segment.entries(TreeName.ids(in: inner)) where found[entry.id] == nil {
                found[entry.id] = entry
            }
        }
        return found.values.filter { $0.parent == inner && $0.kind.isInTree }.sorted { $0.id < $1.id }
    }

    /// All folders by inner id: the live one, or else the one in the trash.
    func folders() throws -> [RecordID: Entry] {
        Dictionary(
            try flatMap { $0.filter { $0.kind == .folder } }.map { ($0.innerID, $0) },
            uniquingKeysWith: { $0.state == .live ? $0 : $1 })
    }

    /// All live entries by id: in the trash and tombstones included.
    package func entries() throws -> [Entry] {
        var entries = try flatMap { $0 }
        if segments.count > 1 { entries.sort(by: \.id, <) }
        return entries
    }

    /// Reads every chunk, and keeps nothing.
    ///
    /// - Throws: `Fault`, `FormatError.malformed`, `IOError`.
    func readAll() throws {
        for segment in segments {
            for part in [SegmentPart.live, .past] { try segment.forEachEntry(part) { _ in } }
            _ = try segment.lines()
        }
    }

    /// Applies `body` to the live entries, those in the trash and tombstones included, a piece of them at a time, on all
    /// cores. What is in one segment comes by id, newer segments first.
    func flatMap<Value>(_ body: ([Entry]) throws -> [Value]) throws -> [Value] {
        var newer: Set<RecordID> = []
        var values: [Value] = []
        for (depth, segment) in segments.enumerated() {
            let known = newer
            let ids = Mutex<[RecordID]>([])
            let made = try segment.flatMapEntries(.live) { entries in
                let entries = known.isEmpty ? entries : entries.filter { !known.contains($0.id) }
                if depth + 1 < segments.count { ids.withLock { $0 += entries.map(\.id) } }
                return try body(entries)
            }
            values = values.isEmpty ? made : values + made
            newer.formUnion(ids.withLock { $0 })
        }
        return values
    }
}
