import Foundation
import Testing

/// Ordinary use.
struct RoundTripTests {
    /// A folder with everything that a folder may hold.
    private func makeTree(_ sandbox: Sandbox) throws {
        let script = #"""
            mkdir -p tree/empty tree/deep/er tree/中文 && cd tree
            printf 'hello\n' > plain; : > nothing; head -c 200000 /dev/urandom > deep/er/large
            printf '#!/bin/sh\n' > run.sh; chmod 755 run.sh; chmod 600 plain
            printf 名 > 中文/身份证.txt; printf x > "$(printf 'latin-\351')"; printf y > "$(printf 'new\nline\tand \033[31mred')"
            printf z > ' leading and trailing '; printf d > -dash; printf q > "quo'te\"s"
            ln -s plain link; ln -s ../plain deep/up; ln -s missing dangling; ln plain hard
            touch -h -d '2001-02-03 04:05:06.123456789' link; touch -d '1969-12-31 23:59:59.5 UTC' nothing
            touch -d '2030-01-01' deep/er/large; touch -d '2000-01-01' empty deep/er deep
            """#
        #expect(try sandbox.shell(script).code == 0)
    }

    private func state(_ sandbox: Sandbox, _ folder: String) throws -> String {
        let list = #"find . -mindepth 1 \( -type d -printf '%P d %T@\n' -o -printf '%P %y %s %T@ %l\n' \)"#
        return try sandbox.shell(
            "cd '\(folder)' && { \(list); find . -type f -perm /111; } | sort; find . -type f -print0 | sort -z | xargs -0 sha256sum"
        ).text
    }

    @Test func everythingInAFolderComesBack() throws {
        let sandbox = try Sandbox()
        try makeTree(sandbox)
        #expect(try sandbox.qvault("pack", "tree", "-o", "v.qvault") == .init(code: 0, out: Data(), errors: ""))
        #expect(try sandbox.qvault("verify", "v.qvault").text.contains("sound"))
        #expect(try sandbox.qvault("verify", "--keyless", "v.qvault").text.contains("no damage"))
        #expect(try sandbox.qvault("unpack", "v.qvault", "-o", "out") == .init(code: 0, out: Data(), errors: ""))
        #expect(try state(sandbox, "out/tree") == state(sandbox, "tree"))
        #expect(try sandbox.shell("diff -r --no-dereference tree out/tree").code == 0)
    }

    @Test func theSecondReaderAgrees() throws {
        let sandbox = try Sandbox()
        try makeTree(sandbox)
        try sandbox.qvault("pack", "tree", "-o", "v.qvault")
        try sandbox.qvault("put", "-f", "v.qvault", "tree/plain", "--as", "tree/deep/plain")
        try sandbox.qvault("rm", "-f", "v.qvault", "tree/run.sh")
        try sandbox.shell(
            """
            export QVAULT_FILE=v.qvault; $Q mv tree/deep tree/moved; $Q mv tree/moved/plain first
            $Q put tree/deep --as tree/deep; $Q mv tree/moved/ tree/empty/
            """)
        try sandbox.qvault("unpack", "v.qvault", "-o", "ours")
        let reader = Sandbox.repository.appending(path: "Spec/reader/qvault_reader.py").path
        #expect(try sandbox.shell("/usr/bin/python3 '\(reader)' extract v.qvault theirs").code == 0)
        #expect(try state(sandbox, "ours") == state(sandbox, "theirs"))
        #expect(try sandbox.shell("/usr/bin/python3 '\(reader)' verify v.qvault").code == 0)
    }

    @Test func dailyUse() throws {
        let sandbox = try Sandbox()
        try sandbox.write("a.txt", "one\n")
        #expect(try sandbox.qvault("create", "v.qvault").code == 0)
        #expect(try sandbox.qvault("put", "-f", "v.qvault", "a.txt").code == 0)
        try sandbox.write("a.txt", "two\n")
        #expect(try sandbox.qvault("put", "-f", "v.qvault", "a.txt", "--as", "notes/b.txt").code == 0)
        #expect(try sandbox.qvault("cat", "-f", "v.qvault", "a.txt", "notes/b.txt").text == "one\ntwo\n")
        #expect(try sandbox.qvault("cat", "-f", "v.qvault", "b.txt").text == "two\n", "a bare title that is unique")
        #expect(try sandbox.qvault("cat", "-f", "v.qvault", "file:notes/b.txt").text == "two\n")
        let list = try sandbox.qvault("ls", "-f", "v.qvault").text
        #expect(list.split(separator: "\n").count == 3)
        let id = String(list.prefix(8))
        #expect(try sandbox.qvault("ls", "-f", "v.qvault", id).text.hasPrefix(id))
        #expect(try sandbox.qvault("get", "-f", "v.qvault", "a.txt", "-o", "back.txt").code == 0)
        #expect(try sandbox.read("back.txt") == Data("one\n".utf8))
        #expect(try sandbox.qvault("rm", "-f", "v.qvault", "a.txt").code == 0)
        #expect(try sandbox.qvault("cat", "-f", "v.qvault", "a.txt").code == 10)
        #expect(try sandbox.qvault("rm", "-f", "v.qvault", "notes").code == 11, "a folder needs -r")
        #expect(try sandbox.qvault("rm", "-r", "-f", "v.qvault", "notes").code == 0)
        #expect(try sandbox.qvault("ls", "-f", "v.qvault").text == "")
        #expect(try sandbox.qvault("verify", "v.qvault").code == 0)
    }

    @Test func whatIsUnpackedIsPrivate() throws {
        let sandbox = try Sandbox()
        try makeTree(sandbox)
        try sandbox.shell(
            "umask 0; $Q pack tree -o v.qvault; $Q unpack v.qvault -o out; $Q get -f v.qvault tree/plain -o plain")
        #expect(try sandbox.shell("find v.qvault out plain ! -type l -perm /077").text == "")
        #expect(try sandbox.shell("find out -type f -perm /100").text == "out/tree/run.sh\n")
    }

    @Test func whatIsUnchangedIsNotStoredAgain() throws {
        let sandbox = try Sandbox()
        try makeTree(sandbox)
        try sandbox.qvault("pack", "tree", "-o", "v.qvault")
        let before = try sandbox.read("v.qvault")
        #expect(try sandbox.qvault("put", "-f", "v.qvault", "tree").code == 0)
        #expect(try sandbox.read("v.qvault") == before)
        // The same length and time, but one byte.
        try sandbox.shell("cp -p tree/plain p; printf 'jello\n' > tree/plain; touch -r p tree/plain")
        #expect(try sandbox.qvault("put", "-f", "v.qvault", "tree").code == 0)
        #expect(try sandbox.qvault("cat", "-f", "v.qvault", "tree/plain").text == "jello\n")
        #expect(try sandbox.read("v.qvault").count - before.count <= 16_384)
    }

    @Test func damageToOneRecordCostsThatRecord() throws {
        let sandbox = try Sandbox()
        try sandbox.shell("mkdir d; for i in 1 2 3 4; do head -c 200000 /dev/urandom > d/$i; done")
        try sandbox.qvault("pack", "d", "-o", "v.qvault")
        try sandbox.patch("v.qvault", at: 131_072 + 300_000) { $0 ^ 1 }
        let outcome = try sandbox.qvault("unpack", "v.qvault", "-o", "out")
        #expect(outcome.code == 5 && outcome.errors.contains("d/2: left out: damaged: chunk 2 of 4 of a record"))
        #expect(
            try sandbox.shell("cmp d/1 out/d/1 && cmp d/3 out/d/3 && cmp d/4 out/d/4 && ls out/d").text == "1\n3\n4\n")
    }

    @Test func aSlashBehindALinkLeadsThroughIt() throws {
        let sandbox = try Sandbox()
        try sandbox.shell("mkdir d; echo x > d/f; ln -s d link")
        try sandbox.qvault("pack", "link/", "-o", "v.qvault")
        #expect(try sandbox.qvault("cat", "-f", "v.qvault", "link/f").text == "x\n")
        try sandbox.qvault("pack", "link", "-o", "w.qvault")
        #expect(try sandbox.qvault("cat", "-f", "w.qvault", "link").text == "d")
    }

    @Test func oneMissingSourceOfSeveral() throws {
        let sandbox = try Sandbox()
        try sandbox.write("a", "1")
        try sandbox.write("b", "2")
        for order in [["none", "a", "b"], ["a", "none", "b"], ["a", "b", "none"]] {
            let outcome = try sandbox.shell("rm -f v.qvault; $Q pack \(order.joined(separator: " ")) -o v.qvault")
            #expect(outcome.code == 1 && outcome.errors.contains("none: not stored: cannot read"))
            #expect(try sandbox.qvault("ls", "-f", "v.qvault").text.split(separator: "\n").count == 2)
        }
    }

    @Test func streamsOfAnyLength() throws {
        let sandbox = try Sandbox()
        for count in [0, 1, 65_536, 3_000_001] {
            let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try? FileManager.default.removeItem(at: sandbox.folder.appending(path: "s.qvault"))
            #expect(try sandbox.qvault("pack", "-", "--name", "s.bin", "-o", "s.qvault", input: data).code == 0)
            #expect(try sandbox.qvault("cat", "-f", "s.qvault", "s.bin").out == data)
            #expect(try sandbox.qvault("put", "-f", "s.qvault", "-", "--as", "x/y", input: data).code == 0)
            #expect(try sandbox.qvault("cat", "-f", "s.qvault", "x/y").out == data)
        }
    }

    @Test func listsAreMachineReadable() throws {
        let sandbox = try Sandbox()
        try makeTree(sandbox)
        try sandbox.qvault("pack", "tree", "-o", "v.qvault")
        let lines = try sandbox.qvault("ls", "-f", "v.qvault", "--json").text.split(separator: "\n")
        #expect(lines.count == 19)
        let records = try lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(records.allSatisfy { ($0["id"] as? String)?.count == 32 })
        let latin = records.first { ($0["path_hex"] as? String) != nil }
        #expect(latin?["path"] as? String == "tree/latin-\\xe9")
        let large = records.first { $0["path"] as? String == "tree/deep/er/large" }
        #expect(large?["size"] as? Int == 200_000 && large?["modified"] as? String == "2030-01-01T00:00:00Z")
        let info = try sandbox.qvault("info", "v.qvault", "--json").text
        let object = try #require(try JSONSerialization.jsonObject(with: Data(info.utf8)) as? [String: Any])
        #expect(object["sequence"] as? Int == 1)
    }

    @Test func controlCharactersNeverReachTheTerminal() throws {
        let sandbox = try Sandbox()
        try makeTree(sandbox)
        try sandbox.qvault("pack", "tree", "-o", "v.qvault")
        for outcome in [
            try sandbox.qvault("ls", "-f", "v.qvault"), try sandbox.qvault("ls", "-f", "v.qvault", "--json"),
            try sandbox.qvault("ls", "-f", "v.qvault", "\u{1B}[31m\u{202E}"),
        ] {
            let text = outcome.text + outcome.errors
            #expect(!text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" || $0.value == 0x202E })
        }
    }

    @Test func namedPartsUnpackAlone() throws {
        let sandbox = try Sandbox()
        try makeTree(sandbox)
        try sandbox.qvault("pack", "tree", "-o", "v.qvault")
        #expect(try sandbox.qvault("unpack", "v.qvault", "-o", "part", "tree/deep", "tree/plain").code == 0)
        #expect(
            try sandbox.listing().filter { $0.hasPrefix("part/") }
                == [
                    "part/tree", "part/tree/deep", "part/tree/deep/er", "part/tree/deep/er/large", "part/tree/deep/up",
                    "part/tree/plain",
                ])
    }

    @Test func forceReplacesFilesAndNothingElse() throws {
        let sandbox = try Sandbox()
        try sandbox.write("d/f", "new")
        try sandbox.write("d/g", "new")
        try sandbox.qvault("pack", "d", "-o", "v.qvault")
        try sandbox.write("out/d/f", "old")
        try sandbox.write("out/d/g/in-the-way", "old")
        let plain = try sandbox.qvault("unpack", "v.qvault", "-o", "out")
        #expect(plain.code == 1 && plain.errors.contains("d/f: left out: exists"))
        #expect(try sandbox.read("out/d/f") == Data("old".utf8))
        let forced = try sandbox.qvault("unpack", "v.qvault", "-o", "out", "--force")
        #expect(forced.code == 1 && forced.errors.contains("d/g: left out: exists"))
        #expect(try sandbox.read("out/d/f") == Data("new".utf8))
        #expect(try sandbox.listing().filter { $0.contains("tmp") } == [])
    }

    @Test func helpHasAnExampleForEveryVerb() throws {
        let sandbox = try Sandbox()
        let help = try sandbox.qvault("--help")
        #expect(help.code == 0)
        for verb in ["create", "pack", "unpack", "ls", "cat", "get", "put", "rm", "verify", "info"] {
            #expect(help.text.contains("  \(verb) "))
            let own = try sandbox.qvault(verb, "--help")
            #expect(own.code == 0 && own.text.contains("example:\n  qvault \(verb)") && own.text.contains("--quiet"))
        }
        #expect(try sandbox.qvault("--version").text == "qvault 0.3.0\n")
    }
}
