public import VaultIO
import VaultCrypto
import VaultFormat

extension Page {
    /// The page at an offset, or nil where it is not sound.
    ///
    /// - Parameter foreign: set where it is of a format that is not known.
    static func sound(_ file: any File, _ offset: UInt64, foreign: inout FormatError?) throws -> Page? {
        let bytes = try file.bytes(at: offset, count: Layout.pageByteCount)
        do {
            return try Page(parsing: bytes)
        } catch let error as FormatError {
            if error.code == .unsupported { foreign = error.at(offset) }
            return nil
        }
    }

    /// The page at an offset, or nil where it is not sound.
    static func sound(_ file: any File, _ offset: UInt64) throws -> Page? {
        var foreign: FormatError?
        return try sound(file, offset, foreign: &foreign)
    }

    /// Page T: the last whole 4,096 bytes of the file before its tail, if it is sound and names that place as the log's end.
    ///
    /// - Parameter passingForeign: one of a format that is not known is none: beside two sound pages anybody can append it.
    /// - Throws: `FormatError.unsupported`; `IOError`.
    static func atEnd(of file: any File, passingForeign: Bool = false) throws -> Page? {
        guard let offset = try file.lastPageOffset() else { return nil }
        var foreign: FormatError?
        let page = try sound(file, offset, foreign: &foreign)
        if let foreign, !passingForeign { throw foreign }
        return page?.header.logEnd == offset ? page : nil
    }

    /// True if this page names the commit after the one that `other` names.
    func isNext(after other: Page) -> Bool {
        guard let mine = Self.record(of: self), let theirs = Self.record(of: other) else { return false }
        return theirs.core.precedes(mine.core)
    }

    /// True if the copies of cores go back from the commit that this page names to the earlier one of another page, each of them
    /// equal to the core in the log (Spec/reader.md, 2).
    func leads(to other: Page, in file: any File, _ environment: StoreEnvironment) throws -> Bool {
        guard var record = Self.record(of: self), let core = Self.record(of: other)?.core else { return false }
        while record.core.start > core.end {
            try environment.checkCancellation()
            guard let before = record.previousCore.flatMap({ try? Core(parsing: $0) }), before.precedes(record.core)
            else { return false }
            let bytes = try file.bytes(at: before.recordOffset, count: CommitRecord.byteCount)
            guard let next = try? CommitRecord(parsing: bytes), next.core == before else { return false }
            record = next
        }
        return core.precedes(record.core)
    }

    /// The record of a page; nil where the page contradicts itself, or has one that is not known.
    private static func record(of page: Page) -> CommitRecord? { try? page.record() }

    /// The page T with the highest sequence that stands at its log end, wherever bytes were lost or added behind it. Looks at
    /// each multiple of 4,096, since zeros may follow, or older pages that somebody appended.
    static func newestInLog(of file: any File, _ environment: StoreEnvironment) throws -> Page? {
        var newest: Page?
        let size = try file.status().size
        let step = UInt64(1 << 20)
        for start in stride(from: Layout.logStart, to: size, by: Int(step)) {
            try environment.checkCancellation()
            let bytes = try file.bytes(at: start, count: Int(min(step, size - start)))
            for at in stride(from: 0, to: bytes.count - 7, by: Int(Layout.alignment))
            where Page.hasMagic(Array(bytes[at..<at + 8])) {
                let offset = start + UInt64(at)
                guard let page = try? sound(file, offset), page.header.logEnd == offset,
                    page.header.sequence > newest?.header.sequence ?? 0
                else { continue }
                newest = page
            }
        }
        return newest
    }
}

extension CommitRecord {
    /// True if all bytes of the commit are in the file as its core says.
    ///
    /// - Parameter range: blocks of the payload area that are looked at; nil for all.
    func isWhole(
        in file: any File, _ environment: StoreEnvironment, inPayload range: Range<UInt64>? = nil
    ) throws -> Bool {
        guard try file.bytes(at: core.recordOffset, count: Self.byteCount) == bytes else { return false }
        var check = CommitCheck(file: file, checkCancellation: environment.checkCancellation)
        check.stopsAtFirst = true
        return try check.findings(core, in: range).isEmpty
    }
}

extension File {
    /// The bytes of an extension area, from the first copy that is whole.
    ///
    /// - Throws: `FormatError.damaged` where none is; `IOError`.
    func extensionBytes(_ area: ExtensionArea) throws -> [UInt8] {
        for copy in area.copies {
            let bytes = try self.bytes(at: copy, count: area.byteCount)
            if try Bytes32(SHA256.hash(bytes.span)) == area.hash { return bytes }
        }
        throw FormatError(.damaged, "both copies of the extension area", at: area.place)
    }

    /// True if one of its pages has the magic of a vault, sound or not.
    public func isVault() throws -> Bool {
        let offsets = try [Layout.pageAOffset, Layout.pageBOffset, lastPageOffset()].compactMap(\.self)
        return try offsets.contains { Page.hasMagic(try bytes(at: $0, count: 8)) } || ParitySearch.tail(of: self) != nil
    }

    /// The place of page T in a file that ends with it, or with the tail of a backup behind it; nil if the file is too short
    /// for a log.
    func lastPageOffset() throws -> UInt64? {
        let end = try (ParitySearch.tail(of: self)?.place ?? status().size) / Layout.alignment * Layout.alignment
        return end > Layout.logStart ? end - UInt64(Layout.pageByteCount) : nil
    }

    /// Overwrites every page with zeros, and the tail of a backup, from which they could be made again: without its slots
    /// nobody opens what is left. Page T stands at the log's end, with perhaps an unfinished save behind it. The log end of
    /// the older page is the start of a commit: that stays, since a reader may be at work on it.
    func overwritePages(_ environment: StoreEnvironment) throws {
        let headers = [Layout.pageAOffset, Layout.pageBOffset].compactMap { try? Page.sound(self, $0)?.header }
        let ends = try headers.map(\.logEnd).filter { try Page.hasMagic(bytes(at: $0, count: 8)) }
        var offsets = try [Layout.pageAOffset, Layout.pageBOffset, lastPageOffset()].compactMap(\.self) + ends
        let size = try status().size
        var tails = headers.filter(\.isCopy).map { $0.tailPlace..<max($0.tailPlace, size) }
        if headers.count < 2 {
            // Nothing says where page T and a tail stand.
            if let page = try Page.newestInLog(of: self, environment) { offsets.append(page.header.logEnd) }
            tails += try ParitySearch.all(in: self, environment) { $0.layout.kind == .file }.map {
                min($0.place, size)..<min($0.range.upperBound, size)
            }
        }
        let zero = [UInt8](repeating: 0, count: Layout.pageByteCount)
        for tail in tails {
            for start in stride(from: tail.lowerBound, to: tail.upperBound, by: zero.count) {
                let old = try bytes(at: start, count: Int(min(UInt64(zero.count), tail.upperBound - start)))
                // Holes stay holes.
                if !old.span.isZero { try writeAll(zero.span.extracting(first: old.count), at: start) }
            }
        }
        for offset in offsets { try writeAll(zero.span, at: offset) }
        try sync()
    }
}
