import Foundation
import Testing

/// Copies for several recipients, pages of several pictures, and questions about what is missing.
struct SharingTests {
    private let vault = ["QVAULT_FILE": "v.qvault"]

    /// Each recipient gets copies of his own in one save; their names say whose card they show.
    /// `shares` finds copies by whom they were given to as well, and shows until when; the trace says how sure it is in words.
    @Test func copiesByRecipient() throws {
        let outcome = try Sandbox().shell(
            """
            export QVAULT_FILE=v.qvault; /usr/bin/python3 $REPOSITORY/Tests/Scripts/id-card.py a.jpg 900; $Q create v.qvault
            $Q card add -q note --title n text=x; $Q attach add -q n a.jpg
            $Q share -q a.jpg --recipient 甲 --purpose 租房 --until 2099-12-31 -o 1.jpg; $Q share -q a.jpg --recipient 乙 --purpose 租房 -o 2.jpg
            $Q shares 甲 | cut -c 29-; $Q shares n | wc -l; $Q shares 丙 2>&1; echo $?
            $Q trace 1.jpg | sed 's/  [0-9a-f][0-9a-f]*  20.*甲/ 甲/'; djpeg 2.jpg | cjpeg -quality 70 > l.jpg; $Q trace l.jpg | grep -c '乙  租房  score [0-9.]*$'
            cp a.jpg b.jpg; $Q card add -q note --title .n text=x; $Q attach add -q .n b.jpg; mkdir out; $Q share -q b.jpg --recipient .. --purpose 租房 -o out/
            ls -A out | sed 's/20..-..-../DAY/'
            """)
        #expect(
            outcome.text == """
                n/a.jpg  甲  租房  until 2099-12-31
                2
                qvault: '丙' is neither an attachment nor a card, and got no copy
                qvault: hint: 'qvault shares' lists all copies
                10
                the very file 甲  租房  the same SHA-256
                1
                n-DAY.jpg

                """, "\(outcome)")
    }

    @Test func severalRecipients() throws {
        let sandbox = try MarkTests.fixture()
        let script = """
            cp front.jpg IMG_1.jpg; cp front.jpg IMG_2.jpg; $Q card add idcard --title 张三 name=张三 number=11010519491231002X; $Q attach add 张三 IMG_1.jpg IMG_2.jpg --as 正面 --as 反面
            $Q attach add 张三 IMG_1.jpg --as a --as b; echo $?; $Q attach add 张三 IMG_1.jpg IMG_2.jpg --as a; echo $?; $Q attach add 张三 IMG_1.jpg --as a/b; echo $?
            for name in $(printf '\\303\\274\\302\\205') . .. ' ' 'a ' .x; do $Q attach add 张三 IMG_1.jpg --as "$name"; echo $?; done; $Q share 张三 --recipient ' ' --purpose x; echo $?
            $Q history | wc -l; $Q --lang zh share 张三 --recipient '招商 银行' --recipient $(printf "房%.0s" $(seq 60)) --no-sign --template rental --until 2099-01-01 -o out/; $Q history | wc -l
            ls out | sed 's/20..-..-../DAY/'; $Q shares | grep -c ' 张三/正面.jpg '; $Q due --within 100000d | grep -c '张三/反面.jpg → '
            $Q shares --json | jq -r .card | uniq; sha256sum out/* | cut -c-64 | sort -u | wc -l
            $Q share 张三 --recipient 甲 --recipient 甲 --purpose 租房; echo $?; $Q share 张三 --recipient 甲 --recipient 乙 --purpose 租房 -o a.pdf; echo $?
            $Q share front.jpg --recipient 甲 --recipient 乙 --purpose 租房 -o -; echo $?; $Q share front.jpg --recipient 甲 --recipient 乙 --purpose 租房 -o one.jpg; echo $?
            $Q card add idcard --title '李四 身份证' name=李四 number=11010519491231002X; $Q attach add '李四 身份证' IMG_1.jpg; $Q --lang zh share '李四 身份证' --recipient 甲 --purpose 租房; ls 李四* | sed 's/20..-..-../DAY/'
            $Q verify -q v.qvault > /dev/null && echo sound
            """
        let outcome = try sandbox.shell(script, environment: vault)
        let long = String(repeating: "房", count: 20)
        #expect(
            outcome.text == """
                2
                2
                2
                2
                2
                2
                2
                2
                2
                2
                5
                6
                张三-身份证-反面-\(long)-DAY.jpg
                张三-身份证-反面-招商_银行-DAY.jpg
                张三-身份证-正面-\(long)-DAY.jpg
                张三-身份证-正面-招商_银行-DAY.jpg
                2
                2
                张三
                4
                2
                2
                2
                11
                李四_身份证-甲-DAY.jpg
                sound

                """, "\(outcome)")
    }

    /// A part with a picture's number before it is of that picture, and nothing of it is left: small pictures are drawn so large
    /// that their pixels run into each other.
    @Test func partsOfPicturesOnAPage() throws {
        let sandbox = try MarkTests.fixture()
        let outcome = try sandbox.shell(
            """
            cat > look.py <<'END'
            import sys
            from PIL import Image
            if len(sys.argv) == 1:
                for name, size, box in (("a.png", (60, 40), (30, 10, 45, 25)), ("b.png", (1500, 1000), (150, 100, 450, 300))):
                    picture = Image.new("RGB", size, "white")
                    picture.paste((0, 0, 255), box)
                    picture.save(name)
            for name in sys.argv[1:]:
                page = Image.open(name).convert("RGB")
                rows = [sum(b - max(r, g) > 20 for r, g, b in page.crop((0, y, page.width, y + 1)).getdata()) for y in range(page.height)]
                half = page.height // 2
                print(sum(rows[:half]) > 0, sum(rows[half:]) > 0)
            END
            /usr/bin/python3 look.py; $Q attach add -q 身份 a.png b.png
            share() { $Q share -q a.png b.png --recipient 甲 --purpose x --no-sign --no-trace --light "$@"; }
            share --layout a4 -o none.jpg; share --layout a4 --hide 1:50,25,25,37.5 -o one.jpg
            share --layout a4 --hide 2:10,10,20,20 -o two.jpg; share --layout a4 --hide 1:50,25,25,37.5 --hide 2:10,10,20,20 -o both.jpg
            /usr/bin/python3 look.py none.jpg one.jpg two.jpg both.jpg
            cat > pair.py <<'END'
            from PIL import Image
            import random
            for name in ("p", "q"):
                picture = Image.new("RGB", (300, 200), (200, 220, 240))
                picture.paste((0, 0, 255), (96, 64, 208, 144))
                if name == "q":
                    picture.putdata([(255, 255, 255) if 96 <= k % 300 < 208 and 64 <= k // 300 < 144 and random.random() < 0.5 else v for k, v in enumerate(picture.getdata())])
                picture.save(name + ".jpg", quality=75)
            END
            /usr/bin/python3 pair.py; $Q attach add -q 身份 p.jpg q.jpg
            for name in p q; do $Q share -q a.png $name.jpg --layout a4 --hide 2:32,32,37.4,40 --recipient 甲 --purpose x --no-sign --preview -o - > $name.out; done
            cmp p.out q.out && echo alike
            share --layout a4 --hide 3:10,10,20,20 -o three.jpg; echo $?; ls three.jpg
            """, environment: vault)
        #expect(
            outcome.text == "True True\nFalse True\nTrue False\nFalse False\nalike\n11\n"
                && outcome.errors.contains("has no page or picture 3"),
            "\(outcome)")
    }

    /// Both sides of a card stand on one page, a PDF or a picture; a leak of it is traced, and its strip checked.
    @Test func bothSidesOnOnePage() throws {
        let sandbox = try MarkTests.fixture()
        let script = """
            /usr/bin/python3 $REPOSITORY/Tests/Scripts/papers.py papers; $Q card add idcard --title 张三 name=张三 number=11010519491231002X
            $Q attach add -q 张三 papers/id-back.jpg papers/id-front.jpg --as 反面 --as 正面
            $Q --lang zh share 张三 --layout a4 --recipient 甲 --recipient 乙 --template rental --until 2099-01-01 -o out/; ls out | sed 's/20..-..-../DAY/'
            pdfinfo out/*甲* | grep -c 'Page size.*A4'; pdftoppm -r 120 -jpeg out/*甲* leak; $Q trace leak-1.jpg > traced; cut -d' ' -f1-2 traced; grep -c 甲 traced; $Q trace leak-1.jpg 张三/反面.jpg | grep -c 甲
            $Q verify-copy leak-1.jpg --json | jq -r '[.picture, .recipient] | @csv'; $Q shares 张三/反面.jpg | grep -c ' 张三/正面.jpg + 反面.jpg '; $Q shares 张三 --json | jq -r '.id' | sort -u | wc -l; $Q shares front.jpg | wc -l
            $Q share 张三/反面.jpg 张三/正面.jpg --layout a4 --recipient 丙 --purpose x --no-sign -o page.jpg --json | jq -c '[.width, .height, .strip]'
            djpeg -scale 1/2 page.jpg | cjpeg -quality 60 > small.jpg; $Q card rm -q 张三; $Q compact -q --yes --keep 1d; $Q trace small.jpg | grep -c 丙; $Q export -q -o dump 2>&1 | grep -c 'not exported: 3'
            $Q share front.jpg --layout a5 --recipient 甲 --purpose x; echo $?; $Q share front.jpg --layout a4 --recipient 甲 --purpose x --recipient 乙 -o one.pdf; echo $?
            /usr/bin/python3 -c "from PIL import Image; i = Image.new('RGB', (9000, 90), 'white'); i.save('wide.jpg'); i.save('p.pdf')"
            for i in $(seq 12); do cp wide.jpg w$i.jpg; done; $Q attach add -q 身份 w*.jpg; $Q share 身份 --layout a4 --recipient 甲 --purpose x; echo $?
            $Q attach add -q 身份 p.pdf; $Q share p.pdf --layout a4 --recipient 甲 --purpose x; echo $?
            $Q verify -q v.qvault > /dev/null && echo sound
            """
        let outcome = try sandbox.shell(script, environment: vault)
        #expect(
            outcome.text == """
                张三-身份证-乙-DAY.pdf
                张三-身份证-甲-DAY.pdf
                1
                this copy
                1
                1
                "same","甲"
                2
                2
                0
                [2480,3508,0]
                1
                1
                2
                2
                11
                11
                sound

                """, "\(outcome)")
    }

    /// A terminal is asked for what the mark lacks, until it is there.
    @Test func whatIsMissingIsAskedFor() throws {
        let sandbox = try MarkTests.fixture()
        let script = """
            printf '\\n；\\n甲、乙\\n\\n租房\\nno\\n30d\\n' > answers
            $Q share front.jpg -o out/ < answers; echo $?
            script -qec '$Q --lang zh share front.jpg -o out/' /dev/null < answers > said; ls out | wc -l; grep -c 有效期至 said
            $Q shares --json | jq -r '[.recipient, .purpose, .until != null] | @csv'
            cp front.jpg b.jpg; $Q attach add -q 身份 b.jpg
            printf '丁\\n租房\\n\\n\\n' | script -qec '$Q share 身份' /dev/null | grep -c A4; ls 身份-丁-*.pdf | wc -l
            printf '\\n' | script -qec '$Q share front.jpg --template rental --recipient 丙 -o c.jpg' /dev/null | grep -c until; ls c.jpg
            """
        let outcome = try sandbox.shell(script, environment: vault)
        #expect(
            outcome.text == """
                11
                2
                2
                "乙","租房",true
                "甲","租房",true
                1
                1
                0
                c.jpg

                """, "\(outcome)")
    }

    /// Cards stand two abreast at their true size, four rows of them; other pictures have a cell; a leak of the page is traced.
    @Test func manyCardsStandTwoAbreast() throws {
        let sandbox = try MarkTests.fixture()
        let script = """
            /usr/bin/python3 $REPOSITORY/Tests/Scripts/papers.py papers; $Q card add idcard --title 张三 name=张三 number=11010519491231002X
            for i in 1 2 3 4 5 6 7 8; do cp papers/id-front.jpg $i.jpg; done; $Q attach add -q 张三 [1-8].jpg; parts="张三/1.jpg 张三/2.jpg 张三/3.jpg"
            $Q share 张三 --layout a4 --recipient 甲 --purpose x --no-sign -o a.jpg 2> said; echo $?; grep -c a4-grid said
            $Q share 张三 --layout a4-grid --recipient 甲 --purpose x --no-sign -o b.jpg --json | jq -c '[.width, .height]'
            $Q share $parts front.jpg --layout a4-grid --recipient 乙 --purpose x -o c.jpg --json | jq -c '[.width, .strip]'
            for page in b c; do djpeg -scale 1/2 $page.jpg | cjpeg -quality 70 > leak.jpg; $Q trace leak.jpg --json | jq -r .recipient; done
            $Q attach rm -q 张三/1.jpg; $Q trace leak.jpg --json | jq -r .recipient; $Q verify -q v.qvault > /dev/null && echo sound
            """
        let outcome = try sandbox.shell(script, environment: vault)
        #expect(
            outcome.text == "11\n1\n[2480,3508]\n[2480,896]\n甲\n乙\n乙\nsound\n", "\(outcome)")
    }

    /// A page that was made smaller is traced too. Emptying the trash leaves all pictures of a page; a purge that names one takes it, and
    /// the trace says which copy it leaves out.
    @Test func pagesAreTracedAsLongAsTheirPicturesAreThere() throws {
        let sandbox = try MarkTests.fixture()
        let script = """
            /usr/bin/python3 $REPOSITORY/Tests/Scripts/papers.py papers; $Q card add idcard --title 张三 name=张三 number=11010519491231002X
            $Q attach add -q 张三 papers/id-front.jpg papers/id-back.jpg --as 正面 --as 反面
            $Q share 张三 --layout a4 --recipient 甲 --purpose 租房 --width 1240 --no-sign -o a.jpg; djpeg a.jpg | cjpeg -quality 80 > leak.jpg
            $Q trace leak.jpg --json | jq -r .recipient; $Q attach rm -q 反面.jpg; $Q purge --trash --yes 2> stay; grep -c 'stay: 1' stay
            $Q trace leak.jpg --json | jq -r .recipient; $Q undelete -q 张三/反面.jpg; $Q purge -q 张三/反面.jpg --yes
            $Q trace leak.jpg 2> said; echo $?; grep -c 'left out' said; $Q verify -q v.qvault > /dev/null && echo sound
            """
        let outcome = try sandbox.shell(script, environment: vault)
        #expect(outcome.text == "甲\n1\n甲\n10\n1\nsound\n", "\(outcome)")
    }

    /// Each colour of a palette with 256 others than the strip's stays where no stroke is; transparent ones stand on white.
    @Test func fullPalettesKeepTheirColours() throws {
        let sandbox = try MarkTests.fixture()
        let script = """
            cat > boxes.py <<'END'
            import sys
            import numpy as np
            from PIL import Image
            colours = [(40 + i % 200, (i * 37) % 211 + 20, 30 + (i * 5) % 199) for i in range(256)]
            index = np.arange(704)[:, None] // 44 * 16 + np.arange(1024)[None, :] // 64
            if len(sys.argv) == 2:
                picture = Image.fromarray(index.astype(np.uint8), "P")
                picture.putpalette([value for colour in colours for value in colour])
                picture.save("full.png"); picture.save("clear.png", transparency=bytes([0] * 8 + [255] * 248))
            else:
                copy = np.asarray(Image.open(sys.argv[2]).convert("RGB"))[:704].reshape(16, 44, 16, 64, 3)
                for i, colour in enumerate(colours):
                    box = set(map(tuple, copy[i // 16, :, i % 16].reshape(-1, 3).tolist()))
                    wanted = (255, 255, 255) if i < int(sys.argv[3]) else colour
                    assert wanted in box, (i, wanted)
                print("kept")
            END
            /usr/bin/python3 boxes.py make; $Q attach add -q 身份 full.png clear.png; for name in full clear; do
                $Q share $name.png --recipient 甲 --purpose 租房 --no-trace -o copy-$name.png; done
            /usr/bin/python3 boxes.py check copy-full.png 0; /usr/bin/python3 boxes.py check copy-clear.png 8
            """
        let outcome = try sandbox.shell(script, environment: vault)
        #expect(outcome.text == "kept\nkept\n", "\(outcome)")
    }

    /// A number without a unit, and less than a day, are no day until which a copy is given; days as cards take them are.
    @Test(arguments: [
        ("30", 2), ("90s", 2), ("1m", 2), ("0d", 2), ("30d", 0), ("2099年12月31日", 0), ("2099/12/31", 0),
    ]) func daysOfCopies(_ day: String, _ code: Int) throws {
        let sandbox = try Sandbox()
        try sandbox.write("front.jpg", Sandbox.jpeg())
        let outcome = try sandbox.shell(
            """
            $Q create v.qvault -q; $Q card add note -f v.qvault --title c text=x -q; $Q attach add -f v.qvault c front.jpg -q
            $Q share -q -f v.qvault c --recipient a --purpose b --until \(day) -o a.jpg --no-sign; echo $?
            """)
        #expect(outcome.text == "\(code)\n", "\(outcome)")
    }
}
