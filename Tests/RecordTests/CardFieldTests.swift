import Testing
import VaultFormat
import Cards
import VaultStore
import VaultTesting

/// Fields of cards: what is refused, kept, filled in, and joined.
struct CardFieldTests {
    private func card(_ kind: String, _ values: [(String, String)] = []) throws -> Card {
        var card = Card(schema: try #require(Schema.named(kind)), overview: Overview(title: []), fields: RecordFields())
        #expect(card.set(values.map { (key: $0.0, value: $0.1) }).isEmpty)
        return card
    }

    private func said(_ complaints: [Card.Complaint]) -> [String] { complaints.map { "\($0.key): \($0.what)" } }

    // MARK: Setting

    /// Only what was touched is held against the start.
    @Test(arguments: [
        ("asset", "maturity", "2026-01-02", []), ("asset", "maturity", "2026-01-01", []),
        ("asset", "maturity", "2025-12-31", ["maturity: is before the start"]),
        ("policy", "end", "2025-12-31", ["end: is before the start"]), ("policy", "end", "2026-01-01", []),
    ])
    func nothingEndsBeforeItStarts(_ kind: String, _ key: String, _ day: String, _ wrong: [String]) throws {
        var card = try card(kind)
        #expect(said(card.set([("start", "2026-01-01"), (key, day)])) == wrong)
        #expect(card.set([("notes", "x")]).isEmpty)
        #expect(said(card.set([("start", "2026-01-01")])) == wrong && said(card.set([(key, day)])) == wrong)
        var note = try self.card("note")
        note.fields.texts = ["start": "2026-01-01", "maturity": "2025-01-01", "end": "2025-01-01"]
        #expect(note.set([("start", "2026-01-02"), ("end", "2025-01-01")]).isEmpty, "of other kinds nothing is known")
    }

    @Test func fieldsOfANewerProgramCanBeChanged() throws {
        var card = try card("address")
        card.fields.texts["colour"] = "red"
        #expect(said(card.set([("colour", "a\u{1}")])) == ["colour: has control characters"])
        #expect(card.set([("colour", " blue")]).isEmpty && card.fields.texts["colour"] == " blue")
        #expect(card.set([("colour", " \n")]).isEmpty && card.fields.texts["colour"] == nil)
        #expect(
            said(card.set([("colour", "red"), ("colour", "x")])) == [
                "colour: is no field of this kind", "colour: is given twice",
            ])
        card.fields.own = [.init(label: "x", value: "1")]
        #expect(card.set([("x", "2")]).isEmpty && card.fields.own.map(\.value) == ["2"])
        #expect(card.set([("x", " ")]).isEmpty && card.fields.own.isEmpty)
        #expect(said(card.set([("x", "")])) == ["x: is no field of this kind"])
    }

    @Test func secretsOfCodesAreHidden() throws {
        var card = try card("note")
        let secret = "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP"
        #expect(card.set([("totp", "x"), ("a", secret), ("b", "steam://JBSWY3DPEHPK3PXP"), ("c", "plain")]).isEmpty)
        #expect(card.fields.own.map(\.isSensitive) == [true, true, true, false])
        #expect(card.set([("c", secret), ("a", "plain")]).isEmpty)
        #expect(card.fields.own.map(\.isSensitive) == [true, true, true, true])
        #expect(card.oneTimePasswordLine?.key == "totp")
        #expect(card.set([("totp", ""), ("b", secret)]).isEmpty && card.oneTimePasswordLine?.key == "b")
        #expect(try self.card("note", [("a", "x")]).oneTimePasswordLine == nil)
        var login = try self.card("login")
        #expect(login.set([("totp", "123 456")]).map(\.key) == ["totp"] && login.set([("totp", secret)]).isEmpty)
    }

