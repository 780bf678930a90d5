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
    private let files: WitnessFiles

    /// The book in this folder, which is made when it is needed.
    ///
    /// - Parameter report: told of each file of the book that cannot be read or written: then an old copy may pass for new.
    public init(_ folder: BytePath, _ environment: StoreEnvironment, report: @escaping (IOError) -> Void = { _ in }) {
        files = WitnessFiles(folder, environment, report: report)
    }

    // MARK: What is remembered

    /// The highest sequence seen of a vault at any path, as the files say it: without the key nobody can tell whether it
    /// is true.
    public func lastSeen(_ vaultID: VaultID) -> UInt64? { files.all(vaultID).map(\.sequence).max() }

    /// The highest sequence seen of the vault at a path, as the files say it.
    public func lastSeen(_ vaultID: VaultID, at path: BytePath) -> UInt64? {
        files.governors(vaultID, path).compactMap { files.read($0, vaultID)?.sequence }.max()
    }

    /// The highest sequence seen of an open vault at any path, as far as it was remembered under its master key.
    public func lastSeen(_ vault: Vault) -> UInt64? {
        // The tag is under a key of the master key, which tells the epoch too.
        files.all(vault.id).filter { (try? $0.isAuthentic(vault.keys)) == true }.map(\.sequence).max()
    }

    /// The counter of the newest epoch in which the vault at a path was seen, as the files say it.
    public func lastEpoch(_ vaultID: VaultID, at path: BytePath) -> UInt64? {
        files.governors(vaultID, path).compactMap { files.read($0, vaultID)?.epoch.counter }.max()
    }

    /// Compares an open vault with the witnesses for its path. A backup is compared by the sequence and tag of its origin.
    ///
    /// - Parameter path: the path as a person gave it; nil for that of the vault's file.
    /// - Throws: `VaultError.replaced`; `FormatError` and `IOError` of the vault.
    public func freshness(of vault: Vault, at path: BytePath? = nil) throws -> Freshness {
        let path = path ?? vault.file.path
        try takeOver(vault, at: path)
        let witnesses = files.governors(vault.id, path).compactMap { files.read($0, vault.id) }
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
        return vault.header.isCopy && !files.isKnown(vault.id, path ?? vault.file.path) ? nil : freshness
    }

    /// Gives a place the witness that was meant for it, or that the vault had where it stood before: after a restore that was
    /// interrupted once the vault had its name, and after a restored vault was renamed.
    private func takeOver(_ vault: Vault, at path: BytePath) throws {
        let places = files.places(path)
        if let expected = files.read(WitnessFiles.expectedName(vault.id, places[0]), vault.id),
            try expected.isOf(vault.record.core, vault.keys)
        {
            return accept(vault, at: path)
        }
        guard !vault.header.isCopy, !files.isKnown(vault.id, path),
            let main = files.read(WitnessFiles.mainName(vault.id), vault.id),
            try !Self.freshness(of: vault, to: main).isNewest
        else { return }
        for name in files.names(vault.id)
        where name != WitnessFiles.mainName(vault.id) && files.state.read(name, count: 2) != [WitnessFiles.followsMain]
        {
            guard let own = files.read(name, vault.id),
                [.asSeen, .newer].contains(try Self.freshness(of: vault, to: own))
            else {
                continue
            }
            for place in places {
                files.state.trying { try files.state.make(WitnessFiles.placeName(vault.id, place), own.bytes) }
            }
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
        return try vault.descends(from: witness.sequence, witness.fingerprint)
            ? .newer : .forked(seen: witness.sequence)
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
        let isRemembered =
            freshness == .asSeen && files.places(path).allSatisfy { files.placeFile(vault.id, $0) != nil }
        guard !isRemembered, (try? vault.file.sync()) != nil else { return }
        remember(vault.record, vault.keys, at: path)
    }

    /// Remembers a durable commit of the vault at a path.
    ///
    /// - Parameter accepts: also where it does not descend from what was seen, as after a merge.
    package func remember(_ record: CommitRecord, _ keys: Keys, at path: BytePath, accepts: Bool = false) {
        guard let witness = try? Witness(record.core, keys: keys) else { return }
        let main = WitnessFiles.mainName(witness.vaultID)
        // A vault at an unknown path that does not descend from the main witness goes on beside it.
        let isApart = accepts && !files.isKnown(witness.vaultID, path) && files.state.read(main, count: 1) != nil
        let names = isApart ? [] : files.governors(witness.vaultID, path).filter { witness.isPlausible || $0 != main }
        if !witness.isPlausible, names.isEmpty { return }
        for name in names { files.write(witness, as: name, keys, accepts: accepts) }
        let followsMain = names.contains(main)
        for place in files.places(path) where files.placeFile(witness.vaultID, place) == nil {
            files.state.trying {
                try files.state.make(
                    WitnessFiles.placeName(witness.vaultID, place),
                    followsMain ? [WitnessFiles.followsMain] : witness.bytes)
            }
            for other in files.others(witness.vaultID, at: place) { files.state.remove(other) }
        }
    }

    /// True if another vault was used at a path, and this one never was.
    public func isStranger(_ vaultID: VaultID, at path: BytePath) -> Bool {
        !files.isKnown(vaultID, path) && files.places(path).contains { !files.others(vaultID, at: $0).isEmpty }
    }

    /// Notes what is about to get a name, so that it counts as accepted there from the moment when it has it.
    package func expect(_ record: CommitRecord, _ keys: Keys, at path: BytePath) {
        guard let witness = try? Witness(record.core, keys: keys) else { return }
        files.write(witness, as: WitnessFiles.expectedName(witness.vaultID, files.places(path)[0]), keys, accepts: true)
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
        defer { files.state.remove(WitnessFiles.expectedName(vault.id, files.places(path)[0])) }
        let main = WitnessFiles.mainName(vault.id)
        let mine = files.places(path).map { WitnessFiles.placeName(vault.id, $0) }
        let isAlone = files.names(vault.id).allSatisfy { name in
            name == main || mine.contains(name) || files.state.read(name, count: 2) != [WitnessFiles.followsMain]
        }
        let isKnown = mine.contains { files.state.read($0, count: 2) == [WitnessFiles.followsMain] }
        if witness.isPlausible, files.state.read(main, count: 1) == nil || isAlone && isKnown {
            return remember(vault.record, vault.keys, at: path, accepts: true)
        }
        for name in mine { files.write(witness, as: name, vault.keys, accepts: true) }
    }

    /// Forgets a vault, at every path.
    public func forget(_ vaultID: VaultID) { for name in files.names(vaultID) { files.state.remove(name) } }

    /// Forgets a vault at places that `places` gave before its file went.
    ///
    /// - Returns: whether it was the last place, so that nothing of the vault is remembered any more.
    public func forget(_ vaultID: VaultID, at places: [BytePath]) -> Bool {
        let mine = places.flatMap { [WitnessFiles.placeName(vaultID, $0), WitnessFiles.expectedName(vaultID, $0)] }
        guard files.names(vaultID).contains(where: mine.contains) else { return false }
        for name in mine { files.state.remove(name) }
        guard files.names(vaultID) == [WitnessFiles.mainName(vaultID)] else { return false }
        forget(vaultID)
        return true
    }

    /// Forgets all vaults.
    public func forgetAll() { for name in files.state.names() { files.state.remove(name) } }

    /// The places that a path names: the file, and where the path ends in a symbolic link, that link. Somebody who can
    /// put a link in the vault's place must not choose which witness counts.
    public func places(_ path: BytePath) -> [BytePath] { files.places(path) }
}
