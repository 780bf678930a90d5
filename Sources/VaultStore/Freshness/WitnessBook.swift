public import VaultIO
import VaultCrypto
public import VaultFormat

/// The witnesses that a machine keeps (Spec/store.md, 8). A machine that cannot store them works without: file errors of
/// the book are reported, and end nothing.
///
/// Each vault has one main witness, whatever its path. Each path at which the vault was used has a file as well. If it
/// holds `=`, the main witness counts there; else it holds a witness for that path alone. A restored or salvaged vault at a
/// new path gets a witness of its own, and so does an older vault that a person accepted there. Such a vault and its
/// origin can be used side by side.
public struct WitnessBook {
    private let state: StateFolder
    private let files: any FileSystem
    private let pause: (Int) -> Void

    /// The book in this folder, which is made when it is needed.
    ///
    /// - Parameter report: told of each file of the book that cannot be read or written: then an old copy may pass for new.
    public init(_ folder: BytePath, _ environment: StoreEnvironment, report: @escaping (IOError) -> Void = { _ in }) {
        state = StateFolder(folder, environment.files, report: report)
        (files, pause) = (environment.files, environment.pause)
    }

    // MARK: What is remembered

    /// The highest sequence seen of a vault at any path, as the files say it: without the key nobody can tell whether it
    /// is true.
    public func lastSeen(_ vaultID: VaultID) -> UInt64? { all(vaultID).map(\.sequence).max() }

    /// The highest sequence seen of the vault at a path, as the files say it.
    public func lastSeen(_ vaultID: VaultID, at path: BytePath) -> UInt64? {
        governors(vaultID, path).compactMap { read($0, vaultID)?.sequence }.max()
    }

    /// The highest sequence seen of an open vault at any path, as far as it was remembered under its master key.
    public func lastSeen(_ vault: Vault) -> UInt64? {
        // The tag is under a key of the master key, which tells the epoch too.
        all(vault.id).filter { (try? $0.isAuthentic(vault.keys)) == true }.map(\.sequence).max()
    }

    /// The counter of the newest epoch in which the vault at a path was seen, as the files say it.
    public func lastEpoch(_ vaultID: VaultID, at path: BytePath) -> UInt64? {
        governors(vaultID, path).compactMap { read($0, vaultID)?.epoch.counter }.max()
    }

    /// Compares an open vault with the witnesses for its path. A backup is compared by the sequence and tag of its origin.
    ///
    /// - Parameter path: the path as a person gave it; nil for that of the vault's file.
    /// - Throws: `VaultError.replaced`; `FormatError` and `IOError` of the vault.
    public func freshness(of vault: Vault, at path: BytePath? = nil) throws -> Freshness {
        let path = path ?? vault.file.path
        try takeOver(vault, at: path)
        let witnesses = governors(vault.id, path).compactMap { read($0, vault.id) }
        func worst(_ vault: Vault) throws -> Freshness {
            var result = Freshness.unknown
            for witness in witnesses {
                let freshness = try Self.freshness(of: vault, to: witness)
                guard freshness.isNewest else { return freshness }
                if result == .unknown || freshness == .newer { result = freshness }
            }
            return result
        }
        let freshness = try worst(vault)
        // Others may have saved, and remembered it, since the vault was read.
        return freshness.isNewest ? freshness : try worst(vault.reopened())
    }

    /// Returns the reason to refuse an open vault without a person's consent; nil if it may be used. A backup is refused
    /// only at a path where the live vault was used before.
    ///
    /// - Throws: as `freshness`.
    public func refusal(of vault: Vault, at path: BytePath? = nil) throws -> Freshness? {
        let freshness = try freshness(of: vault, at: path)
        if freshness.isNewest { return nil }
        return vault.header.isCopy && !isKnown(vault.id, path ?? vault.file.path) ? nil : freshness
    }

    /// Gives a place the witness that was meant for it, or that the vault had where it stood before: after a restore that was
    /// interrupted once the vault had its name, and after a restored vault was renamed.
    private func takeOver(_ vault: Vault, at path: BytePath) throws {
        let places = places(path)
        if let expected = read(Self.expectedName(vault.id, places[0]), vault.id),
            try expected.isOf(vault.record.core, vault.keys)
        {
            return accept(vault, at: path)
        }
        guard !vault.header.isCopy, !isKnown(vault.id, path), let main = read(Self.mainName(vault.id), vault.id),
            try !Self.freshness(of: vault, to: main).isNewest
        else { return }
        for name in names(vault.id)
        where name != Self.mainName(vault.id) && state.read(name, count: 2) != [Self.followsMain] {
            guard let own = read(name, vault.id), [.asSeen, .newer].contains(try Self.freshness(of: vault, to: own))
            else {
                continue
            }
            for place in places { state.trying { try state.make(Self.placeName(vault.id, place), own.bytes) } }
            return
        }
    }

