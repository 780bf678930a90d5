import Testing
import Values

/// Lines that a person types are edited: characters of two columns, arrows, words, Tab; the up arrow goes back.
struct LineEditorTests {
    private static let typist =
        "TERM=xterm TYPIST_COLUMNS=80 /usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py $Q"
    private static let wifi = "\(typist) card add wifi -f v.qvault --title w --group g --tag t --"

    /// Keys of terminals, by name, for `printf`.
    private static let keys =
        """
        left=$(printf '\\033[D'); up=$(printf '\\033[A'); home=$(printf '\\033[H'); end=$(printf '\\033OF'); back=$(printf '\\177')
        delete=$(printf '\\033[3~'); word=$(printf '\\033[1;5D'); kill=$(printf '\\025'); tab=$(printf '\\t')
        """

    private func outcome(_ sandbox: Sandbox, _ script: String) throws -> Sandbox.Outcome {
        try sandbox.shell("\(Self.keys)\n$Q create v.qvault; exec 2>&1\n\(script)")
    }

    /// A character of two columns goes as a whole, and what stands before and behind it stays.
    @Test(arguments: [
        ("abc文三路$back${back}X", "abc文X"), ("文三路$left$left$delete", "文路"), ("路${home}文三${end}1号", "文三路1号"),
        ("one two three$word${word}2 ", "one 2 two three"), ("wrong${kill}right", "right"),
        ("é👨‍👩‍👧$left${home}a", "aé👨‍👩‍👧"),
    ]) func lineIsEdited(_ typed: String, _ stored: String) throws {
        let sandbox = try Sandbox()
        let outcome = try outcome(
            sandbox,
            """
            \(Self.wifi) 'network name *: ' "\(typed)" 'makes one): ' '' 'security: ' '' 'ends it): ' '' > said; echo $?
            $Q copy w -f v.qvault --field network --stdout
            """)
        #expect(outcome.text == "0\n\(stored)\n", "\(outcome) \(said(sandbox))")
    }

    /// The up arrow leads to the question before, also from and to what is typed without echo; answers stand there already.
    @Test func upArrowGoesBack() throws {
        let sandbox = try Sandbox()
        let outcome = try outcome(
            sandbox,
            """
            \(Self.wifi) 'network name *: ' one 'makes one): ' secret 'repeat it: ' secret 'security: ' "$up\\c" \
                'makes one): ' "$up" 'network name *: ' two 'makes one): ' '' 'security: ' WPA3 'ends it): ' '' > said; echo $?
            $Q copy w -f v.qvault --field network --stdout; $Q copy w -f v.qvault --field password --stdout
            \(Self.typist) card edit w -f v.qvault -- 'title [w]' '' 'network name: ' "$back$back" 'password [' '' \
                'security: ' '' 'notes' '' > said; echo $?
            $Q copy w -f v.qvault --field network --stdout
            """)
        #expect(outcome.text == "0\nonetwo\nsecret\n0\nonet\n", "\(outcome) \(said(sandbox))")
    }

    /// A text of several lines stays when a person goes back to it or through it, and its lines can be corrected.
    @Test func textsSurviveGoingBack() throws {
        let sandbox = try Sandbox()
        let outcome = try outcome(
            sandbox,
            """
            \(Self.wifi) 'network name *: ' n 'makes one): ' '' 'security: ' '' 'ends it): ' one '  ' "two$up\\c" 'ends it): ' '1' \
                '  ' three '  ' '' > said; echo $?; $Q copy w -f v.qvault --field notes --stdout
            \(Self.typist) card add wifi -f v.qvault --title x --tag t -- 'network name *: ' n 'makes one): ' '' 'security: ' '' \
                'ends it): ' one '  ' '' '(Enter: none' "$up\\c" 'ends it): ' '' '(Enter: none' '' > said; echo $?
            $Q copy x -f v.qvault --field notes --stdout
            """)
        #expect(outcome.text == "0\none1\nthree\n0\none\n", "\(outcome) \(said(sandbox))")
    }

    /// A value that is refused stands in the line again.
    @Test func refusedValuesAreCorrected() throws {
        let sandbox = try Sandbox()
        let outcome = try outcome(
            sandbox,
            """
            \(Self.typist) card add bankcard -f v.qvault --title b --group g --tag t -- 'card number *: ' 6222021234567890120 \
                'card number *: ' "${back}8" 'bank *' 'x' 'card holder' '' 'branch' '' 'expires' '' 'security code' '' 'phone' '' \
                'ends it' '' 'to attach' '' > said; echo $?; $Q copy b -f v.qvault --field number --stdout
            """)
        #expect(outcome.text.hasPrefix("0\n622202123456789012"), "\(outcome) \(said(sandbox))")
    }

