import VaultCrypto
public import VaultFormat

/// How a vault stands to what this machine has seen of it last (Spec/store.md, 8).
public enum Standing: Equatable, Sendable {
    /// Nothing is remembered of it.
    case unknown
    /// It is what was seen last.
    case asSeen
    /// It follows what was seen last.
    case newer
    /// It was newer when it was seen last, at this sequence.
    case older(seen: UInt64)
    /// It has the sequence that was seen last, or a higher one, and another history.
    case forked(seen: UInt64)
    /// It was seen under a newer master key.
    case retired

    /// Nothing that this machine has seen is newer.
    public var isNewest: Bool {
        switch self {
        case .unknown, .asSeen, .newer: true
        case .older, .forked, .retired: false
        }
    }
}

/// The newest state that this machine has seen of a vault: 144 bytes (Spec/store.md, 8).
struct Witness: Equatable {
    static let byteCount = 144
    private static let magic: [UInt8] = [0x89] + Array("QVSEEN\n".utf8)
    private static let tagged = 0..<80
    private static let hashed = 0..<112

    let vaultID: VaultID
    let epoch: Epoch
    let sequence: UInt64
    let ownerTag: Bytes32
    let bytes: [UInt8]

    init(_ core: Core, keys: Keys) throws {
        var bytes = Self.magic + core.vaultID.bytes + core.epoch.value.bytes
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: core.sequence >> UInt64(56 - 8 * $0)) }
        bytes += core.tags.owner.bytes
        var mac = try HMACSHA256(key: keys.witness)
        bytes += try mac.tag(of: bytes.span)
        bytes += try SHA256.hash(bytes.span)
        (vaultID, epoch, sequence) = (core.vaultID, core.epoch, core.sequence)
        (ownerTag, self.bytes) = (core.tags.owner, bytes)
    }

    /// What a file remembers; nil if it is no witness of this vault. Its HMAC is not judged.
    init?(parsing bytes: [UInt8], of vaultID: VaultID) {
        guard bytes.count == Self.byteCount, bytes.starts(with: Self.magic), Array(bytes[8..<24]) == vaultID.bytes,
            (try? SHA256.hash(bytes.span.extracting(Self.hashed))) == Array(bytes[112...])
        else { return nil }
        self.vaultID = vaultID
        epoch = Epoch(Bytes16(Array(bytes[24..<40])))
        sequence = loadBigEndian(bytes.span, at: 40)
        ownerTag = Bytes32(Array(bytes[48..<80]))
        self.bytes = bytes
    }

    func isAuthentic(_ keys: Keys) throws -> Bool {
        var mac = try HMACSHA256(key: keys.witness)
        let expected = try mac.tag(of: bytes.span.extracting(Self.tagged))
        return constantTimeEqual(expected.span, bytes.span.extracting(80..<112))
    }
}

/// The witnesses that a machine keeps, a file a vault in one folder. A machine that cannot keep them goes on without:
/// nothing here throws what the system refuses.
public struct WitnessBook {
    private let folder: Path
    private let files: any FileSystem
    private let pause: (Int) -> Void

    /// The book in this folder, which is made when it is needed.
    public init(_ folder: Path, _ environment: Environment) {
        (self.folder, files, pause) = (folder, environment.files, environment.pause)
    }

    /// The sequence last seen of a vault, as the file says it: without the key nobody can tell whether it is true.
    public func lastSeen(_ vaultID: VaultID) -> UInt64? { read(vaultID)?.sequence }

    /// The sequence last seen of an open vault, if it was remembered under its master key.
    public func lastSeen(_ vault: Vault) -> UInt64? {
        // Its tag is under a key of the master key, which tells the epoch too.
        guard let witness = read(vault.id), (try? witness.isAuthentic(vault.keys)) == true else { return nil }
        return witness.sequence
    }

    /// The counter of the epoch that a vault was last seen in, as the file says it.
    public func lastEpoch(_ vaultID: VaultID) -> UInt64? { read(vaultID)?.epoch.counter }

    /// How an open vault stands to what is remembered.
    ///
    /// - Throws: `FormatError` and `IOError` of the vault.
    public func standing(of vault: Vault) throws -> Standing {
        guard !vault.root.header.isCopy, let witness = read(vault.record.core.vaultID) else { return .unknown }
        let standing = try Self.standing(of: vault, to: witness)
        if standing.isNewest { return standing }
        // Others may have saved, and remembered it, since the vault was read.
        return try Self.standing(of: vault.reopened(), to: witness)
    }

