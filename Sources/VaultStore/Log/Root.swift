public import VaultIO
import VaultCrypto
package import VaultFormat

/// The page that a reader takes, and the state of the others, before a key is known (Spec/reader.md, 2).
package struct Root {
    /// The place of a page.
    package enum Place: Sendable {
        case a, b
        /// Behind the newest commit, at the end of the file.
        case t
    }

    /// The page that is taken.
    package let page: Page
    /// Its place.
    package let place: Place
    /// The other sound page of A and B, with the same state or the one before it; nil if there is none.
    package let other: Page?
    /// The page, A or B, that the next save overwrites: the older one; B if they are equal.
    package let olderPage: Place
    /// Those of pages A and B that are not sound.
    package let unsound: [Place]
    /// True if page T stands at the log end and has the same bytes as `page`.
    package let hasEndPage: Bool
    /// True if an acknowledged save may be lost: page A or B is damaged, and page T does not tell its content.
    package let mayLackSave: Bool
    /// True if pages A and B are older than the save before the newest, which page T names: they were put back, or never
    /// reached the disk.
    package let arePagesOld: Bool
    /// Page T beside two sound pages, where it names a later save that the log does not lead to. Without a key it proves
    /// nothing.
    let stray: Page?
    /// The message for `mayLackSave`.
    static let lackingSave: Phrase = "a page is damaged, and its copy at the end is gone: a newer save may be lost"
    /// Bytes of the file when it was read.
    package let fileByteCount: UInt64
    /// Pages A and B as they were read, where they are sound.
    private let read: (a: Page?, b: Page?)

    /// Further readings of pages that a writer may be changing; as long as one holds the lock, many.
    static let attempts = 10, attemptsBesideWriter = 200

    /// Reads the pages, several times where they do not stand as a finished save leaves them.
    ///
    /// - Parameters:
    ///   - isLocked: no writer is at work, so that page T can be believed beside two sound pages too.
    ///   - toSalvage: two sound pages of one sequence that differ are no error, and page A counts.
    /// - Throws: `FormatError` `.notAVault`, `.damaged`, `.unsupported`; `IOError`.
    package init(
        _ file: any File, _ environment: StoreEnvironment, isLocked: Bool = false, toSalvage: Bool = false
    ) throws {
        var attempt = 0
        var pages = try Pages(file)
        while !pages.areCalm, !isLocked, try file.isVault(),
            attempt < Self.attempts || attempt < Self.attemptsBesideWriter && file.isLockedElsewhere()
        {
            attempt += 1
            environment.pause(min(attempt, Self.attempts))
            pages = try Pages(file)
        }
        fileByteCount = pages.size
        read = (pages.a, pages.b)
        unsound = [pages.a == nil ? .a : nil, pages.b == nil ? .b : nil].compactMap(\.self)
        guard let newest = pages.newest else {
            guard let t = try Page.atEnd(of: file) ?? (toSalvage ? Page.newestInLog(of: file, environment) : nil) else {
                throw try file.isVault()
                    ? FormatError(.damaged, "all pages", at: Layout.pageAOffset)
                    : FormatError(.notAVault, "it does not begin as a QuickVault file does")
            }
            (page, place, other, olderPage, hasEndPage, mayLackSave) = (t, .t, nil, .a, true, false)
            (arePagesOld, stray) = (false, nil)
            return
        }
        guard toSalvage || !pages.areContradictory else {
            throw FormatError(.damaged, "two different pages with one sequence", at: Layout.pageBOffset)
        }
        olderPage = newest.place == .a ? .b : .a
        let isLooked = isLocked || !unsound.isEmpty || pages.distance ?? 0 > 0
        let end = isLooked ? try Self.endPage(file, mayBeForeign: unsound.isEmpty) : nil
        if let end, let distance = try end.distance(to: newest.page, in: file),
            !unsound.isEmpty || distance > 0 || isLocked && end.slots == newest.page.slots,
            try end.record().isWhole(in: file, environment)
        {
            (page, place, other, hasEndPage, mayLackSave) = (end, .t, newest.page, true, false)
            (arePagesOld, stray) = (distance > 0, nil)
        } else {
            (page, place, hasEndPage) = (newest.page, newest.place, pages.hasEnd)
            other = newest.place == .a ? pages.b : pages.a
            // A newer save would have overwritten page T.
            mayLackSave = !unsound.isEmpty && !pages.hasEnd
            arePagesOld = false
            stray = pages.distance ?? 0 > 0 ? end : pages.stray
        }
    }

    /// Page T; beside two sound pages one that is not supported is none: anybody can append it.
    private static func endPage(_ file: any File, mayBeForeign: Bool) throws -> Page? {
        do { return try Page.atEnd(of: file) } catch let error as FormatError {
            if mayBeForeign { return nil }
            throw error
        }
    }

    /// The root without page T, where that stands beside two sound pages; nil otherwise.
    func withoutEndPage() -> Root? {
        place == .t && unsound.isEmpty ? Root(self) : nil
    }

    private init(_ root: Root) {
        (read, unsound, olderPage, fileByteCount) = (root.read, root.unsound, root.olderPage, root.fileByteCount)
        (place, page) = (root.otherPlace, root.other ?? root.page)
        other = root.olderPage == .a ? root.read.a : root.read.b
        (hasEndPage, mayLackSave, arePagesOld, stray) = (false, false, false, nil)
    }

    /// The place of `other`.
    var otherPlace: Place { place == .t && olderPage == .a ? .b : place == .t ? .a : olderPage }

    /// The header of the page that counts.
    package var header: Header { page.header }
    /// The key slots of the page that counts.
    package var slots: SlotArea { page.slots }

    /// True if pages A and B are still as they were read. The older one is read last, because every save writes it.
    func isUnchanged(in file: any File) throws -> Bool {
        let pages = [(Place.a, read.a), (.b, read.b)]
        return try (olderPage == .a ? pages.reversed() : pages).allSatisfy { place, page in
            try Page.sound(file, place.offset) == page
        }
    }

    /// The pages as they were read, one after the other.
    private struct Pages {
        let a, b: Page?
        /// The newer of those that are sound.
        let newest: (page: Page, place: Place)?
        /// True if page T has the bytes of the newest page, as a finished save leaves it.
        let hasEnd: Bool
        /// True if the file goes on behind the place of page T.
        private let isLonger: Bool
        let size: UInt64
        /// True if page A was the same after page B was read: at most one save came between.
        private let isSteady: Bool
        /// Beside two sound pages, the commits between the one that page T names and the newest page's; nil where no copies of
        /// cores lead there.
        let distance: Int?
        /// Page T, where it names a later save and nothing leads there.
        let stray: Page?

        /// - Throws: `FormatError.unsupported`; `IOError`.
        init(_ file: any File) throws {
            var foreign: FormatError?
            a = try Page.sound(file, Layout.pageAOffset, foreign: &foreign)
            b = try Page.sound(file, Layout.pageBOffset, foreign: &foreign)
            newest = Self.newest(a, b)
            size = try file.status().size
            if let page = newest?.page, page.header.logEnd < size {
                hasEnd = try file.bytes(at: page.header.logEnd, count: Layout.pageByteCount) == page.bytes
                isLonger = size - page.header.logEnd > UInt64(Layout.pageByteCount)
            } else {
                (hasEnd, isLonger) = (false, false)
            }
            // A newer program writes page T first. Where the other two pages agree, somebody altered this one.
            if let foreign, !hasEnd { throw foreign }
            if let newest, a != nil, b != nil, isLonger, let end = try? Page.atEnd(of: file) {
                distance = try end.distance(to: newest.page, in: file)
                stray = distance == nil && end.header.sequence > newest.page.header.sequence ? end : nil
            } else {
                (distance, stray) = (nil, nil)
            }
            isSteady =
                try a.map { try file.bytes(at: Layout.pageAOffset, count: Layout.pageByteCount) == $0.bytes } ?? false
        }

        private static func newest(_ a: Page?, _ b: Page?) -> (page: Page, place: Place)? {
            guard let a, let b else { return a.map { ($0, .a) } ?? b.map { ($0, .b) } }
            return b.header.sequence > a.header.sequence ? (b, .b) : (a, .a)
        }

        /// True if both are sound and of one sequence, and differ.
        var areContradictory: Bool {
            guard let a, let b else { return false }
            return a.header.sequence == b.header.sequence && a != b
        }

        /// True if no writer is at work, or one that has not reached the pages yet.
        var areCalm: Bool {
            guard let a, let b, isSteady, distance ?? 0 == 0, stray == nil else { return false }
            return a.slots == b.slots && (hasEnd || isLonger)
        }
    }

    /// Messages about the pages, for a person.
    var warnings: [Phrase] {
        [unsoundPage, mayLackSave ? Self.lackingSave : nil, arePagesOld ? Self.oldPages : nil].compactMap(\.self)
    }

    /// The message for `stray`, where its tags are right.
    static let straying: Phrase = "page T names a save that the log does not lead to: newer saves may be lost"
    /// The message for `arePagesOld`.
    static let oldPages: Phrase = "pages A and B are older than the newest save"

    private var unsoundPage: Phrase? {
        switch unsound {
        case []: nil
        case [.a]: "page A is damaged"
        case [.b]: "page B is damaged"
        default: "both pages are damaged"
        }
    }
}

