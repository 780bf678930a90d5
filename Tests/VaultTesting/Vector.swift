package import Foundation
package import VaultCrypto
package import VaultFormat
package import VaultStore

/// One file of TestVectors (Spec/reader.md, 9).
package struct Vector: CustomStringConvertible, Sendable {
    package static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "TestVectors")

    package let name: String
    package let header: [String: String]
    package let file: [UInt8]

    package var description: String { name }

    /// All of them, by name.
    package static let all: [Vector] = {
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
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
    /// What a reader makes of a vector: classes of its three operations, and the hash of what was released.
    package struct Outcome: Equatable, Sendable {
        package let read, keyless, verify, released: String
    }

    package var expected: Outcome {
        Outcome(
            read: header["read"] ?? "", keyless: header["keyless"] ?? "", verify: header["verify"] ?? "",
            released: header["released"] ?? "")
    }

    /// Runs the three operations of Spec/reader.md, 9, which must not change the file.
    package func outcome() throws -> Outcome {
        let files = MemoryFileSystem()
        files.write("v.qvault", file)
        let world = testWorld(files)
        var released = try SHA256()
        let read = try className {
            let locked = try LockedVault("v.qvault", in: world)
            let vault = try locked.open(master: unlock(locked))
            let entries = try vault.entries()
            var tree = VaultTree(entries)
            for entry in entries { _ = try tree.path(of: entry) }
            for entry in entries { try vault.read(entry) { try released.update($0) } }
            return vault.unreadableNewest?.code
        }
        let keyless = try className { try Verification.keyless(LockedVault("v.qvault", in: world)).worst }
        let verify = try className {
            let locked = try LockedVault("v.qvault", in: world)
            return try Verification.full(locked.open(master: unlock(locked))).worst
        }
        precondition(files.node("v.qvault")?.content == file, "reading changes nothing")
        return Outcome(read: read, keyless: keyless, verify: verify, released: hexText(try released.finish()))
    }
}
