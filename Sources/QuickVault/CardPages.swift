public import VaultFormat
public import Cards
import VaultStore

/// A card and the entry that lists it.
public struct CardItem: Sendable {
    /// Its id, times, group, tags and pin.
    public let entry: Entry
    /// Its fields.
    public let card: Card
}

/// All cards of a vault, a page at a time: those that are pinned first, then those that changed last.
///
/// The order is that of the first page. A card that is removed meanwhile is left out, and one that is changed comes as it
/// then is; so it is best to begin anew when ``VaultFile/changes(checkedEvery:)`` tells of a save.
public struct CardPages: AsyncSequence, Sendable {
    let size: Int
    /// Reads the ids of all cards, in order.
    let ids: @Sendable () async throws -> [RecordID]
    /// Reads the cards with these ids that are still there.
    let items: @Sendable (ArraySlice<RecordID>) async throws -> [CardItem]

    /// The first page is read when it is asked for.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self) }

    /// Reads page after page.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let pages: CardPages
        private var rest: ArraySlice<RecordID>?

        init(pages: CardPages) { self.pages = pages }

        /// The next page, which has at least one card; nil behind the last.
        ///
        /// - Throws: as ``VaultFile/read(_:)``.
        public mutating func next() async throws -> [CardItem]? {
            if rest == nil { rest = try await pages.ids()[...] }
            var ids = rest ?? []
            defer { rest = ids }
            while !ids.isEmpty {
                let page = ids.prefix(pages.size)
                ids = ids.dropFirst(page.count)
                let items = try await pages.items(page)
                if !items.isEmpty { return items }
            }
            return nil
        }
    }
}

extension Vault {
    func cardItems(_ entries: [Entry]) throws -> [CardItem] {
        zip(entries, try cards(entries)).map { CardItem(entry: $0, card: $1) }
    }
}
