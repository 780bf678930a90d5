import Cards
import Exchange
import Pictures
import Testing
import VaultCrypto
import VaultFormat

/// Items of other programs, part by part: each value has a place, and what only serves the program has none.
struct ProgramItemTests {
    private func json(_ items: String, _ rest: String = "") throws -> ImportBatch {
        try ImportBatch(json: Array(#"{"items":[\#(items)]\#(rest)}"#.utf8))
    }

    private func flags(_ card: Card?) -> [String] {
        (card?.fields.own ?? []).map { "\($0.label)=\($0.value)\($0.isSensitive ? " secret" : "")" }
    }

    // MARK: Bitwarden

    /// Lists of folders and collections: the first place is the group, the others are tags.
    @Test func placesOfBitwarden() throws {
        let rest =
            #","folders":[{"id":"f","name":"F"},{"id":"x"},{"name":"y"}],"collections":[{"id":"c","name":"C"},{"id":"d","name":"D"}]"#
        let batch = try json(
            #"{"type":2,"name":"a","notes":"x","folderId":"f","collectionIds":["c","d","none",null]},{"type":2,"name":"b","notes":"x","folderId":null,"collectionIds":["d"]}"#,
            rest)
        #expect(cards(batch).prefix(2).map(\.overview.group) == ["F", "D"])
        #expect(cards(batch)[0].overview.tags == ["C", "D"] && cards(batch)[1].overview.tags.isEmpty)
    }

    @Test(arguments: [
        (#""fields":[{"name":"a","value":null,"linkedId":100,"type":3}]"#, ["a=linked to 100"]),
        (#""fields":[{"value":"v","type":0}]"#, ["field=v"]),
        (#""fields":[{"name":"a","value":true,"type":2}]"#, ["a=true"]),
        (#""fields":[{"name":"a","value":"v","type":1}]"#, ["a=v secret"]), (#""reprompt":1"#, ["reprompt=1"]),
        (#""reprompt":0"#, []), (#""favorite":true"#, []), (#""creationDate":"soon""#, ["created=soon"]),
        (#""revisionDate":"soon""#, ["updated=soon"]),
        (#""passwordHistory":[{"password":"p"},{"password":null}]"#, ["old_password=p secret"]),
        (#""future":{"a":[1]}"#, [#"future={"a":[1]}"#]), (#""future":[]"#, []), (#""future":false"#, []),
        (#""attachments":null"#, []), (#""object":"item","organizationId":"o""#, []),
    ])
    func partsOfBitwarden(_ member: String, _ wanted: [String]) throws {
        let batch = try json(#"{"type":2,"name":"n","notes":"x",\#(member)}"#)
        #expect(flags(cards(batch).first) == wanted && said(batch).isEmpty)
        #expect(cards(batch)[0].overview.isPinned == member.contains("favorite"))
    }

    @Test func loginsOfBitwarden() throws {
        let login =
            #"{"username":"u","password":"p","totp":"","uris":[{"uri":"https://a","match":0},{"uri":"https://b","match":null},{"uri":null}],"fido2Credentials":[],"autofillOnPageLoad":true}"#
        let card = try #require(try cards(json(#"{"type":1,"name":"n","notes":null,"login":\#(login)}"#)).first)
        #expect(card.fields.texts == ["username": "u", "password": "p", "url": "https://a"])
        #expect(flags(card) == ["url 2=https://b", #"match={"uri":"https://a","match":0}"#, "autofillOnPageLoad=true"])
        #expect(try cards(json(#"{"type":1,"name":"n"}"#)).first?.schema.name == "login")
    }

    /// Kinds that this program exported come back by the name in a field; of any other item it is a field.
    @Test func kindsOfOurs() throws {
        func item(_ type: Int, _ kind: String, _ notes: String = "n") throws -> Card? {
            try cards(
                json(
                    #"{"type":\#(type),"name":"t","notes":"\#(notes)","fields":[{"name":"QuickVault kind","value":"\#(kind)","type":0},{"name":"QuickVault field network","value":"w","type":0}]}"#
                )
            ).first
        }
        let wifi = try #require(try item(2, "wifi"))
        #expect(wifi.schema.name == "wifi" && wifi.fields.texts == ["network": "w", "notes": "n"] && own(wifi).isEmpty)
        let text = try #require(try item(2, "text"))
        #expect(text.schema.name == "text" && text.fields.texts == ["text": "n"])
        let none = try #require(try item(2, "nonsense"))
        #expect(none.schema.name == "note" && own(none) == ["QuickVault kind=nonsense", "QuickVault field network=w"])
        let login = try #require(try item(1, "wifi"))
        #expect(login.schema.name == "login" && own(login) == ["QuickVault kind=wifi", "QuickVault field network=w"])
        let tags = try #require(
            try cards(
                json(
                    #"{"type":2,"name":"t","notes":"n","fields":[{"name":"QuickVault tags","value":"[\"a\",\"b\"]"},{"name":"QuickVault tags","value":"x"}]}"#
                )
            ).first)
        #expect(tags.overview.tags == ["a", "b"] && own(tags) == ["QuickVault tags=x"])
    }

    @Test func identitiesOfBitwarden() throws {
        let identity =
            #"{"title":"Dr","firstName":"Si","middleName":"","lastName":"Li","address1":"A","city":"C","country":"","phone":"13800138000","email":"a@b.cn","company":"K","ssn":"1","passportNumber":"2","licenseNumber":"3","username":"u"}"#
        let card = try #require(try cards(json(#"{"type":4,"name":"n","notes":"x","identity":\#(identity)}"#)).first)
        #expect(
            card.fields.texts == [
                "name": "Dr Si Li", "phone": "13800138000", "email": "a@b.cn", "company": "K", "address": "A, C",
                "notes": "x",
            ])
        #expect(flags(card) == ["ssn=1 secret", "passport=2 secret", "licence=3 secret", "username=u"])
        let named = try #require(try cards(json(#"{"type":4,"name":"n","identity":{"phone":"13800138000"}}"#)).first)
        #expect(named.fields.texts["name"] == "n")
    }

    // MARK: Proton Pass

    private func proton(_ data: String, _ item: String = "", vault: String = "") throws -> ImportBatch {
        let items = #"[{"state":1,"data":{\#(data)}\#(item)}]"#
        return try ImportBatch(json: Array(#"{"vaults":{"v":{"name":"Me"\#(vault),"items":\#(items)}}}"#.utf8))
    }

    @Test(arguments: [
        (#""itemUsername":"u","username":"u","itemEmail":"e""#, "u", ["email=e"]),
        (#""itemUsername":"","username":"v","itemEmail":"e""#, "v", ["email=e"]),
        (#""itemUsername":"","itemEmail":"e""#, "e", []), (#""username":"v","itemEmail":"""#, "v", []),
        (#""username":"v","urls":[],"passkeys":[]"#, "v", []),
        (
            #""username":"v","urls":["a","b"],"passkeys":[{"k":1}],"odd":"x""#, "v",
            ["url 2=b", #"passkey={"k":1} secret"#, "odd=x secret"]
        ),
    ])
    func loginsOfProton(_ content: String, _ name: String, _ wanted: [String]) throws {
        let batch = try proton(
            #""type":"login","metadata":{"name":"n","note":""},"content":{\#(content),"password":"p"}"#)
        #expect(cards(batch)[0].fields.texts["username"] == name && flags(cards(batch)[0]) == wanted)
    }

    @Test func partsOfProton() throws {
        let fields =
            #"[{"fieldName":"a","type":"text","data":{"content":"1"}},{"fieldName":"b","type":"totp","data":{"totpUri":"2"}},{"type":"hidden","data":{"content":"3"}},{"fieldName":"d","type":"timestamp","data":{"timestamp":{"seconds":4}}}]"#
        let batch = try proton(
            #""type":"note","metadata":{"name":"n","note":"x"},"content":{"odd":"y"},"extraFields":\#(fields)"#,
            #","aliasEmail":"m@x","createTime":"soon","modifyTime":1700000000,"pinned":true"#,
            vault: #","description":"words""#)
        #expect(cards(batch).map(\.title) == ["Me", "n"] && cards(batch)[0].fields.texts == ["text": "words"])
        #expect(
            cards(batch).map(\.overview.group) == ["Me", "Me"]
                && cards(batch).map(\.overview.isPinned) == [false, true])
        #expect(
            flags(cards(batch)[1]) == [
                "odd=y", "a=1", "b=2 secret", "field=3 secret", #"d={"seconds":4} secret"#, "alias=m@x", "created=soon",
            ])
        let alias = try proton(#""type":"alias","metadata":{"name":"n","note":"x"},"content":{"odd":"y"}"#)
        #expect(flags(cards(alias)[0]) == ["odd=y secret"])
        let card = try proton(
            #""type":"creditCard","metadata":{"name":"Visa"},"content":{"number":"4111111111111111","verificationNumber":"123","expirationDate":""}"#
        )
        #expect(cards(card)[0].fields.texts == ["bank": "Visa", "number": "4111111111111111", "security_code": "123"])
        #expect(throws: MalformedText.self) { try ImportBatch(json: Array("{}".utf8), of: .proton) }
    }

    // MARK: Enpass

    @Test func partsOfEnpass() throws {
        let fields = #"""
            [{"type":"email","label":"E-mail","value":"e"},{"type":"username","label":"Username","value":"u"},
            {"type":"password","label":"Password","value":"p","sensitive":1},{"type":"url","label":"Website","value":"https://a"},
            {"type":"totp","label":"","value":""},{"type":"section","label":"More"},{"type":"text","label":"","value":"x"},
            {"type":"text","value":"y"},{"type":"pin","label":"PIN","value":"1","sensitive":1,"deleted":1,"history":[{"value":"0","updated_at":"old"}]},
            {"type":"text","value":"","deleted":1,"updated_at":"soon"}]
            """#
        let batch = try json(
            #"{"title":"n","template_type":"x","fields":\#(fields),"createdAt":"never","updated_at":1700000000}"#)
        let card = try #require(cards(batch).first)
        #expect(card.fields.texts == ["username": "e", "password": "p", "url": "https://a"], "\(card.fields.texts)")
        #expect(
            flags(card).filter { !$0.hasPrefix("more=") } == [
                "Username=u", "More =x", "More text=y", "deleted PIN=1 secret", "old_pin=0 secret",
                "old_pin_updated=old",
                "text updated_at=soon", "created=never",
            ], "\(flags(card))")
        // Without a password it is a note, whatever its fields are called.
        let note = try cards(
            json(
                #"{"title":"n","template_type":"x","note":"z","fields":[{"type":"password","value":""},{"type":"url","label":"u","value":"v"}]}"#
            ))
        #expect(note[0].schema.name == "note" && note[0].fields.texts == ["text": "z"] && own(note[0]).first == "u=v")
    }

    @Test func attachmentsOfEnpass() throws {
        let batch = try json(
            #"{"title":"n","template_type":"x","note":"z","attachments":[{"data":"aGVsbG8="},{"data":"!"},{"name":"empty"}]}"#
        )
        #expect(files(batch) == ["file=hello", "empty="] && said(batch) == ["item 1 'n': : is no base64"])
    }

    /// Folders that stand in one another, deeper than any program lets them, or in a circle.
    @Test func foldersOfEnpass() throws {
        let folders = (0..<40).map { #"{"uuid":"f\#($0)","title":"\#($0)","parent_uuid":"f\#($0 + 1)"}"# }
        let batch = try json(
            #"{"title":"a","template_type":"x","note":"z","folders":["f0"]},{"title":"b","template_type":"x","note":"z","folders":["f8"]}"#,
            #","folders":[\#(folders.joined(separator: ","))]"#)
        #expect(cards(batch)[0].overview.group == (0...32).reversed().map { "\($0)" }.joined(separator: "/"))
        #expect(cards(batch)[1].overview.group == (8...39).reversed().map { "\($0)" }.joined(separator: "/"))
    }

    // MARK: Tables and KeePass

    /// The root of KeePassXC goes where all groups stand in it, and it is one that programs name so.
    @Test(arguments: [
        (["Root/Mail", "Root"], ["Mail", ""]), (["Root/Mail", "Other"], ["Root/Mail", "Other"]),
        (["Mine/Mail", "Mine"], ["Mine/Mail", "Mine"]), (["Passwords/a/b"], ["a/b"]),
    ])
    func rootsOfATable(_ groups: [String], _ wanted: [String]) throws {
        let rows = groups.map { "\"\($0)\",t,u,p,n\n" }.joined()
        let batch = try ImportBatch(csv: Array("Group,Title,Username,Password,Notes\n\(rows)".utf8), kind: nil)
        #expect(cards(batch).map { $0.overview.group ?? "" } == wanted)
    }

    @Test func rowsOfATable() throws {
        let head = "name,url,username,password,icon,fav\n"
        let batch = try ImportBatch(
            csv: Array((head + "a,u,li,p,1,yes,more\nb,u,li,p\nc,u,li,p,no,no\nd,u,li,p,7,TRUE\n").utf8), kind: nil)
        #expect(said(batch) == ["line 2: 7 fields under 6 columns"] && cards(batch).map(\.title) == ["b", "c", "d"])
        #expect(
            cards(batch).map(own) == [[], [], ["icon=7"]]
                && cards(batch).map(\.overview.isPinned) == [false, false, true])
    }

    /// Data longer than a piece of what is inflated: its limit is met exactly, or not at all.
    @Test(arguments: [65_535, 65_536, 65_537]) func zippedAttachmentsAtTheirLimit(_ count: Int) throws {
        let content = [UInt8](repeating: 7, count: count)
        func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        var deflated: [UInt8] = []
        for start in stride(from: 0, to: count, by: 60_000) {
            let piece = content[start..<min(start + 60_000, count)]
            deflated += [start + 60_000 < count ? 0 : 1] + little(piece.count, 2) + little(~piece.count, 2) + piece
        }
        let zipped =
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + deflated + little(StoredArchive.crc(content), 4) + little(count, 4)
        let batch = try keePass(
            "<Entry><String><Key>Title</Key><Value>t</Value></String><Binary><Key>a</Key><Value Ref=\"0\"/></Binary></Entry>",
            meta: "<Binaries><Binary ID=\"0\" Compressed=\"True\">\(Base64.text(zipped))</Binary></Binaries>",
            limit: 65_536)
        #expect(batch.items[0].attachments.map(\.content.count) == (count > 65_536 ? [] : [count]))
        #expect(
            batch.problems.map(\.what.description) == (count > 65_536 ? ["a: is larger than an attachment may be"] : [])
        )
    }

    /// Notes of groups, and times that only a part of the programs writes.
    @Test func notesOfGroups() throws {
        let bin = "<RecycleBinUUID>bin</RecycleBinUUID>"
        let body =
            "<Notes>root</Notes><Group><UUID>g</UUID><Name>G</Name><Notes>n</Notes><Group><UUID>h</UUID><Name>H</Name><Notes>m</Notes></Group></Group><Group><UUID>bin</UUID><Name>B</Name><Group><Name>C</Name><Notes>gone</Notes></Group></Group>"
        let batch = try keePass(body, meta: bin)
        #expect(cards(batch).map(\.title).prefix(4) == ["Root", "G", "H", "C"])
        #expect(cards(batch).map(\.overview.group).prefix(3) == [nil, "G", "G/H"])
        #expect(batch.items.map(\.isDeleted).prefix(4) == [false, false, false, true])
        #expect(try keePass(body).items.allSatisfy { !$0.isDeleted }, "without a bin nothing is in it")
    }

    @Test(arguments: [
        ("AAAAAAAA", "created=AAAAAAAA"), ("soon", "created=soon"), ("AIA+1A4AAAA=", ""), ("", ""),
        ("AAAAAAAAAIA=", "created=AAAAAAAAAIA="),
    ])
    func timesOfKeePass(_ time: String, _ wanted: String) throws {
        let batch = try keePass(
            "<Entry><Times><CreationTime>\(time)</CreationTime></Times><String><Key>Title</Key><Value>t</Value></String></Entry>"
        )
        #expect(own(cards(batch)[0]).joined() == wanted && (batch.items[0].created != nil) == (time.hasPrefix("AIA")))
    }

    @Test func codesInParts() {
        let batch = ImportBatch(oneTimeCodes: [
            "otpauth://totp/Shop:li?secret=JBSWY3DPEHPK3PXP&issuer=Shop", "?!",
            "otpauth://totp/li?secret=JBSWY3DPEHPK3PXP",
        ])
        #expect(cards(batch).map(\.title) == ["Shop", "li"])
        #expect(batch.problems.map(\.place.description) == ["line 2"])
        #expect(batch.notices.isEmpty && cards(batch).map { $0.fields.texts["username"] } == ["li", "li"])
    }
}
