import Glibc
import VaultCrypto
import VaultFormat

/// The message about a password to be set: how hard it is to guess, why, and what guessing it would cost.
enum Strength {
    /// A password that one graphics card guesses in less than ten years is called weak, whatever its source.
    private static let weak = 10 * 31_557_600.0

    /// - Returns: whether the password is weak.
    @discardableResult
    static func tell(
        _ password: borrowing Secret, _ derivation: KeyDerivation
    ) throws -> Bool {
        let strength = try PasswordStrength(of: password)
        let seconds = strength.crackingTime(guessesPerSecond: guessesPerSecond(derivation))
        let isWeak = seconds < weak
        guard isWeak && !Messages.isQuiet || Messages.isRead else { return isWeak }
        let bits = Int(strength.bits)
        let time = time(seconds)
        let reasons = strength.patterns.map { name($0).said }.listed
        let what: Phrase =
            reasons.isEmpty
            ? "password: about \(bits) bits; one graphics card would guess it in \(time) (\(derivation.text))"
            : "password: about \(bits) bits (it holds: \(reasons)); one graphics card would guess it in \(time) (\(derivation.text))"
        Messages.say(isWeak ? "warning: weak \(what)" : what)
        if isWeak { Messages.hint("'qvault key generate' makes one that is easy to remember and hard to guess") }
        return isWeak
    }

    /// Passwords that one graphics card tries in a second.
    static func guessesPerSecond(_ derivation: KeyDerivation) -> Double {
        switch derivation {
        case .none: PasswordStrength.guessesPerSecond(iterations: 1)
        case .pbkdf2(let iterations): PasswordStrength.guessesPerSecond(iterations: iterations)
        case .argon2id(let memory, let passes, _):
            PasswordStrength.guessesPerSecond(memory: 1024 << UInt64(memory), passes: passes)
        }
    }

    /// Says in a line what a slower opening buys, where nobody has chosen the cost of a new vault.
    static func tellCost(_ arguments: Arguments) throws {
        guard ![OptionName.kdf, .iterations, .kdfTime].contains(where: arguments.has) else { return }
        let (now, argon2id) = (try DerivationOptions(arguments).new(), DerivationOptions.argon2id)
        Messages.advise(
            "one graphics card tries \(Int(guessesPerSecond(now))) passwords a second on it; \(Int(guessesPerSecond(argon2id))) with '--kdf argon2id', fewer with '--kdf-time 300ms', and opening takes longer"
        )
    }

    private static func name(_ pattern: PasswordStrength.Pattern) -> Phrase {
        switch pattern {
        case .word: "a word or name that many use"
        case .disguisedWord: "a word with letters replaced"
        case .repetition: "a repetition"
        case .sequence: "a sequence"
        case .keyboard: "neighbouring keys"
        case .date: "a date"
        }
    }

    /// A length of time, roughly.
    private static func time(_ seconds: Double) -> Phrase {
        switch seconds {
        case ..<1: "less than a second"
        case ..<120: "about \(Int(seconds)) seconds"
        case ..<7200: "about \(Int(seconds / 60)) minutes"
        case ..<172_800: "about \(Int(seconds / 3600)) hours"
        case ..<63_115_200: "about \(Int(seconds / Double(Day.seconds))) days"
        case ..<3.15576e13: "about \(Int(seconds / 31_557_600)) years"
        default: "more than a million years"
        }
    }
}
