import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore

/// The imports of folders into a vault that this machine made last: when each began, and the save after it. Files that have not
/// changed since need not be read again (Spec/product/trees.md, 1).
struct StoredFolders {
    private static let folder = "puts"
    /// Folders of a vault that are remembered, at most; the latest stay.
    private static let most = 100
    private let folder: StateFolder?
    private let name: [UInt8]
    /// By the hash, in hexadecimal digits, from the one that was stored the longest time ago; with the first 16 bytes of the
    /// fingerprint of the save.
    private var earlier: [(key: String, value: EarlierImport, save: String)] = []

    init(of vaultID: VaultID) {
        (folder, name) = (Machine.state(Self.folder), StateFolder.name(of: vaultID))
        let text = String(decoding: folder?.read(name, count: 1 << 16) ?? [], as: UTF8.self)
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 4, let began = Int64(words[1]), let save = UInt64(words[2]) else { continue }
            earlier.append(
                (String(words[0]), .init(began: FileTime(nanoseconds: began), save: save), String(words[3])))
        }
    }

    /// The import of a folder that came last; nil where there was none, the folder is another machine's, the vault has not its
    /// save, or the clock went back.
    ///
    /// - Parameter now: the time.
    func last(
        _ source: BytePath, as target: BytePath, _ options: TreeImportOptions, in vault: Vault, now: FileTime
    ) throws -> EarlierImport? {
        let key = try Self.key(source, target, options)
        guard let found = earlier.last(where: { $0.key == key && $0.value.began < now }),
            Machine.store.files.medium(source) != .network
        else { return nil }
        let fingerprint = try vault.lines().last { $0.sequence == found.value.save }?.fingerprint
        return fingerprint.map { hexText($0.bytes) } == found.save ? found.value : nil
    }

    /// Notes imports of folders that left out nothing.
    ///
    /// - Parameters:
    ///   - began: when they began.
    ///   - core: of the vault's newest save after them.
    mutating func note(
        _ imports: [(source: BytePath, target: BytePath)], _ options: TreeImportOptions, began: FileTime, _ core: Core
    ) {
        guard let folder, !imports.isEmpty else { return }
        // The vault is saved: whatever fails here costs time alone.
        folder.trying {
            for (source, target) in imports {
                let key = try Self.key(source, target, options)
                earlier.removeAll { $0.key == key }
                earlier.append(
                    (key, .init(began: began, save: core.sequence), hexText(core.fingerprint.prefix16.bytes)))
            }
            let lines = earlier.suffix(Self.most).map {
                "\($0.key) \($0.value.began.nanoseconds) \($0.value.save) \($0.save)\n"
            }
            try folder.replace(name, Array(lines.joined().utf8))
        }
    }

    /// A hash of the folder, its place in the vault and the options. Another disk may be mounted in the folder's place.
    private static func key(_ source: BytePath, _ target: BytePath, _ options: TreeImportOptions) throws -> String {
        let (place, status) = (try Machine.store.files.resolve(source), try Machine.store.files.status(source))
        let number = Array("\(status.device) \(status.inode)".utf8)
        let flags = [options.skipsCaches, options.staysOnFileSystem, options.keepsModes].map { UInt8($0 ? 1 : 2) }
        let parts: [[UInt8]] = [place.bytes, number, target.bytes, flags] + options.excluded.texts
        // No path, name or pattern has a NUL.
        let bytes = Array(parts.joined(separator: [0]))
        let hash = try SHA256.hash(bytes.span)
        return hexText(Array(hash.prefix(16)))
    }

    /// Forgets a vault, or all of them.
    static func forget(_ vaultID: VaultID? = nil) {
        Machine.state(folder)?.forget(vaultID)
    }
}
