import Testing

/// How records are named: titles, ids, pinyin, labels, and a pick where several are meant.
struct NamingTests {
    private static let cards = """
        typist="/usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py"; export QVAULT_FILE=v.qvault; $Q create v.qvault -q
        $Q card add login --title 招商银行 username=a password=b -q; $Q card add login --title 招商证券 username=c password=d -q
        $Q card add note --title Home text=x -q; $Q card add address --title Home name=N phone=13800138000 province=Z city=H district=X address=A -q

        """

    private func run(_ script: String) throws -> Sandbox.Outcome { try Sandbox().shell(Self.cards + script) }

    @Test func aTitleMayBeSpelledOrCut() throws {
        let outcome = try run("$Q card show zsyh; $Q card show zhengquan; $Q card show 证券 --field username")
        #expect(outcome.code == 0 && outcome.text.contains("user name  a") && outcome.text.hasSuffix("c\n"))
        #expect(outcome.errors.contains("'zsyh' is taken for '招商银行'"), "\(outcome)")
    }

    /// What only its content has, and what is mistyped, is no name for a verb that changes something.
    @Test func aContentIsNoName() throws {
        let outcome = try run(
            "$Q card rm 13800138000; echo $?; $Q card rm Hone; echo $?; $Q card rm 招商; echo $?; $Q card list | wc -l")
        #expect(outcome.text == "10\n10\n10\n4\n", "\(outcome)")
        #expect(outcome.errors.contains("nothing is called '招商'; there is: 招商"), "\(outcome)")
    }

    /// A script that removes a card twice does not remove another one whose title begins so.
    @Test(arguments: [
        "card rm Work", "card rm Work --purge -y", "card edit Work text=y", "attach add Work x.pdf", "due done Work",
        "fund rm Work", "fund edit Work shares=1 cost=1", "fund fit Work", "policy renew Work",
    ])
    func aScriptChangesOnlyWhatIsNamedWhole(_ words: String) throws {
        let outcome = try run(
            """
            $Q card add note --title Workshop text=x -q; $Q fund add 110011 name=Workshop -q
            $Q policy add Workshop insurer=A insured_person=B annual_premium=1 next_payment=2026-12-01 -q
            printf %%PDF-1 > x.pdf; $Q history --json | head -1 > before; $Q \(words) --password-file /dev/fd/3 3<<END || echo "code $?"
            correct-horse-battery
            END
            $Q history --json | head -1 | cmp - before && echo unchanged
            """)
        #expect(outcome.text.hasSuffix("code 10\nunchanged\n"), "\(words): \(outcome)")
    }

    @Test func whatIsCutIsPickedAtATerminal() throws {
        let outcome = try run(
            "$typist $Q card edit Hom text=y -- number 1; $typist $Q card rm zsyh -- number ''; echo $?")
        #expect(outcome.text.contains("nothing is called 'zsyh'") && outcome.text.hasSuffix("10\n"), "\(outcome)")
    }

    /// What a name has in it does nothing to the terminal that lists it.
    @Test func listedNamesAreHarmless() throws {
        let outcome = try run(
            """
            for i in 1 2; do $Q fund add 11001$i name="$(printf 'A\\033[2J%s' $i)" -q; done; $typist $Q fund show A -- number ''
            """)
        #expect(!outcome.text.contains("\u{1B}[2J"), "\(outcome)")
    }

    @Test func onePicksAtATerminal() throws {
        let outcome = try run(
            """
            $typist $Q card show Home -- number 9 number x number 1; echo "code $?"
            $typist $Q card rm zs -- number ''; echo "code $?"; $typist $Q card rm 招商 -- number 2; $Q card list | wc -l
            """)
        #expect(outcome.text.contains("'Home' may mean:") && outcome.text.contains("  1  "), "\(outcome)")
        #expect(outcome.text.contains("code 0") && outcome.text.contains("code 10"), "\(outcome)")
        #expect(outcome.text.hasSuffix("\n3\n"), "\(outcome)")
    }

    /// The password is asked once, though the verb runs twice.
    @Test func aPickAsksForNoPasswordAgain() throws {
        let outcome = try run(
            """
            unset QVAULT_PASSWORD_COMMAND
            $typist $Q card show Home -- 'password for' correct-horse-battery number 1; echo "code $?"
            """)
        let isShown = outcome.text.contains("text  x") || outcome.text.contains("13800138000")
        #expect(outcome.text.hasSuffix("code 0\n") && isShown, "\(outcome)")
    }

    @Test func labelsAreKeys() throws {
        let outcome = try run(
            """
            $Q card add 身份证 --title 张三 姓名=张三 公民身份号码=11010519491231002X -q; $Q card edit 张三 住址=杭州 -q
            $Q card show 张三 --field 住址; $Q card edit 张三 Address=Beijing -q; $Q card show 张三 --field address
            $Q fund add 110011 名称=易方达 分组=A 份额=10 成本价=2 -q; $Q fund list; $Q fund show yfd | head -1
            $Q holding add 110011 平台=A 持有份额=1 成本价=2 -q; $Q holding add 110011 平台=B 份额=1 成本价=2 -q
            $Q holding update 110011@B 持有份额=5 -q; $Q holding list --json | grep -c '"shares":"5"'; $Q holding rm 110011
            echo $?; $Q asset add 车 类别=fixed 金额=5 -q; $Q asset list
            """)
        for part in ["杭州\n", "Beijing\n", "110011  易方达", "\n1\n10\n", "车"] {
            #expect(outcome.text.contains(part), "\(part): \(outcome)")
        }
    }

    @Test(arguments: ["fund", "tag", "group", "share", "shares", "settings", "snapshot", "position", "card", "key"])
    func everyNounHasAList(_ noun: String) throws {
        let outcome = try run("$Q \(noun) list")
        #expect(outcome.code == 0, "\(outcome)")
    }

    @Test func longLists() throws {
        let outcome = try Sandbox().shell(
            """
            mkdir d; printf 12345 > d/x; chmod 755 d/x; $Q pack d -o v.qvault -q; $Q put -f v.qvault d --as d -q
            $Q ls -l -f v.qvault
            """)
        let row = outcome.text.split(separator: "\n").last.map(String.init) ?? ""
        let cells = row.split(separator: " ").map(String.init)
        #expect(cells.count == 10 && cells[1...4] == ["file", "5", "1", "x"] && cells[9] == "d/x", "\(outcome)")
    }
}
