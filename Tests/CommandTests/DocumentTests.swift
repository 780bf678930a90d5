import CSystem
import Foundation
import Testing

/// PDF, HEIC, WebP and TIFF as they are marked, shared and traced.
@Suite(.enabled(if: qv_sandbox_layers() == 3, "this kernel has Landlock and seccomp"))
struct DocumentTests {
    private static let scripts = Sandbox.repository.appending(path: "Tests/Scripts").path
    private let whom = "--recipient 招商银行 --purpose 开户"
    private let vault = ["QVAULT_FILE": "v.qvault"]

    /// `scan.jpg`, a picture of 1,600 by 1,008 pixels, and documents of pages.py in `pages`.
    private func fixture() throws -> Sandbox {
        let sandbox = try Sandbox()
        let script =
            "/usr/bin/python3 \(Self.scripts)/id-card.py scan.jpg; /usr/bin/python3 \(Self.scripts)/pages.py pages scan.jpg"
        #expect(try sandbox.shell(script).code == 0)
        return sandbox
    }

    /// Pages that are scans are the same JPEG but for strokes; the copy is a PDF that two programs read.
    @Test func scansStayAsTheyAre() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            $Q watermark file pages/scan.pdf \(whom) --no-trace -o c.pdf --json | jq -c '[.pages, .quality]'
            qpdf --check c.pdf > checked && echo sound; pdfimages -list c.pdf | grep -c ' jpeg '; pdftotext c.pdf - | tr -d '\\f\\n' | wc -c
            pdfinfo c.pdf | grep -c '^JavaScript: *no'; pdfinfo -l 2 c.pdf | grep 'Page.*size'
            pdfimages -all -f 1 -l 1 c.pdf p; djpeg p-000.jpg > marked.ppm; djpeg scan.jpg > plain.ppm
            cmp -l plain.ppm marked.ppm | wc -l; stat -c %s plain.ppm
            """)
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.prefix(5) == ["[20,null]", "sound", "20", "0", "1"], "\(outcome)")
        // The second page is turned by its document, and its copy is turned in the same way.
        #expect(lines.contains { $0.contains("595 x 842") } && lines.contains { $0.contains("842 x 595") }, "\(lines)")
        let (changed, all) = (Double(lines[lines.count - 2]) ?? 0, Double(lines[lines.count - 1]) ?? 1)
        #expect(changed > 0.05 * all && changed < 0.7 * all, "\(changed) of \(all)")
    }

    /// A page that shows anything else than its one picture is drawn.
    @Test func onlyScansAreKept() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            for name in nested tiny tinted lettered; do
                $Q watermark file pages/$name.pdf \(whom) --allow-faint -o $name.pdf --json | jq -c '[.file, .quality]'
            done
            """)
        #expect(
            outcome.text == """
                ["nested.pdf",null]
                ["tiny.pdf",85]
                ["tinted.pdf",85]
                ["lettered.pdf",85]

                """, "\(outcome)")
    }

    /// Nothing of a document goes out but what its pages show.
    @Test func whatPagesDoNotShowStaysBehind() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            $Q watermark file pages/script.pdf \(whom) -o c.pdf; qpdf --object-streams=disable c.pdf plain.pdf
            grep -c -a -E 'JavaScript|OpenAction|AcroForm|EmbeddedFile|a file within|Salaries|Nobody|/Info ' c.pdf plain.pdf | cut -d : -f 2
            $Q watermark file pages/mixed.pdf \(whom) -o m.pdf --json | jq -c '[.pages, .quality]'; pdfimages -list m.pdf | tail -n +3 | wc -l
            $Q watermark file pages/text.pdf \(whom) --dpi 100 --no-sandbox -o low.pdf; pdfimages -list low.pdf | sed -n 3p | awk '{print $4}'
            $Q watermark file pages/text.pdf \(whom) --dpi 99 -o x.pdf; echo $?
            $Q watermark file pages/broken.pdf pages/forms.pdf \(whom) -o both.pdf; qpdf --show-npages both.pdf
            """)
        #expect(outcome.text == "0\n0\n[3,85]\n3\n827\n2\n21\n", "\(outcome)")
    }

    @Test(arguments: [
        ("encrypted", "takes a password"), ("many", "has 10000 pages, and 200"), ("huge", "page 1: is too large"),
        ("loop", "is damaged"), ("cut", "is damaged"), ("empty", "is damaged"),
    ])
    func hostilePDFsAreRefused(name: String, reason: String) throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            qpdf --encrypt secret owner 256 -- pages/text.pdf pages/encrypted.pdf; echo '%PDF-1.7' > pages/empty.pdf
            $Q watermark file pages/\(name).pdf \(whom) -o c.pdf; echo $?; ls c.pdf
            """)
        #expect(outcome.text == "11\n", "\(outcome)")
        #expect(outcome.errors.contains("qvault: pages/\(name).pdf: \(reason)"), "\(outcome.errors)")
    }

    /// HEIC, WebP and TIFF become JPEG, upright as they were; a name of another kind is refused.
    @Test func otherPicturesAreMarked() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            djpeg scan.jpg > scan.ppm; ppm() { cat scan.ppm; }
            heif-enc scan.jpg -o a.heic > /dev/null; cwebp -quiet scan.jpg -o a.webp; /usr/bin/python3 -c '
            from PIL import Image; scan = Image.open("scan.jpg"); scan.save("a.tiff", tiffinfo={274: 6}); scan.save("two.tiff", save_all=True, append_images=[scan])
            small = scan.resize((90, 60)); small.save("moving.webp", save_all=True, append_images=[small.rotate(9)])'
            for kind in heic webp tiff; do $Q watermark file a.$kind \(whom) -o $kind.jpg --json | jq -c '[.width, .height, .quality]'; djpeg $kind.jpg > /dev/null || echo broken; done
            $Q watermark file a.heic \(whom) -o x.png; echo $?; $Q watermark file a.heic \(whom) -o x.heic; echo $?
            $Q watermark file two.tiff \(whom) -o x.jpg; echo $?; $Q watermark file moving.webp \(whom) -o x.jpg; echo $?; ls x.*
            """)
        #expect(
            outcome.text
                == "[1600,1008,92]\n[1600,1008,92]\n[1008,1600,92]\n11\n11\n11\n11\n", "\(outcome)")
        for words in ["two.tiff: has several pictures", "moving.webp: is an animation", "the copy is a JPEG"] {
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
    }

    @Test func hostilePicturesEnd() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            /usr/bin/python3 -c 'from PIL import Image; Image.effect_noise((64, 64), 80).convert("RGB").save("tile.png")'
            heif-enc tile.png -o tile.heic > /dev/null; /usr/bin/python3 \(Self.scripts)/tiles.py tiles tile.heic
            for name in few.heic lying.heic pages.tiff; do $Q watermark file tiles/$name \(whom) -o $name.jpg; echo $?; done
            for name in directories.tiff loop.tiff; do $Q watermark file tiles/$name \(whom) --allow-faint -o $name.jpg; echo $?; done
            """)
        #expect(outcome.text == "11\n11\n11\n0\n0\n", "\(outcome)")
        #expect(outcome.errors.contains("lying.heic: is too large"), "\(outcome.errors)")
    }

    /// A card's pictures in one PDF, each noted as a copy of its own; a page of a document that leaked names its copy.
    @Test func documentsAreSharedAndTraced() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            set -e; heif-enc scan.jpg -o back.heic > /dev/null; cp pages/mixed.pdf contract.pdf; cp scan.jpg front.jpg
            $Q create v.qvault; $Q card add text --title 张三 text=x; $Q attach add 张三 front.jpg back.heic contract.pdf
            $Q attach list --json | jq -r .thumbnail
            $Q share 张三 \(whom) -o bank/; ls bank | sed 's/-20.*[.]/./'; $Q share 张三 \(whom) -o s.pdf; qpdf --show-npages s.pdf
            $Q share contract.pdf --recipient 房东 --purpose 租房 -o c.pdf; $Q share contract.pdf --recipient 丁 --purpose 看 -o d.pdf
            pdftoppm -r 150 -f 2 -l 2 -jpeg c.pdf leak; $Q trace leak-2.jpg contract.pdf --json | jq -r '"\\(.recipient) \\(.verdict)"'
            qpdf --object-streams=generate d.pdf again.pdf; $Q trace again.pdf contract.pdf --json | jq -r '"\\(.recipient) \\(.verdict)"'
            heif-enc -q 50 bank/张三-back-*.jpg -o leak.heic > /dev/null; $Q trace leak.heic --json | jq -r '"\\(.recipient) \\(.verdict)"'
            $Q trace c.pdf contract.pdf | cut -d ' ' -f 1-3; $Q share contract.pdf \(whom) -o - | head -c 5; echo
            $Q watermark set contract.pdf --text 内部; $Q attach show contract.pdf --viewer 'cp --no-preserve=all -T' /dev/null 2> /dev/null || true
            $Q share contract.pdf --preview --recipient 甲 --purpose 乙 > drawn; test -s drawn; $Q shares | wc -l
            """, environment: vault)
        #expect(
            outcome.text == """
                true
                true
                true
                张三-back-招商银行.jpg
                张三-contract-招商银行.pdf
                张三-front-招商银行.jpg
                5
                房东 found
                丁 found
                招商银行 found
                the very file
                %PDF-
                9

                """, "\(outcome)")
    }

    /// The version that was shared is what a leak is compared with, also after the attachment was replaced.
    @Test func theSharedVersionCounts() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            set -e; cp scan.jpg front.jpg; $Q create v.qvault; $Q card add text --title 张三 text=x; $Q attach add 张三 front.jpg
            $Q share front.jpg \(whom) -o a.jpg; djpeg a.jpg | cjpeg -quality 70 > leak.jpg
            pdftoppm -r 90 -f 1 -l 1 -jpeg pages/text.pdf page; cp page-01.jpg front.jpg; $Q attach add 张三 front.jpg
            $Q trace leak.jpg --json | jq -r '"\\(.recipient) \\(.verdict)"'
            """, environment: vault)
        #expect(outcome.text == "招商银行 found\n", "\(outcome)")
    }
}
