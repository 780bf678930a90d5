import Testing
import VaultFormat
import Cards
import Pictures
import Exchange
import VaultTesting

/// Exports of other programs: nothing in them is lost.
struct OtherProgramsTests {
    private func cards(_ batch: ImportBatch) -> [Card] {
        batch.items.compactMap { if case .card(let card) = $0.content { card } else { nil } }
    }

    private func own(_ card: Card) -> [String: String] {
        Dictionary(uniqueKeysWithValues: card.fields.own.map { ($0.label, $0.value) })
    }

    // MARK: Tables

    @Test(
        arguments: [
            ("Chrome", "name,url,username,password,note\nshop,https://s.cn/a,li,pw,n"),
            ("Safari", "Title,URL,Username,Password,Notes,OTPAuth\nshop,https://s.cn/a,li,pw,n,"),
            ("LastPass", "url,username,password,totp,extra,name,grouping,fav\nhttps://s.cn/a,li,pw,,n,shop,Web,1"),
            (
                "Proton",
                "type,name,url,email,username,password,note,totp,createTime,modifyTime,vault\nlogin,shop,https://s.cn/a,,li,pw,n,,1700000000,1700000001,Me"
            ),
            (
                "Bitwarden",
                "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp\nWeb,1,login,shop,n,,0,https://s.cn/a,li,pw,"
            ),
        ])
    func tablesOfLogins(_ program: String, _ text: String) throws {
        let batch = try ImportBatch(csv: Array(text.utf8), kind: nil)
        let card = try #require(cards(batch).first)
        #expect(card.schema.name == "login" && card.title == "shop" && batch.problems.isEmpty, "\(program)")
        #expect(card.fields.texts == ["url": "https://s.cn/a", "username": "li", "password": "pw", "notes": "n"])
        #expect(card.fields.own.isEmpty, "\(card.fields.own)")
    }

    @Test func firefoxHasNoTitles() throws {
        let text = """
            "url","username","password","httpRealm","formActionOrigin","guid","timeCreated","timeLastUsed","timePasswordChanged"
            "https://www.s.cn/a","li","pw",,"https://s.cn","{g}","1700000000000","1700000005000","1700000001000"
            """
        let batch = try ImportBatch(csv: Array(text.utf8), kind: nil)
        let card = try #require(cards(batch).first)
        #expect(card.title == "s.cn" && own(card) == ["formActionOrigin": "https://s.cn", "guid": "{g}"])
        #expect(batch.items[0].created == 1_700_000_000_000_000 && batch.items[0].updated == 1_700_000_001_000_000)
    }

    @Test func unknownColumnsAndNotes() throws {
        let text = "url,username,password,extra,name,grouping,fav,pin\nhttp://sn,,,two\u{1}lines,Note,,0,12"
        let batch = try ImportBatch(csv: Array(text.utf8), kind: nil)
        let card = try #require(cards(batch).first)
        // A note with a control character, which no field takes, becomes a file.
        #expect(card.schema.name == "note" && own(card) == ["pin": "12"])
        #expect(batch.items[0].attachments.map(\.content) == [Array("two\u{1}lines".utf8)])
    }

    // MARK: JSON

