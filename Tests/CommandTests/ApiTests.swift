import Foundation
import Testing

/// `qvault api`: the recorded calls, made anew on a vault of their own.
struct ApiTests {
    @Test func recordedCallsHaveTheirAnswers() throws {
        let outcome = try Sandbox().shell("/usr/bin/python3 $REPOSITORY/Tests/Scripts/api-fixtures.py $Q")
        #expect(outcome.code == 0 && outcome.text.hasSuffix("calls, 0 with another answer\n"), "\(outcome)")
    }

    @Test func theSpecIsPrintedFromTheDeclarations() throws {
        let outcome = try Sandbox().shell("$Q api | cmp - $REPOSITORY/Spec/api.md")
        #expect(outcome.code == 0, "\(outcome)")
    }

    private static let script = """
        export QVAULT_FILE=a.qvault; $Q create a.qvault; $Q fund add 110011 name=A shares=3 cost=1.23 allocation='sector 77 food'
        echo 'P 2026-11-20 110011 2.5060 CNY' | $Q fund import -
        post() { printf '%s' "$2" | $Q api POST "$1"; }
        post /api/liquid '{"name":"c/d é","type":"deposit","platform":"","amount":4321.5,"secret":"9876"}'
        post /api/stable '{"name":"s","type":"term_deposit","platform":"p","amount":"1,234.5","annual_rate":2}'
        post /api/insurance '{"name":"i","type":"life","insurer":"x","insured_person":"y","annual_premium":5678,"coverage_amount":8765}'
        $Q position set 24680 min=10 max=20 --reason salary; $Q snapshot

        """

    /// What somebody must not see is in no answer, and each answer is as declared.
    @Test func privateHidesEveryAmount() throws {
        let paths = [
            "dashboard/summary", "dashboard/reminders", "dashboard/trend", "holdings", "holdings/110011/changelog",
            "funds/110011", "funds/110011/allocation", "portfolio/summary", "portfolio/by-platform",
            "portfolio/allocation?dimension=sector", "portfolio/trend", "position/budget", "position/budget/changelog",
            "position/strategies", "position/suggestion", "liquid", "stable", "insurance",
        ]
        let calls = paths.map { "$Q api --private GET '/api/\($0)'" }.joined(separator: "\n")
        let outcome = try Sandbox().shell(
            Self.script + "echo begin\n" + calls)
        #expect(outcome.code == 0, "\(outcome)")
        let text = outcome.text.components(separatedBy: "begin\n").last ?? ""
        let shown = text.replacing(/"[0-9a-f]{32}"|"id":\d+|"\d{4}-\d\d-\d\dT[^"]*"/, with: "") + outcome.errors
        for amount in ["4321", "1234", "5678", "8765", "24680", "9876", "7.51", "7.52", "1.23", "3.69", "3.83"] {
            #expect(!shown.contains(amount), "\(amount): \(shown)")
        }
        #expect(shown.contains(#""percentage":77"#) && shown.contains("****"), "\(shown)")
    }

    @Test func whatIsGivenComesBack() throws {
        let outcome = try Sandbox().shell(
            Self.script + """
                $Q api GET /api/liquid; $Q api PUT '/api/liquid/c%2Fd%20%C3%A9' < /dev/null; echo "code $?"
                printf '{"secret":{"a":[1.25,null,true]},"amount":1}' | $Q api PUT '/api/liquid/c%2Fd%20%C3%A9'
                printf '{"annual_rate":null}' | $Q api PUT /api/stable/s; before=$($Q history --all | wc -l)
                printf '{"amount":-1}' | $Q api PUT /api/stable/s; printf '{"amount":1234.5}' | $Q api PUT /api/stable/s
                $Q api DELETE /api/stable/none; echo $(($($Q history --all | wc -l) - before))
                """)
        for text in [
            #""name":"c/d é""#, #""secret":"9876""#, "code 11", #""secret":{"a":[1.25,null,true]}"#,
            #""annual_rate":null"#,
            #""status":422"#, #""status":404"#,
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome)") }
        #expect(outcome.text.hasSuffix("\n0\n"), "a refused or an equal change saves nothing: \(outcome)")
    }

    @Test func aFeedIsAskedForOneFund() throws {
        let outcome = try Sandbox().shell(
            Self.script + """
                $Q api POST /api/funds/110011/refresh; echo "code $?"; export XDG_CONFIG_HOME=$PWD/c; umask 22
                printf '#!/bin/sh\necho P 2026-11-21 110011 2.6 CNY; echo P 2026-11-21 161725 1 CNY\n' > feed; chmod 755 feed
                $Q settings set feed.nav $PWD/feed; $Q api POST /api/funds/110011/refresh; $Q api GET /api/funds/110011
                """)
        #expect(outcome.text.contains("code 11"), "\(outcome)")
        #expect(outcome.text.contains(#"{"ok":true,"fund_name":"A"}"#), "\(outcome)")
        #expect(outcome.text.contains(#""latest_nav":2.6,"latest_nav_date":"2026-11-21""#), "\(outcome)")
    }
}
