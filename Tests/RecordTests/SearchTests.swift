import Foundation
import Testing
import VaultCrypto
import VaultFormat
import Cards
import VaultStore
import VaultTesting

@Suite struct SearchTests {
    private func card(_ title: String, tags: [String] = [], _ values: [(String, String)] = []) throws -> Card {
        var card = Card(
            schema: try #require(Schema.named("note")), overview: Overview(title: Array(title.utf8)),
            fields: RecordFields())
        card.overview.tags = tags
        #expect(card.set(values.map { (key: $0.0, value: $0.1) }).isEmpty)
        return card
    }

    private func level(_ query: String, _ title: String) throws -> CardQuery.Level? {
        try #require(CardQuery(query)).match(card(title))?.level
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let query: String
        let title: String
        let level: CardQuery.Level?
        var testDescription: String { "\(query) in \(title)" }

        init(_ query: String, _ title: String, _ level: CardQuery.Level?) {
            (self.query, self.title, self.level) = (query, title, level)
        }
    }

    @Test(arguments: [
        Case("家", "家", .exact), Case("HOME", "home", .exact), Case("cafe", "Café au lait", .prefix),
        Case("ＡＢＣ", "xabc", .contains), Case("１３８", "13800138000", .prefix), Case("straße", "STRASSE", .exact),
        Case("zhsh", "招商银行", .pinyin), Case("zhsh", "张三", .typo), Case("hangzou", "杭州", .typo),
        Case("zangshan", "张三", .typo), Case("hanzou", "杭州", nil), Case("zs", "招商银行", .pinyin),
        Case("zhaoshang", "招商银行", .pinyin),
        Case("zhaosh", "招商银行", .pinyin), Case("yinh", "招商银行", .pinyin), Case("yh", "招商银行", .pinyin),
        Case("cq", "重庆", .pinyin), Case("chongqing", "重庆", .pinyin), Case("zhongyao", "重要", .pinyin),
        Case("yi", "一", .pinyin), Case("changsha", "长沙", .pinyin), Case("lvse", "绿色", .pinyin),
        Case("zhaoyin", "招商银行", nil),
        Case("zsyhx", "招商银行", nil), Case("x", "招商", nil), Case("addresss", "my address", .typo),
        Case("adress", "my address", .typo), Case("addrses", "my address", .typo), Case("addrexs", "my address", .typo),
        Case("adrexs", "my address", nil), Case("abd", "abc", nil), Case("abcd", "abc", .typo), Case("", "x", nil),
    ])
    func levels(_ item: Case) throws {
        if item.query.isEmpty {
            #expect(CardQuery(item.query) == nil)
        } else {
            #expect(try level(item.query, item.title) == item.level)
        }
    }

    /// As many ways as there are to spell it, and as long as it is, time grows with the length alone.
    @Test func hostileTextsAndQueriesEnd() throws {
        let text = String(repeating: "数", count: 300_000)
        #expect(try level(String(repeating: "s", count: 40) + "z", "短") == nil)
        let many = try card("t", [("text", text)])
        #expect(CardQuery(String(repeating: "s", count: 40) + "z")?.match(many) == nil)
        #expect(CardQuery(String(repeating: "s", count: 40))?.match(many)?.level == .pinyin)
        // A title that is no UTF-8: its letters are found all the same.
        let titled = Card(
            schema: many.schema, overview: Overview(title: [0xE4, 0x61, 0x62]), fields: RecordFields())
        #expect(CardQuery("ab")?.match(titled)?.level == .contains && CardQuery("ba")?.match(titled) == nil)
        for title in [[0x41, 0xE3], [0xE4], [0xE3, 0x90], [0xFF]] as [[UInt8]] {
            var card = many
            (card.overview, card.fields) = (Overview(title: title), RecordFields())
            #expect(CardQuery("zs")?.match(card) == nil && CardQuery("a")?.match(card) == nil)
        }
    }

