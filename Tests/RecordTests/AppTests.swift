import Cards
import Testing
import Values
import VaultFormat
import VaultStore
import VaultTesting

/// Apps: what follows from the time, lists that are taken in, prices.
struct AppTests {
    private static let now = Timestamp("2026-11-26T12:00:00Z")!

    private static func app(_ texts: [String: String], created: String = "2020-01-01T00:00:00Z") -> App {
        App(texts, created: Timestamp(created)!)
    }

    @Test(arguments: [
        (["price": "25", "current_price": "0"], "free"), (["price": "0", "current_price": "0"], ""),
        (["price": "25", "current_price": "1"], ""), (["current_price": "0"], ""), (["price": "25"], ""),
        (["price": "25", "current_price": "0.00", "free_until": "2026-11-26T12:00:00Z"], "ended"),
        (["price": "25", "current_price": "0", "free_until": "2026-11-26T12:00:01Z"], "free ending"),
        (["price": "25", "current_price": "0", "free_until": "2026-11-26T18:00:00Z"], "free ending"),
        (["price": "25", "current_price": "0", "free_until": "2026-11-26T18:00:01Z"], "free"),
        (["price": "25", "current_price": "0", "free_from": "2026-11-26T12:00:01Z"], ""),
        (["price": "25", "current_price": "0", "free_from": "2026-11-26T12:00:00Z"], "free"),
        (["found": "2026-11-26T06:00:00Z"], ""), (["found": "2026-11-26T06:00:01Z"], "new"),
        (["found": "2026-11-26T12:00:00Z"], "new"), (["found": "2026-11-26T12:00:01Z"], ""),
        (["rating": "4.5", "ratings": "1000"], "hot"), (["rating": "4.49", "ratings": "1000"], ""),
        (["rating": "5", "ratings": "999"], ""), (["rating": "5"], ""),
    ])
    func marksFollowFromTheTime(_ texts: [String: String], _ marks: String) {
        #expect(Self.app(texts).marks(at: Self.now).map(\.rawValue).joined(separator: " ") == marks)
    }

    @Test func anAppIsFoundWhenItsRecordCame() {
        #expect(Self.app([:], created: "2026-11-26T11:00:00Z").has(.new, at: Self.now))
        let old = Self.app(["found": "2026-01-01T00:00:00Z"], created: "2026-11-26T11:00:00Z")
        #expect(!old.has(.new, at: Self.now))
        #expect(Self.app(["price": "25", "current_price": "5.5"]).saving(at: Self.now)?.description == "19.5")
        #expect(Self.app(["price": "5", "current_price": "5"]).saving(at: Self.now) == nil)
        let over = ["price": "5", "current_price": "0", "free_until": "2026-11-26T11:59:59Z"]
        #expect(Self.app(over).saving(at: Self.now) == nil)
    }

    /// Takes a list into a vault.
    @discardableResult
    private static func take(
        _ text: String, into fixture: VaultFixture, seed: UInt64, at time: Timestamp = now
    ) throws -> AppImport {
        var outcome: AppImport?
        try fixture.save(seed: seed) { outcome = try $0.take(AppList(Array(text.utf8)), now: time) }
        return try #require(outcome)
    }

    private static func counts(_ outcome: AppImport) -> [Int] {
        [outcome.added, outcome.changed, outcome.unchanged, outcome.trashed, outcome.problems.count]
    }

