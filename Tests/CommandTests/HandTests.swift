import Testing

/// Requests of a person at a desk: a code for a telephone, a page to print, a word that is nearly right.
struct HandTests {
    /// Telephones join a wireless network by its QR code; signs that have a meaning there are escaped.
    @Test(arguments: [
        ("network=家里 password=secret12", "WIFI:T:WPA;S:家里;P:secret12;;"), ("network=open", "WIFI:T:nopass;S:open;;"),
        (#"network='a;b,c:d"\' password='p;' security=WEP"#, #"WIFI:T:WEP;S:a\;b\,c\:d\"\\;P:p\;;;"#),
    ]) func wirelessNetworksAreJoined(_ fields: String, _ text: String) throws {
        let outcome = try Sandbox().shell(
            """
            $Q create v.qvault; $Q card add wifi --title w \(fields) -f v.qvault; $Q card show w --qr-out w.png -f v.qvault
            zbarimg -q --raw w.png; stat -c %a w.png; $Q card show w --qr -f v.qvault | grep -c '█'
            """)
        #expect(outcome.text.hasPrefix("\(text)\n600\n") && outcome.code == 0, "\(outcome)")
    }

    /// A QR code of another card holds the field that is named, and no file is replaced.
    @Test func oneFieldIsDrawn() throws {
        let outcome = try Sandbox().shell(
            """
            exec 2>&1; $Q create v.qvault; $Q card add login --title w username=li password=pw -f v.qvault
            $Q card show w --qr -f v.qvault; echo $?; $Q card show w --field username --qr-out w.png -f v.qvault; zbarimg -q --raw w.png 2> none
            $Q card show w --field username --qr-out w.png -f v.qvault; echo $?; $Q card show w --field username --qr --json -f v.qvault; echo $?
            $Q card show w --field username --qr-out w.gif -f v.qvault; echo $?
            """)
        let lines = outcome.text.split(separator: "\n").filter { !$0.hasPrefix("qvault: hint") }
        #expect(lines.count == 9 && lines[0].contains("a QR code holds one field"), "\(outcome)")
        #expect(lines[1] == "2" && lines[2] == "li" && lines[4] == "12" && lines[6] == "2", "\(outcome)")
    }

    /// The label of a one-time code means the code, its key the secret; 'copy' and 'card show' agree, and codes that count are not
    /// used up by either.
    @Test func codesAreCopied() throws {
        let outcome = try Sandbox().shell(
            """
            $Q create v.qvault; $Q card add login --title w username=li totp=JBSWY3DPEHPK3PXP -f v.qvault
            $Q card add login --title c totp='otpauth://hotp/x?secret=JBSWY3DPEHPK3PXP&counter=1' -f v.qvault
            for verb in 'copy --stdout' 'card show'; do
                for field in 动态口令 'one-time password' totp; do $Q $verb w --field "$field" -f v.qvault | sed 's/^[0-9]\\{6\\}$/code/'; done
                $Q $verb c --field 动态口令 -f v.qvault; echo $?
            done
            """)
        let lines = outcome.text.split(separator: "\n").map(String.init)
        let each = ["code", "code", "JBSWY3DPEHPK3PXP", "11"]
        #expect(lines == each + each && outcome.errors.contains("'qvault otp' gives the next"), "\(outcome)")
    }

    /// The page of a recovery key opens the vault, loads nothing, and is for its owner alone.
    @Test(arguments: ["en", "zh"]) func recoveryPageIsPrinted(_ language: String) throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            umask 22; $Q create v.qvault; mkdir copies; $Q push copies/ -f v.qvault --create -q
            $Q key recovery -o page.html -f v.qvault --lang \(language); stat -c %a page.html
            sed -n 's/<[^>]*>//g; /^[1-4] /p' page.html > key; wc -l < key; $Q ls -f v.qvault --recovery-key-file key; echo $?
            grep -c "default-src 'none'" page.html; grep -o 'https\\?:[^"]*\\|src=\\|url(' page.html; grep -c copies/v.qvault page.html
            """)
        let page = try String(decoding: sandbox.read("page.html"), as: UTF8.self)
        #expect(outcome.text == "600\n4\n0\n1\nhttp://www.w3.org/2000/svg\n1\n", "\(outcome) \(page)")
        #expect(page.contains(language == "zh" ? "先做什么" : "What to do first") && page.contains("lang=\"\(language)\""))
    }

    /// As a PDF it is one page of A4, whose code is the key.
    @Test(arguments: ["en", "zh"]) func recoveryPageIsAPDF(_ language: String) throws {
        let outcome = try Sandbox().shell(
            """
            umask 22; $Q create v.qvault; $Q key recovery -o page.pdf -f v.qvault --lang \(language); stat -c %a page.pdf
            pdfinfo page.pdf | grep -o 'Pages: *1$\\|(A4)' | tr -d ' '; pdftoppm -r 200 -gray page.pdf page
            zbarimg --raw -q page-1.pgm > key; $Q ls -f v.qvault --recovery-key-file key; echo $?
            $Q key recovery -o page.pdf -f v.qvault; echo $?
            """)
        #expect(outcome.text == "600\nPages:1\n(A4)\n0\n12\n", "\(outcome)")
    }

    /// What a sheet cannot hold is refused, and the vault has no slot for the key.
    @Test func recoveryPageThatIsTooLong() throws {
        let outcome = try Sandbox().shell(
            """
            long=$(printf '%0240d' 7); d=$PWD; for n in 1 2 3 4 5 6 7 8; do mkdir $long; cd $long; done
            $Q create v.qvault; $Q key recovery -o $d/page.pdf -f "$PWD/v.qvault"; echo $?; ls $d/page.pdf; $Q key list -f v.qvault | grep -c recovery
            """)
        #expect(outcome.text == "11\n0\n" && outcome.errors.contains("takes more than a page"), "\(outcome)")
    }

    /// A word that is nearly right gets the one that was meant.
    @Test(arguments: [
        ("share x --to y", "did you mean --recipient?"), ("help picture", "did you mean 'help pictures'?"),
        ("redo", "did you mean undo?"), ("card show x --reval", "did you mean --reveal?"),
        ("copy x --xy z", "'qvault copy --help' lists the options"), ("help copi", "did you mean copy?"),
    ]) func wordsAreGuessed(_ words: String, _ hint: String) throws {
        let outcome = try Sandbox().shell("$Q \(words)")
        #expect(outcome.code == 2 && outcome.errors.contains(hint), "\(outcome)")
    }

    /// An address that is pasted into a form is split, and each part can be changed; a terminal that cannot edit shows it too.
    @Test(arguments: ["TERM=xterm", "TERM=dumb"]) func pastedAddressesAreSplit(_ terminal: String) throws {
        let outcome = try Sandbox().shell(
            """
            $Q create v.qvault; \(terminal) /usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py $Q card add address -f v.qvault \
                --title a --group g --tag t -- 'name *' '收货人：张三 13800138000 浙江省杭州市西湖区文三路1号' 'phone *' '' 'province *' '' \
                'city *' '' 'district *' '' 'address *' '' 'postal code' '' 'ends it' '' > said; echo $?
            $Q card show a -f v.qvault --json | grep -o '"fields":.*"address":"[^"]*"'
            """)
        #expect(
            outcome.text == """
                0
                "fields":{"name":"张三","phone":"13800138000","province":"浙江省","city":"杭州市","district":"西湖区","address":"文三路1号"

                """, "\(outcome)")
    }

    /// Without a kind a list of them is shown; a number or a name chooses.
    @Test func kindsAreChosen() throws {
        let outcome = try Sandbox().shell(
            """
            $Q create v.qvault; /usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py $Q card add -f v.qvault --title t --group g --tag t -- \
                'which kind' 99 'which kind' none 'which kind' wenben 'text *' hello '  ' '' > said; echo $?; $Q copy t --stdout -f v.qvault
            $Q card add -f v.qvault </dev/null; echo $?
            """)
        #expect(outcome.text == "0\nhello\n2\n", "\(outcome)")
    }

    /// The words in capitals of help are Chinese there.
    @Test func placeholdersAreChinese() throws {
        let outcome = try Sandbox().shell("$Q card add --help --lang zh; $Q card add --help --lang en")
        #expect(outcome.text.contains("qvault card add [种类 [键=值…]]") && outcome.text.contains("--title 文字"))
        #expect(outcome.text.contains("qvault card add [KIND [KEY=VALUE…]]") && outcome.text.contains("--title TEXT"))
    }
}
