import VaultCrypto
import VaultFormat
import VaultIO

/// What a repair in place writes, made durable beside the file before the first byte of it changes: an interrupted repair
/// goes on from it (Spec/reader.md, 10.6).
struct RepairJournal {
    private static let magic: [UInt8] = [0x89] + Array("QVMEND\n".utf8)
    private static let headByteCount: UInt64 = 32
    private let folder: any Folder
    private let name: [UInt8]

    /// - Parameter path: the file's.
    init(of path: BytePath, in folder: any Folder) {
        (self.folder, name) = (folder, path.lastComponent + Array(".mend".utf8))
    }

    /// Carries out a journal that an interrupted repair left.
    ///
    /// - Throws: `FormatError.damaged` where it is none.
    func finishInterrupted(_ file: any File) throws {
        guard try folder.exists(name) else { return }
        let journal = try folder.openFile(name)
        let (count, size, inode) = try head(of: journal)
        guard inode == (try file.status().inode) else {
            throw FormatError(.invalid, "\(journal.path): the journal of a repair of another file is in the way")
        }
        try replay(journal, count: count, size: size, into: file)
    }

    /// Writes what an overlay changed into the file under it.
    func apply(_ overlay: OverlayFile, to file: any File) throws {
        let ranges = overlay.written
        let size = try overlay.status().size
        let journal = try folder.makeFile(replacing: false)
        var head = Self.magic
        for number in [UInt64(ranges.count), size, try file.status().inode] { head.append(bigEndian: number) }
        try journal.writeAll(head.span, at: 0)
        var (place, table) = (Self.headByteCount, [UInt8]())
        for range in ranges {
            table.append(bigEndian: range.lowerBound)
            table.append(bigEndian: UInt64(range.count))
            try table.append(contentsOf: copy(overlay, range, to: journal, at: place))
            place += UInt64(range.count)
        }
        let covered = head + table
        let end = try table + SHA256.hash(covered.span)
        try journal.writeAll(end.span, at: place)
        try journal.sync()
        try journal.publish(as: name, replacing: false)
        try folder.sync()
        try replay(journal, count: UInt64(ranges.count), size: size, into: file)
    }

    /// Copies a stretch; returns its SHA-256.
    private func copy(_ source: any File, _ range: Range<UInt64>, to target: any File, at place: UInt64) throws
        -> [UInt8]
    {
        var hash = try SHA256()
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 20) {
            let bytes = try source.bytes(at: start, count: Int(min(1 << 20, range.upperBound - start)))
            try hash.update(bytes.span)
            try target.writeAll(bytes.span, at: place + (start - range.lowerBound))
        }
        return try hash.finish()
    }

    private func head(of journal: any File) throws -> (count: UInt64, size: UInt64, inode: UInt64) {
        let head = try journal.bytes(at: 0, count: Int(Self.headByteCount))
        let count = head.count == 32 ? loadBigEndian(head.span, at: 8) : 0
        let size = try journal.status().size
        let tableByteCount = count.multipliedReportingOverflow(by: 48)
        guard head.starts(with: Self.magic), head.count == 32, !tableByteCount.overflow,
            tableByteCount.partialValue + 64 <= size
        else { throw FormatError(.damaged, "\(journal.path): no journal of a repair; remove it by hand") }
        let end = try journal.bytes(
            at: size - tableByteCount.partialValue - 32, count: Int(tableByteCount.partialValue) + 32)
        let covered = head + end.dropLast(32)
        guard try SHA256.hash(covered.span) == Array(end.suffix(32)) else {
            throw FormatError(.damaged, "\(journal.path): no journal of a repair; remove it by hand")
        }
        return (count, loadBigEndian(head.span, at: 16), loadBigEndian(head.span, at: 24))
    }

    private func replay(_ journal: any File, count: UInt64, size: UInt64, into file: any File) throws {
        let end = try journal.status().size - 32
        let table = try journal.bytes(at: end - 48 * count, count: Int(48 * count))
        var place = Self.headByteCount
        for row in 0..<Int(count) {
            let start = loadBigEndian(table.span, at: 48 * row)
            let length = loadBigEndian(table.span, at: 48 * row + 8)
            let hash = try copy(journal, place..<place + length, to: file, at: start)
            guard hash == Array(table[48 * row + 16..<48 * row + 48]) else {
                throw FormatError(.damaged, "\(journal.path): the journal of a repair; repair into a new file with -o")
            }
            place += length
        }
        try file.truncate(to: size)
        try file.sync()
        try folder.removeFile(name)
        try folder.sync()
    }
}
