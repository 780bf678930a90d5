import Foundation
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// One file of TestVectors (Spec/reader.md, 9).
struct Vector: CustomStringConvertible, Sendable {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "TestVectors")

    let name: String
    let header: [String: String]
    let file: [UInt8]

    var description: String { name }

    /// All of them, by name.
    static let all: [Vector] = {
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
    var password: [UInt8]? {
        guard let text = header["password"] else { return nil }
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
    func unlock(_ locked: LockedVault) throws -> Secret {
        if let hex = header["master-key"] { return try Secret(copying: bytesFromHex(hex).span) }
        guard let password, !password.isEmpty else { throw FormatError(.invalid, "the password is empty") }
        let credential = try Credential(password: Secret(copying: password.span))
        return try locked.slots.unlock(with: credential, vaultID: locked.header.vaultID)
    }
}

func bytesFromHex(_ text: some StringProtocol) -> [UInt8] {
    let digits = Array(text.utf8).map { UInt8($0 < 58 ? $0 - 48 : $0 - 87) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func hexText(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// The class of an error in the words of Spec/reader.md, 1.
func className(_ body: () throws -> FormatError.Code?) rethrows -> String {
    do { return try body()?.rawValue ?? "ok" } catch let error as FormatError { return error.code.rawValue }
}
