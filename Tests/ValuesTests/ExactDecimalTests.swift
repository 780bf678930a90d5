import Testing
import Values

/// Numbers as people write them, exact to the last digit.
struct ExactDecimalTests {
    @Test(arguments: ["0", "-0.5", "12.50", "0.0000000001", "9999999999999999999999999999999999", "-3.14159", "007"])
    func comeBack(_ text: String) throws {
        let expected = text == "007" ? "7" : text
        #expect(try #require(ExactDecimal(text)).description == expected)
    }

    @Test(
        arguments: [
            "", "-", ".", "1.", ".5", "+1", "1e3", "1,000", " 1", "1 ", "--1", "1.2.3", "NaN", "٣", "１",
            "12345678901234567890123456789012345", "0.00000000000000000000000000000000001",
        ])
    func areRefused(_ text: String) { #expect(ExactDecimal(text) == nil) }

    @Test func zerosInFrontAreFew() {
        func number(_ zeros: Int) -> ExactDecimal? { ExactDecimal(String(repeating: "0", count: zeros) + "1") }
        #expect(number(17) == .one && number(255) == .one && number(256) == nil)
    }

    @Test func compareByValue() throws {
        let order = ["-10", "-9.99", "-0.001", "0", "0.09", "0.1", "1", "1.5", "2", "100"].compactMap {
            ExactDecimal($0)
        }
        #expect(order.count == 10 && order.shuffled().sorted() == order)
        #expect(ExactDecimal("1.50") == ExactDecimal("1.5") && ExactDecimal("-0") == ExactDecimal("0.00"))
    }

    /// Against whole numbers of thousandths.
    @Test func calculate() throws {
        for seed in 0..<2000 {
            let (a, b) = (seed * 7919 % 200_003 - 100_000, seed * 104_729 % 50_021 - 25_000)
            guard let x = Self.thousandths(a), let y = Self.thousandths(b) else { preconditionFailure() }
            #expect(x + y == Self.thousandths(a + b) && x - y == Self.thousandths(a - b))
            let product = x * y
            #expect(product == Self.millionths(a * b))
            #expect((x < y) == (a < b))
        }
        let large = try #require(ExactDecimal("9999999999999999999999999999999999")),
            one = try #require(ExactDecimal("1"))
        // Five factors of 34 digits, and not a digit lost.
        let product = large * large * large * large * large
        #expect(
            product.description
                == "9999999999999999999999999999999995000000000000000000000000000000000999999999999999999"
                + "9999999999999999000000000000000000000000000000000049999999999999999999999999999999999")
        #expect((large + one).description == "1" + String(repeating: "0", count: 34))
        let small = try #require(ExactDecimal("0.0000000000000000000000000000000001"))
        #expect((small * small).description == "0." + String(repeating: "0", count: 67) + "1")
    }

    @Test(
        arguments: [
            ("2.5", 0, "2", "3", "2"), ("3.5", 0, "4", "4", "3"), ("-2.5", 0, "-2", "-3", "-2"),
            ("0.125", 2, "0.12", "0.13", "0.12"), ("0.1251", 2, "0.13", "0.13", "0.12"),
            ("7", 2, "7.00", "7.00", "7.00"),
            ("-0.004", 2, "0.00", "0.00", "0.00"), ("99.995", 2, "100.00", "100.00", "99.99"),
        ])
    func areRounded(_ text: String, _ places: Int, _ even: String, _ up: String, _ down: String) throws {
        let number = try #require(ExactDecimal(text))
        let modes = Rounding.allCases.map { number.rounded(places, $0).description }
        #expect(modes == [even, up, down])
    }

    @Test(
        arguments: [
            ("12,345.60", "12345.60"), ("-1,234", "-1234"), ("2.5%", "2.5"), ("１２．５", "12.5"), ("+0.41", "0.41"),
            (" 7 ", "7"), ("1,2345", "12345"), ("−3.5", "-3.5"), ("12,34", nil), ("1,23,456", nil), ("1e5", nil),
            ("NaN", nil), ("", nil), ("%", nil), (",123", nil), ("1.5.2", nil), ("--1", nil),
            (String(repeating: "9", count: 400), nil),
        ])
    func areReadFromPrint(_ text: String, _ expected: String?) {
        #expect(ExactDecimal(printed: text)?.description == expected)
    }

