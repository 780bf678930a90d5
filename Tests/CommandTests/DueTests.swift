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
}
