import Testing

/// `fund` and its verbs, with the worked examples of Spec/product/portfolio.md.
struct FundCommandTests {
    /// Times of an hour ago: prices of a time to come are refused.
    private static let script = """
        set -e; export QVAULT_FILE=a.qvault; day=$(session 1); now=$(session 0)T09:15:00+08:00
        $Q create a.qvault
        $Q fund add 110011 name=易方达 shares=1000 cost=2.3100 stocks='600519 9.50; 000858 8.20% ; 00700 7.80 腾讯'
        $Q card add holding --title h code=110011 shares=520.55 cost=2.605
        quote() { printf '{"code":"%s","time":"%s","price":"%s","previous_close":"%s","source":"t"}\\n' $1 $now $2 $3; }
        prices() { echo "P $day \\"110011\\" 2.5060 CNY"; quote 600519 1482.30 1468.00; quote 000858 121.55 123.10
            quote 00700 618.50 611.00; }
        """

    private func run(_ lines: String) throws -> (code: Int32, text: String) {
        let outcome = try Sandbox().shell(Self.script + "\n" + lines)
        return (outcome.code, outcome.text)
    }

    @Test func aDayIsValued() throws {
        let outcome = try run(
            """
            prices | $Q fund import - --json; $Q fund; $Q fund --json
            prices | $Q fund import - --json; $Q history | wc -l; $Q verify | cut -c1-15
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            #"{"added":5,"changed":0,"refused":0,"older":0,"dropped":[],"cards_added":0,"cards_changed":0}"#, "2.5081",
            "+0.09%", "2.5060 (", "+147.66",
            "+4.03%", "covers 25.50 %", "source t", "an estimate is not the net value",
            #""estimate":"2.5081","change":"0.000850361620","method":"top10""#, #""cost":"3666.03","value":"3813.69""#,
            // The same again changes nothing, and saves nothing.
            #"{"added":0,"changed":0,"refused":0,"older":0,"dropped":[],"cards_added":0,"cards_changed":0}"#, "\n4\n",
            "sound",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
    }

    @Test func badLinesDoNotStopGoodOnes() throws {
        let outcome = try run(
            """
            { echo rubbish; prices; quote 600000 16.60 15.00; echo '{"code":"110011","nav":"NaN","nav_date":"2026-01-05"}'
              echo "P $(TZ=UTC-8 date -d '+1 day' +%F) 110011 2.5 CNY"; } > p; $Q fund import p 2>&1 || echo "code $?"
            $Q fund | grep -c 2.5081; printf 'x' | $Q fund import - -n 2>&1 || echo "code $?"; $Q history | wc -l
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            "p:1: is no JSON object and no price directive", "p:7: has a price that is no number above 0",
            "p:8: is of a time to come", "dropped: 600000", "lines that were refused: 3; the others count",
            "code 1\n1\n",
            "refused: 1; the others count", "code 1\n4\n",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
    }

    @Test func anEstimateIsHeldAgainstTheNetValue() throws {
        let outcome = try run(
            """
            prices | $Q fund import -; echo "P ${now%T*} 110011 2.5240 CNY" | $Q fund import - --source s
            $Q fund accuracy; $Q fund accuracy --json; $Q fund
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            "110011  top10    1 days, median 0.63%", "within 0.5 %: 0.00%",
            #""method":"top10","days":1,"median":"0.00629"#,
            "2.5240", "the net value of the day is known, median error 0.63%",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
    }

    @Test func codesAreChecked() throws {
        let outcome = try run(
            """
            $Q fund add 12345 1234567 １６１７２５ 161725 110011 2>&1 || echo "code $?"
            $Q fund edit 161725 code=161726 2>&1 || echo "code $?"
            $Q fund edit 161725 stocks='1000 60; 2000 50' 2>&1 || echo "code $?"; $Q fund edit 161725 stocks='858 5' 2>&1 | grep -c CODE
            $Q fund --group nope 2>&1 || echo "code $?"
            $Q fund edit 161725 shares=-1 2>&1 || echo "code $?"
            $Q fund edit 161725 name=白酒 shares='12,345.60' cost=１; $Q card show 白酒 --field shares
            $Q fund rm 999999 2>&1 || echo "code $?"; $Q fund rm 白酒; $Q fund --json | wc -l
            $Q fund --sort size 2>&1 || echo "code $?"; $Q fund add --group G 161725; $Q fund --group G --json | wc -l
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            "'12345' is no code of a fund", "161725 is watched already", "110011 is watched already",
            "not added: 2; check the codes and add them again\ncode 11\n", "the code of a fund stays",
            "has weights of 110 % in all",
            "no fund is in the group 'nope'",
            "is no number, or is negative", "12345.60\n", "no fund '999999' is watched", "code 10\n1\n",
            "--sort takes change, estimate or added", "code 2\n1\n",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
    }

    /// Two machines that took in the same and other values have all of them; a time with two values is told.
    @Test func twoMachinesAreMerged() throws {
        let outcome = try run(
            """
            cp a.qvault b.qvault; q() { $Q "$@" --allow-rollback; }; prices | q fund import -
            QVAULT_FILE=b.qvault; echo "P $day 110011 2.6 CNY" | q fund import -; echo "P 2026-01-05 110011 2.1 CNY" | q fund import -
            QVAULT_FILE=a.qvault; q merge b.qvault; q fund | grep 'two values'
            echo "P $day 110011 2.5060 CNY" | q fund import -; q fund | grep -c 'two values' || true; q fund | grep -c 2.5081
            QVAULT_FILE=b.qvault; q merge a.qvault > said; q ls | grep -c fund.nav.2026-01
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in ["joined", "two values at one time, since a merge: 1", "\n0\n1\n"] {
            #expect(outcome.text.contains(text), "\(text): \(outcome)")
        }
    }
}
