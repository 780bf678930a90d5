import Testing
import VaultFormat
import Cards

/// Each rule at its bounds: the last value that it takes, and the first that it refuses (Spec/product/records.md, 4).
struct CheckBoundTests {
    private static func digits(_ count: Int) -> String { String(repeating: "0", count: count) }
    private static let phone = "is no phone number: 11 digits from 1, or like 0571-88888888"
    private static let anyPhone = "is no phone number: 11 digits from 1, like 0571-88888888, or like +4930123456"
    private static let taxID = "is no unified social credit code: 18 digits and capitals without I, O, S, V and Z"
    private static let noDay = "is no day: write it like 2027-12-31"
    private static let control = "has control characters, or more than one line"

    private static let ab = Check.word([ClosedWord("a", ["甲"]), ClosedWord("b", ["乙"])])

    /// A check, a value and its error; none where it is taken.
    static let rows: [(Check, String, String?)] = [
        (.line, "\u{2028}", control), (.line, "\u{2029}", control), (.line, "a\n", control), (.line, "\u{85}", control),
        (.text, "\u{2028}\u{2029}\n\t", nil), (.text, "\u{1}", "has control characters"), (.line, "", nil),
        (.phone, "10000000000", nil), (.phone, "20000000000", phone), (.phone, "1000000000", phone),
        (.phone, "4000000000", nil), (.phone, "8000000000", nil), (.phone, "4100000000", phone),
        (.phone, "40000000000", phone),
        (.phone, "010-1234567", nil), (.phone, "0101-12345678", nil), (.phone, "010-123456", phone),
        (.phone, "010-123456789", phone), (.phone, "01-1234567", phone), (.phone, "01000-1234567", phone),
        (.phone, "110-1234567", phone), (.phone, "0101234567", nil), (.phone, "010123456", phone),
        (.phone, "010123456789", nil), (.phone, "0101234567890", phone), (.phone, "010-123-4567", phone),
        (.phone, "", phone), (.phone, "01O1234567", phone), (.phone, "010-12345a7", phone),
        (.phone, "0a0-1234567", phone),
        (.anyPhone, "+1234567", nil), (.anyPhone, "+123456", anyPhone), (.anyPhone, "+" + digits(15), nil),
        (.anyPhone, "+" + digits(16), anyPhone), (.anyPhone, "+12 34-567", nil), (.anyPhone, "1234567", anyPhone),
        (.anyPhone, "10000000000", nil), (.anyPhone, "+123456a", anyPhone),
        (.taxID, "91350100M000100Y43", nil), (.taxID, "91350100M000100Y4", taxID),
        (.taxID, "91350100M000100Y433", taxID),
        (.taxID, "91350100I000100Y43", taxID), (.taxID, "91350100I0000100Y43", taxID),
        (.taxID, "91350100M000100Y44", "does not hold its own check character: a character is mistyped"),
        (.identityNumber, "11010519491231002X", nil), (.identityNumber, "440524188001010014", nil),
        (.identityNumber, "1101051949123100X", "is no ID number: 17 digits, and a digit or X"),
        (.identityNumber, "11010519491231002A", "is no ID number: 17 digits, and a digit or X"),
        (.identityNumber, "1101051949123100XX", "is no ID number: 17 digits, and a digit or X"),
        (.identityNumber, "11010517991231002X", "has a date of birth that no calendar has"),
        (.identityNumber, "110105194912310021", "does not hold its own check character: a digit is mistyped"),
        (.bankCard, digits(12), nil), (.bankCard, digits(11), "is no card number: 12 to 19 digits"),
        (.bankCard, digits(19), nil), (.bankCard, digits(20), "is no card number: 12 to 19 digits"),
        (.bankCard, "000000000018", nil), (.bankCard, "000000000059", nil),
        (.bankCard, "000000000019", "does not hold its own check digit: a digit is mistyped"),
        (.account, digits(5), nil), (.account, digits(34), nil),
        (.account, digits(4), "is no bank account: 5 to 34 digits"),
        (.account, digits(35), "is no bank account: 5 to 34 digits"), (.postalCode, digits(6), nil),
        (.postalCode, digits(5), "is no postal code: 6 digits"),
        (.postalCode, digits(7), "is no postal code: 6 digits"),
        (.postalCode, "00000/", "is no postal code: 6 digits"), (.postalCode, "00000:", "is no postal code: 6 digits"),
        (.passportNumber, "A1234", nil), (.passportNumber, "AZ0912345678", nil),
        (.passportNumber, "A123", "is no passport number: 5 to 12 letters and digits"),
        (.passportNumber, "A123456789012", "is no passport number: 5 to 12 letters and digits"),
        (.passportNumber, "A1234[", "is no passport number: 5 to 12 letters and digits"),
        (.passportNumber, "A1234@", "is no passport number: 5 to 12 letters and digits"),
        (.documentNumber, "A1234", nil), (.documentNumber, digits(20), nil),
        (.documentNumber, digits(4), "is no number of a document: 5 to 20 letters and digits"),
        (.documentNumber, digits(21), "is no number of a document: 5 to 20 letters and digits"),
        (.documentNumber, "a1234", "is no number of a document: 5 to 20 letters and digits"),
        (.securityCode, "123", nil), (.securityCode, "1234", nil),
        (.securityCode, "12", "is no security code: 3 or 4 digits"),
        (.securityCode, "12345", "is no security code: 3 or 4 digits"), (.expiry, "01/00", nil),
        (.expiry, "12/99", nil),
        (.expiry, "00/00", "is no month: give it as MM/YY"), (.expiry, "13/00", "is no month: give it as MM/YY"),
        (.expiry, "1/011", "is no month: give it as MM/YY"), (.expiry, "a1/01", "is no month: give it as MM/YY"),
        (.expiry, "01/a1", "is no month: give it as MM/YY"), (.expiry, "01/011", "is no month: give it as MM/YY"),
        (.expiry, "01-01", "is no month: give it as MM/YY"), (.date, "1800-01-01", nil), (.date, "2999-12-31", nil),
        (.date, "1799-12-31", "is no day of the calendar"), (.date, "3000-01-01", "is no day of the calendar"),
        (.date, "2026-02-29", "is no day of the calendar"), (.date, "2026-1-01", noDay), (.date, "2026-01-1", noDay),
        (.date, "226-01-01", noDay), (.date, "2026-01", noDay), (.date, "2026-01-01-", noDay),
        (.date, "2026-0a-01", noDay),
        (.dateOrForever, "长期", nil), (.dateOrForever, "forever", nil), (.dateOrForever, "2999-12-31", nil),
        (.dateOrForever, "for ever", noDay), (.email, "a@b.c", nil), (.email, digits(250) + "@b.c", nil),
        (.email, digits(251) + "@b.c", "is no e-mail address"), (.email, "a@b", "is no e-mail address"),
        (.email, "@b.c", "is no e-mail address"), (.email, "a@.c", "is no e-mail address"),
        (.email, "a@b.", "is no e-mail address"), (.email, "a@b.c@d", "is no e-mail address"),
        (.email, "a b@c.d", "is no e-mail address"), (.email, "a@b.c d", "is no e-mail address"), (.amount, "0", nil),
        (.amount, "-0.01", "is no number, or is negative"), (.amount, "1e3", "is no number, or is negative"),
        (.amount, "1000000", nil), (.percent, "100", nil), (.percent, "0", nil),
        (.percent, "100.01", "is no percentage from 0 to 100"), (.percent, "-0.01", "is no percentage from 0 to 100"),
        (.fundCode, "110011", nil), (.fundCode, "11001", "is no code of a fund: 6 digits"), (.currency, "USD", nil),
        (.currency, "usd", "is no currency of ISO 4217: three capitals like USD"), (ab, "b", nil),
        (ab, "c", "is not one of a 甲, b 乙"), (.sex, "X", nil), (.sex, "男", nil),
        (.sex, "x", "is no sex as documents have it: 男, 女, M, F or X"),
    ]

