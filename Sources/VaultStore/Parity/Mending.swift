import VaultFormat
import VaultIO

/// Makes again what stands in a vault twice, or follows from the rest: pages, gaps, records of commits, check tables
/// (Spec/reader.md, 10.4). It needs no key.
struct Mending {
    private let file: any File
    private let environment: StoreEnvironment
    private let root: Root

    /// - Throws: `FormatError` where no page can be read.
    init(_ file: any File, _ environment: StoreEnvironment) throws {
        (self.file, self.environment) = (file, environment)
        root = try LockedVault(file, environment).root
    }

    /// - Returns: the bytes that were written.
    func run() throws -> UInt64 {
        // Which save is the newest is not known then; and anybody can put a page T behind two sound pages.
        if root.mayLackSave || root.arePagesOld { return 0 }
        let record = try root.page.record()
        var count = try mendPages(record.core)
        if root.header.writeFeatures == 0 {
            for gap in Layout.gaps {
                count += try write([UInt8](repeating: 0, count: gap.count), at: gap.lowerBound)
            }
        }
        var log = try CommitLog(file, newest: record)
        var last: (core: Core, at: UInt64)?
        while let item = try log.pop() {
            let core = item.core
            if let last { count += try write(CommitRecord(core: last.core, previous: core).bytes, at: last.at) }
            count += try mendTable(core)
            last = (core, core.recordOffset)
        }
        if let last, last.core.start == Layout.logStart {
            count += try write(CommitRecord(core: last.core, previous: nil).bytes, at: last.at)
        }
        return count
    }

    private func mendPages(_ newest: Core) throws -> UInt64 {
        var count: UInt64 = 0
        let isOtherSound = root.hasExpectedOlderPage(newest) && root.other?.slots == root.slots
        for (place, offset) in [(Root.Place.a, Layout.pageAOffset), (.b, Layout.pageBOffset)] {
            let isKept = isOtherSound && !root.unsound.contains(place) && place != root.place
            if !isKept { count += try write(root.page.bytes, at: offset) }
        }
        let size = try file.status().size
        // An unfinished save stands there otherwise.
        if root.header.isCopy || size <= newest.end + UInt64(Layout.pageByteCount) {
            count += try write(root.page.bytes, at: newest.end)
        }
        return count
    }

    /// Makes the check table of a commit anew from its blocks, if it is damaged and they are whole.
    private func mendTable(_ core: Core) throws -> UInt64 {
        let check = CommitCheck(file: file, checkCancellation: environment.checkCancellation)
        guard let table = try check.rebuiltTable(core) else { return 0 }
        return try write(table, at: core.tableOffset)
    }

    /// Writes bytes where others stand; returns how many.
    private func write(_ bytes: [UInt8], at offset: UInt64) throws -> UInt64 {
        guard try file.bytes(at: offset, count: bytes.count) != bytes else { return 0 }
        try file.writeAll(bytes.span, at: offset)
        return UInt64(bytes.count)
    }
}
