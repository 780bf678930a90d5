import Foundation
import Testing
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Spec/example.md, value by value: the page was made by an encoder that shares nothing with this code.
struct ExampleTests {
    /// `name = hex` of all fenced lines.
    private static let values: [String: [UInt8]] = {
        let page = Vector.folder.deletingLastPathComponent().appending(path: "Spec/example.md")
        let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
        var values: [String: [UInt8]] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.components(separatedBy: " = ")
            if parts.count == 2, parts[1].allSatisfy(\.isHexDigit) { values[parts[0]] = bytesFromHex(parts[1]) }
        }
        return values
    }()

    private func value(_ name: String) throws -> [UInt8] { try #require(Self.values[name], "\(name)") }

    private func secret(_ name: String) throws -> Secret {
        let bytes = try value(name)
        return try Secret(copying: bytes.span)
    }

    /// Hands out the page's random draws in their order.
    private struct Draws: RandomSource, Sendable {
        var rest: [[UInt8]]

        mutating func fill(_ bytes: inout MutableSpan<UInt8>) throws {
            let draw = rest.removeFirst()
            #expect(draw.count == bytes.count)
            for i in draw.indices { bytes[i] = draw[i] }
        }
    }

    private func environment(_ files: MemoryFileSystem, minute: UInt64, _ draws: [String]) throws -> StoreEnvironment {
        var environment = testEnvironment(files)
        environment.now = { Timestamp(microseconds: 1_767_323_045_000_000 + minute * 60_000_000) }
        environment.writer = "qvault"
        environment.random = Draws(rest: try draws.map { try value("draw \($0)") })
        return environment
    }

    @Test func thePageIsThere() { #expect(Self.values.count >= 150) }

    /// The product's own writer, given the page's draws, makes the page's vault byte for byte.
    @Test func theWriterMakesTheSameFile() throws {
        let files = MemoryFileSystem()
        let start: FileTime = 1_767_323_045_000_000_000
        files.write("docs/hello.txt", Array("Hello, vault!\n".utf8)).modified = start
        files.node("docs")?.modified = start
        files.write("latest", Array("docs/hello.txt".utf8), kind: .symlink).modified = start
        let first = try environment(
            files, minute: 0,
            [
                "vault id", "epoch random", "master key", "slot 0 id", "slot 0 salt", "slot 0 nonce",
                "slot 0 label nonce",
                "commit 1 salt", "commit 1 record 0 salt", "commit 1 record 1 salt", "commit 1 record 2 salt",
            ])
        let password = try Secret(copying: Array("correct horse battery staple".utf8).span)
        do {
            let creation = try VaultCreation("v.qvault", credential: Credential(password: password), in: first)
            let work = try creation.treeImport { #expect(Bool(false), "\($0)") }
            try work.add("docs", as: "docs")
            try work.add("latest", as: "latest")
            try creation.commit()
        }

        files.write("new.txt", Array("Hello again, vault!\n".utf8)).modified = 1_767_323_105_000_000_000
        let second = try environment(files, minute: 1, ["commit 2 salt", "commit 2 record 0 salt"])
        let master = try value("draw master key")
        let save = try VaultTransaction("v.qvault", in: second) { _ in try Secret(copying: master.span) }
        try save.treeImport { #expect(Bool(false), "\($0)") }.add("new.txt", as: "docs/hello.txt")
        try save.commit()

        let expected = try #require(Vector.all.first { $0.name == "ok-example" }).file
        let ours = try #require(files.node("v.qvault")).content
        let difference = zip(ours, expected).enumerated().first { $1.0 != $1.1 }?.offset
        #expect(ours.count == expected.count)
        #expect(difference == nil, "first difference")
    }

    private func epoch() throws -> [UInt8] { try [0, 0, 0, 0, 0, 0, 0, 1] + value("draw epoch random") }

    @Test func theSlotOpens() throws {
        let salt = try value("draw slot 0 salt")
        let password = try Secret(copying: Array("correct horse battery staple".utf8).span)
        let p = try PasswordHash.pbkdf2(password: password, salt: salt.span, iterations: 100_000)
        #expect(try p.isEqual(to: secret("slot 0 p")))
        let vaultID = VaultID(try value("draw vault id"))
        let keys = try deriveKey(
            from: p, salt: salt, .slot, vaultID: vaultID, context: value("draw slot 0 id") + [1] + epoch(),
            byteCount: 64)
        #expect(try keys.isEqual(to: secret("slot 0 wrap key and commitment")))
    }

    /// The other kinds of secrets, at the same slot.
    @Test(arguments: 2...4) func everyKindOfSecretGivesItsKeys(_ kind: Int) throws {
        let vaultID = VaultID(try value("draw vault id"))
        let salt = try value("draw slot 0 salt")
        let context = try value("draw slot 0 id") + [UInt8(kind)] + epoch()
        let keys = try deriveKey(
            from: secret("kind \(kind) ikm"), salt: salt, .slot, vaultID: vaultID, context: context, byteCount: 64)
        #expect(try keys.isEqual(to: secret("kind \(kind) wrap key and commitment")))
    }

    /// The source of the input key material of these kinds.
    @Test func everyKindOfSecretIsRead() throws {
        let keyfile = try value("keyfile")
        #expect(try SHA256.hash(keyfile.span) == value("keyfile sha-256"))
        #expect(try value("kind 2 ikm") == value("slot 0 p") + value("keyfile sha-256"))
        let salt = try value("draw slot 0 salt")
        let key = try secret("recovery key")
        let p = try PasswordHash.pbkdf2(password: key, salt: salt.span, iterations: 100_000)
        #expect(try p.isEqual(to: secret("kind 3 ikm")))
    }

    @Test func everyKeyIsDerivedAsTheSpecSays() throws {
        let vaultID = VaultID(try value("draw vault id"))
        let keys = try Keys(
            master: secret("draw master key"), vaultID: vaultID, epoch: Epoch(Bytes16(epoch())))
        #expect(try keys.recordRoot.isEqual(to: secret("record root")))
        #expect(try keys.ownerTag.isEqual(to: secret("owner tag key")))
        #expect(try keys.slotLabel.isEqual(to: secret("slot-label key")))
        #expect(try keys.witness.isEqual(to: secret("witness key")))
        #expect(try keys.salt.isEqual(to: secret("salt key")))
        #expect(try keys.audit.root.isEqual(to: secret("audit root")))
        #expect(try keys.audit.tag.isEqual(to: secret("audit tag key")))
        #expect(try keys.header.isEqual(to: secret("header key")))
        for commit in 1...2 {
            let salt = Salt(try value("commit \(commit) salt"))
            for (purpose, name) in [
                (Purpose.segment, "segment key"), (.privatePart, "private key"), (.padding, "padding key"),
            ] {
                #expect(try keys.commitKey(purpose, salt: salt).isEqual(to: secret("commit \(commit) \(name)")))
            }
        }
    }

    /// Every sealed value opens to its plaintext under the key, nonce and additional data that the page gives.
    @Test func everySealedValueOpens() throws {
        var count = 0
        for (name, sealed) in Self.values where name.hasSuffix(" sealed") {
            let stem = String(name.dropLast(7))
            let key =
                if stem == "slot 0 label" {
                    "slot-label key"
                } else if stem.hasSuffix("header") {
                    "header key"
                } else if stem.contains("chunk") {
                    stem.replacing(#/chunk \d+/#, with: "record key")
                } else if stem.hasSuffix("private") {
                    stem + " key"
                } else {
                    stem.replacing(#/segment .*/#, with: "segment key")
                }
            var cipher = try AESGCM(key: secret(key))
            let nonce = try Self.values["\(stem) nonce"] ?? value("draw \(stem) nonce")
            let plain = try cipher.opened(
                sealed.span, nonce: Nonce(prefix: nonce.span), aad: Self.values["\(stem) aad"] ?? [])
            #expect(try plain == value("\(stem) plaintext"), "\(name)")
            count += 1
        }
        #expect(count >= 15)
    }

    @Test func namesGiveTheirIDs() throws {
        let docs = try TreeName.id(Array("docs".utf8), in: nil)
        #expect(try docs.bytes == value("id docs"))
        #expect(try TreeName.id(Array("hello.txt".utf8), in: docs).bytes == value("id docs hello.txt"))
        #expect(try TreeName.id(Array("latest".utf8), in: nil).bytes == value("id latest"))
    }
}
