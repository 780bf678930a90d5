import Testing

/// `month`: one walk, one save, a backup, and what changed; and the groups of `asset list`.
struct MonthTests {
    private func run(_ script: String) throws -> Sandbox.Outcome {
        try Sandbox().shell(
            """
            set -e; export QVAULT_FILE=v.qvault; $Q create v.qvault; mkdir k; day() { date -d "$1 days" +%F; }
            walk() { TERM=xterm /usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py $Q month --to k -- "$@"; }
            $Q asset add 工行 category=liquid amount=12000; $Q asset add 支付宝 category=liquid amount=5000 platform=支付宝
            $Q asset add 支付宝 category=investment amount=80000 platform=蚂蚁财富 bucket=stable subcategory=银行理财 maturity=$(day 14)
            $Q asset add 房贷 category=debt amount=50000; $Q fund add 110011
            $Q holding add 110011 shares=1000 cost=2.3 platform=A; echo "P $(session 1) 110011 2.5 CNY" | $Q fund import -
            $Q policy add p insurer=a insured_person=b annual_premium=6240 next_payment=$(day 4)
            $Q policy add old insurer=a insured_person=c annual_premium=1 next_payment=$(day 3) end=$(day -1)
            \(script)
            """)
    }

    @Test func oneSaveTakesAll() throws {
        let outcome = try run(
            """
            saves=$($Q history --all | wc -l)
            walk 工行 13000 支付宝 '' 支付宝 90000 房贷 '' 110011 1100 'cost of a share' '' 'premium paid' y > screen
            test $(($($Q history --all | wc -l) - saves)) = 1; ls k | wc -l; cat screen
            $Q snapshot list --json; $Q card show p --field next_payment; $Q holding log | cut -d' ' -f3-
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            "values changed: 3, premiums paid: 1", #""net":"60750.00""#, #""investments":"92750.00""#,
            #""liquid_funds":"18000.00""#, "110011  A  1000 → 1100", "net worth 60,750.00: the first snapshot",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome.text)") }
        #expect(!outcome.text.contains("old, c"), "a cover that ended asks for nothing")
    }

    @Test func whatWasAnsweredIsSavedInTheMiddle() throws {
        let outcome = try run(
            """
            walk 工行 13000 支付宝 "$(printf '\\003')" > screen || true; cat screen; $Q card show 工行 --field amount; ls k | wc -l
            """)
        #expect(outcome.code == 0 && outcome.text.hasSuffix("\n13000\n0\n"), "\(outcome)")
        #expect(outcome.text.contains("what was answered is saved"), "\(outcome.text)")
    }

    @Test func theFirstSnapshotIsComparedWithNone() throws {
        let outcome = try run(
            """
            exec </dev/null; $Q month --yes --to k; $Q asset update 工行=22000 >/dev/null; $Q month --yes
            $Q month --to none --yes 2>&1 || echo "code $?"; $Q month 2>&1 || echo "code $?"
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in ["values changed: 0", "the first snapshot", "none: no such folder", "code 10", "code 2"] {
            #expect(outcome.text.contains(text), "\(text): \(outcome.text)")
        }
    }

    /// Answers that are given: the same save as of a walk, and what is no answer stops all of them.
    @Test func answersAreGiven() throws {
        let outcome = try run(
            """
            exec </dev/null; $Q month -n --json | jq -r '[.question, .name, .value, .due != null] | @csv'; $Q month -n --private | tr -s ' ' | head -1
            id=$($Q month -n --json | jq -r 'select(.value == "80000").id'); saves=$($Q history --all | wc -l)
            $Q month 工行=13,000 $id=90000 110011@A=1100@2.4 p=paid --json --to k | head -1 | jq -c '[.values_changed, .premiums_paid, .snapshot.net]'
            test $(($($Q history --all | wc -l) - saves)) = 1; ls k | wc -l; $Q holding list | tr -s ' '; $Q card show 工行 --field amount
            for answer in 支付宝=1 none=1 old=paid 工行=x 工行=+1 110011=0 110011=1@0 110011=1@ "$id=paid" 工行; do
                $Q month "$answer" 2>&1 | head -1; done
            $Q month -n 工行=1 2>&1 || echo $?; $Q month 工行=1 工行=2 2>&1 || echo $?; $Q month 工行=1 $($Q month -n --json | jq -r 'select(.name == "工行").id')=2 2>&1 | sed -E 's/[0-9a-f]{32}/ID/'
            $Q asset update 工行=1 $($Q month -n --json | jq -r 'select(.name == "工行").id')=2 2>&1 | sed -E 's/[0-9a-f]{32}/ID/'; $Q month 工行=1 --to none 2>&1 | head -1; $Q card show 工行 --field amount
            """)
        #expect(
            outcome.text == """
                "amount","工行","12000",false
                "amount","支付宝","5000",false
                "amount","支付宝","80000",false
                "amount","房贷","50000",false
                "shares","110011 110011 A","1000",false
                "premium","p, b","6240",true
                工行 **** CNY
                [3,1,"60750.00"]
                1
                code fund platform shares cost of one market value profit or loss return
                110011 110011 A 1100 2.4 2,750.00 +110.00 +4.17%
                sum 2,750.00 +110.00 +4.17%
                13000
                qvault: several are called '支付宝'
                qvault: 'none' is not asked for
                qvault: 'old' is not asked for
                qvault: 工行: 'x' is no number, or is negative
                qvault: '+1': give the new number, without a plus sign
                qvault: 110011 110011 A: shares and their cost are above 0
                qvault: 110011 110011 A: shares and their cost are above 0
                qvault: 110011 110011 A: '' is no number, or is negative
                qvault: 支付宝: 'paid' is no number, or is negative
                qvault: '工行' is no field: give it as KEY=VALUE
                qvault: month: --dry-run lists what is asked, and takes no answers
                2
                qvault: '工行' is given twice
                2
                qvault: 'ID' is given twice
                qvault: 'ID' is given twice
                qvault: none: no such folder; is the disk plugged in?
                13000

                """, "\(outcome)")
    }

    @Test func figuresAsJSON() throws {
        let outcome = try run(
            """
            exec </dev/null; $Q month --yes --json | jq -c '[.values_changed, .snapshot.net, .before, .save]' 
            $Q month --yes --json --private | head -1 | jq -c '[.premiums_paid, .snapshot.net, (.before | type)]'
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [#"[0,"49500.00",null,null]"#, #"[null,null,null,"#, #"[0,"****","#] {
            #expect(outcome.text.contains(text), "\(text): \(outcome.text)")
        }
    }

    @Test func assetsStandInGroupsWithSums() throws {
        let outcome = try run(
            """
            $Q asset list; $Q asset list --by bucket; $Q asset list --by platform; $Q asset list --by x 2>&1 || echo "code $?"
            $Q asset add 支付宝 category=liquid amount=1 platform=支付宝 2>&1 || echo "code $?"; $Q policy list; $Q due --within 9d
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            "liquid funds  17,000.00 CNY\n  工行        12,000.00 CNY\n  支付宝       5,000.00 CNY  支付宝\n",
            "银行理财 · 蚂蚁财富  ", "[matures in 14 days]\n", "stable        80,000.00 CNY\n", "蚂蚁财富  80,000.00 CNY\n",
            "code 2\n",
            "another category or platform tells two apart", "code 11\n",
        ] { #expect(outcome.text.contains(text), "\(text): \(outcome.text)") }
        #expect(
            outcome.text.contains("  ended\n") && !outcome.text.contains("next payment  insurance policy old"),
            "\(outcome.text)")
    }
}