    /// Tab completes paths, those with blanks too, and shows what may be meant.
    @Test func tabCompletesPaths() throws {
        let sandbox = try Sandbox()
        try sandbox.write("key one", "-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n")
        try sandbox.write("other", "x")
        try sandbox.write("other 2", "x")
        let outcome = try outcome(
            sandbox,
            """
            \(Self.typist) card add ssh-key -f v.qvault --title k --group g --tag t -- 'path of the file): ' "oth$tab$tab\\c" \
                'other 2' "${kill}ke$tab" 'public key' '' 'fingerprint: ' '' 'makes one): ' '' 'ends it): ' '' 'custom field' '' \
                > said; echo $?; $Q copy k -f v.qvault --field private_key --stdout | head -1
            """)
        #expect(outcome.text == "0\n-----BEGIN KEY-----\n", "\(outcome) \(said(sandbox))")
    }

    /// Tab puts the name in, also where the typed part ends within a character, and within quotes; a folder `~` is no home.
    @Test func tabKeepsNames() throws {
        let sandbox = try Sandbox()
        let names = ["e\u{301}xy.pem", #"it's "q" \b.pem"#, "~/own.pem"]
        for (place, name) in names.enumerated() { try sandbox.write(name, "-----BEGIN KEY-----\n\(place)\n") }
        for (place, typed) in ["e$tab", "'i$tab", "\"i$tab", "\\~/$tab", "'~/$tab"].enumerated() {
            let outcome = try outcome(
                sandbox,
                """
                rm -f v.qvault; $Q create v.qvault -q
                \(Self.typist) card add ssh-key -f v.qvault --title k --group g --tag t -- 'path of the file): ' "\(typed.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))" \
                    'public key' '' 'fingerprint: ' '' 'makes one): ' '' 'ends it): ' '' 'custom field' '' > said; echo $?
                $Q copy k -f v.qvault --field private_key --stdout | sed -n 2p
                """)
            #expect(outcome.text.hasSuffix("0\n\([0, 1, 1, 2, 2][place])\n"), "\(typed): \(outcome) \(said(sandbox))")
        }
    }

    /// A recipient whom copies were given to is completed by pinyin; several stand in one line.
    @Test func tabCompletesRecipients() throws {
        let sandbox = try Sandbox()
        try sandbox.write("front.jpg", Sandbox.jpeg())
        let outcome = try outcome(
            sandbox,
            """
            $Q card add note -f v.qvault --title c text=x -q; $Q attach add -f v.qvault c front.jpg -q
            $Q share -f v.qvault c --recipient 招商银行 --purpose 开户 -o a.jpg --no-sign -q
            \(Self.typist) share c -f v.qvault --no-sign -- 'for whom' "房东;zhaoshang$tab" 'what for' "开$tab" 'until when' '' > said
            echo $?; $Q shares -f v.qvault --json | grep -o '"recipient":"[^"]*"' | sort | uniq -c | tr -s ' '
            """)
        #expect(
            outcome.text == "0\n 1 \"recipient\":\"房东\"\n 2 \"recipient\":\"招商银行\"\n",
            "\(outcome) \(said(sandbox))")
    }

    /// Text that stood in the line where the person went back is there again; blank lines of a pasted text stay in it.
    @Test func nothingThatWasTypedIsLost() throws {
        let sandbox = try Sandbox()
        let outcome = try outcome(
            sandbox,
            """
            \(Self.wifi) 'network name *: ' n 'makes one): ' '' 'security: ' "wpa$up\\c" 'makes one): ' '' 'security: ' '2' \
                'ends it): ' "$(printf 'one\\n\\n\\ntwo')" '  two' '' > said; echo $?
            $Q card show w -f v.qvault --field security; $Q copy w -f v.qvault --field notes --stdout
            """)
        #expect(outcome.text == "0\nwpa2\none\n\n\ntwo\n", "\(outcome) \(said(sandbox))")
    }

