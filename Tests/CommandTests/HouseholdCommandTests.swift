import Testing

/// Holdings, the guided first entry, strategies, checks, reports, and two machines that change the same household.
struct HouseholdCommandTests {
    private static let script = """
        export QVAULT_FILE=a.qvault; $Q create a.qvault; $Q fund add 110011 name=易方达 stock_position=90
        $Q fund add 006373 name=国富 allocation='sector 60 科技'
        printf 'P 2026-10-20 110011 2.5060 CNY\\nP 2026-10-20 006373 1.8240 CNY\\n' | $Q fund import -
        $Q holding add 110011 platform=支付宝 shares=1000 cost=2.31 date=2026-01-05; $Q holding add 006373 platform=天天 shares=2500 cost=1.9
        $Q asset add 现金 category=liquid amount=12000.50 bucket=liquid; $Q asset add 房贷 category=负债 amount=980000
        $Q policy add 平安福 insurer=平安 insured_person=老婆 annual_premium=6240 type=life next_payment=$(date -d '+2 day' +%F) notes='6241'
        $Q position set 20000 min=50 max=80 --reason 开始; $Q snapshot; typist="/usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py"

        """

    private func run(_ lines: String) throws -> (code: Int32, text: String) {
        let outcome = try Sandbox().shell(Self.script + "exec 2>&1\n" + lines)
        return (outcome.code, outcome.text)
    }

