import Testing

/// The vault of TestVectors/watchlist: this program and the second reader find the same figures.
struct WatchlistVectorTests {
    @Test func bothReadersAgree() throws {
        let outcome = try Sandbox().shell(
            """
            set -e; vectors=$REPOSITORY/TestVectors/watchlist; cp $vectors/watchlist.qvault v.qvault
            export QVAULT_PASSWORD_COMMAND='echo watchlist'; reader=$REPOSITORY/Spec/reader/watchlist.py
            $Q fund -f v.qvault --json > mine; cmp mine $vectors/watchlist.jsonl; /usr/bin/python3 $reader v.qvault mine
            sed 's/2.5081/2.5082/; s/147.66/147.67/' mine > other; /usr/bin/python3 $reader v.qvault other || echo "code $?"
            """)
        #expect(outcome.code == 0, "\(outcome)")
        for text in [
            "11 funds, 0 figures differ", "110011: estimate is 2.5082, not 2.5081", "2 figures differ\ncode 1",
        ] {
            #expect(outcome.text.contains(text), "\(text): \(outcome)")
        }
    }

    /// Watchlists at random: the seed is printed where a figure differs.
    @Test func bothReadersAgreeOnRandomWatchlists() throws {
        let outcome = try Sandbox().shell("/usr/bin/python3 $REPOSITORY/Tests/Attacks/random-watchlists.py $Q 6")
        #expect(outcome.code == 0 && outcome.text.contains("6 watchlists"), "\(outcome)")
    }

    /// The same lines give the same figures in a vault that is made now.
    @Test func theLinesGiveTheSameFigures() throws {
        let outcome = try Sandbox().shell(
            """
            set -e; export QVAULT_FILE=a.qvault; vectors=$REPOSITORY/TestVectors/watchlist; $Q create a.qvault
            $Q fund import $vectors/funds.jsonl $vectors/prices.txt 2>/dev/null; $Q fund --json | cmp - $vectors/watchlist.jsonl
            """)
        #expect(outcome.code == 0, "\(outcome)")
    }
}
