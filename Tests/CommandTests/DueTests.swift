import Testing

/// `qvault due`: days on which cards end. The days of the test are told from today's, as `date` gives it.
struct DueTests {
    private func fixture() throws -> Sandbox {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            set -e; export QVAULT_FILE=v.qvault; $Q create v.qvault; day() { date -d "$1 days" +%F; }
            $Q card add passport --title '张三; a,b' name=a number=E12345678 valid_until=$(day -3)
            $Q card add idcard --title b name=b number=11010519491231002X valid_until=$(day 7)
            $Q card add contact --title c name=c "合同到期=$(day 30)" "met=$(day 1)" "expires=never"
            $Q card add vehicle --title d plate=x inspection_until=$(day 31) insurance_until=长期 || true
            $Q card add vehicle --title d plate=x inspection_until=$(day 31)
            $Q card add idcard --title e name=e number=11010519491231002X valid_until=长期
            $Q card add bankcard --title f bank=f number=4111111111111111 expiry=02/24
            """)
        #expect(outcome.code == 0, "\(outcome.errors)")
        return sandbox
    }

    @Test func theEarliestComesFirst() throws {
        let sandbox = try fixture()
        let rows = try sandbox.shell("$Q due -f v.qvault --json | grep -o '\"level.*\"date' | cut -d: -f 2-3").text
        #expect(rows.hasPrefix("\"urgent\",\"days\":-"), "a leap year's February: \(rows)")
        let days = try sandbox.shell("$Q due -f v.qvault --json --within 31d | grep -o '\"days\":[-0-9]*'").text
        #expect(days.hasSuffix("\"days\":-3\n\"days\":7\n\"days\":30\n\"days\":31\n"), "\(days)")
        let levels = try sandbox.shell("$Q due -f v.qvault --json --within 31d | grep -o '\"level\":\"[a-z]*'").text
        #expect(levels.replacing("\"level\":\"", with: "") == "urgent\nurgent\nurgent\nsoon\nlater\n", "\(levels)")
        #expect(try sandbox.shell("$Q due -f v.qvault --json").text.contains("\"date\":\"2024-02-29\""))
        #expect(try sandbox.shell("$Q due -f v.qvault | wc -l").text == "4\n", "31 days are beyond 30")
    }

    @Test func exitCodesAndBadInput() throws {
        let sandbox = try fixture()
        #expect(try sandbox.qvault("due", "-f", "v.qvault").code == 0)
        #expect(try sandbox.qvault("due", "-f", "v.qvault", "--exit-code").code == 1)
        try sandbox.shell("$Q create w.qvault")
        let none = try sandbox.qvault("due", "-f", "w.qvault", "--exit-code")
        #expect(none.code == 0 && none.text == "")
        for arguments in ["--within soon", "--within 3h", "--format csv", "x"] {
            #expect(try sandbox.shell("$Q due -f v.qvault \(arguments)").code == 2, "\(arguments)")
        }
    }

    /// RFC 5545: lines of at most 75 bytes that end with CR LF, escaped values, a UID that stays.
    @Test func aCalendarReadsIt() throws {
        let sandbox = try fixture()
        try sandbox.shell("$Q due -f v.qvault --format ics > a; sleep 1; $Q due -f v.qvault --format ics > b")
        let text = try String(decoding: sandbox.read("a"), as: UTF8.self)
        #expect(text.hasPrefix("BEGIN:VCALENDAR\r\n") && text.hasSuffix("END:VCALENDAR\r\n"))
        #expect(text.utf8.split(separator: 0x0A).allSatisfy { $0.count <= 76 && $0.last == 0x0D })
        #expect(text.replacing("\r\n ", with: "").contains("张三\\; a\\,b"), "\(text)")
        #expect(try sandbox.shell("grep -c BEGIN:VEVENT a").text == "4\n")
        #expect(try sandbox.shell("grep UID a > c; grep UID b | cmp - c").code == 0)
    }

    /// What was put off comes back on its day; what is done comes back with another date.
    @Test func itIsPutOffAndDone() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            set -e; export QVAULT_FILE=v.qvault; names() { $Q due --json | grep -o '"title":"[^"]*' | cut -c10- | tr '\\n' ' '; echo; }
            names; $Q due snooze f 7d; names; $Q due done c --field 合同到期; names; $Q due done c || echo $?
            $Q card edit c 合同到期=$(date -d '8 days' +%F); names; $Q due snooze nobody 7d || echo $?; $Q due snooze b 1h || echo $?
            $Q config set due.answers "$($Q config get due.answers | sed "s/ $(date -d '7 days' +%F) / 2026-01-01 /")"; names
            """)
        let all = "f 张三; a,b b c "
        #expect(
            outcome.text == "\(all)\n张三; a,b b c \n张三; a,b b \n10\n张三; a,b b c \n10\n2\n\(all)\n",
            "\(outcome)")
    }

    /// Copies that were given for a time, and what keeps the vault safe.
    @Test func sharesAndUpkeep() throws {
        let sandbox = try fixture()
        try sandbox.write("p.jpg", Sandbox.jpeg())
        let outcome = try sandbox.shell(
            """
            set -e; export QVAULT_FILE=v.qvault; $Q attach add b p.jpg; $Q share b/p.jpg --text 给{recipient} --recipient 中介 --until 5d -o s.jpg
            $Q due | grep -c '中介'; $Q due done b/p.jpg; $Q due | grep -c 中介 || true; $Q share b/p.jpg --text x --until 2020-01-01 -o t || echo $?
            mkdir -p ~/.config/quickvault; echo 'due-backup = 1d' > ~/.config/quickvault/config
            state=$XDG_STATE_HOME/quickvault/upkeep; sed -i "s/^[0-9]*/$(( $(date +%s) - 3 * 86400 ))/" $state/*
            $Q due --json | grep '"field":"upkeep"' | grep -c '"level":"urgent","days":-2.*"id":"backup"'
            mkdir b; $Q backup --to b; $Q due --json | grep -c upkeep || true
            """)
        #expect(outcome.text.hasSuffix("1\n0\n2\n1\n0\n"), "\(outcome)")
    }

    /// A timer asks nobody, and a notice has no names.
    @Test func noticesOfATimer() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            mkdir bin; printf '#!/bin/sh\\nprintf "%%s|" "$@"\\nprintf "%%s|" "$@" >> notices\\n' > bin/notify-send; chmod +x bin/*
            export PATH=$PWD/bin:$PATH
            env -u QVAULT_PASSWORD_COMMAND $Q due -f v.qvault --notify --if-unlocked; echo $?
            $Q due -f v.qvault --notify; cat notices
            mkdir -p ~/.config/quickvault; echo 'notify-names = yes' > ~/.config/quickvault/config
            rm notices; $Q due -f v.qvault --notify; grep -c 张三 notices
            """)
        #expect(outcome.text == "0\n-a|QuickVault|QuickVault|3 urgent, 1 soon|1\n", "\(outcome)")
    }
}
