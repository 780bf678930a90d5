import Testing

/// `undo`: a save is taken back by a new one, or refused with the reason.
struct UndoTests {
    private func lines(_ script: String) throws -> [String] {
        let outcome = try Sandbox().shell(
            "export QVAULT_FILE=v.qvault; $Q create v.qvault; mkdir d; echo one > d/a; echo two > d/b\n" + script)
        #expect(outcome.code == 0, "\(outcome)")
        return outcome.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    @Test func whatWasAddedGoesAndComesBack() throws {
        let said = try lines(
            """
            printf 'kind,title,url,username,password\\nlogin,A,https://a.cn,u,p\\nlogin,B,https://b.cn,u,p\\n' > c.csv
            $Q import -q c.csv; $Q undo; $Q ls | wc -l; $Q ls --trash | wc -l; $Q undo; $Q card show A --field username
            $Q put -q d; $Q undo -q; $Q ls | wc -l; $Q verify v.qvault > said && echo sound
            """)
        #expect(
            said == [
                "0", "2", "u", "2", "sound",
            ], "\(said)")
    }

    @Test func whatWasChangedAndRemovedIsAsBefore() throws {
        let said = try lines(
            """
            $Q put -q d; echo other > d/a; $Q put -q d; $Q undo; $Q cat d/a; $Q rm -rq d; $Q undo -q; $Q cat d/b d/a
            $Q card add -q note --title n text=old; $Q card edit -q n text=new; $Q tag -q n t; $Q undo -q; $Q undo 8; $Q card show n --field text
            $Q rm -q d/a; $Q undelete -q d/a; $Q undo -q; $Q ls --trash
            $Q history --json | tail -1 | jq -c '[.changes[] | .change]'
            """)
        #expect(
            said.filter { !$0.contains("  d/a") } == [
                "one", "two", "one", "old", #"["removed"]"#,
            ], "\(said)")
        #expect(said.contains { $0.contains("  d/a") })
    }

    @Test func whatOthersBuiltOnStays() throws {
        let said = try lines(
            """
            $Q card add -q note --title n text=a; printf %%PDF-1.7 > p.pdf; $Q attach add -q n p.pdf
            $Q undo 2 2>&1; echo "code $?"; $Q undo -q; $Q undo 2; $Q ls | wc -l
            $Q put -q d; echo x > d/c; $Q put -q d; $Q undo 6 2>&1; echo "code $?"; $Q ls | wc -l
            """)
        #expect(
            said == [
                "qvault: later saves changed what save 2 brought, or added to it: n/p.pdf",
                "qvault: hint: 'qvault undo 3' takes back the last of them first", "code 12",
                "0",
                "qvault: later saves changed what save 6 brought, or added to it: d, d/c",
                "qvault: hint: 'qvault undo 7' takes back the last of them first", "code 12", "4",
            ], "\(said)")
    }

    @Test func whatCannotBeTakenBackIsRefused() throws {
        let said = try lines(
            """
            $Q put -q d; $Q mv -q d/a d/z; $Q undo 2>&1; echo "code $?"; $Q rm -q d/z; $Q purge -qy d/z; $Q undo 2>&1; echo "code $?"
            $Q key recovery > key; $Q undo 2>&1; echo "code $?"; $Q undo 99 2>&1 | head -1; $Q undo x 2>&1 | head -1
            echo more > d/b; $Q put -q d/b --as d/b; $Q compact -qy --keep 1; $Q undo 7 2>&1; echo "code $?"; $Q undo 3 2>&1; echo "code $?"
            """)
        #expect(
            said == [
                "qvault: save 3 moved records: d/z", "qvault: hint: 'qvault mv' moves them back", "code 12",
                "qvault: save 5 purged records, which are gone", "code 12",
                "qvault: save 6 changed no record",
                "qvault: hint: 'qvault undo 2' takes back the newest one that did", "code 11",
                "qvault: v.qvault: save 99 cannot be shown; the oldest that can is 1",
                "qvault: undo: 'x' is no number of a save",
                "qvault: the versions from before save 7 are no longer kept",
                "qvault: hint: 'qvault history' lists the saves", "code 12",
                "qvault: the versions from before save 3 are no longer kept",
                "qvault: hint: 'qvault history' lists the saves", "code 12",
            ], "\(said)")
    }

    /// Two saves back, with a version that is there again as it was before: the vault can be written to afterwards.
    @Test func saveAfterSaveIsTakenBack() throws {
        let said = try lines(
            """
            $Q card add -q note --title N text=a; $Q card edit -q N text=b; $Q undo; $Q undo 2; echo $?; $Q card add -q note --title Q text=q; echo $?
            $Q put -q d; echo x > d/a; echo y > d/b; $Q put -q d; $Q undo; $Q undo 7; echo $?; $Q undelete -q N; $Q verify v.qvault > said; echo $?; $Q ls | wc -l
            """)
        #expect(said == ["0", "0", "0", "0", "2"], "\(said)")
    }

    /// A merge that kept a file twice is taken back: its second file has the times of the other copy, and was not there before.
    @Test func aMergeIsTakenBack() throws {
        let said = try lines(
            """
            echo 1 > f; $Q put -q f; cp v.qvault w.qvault; echo ours > f; $Q put -q f; echo theirs > f
            XDG_STATE_HOME=$PWD/other $Q put -q -f w.qvault f; $Q merge -q w.qvault; $Q ls | wc -l; $Q undo; echo $?; $Q cat f; $Q ls | wc -l
            $Q verify v.qvault > said; echo $?; cp v.qvault w.qvault; $Q card add -q note --title M text=a
            export XDG_STATE_HOME=$PWD/third; $Q card add -q -f w.qvault note --title N text=a; $Q card rm -q -f w.qvault N
            $Q card add -q -f w.qvault note --title O text=a; unset XDG_STATE_HOME
            $Q merge -q w.qvault > said; $Q ls | wc -l; $Q undo; echo $?; $Q ls | wc -l; $Q verify v.qvault > said; echo $?
            """)
        #expect(said.dropFirst() == ["2", "0", "ours", "1", "0", "3", "0", "2", "0"], "\(said)")
    }

    /// An attachment does not come back without its card, a save that shares a copy is no hint, and its card comes back from the trash.
    @Test func whatBelongsTogether() throws {
        let said = try lines(
            """
            /usr/bin/python3 $REPOSITORY/Tests/Scripts/id-card.py a.jpg 900; $Q card add -q note --title N text=a; $Q attach add -q N a.jpg
            $Q share -q a.jpg --recipient 甲 --purpose 乙 -o o.jpg; $Q undo 3 2>&1; echo "code $?"; $Q rm -q N; $Q undo; echo "code $?"; $Q shares | wc -l
            $Q attach rm -q a.jpg; $Q rm -q N; $Q undo 7 2>&1; echo "code $?"
            mkdir -p p/d; echo k > p/d/f; $Q put -q p; rm -r p/d; echo file > p/d; $Q put -q --mirror p; $Q undo 2>&1; echo "code $?"
            """)
        #expect(
            said == [
                "qvault: later saves changed what save 3 brought, or added to it: a.jpg",
                "qvault: hint: 'qvault history NAME' lists the versions of each, and 'undelete --at' brings one back",
                "code 12",
                "code 0", "1", "qvault: later saves changed what save 7 brought, or added to it: N/a.jpg",
                "qvault: hint: 'qvault undo 8' takes back the last of them first", "code 12",
                "qvault: 'p/d' was a folder before save 10 and is a file now, or the other way round",
                "qvault: hint: 'qvault unpack --at 9 -o DIR' writes what there was before", "code 12",
            ], "\(said)")
    }

    /// Saves at random, of which some are taken back.
    @Test(arguments: [11, 12]) func savesAtRandom(_ seed: Int) throws {
        let outcome = try Sandbox().shell(
            "/usr/bin/python3 $REPOSITORY/Tests/Scripts/undo.py $Q undone \(seed) 3")
        #expect(outcome.text == "42 steps hold\n", "\(outcome)")
    }

    @Test func aDryRunSavesNothing() throws {
        let said = try lines(
            """
            $Q put -q d; $Q undo -n 2>&1; $Q undo -n --json | jq -c '[.save, .dry_run, (.changes | length)]'; $Q ls | wc -l
            $Q undo --json | jq -c '[.save, (.changes | map(.change) | unique)]'
            """)
        #expect(
            said == [
                "qvault: would move to the trash: d", "qvault: would move to the trash: d/a",
                "qvault: would move to the trash: d/b", "[null,true,3]", "3", #"[3,["removed"]]"#,
            ], "\(said)")
    }
}
