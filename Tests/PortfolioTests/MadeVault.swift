import Testing
import VaultFormat
import Cards
import VaultStore
import VaultTesting

import Portfolio

/// A vault in memory with cards, for operations that are tried without a command.
struct MadeVault {
    let fixture: VaultFixture
    private static let now = Timestamp(second: 1_795_500_000)
    /// 2026-11-24, a Tuesday.
    static let today = Day(second: now.seconds)

    init() throws { fixture = try VaultFixture() }

    var vault: Vault { get throws { try fixture.open() } }

    /// Stores a card, and returns its entry.
    @discardableResult func card(_ kind: String, _ title: String, _ fields: [String: String]) throws -> Entry {
        let schema = try #require(Schema.named(kind))
        var card = Card(schema: schema, overview: Overview(title: Array(title.utf8)), fields: RecordFields())
        #expect(card.set(fields.map { ($0.key, $0.value) }).isEmpty)
        try save { try $0.put(card, as: $0.makeID()) }
        return try #require(vault.entries { $0.overview.title == Array(title.utf8) }.first)
    }

    /// The fields of a card by its title.
    func fields(_ title: String) throws -> [String: String] {
        let vault = try vault
        let entry = try #require(vault.entries { $0.overview.title == Array(title.utf8) }.first)
        return try vault.card(entry).fields.texts
    }

    /// One save.
    func save(_ body: (VaultTransaction) throws -> Void) throws {
        try fixture.save(seed: UInt64(try vault.sequence) + 100, body)
    }

    /// A call of the API, as one save where it changes anything.
    func call(_ method: String, _ path: String, _ body: String = "", in language: Language = .english) throws -> String
    {
        let (call, surroundings) = (
            try PortfolioAPI(method, path), APISurroundings(today: Self.today, now: Self.now, language: language)
        )
        guard call.isChange else { return try call.answer(vault, surroundings) }
        var answer = ""
        try save { answer = try call.answer(Array(body.utf8), in: $0, surroundings) }
        return answer
    }
}

extension MadeVault {
    /// Stores prices, each a line, and the estimates and reminders that follow.
    @discardableResult func prices(_ lines: String..., at now: Int64 = 1_795_500_000, spacing: Int64 = 0) throws
        -> PriceBook
    {
        var book = PriceBook(try vault, spacing: spacing)
        for line in lines {
            for price in try PriceLine.lines(Array(line.utf8), source: "test") { try book.take(price) }
        }
        try book.takeEstimates()
        let full = book
        try save { try full.store(in: $0, now: now) }
        return full
    }
}