    private static func card(_ title: String, in vault: Vault) throws -> Card {
        try vault.card(try #require(try vault.cardEntries { $0.title == title }.first))
    }

    @Test func aListIsTakenInOnce() throws {
        let fixture = try VaultFixture()
        let list = #"""
            {"apps":[{"appId":"1","name":"Bear","originalPrice":30,"currentPrice":"免费","fileSize":"120MB","supportedDevices":
            ["iPhone","iPad"],"hasInAppPurchase":false,"freeEndTime":1795694400,"developer":{"name":"Shiny Frog"},"icon":"x"},
            {"name":"无编号","developer":"某某","price":"¥12.00","tags":"游戏,解谜"}]}
            """#
        #expect(Self.counts(try Self.take(list, into: fixture, seed: 1)) == [2, 0, 0, 0, 0])
        #expect(Self.counts(try Self.take(list, into: fixture, seed: 2)) == [0, 0, 2, 0, 0])
        let vault = try fixture.open()
        let bear = try Self.card("Bear", in: vault)
        #expect(
            bear.fields.texts == [
                "app_id": "1", "price": "30", "current_price": "0", "download_size": "120000000",
                "devices": "iPhone, iPad", "free_until": "2026-11-26T12:00:00Z", "developer": "Shiny Frog",
            ])
        #expect(bear.overview.tags == ["无内购"])
        #expect(try Self.card("无编号", in: vault).overview.tags == ["游戏", "解谜"])
        #expect(try AppList(Array(list.utf8)).unknown == ["icon"])
    }

    /// What a list says takes the place of what was known, and what a person wrote stays.
    @Test func aListChangesWhatItSays() throws {
        let fixture = try VaultFixture()
        try Self.take(#"[{"id":"1","name":"Bear","price":30,"currentPrice":30}]"#, into: fixture, seed: 1)
        try fixture.save(seed: 2) { save in
            let entry = try #require(try save.before.cardEntries().first)
            var card = try save.before.card(entry)
            #expect(card.set([("notes", "wanted")]).isEmpty)
            card.overview.tags = ["mine"]
            try save.put(card, as: entry.id)
        }
        let later = Timestamp("2026-12-01T00:00:00Z")!
        let list = #"[{"id":"1","name":"Bear 2","currentPrice":0,"tags":["new"]},{"id":"2","name":"Bear 2"}]"#
        #expect(Self.counts(try Self.take(list, into: fixture, seed: 3, at: later)) == [1, 1, 0, 0, 0])
        let vault = try fixture.open()
        let entry = try #require(try vault.cardEntries { $0.overview.tags == ["mine", "new"] }.first)
        let card = try vault.card(entry)
        #expect(card.title == "Bear 2" && card.fields.texts["notes"] == "wanted")
        #expect(
            try vault.prices(of: entry.id).map { "\($0.time.text) \($0.price)" } == [
                "2026-11-26T12:00:00Z 30", "2026-12-01T00:00:00Z 0",
            ])
    }

    /// Prices of the past stand before those that are known; one that is known twice is shown once.
    @Test func pricesHaveTheirTimes() throws {
        let fixture = try VaultFixture()
        let list = #"""
            {"id":"1","name":"Bear","currentPrice":5,"priceHistory":[{"date":"2026-02-01T00:00:00Z","price":12},
            {"time":1767225600,"price":"30"},{"time":"2026-03-01T00:00:00Z","price":12}]}
            """#
        #expect(try Self.take(list, into: fixture, seed: 1).prices == 3)
        #expect(try Self.take(list, into: fixture, seed: 2).prices == 0)
        let vault = try fixture.open()
        let entry = try #require(try vault.cardEntries().first)
        #expect(
            try vault.prices(of: entry.id).map { "\($0.time.text.prefix(10)) \($0.price)" } == [
                "2026-01-01 30", "2026-02-01 12", "2026-11-26 5",
            ])
        #expect(entry.id == (try RecordID(of: "app", named: "1".utf8)))
    }

    @Test func whatIsInTheTrashStaysThere() throws {
        let fixture = try VaultFixture()
        let list = #"[{"id":"1","name":"Bear"}]"#
        try Self.take(list, into: fixture, seed: 1)
        try fixture.save(seed: 2) { save in
            try save.trash(try #require(try save.before.cardEntries().first))
        }
        #expect(Self.counts(try Self.take(list, into: fixture, seed: 3)) == [0, 0, 0, 1, 0])
        #expect(try fixture.open().cardEntries().isEmpty)
    }

    /// An app that somebody typed is known in the trash by its number and by its name.
    @Test func whatWasTypedStaysInTheTrashToo() throws {
        let fixture = try VaultFixture()
        try fixture.save(seed: 1) { save in
            for (title, number) in [("A", "1"), ("B", "")] {
                var card = Card(schema: .app, overview: Overview(title: Array(title.utf8)))
                #expect(card.set([("app_id", number)]).isEmpty)
                try save.put(card, as: save.makeID())
            }
        }
        try fixture.save(seed: 2) { save in for card in try save.before.cardEntries() { try save.trash(card) } }
        let list = #"[{"id":"1","name":"A new"},{"name":"b"},{"id":"2","name":"A"}]"#
        #expect(Self.counts(try Self.take(list, into: fixture, seed: 3)) == [1, 0, 0, 2, 0])
    }

    /// A card whose number, title or developer a person corrected is not overwritten by the list that it came from.
    @Test func correctedCardsAreKept() throws {
        let fixture = try VaultFixture()
        let list = #"[{"id":"100","name":"Real","developer":"D"},{"name":"None","developer":"D"}]"#
        try Self.take(list, into: fixture, seed: 1)
        try fixture.save(seed: 2) { save in
            for entry in try save.before.cardEntries() {
                var card = try save.before.card(entry)
                let change = entry.title == "Real" ? ("app_id", "101") : ("developer", "D3")
                #expect(card.set([change, ("notes", "mine")]).isEmpty)
                try save.put(card, as: entry.id)
            }
        }
        #expect(try Self.take(list, into: fixture, seed: 3).added == 2)
        let cards = try fixture.open().cards(fixture.open().cardEntries())
        #expect(cards.count { $0.fields.texts["notes"] == "mine" } == 2, "\(cards.map(\.fields.texts))")
    }

    @Test func anItemThatSeveralMayBeIsRefused() throws {
        let fixture = try VaultFixture()
        try Self.take(
            #"[{"id":"7","name":"Two","developer":"D"},{"id":"8","name":"Two","developer":"D"}]"#, into: fixture,
            seed: 1)
        let outcome = try Self.take(#"[{"name":"two","developer":"D","notes":"which?"}]"#, into: fixture, seed: 2)
        #expect(
            outcome.problems.map { "\($0.what)" } == ["has no number, and several apps have its title and developer"])
    }

    @Test func tagsThatExcludeEachOther() throws {
        let fixture = try VaultFixture()
        try Self.take(#"[{"name":"a","hasInAppPurchase":false,"tags":["x"]}]"#, into: fixture, seed: 1)
        try Self.take(#"[{"name":"a","hasInAppPurchase":true}]"#, into: fixture, seed: 2)
        #expect(try Self.card("a", in: fixture.open()).overview.tags == ["x", "有内购"])
    }

    @Test(arguments: [
        (#"{"name":"a","price":-1}"#, "price: is no number, or is negative"),
        (#"{"name":"a","currency":"RMB"}"#, "currency: is no currency of ISO 4217: three capitals like USD"),
        (#"{"name":"a","rating":5.1}"#, "rating: is no rating from 0 to 5"),
        (#"{"name":"a","size":"big"}"#, "download_size: is no size: write it like 500, 200kB or 10MiB"),
        (#"{"name":"a","freeEndTime":"soon"}"#, "free_until: is no time: write it like 2027-12-31 18:30"),
        (
            #"{"name":"a","freeStartTime":"2026-02-01T00:00:00Z","freeEndTime":"2026-01-01T00:00:00Z"}"#,
            "free_until: is before the start"
        ),
        (#"{"price":1}"#, "the name is empty"), (#"{"name":""}"#, "the name is empty"), (#"3"#, "is no object"),
        (#"{"name":"a","price":1,"originalPrice":2}"#, "price: is given twice"),
        (#"{"name":"a","title":"b"}"#, "title: is given twice"),
        (#"{"name":"a","tags":["x",1]}"#, "tags: one is no text"),
        (#"{"name":"a","price":[1,2]}"#, "price: is neither text nor a number"),
        (#"{"name":"a","prices":[{"price":1}]}"#, "prices: one lacks a time or a price"),
        (#"{"name":"a","prices":[{"price":-1,"time":1}]}"#, "prices: one lacks a time or a price"),
        (#"{"name":"a","id":"1"},{"name":"b","id":"1"}"#, "is the same app as item 1"),
        (#"{"name":"a","developer":"x"},{"name":"A","developer":"X"}"#, "is the same app as item 1"),
    ])
    func wrongItemsAreRefused(_ items: String, _ what: String) throws {
        let fixture = try VaultFixture()
        let outcome = try Self.take("[\(items),{\"name\":\"good\"}]", into: fixture, seed: 1)
        #expect(outcome.problems.map { "\($0.what)" } == [what])
        #expect(try fixture.open().cardEntries().contains { $0.title == "good" })
    }

    @Test func tablesAndLinesAreTakenToo() throws {
        let fixture = try VaultFixture()
        let table = "\u{FEFF}名称,开发商,原价,现价,大小,收藏,x\n甲,\"某, 某\",¥12.00,免费,1.5GB,是,y\n\n乙,某,1万,3,,,\n丙,a,b,c,d,e,f\n"
        let outcome = try Self.take(table, into: fixture, seed: 1)
        #expect(Self.counts(outcome) == [2, 0, 0, 0, 1])
        #expect(outcome.problems.map { "\($0.place): \($0.what)" } == ["line 5: price: is no number, or is negative"])
        let vault = try fixture.open()
        let card = try Self.card("甲", in: vault)
        #expect(card.fields.texts["download_size"] == "1500000000" && card.overview.isPinned)
        #expect(try Self.card("乙", in: vault).fields.texts["price"] == "10000")
        let lines = "{\"name\":\"c\"}\n\n{\"name\":\"d\"}\r\n"
        #expect(Self.counts(try Self.take(lines, into: fixture, seed: 2)) == [2, 0, 0, 0, 0])
        let wrong = #expect(throws: MalformedText.self) { try AppList(Array("{\"name\":\"c\"}\n\nx\n".utf8)) }
        #expect(wrong?.line == 3)
        for text in ["", "a,b\n1,2\n", "[1,", "{\"name\":\"c\"}\n{\n"] {
            #expect(throws: MalformedText.self) { try AppList(Array(text.utf8)) }
        }
    }

    /// The App Store's lookup gives the current price alone.
    @Test func linesOfTheStore() throws {
        let fixture = try VaultFixture()
        let list = #"{"resultCount":1,"results":[{"trackId":5,"trackName":"Bear","price":4.99,"currency":"USD"}]}"#
        try Self.take(list, into: fixture, seed: 1)
        #expect(
            try Self.card("Bear", in: fixture.open()).fields.texts
                == ["app_id": "5", "price": "4.99", "current_price": "4.99", "currency": "USD"])
        let free = #"{"results":[{"trackId":5,"trackName":"Bear","price":0.0,"currency":"USD"}]}"#
        try Self.take(free, into: fixture, seed: 2)
        let texts = try Self.card("Bear", in: fixture.open()).fields.texts
        #expect(App(texts, created: .zero).has(.free, at: Self.now))
    }

    @Test func presetsAreQueries() throws {
        for preset in AppPreset.all {
            _ = try Query("kind:app (\(preset.query))", clock: QueryClock(now: Self.now))
            #expect(AppPreset.named(preset.name.english) != nil && AppPreset.named(preset.name.chinese) != nil)
        }
        #expect(Set(AppPreset.all.map(\.name.english)).count == AppPreset.all.count)
        #expect(AppPreset.named("none") == nil)
    }

    /// An app stands in one band of each row.
    @Test(arguments: [
        ("price", ["price-"], ["0", "0.01", "9.99", "10", "49.99", "50", "199", "200", "5000"]),
        ("rating", ["rating-"], ["0", "3.49", "3.5", "3.99", "4", "4.49", "4.5", "5"]),
        ("download_size", ["size-"], ["0", "49999999", "50000000", "200000000", "999999999", "1000000000"]),
        (
            "last_update", ["maintained", "now-and-then", "abandoned"],
            ["2026-11-26", "2026-08-28", "2026-08-27", "2025-11-25"]
        ),
    ])
    func bandsDoNotOverlap(_ key: String, _ names: [String], _ values: [String]) throws {
        let fixture = try VaultFixture()
        try fixture.save(seed: 1) { save in
            for value in values {
                var card = Card(schema: .app, overview: Overview(title: Array(value.utf8)))
                #expect(card.set([(key, value)]).isEmpty)
                try save.put(card, as: save.makeID())
            }
        }
        let vault = try fixture.open()
        let clock = QueryClock(now: Self.now)
        let bands = AppPreset.all.filter { preset in names.contains { preset.name.english.hasPrefix($0) } }
        let found = try bands.flatMap { band in
            try vault.find(Query("kind:app \(band.query)", clock: clock), clock: clock).hits.map(\.entry.title)
        }
        #expect(found.sorted() == values.sorted(), "\(bands.map(\.name.english))")
    }

    @Test func queriesAskForMarksAndTimes() throws {
        let fixture = try VaultFixture()
        let list = #"""
            [{"name":"free","price":5,"currentPrice":0,"freeEndTime":"2026-11-26T15:00:00Z","found":"2026-11-26T11:00:00Z"},
            {"name":"later","price":5,"currentPrice":0,"freeEndTime":"2026-11-29T15:00:00Z","found":"2026-11-01T11:00:00Z"},
            {"name":"over","price":5,"currentPrice":0,"freeEndTime":"2026-11-20T15:00:00Z","found":"2026-11-01T11:00:00Z"}]
            """#
        try Self.take(list, into: fixture, seed: 1)
        let vault = try fixture.open()
        let clock = QueryClock(now: Self.now)
        func titles(_ text: String) throws -> [String] {
            try vault.find(Query(text, clock: clock), clock: clock).hits.map(\.entry.title).sorted()
        }
        #expect(try titles("is:free") == ["free", "later"] && titles("是:限免 not is:ending") == ["later"])
        #expect(try titles("is:ended|new") == ["free", "over"] && titles("is:pinned|ended") == ["over"])
        #expect(try titles("free_until<6h") == ["free", "over"] && titles("free_until:6h") == ["free"])
        #expect(try titles("free_until:1d..5d") == ["later"] && titles("found<1d") == ["free"])
        #expect(try titles("free_until:2026-11-29") == ["later"] && titles("found:last-month").isEmpty)
        #expect(try titles("due<2d") == ["free"])
        #expect(throws: QueryError.self) { try Query("free_until>x", clock: clock) }
        let day = try #require(Day("2026-11-26"))
        let due = try vault.dueDates(today: day, now: Self.now, within: 30)
        #expect(
            due.map { "\($0.entry.title) \($0.time?.text ?? "")" } == [
                "free 2026-11-26T15:00:00Z", "later 2026-11-29T15:00:00Z",
            ])
    }
}
