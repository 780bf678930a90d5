import Testing
import VaultCrypto

/// The estimate of what guessing a password takes.
struct PasswordStrengthTests {
    private func bits(_ password: String) throws -> Double {
        try PasswordStrength(of: Secret(copying: Array(password.utf8).span)).bits
    }

    /// No byte of a Chinese character counts as a random one, and a repetition adds next to nothing.
    @Test func charactersBeyondASCII() throws {
        #expect(try bits("一二三四五六七八") <= 40 && bits("我爱你我爱你我爱你") <= 21)
        #expect(try bits("我的家庭保险库密码") <= 45 && bits("пароль") <= 30)
        #expect(try bits("招商银行开户两千零二十六年十一月") > 60, "long ones are good")
    }

    /// Of what is ASCII the library's estimate stands.
    @Test func asciiStands() throws {
        #expect(try bits("correct-horse-battery") > 45 && bits("12345678") < 5)
    }
}
