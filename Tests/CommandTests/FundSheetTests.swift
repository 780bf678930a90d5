import Testing

/// `fund import` of tables and lists of other programs, `fund show` and `fund chart`.
struct FundSheetTests {
    private static let script = """
        set -e; export QVAULT_FILE=a.qvault; day=$(session 1); now=$(session 0)T09:15:00+08:00
        $Q create a.qvault
        printf '%s\\n' '基金代码,基金名称,分组,持有份额,持仓成本价,平台,买入日期' \\
            '110011,易方达,稳健,"1,000.00",2.3100,alipay,2026-01-05' '１１００１１,易方达,稳健,520.55,2.6050,天天基金,2026-01-06' \\
            '161725,招商中证白酒,指数,,,,' > holdings.csv
        printf '{"code":"600519","time":"%s","price":"1482.30","previous_close":"1468.00"}\\n' $now > quotes.jsonl
        printf '代码,股票代码,占净值比例,股票名称,报告日期\\n110011,600519,9.50%%,贵州茅台,2026-09-30\\n' > stocks.csv
        echo "P $day \\"110011\\" 2.5060 CNY" > nav.ledger
        """

    private func run(_ lines: String) throws -> (code: Int32, text: String) {
        let outcome = try Sandbox().shell(Self.script + "\n" + lines)
        return (outcome.code, outcome.text)
    }

