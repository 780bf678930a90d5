import Testing
import VaultCrypto
import VaultFormat

/// Key slots of every kind: each opens with its own secret and with no other.
struct SlotTests {
    private let vaultID = VaultID([UInt8](repeating: 9, count: 16))
    private static let kinds = Credential.Kind.allCases

    private func keys() throws -> Keys { try Keys(master: secret(32, 7), vaultID: vaultID) }

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
    private func area() throws -> SlotArea {
        var random = SystemRandom()
        return SlotArea(
            try Self.kinds.map { kind in
                try KeySlot(
                    for: credential(kind), keys: keys(), id: Bytes16(random.bytes(16)), iterations: 100_000,
                    label: KeySlot.Label(created: 5, text: "槽 \(kind.rawValue)"), random: &random)
            })
    }

    @Test(arguments: kinds) func opensWithItsOwnSecretOnly(_ kind: Credential.Kind) throws {
        let area = try SlotArea(parsing: area().bytes)
        let slot = area.slots[Int(kind.rawValue) - 1].slot
        #expect(slot.knownKind == kind)
        #expect(slot.iterations == (kind == .deviceKey ? 0 : 100_000))
        let master = try area.unlock(with: credential(kind), vaultID: vaultID)
        #expect(try master.isEqual(to: secret(32, 7)))
        let wrong = #expect(throws: FormatError.self) {
            try discard(area.unlock(with: credential(kind, 0x62), vaultID: vaultID))
        }
        #expect(wrong?.code == .wrongKey)
        let elsewhere = #expect(throws: FormatError.self) {
            try discard(area.unlock(with: credential(kind), vaultID: .zero))
        }
        #expect(elsewhere?.code == .wrongKey, "the vault's id is part of it")
        let label = try slot.label(keys: keys())
        #expect(label == KeySlot.Label(created: 5, text: "槽 \(kind.rawValue)"))
    }

    @Test func theKeyfileCounts() throws {
        let area = try area()
        let wrong = #expect(throws: FormatError.self) {
            try discard(area.unlock(with: credential(.passwordAndKeyfile, keyfile: 2), vaultID: vaultID))
        }
        #expect(wrong?.code == .wrongKey)
    }

    @Test func theCostOfAllSlotsTogetherIsBounded() throws {
        // Iterations stand behind kind and reserved bytes; nothing is hashed before the sum is judged.
        var bytes = try area().bytes
        bytes.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
        let error = #expect(throws: FormatError.self) {
            try discard(SlotArea(parsing: bytes).unlock(with: credential(.password), vaultID: vaultID))
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
                try discard(SlotArea(parsing: bytes).unlock(with: credential(.deviceKey), vaultID: vaultID))
            }
        }
    }
}

private func discard(_ secret: consuming Secret) {}