    private static func freshness(of vault: Vault, to witness: Witness) throws -> Freshness {
        let core = vault.record.core
        let (sequence, fingerprint) =
            vault.header.origin.map { ($0.sequence, $0.fingerprint) } ?? (core.sequence, core.fingerprint)
        if core.epoch.counter < witness.epoch.counter { return .retired }
        if core.epoch.counter == witness.epoch.counter {
            guard core.epoch == witness.epoch else { return .forked(seen: witness.sequence) }
            guard try witness.isAuthentic(vault.keys) else { return .unknown }
        }
        if sequence < witness.sequence { return .older(seen: witness.sequence) }
        if sequence == witness.sequence {
            return fingerprint == witness.fingerprint ? .asSeen : .forked(seen: witness.sequence)
        }
        let line = try vault.line(of: witness.sequence)
        return line?.fingerprint == witness.fingerprint.prefix16 ? .newer : .forked(seen: witness.sequence)
    }

    // MARK: Remembering

    /// Remembers a vault that was read, after making sure that what was read is durable. A state in doubt, an older one and
    /// a forked one are not remembered.
    ///
    /// - Parameter path: the path as a person gave it; nil for that of the vault's file.
    public func remember(_ vault: Vault, at path: BytePath? = nil) {
        let path = path ?? vault.file.path
        guard vault.obstacle == nil, !vault.isAdopted, let freshness = try? freshness(of: vault, at: path),
            freshness.isNewest
        else { return }
        let isRemembered = freshness == .asSeen && places(path).allSatisfy { placeFile(vault.id, $0) != nil }
        guard !isRemembered, (try? vault.file.sync()) != nil else { return }
        remember(vault.record, vault.keys, at: path)
    }

    /// Remembers a durable commit of the vault at a path.
    ///
    /// - Parameter accepts: also where it does not descend from what was seen, as after a merge.
    package func remember(_ record: CommitRecord, _ keys: Keys, at path: BytePath, accepts: Bool = false) {
        guard let witness = try? Witness(record.core, keys: keys) else { return }
        let main = Self.mainName(witness.vaultID)
        // A vault at an unknown path that does not descend from the main witness goes on beside it.
        let isApart = accepts && !isKnown(witness.vaultID, path) && state.read(main, count: 1) != nil
        let names = isApart ? [] : governors(witness.vaultID, path).filter { witness.isPlausible || $0 != main }
        if !witness.isPlausible, names.isEmpty { return }
        for name in names { write(witness, as: name, keys, accepts: accepts) }
        let followsMain = names.contains(main)
        for place in places(path) where placeFile(witness.vaultID, place) == nil {
            state.trying {
                try state.make(
                    Self.placeName(witness.vaultID, place), followsMain ? [Self.followsMain] : witness.bytes)
            }
            for other in others(witness.vaultID, at: place) { state.remove(other) }
        }
    }

    /// True if another vault was used at a path, and this one never was.
    public func isStranger(_ vaultID: VaultID, at path: BytePath) -> Bool {
        !isKnown(vaultID, path) && places(path).contains { !others(vaultID, at: $0).isEmpty }
    }

    /// The files that tell of other vaults at a place.
    private func others(_ vaultID: VaultID, at place: BytePath) -> [[UInt8]] {
        let mine = Self.placeName(vaultID, place)
        let ending = mine.suffix(33)
        return state.names().filter { $0.count == mine.count && $0.suffix(33) == ending && $0 != mine }
    }

    /// Notes what is about to get a name, so that it counts as accepted there from the moment when it has it.
    package func expect(_ record: CommitRecord, _ keys: Keys, at path: BytePath) {
        guard let witness = try? Witness(record.core, keys: keys) else { return }
        write(witness, as: Self.expectedName(witness.vaultID, places(path)[0]), keys, accepts: true)
    }

    /// Remembers a fork into which a merge brought nothing: it holds the records of what was seen. An older vault may hold
    /// them too, but not the changes of keys since, and stays refused.
    ///
    /// - Throws: as `freshness`.
    public func rememberFork(_ vault: Vault, at path: BytePath) throws {
        guard case .forked = try freshness(of: vault, at: path), vault.obstacle == nil, !vault.isAdopted,
            (try? vault.file.sync()) != nil
        else { return }
        remember(vault.record, vault.keys, at: path, accepts: true)
    }

    /// Remembers a vault that a person put at a path on purpose: restored, salvaged, or accepted although it is older or
    /// forked. It gets a witness of its own, unless no other path follows the main witness.
    public func accept(_ vault: Vault, at path: BytePath) {
        guard vault.obstacle == nil, !vault.isAdopted, (try? vault.file.sync()) != nil,
            let witness = try? Witness(vault.record.core, keys: vault.keys)
        else { return }
        defer { state.remove(Self.expectedName(vault.id, places(path)[0])) }
        let main = Self.mainName(vault.id)
        let mine = places(path).map { Self.placeName(vault.id, $0) }
        let isAlone = names(vault.id).allSatisfy { name in
            name == main || mine.contains(name) || state.read(name, count: 2) != [Self.followsMain]
        }
        let isKnown = mine.contains { state.read($0, count: 2) == [Self.followsMain] }
        if witness.isPlausible, state.read(main, count: 1) == nil || isAlone && isKnown {
            return remember(vault.record, vault.keys, at: path, accepts: true)
        }
        for name in mine { write(witness, as: name, vault.keys, accepts: true) }
    }