    @Test func valuesThatDoNotFit() throws {
        let text = #"""
            {"encrypted":false,"folders":[],"items":[
            {"type":3,"name":"Bad","notes":"n","card":{"brand":"Visa","number":"4111111111111112","code":"1"}},
            {"type":3,"name":"None","card":{"brand":"Visa","expMonth":"3","cardType":"x"}},
            {"type":1,"name":"TITLE","login":{"username":"li","uris":[{"uri":"a\nb"}],
             "fido2Credentials":[{"keyValue":"k"}],"autofillOnPageLoad":true}},
            {"type":5,"name":"Key","sshKey":{"privateKey":"p","publicKey":"q","keyFingerprint":"f"}},
            {"type":9,"name":"New","notes":"n","future":{"a":1},"deletedDate":"2024-01-01T00:00:00Z"}]}
            """#.replacing("TITLE", with: String(repeating: "长", count: 100))
        let batch = try ImportBatch(json: Array(text.utf8))
        let all = cards(batch)
        #expect(batch.problems.isEmpty && batch.notices.count == 2)
        #expect(all.map(\.schema.name) == ["note", "note", "login", "ssh-key", "note"])
        #expect(own(all[0]) == ["bank": "Visa", "number": "4111111111111112", "security_code": "1", "notes": "n"])
        #expect(own(all[1]) == ["bank": "Visa", "expMonth": "3", "cardType": "x"])
        #expect(all[0].fields.own.map(\.isSensitive) == [false, true, true, false])
        #expect(own(all[2])["whole title"]?.count == 100 && all[2].overview.title.count <= 255)
        #expect(own(all[2])["passkey"] == #"{"keyValue":"k"}"# && own(all[2])["autofillOnPageLoad"] == "true")
        #expect(own(all[2])["url 2"] == "a\nb")
        #expect(all[3].fields.texts == ["private_key": "p", "public_key": "q", "fingerprint": "f"])
        #expect(own(all[4]) == ["future": #"{"a":1}"#] && batch.items[4].isDeleted)
    }

    @Test func proton() throws {
        let text = #"""
            {"version":"1","vaults":{"v":{"name":"Me","items":[
            {"state":1,"pinned":true,"createTime":1700000000,"modifyTime":1700000001,"data":{"type":"login",
             "metadata":{"name":"shop","note":"n"},"content":{"itemEmail":"a@b.cn","itemUsername":"li","password":"pw",
             "urls":["https://a","https://b"],"totpUri":"","passkeys":[{"keyId":"k"}]},
             "extraFields":[{"fieldName":"PIN","type":"hidden","data":{"content":"12"}}]}},
            {"state":2,"data":{"type":"creditCard","metadata":{"name":"Visa","note":""},
             "content":{"number":"4111111111111111","cardholderName":"LI","expirationDate":"2031-03","pin":"9"}}},
            {"state":1,"data":{"type":"identity","metadata":{"name":"Me","note":"n"},"content":{"fullName":"Li"}}}]}}}
            """#
        let batch = try ImportBatch(json: Array(text.utf8))
        let all = cards(batch)
        #expect(
            all.map(\.schema.name) == ["login", "bankcard", "note"]
                && batch.items.map(\.isDeleted) == [false, true, false])
        #expect(own(all[0]) == ["PIN": "12", "email": "a@b.cn", "url 2": "https://b", "passkey": #"{"keyId":"k"}"#])
        #expect(all[1].fields.texts["expiry"] == "03/31" && own(all[1]) == ["pin": "9"])
        #expect(own(all[2]) == ["fullName": "Li"] && all[2].overview.group == "Me")
    }

    @Test func enpass() throws {
        let text = #"""
            {"folders":[{"uuid":"f","title":"Home"}],"items":[{"title":"shop","note":"n","favorite":1,"trashed":0,
            "createdAt":1700000000,"updated_at":1700000001,"folders":["f"],"template_type":"login.default","fields":[
            {"label":"User","type":"username","value":"li"},{"label":"Password","type":"password","value":"pw","sensitive":1,
             "history":[{"value":"old"}]},{"label":"PIN","type":"pin","value":"12","sensitive":1},
            {"label":"gone","type":"text","value":"x","deleted":1}],"attachments":[{"name":"a.txt","data":"aGVsbG8="}]}]}
            """#
        let batch = try ImportBatch(json: Array(text.utf8))
        let card = try #require(cards(batch).first)
        #expect(card.fields.texts == ["username": "li", "password": "pw", "notes": "n"])
        let more = [
            "old_password": "old", "PIN": "12", "deleted gone": "x", "more": #"{"fields":[{"label":"User"}]}"#,
        ]
        #expect(own(card) == more && card.overview.group == "Home")
        #expect(batch.items[0].attachments.map(\.content) == [Array("hello".utf8)])
    }

    // MARK: Archives

    @Test func onePassword() throws {
        let text = #"""
            {"accounts":[{"vaults":[{"attrs":{"name":"Home"},"items":[{"categoryUuid":"001","favIndex":1,"state":"archived",
            "createdAt":1700000000,"updatedAt":1700000001,"overview":{"title":"shop","url":"https://a","urls":[
            {"url":"https://a"},{"url":"https://b"}],"tags":["x"]},"details":{"notesPlain":"n","loginFields":[
            {"value":"li","designation":"username","name":"u","fieldType":"T"},
            {"value":"pw","designation":"password","name":"p","fieldType":"P"},{"value":"on","name":"stay","fieldType":"T"}],
            "sections":[{"fields":[{"title":"code","id":"t","value":{"totp":"otpauth://totp/a?secret=JBSWY3DPEHPK3PXP"}},
            {"title":"born","id":"b","value":{"date":1700000000}},{"title":"scan","id":"s","value":{"file":
            {"fileName":"s.bin","documentId":"d1"}}}]}],"passwordHistory":[{"value":"was","time":1}]}},
            {"categoryUuid":"002","overview":{"title":"Visa"},"details":{"sections":[{"fields":[
            {"id":"ccnum","value":{"creditCardNumber":"4111111111111111"}},{"id":"expiry","value":{"monthYear":203103}},
            {"title":"PIN","id":"pin","value":{"concealed":"9"}}]}]}}]}]}]}
            """#
        let files = [("export.data", Array(text.utf8)), ("files/d1__s.bin", [1, 2, 3])]
        let batch = try ImportBatch(zip: StoredArchive(files).bytes, limit: 1 << 20)
        let all = cards(batch)
        #expect(batch.problems.isEmpty && all.map(\.schema.name) == ["login", "bankcard"])
        #expect(all.map(\.overview.isPinned) == [true, false])
        #expect(
            all[0].fields.texts["totp"]?.hasPrefix("otpauth://") == true && all[0].overview.tags == ["x", "archived"])
        let labels =
            #"{"loginFields":[{"name":"u"},{"name":"p"}],"sections":[{"fields":[{"title":"code"},{"title":"scan"}]}]}"#
        #expect(
            own(all[0]) == [
                "stay": "on", "url 2": "https://b", "born": "2023-11-14", "old_password": "was",
                "more": #"{"details":\#(labels)}"#,
            ])
        #expect(batch.items[0].attachments.map(\.content) == [[1, 2, 3]])
        #expect(all[1].fields.texts == ["number": "4111111111111111", "expiry": "03/31", "bank": "Visa"])
    }

    @Test func archivesAreRefused() throws {
        #expect(throws: MalformedText.self) { try ImportBatch(zip: Array("PK\u{3}\u{4}".utf8), limit: 1 << 20) }
        #expect(throws: ImportError.self) { try ImportBatch(zip: StoredArchive([("a", [1])]).bytes, limit: 1 << 20) }
        // One changed byte of the content: its checksum is wrong.
        var bytes = StoredArchive([("data.json", Array(#"{"items":[]}"#.utf8))]).bytes
        #expect(try ImportBatch(zip: bytes, limit: 1 << 20).items.isEmpty)
        bytes[45] ^= 1
        #expect(throws: MalformedText.self) { try ImportBatch(zip: bytes, limit: 1 << 20) }
    }

    @Test func standardUnixPasswordManager() {
        var batch = ImportBatch()
        let text =
            "pw\nlogin: li\nURL: https://a\npin: 12\nfree text: with words\notpauth://totp/a?secret=JBSWY3DPEHPK3PXP\n"
        batch.add(pass: "web/shop", text: Array(text.utf8))
        batch.add(pass: "blob", text: [0xFF, 0x00])
        let all = cards(batch)
        #expect(all[0].title == "shop" && all[0].overview.group == "web" && own(all[0]) == ["pin": "12"])
        #expect(all[0].fields.texts["notes"] == "free text: with words" && all[0].fields.texts["username"] == "li")
        #expect(batch.items[1].attachments.map(\.content) == [[0xFF, 0x00]])
    }
}

/// A member that is passed over by its name is kept where its value is none that its program writes.
struct OddMembersTests {
    private func own(_ item: String) throws -> [String] {
        let batch = try ImportBatch(json: Array(#"{"items":[\#(item)]}"#.utf8))
        guard case .card(let card)? = batch.items.first?.content else { return [] }
        return card.fields.own.map(\.value)
    }

    @Test(arguments: [
        #""card":{"number":"1","expMonth":["zqword"],"expYear":"2030"},"type":3"#,
        #""favorite":"zqword","type":2"#, #""deletedDate":["zqword"],"type":2"#,
        #""fields":[{"name":"zqword","value":null,"type":0}],"type":2"#,
    ])
    func areKept(_ members: String) throws {
        let values = try own(#"{"name":"a","notes":"","organizationId":null,\#(members)}"#)
        #expect(values.contains { $0.contains("zqword") }, "\(values)")
    }

    @Test func usualOnesArePassedOver() throws {
        let usual = #""favorite":false,"deletedDate":null,"collectionIds":["a"],"fields":[],"type":2"#
        #expect(try own(#"{"name":"a","notes":"x","organizationId":null,\#(usual)}"#).isEmpty)
    }

    @Test func aColumnOfOneMeaningStandsOnce() {
        for table in ["kind,title,title\nnote,a,b\n", "kind,title,标题\nnote,a,b\n", "group,kind,title,分组\n,note,a,b\n"] {
            #expect(throws: MalformedText.self) { try ImportBatch(csv: Array(table.utf8), kind: nil) }
        }
    }
}
