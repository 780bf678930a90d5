package import Foundation
package import VaultCrypto
package import VaultFormat
import VaultIO
package import VaultStore

/// One file of TestVectors (Spec/reader.md, 9).
package struct Vector: CustomStringConvertible, Sendable {
    package static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "TestVectors")

    package let name: String
    package let header: [String: String]
    package let file: [UInt8]

    package var description: String { name }

    /// All of them, by name: those of the generator, and the vaults that must open for ever.
    package static let all: [Vector] = {
        let files = [folder, folder.appending(path: "frozen")].flatMap { folder in
            (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        }
        return files.filter { $0.pathExtension == "vector" }.sorted { $0.path < $1.path }.map(Vector.init)
    }()

    init(_ url: URL) {
        name = url.deletingPathExtension().lastPathComponent
        let text = try! String(contentsOf: url, encoding: .utf8)  // a broken vector is a broken repository
        let parts = text.range(of: "\n\n")!
        header = Dictionary(
            uniqueKeysWithValues: text[..<parts.lowerBound].split(separator: "\n").map { line in
                let colon = line.firstIndex(of: ":")!
                return (String(line[..<colon]), String(line[colon...].dropFirst(2)))
            })
        var file = [UInt8](repeating: 0, count: Int(header["size"]!)!)
        for row in text[parts.upperBound...].split(separator: "\n") {
            let words = row.split(separator: " ")
            let bytes = bytesFromHex(words[1])
            file.replaceSubrange(Int(words[0], radix: 16)!..<Int(words[0], radix: 16)! + bytes.count, with: bytes)
        }
        self.file = file
    }

    /// The password's bytes, escapes undone.
    package var password: [UInt8]? { unescaped("password") }

    private func unescaped(_ key: String) -> [UInt8]? {
        guard let text = header[key] else { return nil }
        var (bytes, rest) = ([UInt8](), Array(text.utf8)[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            if rest.popFirst() == UInt8(ascii: "x") {
                bytes += bytesFromHex(String(decoding: rest.prefix(2), as: UTF8.self))
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// The master key, by way of the password or given.
    package func unlock(_ locked: LockedVault) throws -> Secret {
        if let hex = header["master-key"] { return try Secret(copying: bytesFromHex(hex).span) }
        return try locked.slots.unlock(with: credential(), of: locked.header)
    }

    private func credential() throws -> Credential {
        if let sheet = unescaped("recovery-key") {
            return Credential(recoveryKey: try RecoveryKey.parse(Secret(copying: sheet.span)))
        }
        if let hex = header["device-key"] { return Credential(deviceKey: try Secret(copying: bytesFromHex(hex).span)) }
        if let file = unescaped("identity") {
            return try Credential(identity: Identity.parse(Secret(copying: file.span)))
        }
        guard let password, !password.isEmpty else { throw FormatError(.invalid, "the password is empty") }
        let keyfile = header["keyfile"].map { bytesFromHex($0) }
        if keyfile == [] { throw FormatError(.invalid, "the keyfile is empty") }
        return try Credential(
            password: Secret(copying: password.span), keyfileDigest: keyfile.map { try SHA256.hash($0.span) })
    }
}

package func bytesFromHex(_ text: some StringProtocol) -> [UInt8] {
    let digits = Array(text.utf8).map { UInt8($0 < 58 ? $0 - 48 : $0 - 87) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

package func hexText(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// The class of an error in the words of Spec/reader.md, 1.
package func className(_ body: () throws -> FormatError.Code?) rethrows -> String {
    do { return try body()?.rawValue ?? "ok" } catch let error as FormatError { return error.code.rawValue }
}

extension Vector {
    /// The outcomes of a vector: the values of its header that are outcomes, by key.
    package typealias Outcome = [String: String]

    private static let outcomes: Set = [
        "read", "released", "keyless", "verify", "audited", "unpack", "unpacked", "shown", "repaired",
    ]

    package var expected: Outcome { header.filter { Self.outcomes.contains($0.key) } }

    /// Runs the operations of Spec/reader.md, 9, that the vector has an outcome of. They must not change the file.
    package func outcome() throws -> Outcome {
        let files = MemoryFileSystem()
        files.write("v.qvault", file)
        let environment = testEnvironment(files)
        var outcome = try reading(environment)
        let keyless = try className { try LockedVault("v.qvault", in: environment).verify().worst }
        let verify = try className { try open(environment).verify().worst }
        (outcome["keyless"], outcome["verify"]) = (keyless, verify)
        if let text = unescaped("audit-key") {
            let audited = try className { try audit(environment, text) }
            outcome["audited"] = audited
        }
        if let number = header["at"].flatMap(UInt64.init) {
            let shown = try showing(environment, number)
            outcome["shown"] = shown
        }
        if header["unpack"] != nil {
            outcome["unpack"] = try unpack(environment, files)
            let written = try Self.written(in: "out", files)
            outcome["unpacked"] = hexText(try SHA256.hash(written.span))
        }
        if header["repaired"] != nil { outcome["repaired"] = try repaired(environment, files) }
        precondition(files.node("v.qvault")?.content == file, "reading changes nothing")
        return outcome
    }

    /// The hash of the repaired file, or `none` where there is no parity.
    private func repaired(_ environment: StoreEnvironment, _ files: MemoryFileSystem) throws -> String {
        do { _ = try Repair("v.qvault", to: "repaired.qvault", mends: false, in: environment) } catch is FormatError {
            return "none"
        }
        let content = files.node("repaired.qvault")?.content ?? []
        return hexText(try SHA256.hash(content.span))
    }

    private func open(_ environment: StoreEnvironment) throws -> Vault {
        let locked = try LockedVault("v.qvault", in: environment)
        return try locked.open(master: unlock(locked))
    }

    private func reading(_ environment: StoreEnvironment) throws -> Outcome {
        var released = try SHA256()
        let read = try className {
            let vault = try open(environment)
            let entries = try vault.entries()
            var tree = VaultTree(entries)
            for entry in entries { _ = try tree.path(of: entry) }
            for entry in entries { try vault.read(entry) { try released.update($0) } }
            return nil
        }
        let digest = try released.finish()
        return ["read": read, "released": hexText(digest)]
    }

    /// The hash of what the state after a save gives, or a class.
    private func showing(_ environment: StoreEnvironment, _ number: UInt64) throws -> String {
        var digest = try SHA256()
        do {
            let result = try className {
                let vault = try open(environment).snapshot(atSave: number)
                for entry in try vault.entries() { try vault.read(entry) { try digest.update($0) } }
                return nil
            }
            return try result == "ok" ? hexText(digest.finish()) : result
        } catch VaultError.noSuchSave { return "not-there" }
    }

    private func audit(_ environment: StoreEnvironment, _ text: [UInt8]) throws -> FormatError.Code? {
        guard !text.isEmpty else { throw FormatError(.invalid, "an empty audit key file") }
        let text = try Secret(copying: text.span)
        let key = try AuditKey(parsing: text)
        return try LockedVault("v.qvault", in: environment).verify(with: key).worst
    }

    /// Extracts to the folder `out`.
    private func unpack(_ environment: StoreEnvironment, _ files: MemoryFileSystem) throws -> String {
        files.write("out", [], kind: .folder)
        var codes: [FormatError.Code] = []
        var isIncomplete = false
        let result = try className {
            let vault = try open(environment)
            let work = try TreeExport(vault, to: "out", replacing: false) { problem in
                isIncomplete = true
                if case .unreadableRecord(let error) = problem.reason { codes.append(error.code) }
            }
            // The outcomes are those without attachments (Spec/reader.md, 6).
            let (files, others) = try vault.entries().reduce(into: ([Entry](), [Entry]())) {
                if $1.kind == .attachment { $0.1.append($1) } else { $0.0.append($1) }
            }
            isIncomplete = !others.isEmpty
            try work.write(TreeListing(files))
            return [.tampered, .damaged, .malformed, .unsupported].first { codes.contains($0) }
        }
        return result == "ok" && isIncomplete ? "left-out" : result
    }

    /// The files in a folder, as Spec/reader.md, 9 hashes them.
    private static func written(in folder: BytePath, _ files: MemoryFileSystem) throws -> [UInt8] {
        func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
            (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * (byteCount - 1 - $0))) }
        }
        var found: [(path: [UInt8], bytes: [UInt8])] = []
        func visit(_ folder: BytePath, _ prefix: [UInt8]) throws {
            for entry in try files.openFolder(folder).entries() {
                let (path, place) = (prefix + entry.name, folder.appending(entry.name))
                guard let node = files.node(place) else { continue }
                let file: Character = node.isExecutable ? "x" : "f"
                let letter: Character = node.kind == .folder ? "d" : node.kind == .symlink ? "l" : file
                let content = letter == "d" ? [] : node.content
                let head = [letter.asciiValue!] + number(path.count, 4) + path + number(content.count, 8)
                found.append((path, head + content))
                if letter == "d" { try visit(place, path + [UInt8(ascii: "/")]) }
            }
        }
        try visit(folder, [])
        return found.sorted { $0.path.lexicographicallyPrecedes($1.path) }.flatMap(\.bytes)
    }
}
