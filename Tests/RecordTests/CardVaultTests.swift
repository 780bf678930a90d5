import Pictures
import Testing
import Exchange
import VaultFormat
import Cards
import VaultStore
import VaultTesting

/// Cards in vaults: their order, what a search gives first, and what becomes of two copies.
struct CardVaultTests {
    private static func card(_ kind: String, _ title: String, _ values: [(String, String)]) throws -> Card {
        var card = Card(
            schema: try #require(Schema.named(kind)), overview: Overview(title: Array(title.utf8)),
            fields: RecordFields())
        #expect(card.set(values.map { (key: $0.0, value: $0.1) }).isEmpty)
        return card
    }

    private static func imported(_ lines: [String]) throws -> Vault {
        let fixture = try VaultFixture()
        try fixture.save(seed: 1) { save in
            var batch = try ImportBatch(native: Array(([NativeExport.head] + lines).joined(separator: "\n").utf8))
            let outcome = try save.store(&batch) { _ in [] }
            #expect(batch.problems.isEmpty && outcome.added == lines.count, "\(batch.problems)")
        }
        return try fixture.open()
    }

    /// A note that changed in a year.
    private static func note(_ title: String, _ year: Int, _ more: String = "") -> String {
        let time = "\(year)-01-01T00:00:00Z"
        return #"{"kind":"note","title":"\#(title)","created":"2000-01-01T00:00:00Z","updated":"\#(time)"\#(more)}"#
    }

    private static func titles(_ entries: [Entry]) -> [String] {
        entries.map { String(decoding: $0.overview.title, as: UTF8.self) }
    }

