import Testing
import VaultCrypto
import VaultFormat
import VaultTesting

/// Key slots of every kind: each opens with its own secret and with no other.
struct SlotTests {
    private let vaultID = VaultID([UInt8](repeating: 9, count: 16))
    private static let kinds = Credential.Kind.allCases

    private let epoch = Epoch(Bytes16(high: 1, low: 77))
    private var header: Header { Header(vaultID: vaultID, epoch: epoch, sequence: 1, logEnd: 143_360) }

    private func keys() throws -> Keys { try Keys(master: secret(32, 7), vaultID: vaultID, epoch: epoch) }

    private func secret(_ count: Int, _ byte: UInt8) throws -> Secret {
        let bytes = [UInt8](repeating: byte, count: count)
        return try Secret(copying: bytes.span)
    }

    private func credential(_ kind: Credential.Kind, _ byte: UInt8 = 0x61, keyfile: UInt8 = 1) throws -> Credential {
        switch kind {
        case .password: try Credential(password: secret(12, byte))
        case .passwordAndKeyfile:
            try Credential(password: secret(12, byte), keyfileDigest: [UInt8](repeating: keyfile, count: 32))
        case .recoveryKey: Credential(recoveryKey: try secret(20, byte))
        case .deviceKey: Credential(deviceKey: try secret(32, byte))
        }
    }

    /// One slot of every kind.
    private func area(_ derivation: KeyDerivation = .standard) throws -> SlotArea {
        var random = SystemRandom()
        return SlotArea(
            try Self.kinds.map { kind in
                try KeySlot(
                    KeySlot.Request(derivation: derivation, label: "槽 \(kind.rawValue)", created: 5),
                    for: credential(kind), keys: keys(), id: Bytes16(random.bytes(16)), now: 0, random: &random)
            })
    }

    private static let derivations: [KeyDerivation] = [.standard, .argon2id(memoryLog2: 15, passes: 3, lanes: 2)]

    @Test(arguments: kinds, derivations)
    func opensWithItsOwnSecretOnly(_ kind: Credential.Kind, _ derivation: KeyDerivation) throws {
        let area = try SlotArea(parsing: area(derivation).bytes)
        let slot = area.slots[Int(kind.rawValue) - 1].slot
        #expect(slot.knownKind == kind)
        #expect(slot.derivation == (kind == .deviceKey ? KeyDerivation.none : derivation))
        let master = try area.unlock(with: credential(kind), of: header)
        #expect(try master.isEqual(to: secret(32, 7)))
        let wrong = #expect(throws: FormatError.self) {
            try discard(area.unlock(with: credential(kind, 0x62), of: header))
        }
        #expect(wrong?.code == .wrongKey)
        for (id, epoch) in [(.zero, epoch), (vaultID, Epoch(Bytes16(high: 2, low: 77)))] {
            let elsewhere = #expect(throws: FormatError.self) {
                let other = Header(vaultID: id, epoch: epoch, sequence: 1, logEnd: 143_360)
                try discard(area.unlock(with: credential(kind), of: other))
            }
            #expect(elsewhere?.code == .wrongKey, "the vault's id and its epoch are part of it")
        }
        let label = try slot.label(keys: keys())
        #expect(label == KeySlot.Label(created: 5, text: "槽 \(kind.rawValue)"))
    }

    @Test func theKeyfileCounts() throws {
        let area = try area()
        let wrong = #expect(throws: FormatError.self) {
            try discard(area.unlock(with: credential(.passwordAndKeyfile, keyfile: 2), of: header))
        }
        #expect(wrong?.code == .wrongKey)
    }

    @Test func aZeroCharacterIsNoPassword() throws {
        let text = Array("correct horse\0".utf8)
        let error = #expect(throws: FormatError.self) { _ = try Credential(password: Secret(copying: text.span)) }
        #expect(error?.code == .invalid)
    }

    @Test(arguments: [
        KeyDerivation.pbkdf2(iterations: 99_999), .pbkdf2(iterations: 1 << 31),
        .argon2id(memoryLog2: 30, passes: 1, lanes: 1), .argon2id(memoryLog2: 255, passes: 3, lanes: 1),
        .argon2id(memoryLog2: 14, passes: 100, lanes: 1), .argon2id(memoryLog2: 16, passes: 1, lanes: 1),
        .argon2id(memoryLog2: 16, passes: 3, lanes: 0), .argon2id(memoryLog2: 16, passes: 0, lanes: 1),
        .argon2id(memoryLog2: 15, passes: .max, lanes: 1),
    ])
    func aCostOutsideTheLimitsIsRefused(_ derivation: KeyDerivation) throws {
        #expect(throws: FormatError.self) { try derivation.check() }
        var bytes = try area().bytes
        bytes.replaceSubrange(1..<8, with: derivation.slotBytes)
        let error = #expect(throws: FormatError.self) {
            try discard(
                SlotArea(parsing: bytes).unlock(with: credential(.password), of: header, acceptsAnyCost: true))
        }
        #expect(error?.code == .refused)
    }

    @Test func theCostOfAllSlotsTogetherIsBounded() throws {
        // Iterations stand behind kind and function; nothing is hashed before the sum is judged.
        var bytes = try area().bytes
        bytes.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
        let error = #expect(throws: FormatError.self) {
            try discard(SlotArea(parsing: bytes).unlock(with: credential(.password), of: header))
        }
        #expect(error?.code == .refused)
    }

    @Test func everyBitOfASlotIsBound() throws {
        // A device slot costs no hashing: all its 148 bytes before the label, bit by bit.
        let area = try area()
        let start = 3 * KeySlot.byteCount
        for bit in 0..<148 * 8 {
            var bytes = area.bytes
            bytes[start + bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: FormatError.self, "bit \(bit)") {
                try discard(SlotArea(parsing: bytes).unlock(with: credential(.deviceKey), of: header))
            }
        }
    }
}

private func discard(_ secret: consuming Secret) {}
