import Testing
import VaultCrypto
import VaultFormat
import Cards
import Exchange

/// Codes that other programs hand out, and what is at the bounds of an address.
struct OneTimeCodeTests {
    /// A message of Protocol Buffers.
    private static func bytes(_ number: UInt8, _ value: [UInt8]) -> [UInt8] {
        [number << 3 | 2, UInt8(value.count)] + value
    }
    private static func text(_ number: UInt8, _ value: String) -> [UInt8] { bytes(number, Array(value.utf8)) }
    private static func number(_ number: UInt8, _ value: UInt8...) -> [UInt8] { [number << 3] + value }

    private static func read(_ message: [UInt8]) throws -> OneTimeCodes {
        let data = Base64.text(message).replacing("+", with: "%2B")
        return try OneTimeCodes(" otpauth-migration://offline?data=\(data)&x=y ")
    }

    /// The parts of a code, and its address, issuer and account.
    static let codes: [([UInt8], String, String, String)] = [
        (
            text(1, "foobar") + text(2, "li") + text(3, "Shop") + number(4, 1) + number(5, 1) + number(6, 2),
            "totp/Shop:li?secret=MZXW6YTBOI&issuer=Shop&algorithm=SHA1&digits=6&period=30", "Shop", "li"
        ),
        (
            text(1, "fooba") + text(2, "Shop: li") + text(3, "Shop") + number(4, 2) + number(5, 2),
            "totp/Shop:%20li?secret=MZXW6YTB&issuer=Shop&algorithm=SHA256&digits=8&period=30", "Shop", "li"
        ),
        (
            text(1, "foob") + text(2, "a/é-._~:@09AZaz") + number(4, 3) + number(6, 1) + number(7, 0x80, 0x02),
            "hotp/a%2F%C3%A9-._~:@09AZaz?secret=MZXW6YQ&algorithm=SHA512&digits=6&counter=256", "", "a/é-._~:@09AZaz"
        ),
        (text(1, "foo") + text(2, "\n"), "totp/%0A?secret=MZXW6&algorithm=SHA1&digits=6&period=30", "", "\n"),
        (text(1, "fo") + text(2, ":x"), "totp/:x?secret=MZXQ&algorithm=SHA1&digits=6&period=30", "", ":x"),
        (
            text(1, "fo") + text(3, "S p"), "totp/S%20p:?secret=MZXQ&issuer=S%20p&algorithm=SHA1&digits=6&period=30",
            "S p", ""
        ),
        (text(1, "f") + number(5, 3) + number(9, 7), "totp/?secret=MY&algorithm=SHA1&digits=6&period=30", "", ""),
    ]

    @Test(arguments: codes.indices) func codesOfAMigration(_ index: Int) throws {
        let (message, address, issuer, account) = Self.codes[index]
        let codes = try Self.read(Self.bytes(1, message))
        let code = try #require(codes.codes.first)
        #expect(code.address == "otpauth://" + address && code.issuer == issuer && code.account == account)
        #expect(codes.codes.count == 1 && codes.part == (1, 1))
    }

    @Test func partsOfAMigration() throws {
        let code = Self.bytes(1, Self.text(1, "foo"))
        let codes = try Self.read(
            code + Self.number(3, 3) + code + Self.number(4, 1) + [5 << 3 | 5, 0, 0, 0, 0, 6 << 3 | 1]
                + [UInt8](repeating: 0, count: 8))
        #expect(codes.codes.count == 2 && codes.part == (2, 3))
        let many = try Self.read(code + Self.number(3, 0xE8, 0x07) + Self.number(4, 0xFF, 0xFF, 0x03))
        #expect(many.part == (1001, 1000))
    }

    @Test(
        arguments: [
            ([], "holds no code"), (number(3, 1), "holds no code"), ([0x0B], "has data that cannot be read"),
            ([0x08], "has data that cannot be read"), ([0x0A, 2, 0], "has data that cannot be read"),
            ([0x08] + [UInt8](repeating: 0xFF, count: 10), "has data that cannot be read"),
            ([0x0D, 0, 0, 0], "has data that cannot be read"),
            ([0x09] + [UInt8](repeating: 0, count: 7), "has data that cannot be read"),
            (bytes(1, text(1, "foo") + number(4, 4)), "has a code with a hash that is not known"),
            (bytes(1, text(2, "li")), "has no secret in base32"), ([0x0A, 0xFF], "has data that cannot be read"),
            ([0x0A, 20] + text(1, "foo"), "has data that cannot be read"),
        ] as [([UInt8], String)])
    func malformedMigrations(_ message: [UInt8], _ what: String) {
        let problem = #expect(throws: OneTimePassword.Problem.self) { try Self.read(message) }
        #expect(problem?.what.description == what)
    }

    @Test(arguments: [
        "otpauth-migration://offline", "otpauth-migration://offline?data=%%", "OTPAUTH-MIGRATION://offline?x=y",
    ])
    func migrationsWithoutData(_ text: String) {
        let problem = #expect(throws: OneTimePassword.Problem.self) { try OneTimeCodes(text) }
        #expect(problem?.what == "has no data in base64")
    }