    @Test(arguments: rows.indices) func values(_ index: Int) {
        let (check, value, wanted) = Self.rows[index]
        #expect(check.complaint(about: value)?.description == wanted, "\(check) \(value.prefix(40))")
    }

    @Test(arguments: [Check.line, .text]) func bytesOfAValue(_ check: Check) {
        let most = String(repeating: "é", count: Check.byteCount / 2)
        #expect(check.complaint(about: most) == nil && check.complaint(about: most + "a") == "longer than 1 MiB")
    }

    /// What stands for a number is of use where it is long enough to hide something.
    @Test(arguments: [
        ("passport", "number", "E1234567", "****"), ("passport", "number", "E12345678", "****5678"),
        ("bankcard", "number", "4111111111111111", "****1111"), ("bankcard", "security_code", "1234", "****"),
        ("login", "password", "1234567890", "****"), ("login", "username", "1234567890", "1234567890"),
    ])
    func sensitiveValuesAreHidden(_ kind: String, _ key: String, _ value: String, _ shown: String) throws {
        var card = Card(schema: try #require(Schema.named(kind)), overview: Overview(title: []), fields: RecordFields())
        #expect(card.set([(key, value)]).isEmpty)
        let line = try #require(card.lines.first)
        #expect(line.shown(isRevealed: false) == shown && line.shown(isRevealed: true) == value)
    }

    @Test func fieldsThatAreTypedUnseen() throws {
        func field(_ kind: String, _ key: String) throws -> Field { try #require(Schema.named(kind)?[key]) }
        #expect(try field("login", "password").isPassword && field("ssh-key", "passphrase").isPassword)
        #expect(try !field("login", "totp").isPassword && !field("login", "username").isPassword)
        #expect(try field("login", "totp").isHiddenInput && !field("bankcard", "number").isHiddenInput)
        #expect(try !field("login", "username").isHiddenInput)
        #expect(try field("bankcard", "security_code").isHiddenInput && !field("passport", "number").isHiddenInput)
        #expect(Schema.named("登录") == Schema.named("login") && Schema.named("bank card") == Schema.named("bankcard"))
        #expect(Schema.named("Login") == nil)
        #expect(Schema.beginning(with: "BANK").map(\.name) == ["bankcard"])
        #expect(Schema.beginning(with: "银").map(\.name) == ["bankcard"] && Schema.beginning(with: "ank").isEmpty)
        #expect(try #require(Schema.named("login")).field(called: "Web Site")?.key == "url")
        #expect(try #require(Schema.named("login")).field(called: "PASSWORD")?.key == "password")
        #expect(try #require(Schema.named("login")).field(called: "nothing") == nil)
        #expect(try #require(Schema.named("bankcard")).fieldsToAsk.prefix(2).map(\.key) == ["number", "bank"])
        #expect(try #require(Schema.named("passport")).fieldsToAsk.first?.key == "name")
    }
}
