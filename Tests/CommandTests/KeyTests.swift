import Foundation
import Testing

/// Key slots and other secrets, and what goes wrong with them, as people use them.
struct KeyTests {
    static let cases: [BadInputTests.Case] = [
        .init("an empty password", "printf '' > e; $Q create w.qvault --password-file e", 11, "the password is empty"),
        .init("only a newline", "echo > e; $Q create w.qvault --password-file e", 11, "the password is empty"),
        .init(
            "only spaces", "printf '            ' > e; $Q create w.qvault --password-file e", 11,
            "nothing but spaces", "key generate"),
        .init(
            "a password longer than 1 MiB",
            "head -c 1048577 /dev/zero | tr '\\0' a > e; $Q create w.qvault --password-file e", 11,
            "longer than 1048576 bytes"),
        .init(
            "a password that is no UTF-8", "printf '\\377\\376aaaaaaaa' > e; $Q create w.qvault --password-file e", 11,
            "not valid UTF-8"),
        .init(
            "a command that fails", "$Q ls -f v.qvault --password-command 'exit 7'", 14, "failed with status 7", "hint:"
        ),
        .init(
            "a command that hangs",
            "mkdir -p .config/quickvault; echo 'password-command-timeout = 1s' > .config/quickvault/config; $Q ls -f v.qvault --password-command 'sleep 60'",
            14, "was not done after 1 s", "hint:"),
        .init("no keyfile", "$Q ls -f v.qvault --keyfile none", 10, "none: cannot read: No such file"),
        .init("a folder as keyfile", "mkdir k; $Q ls -f v.qvault --keyfile k", 11, "k: a keyfile is a file"),
        .init("an empty keyfile", ": > k; $Q ls -f v.qvault --keyfile k", 11, "a keyfile has 1 to"),
        .init("a keyfile for a password alone", "$Q ls -f v.qvault --keyfile f", 3, "no key slot belongs to this"),
        .init(
            "a recovery key with a wrong character",
            "sed 's/^3 \\(.\\)/3 U/' rk > r; $Q ls -f v.qvault --recovery-key-file r", 11, "line 3 of the recovery key"),
        .init(
            "a recovery key without a line", "grep -v '^2 ' rk > r; $Q ls -f v.qvault --recovery-key-file r", 11,
            "line 2 of the recovery key is missing"),
        .init(
            "another vault's recovery key",
            "$Q create w.qvault --recovery-key-out r; $Q ls -f v.qvault --recovery-key-file r",
            3, "no key slot belongs to this recovery key"),
        .init(
            "all slots full",
            "for i in 3 4 5 6 7 8; do $Q key recovery -q -f v.qvault > r$i || exit 99; done; $Q key recovery -f v.qvault",
            12, "all 8 key slots are in use", "hint:"),
        .init("to remove the slot in use", "$Q key remove 1 -f v.qvault", 12, "is the one that opened", "hint:"),
        .init(
            "to remove the last slot", "$Q create w.qvault; $Q key remove 1 -f w.qvault", 12, "it is the last one"),
        .init("to remove no slot", "$Q key remove 5 -f v.qvault", 10, "no key slot '5'"),
        .init(
            "a rotation with a slot that is not proven", "$Q rekey rotate -f v.qvault", 12, "nothing proves",
            "2 (recovery key, 'recovery key')",
            "--slot-secret-file"),
        .init(
            "a rotation that drops the slot in use", "$Q rekey rotate -f v.qvault --drop 1 --slot-secret-file rk", 12,
            "is the one that opened"),
        .init("fewer iterations", "$Q rekey iterations 99999 -f v.qvault", 12, "the least is 100000"),
        .init(
            "no more iterations", "$Q rekey iterations 100000 -f v.qvault", 12,
            "costs that already (PBKDF2, 100000 iterations)"),
        .init(
            "a keyfile for a slot that is not made",
            """
            /usr/bin/python3 -c 'import fcntl, struct, subprocess, sys; file = open("v.qvault", "r+b")
            fcntl.fcntl(file, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
            sys.exit(subprocess.run(sys.argv[1:]).returncode)' $Q key add -f v.qvault --new-password-file new --new-keyfile nk --wait 0s
            code=$?; [ ! -e nk ] || exit 99; exit $code
            """, 9, "another program is writing", "removed nk again"),
        .init("iterations that are no number", "$Q rekey iterations many -f v.qvault", 2, "a whole number from 100000"),
        .init(
            "two wishes for a keyfile",
            "$Q rekey password -f v.qvault --without-keyfile --new-keyfile rk --new-password-file new", 2, "not both"),
        .init(
            "to replace what is no password", "$Q rekey password -f v.qvault --replace 2 --new-password-file new", 11,
            "key slot 2 is not one of a password"),
        .init(
            "one of two passwords",
            """
            cp v.qvault w.qvault; $Q key add -q -f w.qvault --new-password-file new || exit 99
            $Q rekey password -f w.qvault --recovery-key-file rk --new-password-file new
            """, 2, "which password is to be replaced? key slots: 1, 3", "--replace N"),
        .init(
            "a slot that costs more",
            """
            cp v.qvault w.qvault; $Q rekey iterations -q 200000 -f w.qvault || exit 99
            $Q rekey password -f w.qvault --iterations 100000 --new-password-file new
            """, 12, "the key slot costs more now (PBKDF2, 200000 iterations)", "--lower"),
        .init("iterations twice", "$Q rekey iterations 200000 --kdf-time 1s -f v.qvault", 2, "give a number, or"),
        .init("a function that is not known", "$Q create n.qvault --kdf scrypt", 2, "--kdf takes pbkdf2"),
        .init("a function twice", "$Q create n.qvault --kdf argon2id --iterations 200000", 2, "not both"),
        .init("a number of the other function", "$Q create n.qvault --kdf argon2id:iterations=3", 2, "--kdf takes"),
        .init("a number twice", "$Q create n.qvault --kdf argon2id:passes=3,passes=4", 2, "--kdf takes"),
        .init("memory between two powers", "$Q create n.qvault --kdf argon2id:memory=100MiB", 2, "a power of two"),
        .init("little memory", "$Q create n.qvault --kdf argon2id:memory=16MiB", 12, "outside the limits"),
        .init("few passes", "$Q create n.qvault --kdf argon2id:memory=32MiB,passes=1", 12, "outside the limits"),
        .init("no lane", "$Q create n.qvault --kdf argon2id:lanes=0", 2, "--kdf takes"),
        .init("memory that needs consent", "$Q create n.qvault --kdf argon2id:memory=2GiB", 12, "without consent"),
        .init("a time and passes", "$Q create n.qvault --kdf argon2id:passes=3 --kdf-time 1s", 2, "chooses the iter"),
        .init(
            "from Argon2id to PBKDF2 in passing",
            "$Q rekey iterations -q --kdf argon2id:memory=32MiB -f v.qvault && $Q rekey password -f v.qvault --new-password-file new --iterations 300000; e=$?; $Q rekey iterations -q --lower 100000 -f v.qvault || exit 99; exit $e",
            12, "costs more now (Argon2id, 32 MiB, passes: 3, lanes: 4)", "--lower"),
        .init(
            "a new password that is short", "printf 'pä55wör' > e; $Q rekey password -f v.qvault --new-password-file e",
            11, "has 7 characters"),
        .init("no new password", "$Q rekey password -f v.qvault", 14, "locked", "--new-password-file"),
        .init("a keyfile that was there already is not made anew", "$Q create f --new-keyfile f", 12, "f: exists"),
        .init("an audit key over a file", "$Q key audit -f v.qvault -o f", 12, "f: exists"),
        .init("the vault as its keyfile", "$Q key add -f v.qvault --new-keyfile v.qvault", 11, "it is no keyfile"),
        .init(
            "a wrong password and a keyfile to be made",
            "$Q key add -f v.qvault --new-keyfile k --password-file new; e=$?; test ! -e k || exit 99; exit $e", 3,
            "wrong password"),
        .init(
            "a recovery key and a password", "$Q ls -f v.qvault --recovery-key-file rk --password-file new", 2,
            "does not go with --recovery-key-file"),
        .init(
            "a check with a key that it has no use for", "$Q verify --keyless v.qvault --slot 1", 2, "goes neither with"
        ),
        .init(
            "a sheet as a proof, mistyped",
            "sed 's/^3 \\(.\\)/3 U/' rk > r; $Q rekey rotate -f v.qvault --slot-secret-file r", 11,
            "line 3 of the recovery key"),
        .init(
            "slots that ask for too much together",
            "$Q key add -q -f v.qvault --iterations 9950000 --new-password-file new", 12,
            "the most without consent is 10000000"),
        .init("a recovery key for nobody", "$Q key recovery -f v.qvault > /dev/full", 13, "No space left"),
        .init(
            "another slot whose keyfile is not at hand",
            "cp f k; cp new l; cp v.qvault w.qvault; $Q key add -q -f w.qvault --new-keyfile k; $Q key add -q -f w.qvault --new-keyfile l;"
                + " $Q rekey password -f w.qvault --keyfile k --replace 4 --new-password-file new", 12,
            "goes with a keyfile"),
        .init(
            "a command that ignores the end",
            "mkdir -p .config/quickvault; "
                + "echo 'password-command-timeout = 1s' > .config/quickvault/config; "
                + "$Q ls -f v.qvault --password-command 'exec >&-; sleep 60'", 14, "was not done after 1 s"),
        .init(
            "fewer than now",
            "$Q rekey iterations -q 150000 -f v.qvault && $Q rekey iterations 149000 -f v.qvault; e=$?; $Q rekey iterations -q --lower 100000 -f v.qvault || exit 99; exit $e",
            12, "costs more now (PBKDF2, 150000 iterations)", "--lower"),
        .init(
            "a proof that proves nothing", "$Q rekey rotate -f v.qvault --slot-secret-file new --slot-secret-file rk",
            3,
            "new: opens no key slot"),
        .init("a slot that is not there", "$Q ls -f v.qvault --slot 7", 10, "no key slot 7"),
        .init(
            "a new password that would be cheaper to guess",
            "$Q rekey iterations -q 150000 -f v.qvault; $Q rekey password --iterations 100000 -f v.qvault --new-password-file new; e=$?; $Q rekey iterations -q --lower 100000 -f v.qvault || exit 99; exit $e",
            12, "costs more now (PBKDF2, 150000 iterations)", "--lower"),
        .init("no audit key", "$Q verify --audit-key f v.qvault", 11, "not an audit key"),
        .init(
            "a label that is too long", "$Q key recovery -f v.qvault --label \(String(repeating: "长", count: 19))", 11,
            "a label has"),
        .init("half a verb", "$Q key", 2, "key: one of list, add", "hint:"),
        .init("an unknown second half", "$Q key lst", 2, "did you mean key list?"),
        .init("a time that is none", "$Q unlock -f v.qvault --timeout 15x", 2, "--timeout takes a time"),
        .init(
            "a setting that is none",
            "mkdir -p .config/quickvault; echo 'lokout = 1m' > .config/quickvault/config; $Q create w.qvault", 2,
            ".config/quickvault/config:1: not a setting", "did you mean lockout?"),
        .init(
            "settings that cannot be read", "mkdir -p .config/quickvault/config; $Q create w.qvault", 13,
            "config: cannot open"),
        .init("a picture of another kind", "$Q key recovery -f v.qvault --qr-out q.gif", 2, "ends in .png or .svg"),
    ]

