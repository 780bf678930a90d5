public import VaultCrypto

/// The eight slots of a page: their bytes as they stand, and what they say.
public struct SlotArea: Equatable, Sendable {
    static let byteCount = Limits.slotCount * KeySlot.byteCount
    package let bytes: [UInt8]
    /// The slots in use with their numbers, 1 … 8.
    public let slots: [(number: Int, slot: KeySlot)]

    package init(parsing bytes: [UInt8]) throws {
        self.bytes = bytes
        slots = try (0..<Limits.slotCount).compactMap { i in
            try KeySlot(parsing: Array(bytes[i * KeySlot.byteCount..<(i + 1) * KeySlot.byteCount])).map { (i + 1, $0) }
        }
        let known = slots.filter { $0.slot.knownKind != nil }
        guard Set(known.map(\.slot.id)).count == known.count else {
            throw FormatError.damaged("two key slots with one id")
        }
    }

    /// An area with these slots at the front.
    package init(_ slots: [KeySlot]) {
        precondition(slots.count <= Limits.slotCount, "a page has eight key slots")
        self.slots = slots.enumerated().map { ($0 + 1, $1) }
        let used = slots.flatMap(\.bytes)
        bytes = used + [UInt8](repeating: 0, count: Self.byteCount - used.count)
    }

    /// SHA-256 of the area: the slot hash of a commit record.
    package func hash() throws -> Bytes32 { Bytes32(try SHA256.hash(bytes.span)) }

    /// Equal bytes.
    public static func == (left: SlotArea, right: SlotArea) -> Bool { left.bytes == right.bytes }
}

extension SlotArea {
    /// Finds the slot that `credential` opens and unwraps the master key (Spec/reader.md, 3).
    ///
    /// - Parameters:
    ///   - number: try this slot only, 1 … 8.
    ///   - acceptsAnyCost: the person agreed to more than `Limits.iterationsWithoutConsent`.
    /// - Throws: `FormatError` `.refused` before anything is hashed, `.wrongKey`, `.tampered`.
    public func unlock(
        with credential: borrowing Credential, vaultID: VaultID, number: Int? = nil, acceptsAnyCost: Bool = false
    ) throws -> Secret {
        let kind = credential.kind
        let candidates = slots.filter { $0.slot.knownKind == kind && (number ?? $0.number) == $0.number }.map(\.slot)
        if let number, candidates.isEmpty {
            throw FormatError(.wrongKey, "key slot \(number) is not one of a \(kind.name)")
        }
        if kind.usesPBKDF2 {
            for slot in candidates where slot.iterations < Limits.minimumIterations {
                throw FormatError(
                    .refused,
                    "a key slot asks for \(slot.iterations) PBKDF2 iterations; the floor is \(Limits.minimumIterations)"
                )
            }
            for slot in candidates where slot.iterations > Limits.maximumIterations {
                throw FormatError(.refused, "a key slot asks for \(slot.iterations) PBKDF2 iterations")
            }
            let cost = candidates.reduce(UInt64(0)) { $0 + UInt64($1.iterations) }
            guard acceptsAnyCost || cost <= Limits.iterationsWithoutConsent else {
                throw FormatError(
                    .refused,
                    "the key slots ask for \(cost) PBKDF2 iterations; more than \(Limits.iterationsWithoutConsent) need your consent"
                )
            }
        }
        for slot in candidates {
            if let master = try slot.open(with: credential, vaultID: vaultID) { return master }
        }
        throw FormatError(.wrongKey, "no key slot belongs to this \(kind.name)")
    }
}

extension Credential.Kind {
    /// The Spec's name.
    public var name: Phrase {
        switch self {
        case .password: "password"
        case .passwordAndKeyfile: "password and keyfile"
        case .recoveryKey: "recovery key"
        case .deviceKey: "device key"
        }
    }
}
