import CSystem
import Foundation
import Testing

/// Cards in photos.
struct StraightenTests {
    /// A light card on a dark table, whose corners are known, and photos that show none and two.
    private func fixture() throws -> Sandbox {
        let sandbox = try Sandbox()
        let script = """
            from PIL import Image, ImageDraw
            table = Image.new('RGB', (1200, 900), (60, 44, 36))
            def card(image, corners):
                ImageDraw.Draw(image).polygon(corners, fill=(236, 240, 244))
            one, two = table.copy(), table.copy()
            card(one, [(200, 250), (960, 200), (1000, 680), (240, 730)])
            card(two, [(100, 60), (740, 60), (740, 463), (100, 463)])
            card(two, [(400, 490), (1040, 490), (1040, 893), (400, 893)])
            for name, image in (('one', one), ('two', two), ('none', table)): image.save(name + '.png')
            one.save('front.jpg', quality=95)
            """
        try sandbox.write("photos.py", Data(script.utf8))
        try sandbox.shell(
            """
            /usr/bin/python3 photos.py && $Q create v.qvault
            $Q card add -f v.qvault idcard --title 张三 name=张三 number=11010519491231002X
            $Q attach add -f v.qvault 张三 front.jpg one.png two.png none.png
            """)
        return sandbox
    }