    @Test func aTableOfHoldingsIsTakenInOneSave() throws {
        let outcome = try run(
            """
            $Q fund import holdings.csv stocks.csv nav.ledger quotes.jsonl --json; $Q history | wc -l
            $Q fund import holdings.csv stocks.csv nav.ledger quotes.jsonl --json; $Q history | wc -l
            $Q fund show 110011; $Q fund show 110011 --json; $Q fund --json
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            #""cards_added":4,"cards_changed":0}"# + "\n2\n",
            #"{"added":0,"changed":0,"refused":0,"older":0,"dropped":[],"cards_added":0,"cards_changed":0}"# + "\n2\n",
            "支付宝    1000.00", "天天基金   520.55", "600519  贵州茅台  9.50%  1482.30  +0.97%", #""platform":"支付宝""#,
            #""name":"招商中证白酒","group":"指数""#, "return a year (XIRR)",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
    }

    @Test func aTableInGB18030IsTheSame() throws {
        let outcome = try run(
            """
            iconv -f UTF-8 -t GB18030 holdings.csv > g.csv; $Q fund import g.csv --json; $Q fund import holdings.csv --json
            iconv -f UTF-8 -t GB18030 holdings.csv | $Q fund import - --json; $Q fund
            """)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.text.contains(#""cards_added":4,"cards_changed":0}"#), "\(outcome)")
        #expect(outcome.text.split(separator: #""cards_added":0,"cards_changed":0}"#).count == 3, "\(outcome)")
        #expect(outcome.text.contains("招商中证白酒"), "\(outcome)")
    }

    @Test func wrongRowsAreNamedAndOthersCount() throws {
        let outcome = try run(
            """
            printf '%s\\r\\n' 'fund_code,fund_name,shares,cost_price,extra' '110011,A,10,2' '16172,B,1,1' '161725,C,-1,1' \\
                '110011,A,11,2' '000001,"a\\"' '000002,D,1,1,x,y' > bad.csv
            $Q fund import bad.csv 2>&1 || echo "code $?"; $Q fund --json | cut -c1-40
            $Q fund import bad.csv --map shares=extra -n 2>&1 | head -1
            $Q fund import bad.csv --map sharse=extra 2>&1 || echo "code $?"
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            "bad.csv: columns that were left out: extra", "bad.csv:3: is no code of a fund: 6 digits",
            "bad.csv:4: shares: is no number, or is negative", "bad.csv:5: has another shares than a line before",
            "has more fields than the header", "refused: ", "code 1\n", #"{"code":"110011","name":"A""#, "code 2",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
    }

    @Test func listsOfOtherPrograms() throws {
        let outcome = try run(
            """
            printf '{"leek-fund.funds":[["001632","110011"],["000001"]],\\n"leek-fund.fundGroups":["A","B"]}' > leek.json
            printf '[{"fund_code":"161725","fund_name":"白酒","platform":"eastmoney","shares":2500,"cost_price":1.9,"purchase_date":"2026-01-05"}]' > list.json
            $Q fund import leek.json list.json --json; $Q fund --json | cut -c1-60; $Q card list --kind holding
            printf '{"a":\\n' | $Q fund import - 2>&1 || echo "code $?"
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            #""cards_added":5"#, #""code":"001632","name":"001632","group":"A""#,
            #""code":"000001","name":"000001","group":"B""#,
            "161725 天天基金", "a file that begins as JSON is none", "code 11",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
    }

    @Test func aLineIsTakenWholeOrNotAtAll() throws {
        let outcome = try run(
            """
            # A net value beside what is owned, an estimate beside a net value, numbers of binary fractions.
            now=$(session 0)T09:15:00+08:00
            { printf '{"code":"110011","name":"A","shares":0.30000000000000004,"cost":1e0,"nav":2.5,"nav_date":"%s","estimate":"2.60005","time":"%s"}\\n' $day $now
              echo '{"code":"000001","nav":null,"nav_date":null}'; echo '{"code":"000002","platform":"X","shares":"1"}'; } > p
            $Q fund import p 2>&1 || echo "code $?"; $Q fund edit 110011 method=given; $Q fund --json
            $Q fund import p --json 2>/dev/null || true
            # A refused weight leaves the old list, and a refused row no fund.
            $Q fund import stocks.csv; printf '代码,股票代码,占净值比例\n110011,SH600000,5\n110011,000858,x\n' > s.csv
            $Q fund import s.csv 2>&1 || echo "code $?"; $Q card show A --field stocks
            printf '代码,股票代码,占净值比例\n110011,SH600000,5\n110011,000858.SZ,4\n' | $Q fund import -; $Q card show A --field stocks
            # The cost that may be money in all, spaces that part no groups, days to come.
            printf '代码,份额,持仓成本\n000003,10,25\n' > c.csv; $Q fund import c.csv 2>&1 || echo "code $?"
            $Q fund import c.csv --map cost=持仓成本 2>&1; $Q fund edit 110011 shares='1 2 3' 2>&1 || echo "code $?"
            $Q card add holding --title t code=110011 trades='2999-01-01 buy 1 1' 2>&1 || echo "code $?"
            printf '代码,平台,份额,成本价,买入日期\n110011,X,1,1,2999-01-01\n' | $Q fund import - 2>&1 || echo "code $?"
            $Q fund --json | wc -l
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            "p:2: has no nav, price, estimate or rate", "p:3: cost: ", "code 1\n",
            #""name":"A","group":null,"pinned":false,"estimate":"2.6000","change":"0.040020000000""#, #""cost":"0.30""#,
            #"{"added":0,"changed":0,"refused":2,"#, "s.csv:3: has no stock", "the stocks of 110011 stay as they were",
            "\n600519 9.50 贵州茅台\n", "600000 5\n000858 4\n", "hint: 持仓成本: where it is the cost of one share",
            "is no number", "trades: has a trade of a day to come", "date: is a day to come", "code 11\n",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
        #expect(outcome.text.hasSuffix("\n2\n"), "\(outcome)")
    }

    @Test func aWrongByteRefusesItsLineAlone() throws {
        let outcome = try run(
            """
            printf '代码,名称,平台,份额,成本价\n110011,易方达优质精选混合,支付宝,1,1\n161725,招商\\377白酒,支付宝,1,1\n' > t.csv
            $Q fund import t.csv 2>&1 || echo "code $?"; iconv -f UTF-8 -t GB18030 holdings.csv > g.csv; $Q fund import g.csv 2>&1
            $Q fund --json
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in ["t.csv:3: is not UTF-8", "code 1\n", "g.csv: read as GB 18030", #""name":"易方达""#] {
            #expect(outcome.text.contains(text), "\(text): \(outcome)")
        }
    }

    @Test func importedTradesAreFollowed() throws {
        let outcome = try run(
            """
            line() { printf '{"code":"110011","platform":"X","trades":"%s"}\\n' "$1" | $Q fund import -; }
            line '2026-01-05 buy 10 2'; line '2026-01-05 buy 10 2; 2026-02-05 buy 30 1'; $Q card show '110011 X' --field shares
            $Q card show '110011 X' --field cost
            """)
        #expect(outcome.text == "40\n1.25\n", "\(outcome)")
    }

    @Test func copiesOfAMergeDoNotCount() throws {
        let merged = try Sandbox().shell(
            Self.script + """

                row() { printf '代码,平台,份额,成本价\n110011,X,%s,2\n' $1 | $Q fund import - -f $2; }
                row 10 a.qvault; $Q backup b.qvault > /dev/null 2>&1 || cp a.qvault b.qvault
                row 20 a.qvault; export XDG_STATE_HOME=$PWD/other; row 30 b.qvault; $Q merge b.qvault 2>&1
                echo "P $day 110011 3 CNY" | $Q fund import -; $Q fund --json; $Q fund 2>&1 | grep copies
                $Q fund export -o e 2>&1; $Q create -f c.qvault; $Q fund import -f c.qvault e; $Q fund -f c.qvault --json
                """)
        #expect(
            merged.text.split(separator: #""value":"60.00""#).count
                + merged.text.split(separator: #""value":"90.00""#).count == 4, "\(merged)")
        #expect(merged.text.contains("copies that a merge left do not count: '110011 X (conflict"), "\(merged)")
    }

    @Test func aChartIsDrawn() throws {
        let outcome = try run(
            """
            $Q fund add 110011 > /dev/null; for n in 1 2 3 4 5; do echo "P $(session $n) 110011 2.$n CNY"; done > p
            $Q fund import p; $Q fund chart 110011 | tail -3; $Q fund chart 110011 --days 2 --json; $Q fund chart 110011 -o t.svg
            $Q fund chart 110011 -o t.svg 2>&1 || echo "code $?"; grep -c polyline t.svg; $Q fund chart 110011 --plain | wc -l
            $Q fund chart 110011 --today 2>&1 || echo "code $?"; $Q fund show 110011 | grep ▁
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in ["2.1000 ┤", #""value":"2.1""#, "code 12\n1\n5\n", "code 10", "█▆▅▃▁"] {
            #expect(outcome.text.contains(text), "\(text): \(outcome)")
        }
    }

    @Test func estimatesOfSeveralDaysAreDrawn() throws {
        let outcome = try run(
            """
            $Q fund add 110011 method=given > /dev/null
            line() { printf '{"code":"110011","estimate":"%s","time":"%sT%s:00+08:00"}\n' $3 "$(session $1)" $2; }
            (line 3 10:00 2.1; line 2 10:00 2.2; line 2 14:30 2.3; line 1 11:00 2.4) | $Q fund import -
            $Q fund chart 110011 --today --plain; $Q fund chart 110011 --today --days 4 --plain | cut -c11-
            $Q fund chart 110011 --today --days 4 2>/dev/null | head -1
            """)
        #expect(
            outcome.text == """
                11:00:00  2.4
                 10:00:00  2.1
                 10:00:00  2.2
                 14:30:00  2.3
                 11:00:00  2.4
                110011 110011  estimates of 4 days: first 2.1, last 2.4

                """, "\(outcome)")
    }

    @Test func savesOfPricesAreOneLineADay() throws {
        let outcome = try run(
            """
            $Q fund add 110011; for n in 1 2 3; do echo "P $(session $n) 110011 2.$n CNY" | $Q fund import -; done
            $Q history; $Q history --all | wc -l; $Q history --json | wc -l
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in ["3 saves of values over time, since 3", "\n5\n5\n"] {
            #expect(outcome.text.contains(text), "\(text): \(outcome)")
        }
    }
}