    /// Ctrl-C asks whether what was typed is saved, or says what is missing; a second one saves nothing.
    @Test func whatWasTypedIsKeptIfAsked() throws {
        let sandbox = try Sandbox()
        let outcome = try outcome(
            sandbox,
            """
            stop=$(printf '\\003'); form="card add idcard -f v.qvault --"
            \(Self.typist) $form 'name *: ' 张三 'number *: ' "$stop\\c" 'saved without ID number' '' 'number *: ' 11010519491231002X \
                'sex' "$stop\\c" 'save what was typed' y > said; echo $?
            $Q card show 张三 -f v.qvault --field number
            \(Self.typist) $form 'name *: ' 李四 'number *: ' 11010519491231002X 'sex' "$stop\\c" 'save what was typed' '' > said; echo $?
            \(Self.typist) $form 'name *: ' 李四 'number *: ' 11010519491231002X 'sex' "$stop\\c" 'save what was typed' "$stop\\c" > said; echo $?
            $Q card edit 张三 -f v.qvault -q >/dev/null 2>&1 </dev/null
            EDITOR= \(Self.typist) card edit 张三 -f v.qvault -- 'title' 'n' 'ame: ' "${kill}王五" 'umber' "$stop\\c" 'save what was typed' y \
                > said; echo $?; $Q card list -f v.qvault --json | grep -o '"title":"[^"]*"'
            """)
        #expect(outcome.text == "0\n11010519491231002X\n254\n254\n0\n\"title\":\"n\"\n", "\(outcome) \(said(sandbox))")
    }

    /// Ctrl-D is no answer, also where nothing is shown of what is typed.
    @Test func controlDIsNoAnswer() throws {
        let sandbox = try Sandbox()
        let outcome = try outcome(
            sandbox,
            """
            \(Self.wifi) 'network name *: ' n 'makes one): ' "$(printf '\\004')\\c" > said; echo $?; $Q card list -f v.qvault --json | wc -l
            QVAULT_PASSWORD_COMMAND= TERM=xterm /usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py $Q ls -f v.qvault -- 'password' \
                "$(printf '\\004')\\c" > said; echo $?
            """)
        #expect(outcome.text == "15\n0\n15\n", "\(outcome) \(said(sandbox))")
    }

    /// A line that a terminal cuts is refused where the terminal itself edits it, and asked for again.
    @Test func linesThatAreCutAreRefused() throws {
        let sandbox = try Sandbox()
        let outcome = try outcome(
            sandbox,
            """
            TERM=dumb /usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py $Q card add note -f v.qvault --title n --group g --tag t -- \
                'ends it): ' "$(printf %04094d 7)" '  ' "$(printf %05000d 7)" 'cuts lines' "short" '  ' '' 'finish): ' '' > said; echo $?
            $Q card show n -f v.qvault --field text | wc -c; tail -c 400 said
            """)
        #expect(outcome.text.hasPrefix("0\n4101\n"), "\(outcome) \(said(sandbox))")
    }

    /// Bytes that are no UTF-8 are refused, and Ctrl-C saves nothing.
    @Test func whatIsNoTextIsRefused() throws {
        let sandbox = try Sandbox()
        let outcome = try outcome(
            sandbox,
            """
            \(Self.wifi) 'network name *: ' "$(printf 'a\\377')" \
                'is not UTF-8' "$(printf 'b\\003\\c')" > said; echo $?; $Q card list -f v.qvault --json | wc -l
            """)
        let said = try String(decoding: sandbox.read("said"), as: UTF8.self)
        #expect(outcome.text == "254\n0\n", "\(outcome) \(said)")
        #expect(said.contains("is not UTF-8"), "\(said)")
    }

    /// A long question stands above the line that is edited, at any width.
    @Test(arguments: [20, 40, 200]) func longQuestionsAreBroken(_ columns: Int) throws {
        let sandbox = try Sandbox()
        let outcome = try outcome(
            sandbox,
            """
            export TERM=xterm TYPIST_COLUMNS=\(columns)
            /usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py $Q card add wifi -f v.qvault --title w -- 'name' 一个很长很长很长的网络名称 \
                'one):' '' 'security' '' 'it):' '' 'none):' 组 'none):' '' > said; echo $?
            $Q card show w -f v.qvault --json | grep -c '"group":"组".*一个很长很长很长的网络名称'
            """)
        #expect(outcome.text == "0\n1\n", "\(outcome) \(said(sandbox))")
    }

    /// The output of the terminal.
    private func said(_ sandbox: Sandbox) -> String {
        (try? sandbox.read("said")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