    private func check(_ lines: String, _ texts: [String], without absent: [String] = []) throws {
        let outcome = try run(lines)
        for text in texts { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
        for text in absent { #expect(!outcome.text.contains(text), "\(text): \(outcome)") }
    }

    @Test func holdings() throws {
        try check(
            """
            $Q holding list; $Q holding update 110011 shares=1200 cost=2.35 date=2026-10-01; $Q holding log; $Q holding log 110011 --json
            $Q holding update 110011 shares=1200; $Q holding list --json --private; $Q holding rm 110011@支付宝; $Q holding list | wc -l
            """,
            [
                "110011  易方达  支付宝      1000         2.31      2,506.00         +196.00  +8.48%", "+6.00  +0.08%",
                "2026-10-01  110011  支付宝  1000 → 1200  @ 2.31 → 2.35", #""old_cost":"2.31","new_cost":"2.35""#,
                #""shares":"****","cost":"****""#, "\n3\n",
            ])
    }

    @Test(
        arguments: [
            ("holding add 999999 shares=1 cost=1", "no fund '999999' is watched", 11),
            ("holding add 110011 shares=1 cost=1 platform=支付宝", "on this platform already", 11),
            ("holding add 110011 shares=1 cost=1 date=2999-01-01", "is a day to come", 11),
            ("holding add 110011 shares=1", "is missing", 11), ("holding update 110011 shares=0", "above 0", 11),
            ("holding update 110011 date=2999-01-01", "is a day to come", 11),
            ("holding rm 123456", "nothing is held", 10),
            ("position strategy luck", "no strategy 'luck'", 10), ("position strategy gold=50,40,60", "100 in all", 11),
            ("position strategy silver=1,1,1", "has no parameter", 11), ("check fund=200", "takes percent", 11),
            ("check colour=1", "no rule is called", 10), ("diagnosis show", "no report is kept", 10),
            ("diagnosis import x", "No such file", 10), ("diagnosis import a.qvault", "is no report", 11),
            ("asset trend --days 0", "from 1 to 36600", 2), ("asset trend --of x", "--of takes", 2),
            ("report", "-o FILE", 2),
            ("report -o r.pdf", "a page is HTML", 2), ("asset allocation colour", "asset allocation: by", 2),
            ("check fund=5 fund=6", "is given twice", 2), ("asset update 现金=1 现金=2", "is given twice", 2),
            ("position set 5 6", "is given twice", 2), ("asset update 现金=+100", "without a plus sign", 11),
            ("holding update 110011 shares=+1", "without a plus sign", 11),
            ("snapshot rm 2020-01-01", "no snapshot", 10),
            ("holding add 110011 shares=1 cost=1 platform=alipay", "on this platform already", 11),
            ("asset add 现金 category=liquid amount=1", "is there already", 11), ("snapshot rm x", "takes a day", 2),
            ("asset show 平安福", "no record", 10), ("policy rm 现金", "no record", 10),
            ("asset add 现金", "a NAME comes first", 2),
            ("asset add A category=liquid amount=1 currency=XYZ", "no currency of ISO 4217", 11),
            ("fund edit 110011 allocation='sector 60 a; sector 60 b'", "120 % in all", 11),
            ("asset add", "or a terminal", 2), ("policy add", "asks for each at a terminal", 2),
        ]) func badInputIsRefused(_ words: String, _ said: String, _ code: Int) throws
    {
        let outcome = try run(
            "before=$($Q history --all | wc -l); $Q \(words) < /dev/null; echo \"code $?\"; test $($Q history --all | wc -l) = $before || echo saved"
        )
        #expect(outcome.text.contains(said) && outcome.text.contains("code \(code)"), "\(outcome)")
        #expect(!outcome.text.contains("saved\n"), "\(outcome)")
    }

    /// No verb shows an amount with `--private`.
    @Test(arguments: [
        "asset list", "asset summary", "asset show 现金", "asset allocation", "asset allocation platform", "asset trend",
        "asset trend --plain", "policy list", "policy show 平安福", "holding list", "holding log", "position",
        "position log",
        "dashboard", "report -o -", "diagnosis show", "asset update 现金=12000.51", "check",
    ]) func privateHidesEveryAmount(_ verb: String) throws {
        let option = verb == "check" ? "" : "--private"
        let json = ["asset update 现金=12000.51", "report -o -"].contains(verb) ? "true" : "$Q \(verb) \(option) --json"
        let outcome = try run(
            """
            echo '{"issues_summary":[{"issue":"cash 12000","severity":"high","detail":"12000.50"}]}' | $Q diagnosis import - -q
            $Q holding update 110011 shares=1703 > /dev/null; { $Q \(verb) \(option); \(json); } | sed 's/"id":"[0-9a-f]*"//g'
            """)
        for amount in [
            "12000", "12,000", "980000", "980,000", "6240", "6,240", "6241", "20000", "20,000", "7066", "7,066", "1000",
            "1703",
            "2500", "2.31", "4560", "4,560", "4,750",
        ] {
            #expect(!outcome.text.contains(amount), "\(verb) \(amount): \(outcome)")
        }
        #expect(
            outcome.text.contains("*") || verb == "check" || verb.hasPrefix("asset allocation platform"), "\(outcome)")
    }

    @Test func fiveStepsAreOneSave() throws {
        try check(
            """
            before=$($Q history --all | wc -l)
            $typist $Q asset add -- 'Enter: next' 3 支付宝 1,500 'Enter: next' 现金 'there already' '' 'Enter: next' '' 'Enter: next' '' \\
                'Enter: next' 借给弟弟 弟弟 -5 'negative' 300 'Enter: next' '' 'Enter: next' '' > said
            grep -o 'assets added: [0-9]*' said; echo $(($($Q history --all | wc -l) - before)); $Q asset list
            """, ["assets added: 2", "\n1\n", "支付宝", "1,500.00 CNY", "借给弟弟"])
    }

    @Test func strategies() throws {
        try check(
            """
            $Q position strategy; $Q position strategy asset_rebalance days=31 from=10 bond=20,15,25 equity=60,50,70; $Q position strategy
            $Q position; $Q position set 0; $Q position; $Q position log
            """,
            [
                "simple\n", "asset_rebalance  equity=60,50,70 bond=20,15,25 gold=20,16,24 days=31 from=10",
                "equity     100.00%  wanted 60% (50 to 70%)  sell for 2,826.40", "buy for 1,413.20", "no budget is set",
                "20,000.00  开始",
            ])
    }

    @Test func checksAndReports() throws {
        try check(
            """
            $Q check; $Q check fund=80 policies=1 --exit-code > /dev/null; echo "code $?"; $Q check --json | head -1
            printf '{"report_date":"2026-11-01","issues_summary":[{"issue":"A","severity":"high"},{"issue":"B","severity":"info"}]}' > d.json
            $Q diagnosis import d.json; $Q diagnosis show; $Q api GET /api/diagnosis/report; $Q report --json > r.json; jq -r .family.net r.json
            $Q asset add '<script>x' category=fixed amount=1 platform='<b>'; $Q report -o r.html; grep -c '<script\\|<b>' r.html; $Q report -o r.html
            echo "code $?"; $Q asset allocation sector; $Q asset allocation category
            """,
            [
                "! share of one fund      国富    64.53%  at most 30%       too much", "! types of policies", "code 1",
                #""max":"80""#,
                "score 87 (good)", #""severity":"high""#, "-960933.50", "\n0\n", "code 12", "科技  ", "38.72%",
                "64.53% of what is held has a report",
            ])
    }

    /// Names that read as HTML are text on the page, also those that look like what the page draws itself.
    @Test func thePageEscapesNames() throws {
        let outcome = try run(
            """
            name='<div onmouseover=alert(1)>'
            printf '{"name":"%s","type":"deposit","platform":"%s","amount":1}' "$name" "$name" | $Q api POST /api/liquid > /dev/null
            $Q policy add '<div class>' insurer=a insured_person='<div id>' annual_premium=1; $Q report -o -
            """)
        #expect(outcome.code == 0 && outcome.text.contains("&lt;div onmouseover=alert(1)&gt;"), "\(outcome)")
        for tag in ["<div onmouseover", "<div class>", "<div id>"] {
            #expect(!outcome.text.contains(tag), "\(tag): \(outcome)")
        }
        #expect(outcome.text.contains(#"<div class="bar"><i style="width:"#))
    }

    @Test func whatIsDue() throws {
        try check(
            """
            $Q due; $Q due done 平安福; $Q policy list; $Q policy edit 平安福 status=lapsed; $Q due; $Q due snooze 平安福 3d; $Q due snooze position 2d
            echo end; $Q due
            """,
            ["next payment", "35.33%, wanted 50 to 80%", "CNY  20", "lapsed"])
        let outcome = try run(
            "$Q policy edit 平安福 status=lapsed; $Q due snooze 平安福 3d; $Q due snooze position 2d; echo end; $Q due; echo over"
        )
        #expect(outcome.text.hasSuffix("end\nover\n"), "\(outcome)")
    }

    /// Two machines: different balances are both there. Of the same one the copy does not count, and is named.
    @Test func balancesAreMerged() throws {
        try check(
            """
            cp a.qvault b.qvault; $Q asset update 现金=13000; $Q asset update -f b.qvault --allow-rollback 房贷=970000
            $Q merge b.qvault; $Q asset summary; cp a.qvault c.qvault; $Q asset update 现金=14000; $Q asset update -f c.qvault --allow-rollback 现金=15000
            $Q merge c.qvault; $Q asset summary; $Q dashboard | head -1
            """,
            [
                "970,000.00", "liquid funds    13,000.00", "liquid funds    14,000.00", "do not count: '现金 (conflict",
                "buckets in all 21,066.00",
            ])
    }

    /// Items of a call and their sum are of the same cards, also after a merge kept one twice.
    @Test func itemsAndSumsAgreeAfterAMerge() throws {
        try check(
            """
            cp a.qvault c.qvault; $Q asset update 现金=14000; $Q asset update -f c.qvault --allow-rollback 现金=15000
            $Q merge c.qvault; $Q api GET /api/liquid | jq -c '[(.items | length), .items[0].amount, .summary.total_amount]'
            """, ["[1,14000,14000]"])
    }

    /// Ctrl-C in the middle of the walk stores nothing, also not the amounts that were typed before.
    @Test func anInterruptedUpdateStoresNothing() throws {
        let outcome = try run(
            """
            before=$($Q history --all | wc -l); $Q asset add 余钱 category=liquid amount=7 > /dev/null; cp a.qvault kept.qvault
            $typist $Q asset update -- 余钱 8 现金 "$(printf '\\003')" > said; $Q asset list; cmp a.qvault kept.qvault && echo unchanged
            """)
        #expect(outcome.text.contains("7.00 CNY") && !outcome.text.contains("8.00 CNY"), "\(outcome)")
        #expect(outcome.text.hasSuffix("unchanged\n"), "\(outcome)")
    }

    @Test func theTrendGoesByTheLog() throws {
        try check(
            """
            $Q fund add 000001; for d in 16 17 18 19; do echo "P 2026-11-$d 000001 1 CNY"; done | $Q fund import -
            $Q holding rm 110011 006373; $Q holding add 000001 platform=p shares=100 cost=1 date=2026-11-16
            $Q holding update 000001 shares=200 date=2026-11-19; $Q holding update 000001 shares=300 date=2026-11-18
            $Q api GET /api/portfolio/trend | jq -c '[.[].total_value]'
            """, ["[100,100,300,300]"])
    }

    @Test func fundsInAnotherCurrency() throws {
        try check(
            """
            $Q fund add 000009 currency=USD; echo 'P 2026-11-20 000009 2 CNY' | $Q fund import -; $Q holding add 000009 shares=100 cost=1
            $Q asset summary | tail -1; echo 'P 2026-11-20 USD 7.1 CNY' | $Q fund import -; $Q holding list; $Q export --format hledger -o - 2> log
            """,
            ["without a rate: 200.00 USD", "1,420.00         +710.00", "@) 1 USD", #"P 2026-11-20 "000009" 2 USD"#])
    }

    @Test func renewingAndRemovingAreUndone() throws {
        try check(
            """
            $Q asset summary > before; $Q asset rm 现金; $Q undelete 现金; $Q asset summary | cmp - before && echo same
            $Q snapshot --json; $Q snapshot --json; $Q asset trend --json | wc -l
            """, ["same", #""new":false"#, "\n1\n"])
    }

    /// On a terminal of any width no line of the screen is longer, in both languages, and rises have a colour.
    @Test(arguments: [60, 80, 120, 200], ["en", "zh"]) func theScreenFits(_ width: Int, _ language: String) throws {
        let outcome = try run(
            """
            $Q asset add 定期 category=投资理财 amount=130000 bucket=stable annual_rate=3.1 maturity=$(date -d '+12 day' +%F) > /dev/null
            export TERM=xterm-256color; script -qec "stty cols \(width); $Q dashboard --lang \(language)" /dev/null < /dev/null > shown
            /usr/bin/python3 -c '
            import re, unicodedata
            text = open("shown").read().replace(chr(13), "")
            lines = [re.sub(chr(27) + r"\\[[0-9;]*m", "", line) for line in text.split(chr(10))]
            print("widest", max(sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line) for line in lines))
            print("colours", text.count(chr(27) + "["), "as text", text.count("x1b"))'
            """)
        let widest = outcome.text.split(separator: "\n").first { $0.hasPrefix("widest") }?.split(separator: " ").last
        #expect(Int(widest ?? "").map { $0 <= width && $0 > 40 } ?? false, "\(outcome)")
        #expect(outcome.text.contains("colours 2 as text 0"), "\(outcome)")
    }

    @Test func purchasesOfPortfolioPerformance() throws {
        try check(
            """
            $Q export --format portfolio-performance -o p.csv; $Q create p.qvault
            $Q fund import -f p.qvault p.csv; $Q fund import -f p.qvault p.csv; $Q holding list -f p.qvault
            printf '%s\\n' 'Date,Type,Value,Fees,Shares,Ticker Symbol,Note' '2026-01-05,Buy,"1,002.50",2.50,400,000001,jd' \\
                '2026-02-05,Sell,149.00,1.00,50,000001,jd' '2026-03-05,Dividend,7.00,,,000001,jd' \\
                '2026-03-06,Interest,1,,,000001,jd' '2026-03-07,Buy,x,,1,000001,jd' > rows.csv
            $Q fund import -f p.qvault rows.csv; echo "code $?"; $Q card show -f p.qvault '000001 京东金融' --field trades
            """,
            [
                "110011  110011  支付宝      1000         2.31", "006373  006373  天天        2500          1.9",
                "rows.csv:5: is neither a purchase, a sale nor a dividend", "rows.csv:6: has no number as Value",
                "code 1\n",
                "2026-01-05 buy 400 2.5 2.5\n2026-02-05 sell 50 3 1\n2026-03-05 cash 7",
            ])
    }

    @Test func holdingsOfOtherPrograms() throws {
        try check(
            """
            $Q export --format ghostfolio -o g.json; jq -c '.activities[1]' g.json; $Q export --format portfolio-performance -o -
            $Q create b.qvault; $Q fund import -f b.qvault g.json; $Q fund import -f b.qvault g.json; $Q holding list -f b.qvault
            jq -c '.activities[0].type = "FEE"' g.json > fee.json; $Q fund import -f b.qvault fee.json; echo "code $?"
            """,
            [
                "110011  110011  支付宝      1000         2.31", "006373  006373  天天        2500          1.9",
                "fee.json: 1: trades: has a line that is no", "code 1\n",
                #"{"comment":"支付宝","currency":"CNY","dataSource":"MANUAL","date":"2026-01-05T00:00:00.000Z","fee":0,"quantity":1000,"symbol":"110011","type":"BUY","unitPrice":2.31}"#,
                "Date,Type,Value,Transaction Currency,Shares,Ticker Symbol,Security Name,Note\n",
                "2026-01-05,Buy,2310.00,CNY,1000,110011,易方达,支付宝\n",
            ])
    }
}