    @Test(arguments: cases) func isRefusedAndNothingIsChanged(_ test: BadInputTests.Case) throws {
        let sandbox = try KeyScene.sandbox()
        let before = try sandbox.read("v.qvault")
        let outcome = try sandbox.shell(test.script)
        #expect(outcome.code == test.code, "\(outcome.errors)")
        for words in test.says { #expect(outcome.errors.contains(words), "\(outcome.errors)") }
        if !test.script.contains("for i in"), !test.script.contains("--lower") {
            #expect(try sandbox.read("v.qvault") == before)
        }
        #expect(try sandbox.read("f") == Data("content\n".utf8))
        #expect(try !sandbox.listing().contains { $0.contains("qvault-tmp") || $0 == "q.gif" })
    }

    /// The acceptance of keys: slots are added, replaced, rotated; the second reader opens what it should.

    @Test func aLifeOfKeys() throws {
        let sandbox = try KeyScene.sandbox()
        let reader = "/usr/bin/python3 $REPOSITORY/Spec/reader/qvault_reader.py list v.qvault"
        #expect(try sandbox.qvault("key", "add", "-f", "v.qvault", "--new-keyfile", "k.bin").code == 0)
        #expect(try sandbox.shell("stat -c %a k.bin").text == "600\n")
        #expect(try sandbox.qvault("ls", "-f", "v.qvault", "--keyfile", "k.bin").code == 0)
        try sandbox.shell("printf x >> k.bin")
        #expect(try sandbox.qvault("ls", "-f", "v.qvault", "--keyfile", "k.bin").code == 3)
        // The keyfile of a password stays, unless a person says otherwise.
        try sandbox.shell("truncate -s -1 k.bin")
        let both = "--keyfile k.bin --new-password-file new"
        #expect(try sandbox.shell("$Q rekey password -f v.qvault \(both)").code == 0)
        #expect(try sandbox.shell("$Q ls -f v.qvault --keyfile k.bin --password-file new").code == 0)
        #expect(try sandbox.shell("$Q ls -f v.qvault --password-file new").code == 3)
        #expect(try sandbox.shell("$Q ls -f v.qvault").code == 0)
        // A forgotten password: the recovery key replaces it.
        let forgotten = "--recovery-key-file rk --replace 1 --new-password-file new"
        #expect(try sandbox.shell("$Q rekey password -f v.qvault \(forgotten)").code == 0)
        #expect(try sandbox.shell("$Q ls -f v.qvault").code == 3)
        #expect(try sandbox.shell("QVAULT_PASSWORD_FILE=new \(reader) --keyfile k.bin").text.contains(" f\n"))
        #expect(try sandbox.shell("\(reader) --recovery-key-file rk").text.contains(" f\n"))
        #expect(try sandbox.shell("$Q key audit -f v.qvault -o audit --password-file new").code == 0)
        #expect(try sandbox.shell("$Q verify --audit-key audit v.qvault").code == 0)
        let rotate = "$Q rekey rotate -f v.qvault --password-file new --keyfile k.bin"
        #expect(try sandbox.shell(rotate).code == 12, "it opens slot 3, and nothing proves 1 and 2")
        let outcome = try sandbox.shell(
            // A name that is not UTF-8.
            """
            name=$(printf 'r\\377k') && cp rk "$name" && \
            $Q rekey rotate -f v.qvault --password-file new --slot-secret-file "$name" --drop 3
            """)
        #expect(outcome.code == 0 && outcome.errors.contains("older copies"), "\(outcome.errors)")
        #expect(try sandbox.shell("$Q verify --audit-key audit v.qvault").code == 3)
        #expect(try sandbox.shell("$Q ls -f v.qvault --recovery-key-file rk").text.contains(" f\n"))
        #expect(try sandbox.shell("$Q history -f v.qvault --password-file new").text.split(separator: "\n").count >= 6)
        #expect(try sandbox.shell("QVAULT_PASSWORD_FILE=new \(reader)").code == 0)
        #expect(try sandbox.shell("\(reader) --recovery-key-file rk").code == 0)
        #expect(try sandbox.shell("\(reader)").code == 3)
    }

    /// Swapped blocks with all that needs no key made right again: only a key tells.
    @Test func anAuditKeyFindsTampering() throws {
        let sandbox = try KeyScene.sandbox()
        #expect(try sandbox.qvault("key", "audit", "-f", "v.qvault", "-o", "audit").code == 0)
        try sandbox.shell("/usr/bin/python3 $REPOSITORY/Tests/Attacks/swap_blocks.py v.qvault")
        #expect(try sandbox.qvault("verify", "--keyless", "v.qvault").code == 0)
        let check = try sandbox.shell("env -u QVAULT_PASSWORD_COMMAND $Q verify --audit-key audit v.qvault")
        #expect(check.code == 6 && check.text.contains("saves: 2"), "\(check.text) \(check.errors)")
    }

    /// A fingerprint that was written down proves, without a key, that not a byte of that save is another.
    @Test func aFingerprintVouchesForEveryByte() throws {
        let sandbox = try KeyScene.sandbox()
        let script = """
            F=$($Q info --json v.qvault | sed 's/.*"fingerprint":"\\([0-9a-f]*\\)","fingerprint_words.*/\\1/')
            $Q verify --keyless v.qvault --expect $F > a; echo $?; cp v.qvault w.qvault
            $Q put -q -f v.qvault rk; $Q verify --keyless v.qvault --expect $F 2> b; echo $?; cat b
            $Q info --json v.qvault | grep -c $F
            /usr/bin/python3 $REPOSITORY/Tests/Attacks/swap_blocks.py w.qvault; $Q verify --keyless w.qvault; echo $?
            $Q verify --keyless w.qvault --expect $F; echo $?
            """
        let lines = try sandbox.shell(script).text.split(separator: "\n").map(String.init)
        #expect(
            lines.count == 9 && lines[0] == "0" && lines[1].hasSuffix("without a key)") && lines[2] == "0", "\(lines)")
        #expect(lines[3].contains("does not vouch for later saves") && lines[4] == "1", "\(lines)")
        #expect(lines[5].contains("no damage") && lines[6] == "0" && lines.last == "7", "\(lines)")
    }

