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

    /// A dry run saves nothing.
    @Test func isTriedOnly() throws {
        let sandbox = try fixture()
        let before = try sandbox.read("v.qvault")
        let outcome = try sandbox.shell("$Q attach straighten -f v.qvault -n front.jpg")
        #expect(outcome.code == 0 && outcome.text.contains("front.jpg"), "\(outcome)")
        #expect(try sandbox.read("v.qvault") == before)
    }
}
