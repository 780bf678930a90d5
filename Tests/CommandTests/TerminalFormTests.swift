import Testing
import Values

/// Forms ask for passwords, texts of many lines, files and own fields; lists are ticked, questions asked again.
struct TerminalFormTests {
    private static let typist = "/usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py $Q"

    /// A password that is only Enter is asked for again, and a recovery key may be typed as one line.
    @Test func passwordsAreAskedForAgain() throws {
        let outcome = try Sandbox().shell(
            """
            $Q create v.qvault; $Q key recovery -f v.qvault -o key.txt; unset QVAULT_PASSWORD_COMMAND; echo x > f; exec 2>&1
            \(Self.typist) put f -f v.qvault -- 'password for' '' 'password for' correct-horse-battery > said; echo $?
            \(Self.typist) cat f -f v.qvault -- 'password for' "$(grep '^[1-4] ' key.txt | tr '\n' ' ')" | tail -1
            \(Self.typist) ls -f v.qvault -- 'password for' '' 'password for' '' 'password for' '' > said; echo $?
            """)
        #expect(outcome.text == "0\nx\n11\n", "\(outcome)")
    }

    /// A password is typed twice without echo; a text may have many lines; the card gets fields of its own.
    @Test func aLoginIsTyped() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            $Q create v.qvault; \(Self.typist) card add login -f v.qvault -- 'user name: ' li \
                'makes one): ' secret 'repeat it: ' other 'type it again\npassword (@generate makes one): ' secret \
                'repeat it: ' secret 'web site: ' example.org 'one-time password: ' '' 'ends it): ' one '  ' two '  ' '' \
                'custom field' ' pin ' 'pin : ' 42 'for a field\nname of a custom' pin 'pin: ' 42 'custom field' '' \
                'title [example.org]: ' mine 'group (Enter' work 'tags' 'a, b' > said; echo $?
            $Q card show -f v.qvault mine --json --reveal
            """)
        let said = try String(decoding: sandbox.read("said"), as: UTF8.self)
        #expect(outcome.text.hasPrefix("0\n"), "\(outcome) \(said)")
        #expect(!said.contains("secret"), "a password is typed without echo")
        for part in [
            #""username":"li""#, #""password":"secret""#, #""notes":"one\ntwo""#, #""group":"work""#, #"["a","b"]"#,
            "42",
        ] { #expect(outcome.text.contains(part), "\(part): \(outcome) \(said)") }
    }

    /// The program makes a password of twenty characters, and never shows it.
    @Test func aPasswordIsMade() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            $Q create v.qvault; \(Self.typist) card add login -f v.qvault --title a --group g --tag t -- 'user name: ' li \
                'makes one): ' @generate 'web site: ' '' 'one-time password: ' '' 'ends it): ' '' 'custom field' '' > said
            echo $?; $Q copy a -f v.qvault --field password --stdout > password; wc -m < password
            grep -c -F -e "$(cat password)" said
            """)
        #expect(outcome.text.split(separator: "\n").map { $0.trimmed } == ["0", "21", "0"], "\(outcome)")
    }

    /// A private key comes from a file, since a terminal takes its lines for answers.
    @Test func aKeyIsReadFromAFile() throws {
        let sandbox = try Sandbox()
        try sandbox.write("key", "-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n")
        let outcome = try sandbox.shell(
            """
            printf '\\377' > bytes; $Q create v.qvault
            \(Self.typist) card add ssh-key -f v.qvault --title k --group g --tag t -- \
                'private key * (path' '' 'is missing' '' 'path of the file): ' none 'path of the file): ' bytes \
                'path of the file): ' key 'public key' '' 'fingerprint: ' '' 'makes one): ' '' 'ends it): ' '' \
                'custom field' '' > said; echo $?
            $Q copy k -f v.qvault --field private_key --stdout
            """)
        let said = try String(decoding: sandbox.read("said"), as: UTF8.self)
        #expect(outcome.text.hasPrefix("0\n-----BEGIN KEY-----\nAAAA\n"), "\(outcome) \(said)")
        #expect(said.contains("bytes: is not UTF-8") && said.contains("none: "), "\(said)")
    }

    /// Funds that are found are watched by their numbers and ranges; a number beyond the list is asked for again.
    @Test func fundsAreTicked() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            export QVAULT_FILE=v.qvault; $Q create; for n in 1 2 3 4 5 6; do echo "00000$n,基金$n,混合型"; done | sed '1i code,name,type' | $Q fund directory -
            $Q fund add 000002 name=基金2
            \(Self.typist) fund search 基金 -- 'Enter for none: ' 9 'Enter for none: ' 3-1 'Enter for none: ' x \
                'Enter for none: ' '1-2，5' > said; echo $?
            $Q fund list --json | cut -c9-16 | sort | tr '\\n' ' '
            \(Self.typist) fund search 基金 -- 'Enter for none: ' '' > /dev/null; echo $?
            """)
        let said = try String(decoding: sandbox.read("said"), as: UTF8.self)
        #expect(outcome.text == "0\n\"000001\" \"000002\" \"000005\" 0\n", "\(outcome) \(said)")
        #expect(said.contains("funds added: 000001 000005"), "\(said)")
    }

    /// A QR code, drawn in the terminal or written as a picture, holds the recovery key of the sheet.
    @Test(arguments: [false, true]) func theCodeOfARecoveryKeyIsRead(_ isInColour: Bool) throws {
        let sandbox = try Sandbox()
        try sandbox.write(
            "draw.py",
            """
            # Draws the half blocks of a terminal, or the squares of the SVG, in black on white.
            import re, sys
            from PIL import Image
            text, dark = open(sys.argv[1]).read(), sys.argv[3] == "dark"
            if sys.argv[1].endswith(".svg"):
                side = int(re.search(r"viewBox=.0 0 (\\d+)", text)[1])
                points = {(int(x), int(y)) for x, y in re.findall(r"M(\\d+) (\\d+)h1v1h-1z", text)}
            else:
                rows = [re.sub(r"\\x1b\\[[0-9;]*m", "", row) for row in re.findall(r"(?m)^.*[█▀▄].*$", text)]
                side = max(map(len, rows))
                points = {(x, 2 * y + lower) for y, row in enumerate(rows) for x in range(side) for lower in (0, 1)
                          if (row.ljust(side)[x] in ("█▄" if lower else "█▀")) == dark}
            # Light rows at the edge have no block: the margin is drawn anew.
            picture = Image.new("L", (side + 8, side + 8), 255)
            for x, y in points:
                if y < side: picture.putpixel((x + 4, y + 4), 0)
            picture.resize((8 * side + 64, 8 * side + 64)).save(sys.argv[2])
            """)
        let draw =
            isInColour
            ? "NO_COLOR= ; unset NO_COLOR; TERM=xterm \(Self.typist) key recovery -f v.qvault -o b.txt --qr -- > drawn"
            : "$Q key recovery -f v.qvault -o b.txt --qr > drawn"
        let outcome = try sandbox.shell(
            """
            set -e; $Q create v.qvault; $Q key recovery -f v.qvault -o a.txt --qr-out a.png
            \(draw); /usr/bin/python3 draw.py drawn b.png \(isInColour ? "dark" : "light")
            $Q key recovery -f v.qvault -o c.txt --qr-out c.svg; /usr/bin/python3 draw.py c.svg c.png dark
            for n in a b c; do
                zbarimg -q --raw $n.png > $n.key
                $Q ls -f v.qvault --recovery-key-file $n.key && grep -qF -e "$(head -n 1 $n.key)" $n.txt && echo $n
            done
            """)
        #expect(outcome.text == "a\nb\nc\n", "\(outcome)")
    }

    /// A rotation asks for the keyfile of a slot that needs one, and asks again; without a secret the slot goes.
    @Test(arguments: [true, false]) func aRotationAsksForAKeyfile(_ isKept: Bool) throws {
        let sandbox = try KeyScene.sandbox()
        let answers =
            isKept ? "'its keyfile: ' k 'its password' wrong 'its keyfile: ' k 'its password' \"$(cat new)\"" : ""
        let outcome = try sandbox.shell(
            """
            echo random > k; $Q key remove 2 -q -f v.qvault; $Q key add -f v.qvault --new-password-file new --new-keyfile k
            \(Self.typist) rekey rotate -f v.qvault -- 'keep key slot 2 (password and keyfile' \(isKept ? "y" : "n") \(answers) \
                > said; echo $?
            $Q ls -q -f v.qvault --password-file new --keyfile k > list; echo $?
            """)
        let said = try String(decoding: sandbox.read("said"), as: UTF8.self)
        #expect(outcome.text == "0\n\(isKept ? 0 : 3)\n", "\(outcome) \(said)")
    }

    /// Nothing that was typed is lost at once where another program holds the vault: the person may try again.
    @Test func aFormWaitsForAnotherProgram() throws {
        let sandbox = try Sandbox()
        try sandbox.write(
            "hold.py",
            """
            # Holds the writer's lock of a vault (an open-file-description lock) while a program runs.
            import fcntl, os, struct, subprocess, sys
            file = open(sys.argv[1], "r+b")
            fcntl.fcntl(file, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
            sys.exit(subprocess.run(sys.argv[2:]).returncode)
            """)
        let outcome = try sandbox.shell(
            """
            $Q create v.qvault; /usr/bin/python3 hold.py v.qvault \(Self.typist) card add note -f v.qvault --wait 0s \
                --title n --group g --tag t -- 'ends it): ' x '  ' '' 'custom field' '' 'try again? [Y/n] ' y \
                'try again? [Y/n] ' n > said; echo $?
            $Q ls -f v.qvault | wc -l
            """)
        let said = try String(decoding: sandbox.read("said"), as: UTF8.self)
        #expect(outcome.text == "9\n0\n", "\(outcome) \(said)")
        #expect(said.contains("another program is writing to the vault"), "\(said)")
    }

    /// A question is asked again until it is answered with yes or no, in either language.
    @Test(arguments: [("y", 0), ("是", 0), ("no", 12), ("", 12)]) func yesOrNo(_ answer: String, _ code: Int) throws {
        let sandbox = try KeyScene.sandbox()
        let outcome = try sandbox.shell(
            """
            $Q backup v.qvault -o b.qvault; $Q create other.qvault
            \(Self.typist) restore b.qvault -f other.qvault -- 'key slots? [y/N] ' maybe 'y or n\nrestore with these key slots? ' \
                '\(answer)' > said; echo $?
            """)
        let said = try String(decoding: sandbox.read("said"), as: UTF8.self)
        #expect(outcome.text == "\(code)\n", "\(outcome) \(said)")
    }
}
