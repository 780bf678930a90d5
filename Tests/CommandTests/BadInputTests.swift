import Foundation
import Testing

/// Errors: the message names the object and the place, the hint says what to do, the code says which kind, and
/// nothing is changed or left behind.
struct BadInputTests {
    /// A way to call the command that must fail.
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let script: String
        let code: Int32
        let says: [String]

        init(_ name: String, _ script: String, _ code: Int32, _ says: String...) {
            (self.name, self.script, self.code, self.says) = (name, script, code, says)
        }

        var testDescription: String { name }
    }

    /// The folder has: v.qvault (password correct-horse-battery; d/f, d/g), d with these, empty, junk, and damaged
    /// copies.
    private func fixture() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.write("d/f", "the content of f\n")
        try sandbox.write("d/g", String(repeating: "g", count: 100_000))
        try sandbox.qvault("pack", "d", "-o", "v.qvault", "--compression", "off")
        try sandbox.write("empty", Data())
        try sandbox.write("junk", Data(repeating: 0x41, count: 200_000))
        let whole = try sandbox.read("v.qvault")
        try sandbox.write("cut.qvault", whole.prefix(150_000))
        try sandbox.write("tail.qvault", whole.dropLast(8192))
        try sandbox.write("short.qvault", whole.prefix(70_000))
        try sandbox.write("page.qvault", whole)
        try sandbox.patch("page.qvault", at: 100) { $0 ^ 1 }
        try sandbox.write("flipped.qvault", whole)
        try sandbox.patch("flipped.qvault", at: 140_000) { $0 ^ 1 }
        return sandbox
    }

    /// Changes both pages of a copy of the vault as somebody without a key can, and cleans up.
    private static let set =
        "cp v.qvault w.qvault; /usr/bin/python3 '\(Sandbox.repository.path)/Tests/Attacks/set_field.py'"
    private static let done = "e=$?; rm -f w.qvault; exit $e"

    static let cases: [Case] = [
        Case("no verb, no vault", "$Q", 10, "no vault yet", "hint:"),
        Case("unknown verb", "$Q unpakc x", 2, "unknown verb 'unpakc'", "hint: did you mean unpack?"),
        Case("unknown option", "$Q ls --jsno", 2, "unknown option '--jsno'", "did you mean --json?"),
        Case(
            "option without its value", "$Q ls -f", 2,
            "-f needs a value"),
        Case("option twice", "$Q ls -f a -f b", 2, "given twice"),
        Case("flag with a value", "$Q ls --json=yes", 2, "takes no value"),
        Case("too few operands", "$Q get -f v.qvault", 2, "NAME [-o FILE] is missing", "hint: qvault get NAME"),
        Case("too many operands", "$Q create a b", 2, "'b' is one too many"),
        Case("no such vault", "$Q ls -f none.qvault", 10, "none.qvault: cannot open: No such file", "hint:"),
        Case("not a vault", "$Q ls -f junk", 8, "junk: not a vault"),
        Case("an empty file", "$Q ls -f empty", 8, "empty: not a vault"),
        Case("a folder as the vault", "$Q ls -f d", 13, "d: cannot open: Is a directory"),
        Case("a device as the vault", "$Q ls -f /dev/zero", 13, "/dev/zero: cannot open"),
        Case("cut in the log", "$Q cat -f cut.qvault d/g", 5, "cut.qvault: damaged at byte", "hint:"),
        Case("cut in the last record", "$Q cat -f tail.qvault d/f", 0, "warning: the file ends 4096 bytes too early"),
        Case("cut in the pages", "$Q ls -f short.qvault", 5, "short.qvault: damaged"),
        Case("writing to a cut vault", "$Q put -f tail.qvault junk", 5, "the file ends", "hint:"),
        Case("verify a damaged page", "$Q verify page.qvault", 4, ""),
        Case("verify a flipped byte", "$Q verify flipped.qvault", 5, ""),
        Case("verify a flipped byte without a key", "$Q verify --keyless flipped.qvault", 5, ""),
        Case("verify junk", "$Q verify junk", 8, "junk: not a vault"),
        Case("verify nothing", "$Q verify none.qvault", 10, "none.qvault: cannot open"),
        Case("verify a folder without vaults", "$Q verify d", 10, "no .qvault file"),
        Case("reading a damaged record", "$Q cat -f flipped.qvault d/g", 5, "damaged at byte", "hint:"),
        Case(
            "wrong password", "QVAULT_PASSWORD_COMMAND='echo wrong-password' $Q ls -f v.qvault", 3, "wrong password",
            "hint:"),
        Case(
            "wrong password to verify", "QVAULT_PASSWORD_COMMAND='echo wrong-password' $Q verify v.qvault", 3,
            "wrong password"),
        Case("an empty password", "QVAULT_PASSWORD_COMMAND=true $Q ls -f v.qvault", 11, "the password is empty"),
        Case(
            "a password that is no text",
            "printf '\\377\\376' > p; $Q ls -f v.qvault --password-file p; e=$?; rm p; exit $e", 11, "not valid UTF-8"),
        Case(
            "a password of 1 MiB and more",
            "head -c 1048600 junk > p; cat junk junk junk junk junk junk >> p; $Q ls -f v.qvault --password-file p; e=$?; rm p; exit $e",
            11, "longer than 1048576"),
        Case(
            "a short new password", "QVAULT_PASSWORD_COMMAND='echo 七个字的密码啊' $Q create n.qvault", 11, "7 characters",
            "at least 8"),
        Case(
            "a password command that fails", "QVAULT_PASSWORD_COMMAND='echo secret; exit 3' $Q ls -f v.qvault", 14,
            "failed with status 3", "hint:"),
        Case("a missing password file", "QVAULT_PASSWORD_FILE=none $Q ls -f v.qvault; ", 10, "none: cannot open"),
        Case(
            "no terminal and no source", "unset QVAULT_PASSWORD_COMMAND; $Q ls -f v.qvault </dev/null", 14,
            "no password source and no terminal", "hint:"),
        Case(
            "password and data on one descriptor", "$Q put -f v.qvault - --as x --password-fd 0", 2,
            "standard input cannot carry both"),
        Case("a slot that does not exist", "$Q ls -f v.qvault --slot 9", 2, "from 1 to 8"),
        Case("a slot that is empty", "$Q ls -f v.qvault --slot 2", 10, "no key slot 2"),
        Case(
            "more iterations than a vault opens with", "$Q create n.qvault --iterations 10000001", 2,
            "from 1 to 10000000"),
        Case("too few iterations", "$Q create n.qvault --iterations 99999", 12, "the least is 100000"),
        Case("iterations that are no number", "$Q create n.qvault --iterations many", 2, "whole number"),
        Case("a calibration that is no time", "$Q create n.qvault --kdf-time soon", 2, "--kdf-time takes a time"),
        Case("output exists: pack", "$Q pack d -o junk", 12, "junk: exists", "hint:"),
        Case("output exists: create", "$Q create v.qvault", 12, "v.qvault: exists"),
        Case("output exists: get", "$Q get -f v.qvault d/f -o junk", 12, "junk: exists", "hint: --force replaces it"),
        Case("no folder for the output", "$Q pack d -o none/x.qvault", 10, "none: cannot open"),
        Case("a file as the target folder", "$Q unpack v.qvault -o junk", 13, "junk: cannot open: Not a directory"),
        Case("nothing to pack", "$Q pack none -o n.qvault", 10, "none: cannot read: No such file"),
        Case("nothing to put", "$Q put -f v.qvault none", 10, "none: cannot read: No such file"),
        Case("no such record", "$Q cat -f v.qvault d/none", 10, "no record 'd/none'", "hint:"),
        Case("no such record to remove", "$Q rm -f v.qvault none", 10, "no record 'none'"),
        Case(
            "no such record to unpack", "$Q unpack v.qvault -o n none; e=$?; rm -rf n; exit $e", 10, "no record 'none'"),
        Case("cat a folder", "$Q cat -f v.qvault d", 11, "'d' is a folder", "hint:"),
        Case("a name that leads up", "$Q put -f v.qvault d/f --as ../f", 11, "'../f' is no name", "hint:"),
        Case("an empty value", "$Q put -f v.qvault d/f --as ''", 2, "--as needs a value"),
        Case("an empty operand", "$Q create ''", 2, "an empty name"),
        Case("a verb that is an option", "$Q -x ls", 2, "a verb comes first, not '-x'"),
        Case(
            "no standard output to unpack to", "$Q unpack v.qvault -o -", 2, "does not write to standard output",
            "hint:"),
        Case("a folder to get to", "$Q get -f v.qvault d/f -o d", 12, "d: is a folder", "hint:"),
        Case("a new vault that is a folder's name", "$Q create new/", 2, "is no name for a file"),
        Case("a long name", "$Q put -f v.qvault d/f --as $(head -c 256 junk)", 11, "is no name"),
        Case("a name without input", "$Q put -f v.qvault -", 2, "needs a name"),
        Case("one name for two", "$Q put -f v.qvault d/f d/g --as x", 2, "--as names one source"),
        Case("two with one name", "$Q put -f v.qvault d/f d/../d/f", 11, "two sources are called 'f'"),
        Case("a file where a folder is", "$Q put -f v.qvault junk --as d", 12, "'d' is a folder in one place", "hint:"),
        Case("a folder where a file is", "$Q put -f v.qvault junk --as d/f/x", 12, "'d/f' is a folder in one place"),
        Case(
            "a newer version", "\(set) w.qvault 8 0002 && $Q ls -f w.qvault; \(done)", 8,
            "newer program: format version 2", "hint:"),
        Case("a newer version to verify", "\(set) w.qvault 8 0002 && $Q verify w.qvault; \(done)", 8, "newer program"),
        Case(
            "an unknown required feature", "\(set) w.qvault 12 00000004 && $Q ls -f w.qvault; \(done)", 8,
            "required features 0x4"),
        Case(
            "an unknown write feature", "\(set) w.qvault 16 00000001 && $Q put -f w.qvault junk; \(done)", 8,
            "write features 1", "read only"),
        Case(
            "a backup copy", "\(set) w.qvault 10 0001 && $Q put -f w.qvault junk; \(done)", 12,
            "a backup, which is read-only", "hint:"),
        Case(
            "iterations above the ceiling", "\(set) w.qvault 260 00989681 && timeout 1 $Q ls -f w.qvault; \(done)", 12,
            "10000001 PBKDF2 iterations", "--accept-kdf-cost"),
        Case(
            "iterations below the floor", "\(set) w.qvault 260 0001869f && $Q ls -f w.qvault; \(done)", 12,
            "99999 PBKDF2 iterations; the floor is 100000"),
        Case(
            "an altered slot", "\(set) w.qvault 360 00 && $Q ls -f w.qvault; \(done)", 6,
            "tampered with: the wrapped master key"),
        Case(
            "an altered log end", "\(set) w.qvault 72 01 && $Q ls -f w.qvault; \(done)", 6,
            "tampered with: the page's tags"),
        Case("no space to pack", "trap '' XFSZ; ulimit -f 100; $Q pack d -o n.qvault", 13, "File too large", "hint:"),
        Case(
            "no space to put",
            "cp v.qvault w.qvault; trap '' XFSZ; ulimit -f 300; $Q put -f w.qvault junk; e=$?; cmp v.qvault w.qvault && rm w.qvault; exit $e",
            13, "File too large"),
        Case(
            "no space to write the list", "$Q ls -f v.qvault > /dev/full", 13,
            "standard output: cannot write: No space left"),
    ]

    @Test(arguments: cases) func failsAsItShould(_ item: Case) throws {
        let sandbox = try fixture()
        let before = try sandbox.shell("find . -type f -print0 | sort -z | xargs -0 sha256sum; find . -type d | sort")
            .text
        let outcome = try sandbox.shell(item.script)
        #expect(outcome.code == item.code, "\(outcome.errors)")
        for words in item.says where !words.isEmpty {
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
        #expect(outcome.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("qvault: ") }, "\(outcome.errors)")
        #expect(!outcome.errors.contains(Sandbox.password))
        let after = try sandbox.shell("find . -type f -print0 | sort -z | xargs -0 sha256sum; find . -type d | sort")
            .text
        #expect(before == after, "nothing is changed or left behind")
    }

    /// Runs a script as somebody without rights, root's own being too many to be refused anything.
    private func unprivileged(_ sandbox: Sandbox, _ script: String) throws -> Sandbox.Outcome {
        guard getuid() == 0 else { return try sandbox.shell(script) }
        let copy = sandbox.folder.appending(path: "bin/qvault")
        try sandbox.write("bin/qvault", try Data(contentsOf: Sandbox.command))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: copy.path)
        let quoted = script.replacingOccurrences(of: "'", with: #"'\''"#)
        return try sandbox.shell(
            "Q=$PWD/bin/qvault; export Q; setpriv --reuid=65534 --regid=65534 --clear-groups sh -c '\(quoted)'")
    }

    @Test func readOnlyFolder() throws {
        let sandbox = try fixture()
        try sandbox.shell("chmod 644 v.qvault && mkdir ro && cp v.qvault ro && chmod 555 ro && chmod 444 ro/v.qvault")
        let pack = try unprivileged(sandbox, "$Q pack d -o ro/n.qvault")
        #expect(
            pack.code == 13 && pack.errors.contains("ro") && pack.errors.contains("cannot create: Permission denied"))
        let put = try unprivileged(sandbox, "$Q put -f ro/v.qvault junk")
        #expect(put.code == 13 && put.errors.contains("ro/v.qvault: cannot open: Permission denied"))
        let unpack = try unprivileged(sandbox, "$Q unpack v.qvault -o ro")
        #expect(unpack.code == 1 && unpack.errors.contains("d: left out: cannot create: Permission denied"))
        #expect(try unprivileged(sandbox, "$Q ls -f ro/v.qvault").code == 0, "reading needs no right to write")
    }

    @Test func whatCannotBeReadIsListedAndTheRestPacked() throws {
        let sandbox = try fixture()
        try sandbox.shell(
            "mkdir -p d/locked && echo x > d/secret && echo y > d/locked/y && mkfifo d/pipe && chmod 000 d/secret d/locked && chmod 777 ."
        )
        let outcome = try unprivileged(sandbox, "$Q pack d -o n.qvault && echo never")
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("d/secret: not stored: cannot open: Permission denied"))
        #expect(outcome.errors.contains("d/locked: not stored: cannot open: Permission denied"))
        #expect(outcome.errors.contains("d/pipe: a socket or pipe: passed over"))
        #expect(outcome.errors.contains("done in part: problems listed above: 2"))
        let list = try sandbox.qvault("ls", "-f", "n.qvault").text
        #expect(list.contains("d/f") && list.contains("d/g") && !list.contains("secret"))
        #expect(try sandbox.qvault("verify", "n.qvault").code == 0)
        try sandbox.shell("chmod 755 d/locked")
    }

    @Test func theVaultIsNotPackedIntoItself() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.qvault("put", "-f", "v.qvault", ".", "--as", "all")
        #expect(outcome.code == 1 && outcome.errors.contains("v.qvault: not stored: it is the vault itself"))
        #expect(try sandbox.qvault("verify", "v.qvault").code == 0)
    }

    @Test func swappedBlocksAreTampering() throws {
        let sandbox = try fixture()
        let script = Sandbox.repository.appending(path: "Tests/Attacks/swap_blocks.py").path
        #expect(try sandbox.shell("/usr/bin/python3 '\(script)' v.qvault").code == 0)
        #expect(
            try sandbox.qvault("verify", "--keyless", "v.qvault").code == 0, "the attacker fixed all that is unkeyed")
        let outcome = try sandbox.qvault("verify", "v.qvault", "--map")
        #expect(outcome.code == 6 && outcome.errors.contains("v.qvault: tampered with"))
        #expect(try sandbox.qvault("unpack", "v.qvault", "-o", "out").code == 6)
    }

    @Test func theMapSaysWhere() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.qvault("verify", "--keyless", "--map", "flipped.qvault")
        #expect(outcome.text.contains("damaged bytes 131072-196607: payload of commit 1"))
        let full = try sandbox.qvault("verify", "flipped.qvault", "--json").text
        let object = try #require(try JSONSerialization.jsonObject(with: Data(full.utf8)) as? [String: Any])
        let findings = try #require(object["findings"] as? [[String: Any]])
        #expect(findings.contains { $0["record"] as? String == "d/f" || $0["record"] as? String == "d/g" })
    }

    @Test func theWorstOfSeveralCounts() throws {
        let sandbox = try fixture()
        #expect(
            try sandbox.qvault("verify", "--keyless", "v.qvault", "page.qvault", "flipped.qvault", "junk").code == 5)
        #expect(try sandbox.qvault("verify", "--keyless", "v.qvault", "page.qvault", "junk").code == 4)
        #expect(try sandbox.qvault("verify", "--keyless", ".").code == 5)
    }
}
