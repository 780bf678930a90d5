import VaultCrypto

/// The function that turns a slot's secret into key material, and its cost (Spec/keys.md, 2).
public enum KeyDerivation: Equatable, Sendable {
    /// A device key is random already.
    case none
    /// PBKDF2-HMAC-SHA256 (RFC 8018).
    case pbkdf2(iterations: UInt32)
    /// Argon2id (RFC 9106): memory of 2^`memoryLog2` KiB.
    case argon2id(memoryLog2: UInt8, passes: UInt32, lanes: UInt8)

    /// The least that the format allows, and the default.
    public static let standard = pbkdf2(iterations: Limits.minimumIterations)

    /// Bytes 1 … 7 of a slot: function, memory, lanes, iterations or passes.
    package var slotBytes: [UInt8] {
        let (front, rounds): ([UInt8], UInt32) =
            switch self {
            case .none: ([0, 0, 0], 0)
            case .pbkdf2(let iterations): ([1, 0, 0], iterations)
            case .argon2id(let memory, let passes, let lanes): ([2, memory, lanes], passes)
            }
        return Array(capacity: 7) {
            $0 += front
            $0.append(bigEndian: rounds)
        }
    }

    /// Reads bytes 1 … 7 of a slot; nil for a function that this version does not know.
    init?(parsing bytes: [UInt8]) {
        let rounds = bytes[3...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        switch bytes[0] {
        case 0: self = .none
        case 1: self = .pbkdf2(iterations: rounds)
        case 2: self = .argon2id(memoryLog2: bytes[1], passes: rounds, lanes: bytes[2])
        default: return nil
        }
    }

    /// Memory in KiB times passes; 0 unless it is Argon2id.
    private var memoryPasses: UInt64 {
        guard case .argon2id(let memory, let passes, _) = self else { return 0 }
        return UInt64(passes) << UInt64(min(memory, 31))
    }

    private var iterations: UInt64 {
        guard case .pbkdf2(let iterations) = self else { return 0 }
        return UInt64(iterations)
    }

    /// Checks it against the limits that no consent lifts.
    ///
    /// - Throws: `FormatError.refused`.
    public func check() throws {
        switch self {
        case .none: return
        case .pbkdf2(let iterations):
            guard iterations >= Limits.minimumIterations else {
                throw FormatError(
                    .refused, "\(iterations) PBKDF2 iterations; the floor is \(Limits.minimumIterations)")
            }
            guard iterations <= Limits.maximumIterations else {
                throw FormatError(.refused, "\(iterations) PBKDF2 iterations; the most is \(Limits.maximumIterations)")
            }
        case .argon2id(let memory, let passes, let lanes):
            guard Limits.argon2Memory.contains(memory), Limits.argon2Passes.contains(passes),
                Limits.argon2Lanes.contains(lanes), memoryPasses >= Limits.minimumMemoryPasses
            else { throw FormatError(.refused, "\(text); it is outside the limits of the format") }
        }
    }

    /// The total cost, in words, if it is above the limit for which a person's consent is needed; else nil.
    static func excess(_ all: [KeyDerivation]) -> Phrase? {
        let iterations = all.reduce(0) { $0 + $1.iterations }
        if iterations > Limits.iterationsWithoutConsent {
            return "\(iterations) PBKDF2 iterations; the most without consent is \(Limits.iterationsWithoutConsent)"
        }
        for case .argon2id(let memory, _, _) in all where memory > Limits.memoryWithoutConsent {
            return "\(size(memory)) for Argon2id; the most without consent is \(size(Limits.memoryWithoutConsent))"
        }
        let memoryPasses = all.reduce(0) { $0 + $1.memoryPasses }
        guard memoryPasses > Limits.memoryPassesWithoutConsent else { return nil }
        return
            "\(memoryPasses) KiB times passes for Argon2id; the most without consent is \(Limits.memoryPassesWithoutConsent)"
    }

    /// Checks that one slot of this cost opens without a person's consent.
    ///
    /// - Throws: `FormatError.refused`.
    public func checkConsent() throws {
        if let excess = Self.excess([self]) { throw FormatError(.refused, excess) }
    }

    /// Key material of 32 bytes, or the secret itself where it is not stretched. The caller has checked the cost.
    func material(from secret: borrowing Secret, salt: Salt) throws -> Secret {
        switch self {
        case .none: try secret.slice(0..<secret.byteCount)
        case .pbkdf2(let iterations):
            try PasswordHash.pbkdf2(password: secret, salt: salt.bytes.span, iterations: iterations)
        case .argon2id(let memory, let passes, let lanes):
            try Argon2id.hash(
                password: secret, salt: salt.bytes,
                cost: Argon2id.Cost(memory: 1 << UInt32(memory), passes: passes, lanes: UInt32(lanes)))
        }
    }

    /// Its name and cost, for a person.
    public var text: Phrase {
        switch self {
        case .none: "not stretched"
        case .pbkdf2(let iterations): "PBKDF2, \(iterations) iterations"
        case .argon2id(let memory, let passes, let lanes):
            "Argon2id, \(Self.size(memory)), passes: \(passes), lanes: \(lanes)"
        }
    }

    private static func size(_ memoryLog2: UInt8) -> String {
        10..<60 ~= memoryLog2
            ? String(UInt64(1) << UInt64(memoryLog2 - 10)) + " MiB" : "2^" + String(memoryLog2) + " KiB"
    }
}
