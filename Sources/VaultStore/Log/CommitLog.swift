import VaultIO
import VaultCrypto
import VaultFormat

/// The commits of a file from the newest back to the first, found without a key (Spec/reader.md, 7.3).
struct CommitLog {
    /// One commit: what its core says, and the damage that was found on the way to it.
    struct Item {
        let core: Core
        /// 1,024 bytes as they stand in the log, or fewer at the end of the file.
        let recordBytes: [UInt8]
        var findings: [Finding] = []
    }

    private let file: any File
    private var next: Item?
    /// Set when the chain breaks: the bytes in which no commit was found.
    private(set) var lost: Finding?

    /// Starts from the record that a page holds.
    init(_ file: any File, newest: CommitRecord) throws {
        self.file = file
        let core = newest.core
        var item = Item(core: core, recordBytes: try file.bytes(at: core.recordOffset, count: CommitRecord.byteCount))
        if item.recordBytes != newest.bytes {
            item.findings.append(
                Finding(.repairable, "the newest commit record (the page holds a copy)", core.recordRange))
        }
        item.findings += Self.judgeCopy(newest.previousCore, below: core).map { [$0] } ?? []
        self.newestCopy = newest.previousCore
        next = item
    }

    private var newestCopy: [UInt8]??

    /// The next older commit.
    mutating func pop() throws -> Item? {
        guard let item = next else { return nil }
        let copy = newestCopy ?? Self.copy(in: item.recordBytes)
        newestCopy = nil
        next = try older(than: item.core, copy: copy)
        return item
    }

    private static func copy(in record: [UInt8]) -> [UInt8]? {
        guard record.count == CommitRecord.byteCount else { return nil }
        let copy = Array(record[512...])
        return copy.allSatisfy { $0 == 0 } ? nil : copy
    }

    /// The fault of a copy of the core before; nil when there is none.
    private static func judgeCopy(_ copy: [UInt8]?, below core: Core) -> Finding? {
        let isFirst = core.start == Layout.logStart
        let isRight = isFirst ? copy == nil : copy.flatMap { previous(core, from: $0) } != nil
        return isRight
            ? nil
            : Finding(
                .repairable, "the copy of the core before commit \(core.sequence)",
                core.recordOffset + 512..<core.recordOffset + 1024)
    }

    /// These bytes as the core of the commit before, if they are the ones that `core` names.
    private static func previous(_ core: Core, from bytes: [UInt8]) -> Core? {
        guard let candidate = try? Core(parsing: bytes) else { return nil }
        return candidate.precedes(core) ? candidate : nil
    }

    private mutating func older(than core: Core, copy: [UInt8]?) throws -> Item? {
        guard core.start > Layout.logStart else { return nil }
        guard let found = try copy.flatMap({ Self.previous(core, from: $0) }) ?? scan(below: core) else {
            lost = Finding(.damaged, "no commit was found here", Layout.logStart..<core.start)
            return nil
        }
        var item = Item(
            core: found, recordBytes: try file.bytes(at: found.recordOffset, count: CommitRecord.byteCount))
        if !item.recordBytes.starts(with: found.bytes) {
            item.findings.append(
                Finding(
                    .repairable, "the record of commit \(found.sequence) (a copy stands in the next)", found.recordRange
                ))
        }
        item.findings += Self.judgeCopy(Self.copy(in: item.recordBytes), below: found).map { [$0] } ?? []
        return item
    }

    /// Looks backwards, 4 KiB at a time, for a record whose commit ends where `core` starts.
    private func scan(below core: Core) throws -> Core? {
        var offset = try min(core.start, Layout.align(file.status().size, to: Layout.alignment))
        while offset > Layout.logStart + Layout.alignment, core.start - offset < Limits.scanByteCount {
            offset -= Layout.alignment
            let bytes = try file.bytes(at: offset, count: 512)
            if let found = Self.previous(core, from: bytes), found.recordOffset == offset { return found }
        }
        return nil
    }
}

extension Core {
    /// True if this is the commit before `next`, which names its fingerprint (Spec/container.md, 3.2).
    func precedes(_ next: Core) -> Bool {
        fingerprint == next.previous && end == next.start && vaultID == next.vaultID && epoch == next.epoch
            && sequence < next.sequence
    }

    var recordRange: Range<UInt64> { recordOffset..<recordOffset + UInt64(CommitRecord.byteCount) }
}
