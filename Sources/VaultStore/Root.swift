package import VaultFormat

/// What the pages of a file say before any key is known (Spec/reader.md, 2).
package struct Root {
    /// The page that counts; nil when both are lost and page K stands in.
    package let page: Page?
    /// Where it stands, or would.
    package let pageOffset: UInt64
    /// The other page, if it is sound.
    package let other: Page?
    /// Page K, if it is sound.
    package let keyPage: KeyPage?
    /// The header of the page that counts, or page K's.
    package let header: Header
    /// The key slots of the page that counts, or page K's.
    package let slots: SlotArea
    /// Bytes of the file when it was read.
    package let fileByteCount: UInt64

    /// Where the next root goes: over the older page; of equals B is the older.
    package var olderPageOffset: UInt64 {
        pageOffset == Layout.pageAOffset ? Layout.pageBOffset : Layout.pageAOffset
    }

    /// How often a page is read again that a writer may be at work on.
    static let attempts = 10

    /// Reads the pages, an unsound one several times.
    ///
    /// - Throws: `FormatError` `.notAVault`, `.damaged`, `.unsupported`; `IOError`.
    package init(_ file: any File, _ environment: Environment, attempts: Int = Root.attempts) throws {
        var attempt = 0
        var read = try Pages(file)
        while try !read.isCalm(file), try file.isVault(), attempt < attempts {
            attempt += 1
            environment.pause(attempt)
            read = try Pages(file)
        }
        keyPage = read.keyPage
        fileByteCount = try file.status().size
        switch (read.a, read.b) {
        case (let a?, let b?):
            guard a.header.sequence != b.header.sequence || a == b else {
                throw FormatError(.damaged, "two different pages with one sequence", at: Layout.pageBOffset)
            }
            let bIsNewer = b.header.sequence > a.header.sequence
            (page, other) = bIsNewer ? (b, a) : (a, b)
            pageOffset = bIsNewer ? Layout.pageBOffset : Layout.pageAOffset
        case (let a?, nil): (page, other, pageOffset) = (a, nil, Layout.pageAOffset)
        case (nil, let b?): (page, other, pageOffset) = (b, nil, Layout.pageBOffset)
        case (nil, nil): (page, other, pageOffset) = (nil, nil, Layout.pageAOffset)
        }
        if let page {
            (header, slots) = (page.header, page.slots)
        } else if let keyPage {
            (header, slots) = (keyPage.header, keyPage.slots)
        } else {
            throw try file.isVault()
                ? FormatError(.damaged, "all three pages", at: Layout.pageAOffset)
                : FormatError(.notAVault, "no page of a vault at its start")
        }
    }

    /// Whether the pages still stand in the file as they were read. The older one, which every save writes, is looked at
    /// last.
    func isUnchanged(in file: any File) throws -> Bool {
        try Pages.page(file, pageOffset) == page && Pages.keyPage(file) == keyPage
            && Pages.page(file, olderPageOffset) == other
    }

    /// What was read of the three pages, one after the other.
    private struct Pages {
        let a, b: Page?
        let keyPage: KeyPage?

        init(_ file: any File) throws {
            a = try Self.page(file, Layout.pageAOffset)
            b = try Self.page(file, Layout.pageBOffset)
            keyPage = try Self.keyPage(file)
        }

        /// Whether they can stand side by side in a vault that nobody is writing to. With page A still the same, at
        /// most one save came between it and page B.
        func isCalm(_ file: any File) throws -> Bool {
            guard let a, let b, let keyPage, keyPage.agrees(with: a.header.sequence > b.header.sequence ? a : b) else {
                return false
            }
            return try file.bytes(at: Layout.pageAOffset, count: Layout.pageByteCount) == a.bytes
        }

        /// A page, or nil where it is not sound.
        static func page(_ file: any File, _ offset: UInt64) throws -> Page? {
            let bytes = try file.bytes(at: offset, count: Layout.pageByteCount)
            do {
                return try Page(parsing: bytes)
            } catch let error as FormatError where error.code == .damaged || error.code == .notAVault {
                return nil
            } catch let error as FormatError {
                throw error.at(offset)
            }
        }

        /// Page K is a copy: whatever is wrong with it makes it unsound, and nothing worse.
        static func keyPage(_ file: any File) throws -> KeyPage? {
            let bytes = try file.bytes(at: Layout.pageKOffset, count: Layout.pageByteCount)
            do { return try KeyPage(parsing: bytes) } catch is FormatError { return nil }
        }
    }

    /// What a reader should be told of the pages.
    package var unsoundPage: Phrase? {
        guard let page else { return "both pages are damaged" }
        if other == nil {
            return pageOffset == Layout.pageAOffset ? "page B is damaged" : "page A is damaged"
        }
        guard let keyPage else { return "page K is damaged" }
        return keyPage.agrees(with: page) ? nil : "page K is old"
    }
}

extension File {
    /// Whether any of its pages says that it is one of a vault, sound or not.
    public func isVault() throws -> Bool {
        try Layout.pageOffsets.contains { Page.hasMagic(try bytes(at: $0, count: 8)) }
    }
}

extension Layout {
    /// Where pages A, B and K stand.
    static let pageOffsets = [pageAOffset, pageBOffset, pageKOffset]
}
