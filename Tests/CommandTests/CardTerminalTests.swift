import Foundation
import Testing

/// Cards at a terminal: forms, what is pasted, the clipboard, messages.
struct CardTerminalTests {
    /// The process that empties the clipboard gets the text in its environment, which others cannot see.
    @Test func theClipboardsWatcherTellsNothing() throws {
        let sandbox = try Sandbox.withNote()
        try sandbox.shell(
            "mkdir bin; for t in xclip; do printf '#!/bin/sh\ncat > got\n' > bin/$t; chmod +x bin/$t; done")
        let copy = "DISPLAY=:9 PATH=\"$PWD/bin:$PATH\" $Q copy -f v.qvault n --field text"
        // Processes of this sandbox are those in its folder.
        let outcome = try sandbox.shell(
            """
            \(copy) && cat got
            for process in /proc/[0-9]*; do
                [ "$(readlink $process/cwd)" = "$PWD" ] && grep -q 'sleep 45' $process/cmdline 2> /dev/null || continue
                tr '\\0' ' ' < $process/cmdline; kill ${process#/proc/}
            done
            """)
        #expect(outcome.text.hasPrefix("old") && outcome.errors.contains("emptied in 45 seconds"), "\(outcome)")
        #expect(outcome.text.contains("sleep 45") && outcome.text.firstMatch(of: /[0-9a-f]{32}/) == nil, "\(outcome)")
    }

    /// On a terminal each field is asked for, and asked for again until it holds.
    @Test func aFormIsFilledIn() throws {
        let sandbox = try Sandbox.withNote()
        let answers = ["张三", "123", "+4930123456", "no mail", "", "a@b.cn", "", "", "", "", "", "", "", "", ""]
        let typed = answers.map { "': ' '\($0)'" }.joined(separator: " ")
        let typist = "/usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py"
        let script = "\(typist) $Q card add contact -f v.qvault -- \(typed) > said"
        let outcome = try sandbox.shell(script)
        let said = String(decoding: try sandbox.read("said"), as: UTF8.self)
        #expect(
            outcome.code == 0 && said.contains("is no phone number") && said.contains("is no e-mail address"), "\(said)"
        )
        let shown = try sandbox.shell("$Q card show -f v.qvault 张三 --json").text
        #expect(
            shown.contains("\"fields\":{\"name\":\"张三\",\"phone\":\"+4930123456\",\"wechat\":\"a@b.cn\"}"), "\(shown)")
    }

    /// The clipboard takes what people paste: a password, one line of an address, one field after the other.
    @Test func whatIsPasted() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            set -e; export QVAULT_FILE=v.qvault; $Q create
            $Q card add address --title 家 name=张三 phone=13800138000 province=浙江省 city=杭州市 district=西湖区 address=文三路1号
            $Q card add login --title GitHub username=li password=pw url=https://github.com totp=GEZDGNBVGY3TQOJQ
            $Q copy 家 --stdout; $Q copy github --stdout; $Q copy --as line --stdout GitHub | cut -d' ' -f1,2
            $Q copy 家 --as json --stdout; $Q copy 家 --as labels --stdout | head -1
            for i in 1 2; do $Q copy GitHub --next --stdout; done; $Q copy GitHub --next --stdout | grep -c '^[0-9]*$'
            $Q copy GitHub --next --stdout; $Q config set copy.address '{name}, {address}'; $Q copy 家 --stdout
            $Q card add login --title GitLab username=x password=y; $Q copy git --stdout || echo $?; $Q copy 家 --as xml || echo $?
            printf %%PDF-1 > x.pdf; $Q attach add 家 x.pdf; $Q card show 家 | tail -1
            """)
        #expect(
            outcome.text == """
                张三 13800138000 浙江省杭州市西湖区文三路1号
                pw
                li pw
                {"name":"张三","phone":"13800138000","province":"浙江省","city":"杭州市","district":"西湖区","address":"文三路1号"}
                name: 张三
                li
                pw
                1
                li
                张三, 文三路1号
                10
                2
                  x.pdf  application/pdf  6 B

                """, "\(outcome)")
    }

    /// The setting goes before the locale.
    @Test func theLanguageSettingCounts() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            "export LANG=en_US.UTF-8; $Q settings set language zh; $Q rm --help | sed -n 3p; $Q rm --help --lang en | sed -n 3p"
        )
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("用法") && lines[1].contains("usage"), "\(outcome)")
    }

    /// Without an editor of one's own, `card edit` asks for each field.
    @Test func cardsAreChangedAtTheTerminal() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            unset EDITOR VISUAL; $Q create v.qvault; export QVAULT_FILE=v.qvault
            $Q card add login --title a username=old password=pw notes=gone pin=1
            /usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py $Q card edit a -- title '' 'user name [old' new \
                'password [' '' 'web site [' '' 'one-time' '' 'notes [gone' - 'pin [1' 2 'custom' '' > said; echo $?
            $Q card show a --reveal; $Q history a | wc -l
            """)
        #expect(outcome.text.contains("new\n") && outcome.text.contains("pw\n"), "\(outcome)")
        #expect(
            outcome.text.hasPrefix("0\n") && !outcome.text.contains("gone") && outcome.text.hasSuffix("2\n2\n"),
            "\(outcome)")
    }

    /// Messages break at blanks and between Chinese characters, in a terminal of a known width alone.
    @Test func messagesAreWrapped() throws {
        let sandbox = try Sandbox()
        let typist = "/usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py $Q"
        for language in ["en", "zh"] {
            let wide = try sandbox.shell("\(typist) backup --lang \(language) none.qvault --to none-of-these --")
            let narrow = try sandbox.shell(
                "TYPIST_COLUMNS=30 \(typist) backup --lang \(language) none.qvault --to none-of-these --")
            #expect(wide.text.split(separator: "\n").count == 2, "\(wide)")
            let lines = narrow.text.split(separator: "\n")
            #expect(lines.count > 3 && lines.allSatisfy { $0.count <= 30 && $0.first != "，" }, "\(narrow)")
            #expect(narrow.text.filter { !$0.isWhitespace } == wide.text.filter { !$0.isWhitespace })
        }
    }
}
