import Testing

/// Verbs to which a query names records (`--find`), and what columns show of them.
struct FoundRecordsTests {
    private static func run(_ script: String) throws -> Sandbox.Outcome {
        try Sandbox().shell("export QVAULT_FILE=$PWD/v.qvault; $Q create v.qvault 2> /dev/null\n" + script)
    }

    @Test func filesThatAreFoundAreMoved() throws {
        let outcome = try Self.run(
            """
            mkdir -p src/2024 src/2025/x; echo a > src/2024/a.pdf; echo b > src/2025/b.pdf; echo c > src/2025/x/c.txt
            $Q put src/*; $Q card add login service=bank --title b.pdf >/dev/null
            exec 2>&1
            $Q mv --find 'b.pdf or c.txt' old; echo "code $?"
            $Q mv -n --find 'kind:file .pdf' old/; $Q mv --find 'kind:file .pdf' old/ && $Q ls | sed 's/.*  //' && $Q mv --find 'kind:file pdf' old; echo "code $?"
            $Q mv --find 'x' new && $Q mv --find 'kind:folder' all/ && $Q ls | sed 's/.*  //'
            $Q mv --find 'kind:login' all; echo "code $?"
            """)
        #expect(
            outcome.text == """
                qvault: records found that are not meant by this verb, and left as they are: 1
                qvault: no folder 'old'
                qvault: hint: a slash at the end makes one: old/
                code 10
                qvault: would add: old
                qvault: would move: 2024/a.pdf to old/a.pdf
                qvault: would move: 2025/b.pdf to old/b.pdf
                2024/
                2025/
                2025/x/
                2025/x/c.txt
                b.pdf
                old/
                old/a.pdf
                old/b.pdf
                code 0
                all/
                all/2024/
                all/2025/
                all/new/
                all/new/c.txt
                all/old/
                all/old/a.pdf
                all/old/b.pdf
                b.pdf
                qvault: records found: 1, none of which this verb is for
                code 10

                """, "\(outcome)")
    }

    @Test func whatIsInTheTrashIsFound() throws {
        let outcome = try Self.run(
            """
            mkdir -p src/docs; echo a > src/docs/letter.txt; echo b > src/docs/bill.txt; echo c > src/keep.txt
            $Q put src/*; $Q card add login service=bank --title Bank --tag old >/dev/null; $Q query save gone 'tag:old'
            $Q rm docs/letter.txt docs/bill.txt; $Q card rm Bank
            exec 2>&1
            $Q ls --trash --find letter | sed 's/.*  //'; $Q ls --trash --find 'path:docs' | sed 's/.*  //'
            $Q ls --trash --find keep; echo "code $?"
            $Q undelete -n --find letter; $Q undelete --find @gone && $Q undelete --find 'bill or letter' && $Q ls | sed 's/.*  //'
            $Q undelete --find 'bill'; echo "code $?"
            """)
        #expect(
            outcome.text == """
                docs/letter.txt
                docs/bill.txt
                docs/letter.txt
                qvault: nothing answers 'keep'
                qvault: hint: 'qvault ls --trash' lists what is there
                code 10
                qvault: would bring back: docs/letter.txt
                Bank
                docs/
                docs/bill.txt
                docs/letter.txt
                keep.txt
                query.gone
                qvault: nothing answers 'bill'
                qvault: hint: 'qvault ls --trash' lists what is there
                code 10

                """, "\(outcome)")
    }

    @Test func closedWordsAreShownInChinese() throws {
        let outcome = try Self.run(
            """
            $Q asset add 房贷 category=负债 amount=100万 >/dev/null; $Q asset add 余额宝 category=liquid amount=1 bucket=活钱 type=货币基金 >/dev/null
            $Q asset add 旧 category=流动资金 amount=2 bucket=流动资金 >/dev/null
            exec 2>&1
            $Q find kind:asset --columns title,category,bucket --sort title --lang zh
            $Q find kind:asset --facets category --lang zh; $Q find kind:asset --facets category
            $Q find bucket:活钱 --columns title; $Q find 类别:负债 --columns title,类别; $Q find 'category=投资' ; echo "code $?"
            $Q card show 余额宝 --lang zh; $Q find kind:asset category:debt --json --columns category | sed 's/.*columns/columns/'
            $Q asset add x category=债 amount=1; echo "code $?"
            """)
        #expect(
            outcome.text == """
                title   category  bucket
                余额宝  流动资金  活钱
                房贷    负债
                旧      流动资金  活钱
                category  流动资金  2
                category  负债      1
                category  liquid  2
                category  debt    1
                title
                旧
                余额宝
                title  类别
                房贷   debt
                qvault: nothing answers 'category=投资'
                qvault: hint: 'qvault ls' lists all there is
                code 10
                余额宝  (资产)
                类别    流动资金
                金额    1
                四笔钱  活钱
                类型    货币基金
                columns":{"category":"debt"}}
                qvault: category: is not one of liquid 流动资金, fixed 固定资产, investment 投资理财, receivable 应收款, debt 负债
                qvault: hint: nothing was saved; 'qvault card kinds asset' lists the fields
                code 11

                """, "\(outcome)")
    }
}
