import Foundation
import Testing

/// Actions of a parent process, a disk and other programs. The kit (`vault-soak surroundings`) does the same to every
/// command that writes.
struct SurroundingsTests {
    private func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.write("a", "one")
        #expect(try sandbox.shell("$Q pack a -o v.qvault").code == 0)
        return sandbox
    }

    /// A message that is written to descriptor 1 or 2 must not reach the vault.
    @Test(arguments: [
        "merge other.qvault -f v.qvault", "put many -f v.qvault", "rm a -f v.qvault", "history -f v.qvault",
    ])
    func closedDescriptors(_ command: String) throws {
        let sandbox = try sandbox()
        try sandbox.shell(
            """
            mkdir many; for i in $(seq 300); do mkfifo many/pipe-$i; echo $i > many/file-$i; done
            cp v.qvault other.qvault; $Q put -f other.qvault many; cp v.qvault before
            """)
        for closed in ["<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"] {
            try sandbox.shell("cp before v.qvault; rm -rf \"$XDG_STATE_HOME\"; $Q \(command) \(closed)")
            #expect(try sandbox.qvault("verify", "v.qvault").code == 0, "\(command) \(closed)")
        }
    }

    /// A result that nobody can read is an error, and no reason to call the save undone.
    @Test func aFullOutputIsTold() throws {
        let sandbox = try sandbox()
        try sandbox.shell("cp v.qvault other.qvault; echo two > b; $Q put -f other.qvault b")
        let outcome = try sandbox.shell("$Q merge other.qvault -f v.qvault > /dev/full")
        #expect(outcome.code == 13 && outcome.errors.contains("the vault was saved"), "\(outcome)")
        #expect(try sandbox.shell("$Q cat -f v.qvault b").text == "two\n")
        let reader = try sandbox.shell("$Q ls -f v.qvault > /dev/full")
        #expect(reader.code == 13 && reader.errors.contains("no vault was changed"), "\(reader)")
        #expect(try sandbox.shell("$Q ls -f v.qvault >&-").code == 13)
    }

    /// Control characters in a file do not reach the terminal; a pipe gets all bytes. Joined emoji are shown as they are.
    @Test func contentDoesNotSteerTheTerminal() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            #"""
            typist="/usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py"; export QVAULT_FILE=v.qvault; $Q create v.qvault
            printf '中文\tline\r\n' > plain; printf 'a\033[31mb' > steers; printf 'a\302\233b' > steers-too
            $Q put plain steers steers-too; $typist $Q cat plain --
            for file in steers steers-too; do $typist $Q cat $file -- | grep -c 'that a terminal obeys'; done
            $Q cat steers | cmp - steers && $Q cat steers-too | cmp - steers-too && echo same
            $Q card add note --title '👨‍👩‍👧' text=x; $Q card add note --title "a$(printf '\342\200\215')b" text=x
            $Q card list | sed 's/.*  //'
            """#)
        #expect(outcome.text == "中文\tline\n1\n1\nsame\na\\u{200d}b\n👨‍👩‍👧\n", "\(outcome)")
    }

    /// A decoder, or a script of a feed, that somebody else may have changed is not run.
    @Test func programsOfOthersAreNotRun() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            #"""
            mkdir bin; cp "$Q" bin/qvault; printf '#!/bin/sh\ntouch ran\n' > bin/qvault-decode; chmod 777 bin/qvault-decode
            printf 'II*\0' > a.tif; bin/qvault watermark file a.tif --text a -o b.jpg 2>&1 | grep -c 'not installed'
            export QVAULT_FILE=v.qvault; $Q create v.qvault; $Q fund add 110011; printf '#!/bin/sh\ntouch ran\n' > nav; chmod 777 nav
            $Q settings set feed.nav $PWD/nav; $Q fund update 2> said; echo $?; grep -c 'everybody may change it' said; ls ran 2> none | wc -l
            """#)
        #expect(outcome.text == "1\n12\n1\n0\n", "\(outcome)")
    }

    @Test func anIgnoredChildSignalIsNotInherited() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell("trap '' CHLD; timeout 20 $Q cat -f v.qvault a")
        #expect(outcome.code == 0 && outcome.text == "one", "\(outcome)")
    }

    @Test func passwordCommandsThatMisbehave() throws {
        let sandbox = try sandbox()
        let endless = try sandbox.shell("timeout 20 $Q ls -f v.qvault --password-command yes")
        #expect(endless.code == 11 && endless.errors.contains("longer than"), "\(endless)")
        let killed = try sandbox.shell("$Q ls -f v.qvault --password-command 'kill -9 $$'")
        #expect(killed.code == 14 && killed.errors.contains("ended by signal 9"), "\(killed)")
        let failed = try sandbox.shell("$Q ls -f v.qvault --password-command 'exit 7'")
        #expect(failed.code == 14 && failed.errors.contains("status 7"), "\(failed)")
    }

    /// Names of files need not be UTF-8, wherever they come from.
    @Test func theEnvironmentIsBytes() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            #"""
            export QVAULT_FILE="$(printf 'v\377.qvault')"; cp v.qvault "$QVAULT_FILE"; $Q cat a; unset QVAULT_FILE
            export XDG_DATA_HOME="$PWD/$(printf 'd\377')"; mkdir -p "$XDG_DATA_HOME/quickvault"
            cp v.qvault "$XDG_DATA_HOME/quickvault/default.qvault"; $Q cat a
            printf 'correct-horse-battery' > "$(printf 'p\377')"; unset QVAULT_PASSWORD_COMMAND
            QVAULT_PASSWORD_FILE="$(printf 'p\377')" $Q cat a
            """#)
        #expect(outcome.text == "oneoneone", "\(outcome)")
    }

    @Test func oddThingsInThePlaceOfTheState() throws {
        let sandbox = try sandbox()
        try sandbox.write("target", "mine")
        let state = "\(sandbox.state.path)/quickvault"
        let outcome = try sandbox.shell(
            """
            rm -rf \(state)/log; mkdir -p \(state)/log; mkfifo \(state)/log/$(date -u +%F).jsonl
            timeout 20 $Q ls -f v.qvault > none; echo $?
            for f in \(state)/witness/*; do rm $f; ln -s $PWD/target $f; done
            timeout 20 $Q put -f v.qvault a --as b; echo $?; cat target
            """)
        #expect(outcome.text == "0\n0\nmine", "\(outcome)")
    }

    /// The terminal shows what is typed again, whatever ends a program that asks for a password.
    @Test(arguments: ["QUIT", "ALRM", "USR1", "XCPU", "TERM"]) func echoComesBack(_ signal: String) throws {
        let sandbox = try sandbox()
        try sandbox.write(
            "ask.py",
            """
            import os, pty, signal, sys, termios, time
            child, terminal = pty.fork()
            if child == 0:
                os.environ.pop("QVAULT_PASSWORD_COMMAND")
                os.execvp(sys.argv[1], [sys.argv[1], "ls", "-f", "v.qvault"])
            shown = b""
            while b"password" not in shown:
                shown += os.read(terminal, 100)
            while termios.tcgetattr(terminal)[3] & termios.ECHO:
                time.sleep(0.01)
            os.kill(child, getattr(signal, "SIG" + sys.argv[2]))
            deadline = time.monotonic() + 20
            while not termios.tcgetattr(terminal)[3] & termios.ECHO and time.monotonic() < deadline:
                time.sleep(0.01)
            print(bool(termios.tcgetattr(terminal)[3] & termios.ECHO))
            """)
        let outcome = try sandbox.shell("timeout 60 env --default-signal /usr/bin/python3 ask.py $Q \(signal)")
        #expect(outcome.text == "True\n", "\(outcome)")
    }

    /// A forced unpacking replaces links as it replaces files.
    @Test func unpackingOverLinks() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            mkdir d; echo 1 > d/f; ln -s f d/l; $Q pack d -o v.qvault; $Q unpack v.qvault -o out
            $Q unpack v.qvault -o out --force; echo $?
            rm out/d/l; ln -s elsewhere out/d/l; $Q unpack v.qvault -o out --force; echo $?; readlink out/d/l
            rm out/d/l; mkdir out/d/l; $Q unpack v.qvault -o out --force; echo $?; ls -A out/d
            """)
        #expect(outcome.text == "0\n0\nf\n1\nf\nl\n", "\(outcome)")
    }

    @Test func completionKeepsNamesWithBlanksWhole() throws {
        let sandbox = try Sandbox()
        try sandbox.write("two words", "")
        let outcome = try sandbox.shell(
            """
            $Q completion bash > rules
            bash -c '. ./rules; COMP_WORDS=(qvault put two); COMP_CWORD=2; _qvault; printf "%s|" "${COMPREPLY[@]}"'
            """)
        #expect(outcome.text == "two words|", "\(outcome)")
    }

    /// Kinds, fields, settings, and the names of an unlocked vault; a locked one gives none.
    @Test func completionKnowsWhatIsThere() throws {
        let sandbox = try Sandbox()
        func candidates(_ words: String) throws -> String {
            let outcome = try sandbox.shell("$Q completion for -- \(words)")
            #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome)")
            return outcome.text
        }
        #expect(try candidates("card add ad") == "address\n")
        #expect(try candidates("card add login us") == "username=\n")
        #expect(try candidates("settings set clip") == "clipboard-time\n")
        #expect(try candidates("export --kind lo") == "login\n")
        #expect(try candidates("put fi") == "")
        guard KeyScene.hasKeyring else { return }
        let made = try sandbox.shell(
            "$Q create v.qvault; echo > 'my file'; $Q put -f v.qvault 'my file'; $Q card add note text=x -f v.qvault --title 'my card'"
        )
        #expect(made.code == 0)
        #expect(try candidates("cat -f v.qvault my") == "")
        #expect(try sandbox.shell("$Q unlock v.qvault").code == 0)
        #expect(try candidates("cat -f v.qvault my") == "my card\nmy file\n")
        #expect(try candidates("card show -f v.qvault my") == "my card\n")
        #expect(try candidates("card edit -f v.qvault 'my card' te") == "text=\n")
        #expect(try sandbox.shell("$Q lock v.qvault").code == 0)
    }

    /// Times that nanoseconds cannot say are told, and do not become 1970.
    @Test func farTimesAreTold() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            "echo x > f; touch -d 2400-01-01 f && $Q pack f -o v.qvault; echo $?; $Q ls -f v.qvault --json")
        // Not every file system keeps such a time.
        if outcome.errors.contains("nearest time") {
            #expect(outcome.text.hasPrefix("1\n") && outcome.text.contains("2262-"), "\(outcome)")
        } else {
            #expect(try sandbox.shell("stat -c %Y f").text != "13569465600\n")
        }
    }

    /// Extended attributes, the access control list among them, stay with a vault that is written anew; a further name
    /// of the old file is told of.
    @Test func aRewrittenVaultKeepsItsAttributes() throws {
        let sandbox = try sandbox()
        let list = [
            (1, 6, "0xffffffff"), (2, 6, "4242"), (4, 0, "0xffffffff"), (16, 6, "0xffffffff"), (32, 0, "0xffffffff"),
        ]
        .map { "struct.pack('<HHI', \($0.0), \($0.1), \($0.2))" }.joined(separator: " + ")
        try sandbox.write(
            "set.py",
            """
            import os, struct
            os.setxattr("v.qvault", "user.note", b"mine")
            os.setxattr("v.qvault", "system.posix_acl_access", struct.pack("<I", 2) + \(list))
            """)
        let read =
            "/usr/bin/python3 -c 'import os; print(sorted((n, os.getxattr(\"v.qvault\", n).hex()) for n in os.listxattr(\"v.qvault\")), oct(os.stat(\"v.qvault\").st_mode))'"
        guard try sandbox.shell("/usr/bin/python3 set.py").code == 0 else { return }
        let before = try sandbox.shell(read).text
        #expect(before.contains("posix_acl") && before.contains("user.note"))
        try sandbox.shell("$Q backup v.qvault -o b.qvault")
        for verb in ["compact -f v.qvault", "rekey rotate -f v.qvault", "restore b.qvault -f v.qvault"] {
            #expect(try sandbox.shell("$Q \(verb)").code == 0, "\(verb)")
            #expect(try sandbox.shell(read).text == before, "\(verb)")
        }
        let linked = try sandbox.shell("ln v.qvault second.qvault; $Q compact -f v.qvault")
        #expect(linked.errors.contains("1 other names (hard links)"), "\(linked)")
    }

    /// A retired file that nobody names any more opens with no secret; one that has another name stays as it is.
    @Test func theOldFileLosesItsKeys() throws {
        let sandbox = try sandbox()
        let outcome = try sandbox.shell(
            """
            exec 7< v.qvault; $Q rekey rotate -f v.qvault; cat <&7 > old; $Q verify --keyless old; echo $?
            ln v.qvault second.qvault; $Q rekey rotate -f v.qvault; $Q verify --keyless second.qvault > none; echo $?
            """)
        #expect(outcome.text == "old: not-a-vault\n8\n0\n" || outcome.text.hasSuffix("8\n0\n"), "\(outcome)")
    }
}