    @Test func everyWordHasToBeFound() throws {
        let card = try card("Home", tags: ["family"], [("wifi", "secret word")])
        #expect(CardQuery("home family")?.match(card)?.place == .tag)
        #expect(CardQuery("home secret")?.match(card)?.level == .prefix)
        #expect(CardQuery("home nothing")?.match(card) == nil)
        #expect(CardQuery("word")?.match(card)?.key == "wifi")
    }

    /// A long card that is damaged behind its start is told as damaged, and hides no other.
    @Test func damageIsToldAsDamage() throws {
        let fixture = try VaultFixture()
        try fixture.save(seed: 1) { save in
            try save.put(card("long", [("text", String(repeating: "a", count: 200_000))]), as: save.makeID())
            try save.put(card("short", [("text", "needle")]), as: save.makeID())
        }
        let query = try #require(CardQuery("needle"))
        let long = try #require(try fixture.open().cardEntries().first { $0.overview.title == Array("long".utf8) })
        fixture.bytes[Int(long.place) + 100_000] ^= 1
        var told: [FormatError] = []
        let hits = try fixture.open().search(query, damaged: { told.append($1) })
        #expect(hits.map(\.entry.overview.title) == [Array("short".utf8)] && told.map(\.code) == [.damaged], "\(told)")
    }

    /// A field of one's own that is called as one of the schema is no line of the schema's.
    @Test func ownFieldsKeepTheirMask() throws {
        let fixture = try VaultFixture()
        let schema = try #require(Schema.named("login"))
        var fields = RecordFields()
        fields.own = [.init(label: "username", value: "needle", isSensitive: true)]
        let card = Card(schema: schema, overview: Overview(title: Array("own".utf8)), fields: fields)
        try fixture.save(seed: 1) { try $0.put(card, as: $0.makeID()) }
        let vault = try fixture.open()
        let query = try #require(CardQuery("needle"))
        let hit = try #require(try vault.search(query).first)
        #expect(hit.line?.isSensitive == true && hit.line?.label == nil)
    }