    /// The corners are right, the shape is the card's, and the photo stays in the history.
    @Test func keepsTheCardAlone() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            "export QVAULT_FILE=v.qvault; $Q attach straighten front.jpg && $Q history front.jpg | wc -l && $Q cat front.jpg --at 3 | cmp - front.jpg"
        )
        #expect(outcome.code == 0, "\(outcome)")
        let words = outcome.text.split { $0 == " " || $0 == "\n" }
        let places = words.count > 1 ? words[1].split(separator: ",").compactMap { Double($0) } : []
        let wanted: [Double] = [200, 250, 960, 200, 1000, 680, 240, 730]
        #expect(places.count == 8 && zip(places, wanted).allSatisfy { abs($0 - $1) <= 3 }, "\(outcome.text)")
        let size = words.count > 2 ? words[2].split(separator: "x").compactMap { Double($0) } : []
        #expect(size.count == 2 && abs(size[0] / size[1] - 85.6 / 53.98) < 0.01, "\(outcome.text)")
        #expect(words.last == "2")
    }

    /// A picture of another kind becomes a JPEG by name too, and '--as' keeps both.
    @Test func isNamedForWhatItIs() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            export QVAULT_FILE=v.qvault; set -e
            $Q attach straighten one.png > /dev/null; $Q attach straighten front.jpg --as 正面 --turn 90 > /dev/null
            $Q attach list --json | grep -o '"name":"[^"]*"' | sort
            """)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(
            outcome.text.split(separator: "\n").map { String($0.dropFirst(8).dropLast()) }
                == ["front.jpg", "none.png", "one.jpg", "two.png", "正面.jpg"], "\(outcome.text)")
    }

    @Test(
        arguments: [
            ("no card", "none.png", 11, "no card whose four edges"), ("two cards", "two.png", 11, "more than one card"),
            ("corners outside", "front.jpg --corners 1,1,9000,1,9000,9,1,9", 2, "1200 × 900"),
            ("corners the wrong way round", "front.jpg --corners 0,0,0,500,500,500,500,0", 2, "clockwise"),
            ("too small", "front.jpg --corners 0,0,50,0,50,50,0,50", 11, "less than 100 pixels"),
            ("seven numbers", "front.jpg --corners 1,2,3,4,5,6,7", 2, "8 numbers"),
            ("an eighth of a turn", "front.jpg --turn 45", 2, "90, 180 or 270"),
            ("no attachment", "x.jpg", 10, "x.jpg"),
        ] as [(String, String, Int32, String)])
    func isRefused(_ name: String, _ arguments: String, _ code: Int32, _ says: String) throws {
        let sandbox = try fixture()
        let before = try sandbox.read("v.qvault")
        let outcome = try sandbox.shell("$Q attach straighten -f v.qvault \(arguments)")
        #expect(outcome.code == code && outcome.errors.contains(says), "\(name): \(outcome)")
        #expect(try sandbox.read("v.qvault") == before)
    }

    /// A document has pages, and is no photo: none of them may get lost.
    @Test(.enabled(if: qv_sandbox_layers() == 3, "this kernel has Landlock and seccomp"))
    func documentsAreRefused() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            /usr/bin/python3 -c '
            from PIL import Image
            pages = [Image.open("front.jpg"), Image.open("front.jpg")]
            for name in ("two.pdf", "two.tiff"): pages[0].save(name, save_all=True, append_images=pages[1:])'
            export QVAULT_FILE=v.qvault; $Q attach add -q 张三 two.pdf two.tiff
            for name in two.pdf two.tiff; do $Q attach straighten $name; echo $?; $Q cat $name | cmp - $name; done
            """)
        #expect(outcome.text == "11\n11\n" && outcome.code == 0, "\(outcome)")
        #expect(outcome.errors.contains("two.pdf") && outcome.errors.contains("has several pictures"), "\(outcome)")
    }

    /// An attachment that already has the name of the card stays as it is.
    @Test func nothingIsReplacedUnasked() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            export QVAULT_FILE=v.qvault; cp front.jpg one.jpg; $Q attach add -q 张三 one.jpg; cp v.qvault before
            $Q attach straighten -q one.png; echo $?; $Q attach straighten -q front.jpg --as one; echo $?
            $Q attach straighten -q front.jpg --preview --json; echo $?; cmp v.qvault before && echo same
            """)
        #expect(
            outcome.text.split(separator: "\n").filter { !$0.contains(",") } == ["12", "12", "2", "same"], "\(outcome)")
        #expect(outcome.errors.contains("'张三' already has 'one.jpg'"), "\(outcome)")
    }

    /// The mark of a photo is that of its card too, which '--as' keeps beside it.
    @Test func theMarkStays() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            export QVAULT_FILE=v.qvault; set -e; $Q watermark set -q front.jpg --text 内部
            $Q attach straighten -q front.jpg --as beside > line; $Q attach straighten -q front.jpg > line
            for name in beside.jpg front.jpg; do $Q watermark show $name | grep -c 内部; done
            """)
        #expect(outcome.code == 0 && outcome.text == "1\n1\n", "\(outcome)")
    }

    /// A photo that was replaced while a person looked at its card keeps what was stored.
    @Test func changedMeanwhile() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            export QVAULT_FILE=v.qvault; : > shown; djpeg -scale 1/2 front.jpg | cjpeg > new.jpg; mv new.jpg front.jpg
            {
                for try in $(seq 300); do grep -q 'right way up' shown && break; sleep 0.1; done
                $Q attach add -q 张三 front.jpg; echo y
            } | script -qefc "$Q attach straighten --lang en front.jpg --preview" shown > screen; echo $?
            grep -o 'front.jpg: changed meanwhile' shown; $Q cat front.jpg | cmp - front.jpg && echo theirs
            """)
        #expect(outcome.text == "12\nfront.jpg: changed meanwhile\ntheirs\n", "\(outcome)")
    }

    /// An answer of no saves nothing.
    @Test func isDeclined() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            cp v.qvault before; /usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py $Q attach straighten --lang en -f v.qvault front.jpg \
                --preview -- 'right way up' n > shown; echo $?; grep -o 'nothing was saved' shown; cmp v.qvault before && echo same
            """)
        #expect(outcome.text == "12\nnothing was saved\nsame\n", "\(outcome)")
    }

    /// A field that is not read is hidden where such cards have it, if the picture is such a card and named for one side.
    @Test(.enabled(if: qv_sandbox_layers() == 3, "this kernel has Landlock and seccomp"))
    func fieldsByTheirPlace() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            /usr/bin/python3 -c '
            from PIL import Image
            card = Image.new("RGB", (1200, 757), (230, 236, 240))
            for name in ("正面", "scan", "front-back"): card.save(name + ".jpg")
            card.rotate(90, expand=True).save("front.jpg")
            Image.new("RGB", (1200, 800), (230, 236, 240)).save("正面2.jpg")'
            export QVAULT_FILE=v.qvault; $Q create -q v.qvault
            $Q card add -q idcard --title 张三 name=张三 number=11010519491231002X
            $Q attach add -q 张三 正面.jpg scan.jpg front-back.jpg front.jpg 正面2.jpg
            for name in 正面 scan front-back front 正面2; do
                $Q share $name.jpg -q --recipient 甲 --purpose 开户 --hide 公民身份号码 --no-sign -o c-$name.jpg; echo $?
            done
            /usr/bin/python3 -c '
            from PIL import Image
            card = Image.open("c-正面.jpg").convert("L")
            print(max(card.crop((360, 590, 1180, 710)).getdata()) < 128, min(card.crop((10, 10, 300, 500)).getdata()) > 60)'
            ls c-*
            """)
        #expect(
            outcome.text.split(separator: "\n") == ["0", "11", "11", "11", "11", "True True", "c-正面.jpg"], "\(outcome)")
        #expect(
            outcome.errors.contains("was not read in the picture: hidden is where such cards have it"), "\(outcome)")
    }

    /// A dry run saves nothing.
    @Test func isTriedOnly() throws {
        let sandbox = try fixture()
        let before = try sandbox.read("v.qvault")
        let outcome = try sandbox.shell("$Q attach straighten -f v.qvault -n front.jpg")
        #expect(outcome.code == 0 && outcome.text.contains("front.jpg"), "\(outcome)")
        #expect(try sandbox.read("v.qvault") == before)
    }
}