extension Root.Place {
    /// Its letter.
    var name: String { self == .a ? "A" : self == .b ? "B" : "T" }

    /// The offset of page A or B. (Page T stands at the log end.)
    var offset: UInt64 { self == .a ? Layout.pageAOffset : Layout.pageBOffset }
}

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

    /// Page T: the last whole 4,096 bytes of the file, if it is sound and names that place as the log's end.
    ///
    /// - Throws: `FormatError.unsupported`; `IOError`.
    static func atEnd(of file: any File) throws -> Page? {
        guard let offset = try file.lastPageOffset() else { return nil }
        var foreign: FormatError?
        let page = try sound(file, offset, foreign: &foreign)
        if let foreign { throw foreign }
        return page?.header.logEnd == offset ? page : nil
    }

    /// The commits between the one that this page names and the earlier one that `other` names; nil where the copies of
    /// cores do not lead from one to the other.
    func distance(to other: Page, in file: any File) throws -> Int? {
        guard var record = try? record(), let core = try? other.record().core else { return nil }
        var count = 0
        while record.core.start > core.end {
            guard let copy = record.previousCore, let before = try? Core(parsing: copy), before.precedes(record.core),
                let next = try? CommitRecord(
                    parsing: file.bytes(at: before.recordOffset, count: CommitRecord.byteCount)),
                next.core == before
            else { return nil }
            record = next
            count += 1
        }
        return core.precedes(record.core) ? count : nil
    }

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
        return try offsets.contains { Page.hasMagic(try bytes(at: $0, count: 8)) }
    }

    /// The place of page T in a file that ends with it; nil if the file is too short for a log.
    func lastPageOffset() throws -> UInt64? {
        let end = try status().size / Layout.alignment * Layout.alignment
        return end > Layout.logStart ? end - UInt64(Layout.pageByteCount) : nil
    }

    /// Overwrites every page with zeros: without its slots nobody opens what is left. Page T stands at the log's end, with
    /// perhaps an unfinished save behind it. The log end of the older page is the start of a commit: that stays, since a
    /// reader may be at work on it.
    func overwritePages() throws {
        let zero = [UInt8](repeating: 0, count: Layout.pageByteCount)
        let ends = try [Layout.pageAOffset, Layout.pageBOffset].compactMap { try? Page.sound(self, $0)?.header.logEnd }
            .filter { try Page.hasMagic(bytes(at: $0, count: 8)) }
        let offsets = try [Layout.pageAOffset, Layout.pageBOffset, lastPageOffset()].compactMap(\.self) + ends
        for offset in offsets { try writeAll(zero.span, at: offset) }
        try sync()
    }
}
