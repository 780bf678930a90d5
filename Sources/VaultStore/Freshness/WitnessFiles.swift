import VaultCrypto
import VaultFormat
import VaultIO

/// The files of a witness book: their names, which of them count at a path, and what is in them.
struct WitnessFiles {
    let state: StateFolder
    private let files: any FileSystem
    private let pause: (Int) -> Void

    init(_ folder: BytePath, _ environment: StoreEnvironment, report: @escaping (IOError) -> Void) {
        state = StateFolder(folder, environment.files, report: report)
        (files, pause) = (environment.files, environment.pause)
    }

    /// All that is in the file of a place where the main witness counts.
    static let followsMain = UInt8(ascii: "=")

    static func mainName(_ vaultID: VaultID) -> [UInt8] { Array(hexText(vaultID.bytes).utf8) }

    static func placeName(_ vaultID: VaultID, _ place: BytePath) -> [UInt8] {
        let hash = (try? SHA256.hash(place.bytes.span)) ?? []
        return mainName(vaultID) + [UInt8(ascii: "-")] + hexText(Array(hash.prefix(16))).utf8
    }

    static func expectedName(_ vaultID: VaultID, _ place: BytePath) -> [UInt8] {
        placeName(vaultID, place) + [UInt8(ascii: "+")]
    }

    /// The places that a path names: the file, and where the path ends in a symbolic link, that link. Somebody who can
    /// put a link in the vault's place must not choose which witness counts.
    func places(_ path: BytePath) -> [BytePath] {
        let resolved = (try? files.resolve(path)) ?? path
        let link = ((try? files.resolve(path.parent)) ?? path.parent).appending(path.lastComponent)
        return resolved == link ? [resolved] : [resolved, link]
    }

    /// The beginning of a place's file; nil where the vault was not used there.
    func placeFile(_ vaultID: VaultID, _ place: BytePath) -> [UInt8]? {
        state.read(Self.placeName(vaultID, place), count: 2)
    }

    func isKnown(_ vaultID: VaultID, _ path: BytePath) -> Bool {
        places(path).contains { placeFile(vaultID, $0) != nil }
    }

    /// The names of the files whose witnesses count at a path; the main one where the vault was not used before.
    func governors(_ vaultID: VaultID, _ path: BytePath) -> [[UInt8]] {
        let main = Self.mainName(vaultID)
        let names = places(path).compactMap { place in
            placeFile(vaultID, place).map { $0 == [Self.followsMain] ? main : Self.placeName(vaultID, place) }
        }
        return names.isEmpty ? [main] : names.count == 2 && names[0] == names[1] ? [names[0]] : names
    }

    func names(_ vaultID: VaultID) -> [[UInt8]] {
        let main = Self.mainName(vaultID)
        return state.names().filter { $0.starts(with: main) }
    }

    func all(_ vaultID: VaultID) -> [Witness] {
        names(vaultID).compactMap { read($0, vaultID) }.filter(\.isPlausible)
    }

    func read(_ name: [UInt8], _ vaultID: VaultID) -> Witness? {
        let witness = state.read(name, count: Witness.byteCount).flatMap { Witness(parsing: $0, of: vaultID) }
        return witness.flatMap { $0.isPlausible || name != Self.mainName(vaultID) ? $0 : nil }
    }

    func write(_ witness: Witness, as name: [UInt8], _ keys: Keys, accepts: Bool) {
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
        guard try file.lock(attempts: Root.attempts, pause) else { return }
        // Another program may have seen more in the meantime.
        let old = Witness(parsing: try file.bytes(at: 0, count: Witness.byteCount), of: witness.vaultID)
        if let old, !accepts, try old.isNewer(than: witness, keys) { return }
        // Within one sector, so that a crash leaves the old or the new.
        try file.writeAll(witness.bytes.span, at: 0)
        try file.truncate(to: UInt64(Witness.byteCount))
    }

    /// The files that tell of other vaults at a place.
    func others(_ vaultID: VaultID, at place: BytePath) -> [[UInt8]] {
        let mine = Self.placeName(vaultID, place)
        let ending = mine.suffix(33)
        return state.names().filter { $0.count == mine.count && $0.suffix(33) == ending && $0 != mine }
    }
}