    /// Many cards in many pieces of several manifest segments: each is found once, as it is now, and in its place.
    @Test func whatIsNewerHidesWhatWasThere() throws {
        let fixture = try VaultFixture()
        var ids: [RecordID] = []
        try fixture.save(seed: 1) { save in
            for number in 0..<2000 {
                ids.append(try save.makeID())
                try save.put(card("old \(number)", tags: ["cards"], [("text", "needle \(number)")]), as: ids[number])
            }
        }
        let before = try fixture.open()
        try fixture.save(seed: 2) { save in
            for number in [3, 1500, 700] { try save.put(card("new \(number)", [("text", "thread")]), as: ids[number]) }
            for number in [4, 5] { try save.trash(#require(try save.entry(ids[number]))) }
        }
        let vault = try fixture.open()
        #expect(vault.manifest.segments.count == 2)
        func found(_ text: String, in vault: Vault) throws -> [RecordID] {
            try vault.search(#require(CardQuery(text))).map(\.entry.id)
        }
        let changed = Set([3, 4, 5, 700, 1500].map { ids[$0] })
        let kept = ids.filter { !changed.contains($0) }
        // They all have one time: then the id decides.
        #expect(try found("needle", in: vault) == kept.sorted())
        #expect(try found("thread", in: vault) == [3, 700, 1500].map { ids[$0] }.sorted())
        #expect(try found("needle", in: before) == ids.sorted() && found("thread", in: before).isEmpty)
        let listed = try vault.cardEntries()
        #expect(listed.count == 1998 && Set(listed.map(\.id)).count == 1998)
        #expect(try vault.cardEntries { $0.overview.tags == ["cards"] }.map(\.id).sorted() == kept.sorted())
        #expect(try vault.entries().map(\.id) == listed.map(\.id).sorted())
    }

    @Test func showsWhereItStands() throws {
        let text = "浙江省杭州市西湖区 Café"
        let shown = { (query: String) in CardQuery(query)?.ranges(in: text).map { String(text[$0]) } }
        #expect(shown("杭州") == ["杭州"])
        #expect(shown("hzs") == ["杭州市"])
        #expect(shown("cafe") == ["Café"])
        #expect(shown("nothing") == [])
    }

    /// The excerpt of a long line has the searched word: also of a very long one, in time.
    @Test func excerptsAreShort() throws {
        let query = try #require(CardQuery("needle"))
        #expect(query.excerpt(of: "a needle") == "a needle" && query.excerpt(of: "one\ntwo needle\n") == "two needle")
        for count in [40, 75, 79, 80, 81, 119, 120, 121, 1 << 20] {
            let hay = String(repeating: "干草", count: count / 2)
            for text in [hay + "needle", hay + "needle" + hay, "needle" + hay] {
                let excerpt = query.excerpt(of: text)
                #expect(excerpt.contains("needle") && excerpt.count <= 80 && text.contains(excerpt), "\(count)")
            }
        }
        #expect(query.excerpt(of: String(repeating: "a", count: 200)).count == 80)
    }

    /// 500 queries over 10,000 cards give what a program in Python gives that looks at every card in the plainest way.
    @Test func anotherProgramFindsTheSame() throws {
        var random = CountingRandom(seed: 7)
        func draw(_ count: Int) throws -> Int {
            let bytes = try random.bytes(4)
            return bytes.reduce(0) { $0 << 8 | Int($1) } % count
        }
        let words =
            "浙江省 杭州市 西湖区 文三路 招商银行 工商银行 重庆 长沙 行长 音乐 快乐 张三 李四 王小明 某某科技 有限公司 绿色 单位 会计 Home Office café Résumé ＡＢＣ address invoice Müller 13800138000 0571 2026 wifi password"
            .split(separator: " ").map(String.init)
        func phrase(_ most: Int) throws -> String {
            try (0...draw(most)).map { _ in words[try draw(words.count)] + (try draw(3) == 0 ? "\(try draw(100))" : "")
            }
            .joined(separator: try draw(2) == 0 ? " " : "")
        }
        var (lines, cards): ([String], [Card]) = ([], [])
        for _ in 0..<10_000 {
            let tags = try draw(3) == 0 ? [words[try draw(words.count)]] : []
            let card = try card(phrase(1), tags: tags, [("text", phrase(3)), ("more", phrase(1))])
            let object: [String: Any] = [
                "title": card.title, "tags": tags, "values": card.lines.map(\.value),
            ]
            lines.append(String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self))
            cards.append(card)
        }
        let letters = Array("zhsgycqwxjbaoneilu")
        var queries: [String] = []
        for _ in 0..<500 {
            switch try draw(4) {
            case 0: queries.append(words[try draw(words.count)].lowercased())
            case 1: queries.append(String(try (0...draw(4)).map { _ in letters[try draw(letters.count)] }))
            case 2:
                var word = Array(words[try draw(words.count)])
                if word.count > 1 { word.swapAt(0, 1) }
                queries.append(String(word))
            default: queries.append("\(words[try draw(words.count)]) \(String(words[try draw(words.count)].prefix(2)))")
            }
        }
        let folder = try Scratch()
        try (lines.joined(separator: "\n") + "\n").write(to: folder.url("cards"), atomically: true, encoding: .utf8)
        try (queries.joined(separator: "\n") + "\n").write(to: folder.url("queries"), atomically: true, encoding: .utf8)
        let oracle = Vector.folder.deletingLastPathComponent().appending(path: "Tests/Scripts/search-oracle.py")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [oracle.path, folder.url("cards").path, folder.url("queries").path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let answers = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        var found = 0
        for (query, answer) in zip(queries, answers) {
            let asked = try #require(CardQuery(query))
            let mine = cards.enumerated().compactMap { index, card in
                asked.match(card).map { "\(index):\($0.level.rawValue)\($0.place.rawValue)" }
            }
            found += mine.count
            #expect(mine.joined(separator: " ") == answer, "\(query)")
        }
        #expect(answers.count == queries.count + 1 && found > 10_000)
    }
}

/// A folder for a test's files, which goes with it.
private final class Scratch {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "qvault-search-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func url(_ name: String) -> URL { folder.appending(path: name) }
}
