import Cards
import Exchange
import Testing
import Values
import VaultFormat
import VaultStore
import VaultTesting

/// What queries find.
struct QueryTests {
    /// 2026-11-26, a Thursday, at noon.
    private static let clock = QueryClock(now: Timestamp("2026-11-26T12:00:00Z")!)

    private static func line(_ kind: String, _ title: String, _ updated: String, _ rest: String = "") -> String {
        #"{"kind":"\#(kind)","title":"\#(title)","created":"2020-01-01T00:00:00Z","updated":"\#(updated)"\#(rest)}"#
    }

    /// One card of each kind that the tests ask for.
    private static let lines = [
        line(
            "idcard", "张三", "2026-11-26T01:00:00Z",
            #","fields":{"name":"张三","number":"11010519491231002X","valid_until":"2026-12-10"}"#),
        line(
            "bankcard", "工资卡", "2026-11-25T23:59:59Z",
            #","tags":["日常","卡"],"pinned":true,"fields":{"bank":"招商银行","number":"6225880137706868","expiry":"01/27"}"#),
        line(
            "bankcard", "备用", "2026-10-31T23:59:59Z",
            #","group":"家庭","fields":{"bank":"中国工商银行","number":"6222020200112230","expiry":"11/30"}"#),
        line(
            "login", "Photoshop Express", "2026-11-01T00:00:00Z", #","fields":{"username":"li","password":"geheim99"}"#),
        line("login", "网站499", "2025-12-31T00:00:00Z", #","fields":{"username":"wang"}"#),
        line(
            "note", "合同", "2024-02-29T00:00:00Z",
            #","own":[{"label":"合同号","value":"HT-17"},{"label":"金额","value":"1,200.00"},{"label":"续期","value":"2027-02-01"}]"#
        ),
        line("asset", "余额宝", "2026-11-20T00:00:00Z", #","fields":{"category":"liquid","amount":"12000"}"#),
        line(
            "asset", "定期", "2026-11-19T12:00:00Z",
            #","fields":{"category":"investment","amount":"320000.00","annual_rate":"2.6","maturity":"2027-03-01"}"#),
        line(
            "passport", "护照", "2026-11-18T00:00:00Z",
            #","fields":{"name":"张三","number":"E12345678","valid_until":"2020-01-01"}"#),
        line(
            "driving-licence", "驾照", "2026-11-17T00:00:00Z",
            #","fields":{"name":"x","number":"11010519491231002X","valid_until":"长期"}"#),
    ]

    private static func vault() throws -> Vault {
        let fixture = try VaultFixture()
        try fixture.save(seed: 1) { save in
            var batch = try ImportBatch(native: Array(([NativeExport.head] + lines).joined(separator: "\n").utf8))
            let outcome = try save.store(&batch) { _ in [] }
            #expect(batch.problems.isEmpty && outcome.added == lines.count, "\(batch.problems)")
        }
        try fixture.save(seed: 2) { save in
            try save.put(Setting(.text("labels")), as: "copy.address")
            try save.put(Setting(.secret("geheim99")), as: "api.key")
            let owner = try #require(try save.before.cardEntries { $0.title == "张三" }.first)
            let scan = Overview(title: Array("front.jpg".utf8))
            try save.put(save.makeID(), kind: .attachment, parent: owner.id, overview: scan, content: [1, 2, 3])
        }
        return try fixture.open()
    }

    private static func titles(_ text: String, _ vault: Vault) throws -> [String] {
        try vault.find(Query(text, clock: clock), clock: clock).hits.map(\.entry.title)
    }

    @Test(arguments: [
        ("sfz", ["张三"]), ("身份证", ["张三"]), ("证件", ["张三", "护照"]), ("招行", ["工资卡"]), ("zhaohang", ["工资卡"]), ("工行", ["备用"]),
        ("pse", ["Photoshop Express"]), ("wangzhan499", ["网站499"]), ("wz499", ["网站499"]),
        ("fotoshop", ["Photoshop Express"]),
        ("potoshup", ["Photoshop Express"]), ("fotosobb", []), ("geheim99", ["Photoshop Express"]),
        ("\"geheim\"", ["Photoshop Express"]),
        ("\"gehiem\"", []), ("labels", ["copy.address"]), ("张三", ["张三", "护照"]), ("\"三\"", ["张三", "护照"]),
    ])
    func words(_ text: String, _ titles: [String]) throws {
        #expect(try Self.titles(text, Self.vault()) == titles)
    }

    @Test(arguments: [
        ("kind:bankcard", ["工资卡", "备用"]), ("kind:银行卡", ["工资卡", "备用"]), ("kind:信用卡", ["工资卡", "备用"]),
        ("kind:bank", ["工资卡", "备用"]), ("种类:setting", ["api.key", "copy.address"]), ("kind:attachment", ["front.jpg"]),
        ("kind:note|login", ["Photoshop Express", "网站499", "合同"]), ("tag:日常", ["工资卡"]), ("tag:richang", ["工资卡"]),
        ("tag=日", []),
        ("tag:日", ["工资卡"]), ("group:家庭", ["备用"]), ("title=定期", ["定期"]), ("title:\"oshop E\"", ["Photoshop Express"]),
        ("is:pinned", ["工资卡"]), ("is:overdue", ["护照"]), ("has:attachment", ["张三"]), ("has:tag", ["工资卡"]),
        ("has:group", ["备用"]), ("has:密码", ["Photoshop Express"]),
        ("has:annual_rate|password", ["定期", "Photoshop Express"]),
        ("size:3", ["front.jpg"]), ("size<=3b kind:attachment", ["front.jpg"]), ("path:front", ["front.jpg"]),
    ])
    func conditionsOnWhatListsShow(_ text: String, _ titles: [String]) throws {
        #expect(try Self.titles(text, Self.vault()).sorted() == titles.sorted())
    }

    @Test(arguments: [
        ("amount>1.2万", ["定期"]), ("amount>=1.2万", ["余额宝", "定期"]), ("金额:1万..50万 kind:asset", ["余额宝", "定期"]),
        ("amount=320,000", ["定期"]), ("amount:12000.0", ["余额宝"]), ("amount!=12000 kind:asset", ["定期"]),
        ("年利率>2.5%", ["定期"]),
        ("annual_rate:..2.6", ["定期"]), ("amount:..1万", []), ("category:流动资金", ["余额宝"]), ("category=liquid", ["余额宝"]),
        ("bank:招商", ["工资卡"]), ("bank:gongshang", ["备用"]), ("expiry<2027-02", ["工资卡"]), ("expiry:2027", ["工资卡"]),
        ("expiry:2027-01-31", ["工资卡"]), ("expiry>2027", ["备用"]), ("valid_until<2021", ["护照"]),
        ("valid_until>2030", ["驾照"]),
        ("valid_until:14d", ["张三"]), ("valid_until<14d", ["护照"]), ("valid_until<=14d", ["张三", "护照"]),
        ("valid_until:0d..15d", ["张三"]),
        ("due<15d", ["张三", "护照"]), ("due:15d", ["张三"]), ("due>1y", ["备用"]), ("due:-9999d..-1d", ["护照"]),
        ("due:明年", ["工资卡", "定期"]),
        (".合同号:ht-17", ["合同"]), (".合同号=ht-17", ["合同"]), (".合同号=ht-1", []), ("\".合 同-号\":17", ["合同"]),
        ("更新:7天..5天 kind:asset", ["余额宝", "定期"]), ("size:0.003kB", ["front.jpg"]), (".金额>1000", ["合同"]),
        (".续期<2028", ["合同"]),
        ("number:0137", ["工资卡"]), ("有效期<90d", ["护照", "张三", "工资卡"]), ("valid_until:长期", ["驾照"]),
        ("valid_until=长期", ["驾照"]),
        ("类别:投资", ["定期"]), ("类别:理财", ["定期"]), ("category:invest", ["定期"]), ("有:.合同号", ["合同"]), ("has:.nothing", []),
        ("开户行:招行", ["工资卡"]),
        ("到期<1年内 kind:bankcard", ["工资卡"]), ("path:合同", []), ("金额：１万．．５０万 种类：资产", ["余额宝", "定期"]),
    ])
    func conditionsOnFields(_ text: String, _ titles: [String]) throws {
        #expect(try Self.titles(text, Self.vault()).sorted() == titles.sorted())
    }

    @Test(arguments: [
        ("updated>=today kind:card", ["张三"]), ("updated<today updated>=yesterday", ["工资卡"]), ("updated:昨天", ["工资卡"]),
        ("updated>2026-10 kind:login", ["Photoshop Express"]), ("updated<=2026-10", ["备用", "网站499", "合同"]),
        ("updated:2026-10", ["备用"]), ("updated<2026-11-01", ["备用", "网站499", "合同"]), ("updated:2025", ["网站499"]),
        ("updated<7d kind:asset", ["余额宝"]), ("updated<=7d kind:asset", ["余额宝", "定期"]), ("updated>7d kind:asset", []),
        ("updated:7d kind:asset", ["余额宝", "定期"]), ("updated:5d..7d", ["余额宝", "定期"]), ("updated>1y", ["合同"]),
        ("更新<7天 kind:asset", ["余额宝"]), ("更新:5天..7天", ["余额宝", "定期"]), ("更新<168小时 kind:asset", ["余额宝"]),
        ("更新:2026年10月", ["备用"]), ("更新>12个月", ["合同"]), ("更新<1周内 kind:asset", ["余额宝"]),
        ("updated<2024-02-29T00:00:01Z", ["合同"]), ("created:2020 kind:note", ["合同"]),
    ])
    func conditionsOnTimes(_ text: String, _ titles: [String]) throws {
        let found = try Self.titles(text, Self.vault()).filter {
            !["front.jpg", "copy.address", "api.key"].contains($0)
        }
        #expect(found.sorted() == titles.sorted())
    }

    @Test func joinedTheyAreSetsOfRecords() throws {
        let vault = try Self.vault()
        let all = Set(try Self.titles("not \"nowhere\"", vault))
        #expect(all.count == 13)
        let parts = ["kind:card", "张", "amount>1", "updated>2026-11-19", "has:tag", "kind:login li", "due<1y"]
        for one in parts {
            let found = Set(try Self.titles(one, vault))
            #expect(Set(try Self.titles("not (\(one))", vault)) == all.subtracting(found))
            for other in parts {
                let second = Set(try Self.titles(other, vault))
                #expect(Set(try Self.titles("(\(one)) (\(other))", vault)) == found.intersection(second))
                #expect(Set(try Self.titles("(\(one)) or (\(other))", vault)) == found.union(second))
            }
        }
    }

    @Test func theBestPlaceCountsAndOfAllTheWorst() throws {
        let vault = try Self.vault()
        #expect(try Self.titles("张三 or 定期", vault) == ["张三", "定期", "护照"])
        #expect(try Self.titles("张三 kind:passport", vault) == ["护照"])
        let hit = try #require(try vault.find(Query("li not 合同", clock: Self.clock), clock: Self.clock).hits.first)
        #expect(hit.match?.key == "username" && hit.line?.value == "li")
    }

    /// Without words pinned cards come first, then what changed last.
    @Test func whatHasNoWordsComesAsInLists() throws {
        #expect(try Self.titles("kind:card not kind:login", Self.vault()).prefix(3) == ["工资卡", "张三", "余额宝"])
    }

    @Test func whatListsShowOpensNoRecord() throws {
        let vault = try Self.vault()
        for text in [
            "kind:login", "title:工", "tag:日常 updated>2026", "group:家庭 or is:pinned", "size>3", "not has:attachment",
            "id:00",
        ] {
            let counts = try vault.find(Query(text, clock: Self.clock), clock: Self.clock).counts
            #expect(counts.records == 13 && counts.opened == 0, "\(text)")
        }
        #expect(try vault.find(Query("kind:asset amount>1", clock: Self.clock), clock: Self.clock).counts.opened == 2)
        #expect(
            try vault.find(Query("kind:asset or amount>1", clock: Self.clock), clock: Self.clock).counts.opened == 0)
    }

    @Test func savesAnswerWhoAsksForThem() throws {
        let vault = try Self.vault()
        func saves(_ text: String) throws -> [UInt64] {
            try vault.find(Query(text, clock: Self.clock), clock: Self.clock).saves.map(\.sequence)
        }
        #expect(try saves("kind:save") == [3, 2, 1] && saves("save>=2 save<3") == [2] && saves("kind:card") == [])
        #expect(try saves("kind:save not save:3") == [2, 1] && saves("kind:save 张三") == [])
    }

    @Test(
        arguments: [
            ("foo:1", "no field is called 'foo'", 0..<3, "foo"),
            ("kind:logn", "no kind is called 'logn'", 5..<9, "logn"),
            (
                "a is:pined",
                "'pined' is none of pinned 置顶, overdue 过期, executable 可执行, free 限免, new 新发现, ending 即将结束, "
                    + "hot 热门, ended 已结束", 5..<10, "pined"
            ),
            ("has:attachmnt", "no part and no field is called 'attachmnt'", 4..<13, "attachmnt"),
            ("amount>abc", "'abc' is no number: write it like 50000, 50,000.00, 1.2万 or 2.5%", 0..<10, nil),
            ("size>big", "'big' is no size: write it like 500, 200kB or 10MiB", 0..<8, nil),
            (
                "updated>x",
                "'x' is no day and no length of time: write it like 2026, 2026-01, 2026-01-31, today or 30d", 0..<9, nil
            ),
            (
                "updated:2026-02-30",
                "'2026-02-30' is no day and no length of time: write it like 2026, 2026-01, 2026-01-31, today or 30d",
                0..<18, nil
            ),
            ("title>a", "'title' is text: it goes with ':' and '=', not with '>' or '..'", 0..<7, nil),
            ("title:a..b", "'title' is text: it goes with ':' and '=', not with '>' or '..'", 0..<10, nil),
            ("kind>login", "'kind' takes a word behind ':'", 0..<10, nil), ("@q", "no query is called 'q'", 0..<2, "q"),
        ] as [(String, String, Range<Int>, String?)])
    func isNotUnderstood(_ text: String, _ what: String, _ place: Range<Int>, _ unknown: String?) throws {
        let error = try #require(throws: QueryError.self) { try Query(text, clock: Self.clock) }
        #expect(error.what.description == what.replacing("'>' or", with: text.contains("..") ? "':' or" : "'>' or"))
        #expect(error.unknown?.word == unknown && error.text == text)
        #expect(error.place == (text == "@q" ? 1..<2 : place))
    }

    @Test func aQueryMayNameAnotherAndNotItself() throws {
        let texts = ["a": "kind:asset", "b": "@a amount>2万", "c": "@d", "d": "x @c", "e": "amount>"]
        func query(_ text: String) throws -> Query { try Query(text, clock: Self.clock) { texts[$0] } }
        let vault = try Self.vault()
        #expect(try vault.find(query("@b or is:pinned"), clock: Self.clock).hits.map(\.entry.title) == ["工资卡", "定期"])
        let circle = try #require(throws: QueryError.self) { try query("y @c") }
        #expect(circle.what.description.hasSuffix("the query 'c' contains itself") && circle.place == 3..<4)
        let broken = try #require(throws: QueryError.self) { try query("@e") }
        #expect(broken.what.description == "in the query 'e': a value is missing behind 'amount'")
    }

    /// A thousand names, each of which names the one before twice, are as many conditions as nobody waits for.
    @Test func namesDoNotMultiplyForEver() throws {
        let error = try #require(throws: QueryError.self) {
            try Query("@40", clock: Self.clock) { name in Int(name).map { $0 == 0 ? "a" : "@\($0 - 1) @\($0 - 1)" } }
        }
        #expect(error.what.description.hasSuffix("more than 1000 words and conditions"))
    }

    /// Queries may name others, each once and the next: how deep and how long that gets is bounded.
    @Test func namesInOneAnotherAreBounded() throws {
        func what(_ text: String, _ named: @escaping (String) -> String?) throws -> String {
            try #require(throws: QueryError.self) { try Query(text, clock: Self.clock, named: named) }.what.description
        }
        #expect(
            try what("@0") { Int($0).map { "not @\($0 + 1)" } }.hasSuffix(
                "more than 256 parts in one another, with the queries that are named"))
        let long = String(repeating: "a", count: 40_000)
        #expect(try what("@l or @l") { _ in long }.hasSuffix("the queries that are named are longer than 64 KiB"))
        var asked = 0
        _ = try Query("@x @x or @x", clock: Self.clock) { _ in
            asked += 1
            return "a"
        }
        #expect(asked == 1)
    }

    /// Marks alone leave nothing to compare: they must not mean everything.
    @Test(arguments: ["\u{301}", "title:\u{FE0F}", "kind:\u{301}", ".x:\u{301}", "tag=\u{301}|a", "\"\u{301}\""])
    func nothingToLookForIsAnError(_ text: String) {
        #expect(throws: QueryError.self) { try Query(text, clock: Self.clock) }
    }

    @Test func agesAndSpansHaveNoLimit() throws {
        let vault = try Self.vault()
        for text in [
            "updated<9999999y", "created:1d..9999999y", "updated:9999999y", "not updated>9999999y",
            "save<99999999999999999999999999999999 or size<9999999gb",
        ] {
            #expect(try Self.titles(text, vault).count >= 10, "\(text)")
        }
        #expect(
            try Self.titles("due<9999999y kind:card", vault).count == 5 && Self.titles("due<-9999999y", vault).isEmpty)
    }

    // MARK: Columns

    @Test func columnsHaveValuesThatSortAsWhatTheyAre() throws {
        let vault = try Self.vault()
        let entries = try vault.cardEntries { $0.kind.rawValue == 20 || $0.kind.rawValue == 67 }
        let columns = try ["标题", "amount", "expiry", "number", "tag", "due"].map { try QueryColumn($0) }
        let rows = try vault.values(of: columns, for: entries, clock: Self.clock)
        #expect(
            rows.map { $0.map { $0.map(\.shown).joined(separator: ",") } } == [
                ["工资卡", "", "01/27", "****6868", "日常,卡", "2027-01-31"], ["余额宝", "12000", "", "", "", ""],
                ["定期", "320000.00", "", "", "", "2027-03-01"], ["备用", "", "11/30", "****2230", "", "2030-11-30"],
            ])
        #expect(rows[1][1][0] < rows[2][1][0] && rows[0][2][0] < rows[3][2][0] && rows[1][1][0].isNumber)
        #expect(
            try vault.values(of: [columns[3]], for: [entries[0]], clock: Self.clock, isRevealed: true)[0][0][0].shown
                == "6225880137706868")
        let note = try vault.cardEntries { $0.title == "合同" }
        let own = try vault.values(
            of: [QueryColumn(".金额"), QueryColumn(".续期"), QueryColumn("kind")], for: note, clock: Self.clock)[0]
        #expect(own[0][0].isNumber && !own[1][0].isNumber && own[2][0].kind == note[0].kind)
        #expect(throws: QueryError.self) { try QueryColumn("nothing") }
        #expect(throws: QueryError.self) { try QueryColumn("has") }
    }
}