    @Test(arguments: [
        ("otpauth://totp/Shop:li?secret=MY", "Shop", "li"),
        ("otpauth://totp/Shop:li?secret=MY&Issuer=A%20B", "A B", "li"),
        ("otpauth://totp/li%40b.cn?secret=MY", "", "li@b.cn"), ("otpauth://totp/li?issuer=X&secret=MY", "X", "li"),
        ("otpauth://totp/a/b%3A%20c%3Ad?secret=MY", "a/b", "c:d"), ("otpauth://totp?secret=MY", "", ""), ("MY", "", ""),
    ])
    func namesInAnAddress(_ address: String, _ issuer: String, _ account: String) throws {
        let code = try #require(try OneTimeCodes(address).codes.first)
        #expect(code.issuer == issuer && code.account == account && code.address == address)
    }

    /// What becomes of an address; nil where it is refused.
    @Test(
        arguments: [
            ("&digits=6", 6, .time(period: 30)), ("&digits=8", 8, .time(period: 30)), ("&digits=5", nil, nil),
            ("&digits=x", nil, nil),
            ("&period=1", 6, .time(period: 1)), ("&period=3600", 6, .time(period: 3600)), ("&period=3601", nil, nil),
            ("&period=-1", nil, nil), ("&algorithm=hmac-sha256", 6, .time(period: 30)),
            ("&encoder=Steam&digits=9", 5, .time(period: 30)),
            ("&DIGITS=7&junk&=x", 7, .time(period: 30)),
        ] as [(String, Int?, OneTimePassword.Counter?)])
    func parameters(_ rest: String, _ digits: Int?, _ counter: OneTimePassword.Counter?) {
        let password = try? OneTimePassword("OTPAUTH://TOTP/x?secret=MZXW6===\(rest)")
        #expect(password?.digits == digits && password?.counter == counter)
        #expect(password.map { $0.secret == Array("foo".utf8) && $0.isSteam == (digits == 5) } ?? true)
    }

    @Test func counters() throws {
        let most = "9223372036854775806"
        #expect(
            try OneTimePassword("otpauth://hotp/x?secret=MY&counter=\(most)").counter == .event(UInt64(Int64.max) - 1))
        #expect(throws: OneTimePassword.Problem.self) {
            try OneTimePassword("otpauth://hotp/x?secret=MY&counter=9223372036854775807")
        }
        #expect(
            try OneTimePassword.advanced("otpauth://hotp/x?secret=MY&COUNTER=1&&a")
                == "otpauth://hotp/x?secret=MY&COUNTER=2&&a")
        #expect(try OneTimePassword.advanced("otpauth://totp/x?secret=MY") == nil)
        #expect(try OneTimePassword("otpauth://steam/x?secret=MY").digits == 5 && OneTimePassword("STEAM://MY").isSteam)
        // RFC 4226, appendix D, and the letters of Steam for the same number: 1284755224.
        let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        #expect(try OneTimePassword("otpauth://totp/x?digits=8&secret=\(secret)").code(counter: 0) == "84755224")
        var (rest, steam) = (1_284_755_224, "")
        for _ in 0..<5 {
            steam.append(Array("23456789BCDFGHJKMNPQRTVWXY")[rest % 26])
            rest /= 26
        }
        #expect(try OneTimePassword("steam://\(secret)").code(counter: 0) == steam)
    }

    @Test(
        arguments: [
            ("M Y", [0x66]), ("m-y=", [0x66]), ("MZXQ", [0x66, 0x6F]), ("M1", nil), ("", nil), ("M", nil), ("===", nil),
            ("MÝ", nil),
        ]
            as [(String, [UInt8]?)])
    func secretsInBase32(_ text: String, _ bytes: [UInt8]?) { #expect((try? OneTimePassword(text))?.secret == bytes) }

    @Test func listsOfCodes() throws {
        let code = Self.bytes(1, Self.text(1, "foo") + Self.text(2, "li"))
        func address(_ message: [UInt8]) -> String {
            "otpauth-migration://offline?data=\(Base64.text(message).replacing("+", with: "%2B"))"
        }
        let batch = ImportBatch(oneTimeCodes: [
            address(code + Self.number(3, 2)), "otpauth://totp/Shop:li?secret=MY", "", address(code),
        ])
        #expect(batch.problems.map { "\($0.place): \($0.what)" } == ["line 3: has no secret in base32"])
        #expect(batch.notices.map { "\($0.place): \($0.what)" } == ["line 1: is QR code 1 of 2"])
        let cards = batch.items.compactMap { if case .card(let card) = $0.content { card } else { nil } }
        #expect(cards.map(\.title) == ["li", "Shop", "li"] && cards[1].fields.texts["username"] == "li")
        #expect(cards[1].fields.texts["totp"] == "otpauth://totp/Shop:li?secret=MY")
    }
}
