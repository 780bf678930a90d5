package import VaultCrypto
package import VaultFormat
package import VaultIO
package import VaultStore

/// A vault in memory that opens with a key, and what a test does with it.
package struct VaultFixture {
    package let files: MemoryFileSystem
    package let environment: StoreEnvironment
    package let master: [UInt8]
    package static let vault: BytePath = "v.qvault"
    package static let password = Array("correct horse battery".utf8)

    /// Makes the vault with these files in its first commit.
    package init(
        _ content: [(BytePath, [UInt8])] = [], seed: UInt64 = 0, on files: MemoryFileSystem = MemoryFileSystem()
    ) throws {
        self.files = files
        environment = testEnvironment(files, seed: seed)
        let creation = try VaultCreation(
            Self.vault, credential: Self.credential(), in: environment)
        let work = try creation.treeImport { _ in }
        for (path, bytes) in content { try work.addStream(as: path, read: reading(bytes)) }
        try creation.commit()
        // The third draw (Spec/example.md).
        var random: any RandomSource = environment.random
        _ = try random.bytes(16)
        _ = try random.bytes(8)
        master = try random.bytes(32)
    }

    /// The same vault once more, in a file system of its own.
    package init(copying fixture: VaultFixture) {
        files = MemoryFileSystem()
        environment = testEnvironment(files)
        master = fixture.master
        files.write(Self.vault, fixture.bytes)
    }

    package static func credential() throws -> Credential {
        let password = password
        return try Credential(password: Secret(copying: password.span))
    }

    package func unlock(_: LockedVault) throws -> Secret { try Secret(copying: master.span) }

    package func open(_ path: BytePath = vault, showsSaveBefore: Bool = false) throws -> Vault {
        let master = try Secret(copying: master.span)
        return try LockedVault(path, in: environment).open(master: master, showsSaveBefore: showsSaveBefore)
    }

    /// The vault file's bytes.
    package var bytes: [UInt8] {
        get { files.node(Self.vault)!.content }
        nonmutating set { files.node(Self.vault)!.content = newValue }
    }

    /// One save; `seed` makes its random numbers its own.
    package func save(seed: UInt64, _ body: (VaultTransaction) throws -> Void) throws {
        var environment = environment
        environment.random = CountingRandom(seed: seed)
        let transaction = try VaultTransaction(Self.vault, in: environment, timeout: .zero, unlock: unlock)
        try body(transaction)
        try transaction.commit()
    }

    package func put(_ path: BytePath, _ bytes: [UInt8], seed: UInt64) throws {
        try save(seed: seed) { try $0.treeImport { _ in }.addStream(as: path, read: reading(bytes)) }
    }

    package func content(_ path: BytePath) throws -> [UInt8]? {
        let vault = try open()
        guard let entry = try vault.entry(at: path) else { return nil }
        var content: [UInt8] = []
        try vault.read(entry) { piece in for i in piece.indices { content.append(piece[i]) } }
        return content
    }

    /// The slots that are there, and one for a device.
    package func slotsWithDevice() throws -> SlotArea {
        let vault = try open()
        var random: any RandomSource = CountingRandom(seed: 31)
        let device = try Credential(deviceKey: Secret(copying: [UInt8](repeating: 7, count: 32).span))
        let slot = try KeySlot(
            for: device, keys: vault.keys, id: Bytes16([UInt8](repeating: 3, count: 16)), derivation: .none,
            label: KeySlot.Label(created: 0, text: "device"), random: &random)
        return SlotArea(vault.root.slots.slots.map(\.slot) + [slot])
    }

    package func verify() throws -> Verification { try open().verify() }
}

/// Bytes that do not repeat.
package func pattern(_ count: Int, _ seed: UInt8 = 1) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    var state = UInt64(seed)
    while bytes.count < count {
        // SplitMix64.
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        word ^= word >> 31
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
}
