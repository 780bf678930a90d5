import Foundation
import Testing

/// Cards are picked from a list that narrows as a person types: by a bare `qvault`, and by verbs without a name.
struct CardPickerTests {
    private static let typist = "TERM=xterm TYPIST_COLUMNS=100 /usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py $Q"

    /// The screen is shown, and given back as it was.
    private static let (opened, closed) = ("\u{1B}[?1049h", "\u{1B}[?1049l")

    private func scene() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.write("front.jpg", Sandbox.jpeg())
        let outcome = try sandbox.shell(
            """
            $Q create v.qvault -q; $Q card add idcard name=张三 number=11010519491231002X -f v.qvault -q
            $Q attach add 张三 front.jpg --as 正面 -f v.qvault -q
            $Q card add login --title GitHub username=li password=secret totp=JBSWY3DPEHPK3PXP -f v.qvault -q
            $Q card add note --title 招商 text=bank --tag 银行 -f v.qvault -q
            """)
        try #require(outcome.code == 0, "\(outcome)")
        return sandbox
    }

    /// The text that the terminal was told to put on its clipboard.
    private func clipboard(_ said: String) -> String? {
        guard let start = said.range(of: "\u{1B}]52;c;"), let end = said[start.upperBound...].firstIndex(of: "\u{07}")
        else { return nil }
        return Data(base64Encoded: String(said[start.upperBound..<end])).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Titles, pinyin, initials, tags and kinds narrow the list; Enter copies what is chosen.
    @Test(arguments: [
        ("zhangs", "姓名: 张三"), ("zhaoshang", "bank"), ("银行", "bank"), ("github", "secret"), ("身份证", "姓名: 张三"),
        ("shenfenzheng", "姓名: 张三"), ("gith\u{7F}\u{7F}\u{15}zhang", "姓名: 张三"), ("\u{1B}[Z\u{1B}[200~zhangs", "姓名: 张三"),
    ]) func enterCopies(_ typed: String, _ copied: String) throws {
        let sandbox = try scene()
        try sandbox.write("typed", typed)
        let outcome = try sandbox.shell("\(Self.typist) -f v.qvault --lang zh -- 'Esc' \"$(cat typed)\"")
        #expect(outcome.code == 0 && clipboard(outcome.text)?.contains(copied) == true, "\(outcome) \(outcome.text)")
        #expect(outcome.text.contains(Self.opened) && outcome.text.contains(Self.closed))
    }

    /// Keys that come with another size are taken, and the list is drawn for it.
    @Test func keysComeWithAnotherSize() throws {
        let outcome = try scene().shell(
            #"""
            for columns in 60 30 90 20 100; do widths="$widths \w$columns"; done
            set --; for width in $widths; do set -- "$@" '' "$width" '' 'x\c'; done
            """# + "\n\(Self.typist) -f v.qvault -- 'Esc' 'x\\c' \"$@\" '' \"$(printf '\\025gith')\"")
        #expect(outcome.code == 0 && clipboard(outcome.text) == "secret", "\(outcome) \(outcome.text)")
    }

    /// A terminal that is closed ends it, whatever size the system says then; so does a signal.
    @Test(arguments: ["close", "terminate"]) func itEndsWithTheTerminal(_ how: String) throws {
        let sandbox = try scene()
        try sandbox.write(
            "ending.py",
            """
            import fcntl, os, pty, signal, struct, sys, termios, time
            child, terminal = pty.fork()
            if child == 0:
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 100, 0, 0))
                os.execvp(sys.argv[2], sys.argv[2:])
            shown = b""
            while b"Esc" not in shown: shown += os.read(terminal, 4096)
            if sys.argv[1] == "close": os.close(terminal)
            else:
                fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 60, 0, 0))
                os.write(terminal, b"ab")
                os.kill(child, signal.SIGTERM)
            for _ in range(600):
                if os.waitpid(child, os.WNOHANG)[0]: sys.exit(print("ended"))
                time.sleep(0.1)
            os.kill(child, 9)
            """)
        let outcome = try sandbox.shell("TERM=xterm /usr/bin/python3 ending.py \(how) $Q -f v.qvault")
        #expect(outcome.text == "ended\n", "\(outcome)")
    }

    /// Arrows and pages move, and the list ends at both ends.
    @Test func arrowsChoose() throws {
        let sandbox = try scene()
        let keys = #"$(printf '\033[A\033[B\033[6~\033[5~\033OB\016\020')"#
        let outcome = try sandbox.shell("\(Self.typist) -f v.qvault -- 'Esc' \"\(keys)\"")
        #expect(outcome.code == 0 && clipboard(outcome.text) == "secret", "\(outcome) \(outcome.text)")
    }

    /// Tab leads to letters; a letter that the card has nothing for does nothing.
    @Test func lettersDoOtherThings() throws {
        let sandbox = try scene()
        let code = try sandbox.shell(
            #"\#(Self.typist) -f v.qvault -- 'Esc' "$(printf 'github\t\c')" 'present code' 'so\c'"#)
        #expect(code.code == 0 && clipboard(code.text)?.count == 6, "\(code) \(code.text)")
        let view = try sandbox.shell(#"\#(Self.typist) -f v.qvault -- 'Esc' "$(printf 'zhangs\033v\c')""#)
        #expect(view.code == 0 && view.text.contains("****002X"), "\(view) \(view.text)")
        let share = try sandbox.shell(
            """
            \(Self.typist) -f v.qvault -- 'Esc' "$(printf 'zhangs\\ts\\c')" 'for whom' 房东 'what for' 租房 'until when' '' > said; echo $?
            $Q shares -f v.qvault --json | grep -c 房东
            """)
        #expect(share.text == "0\n1\n", "\(share) \(said(sandbox))")
    }

    /// Escape takes back what was typed, then leaves; Ctrl-D and Ctrl-C leave at once. Nothing is copied.
    @Test func nothingIsPicked() throws {
        let sandbox = try scene()
        let outcome = try sandbox.shell(
            """
            \(Self.typist) -f v.qvault -- 'Esc' "$(printf 'zzzz\\c')" 'no card' "$(printf '\\033\\c')" 'GitHub' "$(printf '\\033\\c')" > said; echo $?
            \(Self.typist) -f v.qvault -- 'Esc' "$(printf '\\004\\c')" >> said; echo $?
            \(Self.typist) -f v.qvault -- 'Esc' "$(printf '\\003\\c')" >> said; echo $?
            """)
        let said = try String(decoding: sandbox.read("said"), as: UTF8.self)
        #expect(outcome.text == "0\n0\n254\n" && clipboard(said) == nil, "\(outcome) \(said)")
        #expect(said.components(separatedBy: Self.closed).count == 4, "\(said)")
    }

    /// Verbs that are for one card ask for it: of `otp` and `share` only those that it can be.
    @Test func verbsWithoutANameAsk() throws {
        let sandbox = try scene()
        let otp = try sandbox.shell("\(Self.typist) otp -f v.qvault -- 'Esc' gith")
        #expect(otp.code == 0 && clipboard(otp.text)?.count == 6, "\(otp) \(otp.text)")
        let show = try sandbox.shell("\(Self.typist) card show --reveal -f v.qvault -- 'Esc' zhangs")
        #expect(show.code == 0 && show.text.contains("11010519491231002X"), "\(show) \(show.text)")
        let share = try sandbox.shell("\(Self.typist) share -f v.qvault -- 'Esc' \"$(printf '\\004\\c')\"")
        #expect(!share.text.contains("GitHub") && share.text.contains("张三"), "\(share) \(share.text)")
    }

    /// Without a terminal that can draw anew, the page is shown, and verbs want a name.
    @Test func withoutATerminalNothingIsAsked() throws {
        let sandbox = try scene()
        for terminal in ["TERM=dumb TYPIST_COLUMNS=100", "TERM=xterm TYPIST_COLUMNS=19", "TYPIST_COLUMNS=80"] {
            let typist = "\(terminal) /usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py $Q"
            let outcome = try sandbox.shell("\(typist) -f v.qvault --; echo $?; \(typist) copy -f v.qvault --; echo $?")
            #expect(outcome.text.contains("backup: never") || outcome.text.contains("locked"), "\(outcome.text)")
            #expect(outcome.text.contains("copy: NAME… is missing") && outcome.text.hasSuffix("2\n"), "\(outcome.text)")
            #expect(!outcome.text.contains(Self.opened))
        }
        #expect(try sandbox.qvault("copy", "-f", "v.qvault").code == 2)
        #expect(try sandbox.qvault("-f", "v.qvault").text.contains("qvault unlock"))
    }

    /// Lines fit the terminal at any width, also when it changes.
    @Test(arguments: [20, 60, 84, 200]) func linesFit(_ columns: Int) throws {
        let sandbox = try scene()
        let outcome = try sandbox.shell(
            """
            TERM=xterm TYPIST_COLUMNS=\(columns) /usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py $Q -f v.qvault --lang zh -- \
                '张三' '\\w\(columns + 1)' '张三' "$(printf '\\004\\c')"
            """)
        #expect(outcome.code == 0, "\(outcome)")
        let plain = outcome.text.replacing("\u{1B}[H", with: "\n").replacing(/\u{1B}\[[0-9;?]*[a-zA-Z]/, with: "")
        for line in plain.split(separator: "\n") {
            let width = line.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x2E80 ? 2 : 1) }
            #expect(width <= columns + 1, "\(line)")
        }
        #expect(outcome.text.contains("│") == (columns >= 84), "\(outcome.text)")
    }

    /// The output of the terminal.
    private func said(_ sandbox: Sandbox) -> String {
        (try? sandbox.read("said")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
