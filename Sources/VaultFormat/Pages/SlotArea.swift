public import VaultCrypto

/// The eight slots of a page: their bytes as they stand, and what they say.
public struct SlotArea: Equatable, Sendable {
    static let byteCount = Limits.slotCount * KeySlot.byteCount
    package let bytes: [UInt8]
    /// The slots in use with their numbers, 1 … 8.
    public let slots: [(number: Int, slot: KeySlot)]

    package init(parsing bytes: [UInt8]) {
        self.bytes = bytes
        slots = (0..<Limits.slotCount).compactMap { i in
            KeySlot(parsing: Array(bytes[i * KeySlot.byteCount..<(i + 1) * KeySlot.byteCount])).map { (i + 1, $0) }
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
    package func setting(_ number: Int, to slot: KeySlot?) -> SlotArea {
        precondition((1...Limits.slotCount).contains(number), "a page has eight key slots")
        var bytes = bytes
        let place = (number - 1) * KeySlot.byteCount
        bytes.replaceSubrange(
            place..<place + KeySlot.byteCount, with: slot?.bytes ?? [UInt8](repeating: 0, count: KeySlot.byteCount))
        return SlotArea(parsing: bytes)
    }

    /// The area with the slot in the place `number` alone.
    package func keeping(_ number: Int) -> SlotArea {
        (1...Limits.slotCount).filter { $0 != number }.reduce(self) { $0.setting($1, to: nil) }
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
    ///   - acceptsAnyCost: the person agreed to more than what needs consent.
    ///   - found: told the slot's number.
    /// - Throws: `FormatError` `.refused` before anything is hashed, `.wrongKey`, `.tampered`; `.unsupported` where no
    ///   slot is of the secret's kind, and a newer writer made one of them.
    public func unlock(
        with credential: borrowing Credential, of header: Header, number: Int? = nil, first: Int? = nil,
        acceptsAnyCost: Bool = false, found: (Int) -> Void = { _ in }
    ) throws -> Secret {
        let kind = credential.kind
        let candidates = slots.filter { $0.slot.knownKind == kind && (number ?? $0.number) == $0.number }
        let newer = slots.first { $0.slot.knownKind == nil && (number ?? $0.number) == $0.number }
        if let number, candidates.isEmpty, newer == nil {
            throw FormatError(.wrongKey, "key slot \(number) is not one of a \(kind.name)")
        }
        try Self.checkCost(candidates.map(\.slot), acceptsAnyCost: acceptsAnyCost)
        for (number, slot) in candidates.filter({ $0.number == first }) + candidates.filter({ $0.number != first }) {
            if let master = try slot.open(with: credential, vaultID: header.vaultID, epoch: header.epoch) {
                found(number)
                return master
            }
        }
        if let newer, candidates.isEmpty {
            throw FormatError.unsupported(
                "key slot \(newer.number), which a newer program made; none is of a \(kind.name)")
        }
        throw FormatError(.wrongKey, "no key slot belongs to this \(kind.name)")
    }

    /// Checks what is asked for before the first hash.
    ///
    /// - Parameter slots: all that are to be tried, each as often as it is.
    /// - Throws: `FormatError.refused`; its `needsConsent` tells whether a person may agree.
    package static func checkCost(_ slots: [KeySlot], acceptsAnyCost: Bool) throws {
        let derivations = slots.compactMap(\.derivation)
        for derivation in derivations {
            do {
                try derivation.check()
            } catch let error as FormatError {
                throw FormatError(.refused, "a key slot asks for \(error.what)")
            }
        }
        guard !acceptsAnyCost, let excess = KeyDerivation.excess(derivations) else { return }
        throw FormatError(consentFor: "the key slots ask for \(excess)")
    }

    /// Checks what a slot with this derivation in the place `number` would add: nobody is to need consent to open what
    /// is made here.
    ///
    /// - Throws: `FormatError.refused`.
    package func checkCost(adding derivation: KeyDerivation, for kind: Credential.Kind, at number: Int) throws {
        let others = slots.filter { $0.number != number && $0.slot.knownKind == kind }.compactMap(\.slot.derivation)
        guard let excess = KeyDerivation.excess(others + [derivation]) else { return }
        throw FormatError(.refused, "with this slot those of a \(kind.name) ask for \(excess)")
    }
}
