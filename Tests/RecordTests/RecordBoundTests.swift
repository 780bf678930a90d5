import Pictures
import Testing
import Exchange
import VaultFormat
import Cards
import VaultStore
import VaultTesting

/// Records at their bounds: lengths, names, types, and texts that only nearly are what is looked for.
struct RecordBoundTests {
    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    /// Heads and keys in CBOR take 11 or 22 bytes.
    @Test func bytesOfARecord() throws {
        let fixture = try VaultFixture()
        let schema = try #require(Schema.named("text"))
        func put(_ more: Int) throws {
            var fields = RecordFields()
            fields.texts = ["text": text((1 << 24) - 11 + more)]
            let card = Card(schema: schema, overview: Overview(title: [1]), fields: fields)
            try fixture.save(seed: 1) { try $0.put(card, as: $0.makeID()) }
        }
        func setting(_ more: Int) throws {
            try fixture.save(seed: 2) { try $0.put(Setting(.text(text((1 << 24) - 22 + more))), as: "a") }
        }
        func series(_ more: Int) throws {
            var series = Series()
            series.set("k", .init(time: 1, values: [text((1 << 24) - 11 + more)]))
            try fixture.save(seed: 3) { try $0.put(series, as: "s") }
        }
        for put in [put, setting, series] {
            #expect(throws: FormatError.self) { try put(1) }
            try put(0)
        }
        #expect(try fixture.open().cardEntries().count == 1 && fixture.open().seriesEntries().count == 1)
    }

