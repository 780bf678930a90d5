import Pictures
import Testing
import Exchange
import VaultFormat
import Cards

/// Exports of other programs at the bounds of what a card takes: what does not fit is kept in another place.
struct ImportBoundTests {
    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }
    private func json(_ items: String, _ rest: String = "") throws -> ImportBatch {
        try ImportBatch(json: Array(#"{"items":[\#(items)]\#(rest)}"#.utf8))
    }
    private func csv(_ text: String) throws -> ImportBatch { try ImportBatch(csv: Array(text.utf8), kind: nil) }

    // MARK: Any program

    @Test func titlesAndTagsThatDoNotFit() throws {
        let long = text(255)
        let fits = try cards(json(#"{"type":2,"name":"\#(long)","notes":"x"}"#))
        #expect(fits[0].title == long && own(fits[0]).isEmpty)
        let cut = try cards(json(#"{"type":2,"name":"\#(long)y","notes":"x"}"#))
        #expect(cut[0].title == text(192) && own(cut[0]) == ["whole title=\(long)y"], "three quarters of 256")
        let lines = try cards(json(#"{"type":2,"name":"a\nb","notes":"x"},{"type":2,"name":" ","notes":"x"}"#))
        #expect(lines.map(\.title) == ["a b", "x"] && own(lines[0]) == ["whole title=a\nb"])
        let broken = try cards(json(#"{"type":2,"name":"a\n\#(text(253))","notes":"x"}"#))
        #expect(broken[0].title == "a " + text(253), "255 bytes are not cut")
        // Proton, 1Password and KeePass have tags; those of KeePass stand in one text.
        let tags = (1...33).map { "t\($0)" }.joined(separator: ";")
        let tagged = try cards(keePass("<Entry><Tags>\(tags);t1; ;</Tags></Entry>"))
        #expect(tagged[0].overview.tags == (1...32).map { "t\($0)" } && own(tagged[0]) == ["tag=t33"])
    }

    @Test func ownFieldsThatDoNotFit() throws {
        func fields(_ count: Int) -> String {
            (1...count).map { #"{"name":"f\#($0)","value":"v\#($0)","type":0}"# }.joined(separator: ",")
        }
        let full = try json(#"{"type":2,"name":"n","notes":"x","fields":[\#(fields(256))]}"#)
        #expect(cards(full)[0].fields.own.count == 256 && files(full).isEmpty)
        let more = try json(#"{"type":2,"name":"n","notes":"x","fields":[\#(fields(257))]}"#)
        #expect(
            cards(more)[0].fields.own.count == 256
                && files(more) == ["more fields.jsonl={\"label\":\"f257\",\"value\":\"v257\"}\n"])
        // A label that had to be changed stands in a field of its own: that may be the one too many.
        let named = #"{"name":"a:b","value":"1","type":0}"#
        let last = try json(#"{"type":2,"name":"n","notes":"x","fields":[\#(fields(255)),\#(named)]}"#)
        #expect(
            cards(last)[0].fields.own.count == 256
                && files(last) == ["more fields.jsonl={\"label\":\"name of a b\",\"value\":\"a:b\"}\n"])
        let fitting = try json(#"{"type":2,"name":"n","notes":"x","fields":[\#(fields(254)),\#(named)]}"#)
        #expect(
            cards(fitting)[0].fields.own.count == 256 && files(fitting).isEmpty
                && own(cards(fitting)[0]).last == "name of a b=a:b")
        let labels = [
            ("title", "title 2"), ("", "field"), ("#x", "x"), ("text", "text 2"), ("a", "a"), ("a", "a 2"),
            (text(61), text(60)),
        ]
        let odd = try json(
            #"{"type":2,"name":"n","notes":"x","fields":["#
                + labels.map { #"{"name":"\#($0.0)","value":"v","type":0}"# }.joined(separator: ",") + "]}")
        let found = try #require(cards(odd).first).fields.own.map(\.label)
        for (wanted, label) in labels { #expect(found.contains(label), "\(wanted)") }
        #expect(
            found.filter { $0.hasPrefix("name of") } == ["name of x", "name of \(text(52))"], "a number needs no name")
        let control = try json(
            #"{"type":2,"name":"n","notes":"x","fields":[{"name":"a\u0001","value":"v","type":0},{"name":"b","value":"c\u0001","type":0}]}"#
        )
        #expect(own(cards(control)[0]) == ["a =v"] && files(control) == ["name of a .txt=a\u{1}", "b.txt=c\u{1}"])
    }

    @Test func namesOfAttachments() throws {
        var batch = ImportBatch()
        batch.add(pass: "a/" + text(200), text: [0xFF])
        batch.add(pass: "b/" + text(201), text: [0xFF])
        #expect(cards(batch).map(own) == [[], ["name of an attachment=\(text(201))"]])
        #expect(batch.items.flatMap(\.attachments).map(\.name.count) == [200, 200])
        batch = ImportBatch()
        batch.add(pass: "c", text: Array("pw\r\nlogin: li\r\nx\r".utf8))
        batch.add(pass: "d", text: Array("pw\r".utf8))
        batch.add(pass: "e", text: Array("pw\r\nlogin: li\nurl: //x\nurl: y\nspaced key: z\nempty:\n\n".utf8))
        let all = cards(batch)
        #expect(all[0].fields.texts == ["password": "pw", "username": "li", "notes": "x"])
        #expect(all[1].fields.texts["password"] != "pw", "one line has no line end of Windows")
        #expect(all[2].fields.texts["url"] == "//x" && own(all[2]).contains("url=y") || own(all[2]).contains("url 2=y"))
        #expect(all[2].fields.texts["notes"] == "spaced key: z\nempty:")
    }

    // MARK: Tables

    @Test func tablesOfOnesOwn() throws {
        #expect(throws: ImportError.self) { try csv("title,foo\nx,y\n") }
        #expect(throws: ImportError.self) { try csv("password,foo\nx,y\n") }
        #expect(try cards(csv("password,url\np,u\n")).count == 1 && cards(csv("password,username\np,u\n")).count == 1)
        let tags = (1...33).map { "t\($0)" }
        #expect(
            try cards(csv("kind,title,tags\nnote,n,\"\(tags.dropLast().joined(separator: ","))\"\n"))[0].overview.tags
                .count == 32)
        #expect(
            try said(csv("kind,title,tags\nnote,n,\"\(tags.joined(separator: ","))\"\n")) == [
                "line 2: tags: are too many: 32 at most"
            ])
        func wide(_ count: Int) throws -> ImportBatch {
            try csv(
                "kind,title," + (1...count).map { "own:f\($0)" }.joined(separator: ",") + "\nnote,n,"
                    + Array(repeating: "v", count: count).joined(separator: ",") + "\n")
        }
        #expect(
            try cards(wide(256))[0].fields.own.count == 256
                && said(wide(257)) == ["line 2: own: is one field too many: 256 at most"])
        #expect(try said(csv("kind,title,a,own:a\nnote,n,1,2\n")) == ["line 2: a: is given twice"])
        #expect(try said(csv("kind,title,own:a:b\nnote,n,1\n")) == ["line 2: a:b: is no name for a field"])
        for (word, isPinned) in [
            ("yes", true), ("1", true), ("no", false), ("0", false), ("FALSE", false), ("否", false), ("", false),
        ] {
            #expect(
                try cards(csv("kind,title,pinned,text\nnote,n,\(word),x\n"))[0].overview.isPinned == isPinned, "\(word)"
            )
        }
    }

    @Test(arguments: [
        ("68719476735", "4147-08-20T07:32:15Z"), ("68719476736", "1972-03-06T08:44:36.736Z"),
        ("35184372088831", "3084-12-12T12:41:28.831Z"),
        ("1700000000", "2023-11-14T22:13:20Z"), ("1700000000000", "2023-11-14T22:13:20Z"),
        ("2023-11-14T22:13:20Z", "2023-11-14T22:13:20Z"), ("35184372088832", nil), ("soon", nil),
    ])
    func timesOfTables(_ text: String, _ time: String?) throws {
        let batch = try csv("name,url,username,password,timeCreated\nn,u,li,pw,\(text)\n")
        let created = batch.items.first?.created?.text
        if let time {
            #expect(created == time)
        } else {
            #expect(created == nil && own(cards(batch).first) == ["created=\(text)"])
        }
    }

    @Test func cellsOfBitwarden() throws {
        let head =
            "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\n"
        let batch = try csv(head + "F,1,login,n,,\"a: 1\nmore\nb:\nc: 2\",1,\"https://a/x,y,https://b,c.cn\",li,pw,\n")
        let card = try #require(cards(batch).first)
        #expect(card.fields.texts["url"] == "https://a/x,y" && card.overview.isPinned && card.overview.group == "F")
        #expect(
            own(card) == ["a=1\nmore", "c=2", "reprompt=1", "url 2=https://b", "url 3=c.cn"]
                || Set(own(card)) == ["a=1\nmore", "c=2", "reprompt=1", "url 2=https://b", "url 3=c.cn"])
        #expect(try own(cards(csv(head + ",0,login,n,,alone,0,u,li,pw,\n")).first) == ["fields=alone"])
    }

    // MARK: JSON

    @Test(arguments: [
        ("2031", "3", "03/31", ""), ("2031", "12", "12/31", ""), ("1931", "3", "", "expiry 2=03/1931"),
        ("209", "3", "", "expiry 2=03/209"), ("", "3", "", "expMonth=3"), ("2031", "", "", "expYear=2031"),
    ])
    func monthsOfCards(_ year: String, _ month: String, _ expiry: String, _ rest: String) throws {
        let card = try #require(
            cards(
                json(
                    #"{"type":3,"name":"Visa","card":{"number":"4111111111111111","expYear":"\#(year)","expMonth":"\#(month)"}}"#
                )
            ).first)
        #expect(card.fields.texts["expiry"] ?? "" == expiry && own(card) == (rest.isEmpty ? [] : [rest]))
    }

    @Test func enpassAtItsBounds() throws {
        func item(_ more: String) -> String { #"{"title":"n","template_type":"x"\#(more)}"# }
        let batch = try json(
            [
                item(#","favorite":1,"trashed":0"#), item(#","favorite":0,"trashed":1"#),
                item(
                    #","fields":[{"label":"PIN","type":"pin","value":"1","sensitive":1},{"label":"b","type":"text","value":"2","sensitive":0}]"#
                ),
                item(#","attachments":[{"name":"a","data":"aGVs\n bG8="},{"name":"b","data":"!"}]"#),
                item(#","folders":["c","a","none"]"#),
                item(
                    #","fields":[{"label":"S","type":"section","value":""},{"label":"x","type":"text","value":"1"}],"subtitle":"sub"},{"title":"m","subtitle":"t","note":"t""#
                ),
            ].joined(separator: ","),
            #","folders":[{"uuid":"a","title":"A"},{"uuid":"b","title":"B","parent_uuid":"a"},{"uuid":"c","title":"C","parent_uuid":"b"},{"uuid":"l","title":"L","parent_uuid":"l"}]"#
        )
        let all = cards(batch)
        #expect(
            all.map(\.overview.isPinned).prefix(2) == [true, false]
                && batch.items.map(\.isDeleted).prefix(2) == [false, true])
        #expect(
            all[2].fields.own.map(\.isSensitive) == [true, false] && files(batch) == ["a=hello"]
                && said(batch) == ["item 4 'n': b: is no base64"])
        #expect(all[4].overview.group == "A/B/C" && all[4].overview.tags == ["A"])
        #expect(own(all[5]).contains("S x=1") && own(all[5]).contains("subtitle=sub") && own(all[6]).isEmpty)
    }

    @Test func protonAtItsBounds() throws {
        func batch(_ expiry: String, _ pinned: String = "false") throws -> ImportBatch {
            let content = #"{"number":"4111111111111111","expirationDate":"\#(expiry)"}"#
            let item =
                #"{"state":1,"pinned":\#(pinned),"data":{"type":"creditCard","metadata":{"name":"Visa"},"content":\#(content)}}"#
            return try ImportBatch(json: Array(#"{"vaults":{"v":{"name":"Me","items":[\#(item)]}}}"#.utf8))
        }
        #expect(
            try cards(batch("2031-03"))[0].fields.texts["expiry"] == "03/31"
                && own(cards(batch("2031-03-01"))[0]) == ["expiry 2=2031-03-01"])
        #expect(
            try !cards(batch("2031-03"))[0].overview.isPinned && cards(batch("2031-03", "true"))[0].overview.isPinned)
    }

    /// The name of an item stands in another member of each program.
    @Test(arguments: [
        (#""template_type":"x""#, "", "T"), (#""fields":[]"#, "", "T"), (#""fields":[],"type":2"#, "", "N"),
        (#""fields":[]"#, #","encrypted":false"#, "N"), (#""notes":"x""#, "", "N"),
        (#""fields":[]"#, #","vaults":[]"#, "T"),
    ])
    func programsOfJSON(_ member: String, _ rest: String, _ title: String) throws {
        #expect(try cards(json(#"{"title":"T","name":"N",\#(member)}"#, rest)).first?.title == title)
    }
}
