import Testing
import VaultFormat
import Cards

/// Values as people have them on paper or on a phone are stored in one form (Spec/product/records.md, 4).
struct NormalizationTests {
    @Test(arguments: [
        (Check.date, "1949年12月31日", "1949-12-31"), (.date, "1949.12.31", "1949-12-31"),
        (.date, "1949/1/2", "1949-01-02"), (.date, "19491231", "1949-12-31"), (.date, "１９４９－１２－３１", "1949-12-31"),
        (.date, " 1949-12-31 ", "1949-12-31"), (.dateOrForever, "长期有效", "长期"), (.dateOrForever, "Permanent", "forever"),
        (.dateOrForever, "2030.01.02", "2030-01-02"),
        (.expiry, "12/2030", "12/30"), (.expiry, "1230", "12/30"), (.expiry, "2030-12", "12/30"),
        (.expiry, "1/30", "01/30"),
        (.expiry, "2030年1月", "01/30"),
        (.phone, "+86 138 0013 8000", "13800138000"), (.phone, "138-0013-8000", "13800138000"),
        (.phone, "8613800138000", "13800138000"), (.phone, "0086 138 0013 8000", "13800138000"),
        (.phone, "\u{202D}138 0013 8000\u{202C}", "13800138000"), (.phone, "１３８００１３８０００", "13800138000"),
        (.phone, "0571 8888 8888", "0571-88888888"), (.phone, "(0571) 88888888", "0571-88888888"),
        (.phone, "0571-88888888", "0571-88888888"), (.phone, "057188888888", "057188888888"),
        (.phone, "+86 571 8888 8888", "0571-88888888"), (.phone, "+86 10 8888 8888", "010-88888888"),
        (.phone, "+86 400 800 1234", "4008001234"), (.phone, "400-800-1234", "4008001234"),
        (.phone, "0138 0013 8000", "13800138000"), (.phone, "0571—88888888", "0571-88888888"),
        (.anyPhone, "+49 (30) 123-456", "+4930123456"), (.anyPhone, "+44 (0)20 7946 0958", "+442079460958"),
        (.expiry, "30年12月", "12/30"), (.documentNumber, "11010519491231002x", "11010519491231002X"),
        (.amount, "1.2万", "12000"), (.amount, "320万元", "3200000"), (.amount, "¥50,000.00", "50000.00"),
        (.amount, "３亿", "300000000"), (.amount, "12345.60元", "12345.60"), (.percent, "2.5 %", "2.5"),
        (.sex, "女的", "女"), (.sex, "男性", "男"), (.sex, "female", "F"), (.sex, "男/M", "男"),
        (.text, "a\r\nb\rc", "a\nb\nc"), (.line, " as it is ", " as it is "),
        (.identityNumber, "１１０１０５ 19491231 002x", "11010519491231002X"),
    ])
    func oneFormIsStored(_ check: Check, _ typed: String, _ stored: String) {
        #expect(check.normalized(typed) == stored)
        #expect(check.complaint(about: stored) == nil)
        #expect(check.normalized(stored) == stored, "the stored form stays")
    }

    /// A value that could mean two things, or nothing, is refused and not guessed.
    @Test(arguments: [
        (Check.date, "31.12.1949"), (.date, "12/31/1949"), (.date, "1949"), (.date, "194912311"), (.date, "1949-13-01"),
        (.date, "31 Dec 1949"), (.expiry, "13/30"), (.expiry, "12/1930"), (.expiry, "12"), (.phone, "138 0013 800"),
        (.phone, "13800138000 转 12"), (.phone, "call me"), (.phone, ""), (.phone, "0013800138000"),
        (.anyPhone, "++4930123456"), (.amount, "$100"), (.amount, "1.2万万"), (.amount, "万"), (.amount, "1,20"),
        (.percent, "2万"),
        (.phone, "010-8888888/9"), (.anyPhone, "+65 6123 4567/8"), (.phone, "+86 10 8888 8888-1"),
        (.phone, "1-800-555-0199"), (.phone, "1(415)5552671"), (.phone, "010 8888 8888 9999"), (.expiry, "30年13月"),
        (.sex, "女孩"),
        (.dateOrForever, "永远"),
    ])
    func nothingIsGuessed(_ check: Check, _ typed: String) {
        #expect(check.complaint(about: check.normalized(typed)) != nil, "\(check.normalized(typed))")
    }

    /// A password is not changed: it would no longer be the one of the site.
    @Test func aPasswordStaysAsItIs() throws {
        let schema = try #require(Schema.named("login"))
        var card = Card(schema: schema, overview: Overview(title: []), fields: RecordFields())
        #expect(card.set([("password", " １２ ３　")]).isEmpty && card.fields.texts["password"] == " １２ ３　")
        #expect(card.set([("password", "a\r\n")]).map(\.key) == ["password"])
        #expect(card.set([("notes", "a\r\nb")]).isEmpty && card.fields.texts["notes"] == "a\nb")
    }

    @Test func anIdentityCardFillsInWhatItsNumberSays() throws {
        let schema = try #require(Schema.named("idcard"))
        var card = Card(schema: schema, overview: Overview(title: []), fields: RecordFields())
        #expect(card.set([("name", "张三"), ("number", "11010519491231002X")]).isEmpty)
        #expect(card.fillDerived().map(\.key) == ["sex", "birth"])
        #expect(card.fields.texts["birth"] == "1949-12-31" && card.fields.texts["sex"] == "女")
        #expect(card.contradictions.isEmpty)
        let old = card
        #expect(card.set([("number", "110105199003071234")]).isEmpty == false, "no check character")
        #expect(card.set([("sex", "F")]).isEmpty && card.contradictions.isEmpty)
        card = old
        #expect(card.set([("number", "110105199003072338")]).isEmpty)
        card.followDerived(from: old)
        #expect(card.fields.texts["birth"] == "1990-03-07" && card.fields.texts["sex"] == "男")
        card = old
        #expect(card.set([("sex", "男")]).isEmpty && card.contradictions.map(\.key) == ["sex"])
    }
}