    @Test(
        arguments: [
            (Array("RIFF0000WEBP".utf8), .webp), (Array("RIFF0000WEB".utf8), nil), (Array("RIFX0000WEBP".utf8), nil),
            ([0, 0, 0, 16] + Array("ftypheic".utf8) + [0, 0, 0, 0], .heic),
            ([0, 0, 0, 16] + Array("ftypheic".utf8) + [0, 0, 0], nil),
            ([0, 0, 0, 16] + Array("ftypisom".utf8) + Array("heic".utf8), nil),
            ([0, 0, 0, 20] + Array("ftypisom0000heic".utf8), .heic),
            ([0, 0, 0, 19] + Array("ftypisom0000heic".utf8), nil), ([0x49, 0x49, 42, 0], .tiff),
            ([0x4D, 0x4D, 0, 43], .tiff), ([0x49, 0x49, 41, 0], nil),
        ] as [([UInt8], MediaType?)])
    func mediaTypes(_ bytes: [UInt8], _ type: MediaType?) { #expect(MediaType(sniffing: bytes) == type) }

    @Test(arguments: [
        ("a.b-c_d.9Z", true), ("", false), ("a..b", false), (".a", false), ("a.", false), ("a b", false), ("é", true),
        ("query.到期", true),
        ("a·b", false), ("٣", false),
        ("a/b", false), ("a:b", false), ("a@", false), ("a[", false), ("a`", false), ("a{", false),
    ])
    func namesOfSettings(_ name: String, _ isName: Bool) {
        #expect((Setting.complaint(aboutName: name) == nil) == isName)
    }

    @Test func longNamesOfSettings() {
        #expect(Setting.complaint(aboutName: text(255)) == nil && Setting.complaint(aboutName: text(256)) != nil)
    }

    @Test func recordsThatDiffer() throws {
        var (one, other) = (RecordFields(), RecordFields())
        (one.texts, other.texts) = (["a": "1"], ["a": "1", "b": "2"])
        #expect(one != other && other != one)
        other.texts = ["a": "e\u{301}"]
        one.texts = ["a": "é"]
        #expect(one != other, "byte by byte")
        other.texts = one.texts
        #expect(one == other)
        one.own = [.init(label: "x", value: "1")]
        other.own = [.init(label: "x", value: "1", isSensitive: true)]
        #expect(
            one != other && one.own[0] != .init(label: "y", value: "1") && one.own[0] != .init(label: "x", value: "2"))
        // {"odd": 7} and {"odd": 8}: what a newer program put there.
        #expect(
            try RecordFields(parsing: [0xA1, 0x63, 0x6F, 0x64, 0x64, 7])
                != RecordFields(parsing: [0xA1, 0x63, 0x6F, 0x64, 0x64, 8]))
        // {"own": [["a", "b", "c", "d"]]}
        let four: [UInt8] = [0xA1, 0x63, 0x6F, 0x77, 0x6E, 0x81, 0x84, 0x61, 0x61, 0x61, 0x62, 0x61, 0x63, 0x61, 0x64]
        #expect(throws: FormatError.self) { try RecordFields(parsing: four) }
    }

    /// Keys that only nearly are the one of fields of one's own.
    @Test(arguments: ["oxn", "xwn", "owx", "ow", "owns", "o"]) func keysOfTexts(_ key: String) throws {
        var fields = RecordFields()
        fields.texts = [key: "needle"]
        let card = Card(schema: try #require(Schema.named("note")), overview: Overview(title: [1]), fields: fields)
        #expect(CardQuery("needle")?.match(card)?.key == key)
    }

    @Test(
        arguments: [
            ("abcd", "axbd", nil), ("abcd", "acxd", nil), ("abxd", "一abcd", nil), ("abcdef", "acbxef", nil),
            ("abcd", "acbd", .typo),
            ("abcd", "bacd", .typo), ("abcd", "abdc", .typo),
            ("abcd", "x abc y", .typo), ("abcd", "xbcd", .typo), ("abcd", "bcd", .typo), ("abcd", "ab", nil),
            ("abcd", "abcxyz", nil), ("abcde", "abde!", .typo),
            ("gal", "㏿", .exact), ("カ", "ガ", .exact), ("㐀", "㐀", .exact), ("12", "招商", nil), ("zs1", "招商", nil),
            ("中文", "中", nil), ("b", "a\u{301}b", .contains),
        ] as [(String, String, CardQuery.Level?)])
    func nearlyTheSameWord(_ query: String, _ title: String, _ level: CardQuery.Level?) throws {
        #expect(try #require(CardQuery(query)).match(name: title) == level)
    }

    @Test func seriesAtTheirBounds() throws {
        // {"a": [[2^53, ""]]}
        let latest = try Series(parsing: [0xA1, 0x61, 0x61, 0x81, 0x82, 0x1B, 0, 0x20, 0, 0, 0, 0, 0, 0, 0x60])
        #expect(latest["a"].map(\.time) == [1 << 53])
        var series = Series()
        for time: UInt64 in [3, 5] { series.set("a", .init(time: time, values: ["x", "y"])) }
        series.set("bb", .init(time: 1, values: ["z"]))
        series.removePoints(before: 5)
        #expect(series["a"].map(\.time) == [5] && series["bb"].isEmpty)
        series.set("b", .init(time: 6, values: ["x"]))
        series.set("a", .init(time: 7, values: ["x", "n"]))
        // A time as the distance from the one before, a value that stays as null.
        #expect(
            series.bytes == [
                0xA2, 0x61, 0x61, 0x82, 0x83, 5, 0x61, 0x78, 0x61, 0x79, 0x83, 2, 0xF6, 0x61, 0x6E, 0x61, 0x62, 0x81,
                0x82, 6, 0x61, 0x78,
            ])
    }

    @Test func otherCardsHaveNoDaysToCome() throws {
        let today = try #require(Day("2026-11-24"))
        var card = Card(
            schema: try #require(Schema.named("note")), overview: Overview(title: []), fields: RecordFields())
        card.fields.texts = ["date": "2999-01-01", "trades": "2999-01-01 buy 1 1"]
        #expect(card.complaintOfDays(after: today) == nil)
        var holding = Card(
            schema: try #require(Schema.named("holding")), overview: Overview(title: []), fields: RecordFields())
        holding.fields.texts = ["date": "2026-11-24", "trades": "2026-11-24 buy 1 1"]
        #expect(
            holding.complaintOfDays(after: today) == nil
                && holding.complaintOfDays(after: today.advanced(by: -1))?.key == "trades")
        holding.fields.texts["trades"] = nil
        #expect(holding.complaintOfDays(after: today.advanced(by: -1))?.key == "date")
        var identity = Card(
            schema: try #require(Schema.named("idcard")), overview: Overview(title: []), fields: RecordFields())
        for number in ["123", "110105194912310021"] {
            identity.fields.texts = ["number": number]
            #expect(identity.derived("birth") == nil && identity.derived("sex") == nil)
        }
    }

    @Test func tagsOfAText() throws {
        var card = Card(
            schema: try #require(Schema.named("note")), overview: Overview(title: [0x61]), fields: RecordFields())
        card.overview.tags = (1...32).map { "\($0)" }
        let text = CardTextFormat.text(card)
        var again = card
        #expect(CardTextFormat.apply(text, to: &again).isEmpty && again == card)
    }

    /// The time for which a copy was given away ends as fields do.
    @Test func copiesEnd() throws {
        let (card, file) = (String(repeating: "1", count: 32), String(repeating: "2", count: 32))
        let lines = [
            NativeExport.head, #"{"kind":"note","title":"n","id":"\#(card)"}"#,
            #"{"kind":"attachment","title":"a","owner":"\#(card)","id":"\#(file)","content":"YQ=="}"#,
            #"{"kind":"share","title":"a","owner":"\#(file)","fields":{"until":"2026-12-01","recipient":"bank"}}"#,
            #"{"kind":"share","title":"b","owner":"\#(file)","fields":{"recipient":"bank"}}"#,
        ]
        let fixture = try VaultFixture()
        try fixture.save(seed: 1) { save in
            var batch = try ImportBatch(native: Array(lines.joined(separator: "\n").utf8))
            let outcome = try save.store(&batch) { _ in [] }
            #expect(outcome.added == 4 && batch.problems.isEmpty)
        }
        let today = try #require(Day("2026-11-24"))
        let dates = try fixture.open().dueDates(today: today, within: 30)
        #expect(dates.map(\.key) == ["share"] && dates.map(\.days) == [7] && dates.map(\.level) == [.urgent])
        guard case .share(let recipient, let card)? = dates.first?.subject else { return #expect(Bool(false)) }
        let shares = try fixture.open().shares()
        #expect(recipient == "bank" && card != nil && shares.allSatisfy { $0.card == card })
        #expect(shares.count == 2 && shares.allSatisfy { !$0.isCardRemoved })
        try fixture.save(seed: 2) { save in
            for entry in try save.before.cardEntries() { try save.trash(entry) }
        }
        #expect(try fixture.open().shares().allSatisfy { $0.isCardRemoved && $0.card == nil })
    }
}
