import VaultCrypto
import VaultFormat
import VaultIO

/// A journal of a repair in place. It has all bytes that the repair writes, and is durable beside the file before the first
/// byte of that changes, so that an interrupted repair goes on from it (Spec/reader.md, 10.6).
struct RepairJournal {
    private static let magic: [UInt8] = [0x89] + Array("QVMEND\n".utf8)
    /// Magic, rows, length of the repaired file, inode and device of the file, sequence, fingerprint of its newest save.
    private static let headByteCount = 80
    /// Offset, length, SHA-256 of the bytes.
    private static let rowByteCount = 48
    private let folder: any Folder
    private let name: [UInt8]

    /// - Parameter path: the file's.
    init(of path: BytePath, in folder: any Folder) {
        (self.folder, name) = (folder, path.lastComponent + Array(".mend".utf8))
    }

    /// Carries out a journal that an interrupted repair left, if it is of this file and nobody has saved to that since; takes
    /// away any other.
    func finishInterrupted(_ file: any File, _ environment: StoreEnvironment) throws {
        guard try folder.exists(name) else { return }
        let journal = try folder.openFile(name)
        // In a folder of several people anybody could have laid one there.
        let isOwn = try journal.status().access.owner == file.status().access.owner
        if isOwn, let plan = try Plan(reading: journal), try plan.fits(file, environment) {
            try replay(journal, plan, into: file)
        }
        try remove()
    }

    /// Writes what an overlay changed into the file under it.
    ///
    /// - Parameter newest: the newest save of the repaired file.
    func apply(_ overlay: OverlayFile, to file: any File, at newest: Core?) throws {
        let ranges = overlay.written
        let (size, status) = (try overlay.status().size, try file.status())
        let journal = try folder.makeFile(replacing: false)
        var head = Self.magic
        for number in [UInt64(ranges.count), size, status.inode, status.device, newest?.sequence ?? 0] {
            head.append(bigEndian: number)
        }
        head += newest?.fingerprint.bytes ?? [UInt8](repeating: 0, count: 32)
        try journal.writeAll(head.span, at: 0)
        var (place, table) = (UInt64(Self.headByteCount), [UInt8]())
        for range in ranges {
            table.append(bigEndian: range.lowerBound)
            table.append(bigEndian: UInt64(range.count))
            try table.append(contentsOf: hash(of: overlay, range) { try journal.writeAll($1.span, at: place + $0) })
            place += UInt64(range.count)
        }
        let covered = head + table
        let end = try table + SHA256.hash(covered.span)
        try journal.writeAll(end.span, at: place)
        try journal.sync()
        try journal.publish(as: name, replacing: false)
        try folder.sync()
        guard let plan = try Plan(reading: journal) else {
            throw FormatError(.damaged, "the journal of the repair does not read as it was written")
        }
        try replay(journal, plan, into: file)
        try remove()
    }

    private func remove() throws {
        try folder.removeFile(name)
        try folder.sync()
    }

    private func replay(_ journal: any File, _ plan: Plan, into file: any File) throws {
        var place = UInt64(Self.headByteCount)
        for row in plan.rows {
            _ = try hash(of: journal, place..<place + row.length) { try file.writeAll($1.span, at: row.offset + $0) }
            place += row.length
        }
        try file.truncate(to: plan.size)
        try file.sync()
    }

    /// The content of a journal; nil of one that is not whole.
    private struct Plan {
        var rows: [(offset: UInt64, length: UInt64)] = []
        let size, inode, device, sequence: UInt64
        let fingerprint: [UInt8]

        init?(reading journal: any File) throws {
            let head = try journal.bytes(at: 0, count: RepairJournal.headByteCount)
            let byteCount = try journal.status().size
            guard head.count == RepairJournal.headByteCount, head.starts(with: RepairJournal.magic) else { return nil }
            let count = loadBigEndian(head.span, at: 8)
            let (tableByteCount, isTooLong) = count.multipliedReportingOverflow(by: UInt64(RepairJournal.rowByteCount))
            guard !isTooLong, tableByteCount <= byteCount,
                UInt64(RepairJournal.headByteCount) + 32 <= byteCount - tableByteCount
            else {
                return nil
            }
            let numbers = (2..<6).map { loadBigEndian(head.span, at: 8 * $0) }
            (size, inode, device, sequence) = (numbers[0], numbers[1], numbers[2], numbers[3])
            fingerprint = Array(head[48...])
            let end = try journal.bytes(at: byteCount - 32 - tableByteCount, count: Int(tableByteCount) + 32)
            let covered = head + end.dropLast(32)
            guard try SHA256.hash(covered.span) == Array(end.suffix(32)) else { return nil }
            var place = UInt64(RepairJournal.headByteCount)
            for row in 0..<Int(count) {
                let at = row * RepairJournal.rowByteCount
                let (offset, length) = (loadBigEndian(end.span, at: at), loadBigEndian(end.span, at: at + 8))
                guard length <= byteCount - place, offset <= Limits.fileByteCount else { return nil }
                let bytes = try hash(of: journal, place..<place + length) { _, _ in }
                guard bytes == Array(end[at + 16..<at + RepairJournal.rowByteCount]) else { return nil }
                rows.append((offset, length))
                place += length
            }
        }

        /// True of the file that it was made for, as long as no page of it names another save.
        func fits(_ file: any File, _ environment: StoreEnvironment) throws -> Bool {
            let status = try file.status()
            guard status.inode == inode, status.device == device else { return false }
            let pages = try [Layout.pageAOffset, Layout.pageBOffset].compactMap { offset -> Page? in
                do { return try Page.sound(file, offset) } catch is FormatError { return nil }
            }
            return try pages.allSatisfy { page in
                let core = try page.record().core
                return core.sequence < sequence || core.fingerprint.bytes == fingerprint
            }
        }
    }
}

/// The SHA-256 of a stretch of a file, whose pieces are handed on, each with its place in the stretch.
private func hash(
    of file: any File, _ range: Range<UInt64>, _ body: (UInt64, [UInt8]) throws -> Void
) throws -> [UInt8] {
    var hash = try SHA256()
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 20) {
        let bytes = try file.bytes(at: start, count: Int(min(1 << 20, range.upperBound - start)))
        try hash.update(bytes.span)
        try body(start - range.lowerBound, bytes)
    }
    return try hash.finish()
}