    @Test func ownFieldsAreCounted() throws {
        var card = try card("note", (1...256).map { ("f\($0)", "x") })
        #expect(card.fields.own.count == 256)
        #expect(said(card.set([("more", "x")])) == ["more: is one field too many: 256 at most"])
        #expect(card.set([("f1", "y"), ("f2", "")]).isEmpty && card.set([("more", "x")]).isEmpty)
        #expect(card.fields.own.count == 256 && card.fields.own[0].value == "y")
    }

    @Test(arguments: [
        ("", "is empty"), (" \n", "is empty"), (String(repeating: "a", count: 255), nil),
        (String(repeating: "a", count: 256), "is longer than 255 bytes"),
        ("a\nb", "has control characters, or more than one line"),
    ])
    func names(_ name: String, _ what: String?) { #expect(Card.complaint(aboutName: name)?.description == what) }

    @Test(arguments: [
        ("a:b", false), ("#a", false), (" a", false), ("\ta", false), ("a b", true), ("tags", false), ("a#", true),
    ])
    func labels(_ label: String, _ isTaken: Bool) throws {
        var card = try card("note")
        #expect(card.set([(label, "x")]).isEmpty == isTaken)
    }

    @Test(arguments: [
        ("https://li:pw@www.example.com:8080/x?y#z", "example.com"), ("example.com/login", "example.com"),
        ("http://a@b@c.cn", "c.cn"), ("https://x.cn?q", "x.cn"), ("https://www.", "login"), ("a\u{1}b", "login"),
        ("ftp://" + String(repeating: "a", count: 60), String(repeating: "a", count: 40)), ("", "li"),
    ])
    func titlesOfLogins(_ url: String, _ title: String) throws {
        var card = try card("login", [("username", "li")])
        card.fields.texts["url"] = url.isEmpty ? nil : url
        #expect(card.defaultTitle(\.english) == title)
    }

    @Test func titlesOfOtherCards() throws {
        #expect(try card("address", [("name", "张三")]).defaultTitle(\.english) == "张三")
        #expect(try card("text", [("text", "one\ntwo")]).defaultTitle(\.english) == "one")
        #expect(try card("wifi").defaultTitle(\.chinese) == "无线网络")
        #expect(
            try card("ssh-key", [("private_key", "p")]).defaultTitle(\.english) == "SSH key", "no secret is a title")
    }

    // MARK: Fields that follow from others

    @Test func bankOfACardNumber() throws {
        var card = try card("bankcard", [("number", "6222021234567890128")])
        #expect(card.derived("bank") == "中国工商银行" && card.derived("holder") == nil)
        #expect(card.fillDerived().map(\.key) == ["bank"] && card.fields.texts["bank"] == "中国工商银行")
        card.fields.texts["bank"] = "ICBC"
        #expect(card.contradictions.isEmpty && card.fillDerived().isEmpty, "a bank has many names")
        #expect(try self.card("passport", [("number", "E12345678")]).derived("birth") == nil)
        #expect(try self.card("idcard").derived("birth") == nil)
    }

