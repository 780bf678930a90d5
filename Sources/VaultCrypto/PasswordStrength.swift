import CSystem
import CZxcvbn

/// The effort of guessing a password for somebody who tries likely ones first, by the zxcvbn-c library (method: Wheeler,
/// "zxcvbn: Low-Budget Password Strength Estimation", USENIX Security 2016).
public struct PasswordStrength: Sendable {
    /// Patterns that guessers try before anything else.
    public enum Pattern: Sendable, CaseIterable {
        case word, disguisedWord, repetition, sequence, keyboard, date
    }

    /// Bits: a guesser needs about 2 to this power guesses.
    public let bits: Double
    /// The patterns found in it; empty if none was recognised.
    public let patterns: [Pattern]

    /// Bytes that are looked at: the method's time grows with the square, and longer passwords are strong enough.
    private static let byteCount = 100

    /// Estimates a password; what the estimate leaves on the stack is wiped.
    public init(of password: borrowing Secret) throws {
        let count = min(password.byteCount, Self.byteCount)
        let terminated = try Secret(byteCount: count + 1) { out in
            password.withSpan { for index in 0..<count { out[index] = $0[index] } }
        }
        var info: UnsafeMutablePointer<ZxcMatch_t>?
        let estimated = terminated.withSpan { text in
            unsafe text.withUnsafeBufferPointer { text in
                unsafe text.withMemoryRebound(to: CChar.self) { unsafe ZxcvbnMatch($0.baseAddress, nil, &info) }
            }
        }
        var found: [Pattern] = []
        var match = unsafe info
        while let this = unsafe match {
            if let pattern = Self.pattern(unsafe this.pointee.Type), !found.contains(pattern) { found.append(pattern) }
            unsafe match = this.pointee.Next
        }
        unsafe ZxcvbnFreeInfo(info)
        qv_wipe_stack()
        patterns = found
        bits = min(estimated, Self.bitsWithoutDictionary(terminated))
    }

    /// Bits of a character beyond ASCII where it stands for the first time, of one that is repeated, and of a byte of ASCII (95 of
    /// them can be typed). The library has no dictionary of other scripts, and takes each byte for a random one. 5 is a choice on the low
    /// side: a random one of the 3,500 common Chinese characters has 11.8, and people choose words.
    private static let newCharacterBits = 5.0, repeatedBits = 1.0, byteBits = 6.6

    /// A bound for passwords with characters beyond ASCII; infinite for others.
    private static func bitsWithoutDictionary(_ password: borrowing Secret) -> Double {
        password.withSpan { bytes in
            var (sum, place, hasOthers) = (0.0, 0, false)
            while place < bytes.count, bytes[place] != 0 {
                let start = place
                repeat { place += 1 } while place < bytes.count && bytes[place] & 0xC0 == 0x80
                guard bytes[start] >= 0x80 else {
                    sum += byteBits
                    continue
                }
                hasOthers = true
                let isRepeated = (0..<start).contains { before in
                    before + place - start <= start
                        && (0..<place - start).allSatisfy { bytes[before + $0] == bytes[start + $0] }
                }
                sum += isRepeated ? repeatedBits : newCharacterBits
            }
            return hasOthers ? sum : .infinity
        }
    }

    private static func pattern(_ type: ZxcTypeMatch_t) -> Pattern? {
        // Behind the number for "several parts" stand the same kinds again.
        switch ZxcTypeMatch_t(rawValue: type.rawValue & ~MULTIPLE_MATCH.rawValue) {
        case DICTIONARY_MATCH, USER_MATCH: .word
        case DICT_LEET_MATCH, USER_LEET_MATCH: .disguisedWord
        case REPEATS_MATCH: .repetition
        case SEQUENCE_MATCH: .sequence
        case SPATIAL_MATCH: .keyboard
        case DATE_MATCH, YEAR_MATCH: .date
        default: nil
        }
    }

    /// PBKDF2 iterations that one graphics card of 2022 does in a second: 8.9 million times 1,000 were published for
    /// PBKDF2-HMAC-SHA256 in hashcat.
    public static let iterationsPerSecond = 9e9

    /// Guesses that such a card tries in a second, where each costs `iterations`.
    public static func guessesPerSecond(iterations: UInt32) -> Double { iterationsPerSecond / Double(iterations) }

    /// Bytes that the memory of one graphics card of 2022 moves in a second: 1,008 GB were published for one.
    public static let bytesPerSecond = 1.008e12

    /// Guesses of Argon2id that such a card tries in a second, at most: each pass writes all of the memory (in bytes) once
    /// and reads it once.
    public static func guessesPerSecond(memory: UInt64, passes: UInt32) -> Double {
        bytesPerSecond / (2 * Double(memory) * Double(passes))
    }

    /// Seconds in which half of all guesses are tried.
    public func crackingTime(guessesPerSecond: Double) -> Double { Double.exp2(bits - 1) / guessesPerSecond }
}

extension Double {
    fileprivate static func exp2(_ bits: Double) -> Double {
        let whole = bits.rounded(.down)
        // Between two powers of two a straight line is near enough.
        return Double(sign: .plus, exponent: Int(min(whole, 1000)), significand: 1 + (bits - whole))
    }
}
