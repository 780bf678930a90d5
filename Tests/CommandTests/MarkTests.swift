import Foundation
import Testing

/// Marks of attachments and marked copies, as people use them.
struct MarkTests {
    /// A card with an attachment, `front.jpg`.
    static func fixture() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.write("front.jpg", Sandbox.jpeg())
        let script =
            "$Q create v.qvault && $Q card add -f v.qvault text --title 身份 text=x && $Q attach add -f v.qvault 身份 front.jpg"
        #expect(try sandbox.shell(script).code == 0)
        return sandbox
    }

    private let vault = ["QVAULT_FILE": "v.qvault"]
    private let whom = "--template bank --recipient 招商银行 --purpose 开户"

    @Test func aCopyIsSharedAndTheOriginalStays() throws {
        let sandbox = try Self.fixture()
        let script = """
            set -e; $Q share front.jpg \(whom) -o out.jpg; $Q shares | grep -c 招商银行; $Q shares front.jpg --json
            $Q watermark remove front.jpg; $Q get front.jpg -o back.jpg; cmp front.jpg back.jpg; $Q verify v.qvault
            djpeg out.jpg > /dev/null; sha256sum out.jpg; stat -c %s out.jpg; cmp -s front.jpg out.jpg || echo differs
            """
        let outcome = try sandbox.shell(script, environment: vault)
        #expect(outcome.code == 0, "\(outcome)")
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 6 && lines[0] == "1" && lines[5] == "differs", "\(lines)")
        let hash = String(lines[3].prefix(64))
        #expect(lines[1].contains("\"sha256\":\"\(hash)\"") && lines[1].contains("\"bytes\":\(lines[4]),"))
        #expect(lines[1].contains("仅供招商银行开户使用") && lines[1].contains("\"quality\":null"))
    }

    @Test func aMarkIsSetChangedAndTakenAway() throws {
        let sandbox = try Self.fixture()
        let script = """
            set -e; $Q attach show front.jpg --graphics blocks > plain
            $Q watermark set front.jpg \(whom) --json; $Q watermark edit front.jpg --opacity 0.9 --ink white; $Q watermark show front.jpg
            $Q attach show front.jpg --graphics blocks > marked; cmp -s plain marked || echo marked
            $Q watermark show front.jpg --preview | cmp - marked
            $Q attach show front.jpg --viewer 'cp --no-preserve=all -T' /dev/null 2>/dev/null || true
            $Q get front.jpg -o a; $Q cat front.jpg | cmp - a; cmp a front.jpg; $Q export -o dump; cmp dump/attachments/* a
            $Q share front.jpg --recipient 房东 -o - | djpeg > /dev/null; $Q shares | wc -l
            $Q watermark remove front.jpg; $Q attach show front.jpg --graphics blocks | cmp - plain; $Q ls | wc -l
            """
        let outcome = try sandbox.shell(script, environment: vault)
        #expect(outcome.code == 0, "\(outcome)")
        let text = outcome.text
        #expect(
            text.contains("\"opacity\":null") && text.contains("\nopacity    0.9\n")
                && text.contains("ink        white")
        )
        #expect(text.contains("text       仅供{recipient}{purpose}使用，他用无效\n           {date}\n"), "\(text)")
        #expect(text.hasSuffix("marked\n1\n2\n"), "\(text)")
    }

    @Test func markedFromTheBeginning() throws {
        let sandbox = try Self.fixture()
        try sandbox.write("a.pdf", "%PDF-1.7 and nothing")
        let script = """
            cp front.jpg b.jpg; $Q attach add 身份 b.jpg --watermark '仅供{recipient}使用' && $Q watermark show b.jpg | head -1
            $Q share b.jpg; $Q share b.jpg --recipient 甲 && $Q shares b.jpg | wc -l; ls 身份-b-甲-*.jpg | wc -l
            $Q attach add 身份 a.pdf --watermark x; echo $?; $Q attach list | wc -l
            """
        let outcome = try sandbox.shell(script, environment: vault)
        #expect(outcome.text == "text       仅供{recipient}使用\n1\n1\n11\n2\n", "\(outcome)")
        #expect(outcome.errors.contains("'recipient' has no value") && outcome.errors.contains("a.pdf: is damaged"))
    }

    /// A card means all its pictures; copies are named for whom they are, in a folder that is made.
    @Test func aCardIsShared() throws {
        let sandbox = try Self.fixture()
        let script = """
            cp front.jpg back.jpg; $Q attach add 身份 back.jpg; $Q share 身份 --recipient '甲/乙' --purpose 丙 --note 柜台 -o out/; ls out | wc -l
            $Q share 身份 --recipient 丁 --purpose 戊 -o x.jpg; echo $?; ls out | head -1 | grep -c '^身份-back-甲_乙-20..-..-..[.]jpg$'
            $Q share 身份 --recipient 丁 --purpose 戊 -o -; echo $?; $Q shares revoke "$($Q shares --json | jq -r .id | head -1)"
            $Q shares | grep -c 'asked back 20'; $Q shares revoke 00; echo $?; $Q shares revoke ffffffff; echo $?
            $Q shares --format csv | head -1; $Q shares --format csv | grep -c 柜台; $Q shares --format pdf; echo $?; $Q verify -q v.qvault > /dev/null && echo sound
            """
        let outcome = try sandbox.shell(script, environment: vault)
        #expect(
            outcome.text == """
                2
                11
                1
                2
                1
                10
                10
                id,time,name,recipient,purpose,until,revoked,note,text,width,height,bytes,sha256,hidden
                2
                2
                sound

                """, "\(outcome)")
    }

    /// A template says what for, in the language of what it is filled with; the last day stands in the mark.
    @Test func templatesSayWhatFor() throws {
        let sandbox = try Self.fixture()
        let script = """
            $Q share front.jpg --recipient 领馆 --template 签证 --until 2099-12-31 -o a.jpg
            $Q share front.jpg --recipient Bob --template rental --until 10d -o b.jpg; $Q share front.jpg --recipient 丁 --template job --purpose 面试 -o c.jpg
            $Q shares --json | jq -r '[.recipient, .purpose, .until != null, .text] | @csv' | sed 's/20[0-9][0-9]-[0-9-]*/DAY/g'
            $Q share front.jpg --recipient 丁 --template none -o d.jpg; echo $?; $Q share front.jpg --recipient 丁 --text '{recipient} {until}' -o d.jpg; echo $?
            $Q watermark file front.jpg --recipient 戊 --template school --until yesterday -o d.jpg; echo $?
            $Q watermark file front.jpg --recipient 戊 --template school --until 2000-01-01 -o d.jpg; echo $?; ls d.jpg
            $Q watermark file front.jpg --recipient 戊 --text '仅供{recipient}至{until}' --until 5d -o d.jpg; echo $?
            """
        let outcome = try sandbox.shell(script, environment: vault)
        #expect(
            outcome.text == """
                "丁","面试",false,"仅供丁面试使用，他用无效
                DAY"
                "Bob","rental",true,"for Bob rental only, void for any other use
                DAY to DAY"
                "领馆","签证",true,"仅供领馆签证使用，他用无效
                DAY 至 DAY"
                2
                11
                2
                2
                0

                """, "\(outcome)")
    }

    /// A person who purges a card is told that its copies cannot be traced any more; the records of them stay.
    @Test func purgingTellsOfShares() throws {
        let sandbox = try Self.fixture()
        let script = """
            set -e; $Q share front.jpg --recipient 甲 --purpose 乙; $Q share front.jpg --recipient 丙 --purpose 丁 -o c.jpg
            $Q card rm 身份; $Q shares | wc -l; $Q undelete 身份; $Q shares | wc -l; $Q card rm --purge 身份; $Q shares | wc -l
            """
        let outcome = try sandbox.shell(script, environment: vault)
        #expect(outcome.code == 0 && outcome.text == "2\n2\n2\n", "\(outcome)")
        #expect(outcome.errors.contains("no picture can be traced to any more: 2"), "\(outcome.errors)")
    }

    @Test func copiesThatMustBeSmaller() throws {
        let sandbox = try Self.fixture()
        let script = """
            $Q share front.jpg \(whom) --max-bytes 25KB -o s.jpg && test $(stat -c %s s.jpg) -le 25000 && echo fits
            $Q share front.jpg \(whom) --width 300 -o w.jpg --json | grep -o '"width":300,"height":200'
            $Q share front.jpg \(whom) --max-bytes 500 -o t.jpg; echo $?; ls t.jpg; $Q shares | wc -l
            $Q share front.jpg \(whom) --preview | head -c 2 | od -An -tx1; $Q shares | wc -l
            """
        let outcome = try sandbox.shell(script, environment: vault)
        #expect(outcome.text == "fits\n\"width\":300,\"height\":200\n11\n2\n 1b 5b\n2\n", "\(outcome)")
        #expect(outcome.errors.contains("cannot be made as short as that"))
    }

    /// `--for` says where a copy goes: a chat makes wide pictures smaller, a page of a document stays as it is.
    @Test func copiesForAPlace() throws {
        let sandbox = try Self.fixture()
        let script = """
            /usr/bin/python3 -c "from PIL import Image; Image.effect_noise((1800, 1200), 90).save('big.jpg', quality=97)"
            ls -l big.jpg | awk '{ print ($5 > 1000000) }'; $Q attach add 身份 big.jpg; whom='--recipient 甲 --purpose 乙'
            for place in wechat 微信; do
                $Q share big.jpg $whom --for $place -o w.jpg --force --json | grep -o '"width":1080'; test $(stat -c %s w.jpg) -le 1000000; echo $?
            done
            $Q share big.jpg $whom --for wechat --width 900 -o n.jpg --json | grep -o '"width":900'
            $Q share big.jpg $whom --for email -o e.jpg --json | grep -o '"width":1800'
            $Q share big.jpg $whom --for 300KB -o s.jpg; test $(stat -c %s s.jpg) -le 300000; echo $?
            $Q share big.jpg $whom --for wechat -o p.pdf; test $(stat -c %s p.pdf) -le 1000000; echo $?
            $Q share 身份/front.jpg $whom --layout a4 --for wechat -o a.pdf; pdfimages -list a.pdf | awk 'NR == 3 { print $4 }'
            $Q share big.jpg $whom --for pigeon; echo $?
            """
        let outcome = try sandbox.shell(script, environment: vault)
        let wide = "\"width\":1080\n0\n"
        #expect(
            outcome.text == "1\n\(wide)\(wide)\"width\":900\n\"width\":1800\n0\n0\n2480\n2\n", "\(outcome)")
        #expect(outcome.errors.contains("--for takes wechat, email, or a size"))
    }

    static let refusals: [BadInputTests.Case] = [
        .init(
            "an unknown variable", "$Q watermark set front.jpg --text 'for {recipent}'", 11, "'recipent' has no value",
            "variables are"),
        .init(
            "a text that is no UTF-8", "$Q attach add 身份 front.jpg --watermark \"$(printf 'a\\377')\"", 11,
            "--watermark: is not UTF-8"),
        .init(
            "a recipient that is none", "$Q share front.jpg --recipient \"$(printf 'a\\377')\"", 11,
            "--recipient: is not"),
        .init("a share of nothing", "$Q share none.jpg", 10, "no record 'none.jpg'"),
        .init("a copy over a file", "$Q share front.jpg --text a -o front.jpg", 12, "would be overwritten", "--force"),
        .init("a mark that is not there", "$Q watermark edit front.jpg --angle 3", 10, "has no mark", "watermark set"),
        .init("a size that is none", "$Q share front.jpg --text a --max-bytes many", 2, "--max-bytes takes a size"),
        .init("a folder that is not there", "$Q share front.jpg --text a -o no/such.jpg", 10, "no: cannot open"),
        .init(
            "a file system without writing", "$Q share front.jpg --text a -o /sys/such.jpg", 13, "/sys: cannot create"),
        .init(
            "a name of another kind", "$Q share front.jpg --text a -o out.png", 11, "out.png: the copy is a JPEG",
            "ends with .jpg"),
        .init("a kind that is not written", "$Q share front.jpg --text a -o out.tiff", 11, "the copy is a JPEG"),
        .init("a preview and a file", "$Q share front.jpg --text a --preview -o x.jpg", 2, "or goes to -o -"),
        .init("an angle out of range", "$Q watermark set front.jpg --text a --angle 91", 2, "from -90 to 90"),
        .init("an empty text", "$Q watermark set front.jpg --text ' '", 11, "the text is empty"),
        .init(
            "a text too long", "$Q watermark set front.jpg --text \"$(head -c 10000 /dev/zero | tr '\\0' a)\"", 11,
            "10000 characters, and 200 fit"),
        .init(
            "a mark too large", "$Q share front.jpg --size 1000 --text $(head -c 150 /dev/zero | tr '\\0' w)", 11,
            "more than 30,000 pixels", "--size"),
        .init(
            "a control character", "$Q watermark set front.jpg --text \"$(printf 'a\\033b')\"", 11,
            "U+001B cannot be drawn"),
        .init("no font for a rare name", "$Q share front.jpg --text 𠮷", 11, "no font has U+20BB7", "fonts-hanazono"),
        .init("an emoji", "$Q share front.jpg --text 🧿", 11, "no font has U+1F9FF"),
        .init(
            "a script that no font has", "$Q share front.jpg --text ไทย", 11, "no font has U+0E44", "fonts-noto-core"),
        .init(
            "no font at all",
            "echo '<fontconfig/>' > $XDG_STATE_HOME/none; FONTCONFIG_FILE=$XDG_STATE_HOME/none $Q share front.jpg --text a",
            11, "no font is installed",
            "hint:"),
    ]

    /// Nothing is saved and nothing is written.
    @Test(arguments: refusals) func isRefused(_ test: BadInputTests.Case) throws {
        let sandbox = try Self.fixture()
        let (before, vaultBefore) = try (sandbox.listing(), sandbox.read("v.qvault"))
        let outcome = try sandbox.shell(test.script, environment: vault)
        #expect(outcome.code == test.code, "\(outcome)")
        for word in test.says { #expect(outcome.errors.contains(word), "\(outcome.errors)") }
        #expect(try sandbox.listing() == before && sandbox.read("v.qvault") == vaultBefore)
    }

    /// A copy is noted before it is handed out, also through a pipe; it goes where it was told, and over no vault.
    @Test func copiesGoWhereTheyShould() throws {
        let sandbox = try Self.fixture()
        let line = #"{"kind":"attachment","title":"../out.png","owner":"OWNER","content":"iVBORw0KGgo="}"#
        let script = """
            $Q share front.jpg --text a -o - | head -c 9 > /dev/null; $Q shares | wc -l
            (ulimit -f 20; trap '' XFSZ; $Q share front.jpg --text a -o - | wc -c)
            $Q share front.jpg --text a --force -o v.qvault; echo $?; $Q get front.jpg --force -o v.qvault; echo $?
            mkfifo fifo; $Q share front.jpg --text a --force -o fifo; echo $?; $Q share front.jpg --text a -o no/ne/; echo $?
            mkdir d e; cp front.jpg e; $Q watermark file front.jpg e/front.jpg --text a -o d --force; echo $?
            /usr/bin/python3 $REPOSITORY/Tests/Scripts/pictures.py . 300 200; $Q attach add 身份 plain.png
            $Q share plain.png --text a --width 200 -o d; ls d; $Q share front.jpg --text a --recipient 甲 -o w.jpg
            owner=$($Q attach list --json | head -1 | grep -o '"card":"[^"]*' | cut -c9-)
            { echo '{"format":"quickvault-export","version":1}'; echo '\(line)' | sed "s/OWNER/$owner/"; } | $Q import -; echo $?
            """
        let outcome = try sandbox.shell(script, environment: vault)
        #expect(outcome.text == "1\n0\n12\n12\n12\n10\n0\nfront-2.jpg\nfront.jpg\n身份-plain.jpg\n1\n", "\(outcome)")
        #expect(
            outcome.errors.contains("is a vault, and is not replaced") && outcome.errors.contains("no name for a file"))
        #expect(outcome.errors.contains("does not name the recipient"), "\(outcome.errors)")
    }

    /// A slow reader of a copy keeps nobody from saving; a vault whose first page is lost is recognised as a vault.
    @Test func othersMaySaveMeanwhile() throws {
        let sandbox = try Self.fixture()
        let script = """
            { printf 'P6 600 400 255 '; head -c 720000 /dev/urandom; } | cjpeg > big.jpg; $Q attach add 身份 big.jpg
            test $(stat -c %s big.jpg) -gt 100000 && mkfifo slow; $Q share big.jpg --text a -o - > slow & exec 3< slow; head -c 9 <&3 > /dev/null
            $Q card add note --title meanwhile --wait 5; echo $?; exec 3<&-; wait
            cp v.qvault w.qvault; dd if=/dev/zero of=w.qvault bs=4096 count=1 conv=notrunc 2> /dev/null
            $Q get front.jpg --force -o w.qvault; echo $?
            ln -s nothing link.jpg; $Q share front.jpg --text a -o link.jpg; echo $?; $Q share front.jpg --text a -o w.qvault --force; echo $?
            $Q shares | wc -l; $Q share front.jpg --text a -o link.jpg --force -q; test -L link.jpg; echo $?; ls -A | grep -c tmp
            """
        let outcome = try sandbox.shell(script, environment: vault)
        #expect(outcome.text == "0\n12\n12\n12\n1\n1\n0\n" && outcome.errors.contains("is a vault"), "\(outcome)")
    }

    /// A record that is no share, or that belongs to nothing, is not imported; a known mark comes back under its own
    /// id.
    @Test func whatIsImportedIsSound() throws {
        let sandbox = try Self.fixture()
        let head = #"{"format":"quickvault-export","version":1}"#
        let seed = "0945f9328d7c07aff0b54ab232a7e712"
        try sandbox.write(
            "bad.jsonl",
            head + "\n" + #"{"kind":"share","title":"a","owner":"\#(seed)","fields":{}}"# + "\n"
                + #"{"kind":"share","title":"a","content":"AAAA"}"# + "\n")
        let outcome = try sandbox.shell(
            "$Q import bad.jsonl; echo $?; $Q share front.jpg --text a && $Q shares | wc -l", environment: vault)
        #expect(outcome.text == "1\n1\n" || outcome.text == "11\n1\n", "\(outcome)")
        #expect(outcome.errors.contains("the record that it belongs to is not there"), "\(outcome.errors)")
    }

    /// Pictures made to break who reads them: refused, with a message, at once.
    @Test func bombs() throws {
        let sandbox = try Sandbox()
        try sandbox.write("front.jpg", Sandbox.jpeg())
        let outcome = try sandbox.shell(
            """
            /usr/bin/python3 $REPOSITORY/Tests/Attacks/bombs.py front.jpg bombs
            for bomb in bombs/*; do
                timeout 20 $Q watermark file $bomb --text a -o out; echo "${bomb#bombs/} $?"
            done
            """)
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 8 && lines.allSatisfy { $0.hasSuffix(" 11") }, "\(outcome)")
        #expect(outcome.errors.split(separator: "\n").count == 8, "\(outcome.errors)")
        #expect(try !sandbox.listing().contains("out"))
    }
}
