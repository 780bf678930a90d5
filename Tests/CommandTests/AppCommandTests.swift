import Foundation
import Testing

/// The verbs for apps.
struct AppCommandTests {
    private static func run(_ script: String, in sandbox: Sandbox) throws -> Sandbox.Outcome {
        try sandbox.shell("exec </dev/null; export QVAULT_FILE=v.qvault TZ=Asia/Shanghai; \(script)")
    }

    /// Two apps: one that is free, and one that is not.
    private static func filled() throws -> Sandbox {
        let sandbox = try Sandbox()
        let outcome = try run(
            """
            set -e; $Q create v.qvault
            $Q app add 'Photoshop Express' developer=Adobe price=25 current_price=0 rating=4.8 ratings=2000 \
            download_size=120MB found='2020-01-01 08:00' free_until="$(TZ=Asia/Shanghai date -d '+90 minutes' '+%F %T')"
            $Q app add Things developer='Cultured Code' price=68 current_price=68 found=2026-01-01
            """, in: sandbox)
        #expect(outcome.code == 0, "\(outcome)")
        return sandbox
    }

    @Test func listsAndChoices() throws {
        let sandbox = try Self.filled()
        let list = try Self.run("$Q app list", in: sandbox).text.split(separator: "\n")
        #expect(list[0].hasPrefix("Things             Cultured Code"))
        #expect(
            list[1].hasPrefix("Photoshop Express  Adobe          4.8  114.4 MiB  25 → 0  free ending hot  "), "\(list)")
        #expect(try Self.run("$Q app list --sort value", in: sandbox).text.hasPrefix("Photoshop"))
        #expect(try Self.run("$Q app list is:free --preset 中等价值", in: sandbox).text.hasPrefix("Photoshop"))
        let none = try Self.run("$Q app list --preset price-200", in: sandbox)
        #expect(none.code == 10 && none.errors.contains("no app answers 'kind:app price>=200'"), "\(none)")
        #expect(try Self.run("$Q app presets", in: sandbox).text.contains("price-10-50   中等价值    1  "))
        #expect(try Self.run("$Q app list --preset gamse", in: sandbox).errors.contains("did you mean games?"))
        #expect(try Self.run("$Q app list --sort x", in: sandbox).code == 2)
        #expect(try Self.run("$Q app list 'price>x'", in: sandbox).errors.contains("[price>x]"))
    }

    @Test func anAppIsShownWithItsPrices() throws {
        let sandbox = try Self.filled()
        let shown = try Self.run("$Q app show pse", in: sandbox).text
        #expect(shown.contains("download size  114.4 MiB\n") && shown.contains("found          2020-01-01 08:00\n"))
        #expect(shown.contains("saved now: 25\n") && shown.contains("free for another 1:"), "\(shown)")
        #expect(try Self.run("sleep 1.1; $Q app edit Things current_price=30", in: sandbox).code == 0)
        let things = try Self.run("$Q app show Things", in: sandbox).text
        #expect(things.contains("prices: 2, from 30 to 68\n") && things.contains("saved now: 38"), "\(things)")
        let text = try Self.run("$Q app text --find is:free", in: sandbox).text
        #expect(text.hasPrefix("Photoshop Express\nAdobe · ★ 4.8\n25 → 0\nsaved now: 25\nfree until 20"), "\(text)")
        let due = try Self.run("$Q due; $Q due --json", in: sandbox).text
        #expect(due.hasPrefix("urgent  in 1 hours  ") && due.contains(#""field":"free_until""#), "\(due)")
    }

    @Test func aListIsTakenIn() throws {
        let sandbox = try Self.filled()
        try sandbox.write(
            "apps.json",
            #"[{"id":"1","name":"Bear","price":30,"icon":"x"},{"id":"1","name":"Other"},{"name":"a","price":-1}]"#)
        let dry = try Self.run("$Q app import apps.json -n --json; $Q app list | wc -l", in: sandbox)
        #expect(dry.text.hasPrefix(#"{"added":1,"changed":0,"unchanged":0,"trashed":0,"#) && dry.text.hasSuffix("2\n"))
        let outcome = try Self.run("$Q app import apps.json", in: sandbox)
        #expect(outcome.code == 1)
        for line in [
            "apps.json: names that were left out: icon", "apps.json: item 2: is the same app as item 1",
            "apps.json: item 3: price: is no number, or is negative",
        ] { #expect(outcome.errors.contains(line), "\(outcome.errors)") }
        #expect(try Self.run("$Q app import apps.json; $Q history", in: sandbox).text.split(separator: "\n").count == 4)
        let wrong = try Self.run("printf '[1,' >x; $Q app import x", in: sandbox)
        #expect(wrong.code == 11 && wrong.errors.contains("x: line 1: "), "\(wrong)")
    }

    /// Tables of spreadsheets: other separators, and GB 18030.
    @Test(arguments: [
        #"printf '应用名称;开发者;价格\n"Bear; 2";Shiny;30\n' "#, #"printf '应用名称\t价格\t开发者\nBear; 2\t30\tShiny\n' "#,
        #"printf '"应用名称","开发者","价格"\n"Bear; 2","Shiny","30"\n' "#,
        #"printf '应用名称;开发者;价格\n"Bear; 2";Shiny;30\n' | iconv -t GB18030 "#,
    ])
    func tablesAreTakenIn(_ written: String) throws {
        let outcome = try Self.run(
            "\(written) >a.csv; $Q app import a.csv && $Q app show 'Bear; 2' --json", in: Self.filled())
        #expect(outcome.text.contains(#""developer":"Shiny""#) && outcome.text.contains(#""price":"30""#), "\(outcome)")
        #expect(outcome.errors.contains("a.csv: read as GB 18030") == written.contains("iconv"), "\(outcome)")
    }

    /// Two machines that take in one list have one app, and nothing to settle.
    @Test func twoMachinesTakeInOneList() throws {
        let sandbox = try Self.filled()
        try sandbox.write("apps.json", #"[{"id":"1","name":"Bear","price":30,"currentPrice":0}]"#)
        let outcome = try Self.run(
            """
            set -e; cp v.qvault w.qvault; $Q app import apps.json; sleep 1.1
            XDG_STATE_HOME=$PWD/other $Q app import -f w.qvault apps.json; $Q merge w.qvault
            $Q app list Bear | wc -l; $Q app show Bear | tail -2
            """, in: sandbox)
        #expect(outcome.code == 0 && outcome.text.contains("\n1\nprices: 1, from 0 to 0\n"), "\(outcome)")
    }

    /// An export brings the prices along, and its import leaves them as they are.
    @Test func pricesSurviveExportAndImport() throws {
        let outcome = try Self.run(
            """
            set -e; sleep 1.1; $Q app edit Things current_price=30; $Q app show Things | tail -3 > before
            $Q export --format json -o out; $Q create w.qvault; $Q import -f w.qvault out; $Q app show -f w.qvault Things | tail -3 > after
            cmp before after; cat after
            """, in: Self.filled())
        #expect(outcome.code == 0 && outcome.text.contains("prices: 2, from 30 to 68"), "\(outcome)")
    }
}