    /// Numbers on both sides of 64 bits, by the remainder: a = q · b + r.
    @Test func shortAndLongNumbersAgree() throws {
        let texts = [
            "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "1", "-1",
            "2",
            "3", "-7", "999999999999999999", "1000000000000000000", "12345678901234567890123456789", "10",
        ]
        let numbers = try texts.map { try #require(ExactDecimal($0)) }
        for a in numbers {
            #expect((a - a).sign == 0 && (a + -a).sign == 0 && a * .one == a && (-(-a)) == a)
            #expect(a.sign < 0 ? -a > a : -a < a)
            for b in numbers {
                let quotient = try #require(a.divided(by: b, places: 0, .down))
                let rest = a - quotient * b
                #expect(rest.magnitude < b.magnitude && (rest.sign == 0 || rest.sign == a.sign), "\(a) / \(b)")
                let nearest = try #require(a.divided(by: b, places: 0, .halfEven))
                let distance = (a - nearest * b).magnitude
                #expect(distance + distance <= b.magnitude, "\(a) / \(b)")
                let up = try #require(a.divided(by: b, places: 0, .halfUp))
                #expect((a - up * b).magnitude == distance, "\(a) / \(b)")
                #expect(a + b - b == a && (a * b).divided(by: b, places: 0) == a)
            }
        }
    }

    @Test func divide() throws {
        let one = ExactDecimal.one, three = ExactDecimal(3)
        #expect(one.divided(by: three)?.description == "0.333333333333")
        #expect((-one).divided(by: three, places: 2, .halfUp)?.description == "-0.33")
        #expect(ExactDecimal(2).divided(by: three, places: 3)?.description == "0.667")
        #expect(one.divided(by: .zero) == nil)
        let tiny = try #require(ExactDecimal("0.000000000001"))
        #expect(one.divided(by: tiny, places: 0)?.description == "1000000000000")
        #expect(tiny.divided(by: ExactDecimal(8), places: 12)?.description == "0.000000000000")
    }

    private static func thousandths(_ value: Int) -> ExactDecimal? { text(value, 3) }
    private static func millionths(_ value: Int) -> ExactDecimal? { text(value, 6) }
    private static func text(_ value: Int, _ scale: Int) -> ExactDecimal? {
        let digits = String(value.magnitude)
        let padded = String(repeating: "0", count: max(0, scale + 1 - digits.count)) + digits
        return ExactDecimal((value < 0 ? "-" : "") + padded.dropLast(scale) + "." + padded.suffix(scale))
    }
}

struct TimestampTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-22T02:28:58.733645Z", 1_795_314_538_733_645_000),
            ("2000-02-29 12:00:00+08:00", 951_796_800_000_000_000), ("1969-12-31T23:59:59.5Z", -500_000_000),
            ("2100-02-28T23:59:60Z", 4_107_542_400_000_000_000),
        ] as [(String, Int64)])
    func areRead(_ text: String, _ nanoseconds: Int64) { #expect(FileTime(text)?.nanoseconds == nanoseconds) }

    @Test(
        arguments: [
            "", "2026", "2026-11-22", "2026-11-22T02:28:58", "2026-13-01T00:00:00Z", "2100-02-29T00:00:00Z",
            "2026-02-30T00:00:00Z", "2026-11-22T24:00:00Z", "2026-11-22T00:00:00.Z", "2026-11-22T00:00:00Zx",
            "2026-11-22T00:00:00+8:00", "0001-01-01T00:00:00Z",
        ])
    func areRefused(_ text: String) { #expect(FileTime(text) == nil) }

    @Test func comeBack() {
        for index in 0..<5000 as Range<Int64> {
            let time = index &* 1_844_674_407_370_955_161 % 9_000_000_000_000_000_000
            #expect(FileTime(FileTime(nanoseconds: time).text)?.nanoseconds == time)
        }
    }
}
