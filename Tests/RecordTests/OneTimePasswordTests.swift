import Testing
import VaultFormat
import Cards

/// One-time codes against the published values of RFC 4226, appendix D, and RFC 6238, appendix B.
struct OneTimePasswordTests {
    /// `12345678901234567890`, then 32 and 64 bytes of the same digits, in base32.
    private static let secrets = [
        "SHA1": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
        "SHA256": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA",
        "SHA512":
            "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA",
    ]

    @Test func codesThatCount() throws {
        let codes = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
        ]
        let secret = try #require(Self.secrets["SHA1"])
        for (counter, code) in codes.enumerated() {
            let password = try OneTimePassword("otpauth://hotp/a?secret=\(secret)&counter=\(counter)")
            #expect(password.counter == .event(UInt64(counter)))
            #expect(try password.code(counter: UInt64(counter)) == code)
        }
        let next = try OneTimePassword.advanced("otpauth://hotp/a%20b?counter=9&secret=\(secret)&issuer=x")
        #expect(next == "otpauth://hotp/a%20b?counter=10&secret=\(secret)&issuer=x")
        #expect(try OneTimePassword.advanced(secret) == nil)
    }

    @Test(arguments: [
        ("SHA1", UInt64(59), "94287082"), ("SHA256", 59, "46119246"), ("SHA512", 59, "90693936"),
        ("SHA1", 1_111_111_109, "07081804"), ("SHA256", 1_111_111_109, "68084774"),
        ("SHA512", 1_111_111_109, "25091201"),
        ("SHA1", 1_111_111_111, "14050471"), ("SHA256", 1_111_111_111, "67062674"),
        ("SHA512", 1_111_111_111, "99943326"),
        ("SHA1", 1_234_567_890, "89005924"), ("SHA256", 1_234_567_890, "91819424"),
        ("SHA512", 1_234_567_890, "93441116"),
        ("SHA1", 2_000_000_000, "69279037"), ("SHA256", 2_000_000_000, "90698825"),
        ("SHA512", 2_000_000_000, "38618901"),
        ("SHA1", 20_000_000_000, "65353130"), ("SHA256", 20_000_000_000, "77737706"),
        ("SHA512", 20_000_000_000, "47863826"),
    ])
    func codesOfTheTime(_ hash: String, _ seconds: UInt64, _ code: String) throws {
        let secret = try #require(Self.secrets[hash])
        let password = try OneTimePassword("otpauth://totp/x?secret=\(secret)&algorithm=\(hash)&digits=8")
        #expect(password.counter == .time(period: 30))
        #expect(try password.code(counter: seconds / 30) == code)
    }

    @Test func steamHasFiveLettersAndDigits() throws {
        for address in ["steam://JBSWY3DPEHPK3PXP", "otpauth://totp/Steam?secret=JBSWY3DPEHPK3PXP&encoder=steam"] {
            let code = try OneTimePassword(address).code(counter: 1)
            #expect(code.count == 5 && code.allSatisfy { "23456789BCDFGHJKMNPQRTVWXY".contains($0) }, "\(code)")
        }
    }

    @Test(arguments: ["GEZD GNBV gy3t qojq", " GEZDGNBVGY3TQOJQ== ", "gezd-gnbv-gy3t-qojq"])
    func aSecretAloneIsTaken(_ text: String) throws {
        #expect(try OneTimePassword(text).secret == Array("1234567890".utf8))
    }

    @Test(arguments: [
        "", "not base 32!", "https://example.com", "otpauth://totp/x", "otpauth://hotp/x?secret=GEZDGNBV",
        "otpauth://totp/x?secret=GEZDGNBV&digits=9", "otpauth://totp/x?secret=GEZDGNBV&period=0",
        "otpauth://totp/x?secret=GEZDGNBV&algorithm=MD5", "otpauth://yubi/x?secret=GEZDGNBV",
        "otpauth://hotp/x?secret=GEZDGNBV&counter=99999999999999999999", "otpauth://totp/x?secret=%",
    ])
    func anythingElseIsRefused(_ text: String) {
        #expect(throws: OneTimePassword.Problem.self) { try OneTimePassword(text) }
    }
}