    private static func standing(of vault: Vault, to witness: Witness) throws -> Standing {
        let core = vault.record.core
        if core.epoch != witness.epoch {
            if core.epoch.counter < witness.epoch.counter { return .retired }
            return core.epoch.counter > witness.epoch.counter ? .newer : .forked(seen: witness.sequence)
        }
        guard try witness.isAuthentic(vault.keys) else { return .unknown }
        if core.sequence < witness.sequence { return .older(seen: witness.sequence) }
        if core.sequence == witness.sequence {
            return core.tags.owner == witness.ownerTag ? .asSeen : .forked(seen: witness.sequence)
        }
        let line = try vault.line(of: witness.sequence)
        return line?.ownerTag == witness.ownerTag.prefix16 ? .newer : .forked(seen: witness.sequence)
    }

    /// Remembers a vault that was read, after making sure that what was read is durable. What is in doubt is not
    /// remembered.
    ///
    /// - Parameter accepts: also what is older or forked, from now on.
    public func remember(_ vault: Vault, accepts: Bool = false) {
        guard vault.obstacle == nil, vault.state.adopted.isEmpty, let standing = try? standing(of: vault),
            standing != .asSeen, standing.isNewest || accepts, (try? vault.file.sync()) != nil
        else { return }
        remember(vault.record, vault.keys, accepts: accepts)
    }

    /// Remembers a commit that is durable.
    package func remember(_ record: CommitRecord, _ keys: Keys, accepts: Bool = false) {
        guard let witness = try? Witness(record.core, keys: keys) else { return }
        try? write(witness, keys, accepts: accepts)
    }

    /// Forgets a vault.
    public func forget(_ vaultID: VaultID) {
        try? files.openFolder(folder).removeFile(path(vaultID).lastComponent)
    }

    /// Forgets all vaults.
    public func forgetAll() {
        guard let folder = try? files.openFolder(folder), let entries = try? folder.entries() else { return }
        for entry in entries { try? folder.removeFile(entry.name) }
    }

    private func path(_ vaultID: VaultID) -> Path {
        let digits = Array("0123456789abcdef".utf8)
        return folder.appending(vaultID.bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    private func read(_ vaultID: VaultID) -> Witness? {
        guard let file = try? files.openFile(path(vaultID), writing: false) else { return nil }
        return (try? file.bytes(at: 0, count: Witness.byteCount)).flatMap { Witness(parsing: $0, of: vaultID) }
    }

    private func write(_ witness: Witness, _ keys: Keys, accepts: Bool) throws {
        let path = path(witness.vaultID)
        if let file = try existing(path) { return try update(file, witness, keys, accepts: accepts) }
        do { try make(witness, path) } catch let error as IOError where error.isNameTaken {
            // Another program made it in the meantime.
            if let file = try existing(path) { try update(file, witness, keys, accepts: accepts) }
        }
    }

    private func existing(_ path: Path) throws -> (any File)? {
        do { return try files.openFile(path, writing: true) } catch let error as IOError where error.isMissing {
            return nil
        }
    }

    private func update(_ file: any File, _ witness: Witness, _ keys: Keys, accepts: Bool) throws {
        for attempt in 1...Root.attempts {
            guard try file.lock() else {
                pause(attempt)
                continue
            }
            // Another program may have seen more in the meantime.
            let old = Witness(parsing: try file.bytes(at: 0, count: Witness.byteCount), of: witness.vaultID)
            if let old, !accepts, old.epoch == witness.epoch, old.sequence >= witness.sequence,
                try old.isAuthentic(keys)
            {
                return
            }
            // Within one sector, so that a crash leaves the old or the new.
            try file.writeAll(witness.bytes.span, at: 0)
            return try file.truncate(to: UInt64(Witness.byteCount))
        }
    }

    private func make(_ witness: Witness, _ path: Path) throws {
        try files.makeFolders(folder)
        let folder = try files.openFolder(folder)
        let file = try folder.makeFile(replacing: false)
        try file.writeAll(witness.bytes.span, at: 0)
        try file.sync()
        try file.publish(as: path.lastComponent, replacing: false)
    }
}

extension FileSystem {
    /// Makes a folder, and those above it that are missing.
    package func makeFolders(_ path: Path) throws {
        if (try? status(path)) != nil { return }
        if path.parent != path { try makeFolders(path.parent) }
        // Another program may be quicker.
        do { try makeFolder(path) } catch let error as IOError where error.isNameTaken {}
    }
}