    /// Forgets a vault, at every path.
    public func forget(_ vaultID: VaultID) { for name in names(vaultID) { state.remove(name) } }

    /// Forgets a vault at places that `places` gave before its file went.
    ///
    /// - Returns: whether it was the last place, so that nothing of the vault is remembered any more.
    public func forget(_ vaultID: VaultID, at places: [BytePath]) -> Bool {
        let mine = places.flatMap { [Self.placeName(vaultID, $0), Self.expectedName(vaultID, $0)] }
        guard names(vaultID).contains(where: mine.contains) else { return false }
        for name in mine { state.remove(name) }
        guard names(vaultID) == [Self.mainName(vaultID)] else { return false }
        forget(vaultID)
        return true
    }

    /// Forgets all vaults.
    public func forgetAll() { for name in state.names() { state.remove(name) } }

    // MARK: Files

    /// All that is in the file of a place where the main witness counts.
    private static let followsMain = UInt8(ascii: "=")

    private static func mainName(_ vaultID: VaultID) -> [UInt8] { Array(hexText(vaultID.bytes).utf8) }

    private static func placeName(_ vaultID: VaultID, _ place: BytePath) -> [UInt8] {
        let hash = (try? SHA256.hash(place.bytes.span)) ?? []
        return mainName(vaultID) + [UInt8(ascii: "-")] + hexText(Array(hash.prefix(16))).utf8
    }

    private static func expectedName(_ vaultID: VaultID, _ place: BytePath) -> [UInt8] {
        placeName(vaultID, place) + [UInt8(ascii: "+")]
    }

    /// The places that a path names: the file, and where the path ends in a symbolic link, that link. Somebody who can
    /// put a link in the vault's place must not choose which witness counts.
    public func places(_ path: BytePath) -> [BytePath] {
        let resolved = (try? files.resolve(path)) ?? path
        let link = ((try? files.resolve(path.parent)) ?? path.parent).appending(path.lastComponent)
        return resolved == link ? [resolved] : [resolved, link]
    }

    /// The beginning of a place's file; nil where the vault was not used there.
    private func placeFile(_ vaultID: VaultID, _ place: BytePath) -> [UInt8]? {
        state.read(Self.placeName(vaultID, place), count: 2)
    }

    private func isKnown(_ vaultID: VaultID, _ path: BytePath) -> Bool {
        places(path).contains { placeFile(vaultID, $0) != nil }
    }

    /// The names of the files whose witnesses count at a path; the main one where the vault was not used before.
    private func governors(_ vaultID: VaultID, _ path: BytePath) -> [[UInt8]] {
        let main = Self.mainName(vaultID)
        let names = places(path).compactMap { place in
            placeFile(vaultID, place).map { $0 == [Self.followsMain] ? main : Self.placeName(vaultID, place) }
        }
        return names.isEmpty ? [main] : names.count == 2 && names[0] == names[1] ? [names[0]] : names
    }

    private func names(_ vaultID: VaultID) -> [[UInt8]] {
        let main = Self.mainName(vaultID)
        return state.names().filter { $0.starts(with: main) }
    }

    private func all(_ vaultID: VaultID) -> [Witness] {
        names(vaultID).compactMap { read($0, vaultID) }.filter(\.isPlausible)
    }

    private func read(_ name: [UInt8], _ vaultID: VaultID) -> Witness? {
        let witness = state.read(name, count: Witness.byteCount).flatMap { Witness(parsing: $0, of: vaultID) }
        return witness.flatMap { $0.isPlausible || name != Self.mainName(vaultID) ? $0 : nil }
    }

    private func write(_ witness: Witness, as name: [UInt8], _ keys: Keys, accepts: Bool) {
        state.trying { try tryWriting(witness, as: name, keys, accepts: accepts) }
    }

    private func tryWriting(_ witness: Witness, as name: [UInt8], _ keys: Keys, accepts: Bool) throws {
        if let file = try state.open(name, writing: true) { return try update(file, witness, keys, accepts: accepts) }
        do { try state.make(name, witness.bytes) } catch let error as IOError where error.isNameTaken {
            // Another program made it in the meantime.
            guard let file = try state.open(name, writing: true) else { throw error }
            try update(file, witness, keys, accepts: accepts)
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
            if let old, !accepts, try old.isNewer(than: witness, keys) { return }
            // Within one sector, so that a crash leaves the old or the new.
            try file.writeAll(witness.bytes.span, at: 0)
            return try file.truncate(to: UInt64(Witness.byteCount))
        }
    }
}
