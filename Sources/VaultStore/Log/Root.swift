package import VaultIO
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
        let isLooked = isLocked || !unsound.isEmpty
        let end = try pages.later ?? (isLooked ? Page.atEnd(of: file, passingForeign: unsound.isEmpty) : nil)
        if let end, !unsound.isEmpty || pages.later != nil || end.slots == newest.page.slots,
            try end.leads(to: newest.page, in: file, environment), try end.record().isWhole(in: file, environment)
        {
            (page, place, other, hasEndPage, mayLackSave) = (end, .t, newest.page, true, false)
            (arePagesOld, stray) = (!end.isNext(after: newest.page), nil)
        } else {
            (page, place, hasEndPage) = (newest.page, newest.place, pages.hasEnd)
            other = newest.place == .a ? pages.b : pages.a
            // A newer save would have overwritten page T.
            mayLackSave = !unsound.isEmpty && !pages.hasEnd
            (arePagesOld, stray) = (false, pages.later)
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

    /// True if the older page names the newest commit or the one before it, as a finished save leaves it.
    func hasExpectedOlderPage(_ newest: Core) -> Bool {
        guard let core = try? other?.record().core else { return false }
        return core == newest || core.precedes(newest)
    }

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
        /// Page T beside two sound pages, where it names a later save than the one after theirs. No writer leaves that.
        let later: Page?

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
            let end = a != nil && b != nil && isLonger ? try Page.atEnd(of: file, passingForeign: true) : nil
            if let end, let page = newest?.page, end.header.sequence > page.header.sequence, !end.isNext(after: page) {
                later = end
            } else {
                later = nil
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
            guard let a, let b, isSteady, later == nil else { return false }
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
