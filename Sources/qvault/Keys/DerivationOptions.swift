import VaultCrypto
import VaultFormat

/// The options for the cost of a new key slot: `--kdf`, `--iterations`, `--kdf-time`, and the configuration.
struct DerivationOptions {
    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        if arguments.has(.iterations), arguments.has(.kdfTime) {
            throw Failure(.usage, "give --iterations or --kdf-time, not both")
        }
        if arguments.has(.iterations), arguments.has(.kdf) {
            throw Failure(.usage, "give --iterations or --kdf, not both")
        }
    }

    /// What `--kdf argon2id` gives without numbers.
    static let argon2id = KeyDerivation.argon2id(memoryLog2: 18, passes: 3, lanes: 4)

    /// The derivation for a new slot.
    func new() throws -> KeyDerivation { try asked(like: .standard) ?? configured() }

    /// The derivation that the options ask for; nil if they do not.
    ///
    /// - Parameter old: its function is kept where the options name none.
    func asked(like old: KeyDerivation) throws -> KeyDerivation? {
        if let number = try arguments.number(.iterations, in: 1...Int(Limits.iterationsWithoutConsent)) {
            return try Self.pbkdf2(number)
        }
        let time = try arguments.value(.kdfTime, or: "--kdf-time takes a time up to 60s, like 500ms or 2s") { text in
            TimeSpan.milliseconds(text).flatMap { 1...60_000 ~= $0 ? Duration.milliseconds($0) : nil }
        }
        guard let text = arguments.text(.kdf) else { return try time.map { try old.taking($0) } }
        let wanted = try Self.parse(text, hasTime: time != nil)
        return try time.map { try wanted.taking($0) } ?? wanted
    }

    /// PBKDF2 with the iterations of the configuration.
    func configured() throws -> KeyDerivation { .pbkdf2(iterations: try Config.iterations()) }

    static func pbkdf2(_ iterations: Int) throws -> KeyDerivation {
        guard iterations >= Int(Limits.minimumIterations) else {
            throw Failure(.refused, "\(iterations) iterations are too few; the least is \(Limits.minimumIterations)")
        }
        return .pbkdf2(iterations: UInt32(iterations))
    }

    /// Reads `pbkdf2[:iterations=N]` or `argon2id[:memory=256MiB,passes=3,lanes=4]`.
    private static func parse(_ text: String, hasTime: Bool) throws -> KeyDerivation {
        let usage = Failure(
            .usage, "--kdf takes pbkdf2[:iterations=N] or argon2id[:memory=256MiB,passes=3,lanes=4]",
            hint: "the memory is a power of two from 32MiB to 1GiB")
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var values: [Substring: Substring] = [:]
        for item in parts.dropFirst().flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, values.updateValue(pair[1], forKey: pair[0]) == nil else { throw usage }
        }
        func take(_ name: Substring, standard: Int) throws -> Int {
            guard let text = values.removeValue(forKey: name) else { return standard }
            guard let value = Int(text), value > 0 else { throw usage }
            return value
        }
        if hasTime, values["iterations"] ?? values["passes"] != nil {
            throw Failure(.usage, "--kdf-time chooses the iterations or passes itself")
        }
        let derivation: KeyDerivation
        switch parts[0] {
        case "pbkdf2":
            let iterations = try take("iterations", standard: Int(Limits.minimumIterations))
            guard iterations <= Limits.iterationsWithoutConsent else { throw usage }
            derivation = try pbkdf2(iterations)
        case "argon2id":
            let memory = values.removeValue(forKey: "memory") ?? "256MiB"
            let (passes, lanes) = (try take("passes", standard: 3), try take("lanes", standard: 4))
            guard let bytes = ByteSize.bytes(String(memory)), bytes.nonzeroBitCount == 1, bytes >= 1024,
                let passes = UInt32(exactly: passes), let lanes = UInt8(exactly: lanes)
            else { throw usage }
            derivation = .argon2id(memoryLog2: UInt8(bytes.trailingZeroBitCount - 10), passes: passes, lanes: lanes)
        default: throw usage
        }
        guard values.isEmpty else { throw usage }
        try derivation.check()
        try derivation.checkConsent()
        return derivation
    }
}

extension KeyDerivation {
    /// The same function and memory, with as many iterations or passes as take so long on this machine.
    fileprivate func taking(_ time: Duration) throws -> KeyDerivation {
        switch self {
        case .none, .pbkdf2:
            let wanted = try PasswordHash.iterations(taking: time, atLeast: Limits.minimumIterations)
            return .pbkdf2(iterations: min(wanted, UInt32(Limits.iterationsWithoutConsent)))
        case .argon2id(let memory, _, let lanes):
            let least = max(1, UInt32((Limits.minimumMemoryPasses - 1) >> UInt64(memory)) + 1)
            let most = UInt32(Limits.memoryPassesWithoutConsent >> UInt64(memory))
            let cost = Argon2id.Cost(memory: 1 << UInt32(memory), passes: least, lanes: UInt32(lanes))
            let wanted = try Argon2id.passes(taking: time, from: cost)
            return .argon2id(memoryLog2: memory, passes: min(wanted, most), lanes: lanes)
        }
    }

    /// True if guessing costs less than with another one in any way: less memory, or less work.
    func isBelow(_ other: KeyDerivation) -> Bool {
        switch (self, other) {
        case (.pbkdf2(let mine), .pbkdf2(let others)): mine < others
        case (.argon2id(let mine, let passes, _), .argon2id(let others, let otherPasses, _)):
            mine < others || UInt64(passes) << UInt64(mine) < UInt64(otherPasses) << UInt64(others)
        case (.argon2id, .pbkdf2), (_, .none): false
        case (_, .argon2id), (.none, _): true
        }
    }

    /// As JSON: the function and its numbers, null where it has none of them.
    var numbers: JSON {
        let (function, iterations, memory, passes, lanes): (String?, Int?, Int?, Int?, Int?) =
            switch self {
            case .none: (nil, nil, nil, nil, nil)
            case .pbkdf2(let count): ("pbkdf2", Int(count), nil, nil, nil)
            case .argon2id(let log2, let passes, let lanes):
                ("argon2id", nil, 1024 << Int(log2), Int(passes), Int(lanes))
            }
        return ["kdf": function, "iterations": iterations, "memory": memory, "passes": passes, "lanes": lanes]
    }
}

extension KeySlot {
    /// Its kind and what trying a secret costs, in words.
    var costText: Phrase {
        guard let derivation, derivation != .none else { return kindName }
        return "\(kindName): \(derivation.text)"
    }
}
