import Testing

/// A fund in the evening, and over the quarters: its return by the cost alone, what is told of its net value, reports, names.
struct FundEveningTests {
    /// `second` is the day of the last session that has begun, `first` that of the one before.
    private func run(_ script: String) throws -> Sandbox.Outcome {
        try Sandbox().shell(
            """
            exec </dev/null; set -e; export QVAULT_FILE=v.qvault XDG_CONFIG_HOME=$PWD/c; umask 22
            second=$(session 0); first=$(session 1); now=${second}T09:15:00+08:00; $Q create v.qvault; \(script)
            """)
    }

    @Test func theCostOfAShareSuffices() throws {
        let outcome = try run(
            """
            $Q fund add 110011 cost=2.31 type=混合型 company=某某 coefficient=1.1 notes=观察 reminders='above 3.2; 低于 2'
            echo "P $first 110011 2.5085 CNY" | $Q fund import -; $Q fund --json; $Q fund show 110011
            """)
        #expect(outcome.code == 0, "\(outcome)")
        // 2.5085 / 2.31 − 1
        for text in [
            #""return":"0.085930735931""#, "return           +8.59%, by the cost of a share", "cost of a share  2.31\n",
            "type             混合型\n", "reminders        above 3.2; below 2\n", "notes            观察\n",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome.text)") }
    }

    @Test func theNetValueOfTheDayHasItsOwnChange() throws {
        let outcome = try run(
            """
            $Q fund add 110011 stocks='600519 50'; echo "P $first 110011 2 CNY" | $Q fund import -
            echo '{"code":"600519","price":101,"previous_close":100,"time":"'$now'"}' | $Q fund import -
            $Q fund --json | grep -o '"spread":[^,]*'; echo '{"code":"110011","estimate":2.03,"time":"'$now'"}' | $Q fund import -
            $Q fund --json | grep -o '"spread":[^,]*'
            echo "P $second 110011 2.05 CNY" | $Q fund import - ; $Q fund --json; $Q fund
            """)
        #expect(outcome.code == 0 && outcome.text.contains(#""nav_change":"0.025000000000""#), "\(outcome)")
        #expect(outcome.text.contains("+2.50%"), "\(outcome.text)")
    }

    @Test func namesComeFromTheDirectoryAndFromFeeds() throws {
        let outcome = try run(
            """
            printf 'code,name,type,company\\n161726,招商中证白酒,指数型,招商基金\\n' | $Q fund directory -
            $Q fund add 161726 110011; $Q fund --json | grep -o '"name":"[^"]*"'; $Q fund show 161726 | grep -c 指数型
            cat > f <<'END'
            {"code":"110011","name":"易方达优质精选","type":"混合型"}
            {"code":"110011","stock":"600519","weight":9.5,"stock_name":"贵州茅台","report_date":"2020-06-30"}
            {"code":"161726","shares":5,"cost":1}
            END
            $Q fund update --feed 'cat f' || echo "code $?"; $Q fund show 110011 | head -1; $Q due --json | grep report_date
            $Q fund --json | grep -o '"cost":[^,]*'
            """)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(
            outcome.text.contains("\"name\":\"招商中证白酒\"\n") && outcome.text.contains("\n1\ncode 1\n"), "\(outcome.text)")
        #expect(outcome.text.contains("110011  易方达优质精选\n"), "\(outcome.text)")
        #expect(outcome.text.contains(#""field":"report_date""#) && outcome.text.contains(#""code":"110011""#))
        #expect(outcome.text.hasSuffix("\"cost\":null\n\"cost\":null\n"), "a feed does not say what a person owns")
        #expect(outcome.errors.contains("110011 is in no list of 'fund directory'"), "\(outcome.errors)")
        #expect(outcome.errors.contains("a line says more than a feed may"), "\(outcome.errors)")
    }

    @Test func aPriceIsRemindedOf() throws {
        let outcome = try run(
            """
            $Q fund add 110011 method=given reminders='above 2.1; below 1.9'; echo "P $first 110011 2 CNY" | $Q fund import -
            echo '{"code":"110011","estimate":2.15,"time":"'$now'"}' | $Q fund import -; $Q due --json
            """)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.errors.contains("reminder: 110011 above 2.1: 2.1500 +7.50%"), "\(outcome)")
        #expect(outcome.text.contains(#""value":"2.1500","change":"0.075000""#), "\(outcome)")
    }

    @Test func allFundsGoAndPricesAreCleared() throws {
        let outcome = try run(
            """
            $Q fund add 110011 161726; echo "P $first 110011 2 CNY" | $Q fund import -
            $Q fund rm 2>&1 || echo "code $?"; $Q fund rm --all 110011 2>&1 || echo "code $?"
            $Q fund rm --all; $Q fund --json; $Q fund clean --all
            """)
        #expect(outcome.code == 0 && outcome.text.hasSuffix("code 2\n"), "\(outcome)")
    }

    /// A table as a person has it: a title, semicolons, cells of a spreadsheet, units, and a row of sums.
    @Test func aTableOfAPerson() throws {
        let outcome = try run(
            """
            cat > t.csv <<'END'
            我的持仓

            基金代码;基金名称;持有份额(份);持仓成本价（元）;备用
            ="110022";易方达消费;"1,000.00份";¥2.31元;x
            1725;招商;１０００;1.2万;
            合计;;;;
            END
            printf 'a\nb\n' > g.txt; printf '基金代码\t份额\t成本价\n000001\t10\t2\n' > t.tsv
            $Q fund import -n --zeros t.csv || echo "code $?"; $Q fund --json | wc -l; $Q fund import t.csv -n 2>&1 | grep -c zeros; $Q fund import t.csv --zeros || echo "code $?"
            $Q fund import t.tsv; $Q fund import g.txt || echo "code $?"
            $Q fund export --format csv | cut -d, -f2,3 | sort; $Q card show 110022 --field shares || true
            $Q find kind:fund --columns code,shares,cost --sort code
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            "000001       10      2\n", "001725     1000  12000\n", "110022  1000.00   2.31\n",
            "code 1\n0\n1\ncode 1\ncode 1\n",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome.text)") }
        for text in [
            "t.csv: columns: 基金代码 → code, 基金名称 → name, 持有份额 → shares, 持仓成本价 → cost\n",
            "lines before the header of the table, left out: 2", "t.csv:6: ",
            "columns that were left out: 备用",
            "g.txt:1: is no JSON object and no price directive", "g.txt:2: ",
        ] { #expect(outcome.errors.contains(text), "\(text): \(outcome.errors)") }
    }
}
