import Foundation
import Testing

/// Vaults that are unlocked for a while, wrong passwords, and what is asked for on a terminal.
struct SessionTests {
    @Test func threeWrongPasswordsPause() throws {
        let sandbox = try KeyScene.sandbox()
        try sandbox.write(".config/quickvault/config", "lockout = 600s\n")
        for _ in 1...3 { #expect(try sandbox.shell("$Q ls -f v.qvault --password-file new").code == 3) }
        let refused = try sandbox.shell("$Q ls -f v.qvault --password-file new")
        #expect(refused.code == 12 && refused.errors.contains("try again in"), "\(refused.errors)")
        #expect(try sandbox.qvault("status", "v.qvault").text.contains("next attempt in"))
        // Another vault is another matter, and a check without a key needs none.
        #expect(try sandbox.shell("$Q create w.qvault && $Q ls -f w.qvault && $Q verify --keyless v.qvault").code == 0)
        let book = try #require(
            FileManager.default.subpathsOfDirectory(atPath: sandbox.state.path).first {
                $0.contains("/unlock-given/")
                    && ((try? String(contentsOfFile: sandbox.state.path + "/" + $0, encoding: .utf8)) ?? "").hasPrefix(
                        "3 ")
            })
        let file = sandbox.state.appending(path: book)
        // The clock was set back: the pause begins anew, and ends.
        try Data("3 99999999999999999 1\n".utf8).write(to: file)
        #expect(try sandbox.shell("$Q ls -f v.qvault --password-file new").code == 12)
        #expect(try String(contentsOf: file, encoding: .utf8) != "3 99999999999999999 1\n")
        for number in ["18446744073709551615", "9223372036854775807"] {
            try Data("\(number) 0 0\n".utf8).write(to: file)
            #expect(try sandbox.shell("$Q ls -f v.qvault --password-file new").code == 3)
        }
        // The right secret of a script does not wait for the wrong ones of others.
        try Data("3 \(UInt64(Date().timeIntervalSince1970) * 1_000_000) 1\n".utf8).write(to: file)
        #expect(try sandbox.qvault("ls", "-f", "v.qvault").code == 0)
        #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("0 "))
    }