    @Test func pinnedCardsComeFirstThenTheLatest() throws {
        let vault = try Self.imported([
            Self.note("old", 2001), Self.note("new", 2003), Self.note("pinned", 2000, #","pinned":true"#),
            Self.note("middle", 2002),
        ])
        #expect(try Self.titles(vault.cardEntries()) == ["pinned", "new", "middle", "old"])
        #expect(try Self.titles(Vault.listed(vault.cardEntries().reversed())) == ["pinned", "new", "middle", "old"])
    }

    @Test func theBestHitComesFirst() throws {
        let vault = try Self.imported([
            Self.note("xaby", 2009), Self.note("abc", 2001), Self.note("ab", 2000),
            Self.note("tagged", 2008, #","tags":["ab"]"#),
            Self.note("text", 2007, #","fields":{"text":"ab"}"#), Self.note("ab one", 2003), Self.note("none", 2010),
        ])
        let hits = try vault.search(#require(CardQuery("ab")))
        #expect(Self.titles(hits.map(\.entry)) == ["ab", "tagged", "text", "ab one", "abc", "xaby"])
        #expect(hits.map(\.match.level) == [.exact, .exact, .exact, .prefix, .prefix, .contains])
        #expect(
            hits.map(\.match.place) == [.title, .tag, .value, .title, .title, .title] && hits[2].line?.key == "text")
        #expect(CardQuery("ab")?.match(name: "x ab") == .contains && CardQuery("ab x")?.match(name: "ab") == nil)
        #expect(CardQuery("ab x")?.match(name: "abx") == .contains && CardQuery("AB")?.match(name: "ab") == .exact)
    }

    @Test func groupsByTheirSize() throws {
        let groups = ["Home", "b", "Home", "a", "home"].enumerated()
        let vault = try Self.imported(groups.map { Self.note("n\($0)", 2000, #","group":"\#($1)""#) })
        #expect(try vault.cardGroups() == ["Home", "a", "b", "home"])
        #expect(
            try vault.knownGroup("HOME") == "Home" && vault.knownGroup("home") == "home" && vault.knownGroup("B") == "b"
        )
        #expect(try vault.knownGroup("new") == "new")
    }

    // MARK: Merges

    private func pair(_ fill: (VaultTransaction) throws -> Void) throws -> (mine: VaultFixture, theirs: VaultFixture) {
        let mine = try VaultFixture()
        try mine.save(seed: 1, fill)
        return (mine, VaultFixture(copying: mine))
    }

    private func merge(_ theirs: VaultFixture, into mine: VaultFixture) throws -> Vault {
        let plan = try Merge(cardsOf: theirs.open(), into: mine.open())
        try mine.save(seed: 50) { try plan.carryOut(in: $0) }
        #expect(try mine.verify().findings.isEmpty)
        return try mine.open()
    }

    private func edit(_ fixture: VaultFixture, _ id: RecordID, seed: UInt64, _ change: (inout Card) throws -> Void)
        throws
    {
        try fixture.save(seed: seed) { save in
            var card = try save.before.card(#require(try save.entry(id)))
            try change(&card)
            try save.put(card, as: id)
        }
    }

    @Test(arguments: [false, true]) func cardsAreJoinedFieldByField(_ isConflict: Bool) throws {
        var id: RecordID?
        let (mine, theirs) = try pair { save in
            let new = try save.makeID()
            try save.put(Self.card("contact", "c", [("name", "A"), ("phone", "13800138000")]), as: new)
            id = new
        }
        let card = try #require(id)
        try edit(mine, card, seed: 2) { #expect($0.set([("email", "a@b.cn"), ("company", "M")]).isEmpty) }
        try edit(theirs, card, seed: 3) {
            #expect($0.set([("phone", "13900139000")] + (isConflict ? [("company", "T")] : [])).isEmpty)
        }
        let vault = try merge(theirs, into: mine)
        let cards = try vault.cards(vault.cardEntries())
        let texts = try vault.card(#require(try vault.entry(card))).fields.texts
        #expect(cards.count == (isConflict ? 2 : 1))
        #expect(texts["email"] == "a@b.cn" && texts["company"] == "M")
        #expect(texts["phone"] == (isConflict ? "13800138000" : "13900139000"))
    }

    /// What a newer program put into a card cannot be joined.
    @Test func unknownPartsAreKeptTwice() throws {
        var id: RecordID?
        let (mine, theirs) = try pair { save in
            let new = try save.makeID()
            try save.put(Self.card("note", "c", [("text", "A")]), as: new)
            id = new
        }
        let card = try #require(id)
        try edit(mine, card, seed: 2) { #expect($0.set([("x", "1")]).isEmpty) }
        try edit(theirs, card, seed: 3) { card in
            // {"text": "A", "odd": 7}
            card.fields = try RecordFields(parsing: [
                0xA2, 0x63, 0x6F, 0x64, 0x64, 0x07, 0x64, 0x74, 0x65, 0x78, 0x74, 0x61, 0x41,
            ])
        }
        let vault = try merge(theirs, into: mine)
        #expect(try vault.cardEntries().count == 2)
    }

    @Test func settingsAndSeriesOfBothSides() throws {
        let (mine, theirs) = try pair { save in
            try save.put(Setting(.text("0")), as: "x.y")
            var series = Series()
            series.set("k", .init(time: 1, values: ["a"]))
            try save.put(series, as: "s")
        }
        for (fixture, text) in [(mine, "1"), (theirs, "2")] {
            try fixture.save(seed: UInt64(text) ?? 0) { save in
                try save.put(Setting(.text(text)), as: "x.y")
                var series = Series()
                series.set("k", .init(time: 1, values: ["a"]))
                series.set("k", .init(time: 1 + (UInt64(text) ?? 0), values: [text]))
                try save.put(series, as: "s")
            }
        }
        let vault = try merge(theirs, into: mine)
        let settings = try vault.entries { $0.kind == .setting }
        #expect(try settings.count == 2 && vault.setting("x.y")?.value == .text("1"))
        let copy = try #require(Self.titles(settings).first { $0 != "x.y" })
        #expect(try copy.hasPrefix("x.y-conflict-") && vault.setting(copy)?.value == .text("2"))
        let series = try vault.seriesEntries()
        #expect(try series.count == 1 && vault.series(series[0])["k"].map(\.time) == [1, 2, 3])
    }

    private func answer(_ key: String, _ until: String?, date: String = "2026-01-01") -> DueAnswer {
        DueAnswer(subject: "s", key: key, date: date, until: until)
    }

    /// What only one side said counts; of two answers the later, and done after any day.
    @Test func answersOfBothSides() throws {
        let common = ["same", "here", "there", "both", "done"].map { answer($0, "2026-01-02") }
        let (mine, theirs) = try pair { try $0.note(common) }
        try mine.save(seed: 2) {
            try $0.note([
                answer("here", nil), answer("both", "2026-03-01"), answer("done", nil), answer("new", "2026-05-05"),
                answer("twice", nil),
            ])
        }
        try theirs.save(seed: 3) {
            try $0.note([
                answer("there", nil), answer("both", "2026-04-01"), answer("done", "2026-09-09"),
                answer("twice", nil, date: "2026-01-03"),
            ])
        }
        let vault = try merge(theirs, into: mine)
        let answers = Dictionary(
            uniqueKeysWithValues: try vault.dueAnswers().map { ($0.key, "\($0.date) \($0.until ?? "done")") })
        #expect(
            answers == [
                "same": "2026-01-01 2026-01-02", "here": "2026-01-01 done", "there": "2026-01-01 done",
                "both": "2026-01-01 2026-04-01",
                "done": "2026-01-01 done", "new": "2026-01-01 2026-05-05", "twice": "2026-01-03 done",
            ])
        #expect(try vault.entries { $0.kind == .setting }.count == 1)
    }

    @Test func answersThatAreNone() throws {
        let fixture = try VaultFixture()
        let today = try #require(Day("2026-11-24"))
        try fixture.save(seed: 1) {
            try $0.put(Setting(.list(["s 2026-01-01 done a key", "s 2026-01-01 done"])), as: "due.answers")
        }
        #expect(try fixture.open().dueAnswers().map(\.key) == ["a key"])
        #expect(throws: FormatError.self) { try fixture.save(seed: 2) { try $0.note([answer("k", nil)]) } }
        try fixture.save(seed: 3) {
            try $0.put(Setting(.list(["s 2026-01-01 done a", "s 2026-01-01 done b"])), as: "due.answers")
        }
        try fixture.save(seed: 4) {
            try $0.note([answer("a", "2026-11-25"), DueAnswer(subject: "t", key: "b", date: "d", until: nil)])
        }
        #expect(
            try fixture.open().dueAnswers().map { "\($0.subject)\($0.key)\($0.until ?? "")" } == [
                "sb", "sa2026-11-25", "tb",
            ])
        func hides(
            _ answer: DueAnswer, _ subject: String = "s", _ key: String = "a", _ date: String = "2026-01-01",
            _ days: Int64 = 0
        ) -> Bool {
            answer.hides(subject: subject, key: key, date: date, today: today.advanced(by: days))
        }
        let put = answer("a", "2026-11-25")
        #expect(hides(put) && !hides(put, "t") && !hides(put, "s", "b") && !hides(put, "s", "a", "2026-01-02"))
        #expect(!hides(put, "s", "a", "2026-01-01", 1) && hides(answer("a", nil), "s", "a", "2026-01-01", 9999))
        #expect(!hides(answer("a", "soon")))
    }

    @Test func pointsOfASeriesGo() {
        var series = Series()
        for time: UInt64 in 1...3 { series.set("a", .init(time: time, values: ["x"])) }
        #expect(!series.removePoints(of: "a", at: 4) && !series.removePoints(of: "b", at: 1))
        #expect(series.removePoints(of: "a", at: 2) && series["a"].map(\.time) == [1, 3])
        #expect(series.removePoints(of: "a", at: 1) && series.removePoints(of: "a", at: 3) && series.points.isEmpty)
    }

    // MARK: What ends

    @Test(arguments: [
        ("login", "Expires on", "2026-12-01", "2026-12-01"), ("login", "到期", "2026年12月1日", "2026-12-01"),
        ("login", "valid", "2026-12-01", nil),
        ("login", "DUE", "2026-12-01T10:00:00Z", "2026-12-01"), ("login", "until when", "soon", nil),
        ("bankcard", "expiry", "02/28", "2028-02-29"),
        ("bankcard", "expiry", "04/27", "2027-04-30"), ("passport", "valid_until", "2026-12-01", "2026-12-01"),
        ("idcard", "valid_until", "长期", nil),
        ("vehicle", "inspection_until", "2026-12-01", "2026-12-01"), ("vehicle", "registered", "2026-12-01", nil),
        ("contact", "birthday", "2026-12-01", nil), ("login", "xdu", "2026-12-01", nil),
        ("login", "a UNTIL", "2026-12-01", "2026-12-01"),
    ])
    func daysOfFields(_ kind: String, _ key: String, _ value: String, _ day: String?) throws {
        let fixture = try VaultFixture()
        try fixture.save(seed: 1) { try $0.put(Self.card(kind, "t", [(key, value)]), as: $0.makeID()) }
        let today = try #require(Day("2026-11-24"))
        let dates = try fixture.open().dueDates(today: today, within: 9999)
        #expect(dates.map(\.day.text) == (day.map { [$0] } ?? []) && dates.allSatisfy { $0.key == key })
        guard let distance = dates.first?.days else { return }
        #expect(try fixture.open().dueDates(today: today, within: distance).count == 1)
        #expect(try fixture.open().dueDates(today: today, within: distance - 1).isEmpty)
    }

    @Test func levelsOfDays() {
        #expect([-1, 7, 8, 30, 31].map { DueDate.Level(days: $0) } == [.urgent, .urgent, .soon, .soon, .later])
        #expect(DueDate.Level.urgent < .soon && DueDate.Level.soon < .later && !(DueDate.Level.soon < .soon))
    }

    @Test func attachmentsOfARecord() throws {
        let fixture = try VaultFixture()
        try fixture.save(seed: 1) { save in
            for title in ["one", "two"] { try save.put(Self.card("note", title, []), as: save.makeID()) }
        }
        try fixture.save(seed: 2) { save in
            let cards = try save.before.cardEntries()
            for (place, name) in [(0, "b"), (0, "a"), (1, "c")] {
                let file = NewAttachment(anyType: Array(name.utf8), name: Array(name.utf8))
                let added = try save.attach(file, to: cards[place], among: [])
                #expect(!added.isReplaced)
            }
        }
        let vault = try fixture.open()
        let cards = try vault.cardEntries()
        #expect(
            try Self.titles(vault.attachments(of: cards[0])) == ["a", "b"] && vault.attachments(of: cards[1]).count == 1
        )
        #expect(try vault.thumbnail(of: vault.attachments(of: cards[0])[0]) == nil)
        try fixture.save(seed: 3) { save in
            let file = NewAttachment(anyType: [1], name: Array("a".utf8))
            let (one, other) = (
                try save.attach(file, to: cards[0], among: save.before.entries()),
                try save.attach(file, to: cards[1], among: save.before.entries())
            )
            #expect(one.isReplaced && !other.isReplaced)
        }
        #expect(try fixture.open().attachments(of: cards[0]).map(\.length) == [1, 1])
    }
}
