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

    /// The area with another slot, or none, in the place `number`, 1 … 8; all else byte for byte as it is.
    package func setting(_ number: Int, to slot: KeySlot?) throws -> SlotArea {
        precondition((1...Limits.slotCount).contains(number), "a page has eight key slots")
        var bytes = bytes
        let place = (number - 1) * KeySlot.byteCount
        bytes.replaceSubrange(
            place..<place + KeySlot.byteCount, with: slot?.bytes ?? [UInt8](repeating: 0, count: KeySlot.byteCount))
        return try SlotArea(parsing: bytes)
    }

    /// The area with the slot in the place `number` alone.
    package func keeping(_ number: Int) throws -> SlotArea {
        try (1...Limits.slotCount).filter { $0 != number }.reduce(self) { try $0.setting($1, to: nil) }
    }

    /// The slot with this number.
    public subscript(number: Int) -> KeySlot? { slots.first { $0.number == number }?.slot }

    /// The lowest number without a slot; nil when all eight are in use.
    public var freeNumber: Int? { (1...Limits.slotCount).first { self[$0] == nil } }

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
    ///   - first: the slot to try first; the others follow in their order.
    ///   - acceptsAnyCost: the person agreed to more than `Limits.iterationsWithoutConsent`.
    ///   - found: told the slot's number.
    /// - Throws: `FormatError` `.refused` before anything is hashed, `.wrongKey`, `.tampered`.
    public func unlock(
        with credential: borrowing Credential, vaultID: VaultID, number: Int? = nil, first: Int? = nil,
        acceptsAnyCost: Bool = false, found: (Int) -> Void = { _ in }
    ) throws -> Secret {
        let kind = credential.kind
        let candidates = slots.filter { $0.slot.knownKind == kind && (number ?? $0.number) == $0.number }
        if let number, candidates.isEmpty {
            throw FormatError(.wrongKey, "key slot \(number) is not one of a \(kind.name)")
        }
        try Self.checkCost(candidates.map(\.slot), acceptsAnyCost: acceptsAnyCost)
        for (number, slot) in candidates.filter({ $0.number == first }) + candidates.filter({ $0.number != first }) {
            if let master = try slot.open(with: credential, vaultID: vaultID) {
                found(number)
                return master
            }
        }
        throw FormatError(.wrongKey, "no key slot belongs to this \(kind.name)")
    }

    /// Checks what is asked for before the first hash.
    ///
    /// - Parameter slots: all that are to be tried, each as often as it is.
    /// - Throws: `FormatError.refused`; its `needsConsent` tells whether a person may agree.
    package static func checkCost(_ slots: [KeySlot], acceptsAnyCost: Bool) throws {
        let slots = slots.filter { $0.knownKind?.usesPBKDF2 == true }
        for slot in slots where slot.iterations < Limits.minimumIterations {
            throw FormatError(
                .refused,
                "a key slot asks for \(slot.iterations) PBKDF2 iterations; the floor is \(Limits.minimumIterations)")
        }
        for slot in slots where slot.iterations > Limits.maximumIterations {
            throw FormatError(.refused, "a key slot asks for \(slot.iterations) PBKDF2 iterations")
        }
        let cost = slots.reduce(UInt64(0)) { $0 + UInt64($1.iterations) }
        guard acceptsAnyCost || cost <= Limits.iterationsWithoutConsent else {
            throw FormatError(
                consentFor:
                    "the key slots ask for \(cost) PBKDF2 iterations; more than \(Limits.iterationsWithoutConsent) need your consent"
            )
        }
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
