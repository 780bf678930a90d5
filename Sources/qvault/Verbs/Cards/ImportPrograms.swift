import Glibc
import VaultCrypto
import VaultFormat
import Exchange
import VaultIO

/// A database of KeePass, read by the program of KeePassXC where it is installed. The password and what the program
/// prints stay in memory.
final class KeePassDatabase {
    private let path: BytePath
    private let keyfile: BytePath?
    private let password: Secret

    private static let byteCount = 256 << 20

    init(_ path: BytePath, isPiped: Bool, _ arguments: Arguments) throws {
        guard !isPiped else { throw Failure(.usage, "a .kdbx file is given by its name, not on standard input") }
        guard isInstalled("keepassxc-cli") else {
            throw Failure(
                .failure, "\(path): reading a .kdbx file takes keepassxc-cli",
                hint: "install keepassxc, or export the database as XML")
        }
        (self.path, keyfile) = (path, arguments.bytes(.sourceKeyfile).map { BytePath($0) })
        password =
            try arguments.bytes(.sourcePasswordFile).map { try readSecret(fromFile: BytePath($0)) }
            ?? Terminal.askPassword("password of \(path): ")
    }

    /// Its content as XML, without attachments.
    func xml() throws -> [UInt8] {
        guard let xml = try run("export -f xml", [], isOutputNamed: false) else {
            throw Failure(
                .wrongKey, "\(path): keepassxc-cli cannot open it: wrong password or keyfile, or a damaged file")
        }
        return xml
    }

    /// An attachment of the entry at a path; nil where the program finds none, or several entries have the path.
    func attachment(_ entry: String, _ name: String) -> [UInt8]? {
        // On standard output the program would take the bytes for text.
        (try? run("attachment-export", [entry, name], isOutputNamed: true)) ?? nil
    }

    /// The output of a command of keepassxc-cli; nil where it fails. Names go through the environment.
    private func run(_ command: String, _ words: [String], isOutputNamed: Bool) throws -> [UInt8]? {
        let input = try MemoryFile("password")
        try password.withSpan { try input.write($0) }
        try input.write([0x0A].span)
        let output = try MemoryFile("database")
        var line = "keepassxc-cli \(command) -q"
        if let keyfile {
            unsafe setenv("QUICKVAULT_KEYFILE", keyfile.shellWord, 1)
            line += " -k \"$QUICKVAULT_KEYFILE\""
        }
        unsafe setenv("QUICKVAULT_DATABASE", path.shellWord, 1)
        line += " -- \"$QUICKVAULT_DATABASE\""
        for (index, word) in words.enumerated() {
            unsafe setenv("QUICKVAULT_WORD_\(index)", word, 1)
            line += " \"$QUICKVAULT_WORD_\(index)\""
        }
        let isDone = isOutputNamed ? input.run(line + " {}", writingTo: output) : input.run(line, outputTo: output)
        guard isDone else { return nil }
        return try output.bytes(limit: Self.byteCount)
    }
}

extension BytePath {
    /// A name that no program takes for an option.
    fileprivate var shellWord: String {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasPrefix("-") ? "./" + text : text
    }
}

/// A folder of pass, the standard Unix password manager, decrypted by gpg.
struct PasswordStore {
    private let folder: BytePath

    init(_ folder: BytePath) { self.folder = folder }

    private static let byteCount = 1 << 20
    /// Files that only serve the program.
    private static let ownFiles: Set<String> = [
        ".gpg-id", ".gpg-id.sig", ".git", ".gitattributes", ".gitignore", ".extensions", ".public-keys",
    ]

    func batch() throws -> ImportBatch {
        guard isInstalled("gpg") else { throw Failure(.failure, "\(folder): reading a password store takes gpg") }
        var batch = ImportBatch()
        try add(Machine.store.files.openFolder(folder), "", to: &batch, depth: 1)
        return batch
    }

    private func add(_ place: any Folder, _ prefix: String, to batch: inout ImportBatch, depth: Int) throws {
        for entry in try place.entries().sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
            let name = String(decoding: entry.name, as: UTF8.self)
            if Self.ownFiles.contains(name) { continue }
            guard depth < 64 else {
                batch.leaveOut("\(printable((prefix + name).utf8))", "is nested too deep")
                continue
            }
            let kind = try entry.kind ?? place.status(of: entry.name).kind
            if kind == .folder {
                try add(place.openFolder(entry.name), "\(prefix)\(name)/", to: &batch, depth: depth + 1)
            } else if kind != .regular || !name.hasSuffix(".gpg") {
                batch.leaveOut("\(printable((prefix + name).utf8))", "not a file that ends in .gpg")
            } else {
                let whole = "\(prefix)\(name.dropLast(4))"
                let file = try place.openFile(entry.name, writing: false)
                let size = try file.status().size
                if size > UInt64(Self.byteCount) {
                    batch.leaveOut("\(printable(whole.utf8))", "is longer than \(sizeText(UInt64(Self.byteCount)))")
                } else if let text = try decrypted(file.bytes(at: 0, count: Self.byteCount)) {
                    batch.add(pass: whole, text: text)
                } else {
                    batch.leaveOut("\(printable(whole.utf8))", "gpg cannot decrypt it, or it is too long")
                }
            }
        }
    }

    private func decrypted(_ bytes: [UInt8]) throws -> [UInt8]? {
        let input = try MemoryFile("encrypted")
        let output = try MemoryFile("text")
        try input.write(bytes.span)
        guard input.run("gpg -q --no-tty -d", outputTo: output) else { return nil }
        return try? output.bytes(limit: Self.byteCount)
    }
}
