import Foundation
import Testing

/// Leaks of marked copies: which copy they are, and what cannot be told.
struct TraceTests {
    private static let scripts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Scripts").path

    /// A card's picture of which five copies were given away, and its leaks: `KIND.jpg`.
    private func fixture() throws -> Sandbox {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            set -e; /usr/bin/python3 \(Self.scripts)/id-card.py card.jpg
            $Q create v.qvault; $Q card add -f v.qvault text --title 身份 text=x; $Q attach add -f v.qvault 身份 card.jpg
            for name in 甲公司 乙公司 丙公司; do $Q share -f v.qvault card.jpg --recipient $name --purpose 开户 -o $name.jpg; done
            $Q share -f v.qvault card.jpg --recipient 丁 --purpose 看 --trace-all -o all.jpg
            $Q share -f v.qvault card.jpg --recipient 戊 --purpose 看 --sparse -o sparse.jpg
            """)
        #expect(outcome.code == 0, "\(outcome)")
        return sandbox
    }

    @Test func leaksNameTheirCopy() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            /usr/bin/python3 \(Self.scripts)/leaks.py 乙公司.jpg card.jpg leaks > kinds
            for i in 0 1 2 3 4 5 6 7 8; do
                $Q trace -f v.qvault leaks/$i.jpg --json | jq -r '"\\(.recipient) \\(.verdict) \\(.score > 6)"'
            done
            """)
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 9 && lines.allSatisfy { $0 == "乙公司 found true" }, "\(outcome)")
    }

    /// A share is evidence: its original is compared, and may be named, while it lies in the trash.
    @Test func originalsInTheTrash() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            djpeg 丙公司.jpg | cjpeg -quality 75 > leak.jpg; $Q card rm -q -f v.qvault 身份
            for name in '' card.jpg; do $Q trace -f v.qvault leak.jpg $name --json | jq -r '"\\(.recipient) \\(.card_removed)"'; done
            $Q trace -f v.qvault leak.jpg none.jpg; echo $?
            """)
        #expect(outcome.text == "丙公司 null\n丙公司 null\n10\n", "\(outcome)")
    }

    /// Two originals that differ in a few digits: the copy is named, whichever it is of; a copy of quite another one is none.
    @Test func originalsThatAreNearlyAlike() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            set -e; /usr/bin/python3 -c '
            from PIL import Image, ImageDraw
            card = Image.open("card.jpg"); ImageDraw.Draw(card).rectangle((700, 850, 800, 900), fill=(30, 30, 30)); card.save("alike.jpg", quality=90)'
            $Q attach add -f v.qvault 身份 alike.jpg; $Q share -f v.qvault alike.jpg --recipient 己 --purpose 看 -o alike-copy.jpg
            djpeg alike-copy.jpg | cjpeg -quality 75 > leak.jpg; $Q trace -f v.qvault leak.jpg --json | jq -r '"\\(.name) \\(.recipient)"'
            djpeg 甲公司.jpg | cjpeg -quality 75 > leak.jpg; $Q trace -f v.qvault leak.jpg --json | jq -r '"\\(.name) \\(.recipient)"'
            /usr/bin/python3 \(Self.scripts)/documents.py . > none; $Q watermark file statement.jpg --recipient 庚 --purpose 看 -o other.jpg
            $Q trace -f v.qvault other.jpg || echo $?
            """)
        #expect(outcome.text == "alike.jpg 己\ncard.jpg 甲公司\n10\n", "\(outcome)")
    }

    @Test func whatIsNoCopyIsNone() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            $Q trace -f v.qvault card.jpg; echo "original $?"
            $Q trace -f v.qvault sparse.jpg | cut -d' ' -f1-3; djpeg sparse.jpg | cjpeg -quality 80 > again.jpg
            $Q trace -f v.qvault again.jpg; echo "sparse $?"
            jpegtran -flip horizontal 甲公司.jpg > mirrored.jpg; $Q trace -f v.qvault mirrored.jpg --json | jq -r '"mirrored \\(.recipient)"'
            /usr/bin/python3 \(Self.scripts)/grounds.py white.png gray 900 600 white; $Q trace -f v.qvault white.png; echo "white $?"
            /usr/bin/python3 \(Self.scripts)/grounds.py noise.png gray 900 600 noise; $Q trace -f v.qvault noise.png; echo "noise $?"
            head -c 3000 甲公司.jpg > short.jpg; $Q trace -f v.qvault short.jpg; echo "short $?"
            $Q trace -f v.qvault card.jpg nothing.jpg; echo "nothing $?"
            $Q trace -f v.qvault card.jpg --corners 1,2,3; echo "corners $?"
            $Q create w.qvault; $Q trace -f w.qvault card.jpg; echo "unshared $?"
            """)
        #expect(
            outcome.text == """
                original 10
                the very file
                sparse 10
                mirrored 甲公司
                white 10
                noise 10
                short 11
                nothing 10
                corners 2
                unshared 10

                """, "\(outcome)")
        #expect(outcome.errors.contains("none of the copies") && outcome.errors.contains("no original is found"))
    }

    /// Copies that were combined are named, each; what bears its signal all over is named without its strokes.
    @Test func combinedAndPaintedOut() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            /usr/bin/python3 -c '
            import numpy as np
            from PIL import Image
            read = lambda name: np.asarray(Image.open(name).convert("RGB")).astype(int)[:1008]
            base, all_over = read("card.jpg"), read("all.jpg")
            Image.fromarray(((read("甲公司.jpg") + read("丙公司.jpg")) // 2).astype("uint8")).save("two.jpg", quality=90)
            touched = np.abs(all_over - base).max(axis=2, keepdims=True) > 5
            Image.fromarray(np.where(touched, base, all_over).astype("uint8")).save("painted.jpg", quality=92)'
            $Q trace -f v.qvault two.jpg --json | jq -r .recipient | sort; $Q trace -f v.qvault painted.jpg card.jpg | cut -d' ' -f1-2
            $Q trace -f v.qvault 甲公司.jpg --json | jq -c '[.recipient, .score]'
            $Q trace -f v.qvault two.jpg --corners 0,0,1600,0,1600,1008,0,1008 | wc -l
            """)
        #expect(outcome.text == "丙公司\n甲公司\nthis copy\n[\"甲公司\",null]\n2\n", "\(outcome)")
    }
}