    @Test func passwordsAreWhatTheyAre() throws {
        let sandbox = try Sandbox()
        // One text in two encodings is one password; with a carriage return it is another.
        let script = """
            printf 'caf\\303\\251 cr\\303\\250me\\n' > nfc; printf 'cafe\\314\\201 cre\\314\\200me' > nfd
            printf 'caf\\303\\251 cr\\303\\250me\\r\\n' > crlf
            $Q create v.qvault --password-file nfc && $Q ls -f v.qvault --password-file nfd \\
                && { $Q ls -f v.qvault --password-file crlf; test $? -eq 3; } && $Q create w.qvault --password-file crlf
            """
        let outcome = try sandbox.shell(script)
        #expect(outcome.code == 0 && outcome.errors.contains("control character"), "\(outcome.errors)")
        let long = "head -c 1048576 /dev/zero | tr '\\0' x > long; $Q create l.qvault --password-file long"
        #expect(try sandbox.shell("\(long) && $Q ls -f l.qvault --password-file long").code == 0)
    }

    /// Argon2id from `create` to a rotation, and in the second reader.
    @Test func argon2idFromBeginningToEnd() throws {
        let sandbox = try KeyScene.sandbox()
        let script = """
            $Q create w.qvault -q --kdf argon2id:memory=32MiB,passes=3,lanes=1 && $Q put -q -f w.qvault f
            $Q key add -q -f w.qvault --kdf argon2id:memory=64MiB --kdf-time 1ms --new-password-file new
            $Q rekey iterations -f w.qvault --kdf argon2id:memory=64MiB,passes=3,lanes=2 && $Q ls -f w.qvault
            $Q rekey rotate -q -f w.qvault --slot-secret-file new && $Q ls -f w.qvault --password-file new && $Q info w.qvault
            /usr/bin/python3 $REPOSITORY/Spec/reader/qvault_reader.py list w.qvault
            """
        let outcome = try sandbox.shell(script)
        #expect(outcome.code == 0 && outcome.text.split(separator: "\n").filter { $0.hasSuffix(" f") }.count == 3)
        #expect(outcome.text.contains("password: Argon2id, 64 MiB, passes: 3, lanes: 2"), "\(outcome.text)")
        let list = try sandbox.shell("$Q key list -f w.qvault --json").text
        #expect(list.contains(#""kdf":"argon2id","iterations":null,"memory":67108864,"passes":3,"lanes":2"#), "\(list)")
        let both = "printf 'a pass\\0word' > nul; $Q create n.qvault --password-file nul"
        let refused = try sandbox.shell(both)
        #expect(refused.code == 11 && refused.errors.contains("U+0000"), "\(refused.errors)")
    }