    @Test func sharesOfTrades() throws {
        let trades = "2025-01-06 buy 100 2 1\n2025-06-06 sell 40 3"
        var card = try card("holding", [("code", "110011"), ("trades", trades)])
        #expect(card.fillDerived().map(\.key) == ["shares", "cost"])
        #expect(
            card.fields.texts["shares"] == "60" && card.fields.texts["cost"] == "2.01" && card.derived("code") == nil)
        let old = card
        #expect(card.set([("trades", "2025-01-06 buy 10 4")]).isEmpty)
        #expect(
            card.contradictions.map { "\($0.key) \($0.what)" }.sorted() == [
                "cost is '2.01', but the trades say '4'", "shares is '60', but the trades say '10'",
            ])
        card.followDerived(from: old)
        #expect(card.fields.texts["shares"] == "10" && card.fields.texts["cost"] == "4" && card.contradictions.isEmpty)
        // A value that somebody set stays.
        var mine = old
        #expect(mine.set([("trades", "2025-01-06 buy 10 4"), ("cost", "5")]).isEmpty)
        mine.followDerived(from: old)
        #expect(mine.fields.texts["shares"] == "10" && mine.fields.texts["cost"] == "5")
        // Nothing follows where neither number nor trades changed.
        var same = old
        same.fields.texts["shares"] = nil
        same.followDerived(from: old)
        #expect(same.fields.texts["shares"] == nil)
        var none = try self.card(
            "holding", [("code", "110011"), ("trades", "2025-01-06 buy 1 1\n2025-01-07 sell 1 1")])
        #expect(none.derived("shares") == "0" && none.derived("cost") == "0")
        none.fields.texts["trades"] = nil
        #expect(none.derived("shares") == nil)
    }

    // MARK: Two changes of one card

    private func noted(_ tags: [String], _ own: [(String, String)] = []) throws -> Card {
        var card = try card("note", own)
        card.overview.tags = tags
        return card
    }

    @Test(
        arguments: [
            (["a", "b"], ["a", "b", "c"], ["a", "b"], ["a", "b", "c"]),
            (["a", "b"], ["b"], ["a", "b", "d"], ["b", "d"]),
            (["a", "b"], ["b", "a"], ["a", "b"], ["b", "a"]), (["a"], ["a"], ["z", "a"], ["z", "a"]),
            (["a"], ["a", "x"], ["a", "x", "b"], ["a", "b", "x"]), (["c", "a"], ["c", "a", "b"], ["a"], ["a", "b"]),
        ] as [([String], [String], [String], [String])])
    func tagsAreASet(_ old: [String], _ mine: [String], _ theirs: [String], _ joined: [String]) throws {
        let result = try noted(mine).merged(since: noted(old), into: noted(theirs))
        #expect(result.card.overview.tags == joined && result.conflicts.isEmpty)
    }

    @Test func fieldsOfBothSidesHaveOneOrder() throws {
        let old = try noted([], [("m", "1")])
        let (mine, theirs) = (
            try noted([], [("m", "1"), ("z", "1"), ("b", "1")]), try noted([], [("m", "1"), ("c", "1"), ("a", "1")])
        )
        let (one, other) = (mine.merged(since: old, into: theirs).card, theirs.merged(since: old, into: mine).card)
        #expect(one.fields.own.map(\.label) == ["m", "a", "b", "c", "z"] && one == other)
        #expect(mine.merged(since: old, into: old).card.fields.own.map(\.label) == ["m", "z", "b"])
        #expect(old.merged(since: old, into: theirs).card.fields.own.map(\.label) == ["m", "c", "a"])
        #expect(mine.merged(since: old, into: mine).card.fields.own.map(\.label) == ["m", "z", "b"])
        let gone = try noted([])
        #expect(gone.merged(since: old, into: theirs).card.fields.own.map(\.label) == ["c", "a"])
        let changed = gone.merged(since: old, into: try noted([], [("m", "2")]))
        #expect(changed.conflicts == ["m"] && changed.card.fields.own.isEmpty)
    }

    @Test func headsOfBothSides() throws {
        var (mine, theirs) = (try noted([]), try noted([]))
        let old = mine
        (mine.overview.title, theirs.overview.title) = (Array("m".utf8), Array("t".utf8))
        (mine.overview.isPinned, theirs.overview.group) = (true, "e\u{301}")
        let (card, conflicts) = mine.merged(since: old, into: theirs)
        #expect(conflicts == ["title"] && card.overview.title == Array("m".utf8) && card.overview.isPinned)
        #expect(card.overview.group == "e\u{301}")
        // Two texts that only look the same differ.
        mine.overview.group = "é"
        #expect(mine.merged(since: old, into: theirs).conflicts == ["title", "group"])
        let many = (1...256).map { ("f\($0)", "x") }
        #expect(try noted([], many).merged(since: old, into: noted([])).conflicts.isEmpty)
        #expect(try noted([], many).merged(since: old, into: noted([], [("g", "x")])).conflicts == ["own"])
        let tags = (1...32).map { "t\($0)" }
        #expect(try noted(tags).merged(since: old, into: noted([])).conflicts.isEmpty)
        #expect(try noted(tags).merged(since: old, into: noted(["u"])).conflicts == ["own"])
    }

    @Test func whatDiffers() throws {
        var one = try card("login", [("username", "a"), ("x", "1")])
        var other = try card("login", [("username", "b"), ("password", "p"), ("x", "1")])
        (one.overview.title, one.overview.group, one.overview.tags, one.overview.isPinned) = ([1], "g", ["t"], true)
        #expect(one.keysThatDiffer(from: other) == ["title", "group", "tags", "pinned", "username", "password"])
        other = one
        #expect(one.keysThatDiffer(from: other).isEmpty)
        other.fields.own.append(.init(label: "x", value: "2"))
        #expect(one.keysThatDiffer(from: other) == ["x"], "two fields of one label are two")
    }

    // MARK: As text

    @Test func textOfACard() throws {
        var card = try card("wifi", [("network", "n"), ("notes", "one\n\ntwo")])
        (card.overview.title, card.overview.tags) = (Array("t".utf8), ["a", "b"])
        let text = """
            # 无线网络 wireless network
            title: t
            group:
            tags: a, b
            pinned:
            # 网络名称 network name *
            network: n
            # 密码 password
            password:
            # 加密方式 security
            security:
            # 备注 notes
            notes: one\n \n two

            """
        #expect(CardTextFormat.text(card) == text)
        for (change, key, what) in [
            ("title: t", "title:", "title: is empty"),
            ("group:", "group: a\n b", "group: has control characters, or more than one line"),
            (
                "tags: a, b", "tags: " + (1...33).map { "\($0)" }.joined(separator: ","),
                "tags: are too many: 32 at most"
            ),
            ("tags: a, b", "tags: a\n b", "tags: has control characters, or more than one line"),
            ("network: n", "network:", "network: is missing"),
            ("security:", "nonsense", "nonsense: is no line 'key: value'"),
            ("security:", ": x", ": x: is no line 'key: value'"),
        ] {
            var changed = card
            #expect(said(CardTextFormat.apply(text.replacing(change, with: key), to: &changed)) == [what])
        }
        for (line, isPinned) in [
            ("pinned: yes", true), ("pinned: no", false), ("pinned: NO", false), ("pinned: x", true), ("", false),
        ] {
            var changed = card
            #expect(CardTextFormat.apply(text.replacing("pinned:", with: line), to: &changed).isEmpty)
            #expect(changed.overview.isPinned == isPinned, "\(line)")
        }
        var changed = card
        let given =
            "\n\ttext before\n"
            + text.replacing("tags: a, b", with: "tags: a,, b ,a\ngroup:  g ").replacing(
                "notes: one", with: "notes:one\n\n\n\tmore")
        #expect(said(CardTextFormat.apply(given, to: &changed)) == ["\ttext before: is no line 'key: value'"])
        #expect(changed.overview.tags == ["a", "b"] && changed.overview.group == "g")
        #expect(changed.fields.texts["notes"] == "one\n\n\nmore\n\ntwo")
        #expect(CardTextFormat.isWhole(card))
        card.overview.tags = ["a,b"]
        #expect(!CardTextFormat.isWhole(card))
        (card.overview.tags, card.overview.title) = ([], [0xFF])
        #expect(!CardTextFormat.isWhole(card))
        card.overview.title = [0x61]
        card.fields.own = [.init(label: "a:b", value: "x")]
        #expect(!CardTextFormat.isWhole(card))
        card.fields.own = [.init(label: "a", value: "x"), .init(label: "a", value: "y")]
        #expect(!CardTextFormat.isWhole(card))
    }
}
