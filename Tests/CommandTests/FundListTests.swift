import Testing

/// The order of the watchlist, groups, search, the calendar, reminders, `fund export` and `fund watch`.
struct FundListTests {
    private static let script = """
        set -e; export QVAULT_FILE=a.qvault; day=$(session 1); now=$(session 0)T09:15:00+08:00
        $Q create a.qvault; $Q fund add 110011 name=易方达 shares=10 cost=2 stocks='600519 50' --group 稳健
        $Q fund add 161725 name=招商中证白酒 --group 指数; $Q fund add 000001 name=华夏成长 --group 指数
        quote() { printf '{"code":"600519","time":"%s","price":"%s","previous_close":"100"}\\n' ${2:-$now} $1; }
        codes() { $Q fund --json | cut -c9-16 | tr '\\n' ' '; }
        """

    private func run(_ lines: String) throws -> (code: Int32, text: String) {
        let outcome = try Sandbox().shell(Self.script + "\n" + lines)
        return (outcome.code, outcome.text)
    }

    @Test func fundsHaveAnOrderOfTheirOwn() throws {
        let outcome = try run(
            """
            codes; $Q fund move 000001 1; codes; $Q fund move 华夏 9 2>&1 || echo "code $?"
            $Q fund edit 161725 pin=yes group=; codes; $Q group; $Q fund edit 161725 pin=maybe 2>&1 || echo "code $?"
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            #""110011" "161725" "000001" "000001" "110011" "161725" "#, "PLACE is a number from 1 to 3", "code 2",
            #""161725" "000001" "110011" "#, "指数  1\n稳健  1\n", "pin takes yes or no", "code 11",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
    }

    @Test func groupsAreRenamedAndTakenAway() throws {
        let outcome = try run(
            """
            $Q group rename 指数 稳健; $Q group; $Q group rm 稳健 -n 2>&1; $Q group rm 稳健; $Q group; codes
            $Q fund edit 110011 group=A; $Q group rm A --records -y; codes; $Q group rm A 2>&1 || echo "code $?"
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            "稳健  3\n", "the group has 3 records, which stay", #""110011" "161725" "000001" "#,
            #""161725" "000001" qvault: no group is called 'A'"#, "code 10",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
    }

    @Test func fundsAreFoundInADirectory() throws {
        let outcome = try run(
            """
            printf 'var r = [["000011","HXDPJX","华夏大盘精选","混合型","HX"],["161725","ZSZZBJ","招商中证白酒指数","指数型","ZS"],["x"]];' > f.js
            $Q fund directory f.js || echo "code $?"; $Q fund search hxdp; $Q fund search 161725 --json; $Q fund search 没有 2>&1 || echo "code $?"
            $Q config set fund.search-history true --type flag; $Q fund search 大盘 > /dev/null; $Q fund search 白酒 > /dev/null
            $Q fund search; $Q fund clean 2>&1; $Q fund search | wc -l
            printf 'code,name\\n1,x\\n000002,y\\n' | $Q fund directory - 2>&1 || echo "code $?"; $Q fund search 000002
            echo | $Q fund directory - 2>&1 || echo "code $?"
            /usr/bin/python3 -c 'import json; print(json.dumps([[f"{n:06}", "X", f"基金第{n}号", "混合型", "X"] for n in range(27000)]))' > all
            $Q fund directory all; $Q fund search 第26999号
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            "code 1\n1   000011  华夏大盘精选  混合型", #""name":"招商中证白酒指数","type":"指数型","company":"","watched":true}"#,
            "nothing answers '没有'\ncode 10\n白酒\n大盘\n", "searches: 2\n0\n", "-:2: is no code of a fund",
            "1   000002  y",
            "no fund with code and name", "code 11\n1   026999  基金第26999号  混合型",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
    }

    @Test func holidaysAreKnown() throws {
        let outcome = try run(
            """
            # A net value of before a holiday is of the trading day before.
            old=$(session 4); echo "P $old 110011 2 CNY" | $Q fund import -; quote 101 | $Q fund import -
            $Q fund | grep -c 'net value of days before'
            for n in 1 2 3; do session $n; done | $Q fund calendar -; $Q fund calendar | wc -l
            $Q fund | grep -c 'net value of days before' || true; echo 2026-13-01 | $Q fund calendar - 2>&1 || echo "code $?"
            """)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.text.contains("1\n3\n0\n"), "\(outcome)")
        for text in ["-:1: is no day", "code 11"] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
    }

    @Test func aReminderFiresOnceForACrossing() throws {
        let outcome = try run(
            """
            echo "P $(session 2) 110011 2 CNY" | $Q fund import -
            $Q fund edit 110011 reminders='rise 1; 跌 1；off fall 3; nav'; $Q card show 易方达 | tail -4
            day() { echo $(session 1)T12:00:0${1}+08:00; }
            for step in '2 103' '3 104' '4 100' '5 102'; do set -- $step; quote $2 $(day $1) | $Q fund import - 2>&1; echo "step $1"; done
            $Q due | cat; $Q due --json; $Q due done 易方达; $Q due | wc -l
            echo "P $day 110011 2.02 CNY" | $Q fund import - 2>&1; echo "P $day 110011 2.02 CNY" | $Q fund import - 2>&1; $Q due | wc -l
            $Q fund edit 110011 reminders='rise x' 2>&1 || echo "code $?"
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            "rise 1\n                 fall 1\n                 off fall 3\n                 nav",
            "risen by 1 %: 2.0300 +1.50%\nstep 2\nstep 3\nstep 4\nqvault: reminder: 110011 risen by 1 %: 2.0200 +1.00%\nstep 5",
            #""field":"rise 1""#, "reminder: 110011 net value 2.02, the estimate was off by", "code 11",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
        #expect(outcome.text.split(separator: "net value 2.02").count == 2, "\(outcome)")
        #expect(outcome.text.contains("\n0\nqvault: reminder"), "\(outcome)")
    }

    @Test func aCoefficientIsFitted() throws {
        let outcome = try run(
            """
            # The fund moves twice as its stocks: 1 % of them with a weight of 50 is 0.5 % of the estimate, and 1 % of the value.
            day() { session $1; }; echo "P $(day 8) 110011 1.0000 CNY" > p; nav=10000
            for n in 7 6 5 4 3 2; do nav=$((nav + nav / 100)); quote 101 $(day $n)T14:00:00+08:00; echo "P $(day $n) 110011 ${nav%????}.${nav#?} CNY"; done > q
            $Q fund import p; $Q fund fit 110011 2>&1 || echo "code $?"
            while read -r line; do echo "$line" | $Q fund import -; done < q; $Q fund accuracy 110011 | cut -c1-30
            $Q fund fit 110011 -n 2>&1; $Q fund fit 110011 2>&1; $Q card show 易方达 --field coefficient; $Q fund edit 110011 method=given
            $Q fund fit 110011 2>&1 || echo "code $?"
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            "too few days", "code 11\n", "6 days", "coefficient 1.9968 from 6 days: mean error 0.49%, with it 0.01%",
            "only the methods top10",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
    }

    /// Net values that come days later do not change what the estimates of these days were worth, also of New York's.
    @Test(arguments: ["600519 cn 14:00:00+08:00", "NVDA us 16:00:00-05:00"])
    func netValuesMayComeLate(_ words: String) throws {
        let outcome = try run(
            """
            set -- \(words); $Q fund edit 110011 stocks="$1 50" market=$2; at=$3; echo "P $(session 9) 110011 1.0000 CNY" | $Q fund import -; nav=10000
            for n in 8 7 6 5 4 3 2; do nav=$((nav + nav / 100)); echo "P $(session $n) 110011 ${nav%????}.${nav#?} CNY" >> navs
                printf '{"code":"%s","time":"%s","price":"101","previous_close":"100"}\\n' $1 $(session $n)T$at | $Q fund import -; done
            $Q fund accuracy 2>&1; $Q fund import navs; $Q fund accuracy --json; $Q fund fit 110011 -n 2>&1
            # The price of the last day is in the net value.
            $Q fund --json | grep -o '"no_estimate":"published"'
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            "no day has both", #""method":"top10","days":7,"#, "coefficient 1.99", "published",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
    }

    @Test func anExportIsReadBack() throws {
        let outcome = try run(
            """
            $Q fund edit 110011 stocks='600519 9.5 茅台; 000858 8.2' report_date=2026-09-30 reminders='rise 1; nav' notes='a, "b"'
            $Q card add holding --title h code=110011 platform=支付宝 trades='2026-01-05 buy 10 2; 2026-02-05 sell 4 3'
            echo "P $day 110011 2.5 CNY" | $Q fund import -; $Q fund export -o a.jsonl; $Q fund export --format csv -o a.csv
            for f in a.jsonl a.csv; do $Q create -f $f.qvault; $Q fund import -f $f.qvault $f; $Q fund export --format ledger | $Q fund import -f $f.qvault -
                $Q fund -f $f.qvault --json | sort > $f.out; $Q fund export -f $f.qvault > $f.again; done
            $Q fund --json | sort > mine; cmp mine a.jsonl.out; cmp mine a.csv.out; cmp a.jsonl a.jsonl.again; cmp a.jsonl a.csv.again
            $Q fund export --format beancount; $Q fund export -o a.csv 2>&1 || echo "code $?"
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [" price F110011 2.5 CNY", "code 12"] {
            #expect(outcome.text.contains(text), "\(text): \(outcome)")
        }
    }

    @Test func theWatchSavesAtItsEnd() throws {
        let outcome = try run(
            """
            echo "P $day 110011 2 CNY" | $Q fund import -; quote 101 > q; before=$($Q history --all | wc -l)
            TERM=xterm /usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py $Q fund watch --feed 'cat q' -- 110011 r 2.0100 q > screen
            grep -c 2.0100 screen; test $(($($Q history --all | wc -l) - before)) = 1; $Q fund | grep -c 2.0100
            $Q fund watch --every 5s --feed 'cat q' 2>&1 || echo "code $?"; $Q fund watch 2>&1 || echo "code $?"
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in ["fund-refresh take 15s, 30s or 60s", "code 2\nqvault: no feed is set", "code 2\n"] {
            #expect(outcome.text.contains(text), "\(text): \(outcome)")
        }
    }
}
