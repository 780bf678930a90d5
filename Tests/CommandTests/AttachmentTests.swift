import Foundation
import Testing

/// Files that belong to cards.
struct AttachmentTests {
    private func fixture() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.write("front.jpg", Sandbox.jpeg())
        try sandbox.shell(
            "$Q create v.qvault && $Q card add -f v.qvault text --title 家 text=x; /usr/bin/python3 $REPOSITORY/Tests/Scripts/pictures.py ."
        )
        return sandbox
    }

    @Test func comeAndGoWithTheirCard() throws {
        let sandbox = try fixture()
        let script = """
            export QVAULT_FILE=v.qvault; set -e
            $Q attach add 家 front.jpg 6-16-1.png; $Q attach list 家 | wc -l; $Q get front.jpg -o a; cmp a front.jpg
            $Q cat 家/6-16-1.png | cmp - 6-16-1.png; $Q unpack v.qvault -o out || test $? = 1; cmp out/家/front.jpg front.jpg
            $Q card rm 家; $Q ls | wc -l; $Q ls --trash | wc -l; $Q undelete 家; $Q ls | wc -l; $Q ls --trash | wc -l
            $Q attach rm 6-16-1.png; $Q ls | wc -l; $Q undelete 6-16-1.png; $Q attach list --json | grep -c '"thumbnail":true'
            $Q card rm 家; $Q undelete front.jpg; $Q ls | wc -l; $Q rm 家; $Q purge --trash; $Q verify --json v.qvault
            """.replacingOccurrences(of: "$Q unpack v.qvault", with: "env -u QVAULT_FILE $Q unpack v.qvault")
        let outcome = try sandbox.shell(script)
        #expect(outcome.code == 0, "\(outcome.errors)")
        let lines = outcome.text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines.dropLast() == ["2", "0", "3", "3", "0", "2", "2", "2"], "\(outcome)")
        #expect(lines.last?.contains("\"record_versions\":0") == true)
    }

    /// The same name is a new version, with the thumbnail of what it is now.
    @Test func replaced() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            export QVAULT_FILE=v.qvault; set -e
            $Q attach add 家 front.jpg; cp 0-8-0.png front.jpg; $Q attach add 家 front.jpg; $Q cat front.jpg | cmp - 0-8-0.png
            head -c 60 0-8-0.png > front.jpg; $Q attach add 家 front.jpg; $Q history front.jpg | wc -l; $Q attach list --json
            """)
        #expect(
            outcome.code == 0 && outcome.errors.contains("without a thumbnail: it is damaged or cut short"),
            "\(outcome)")
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 2 && lines[0] == "3")
        #expect(lines[1].contains("\"type\":\"image/png\"") && lines[1].contains("\"thumbnail\":false"))
    }

    @Test(
        arguments: [
            ("text named .jpg", "echo hi > x.jpg; $Q attach add 家 x.jpg", 11, "no JPEG, PNG, HEIC, WebP, TIFF or PDF"),
            ("empty", ": > x.jpg; $Q attach add 家 x.jpg", 11, "no JPEG, PNG, HEIC, WebP, TIFF or PDF"),
            (
                "10 MiB and a byte",
                "(cat front.jpg; head -c 10485760 /dev/zero) | head -c 10485761 > x.jpg; $Q attach add 家 x.jpg",
                11, "are more than the 10.0 MiB"
            ),
            ("one good, one bad", "echo hi > x.jpg; $Q attach add 家 front.jpg x.jpg", 11, "x.jpg: is no JPEG"),
            ("a file that is not there", "$Q attach add 家 none.jpg", 10, "No such file"),
            ("a folder", "mkdir d; $Q attach add 家 d", 13, "d"),
            ("no such card", "$Q attach add 店 front.jpg", 10, "no record '店'"),
            ("two of one name", "mkdir d; cp front.jpg d; $Q attach add 家 front.jpg d/front.jpg", 11, "have one name"),
            ("a file of the tree", "$Q put front.jpg; $Q attach show front.jpg --preview", 10, "no record"),
            ("graphics that no terminal has", "$Q attach show front.jpg --graphics braille", 2, "kitty, sixel, blocks"),
            ("a preview with a viewer", "$Q attach show front.jpg --preview --viewer cat", 2, "without a --viewer"),
        ] as [(String, String, Int32, String)])
    func isRefused(_ name: String, _ script: String, _ code: Int32, _ says: String) throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell("export QVAULT_FILE=v.qvault; \(script)")
        #expect(outcome.code == code && outcome.errors.contains(says), "\(name): \(outcome)")
        #expect(try sandbox.shell("$Q attach list -f v.qvault").text.isEmpty)
    }

    /// 10 MiB to the byte are taken, and more where the configuration says so.
    @Test func theLimit() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            export QVAULT_FILE=v.qvault; set -e
            (printf '%%PDF-1.7\\n'; head -c 10485760 /dev/zero) | head -c 10485760 > x; $Q attach add 家 x
            mkdir -p .config/quickvault; echo 'attachment-limit = 11MiB' > .config/quickvault/config
            (cat x; echo) > y; $Q attach add 家 y; $Q cat y | cmp - y; $Q attach list --json | grep -c application/pdf
            """)
        #expect(outcome.code == 0 && outcome.text == "2\n", "\(outcome)")
    }

    /// Looking at it makes no file on any disk.
    @Test func noPlaintextOnDisk() throws {
        let sandbox = try fixture()
        try sandbox.shell(
            "$Q attach add -f v.qvault 家 front.jpg; printf '#!/bin/sh\\ncat \"$1\" > /dev/null\\n' > view; chmod +x view"
        )
        for arguments in ["--viewer ./view", "--preview", "--graphics kitty", "--graphics sixel", "--graphics blocks"] {
            let trace = "strace -f -e trace=openat,creat,memfd_create,mkdir,mknod,linkat -o trace"
            let outcome = try sandbox.shell("\(trace) $Q attach show -f v.qvault front.jpg \(arguments) > shown")
            #expect(outcome.code == 0, "\(outcome)")
            let calls = String(decoding: try sandbox.read("trace"), as: UTF8.self).split(separator: "\n")
            let made = calls.filter { ($0.contains("O_CREAT") || $0.contains("O_TMPFILE")) && !$0.contains("= -1") }
            #expect(
                made.allSatisfy { $0.contains("/dev/null") || $0.contains("/log/") || $0.contains("/witness/") },
                "\(made)")
            #expect(arguments.contains("--viewer") == calls.contains { $0.contains("memfd_create") })
        }
    }

    /// The three protocols draw the picture, read back by code that shares nothing with the drawing.
    @Test func drawnAsItIs() throws {
        let sandbox = try fixture()
        try sandbox.shell("$Q attach add -f v.qvault 家 front.jpg")
        for kind in ["kitty", "sixel", "blocks"] {
            let shown = try sandbox.shell(
                "COLORTERM=truecolor $Q attach show -f v.qvault front.jpg --graphics \(kind) > \(kind); /usr/bin/python3 $REPOSITORY/Tests/Scripts/graphics.py \(kind) \(kind)"
            )
            // Width, height, and the mean colour of the four corners' quarters.
            let numbers = shown.text.split(separator: " ").compactMap { Double($0.trimmingCharacters(in: .newlines)) }
            #expect(numbers.count == 14, "\(kind): \(shown)")
            guard numbers.count == 14 else { continue }
            #expect(abs(numbers[0] / numbers[1] - 1.5) < 0.05, "\(kind): \(numbers)")
            let wanted: [Double] = [50, 50, 99, 150, 50, 99, 50, 150, 99, 150, 150, 99]
            #expect(zip(numbers.dropFirst(2), wanted).allSatisfy { abs($0 - $1) < 16 }, "\(kind): \(numbers)")
        }
    }
}
