import Testing

/// On a terminal no line of a result is longer than the terminal is wide, and none is broken inside a word.
struct NarrowTerminalTests {
    /// Columns as a terminal counts them, of text without control characters.
    private static func columns(_ line: Substring) -> Int {
        line.unicodeScalars.reduce(0) { $0 + (0x1100..<0x1F000 ~= $1.value && !(0x2000..<0x2E80 ~= $1.value) ? 2 : 1) }
    }

    private func check(_ text: String, _ width: Int, _ what: String) {
        #expect(text.count > 100, "\(what): \(text)")
        for line in text.split(separator: "\n") {
            // A word longer than a line stays whole.
            let isOneWord = line.drop { $0 == " " }.split(separator: " ").count == 1
            #expect(Self.columns(line) <= width || isOneWord, "\(what), \(width) columns: \(line)")
        }
    }

    @Test(arguments: [60, 80, 100, 200], ["en", "zh"]) func help(_ width: Int, _ language: String) throws {
        let sandbox = try Sandbox()
        let text = try sandbox.shell(
            """
            cat > all <<'END'
            $Q --help; for topic in $($Q --help | sed -n -e '/^topics,\\|^主题/,$p' | sed -n 's/^  \\([a-z]*\\)  .*/\\1/p'); do $Q help $topic; done
            $Q --lang en --help | sed -n -e '/^topics,/q' -e 's/^  \\([a-z][a-z ]*[a-z]\\)  .*/\\1/p' | while read -r verb; do $Q $verb --help < /dev/null; done
            END
            QVAULT_LANG=\(language) LANG=\(language == "zh" ? "zh_CN.UTF-8" : "C.UTF-8") TYPIST_COLUMNS=\(width) \\
                /usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py sh all --
            """
        ).text
        check(text, width, "help, \(language)")
        if width == 200 {
            #expect(
                text.contains(language == "zh" ? "--hide 部分" : "--hide PART") && text.contains("qvault undo"),
                "every verb is there")
        }
    }

    /// Words, numbers, options and paths stay whole in lists too.
    @Test(arguments: [60, 80, 100], ["C.UTF-8", "zh_CN.UTF-8"]) func results(_ width: Int, _ locale: String) throws {
        let sandbox = try Sandbox()
        let text = try sandbox.shell(
            """
            export QVAULT_FILE=v.qvault LANG=\(locale); $Q create v.qvault
            /usr/bin/python3 $REPOSITORY/Tests/Scripts/id-card.py id-front.jpg; mkdir 'a folder'; echo x > 'a folder/letter to the bank about the account of 2026-11-28.txt'
            $Q card add -q idcard --title '张三（2026 年换发的居民身份证）' name=张三 number=11010519491231002X valid_until=$(date -d '20 days' +%F) address='北京市朝阳区某某路一百二十八号院三号楼二单元一千二百零一室'
            $Q attach add -q '张三（2026 年换发的居民身份证）' id-front.jpg; $Q put -q 'a folder'; $Q asset add -q 工行 category=liquid amount=12000
            $Q share -q id-front.jpg --recipient 招商银行股份有限公司深圳某某支行 --purpose 开立个人结算账户 --until 30d -o c.jpg
            cat > all <<'END'
            $Q; $Q ls; $Q ls -l; $Q card list; $Q card show 张三; $Q shares; $Q due --within 90d; $Q history; $Q info; $Q status; $Q find 张三; $Q search 张三
            $Q verify v.qvault; $Q verify-copy c.jpg; $Q trace c.jpg; $Q key list; $Q asset list; $Q asset summary; $Q settings; $Q ls nothing; $Q lss
            END
            TYPIST_COLUMNS=\(width) /usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py sh all --
            """
        ).text
        check(text, width, locale)
        // A name, a number of a card, the code's words, and the numbers of a save.
        let fingerprint = try sandbox.shell("QVAULT_FILE=v.qvault $Q info --mark-key --json | jq -r .fingerprint_words")
            .text
        for word in ["2026-11-28.txt", "002X", "招商银行", "2026-"]
            + fingerprint.split(separator: "-").prefix(1).map(String.init)
        {
            #expect(text.contains(word), "\(word) is whole: \(text)")
        }
    }
}
