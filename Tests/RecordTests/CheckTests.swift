import Testing
import VaultFormat
import Cards

/// The values that each check takes and refuses.
@Suite struct CheckTests {
    /// A label means one field of a kind, and no key of another one.
    @Test(arguments: Schema.cards.map(\.name)) func labelsMeanOneField(_ kind: String) throws {
        let fields = try #require(Schema.named(kind)).fields
        for label in [\LocalizedLabel.english, \LocalizedLabel.chinese] {
            #expect(Set(fields.map { $0.label[keyPath: label] }).count == fields.count)
        }
        for field in fields {
            for name in [field.key, field.label.english, field.label.chinese] {
                #expect(try #require(Schema.named(kind)).field(called: name) == field, "\(kind): \(name)")
            }
        }
    }

    @Test func storedDays() {
        #expect(Check.storedDay("1800-01-01") != nil && Check.storedDay("2999-12-31") != nil)
        for text in [
            "1799-12-31", "3000-01-01", "9999-12-31", "2026-1-1", "2026-02-29", "20260101xx", "", "+026-01-01",
        ] {
            #expect(Check.storedDay(text) == nil && Check.date.complaint(about: text) != nil || text.isEmpty, "\(text)")
        }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let check: Check
        let good: [String]
        let bad: [String]
        var testDescription: String { "\(check)" }
    }

    static let cases = [
        Case(
            check: .line, good: ["张三", "emoji 🏠", "\u{202E}right to left", "é"],
            bad: ["a\nb", "a\u{0}b", "\t", "\u{1B}[2J"]),
        Case(
            check: .text, good: ["a\nb\tc", "长", "🏠"],
            bad: ["a\u{0}b", "a\rb", String(repeating: "x", count: (1 << 20) + 1)]),
        Case(
            check: .phone, good: ["13800138000", "19912345678", "0571-88888888", "010-12345678", "057188888888"],
            bad: [
                "1380013800", "138001380000", "23800138000", "571-88888888", "0571-888", "+8613800138000", "电话",
                "0571--88888888",
            ]),
        Case(
            check: .anyPhone, good: ["13800138000", "0571-88888888", "+4930123456", "+1 212-555-0100"],
            bad: ["+123", "+49abc", "123", "+", "++4930123456"]),
        Case(
            check: .taxID, good: ["91350100M000100Y43", "91330106MA27XXXX06"],
            bad: [
                "91330106MA27XXXX0X", "91350100M000100Y44", "91350100M000100Y4", "91350100I000100Y43",
                "913501000000000000000",
            ]),
        Case(
            check: .identityNumber, good: ["11010519491231002X", "440524188001010014"],
            bad: [
                "110105194912310021", "11010519491331002X", "11010519490231002X", "1101051949123100",
                "1101051949123100XX",
                "11010519491231002x",
            ]),
        Case(
            check: .bankCard, good: ["4111111111111111", "5500005555555559", "378282246310005", "6222021234567890128"],
            bad: ["4111111111111112", "41111111111", "41111111111111111111", "4111 1111 1111 1111", "411111111111111a"]),
        Case(
            check: .account, good: ["12345", "571901234567890"],
            bad: ["1234", "12a45", String(repeating: "1", count: 35)]),
        Case(check: .postalCode, good: ["310012"], bad: ["31001", "3100123", "31001O", "３１００１２"]),
        Case(
            check: .passportNumber, good: ["E12345678", "EA1234567"],
            bad: ["E123", "E12345678901234", "e12345678", "E-1234567"]),
        Case(check: .securityCode, good: ["123", "1234"], bad: ["12", "12345", "12a"]),
        Case(check: .expiry, good: ["01/27", "12/99"], bad: ["13/27", "00/27", "1/27", "01-27", "0127"]),
        Case(
            check: .date, good: ["2026-11-21", "2000-02-29", "1949-12-31"],
            bad: [
                "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-1-1", "20261121", "2026-11-31",
                "1700-01-01",
            ]),
        Case(check: .dateOrForever, good: ["长期", "forever", "2026-11-21"], bad: ["永远", "2026-11-32", ""]),
        Case(
            check: .email, good: ["a@b.cn", "first.last+tag@mail.example.com"],
            bad: ["a@b", "@b.cn", "a b@c.cn", "a@b..cn", "a@@b.cn"]),
    ]

    @Test(arguments: cases) func takesAndRefuses(_ item: Case) {
        for value in item.good { #expect(item.check.complaint(about: value) == nil, "\(value)") }
        for value in item.bad { #expect(item.check.complaint(about: value) != nil, "\(value.prefix(40))") }
    }

    /// Every single digit that is mistyped, and every pair of neighbours that are swapped, shows.
    @Test(arguments: [(Check.identityNumber, "11010519491231002X"), (.taxID, "91350100M000100Y43")])
    func noTypingErrorPasses(_ check: Check, _ good: String) {
        let letters = Array(good)
        for index in letters.indices {
            for digit in "0123456789" where letters[index] != digit {
                var wrong = letters
                wrong[index] = digit
                #expect(check.complaint(about: String(wrong)) != nil, "\(String(wrong))")
            }
            guard index > 0, letters[index] != letters[index - 1] else { continue }
            var wrong = letters
            wrong.swapAt(index, index - 1)
            #expect(check.complaint(about: String(wrong)) != nil, "\(String(wrong))")
        }
    }

    @Test func numbersLoseWhatGroupsThem() {
        #expect(Check.bankCard.normalized("4111 1111-1111 1111") == "4111111111111111")
        #expect(Check.identityNumber.normalized("11010519491231002x") == "11010519491231002X")
        #expect(Check.phone.normalized(" 0571-88888888 ") == "0571-88888888")
        #expect(Check.line.normalized(" as it is ") == " as it is ")
    }
}