    /// Many attempts at once count like one after the other, and the right one among them opens.
    @Test func attemptsAtOnceCount() throws {
        let sandbox = try KeyScene.sandbox()
        let outcome = try sandbox.shell(
            """
            cat > attempt <<'END'
            if [ $1 = right ]; then $Q ls -f v.qvault; echo right $? >> codes; exit 0; fi
            $Q ls -f v.qvault --password-file new; echo $? >> codes
            END
            { seq 24; echo right; } | xargs -P 25 -n 1 sh attempt > /dev/null 2>&1; sort codes | uniq -c | tr -s ' '
            """)
        let counts = Dictionary(
            outcome.text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }.map {
                ($0[1], Int($0[0])!)
            },
            uniquingKeysWith: +)
        // A right one in between begins the count anew.
        #expect(counts["right 0"] == 1 && counts["3"]! <= 6 && counts["12"]! >= 18, "\(outcome)")
    }

    /// Three typos of a person do not stop a script that has the right password; the person waits.
    @Test func typosDoNotStopScripts() throws {
        let sandbox = try KeyScene.sandbox()
        let typist = "/usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py env -u QVAULT_PASSWORD_COMMAND $Q"
        let typed = try sandbox.shell(
            "\(typist) ls -f v.qvault -- 'password for' wrong-one 'password for' wrong-two 'password for' wrong-three")
        #expect(typed.code == 3, "\(typed)")
        #expect(try sandbox.qvault("status", "v.qvault").text.contains("next attempt in"))
        #expect(try sandbox.qvault("ls", "-f", "v.qvault").code == 0)
        let again = try sandbox.shell("\(typist) ls -f v.qvault --")
        #expect(again.code == 12, "\(again)")
    }

    /// A password file that others can read is used, and named.
    @Test func aPasswordFileForAllIsNamed() throws {
        let sandbox = try KeyScene.sandbox()
        for (mode, isNamed) in [("644", true), ("640", true), ("600", false)] {
            let outcome = try sandbox.shell(
                "printf correct-horse-battery > word; chmod \(mode) word; $Q status v.qvault; $Q ls -f v.qvault --password-file word"
            )
            #expect(outcome.errors.contains("other users can read") == isNamed, "\(mode): \(outcome)")
        }
    }

    /// A keyring that is full, and none at all: said so, and the vault stays locked.
    @Test(arguments: [
        ("EDQUOT", "keyring is full"), ("EPERM", "cannot be used here"), ("ENOSYS", "cannot be used here"),
    ])
    func theKeyringMayRefuse(_ error: String, _ words: String) throws {
        let sandbox = try KeyScene.sandbox()
        let outcome = try sandbox.shell("strace -o /dev/null -e inject=add_key:error=\(error) $Q unlock v.qvault")
        #expect(
            outcome.code == 15 && outcome.errors.contains(words) && outcome.errors.contains("hint:"),
            "\(outcome.errors)"
        )
        #expect(try sandbox.shell("\(KeyScene.locked) ls -f v.qvault").code == 14)
    }

    /// A vault that could not be locked is not called locked.
    @Test(.enabled(if: KeyScene.hasKeyring, "the kernel's keyring cannot be used here"))
    func lockSaysSoWhereItFails() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.shell("$Q create v.qvault && $Q unlock v.qvault").code == 0)
        let refuse = "strace -o /dev/null -e inject=keyctl:error=EACCES:when=2+"
        let outcome = try sandbox.shell("\(refuse) $Q lock v.qvault")
        #expect(outcome.code == 15 && outcome.errors.contains("NOT locked"), "\(outcome.errors)")
        #expect(try sandbox.shell("\(KeyScene.locked) ls -f v.qvault").code == 0)
        #expect(try sandbox.shell("$Q lock v.qvault; \(KeyScene.locked) ls -f v.qvault").code == 14)
    }

    @Test(.enabled(if: KeyScene.hasKeyring, "the kernel's keyring cannot be used here"))
    func unlockedForAWhile() throws {
        // A vault of its own: what is unlocked is so for every test.
        let sandbox = try Sandbox()
        for (name, content) in try KeyScene.make() { try sandbox.write(name, content) }
        #expect(try sandbox.shell("\(KeyScene.locked) ls -f v.qvault").code == 14)
        #expect(try sandbox.shell("$Q create w.qvault && $Q unlock v.qvault --timeout 10m").code == 0)
        #expect(
            try sandbox.shell("\(KeyScene.locked) put -f v.qvault new && \(KeyScene.locked) ls -f v.qvault").code == 0)
        #expect(try sandbox.shell("\(KeyScene.locked) ls -f w.qvault").code == 14, "each vault by itself")
        let log = try sandbox.shell("$Q log list --json").text.split(separator: "\n")
        let put = try #require(log.last { $0.contains("\"put\"") && $0.contains("\"exit_code\":0") })
        #expect(put.contains("\"derivations\":0"))
        for verb in [
            "purge -f v.qvault f", "unpack v.qvault -o out", "unpack v.qvault -o out --find size\\>=0",
            "rekey iterations 200000 -f v.qvault",
            "key recovery -f v.qvault",
            "key audit -f v.qvault -o a", "rekey rotate -f v.qvault", "key remove 2 -f v.qvault",
            "rekey password -f v.qvault --new-password-file new", "key add -f v.qvault --new-password-file new",
        ] {
            let outcome = try sandbox.shell("\(KeyScene.locked) \(verb)")
            #expect(outcome.code == 14 && outcome.errors.contains("does not suffice"), "\(verb): \(outcome.errors)")
        }
        #expect(try sandbox.shell("\(KeyScene.locked) status v.qvault").text.contains("unlocked"))
        #expect(try sandbox.shell("\(KeyScene.locked) unpack v.qvault f -o out").code == 0, "one file is daily use")
        #expect(try sandbox.shell("\(KeyScene.locked) ls -f v.qvault --slot 2").code == 14, "a slot is asked for")
        #expect(
            try sandbox.shell("$Q rekey rotate -f v.qvault --slot-secret-file rk && \(KeyScene.locked) ls -f v.qvault")
                .code == 14)
        #expect(
            try sandbox.shell("$Q unlock v.qvault --timeout 1s; sleep 2; \(KeyScene.locked) ls -f v.qvault").code == 14)
        try sandbox.shell("$Q unlock v.qvault; $Q unlock w.qvault")
        #expect(try sandbox.shell("$Q lock v.qvault; \(KeyScene.locked) ls -f v.qvault").code == 14)
        #expect(try sandbox.shell("\(KeyScene.locked) ls -f w.qvault; $Q lock w.qvault").code == 0)
        // An older copy is another matter; destroying ends it.
        try sandbox.shell(
            "cp v.qvault old; $Q rekey rotate -f v.qvault --slot-secret-file rk; $Q unlock v.qvault; $Q status old")
        #expect(try sandbox.shell("\(KeyScene.locked) ls -f v.qvault").code == 0)
        #expect(
            try sandbox.shell("cp v.qvault copy; $Q destroy v.qvault --yes; \(KeyScene.locked) ls -f copy").code == 14)
    }

    private static let typist = "/usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py env -u QVAULT_PASSWORD_COMMAND $Q"

    /// A bare `qvault` on a terminal makes the first vault, and its recovery key opens it.
    @Test func aNewcomerIsWelcome() throws {
        let sandbox = try Sandbox()
        let typed = """
            Make y 'new password' short 'new password' aaaaaaaa repeat aaaaaaaa 'once more' '' \
            'new password' \(Sandbox.password) repeat \(Sandbox.password) 'press Enter' '' 'first card' 2 name 张三 \
            number 11010519491231002X 'valid until' 长期 'typed; Enter' nowhere 'typed; Enter' "$(printf '\\025')'p.jpg' b\\ 2.jpg" \
            'p.jpg' front 'b 2.jpg' front 'another file' back
            """
        for name in ["p.jpg", "b 2.jpg"] { try sandbox.write(name, Sandbox.jpeg()) }
        let outcome = try sandbox.shell("TERM=xterm \(Self.typist) -- \(typed) > said")
        let said = try String(decoding: sandbox.read("said"), as: UTF8.self)
        #expect(outcome.code == 0 && said.contains("has 5 characters") && said.contains("recovery key"), "\(said)")
        // The screen with the key is cleared, and a weak password is asked for once more.
        #expect(said.contains("\u{1B}[?1049h") && said.contains("\u{1B}[2J\u{1B}[?1049l"), "\(said.debugDescription)")
        #expect(said.contains("weak"))
        // The sheet ends where its screen does: a menu behind it has numbers too.
        try sandbox.write("rk", said.split(separator: "\u{1B}[?1049l")[0] + "\n")
        #expect(try sandbox.shell("$Q ls && $Q ls --recovery-key-file rk").code == 0)
        let files = try sandbox.shell("$Q attach list 张三").text
        #expect(files.contains("front.jpg") && files.contains("back.jpg"), "\(files)")
    }

    /// A bare `qvault` shows how things are; it asks for nothing, and no verb is missing.
    @Test func homeTellsHowThingsAre() throws {
        let sandbox = try Sandbox()
        let none = try sandbox.shell("$Q")
        #expect(none.code == 10 && none.errors.contains("no vault yet"), "\(none)")
        try sandbox.shell("export QVAULT_FILE=v.qvault; $Q create; $Q card add note --title n text=x --pin; mkdir b")
        let locked = try sandbox.shell("\(KeyScene.locked) -f v.qvault")
        #expect(
            locked.code == 0 && locked.text.contains("locked") && locked.text.contains("qvault unlock"), "\(locked)")
        #expect(!locked.text.contains(" n\n"))
        try sandbox.shell("$Q unlock v.qvault; mkdir b; $Q backup v.qvault --to b")
        let open = try sandbox.shell("\(KeyScene.locked) -f v.qvault")
        #expect(open.text.contains("* note  n") && open.text.contains("nothing is due"), "\(open)")
        #expect(open.text.contains("backup: ") && open.text.contains("seconds ago · check: never"), "\(open)")
    }

    /// A recovery key is typed line by line where a password is asked for, and a mistyped line is asked for again.
    @Test func aRecoveryKeyIsTyped() throws {
        let sandbox = try KeyScene.sandbox()
        let line = "\"$(sed -n N''p rk.lines)\""
        func of(_ number: Int) -> String { line.replacing("N''", with: "\(number)") }
        let typed =
            "'password for' \(of(1)) 'line 2' '2 WRNG 1111 2' 'does not hold\nline 2' \(of(2)) 'line 3' \(of(4)) "
            + "'and a space\nline 3' \(of(3)) 'line 4' \(of(4))"
        let outcome = try sandbox.shell("grep '^[1-4] ' rk > rk.lines; \(Self.typist) ls -f v.qvault -- \(typed)")
        #expect(outcome.code == 0 && outcome.text.contains(" f\n"), "\(outcome.text)")
    }

    /// On a terminal a rotation asks for what keeps each slot.
    @Test func aRotationAsks() throws {
        let sandbox = try KeyScene.sandbox()
        let typed =
            "'password for' \(Sandbox.password) 'keep key slot 2 (recovery key' y 'its password' wrong "
            + "'does not open key slot 2\nits password' \"$(grep '^1 ' rk)\" 'line 2' \"$(grep '^2 ' rk)\" "
            + "'line 3' \"$(grep '^3 ' rk)\" 'line 4' \"$(grep '^4 ' rk)\" 'keep key slot 3' n"
        #expect(try sandbox.shell("$Q key add -f v.qvault --new-password-file new").code == 0)
        let outcome = try sandbox.shell("\(Self.typist) rekey rotate -f v.qvault -- \(typed)")
        #expect(outcome.code == 0 && outcome.text.contains("kept: 2, dropped: 1"), "\(outcome.text)")
        #expect(try sandbox.shell("$Q ls -f v.qvault && $Q ls -f v.qvault --recovery-key-file rk").code == 0)
        #expect(try sandbox.shell("$Q ls -f v.qvault --password-file new").code == 3)
    }

    /// Settings of the program and of a vault each refuse the other's names.
    @Test func settingsOfTheProgram() throws {
        let sandbox = try KeyScene.sandbox()
        let outcome = try sandbox.shell(
            """
            mkdir -p ~/.config/quickvault; echo '# mine' > ~/.config/quickvault/config
            $Q settings set session-timeout 5m; $Q settings session-timeout; cat ~/.config/quickvault/config
            $Q settings set session-timeout 5x || echo $?; $Q settings set notify-names maybe || echo $?
            $Q settings set copy.address 1 || echo $?; $Q config set -f v.qvault session-timeout 5m || echo $?
            $Q settings rm session-timeout; $Q settings session-timeout; $Q settings | wc -l
            $Q config unset -f v.qvault none || echo $?; $Q put v.qvault f || echo $?; $Q card --help | grep -c 'card add'
            """)
        #expect(
            outcome.text == "5m\n# mine\nsession-timeout = 5m\n2\n2\n10\n2\n15m\n25\n10\n2\n1\n", "\(outcome)")
        #expect(
            outcome.errors.contains("settings kept in a vault") && outcome.errors.contains("did you mean -f v.qvault"))
    }

    /// What would be removed is said, and stays.
    @Test func dryRunsRemoveNothing() throws {
        let sandbox = try KeyScene.sandbox()
        let outcome = try sandbox.shell(
            """
            export QVAULT_FILE=v.qvault; $Q card add note --title n text=x; sha256sum v.qvault > before
            $Q rm f -n; $Q purge f -n; $Q card rm n -n; $Q card rm n --purge --dry-run; $Q compact -n; sha256sum -c before
            """)
        #expect(
            outcome.code == 0 && outcome.errors.split(separator: "\n").count { $0.contains("would ") } == 5,
            "\(outcome)")
    }
}