    /// A retired master key does not come back with a backup.
    @Test func aBackupOfARetiredKeyIsRotated() throws {
        let sandbox = try KeyScene.sandbox()
        let rotate = "$Q backup v.qvault -o b.qvault && cp v.qvault old.qvault && $Q rekey rotate -f v.qvault --drop 2"
        #expect(try sandbox.shell(rotate).code == 0)
        let sound = try sandbox.shell("$Q backup v.qvault -o c.qvault && $Q restore c.qvault -f v.qvault --drop 1")
        #expect(sound.code == 2 && sound.errors.contains("from before a rotation"), "\(sound.errors)")
        let refused = try sandbox.shell("$Q restore b.qvault -f v.qvault")
        #expect(refused.code == 12 && refused.errors.contains("nothing proves"), "\(refused.errors)")
        let restored = try sandbox.shell("$Q restore b.qvault -f v.qvault --slot-secret-file rk")
        #expect(restored.code == 0 && restored.errors.contains("new master key"), "\(restored.errors)")
        #expect(try sandbox.shell("$Q info v.qvault").text.contains("master key    number 3"))
        #expect(try sandbox.shell("$Q ls -f v.qvault --recovery-key-file rk").text.contains(" f\n"))
        #expect(try sandbox.shell("$Q ls -f old.qvault").code == 7)
        // A machine that never saw the rotation learns of it from the vault that is replaced.
        let elsewhere = ["XDG_STATE_HOME": sandbox.state.path + "-2"]
        defer { try? FileManager.default.removeItem(atPath: sandbox.state.path + "-2") }
        #expect(try sandbox.shell("$Q restore b.qvault -f v.qvault --drop 2", environment: elsewhere).code == 0)
        #expect(try sandbox.shell("$Q info v.qvault").text.contains("master key    number 4"))
        // As it was, secrets and all, where a person says so.
        #expect(try sandbox.shell("$Q restore b.qvault -f v.qvault --allow-rollback && $Q ls -f v.qvault").code == 0)
        #expect(try sandbox.shell("$Q info v.qvault").text.contains("master key    number 1"))
    }

    /// Options that most verbs have may stand before the verb.
    @Test func optionsBeforeTheVerb() throws {
        let sandbox = try KeyScene.sandbox()
        #expect(try sandbox.shell("$Q -f v.qvault --json ls").text.contains("\"f\""))
        #expect(try sandbox.shell("$Q --vault=v.qvault -q --password-file new ls").code == 3)
        #expect(try sandbox.shell("$Q -f v.qvault").text.contains("locked"))
        #expect(try sandbox.shell("$Q -f").code == 2)
    }
}
