import Testing
import VaultCrypto
import VaultFormat
import VaultTesting

/// Key slots of every kind: each opens with its own secret and with no other.
struct SlotTests {
    private let vaultID = VaultID([UInt8](repeating: 9, count: 16))
    private static let kinds = Credential.Kind.allCases.filter { $0 != .identity }

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
        case .identity: preconditionFailure("a recipient's slot is made with the public key")
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

    /// A slot is made with the public key alone, and its label tells whose it is.
    @Test func anIdentityOpens() throws {
        var random = SystemRandom()
        let identity = try Identity(random: &random)
        let recipient = try Recipient(parsing: Recipient(of: identity).text)
        let slot = try KeySlot(
            for: recipient, KeySlot.Request(label: "朋友"), keys: keys(), id: Bytes16(random.bytes(16)), now: 5,
            random: &random)
        let area = SlotArea(parsing: SlotArea([slot]).bytes)
        let read = try #require(area.slots.first?.slot)
        #expect(read.knownKind == .identity && read.derivation == KeyDerivation.none)
        #expect(try read.label(keys: keys()) == KeySlot.Label(created: 5, text: "朋友", recipient: recipient))
        let master = try area.unlock(with: Credential(identity: Identity.parse(identity.text())), of: header)
        #expect(try master.isEqual(to: secret(32, 7)))
        let wrong = #expect(throws: FormatError.self) {
            try discard(area.unlock(with: Credential(identity: Identity(random: &random)), of: header))
        }
        #expect(wrong?.code == .wrongKey)
        let long = #expect(throws: FormatError.self) {
            try KeySlot(
                for: recipient, KeySlot.Request(label: String(repeating: "x", count: 24)), keys: keys(), id: .zero,
                now: 5, random: &random)
        }
        #expect(long?.code == .invalid)
    }

    /// Public keys of low order, which share zeros with everybody, are refused (RFC 7748, 7).
    @Test(arguments: [
        String(repeating: "00", count: 32), "01" + String(repeating: "00", count: 31),
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ec" + String(repeating: "ff", count: 30) + "7f", "ed" + String(repeating: "ff", count: 30) + "7f",
        "ee" + String(repeating: "ff", count: 30) + "7f",
    ])
    func aRecipientOfLowOrder(_ key: String) throws {
        var random = SystemRandom()
        let recipient = Recipient(key: try #require(hexadecimalBytes(key)))
        let error = #expect(throws: FormatError.self) {
            try KeySlot(for: recipient, KeySlot.Request(), keys: keys(), id: .zero, now: 5, random: &random)
        }
        #expect(error?.code == .invalid)
    }

    /// Another digit anywhere in a recipient or an identity is noticed.
    @Test func mistypedRecipients() throws {
        var random = SystemRandom()
        let identity = try Identity(random: &random)
        let text = Array(try Recipient(of: identity).text.utf8)
        for index in text.indices {
            var other = text
            other[index] = other[index] == 0x30 ? 0x31 : 0x30
            #expect(throws: FormatError.self) { try Recipient(parsing: String(decoding: other, as: UTF8.self)) }
        }
        let file = try identity.text().withSpan { Array(copying: $0) }
        for index in file.indices.dropLast() {
            var other = file
            other[index] = other[index] == 0x30 ? 0x31 : 0x30
            // X25519 leaves three bits of the first byte out, and two of the last.
            let result = Result { try discard(Identity.parse(Secret(copying: other.span)).text()) }
            #expect((try? result.get()) == nil || index >= file.count - 65, "\(index)")
        }
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
