import Foundation
import Testing

/// Settings, and what goes out of a vault and comes into one.
struct ExchangeTests {
    private func fixture() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.shell("$Q create v.qvault")
        return sandbox
    }

    // MARK: Settings

    @Test func settingsKeepTheirType() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            export QVAULT_FILE=v.qvault; set -e
            $Q config set fund.refresh 30 --type number; $Q config set fund.refresh 12.50; $Q config get fund.refresh
            $Q config set night YES --type flag; $Q config get night; $Q config set codes 110022 161725 --type list
            $Q config get codes; printf 'a b\\nc\\n' | $Q config set codes; $Q config get codes
            $Q config set token hush --type secret; $Q config get token; $Q config list | grep -c "[*][*][*][*]"
            head -c 3000 /dev/urandom > blob; $Q config put app.blob blob; $Q config get app.blob | cmp - blob
            $Q config list app; $Q config unset night; $Q undelete night; $Q config list | wc -l
            $Q config set fund.refresh 15; $Q config get fund.refresh --at 2; $Q history fund.refresh | wc -l
            """)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(
            outcome.text
                == "12.50\ntrue\n110022\n161725\na b\nc\nhush\n1\napp.blob  file    2.9 KiB\n5\n30\n3\n",
            "\(outcome.text)")
    }

    @Test(
        arguments: [
            ("$Q config set 'a b' x", 11, "no name of a setting"), ("$Q config set a..b x", 11, "no name of a setting"),
            ("$Q config set a x --type colour", 2, "text, number, flag, list or secret"),
            ("$Q config set a x --type number", 11, "'x' is not a number"), ("$Q config set a 1 2", 2, "has one value"),
            ("$Q config set a x --type flag", 11, "'x' is no flag"),
            ("$Q config set a \"$(printf 'x\\033')\"", 11, "the value has control characters"),
            ("printf '\\377' | $Q config set a", 11, "is not UTF-8"), ("$Q config get a", 10, "no setting 'a'"),
            ("$Q config unset a", 10, "no setting 'a'"), ("$Q config put a none", 10, "No such file"),
            ("head -c 17000000 /dev/zero > x; $Q config put a x", 11, "longer than a setting"),
            ("head -c 2000000 /dev/zero | tr '\\0' x | $Q config set a", 11, "longer than 1 MiB"),
        ] as [(String, Int32, String)])
    func settingsAreRefused(_ script: String, _ code: Int32, _ says: String) throws {
        let sandbox = try fixture()
        let before = try sandbox.read("v.qvault")
        let outcome = try sandbox.shell("export QVAULT_FILE=v.qvault; \(script)")
        #expect(outcome.code == code && outcome.errors.contains(says), "\(script): \(outcome)")
        #expect(try sandbox.read("v.qvault") == before)
    }

    // MARK: Export

    private func full() throws -> Sandbox {
        let sandbox = try fixture()
        try sandbox.shell(
            """
            export QVAULT_FILE=v.qvault; set -e; /usr/bin/python3 $REPOSITORY/Tests/Scripts/pictures.py .
            $Q card add address --title 家 --group 个人 --tag a --tag b --pin name=张三 phone=13800138000 province=浙江省 \
                city=杭州市 district=西湖区 address=文三路1号
            $Q card add note --title n 'text=a "b", c' 'colour=red, green'; $Q card add login --title l password='=1+1'
            $Q attach add 家 2-8-0.png 6-16-1.png; mv 2-8-0.png "$(printf 'x\\377.png')"; $Q attach add n x*.png
            $Q config set a.b 1.50 --type number; $Q config set s hush --type secret; $Q config set f yes --type flag
            $Q config set l x y --type list; $Q config put p 0-1-0.png
            mkdir -p t/e; echo 1 > t/f; ln -s f t/l; chmod +x t/f; $Q put t
            """)
        return sandbox
    }

    @Test func everythingComesBack() throws {
        let sandbox = try full()
        let outcome = try sandbox.shell(
            """
            set -e; $Q export -f v.qvault -o dump; $Q create w.qvault; $Q import -f w.qvault dump
            $Q export -f v.qvault -o - --json > a; $Q export -f w.qvault -o - --json > b; cmp a b; wc -l < a
            $Q ls -f v.qvault --json | sed 's/"revision.*"modified/"modified/' > la
            $Q ls -f w.qvault --json | sed 's/"revision.*"modified/"modified/' > lb; cmp la lb
            $Q attach list -f w.qvault --json | grep -c '"thumbnail":true'; $Q verify w.qvault >/dev/null
            cp w.qvault before; $Q import -f w.qvault dump; cmp before w.qvault
            $Q create x.qvault; $Q import -f x.qvault - < a; $Q export -f x.qvault -o - > c; cmp a c
            stat -c %a dump dump/records.jsonl dump/attachments/* dump/files/t/e | sort -u | tr '\\n' ' '
            """)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.text == "12\n3\n600 700 ", "\(outcome)")
        #expect(outcome.errors.contains("added 13, changed 0, unchanged 0, skipped 0"), "\(outcome.errors)")
        #expect(outcome.errors.contains("added 0, changed 0, unchanged 11, skipped 0"), "\(outcome.errors)")
    }

    /// The page of an export: every value, links that lead to files, no script, nothing that a title could break.
    @Test func aPageForAnyBrowser() throws {
        let outcome = try Sandbox().shell(
            """
            set -e; export QVAULT_FILE=v.qvault; $Q create v.qvault; mkdir t; echo x > 't/a b#?%.txt'
            $Q card add login --title '<b onclick=x>"&' username='</td><script>' url=https://example.org password=geheim-123
            printf %%PDF-1.7 > '合同 <1>.pdf'; printf %%PDF-1.7 > b.pdf; $Q attach add '<b onclick=x>"&' '合同 <1>.pdf' b.pdf; $Q put t
            $Q export -o dump; stat -c %a dump/index.html; grep -cE '<script|onclick=x>|<b ' dump/index.html || true
            grep -o 'geheim-123' dump/index.html | head -1; grep -c 'https://example.org' dump/index.html
            cat > links.py <<'END'
            import re, sys, urllib.parse, pathlib
            page = pathlib.Path("dump/index.html").read_text()
            for link in re.findall(r'href="([^"]*)"', page):
                path = pathlib.Path("dump") / urllib.parse.unquote(link)
                print(path.is_file(), path.suffix)
            END
            /usr/bin/python3 links.py | sort; mv dump all; $Q export -o dump --find b.pdf; /usr/bin/python3 links.py; rm -r dump; mv all dump
            $Q create w.qvault; $Q import -q -f w.qvault dump; $Q attach list -f w.qvault | wc -l
            """)
        #expect(outcome.text == "600\n0\ngeheim-123\n1\nTrue .pdf\nTrue .pdf\nTrue .txt\nTrue .pdf\n2\n", "\(outcome)")
    }

    /// An unlocked session is not enough to take everything away.
    @Test func asksForThePasswordAgain() throws {
        let sandbox = try full()
        try sandbox.write("secret", Sandbox.password)
        let unlocked = try sandbox.shell(
            "keyctl new_session >/dev/null 2>&1; $Q unlock -f v.qvault && $Q status -f v.qvault --json")
        guard unlocked.code == 0 else { return }
        let outcome = try sandbox.shell(
            "unset QVAULT_PASSWORD_COMMAND; $Q export -f v.qvault -o dump; echo $?; $Q lock -f v.qvault")
        #expect(outcome.text.hasPrefix("14\n"), "\(outcome)")
    }

    /// Cards as a table, and back; formulas stay what they are.
    @Test func csv() throws {
        let sandbox = try full()
        let outcome = try sandbox.shell(
            """
            set -e; export QVAULT_FILE=v.qvault; $Q export -o cards.csv --format csv; stat -c %a cards.csv; head -1 cards.csv
            $Q create w.qvault; $Q import -f w.qvault cards.csv; $Q export -f w.qvault -o - --format csv | sort > b
            sort cards.csv | cmp - b; $Q import -f w.qvault cards.csv; $Q copy -f w.qvault l --stdout --field password
            """)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.text.hasPrefix("600\nkind,title,group,tags,pinned,name,"))
        #expect(outcome.text.hasSuffix("\n=1+1\n"))
        #expect(outcome.errors.contains("unchanged 3"), "\(outcome)")
    }

    @Test(
        arguments: [
            ("$Q export", 2, "where to?"), ("mkdir d; $Q export -o d", 12, "exists"),
            (
                "$Q export -o d --format xml", 2,
                "keepass, bitwarden, csv, hledger, beancount, ghostfolio or portfolio-performance"
            ),
            ("echo > c; $Q export -o c --format csv", 12, "exists"),
            ("$Q export -o none/d", 10, "No such file"), ("$Q import none", 10, "No such file"),
            ("truncate -s 49M x; $Q import x", 11, "longer than 48.0 MiB"),
            (": > x; $Q import x", 11, "nothing is in it"), ("echo '<a>' > x; $Q import x", 11, "no XML"),
            ("echo '{' > x; $Q import x", 11, "no JSON"),
            ("printf 'a,\"b' > x; $Q import x", 11, "a quote that does not end"),
            ("echo a,b > x; $Q import x", 11, "--kind KIND"), ("echo a > x; $Q import x --format toml", 2, "json, csv"),
            ("echo '{\"items\":[]}' > x; $Q import x --kind note", 2, "goes with CSV"),
            ("(printf '{\"a\":\"'; head -c 50000000 /dev/zero | tr '\\0' x) > x; $Q import x", 11, "no JSON"),
            (
                "(printf '{\"format\":\"quickvault-export\",\"version\":1}\\n'; head -c 50000000 /dev/zero | tr '\\0' x) > x; $Q import x",
                1, "line 2: left out: no JSON"
            ),
        ] as [(String, Int32, String)])
    func isRefused(_ script: String, _ code: Int32, _ says: String) throws {
        let sandbox = try fixture()
        let before = try sandbox.read("v.qvault")
        let outcome = try sandbox.shell("export QVAULT_FILE=v.qvault; \(script)")
        #expect(outcome.code == code && outcome.errors.contains(says), "\(script): \(outcome)")
        #expect(try sandbox.read("v.qvault") == before)
    }

    /// A line with a missing or an extra field costs that line alone; times that cannot be kept are reported.
    @Test func oneBadLineCostsOneRecord() throws {
        let sandbox = try fixture()
        let tags = (0..<100_000).map { "\"t\($0)\"" }.joined(separator: ",")
        let ids = (1...3).map { String(repeating: "\($0)", count: 32) }
        try sandbox.write(
            "x.jsonl",
            """
            {"format":"quickvault-export","version":1}
            {"kind":"note","title":"many tags","fields":{"text":"x"},"tags":[\(tags)]}

            {"kind":"note","id":"\(ids[0])","title":"owner","fields":{"text":"x"},"created":"9999-12-31T23:59:59Z"}
            {"kind":"attachment","id":"\(ids[1])","owner":"\(ids[0])","title":"a.png","file":"attachments/none"}
            {"kind":"kind-7000","id":"\(ids[2])","owner":"\(ids[2])","title":"own","content":"AA=="}
            """)
        let outcome = try sandbox.shell(
            "$Q import -f v.qvault x.jsonl; echo $?; $Q card show owner -f v.qvault | head -1")
        #expect(outcome.text.hasPrefix("1\nowner"), "\(outcome)")
        for words in [
            "line 2: left out: title, group and tags", "line 4: left out: created", "line 5: left out: its content",
            "line 6: left out: the record",
        ] {
            #expect(outcome.errors.contains(words), "\(words): \(outcome.errors)")
        }
        #expect(try sandbox.qvault("verify", "v.qvault").code == 0)
    }

    @Test func goodRowsAreTakenAndTheRestListed() throws {
        let sandbox = try fixture()
        try sandbox.write("x.csv", "title,name,phone\na,A,13800138000\nb,B,12\nc,C,\n")
        let trial = try sandbox.shell(
            "$Q import -f v.qvault x.csv --kind contact --dry-run; echo $?; $Q card list -f v.qvault")
        #expect(trial.text == "1\n" && trial.errors.contains("would add 2"), "\(trial)")
        let outcome = try sandbox.shell(
            "$Q import -f v.qvault x.csv --kind contact --group g --tag t; echo $?; $Q card list -f v.qvault | cut -c14- | tr -s ' ' | sort"
        )
        #expect(outcome.text == "1\ncontact a [g] #t\ncontact c [g] #t\n", "\(outcome)")
        #expect(outcome.errors.contains("x.csv: line 3: left out: phone: is no phone number"), "\(outcome)")
    }

    // MARK: Other programs

    /// KeePassXC makes a database; it comes in, goes out, and KeePassXC opens what came out.
    @Test func keePassBothWays() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            set -e; exec 2>>said; export QVAULT_FILE=v.qvault
            x() { printf 'pw\n%s' "$IN" | keepassxc-cli "$@" >/dev/null; }
            printf 'pw\npw\n' | keepassxc-cli db-create -q -p a.kdbx >/dev/null; echo pw > kpw
            x mkdir -q a.kdbx Web; IN='s€cret\n'; IN=$(printf "$IN"); x add -q -p -u li --url https://x.org a.kdbx Web/Site
            IN=; head -c 3000 /dev/urandom > blob; x attachment-import -q a.kdbx Web/Site blob blob
            x edit -q -u lu a.kdbx Web/Site; x add -q -u gone a.kdbx Gone; x rm -q a.kdbx Gone
            $Q import a.kdbx --source-password-file kpw --report r.json
            $Q card show Site --field username; $Q card show Site --field password
            $Q cat Site/blob | cmp - blob; $Q ls --trash | grep -c Gone
            grep -c '"added":2,"changed":0,"unchanged":0,"trash":1,"skipped":[[][]]' r.json
            grep -c "$(sha256sum < blob | cut -c1-64)" r.json; grep -c cret r.json || true
            $Q import a.kdbx --source-password-file kpw
            $Q export --format keepass -o back.xml
            printf 'new\nnew\n' | keepassxc-cli import -q -p back.xml back.kdbx >/dev/null
            printf 'new\n' | keepassxc-cli show -q -s -a Password -a UserName back.kdbx Web/Site
            printf 'new\n' | keepassxc-cli attachment-export -q back.kdbx Web/Site blob back.blob; cmp blob back.blob
            echo new > npw; $Q import back.kdbx --source-password-file npw
            """)
        let said = String(decoding: try sandbox.read("said"), as: UTF8.self)
        #expect(outcome.code == 0, "\(outcome.text) \(said)")
        #expect(outcome.text == "lu\ns€cret\n1\n1\n1\n0\ns€cret\nlu\n", "\(outcome.text) \(said)")
        #expect(said.contains("added 2, changed 0, unchanged 0") && said.contains("added 0, changed 0, unchanged 2"))
    }

    /// A store of pass, decrypted by gpg.
    @Test func passwordStore() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            set -e; export QVAULT_FILE=v.qvault GNUPGHOME=$PWD/gpg; mkdir -m 700 gpg; mkdir -p store/web
            gpg -q --batch --passphrase '' --quick-generate-key a@b.cn default default never
            echo a@b.cn > store/.gpg-id
            printf 'pw\nlogin: li\n' | gpg -q -e -r a@b.cn > store/web/shop.gpg; echo x > store/web/bad.gpg
            $Q import store || echo $?; $Q card show shop --field username; $Q card show shop --field password
            gpgconf --kill gpg-agent
            """)
        #expect(outcome.text == "1\nli\npw\n" && outcome.errors.contains("web/bad: left out"), "\(outcome)")
    }

    /// A card that came from one format is known when it comes from another.
    @Test func oneLoginFromTwoFormats() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            #"""
            set -e; export QVAULT_FILE=v.qvault
            printf 'name,url,username,password\nshop,https://s.cn,li,pw\nother,https://o.cn,li,pw\n' > chrome.csv
            login='{"username":"li","password":"pw","uris":[{"uri":"https://s.cn"}]}'
            echo '{"encrypted":false,"items":[{"type":1,"name":"shop","notes":"n","login":'$login'}]}' > b.json
            $Q import chrome.csv; $Q import b.json; $Q import chrome.csv; $Q import b.json; $Q card list | wc -l
            $Q card show shop --field notes
            $Q export --format bitwarden -o back.json; $Q import back.json -n
            """#)
        #expect(outcome.text == "2\nn\n", "\(outcome)")
        let counts = outcome.errors.split(separator: "\n").filter { $0.contains("unchanged") }
        #expect(
            counts.map { $0.dropFirst(8) } == [
                "added 2, changed 0, unchanged 0, skipped 0", "added 0, changed 1, unchanged 0, skipped 0",
                "added 0, changed 0, unchanged 2, skipped 0", "added 0, changed 0, unchanged 1, skipped 0",
                "would add 0, change 0, leave unchanged 2, skip 0",
            ], "\(outcome.errors)")
    }
}
