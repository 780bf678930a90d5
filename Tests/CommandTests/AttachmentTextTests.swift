import CSystem
import Foundation
import Testing

/// The text of attachments, as it is read, found, kept and taken away.
@Suite(.enabled(if: qv_sandbox_layers() == 3, "this kernel has Landlock and seccomp"))
struct AttachmentTextTests {
    private let vault = ["QVAULT_FILE": "v.qvault"]

    /// A vault with the card 张三: `scan.jpg`, a card of 样张甲, and documents of pages.py in `pages`.
    private func fixture() throws -> Sandbox {
        let sandbox = try Sandbox()
        let scripts = "$REPOSITORY/Tests/Scripts"
        try sandbox.shell(
            """
            set -e; /usr/bin/python3 \(scripts)/id-card.py scan.jpg; /usr/bin/python3 \(scripts)/pages.py pages scan.jpg
            $Q create v.qvault; $Q card add -f v.qvault note --title 张三 text=x
            """)
        return sandbox
    }

    @Test func textOfPicturesAndPagesIsFound() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            exec 2>&1; $Q attach add -q 张三 scan.jpg pages/text.pdf; $Q find 样张甲 > none 2>&1; echo $?
            $Q attach ocr -n 2>&1 | sort; $Q attach ocr; $Q attach ocr
            $Q attach text scan.jpg | grep -c 样张甲; $Q attach text text.pdf --json | jq -c '[.name, (.pages | length), .is_old]'
            for query in 样张甲 yangzhangjia 'statement title:text' 'kind:attachment not 样张甲' '样张甲 or statement' 'media:pdf 样张甲' \\
                'statemant' 'size>1 样张甲'; do
                echo "$query: $($Q find -q "$query" --json 2> none | jq -r '.title + " " + (.key // "")' | sort | paste -sd,)"
            done
            $Q find 样张甲 | grep -c 'text: [*][*][*][*]$'; $Q find 样张甲 --reveal | grep -c 'text: .*样张甲'
            $Q find --count 样张甲; $Q ls --json | jq -r .kind | sort | paste -sd,; $Q export -o - | grep -c 样张甲
            """, environment: vault)
        #expect(
            outcome.text == """
                10
                qvault: would read: scan.jpg
                qvault: would read: text.pdf
                1
                ["text.pdf",20,false]
                样张甲: scan.jpg text
                yangzhangjia: scan.jpg text
                statement title:text: text.pdf text
                kind:attachment not 样张甲: text.pdf 
                样张甲 or statement: scan.jpg text,text.pdf text
                media:pdf 样张甲: 
                statemant: 
                size>1 样张甲: scan.jpg text
                1
                1
                1
                attachment,attachment,note
                0

                """, "\(outcome)")
    }

    /// The text is of the content that it was read from, and goes where its attachment goes.
    @Test func textFollowsItsAttachment() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            exec 2>&1; set -e; $Q attach add -q 张三 scan.jpg --ocr; $Q find -q --count 样张甲
            $Q attach add -q 张三 scan.jpg; $Q find -q --count 样张甲
            convert-im6.q16 -size 400x200 xc:white plain.jpg 2> none || /usr/bin/python3 -c '
            from PIL import Image; Image.new("RGB", (400, 200), "white").save("plain.jpg")'
            cp scan.jpg old.jpg; cp plain.jpg scan.jpg; $Q attach add -q 张三 scan.jpg; $Q find -q --count 样张甲
            $Q attach ocr scan.jpg; $Q attach text scan.jpg | wc -c
            cp old.jpg scan.jpg; $Q attach add -q 张三 scan.jpg --ocr; $Q attach rm -q scan.jpg; $Q find -q --count 样张甲
            $Q undelete -q $($Q ls --trash --json | jq -r 'select(.kind == "attachment") | .id'); $Q find -q --count 样张甲
            $Q attach ocr --clear -n 2>&1; $Q attach ocr --clear; $Q find -q --count 样张甲
            $Q attach ocr 张三; $Q find -q --count 样张甲; $Q compact -q; $Q purge -q --trash --yes; $Q verify > none; $Q find -q --count 样张甲
            """, environment: vault)
        #expect(
            outcome.text == """
                1
                1
                0
                1
                0
                1
                0
                1
                1

                """, "\(outcome)")
    }

    /// Two computers that read the same have nothing to settle, whatever either read.
    @Test func twoReadingsOfOneAttachmentAreMerged() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            set -e; $Q attach add -q 张三 scan.jpg; cp v.qvault b.qvault; $Q attach ocr -q
            XDG_STATE_HOME=$PWD/other $Q attach ocr -q -f b.qvault --languages eng; $Q merge -q b.qvault; $Q verify > none
            $Q find -q --count kind:attachment; $Q ls --json | jq -r .kind | sort | paste -sd,; $Q attach text scan.jpg | grep -c .
            """, environment: vault)
        let lines = outcome.text.split(separator: "\n")
        #expect(outcome.code == 0 && lines.prefix(2) == ["1", "attachment,note"], "\(outcome)")
        #expect(lines.count == 3 && Int(lines[2]) ?? 0 > 2, "\(outcome)")
    }

    /// A file that cannot be read is named, and the rest is read; a language that is not installed is told with its package.
    @Test func whatCannotBeReadIsNamed() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            exec 2>&1; qpdf --encrypt a b 256 -- pages/text.pdf encrypted.pdf; cp pages/cut.pdf pages/text.pdf .
            $Q attach add -q 张三 scan.jpg encrypted.pdf cut.pdf --ocr; echo $?; $Q find -q --count 样张甲
            $Q attach ocr 张三; echo $?
            $Q attach ocr scan.jpg --again --languages chi_sim+xyz; echo $?
            for languages in '' + chi_sim+ ../eng 'a b'; do $Q attach ocr -q --languages "$languages" scan.jpg; echo $?; done
            $Q attach add 李四 scan.jpg --ocr; $Q attach add 张三 pages/text.pdf --languages eng; $Q attach ocr --clear --again; $Q attach text text.pdf; echo $?
            """, environment: vault)
        let text = outcome.text
        #expect(text.contains("encrypted.pdf: not read: it takes a password to open\n"), "\(outcome)")
        #expect(text.contains("cut.pdf: not read: it "), "\(outcome)")
        #expect(text.contains("tesseract knows of the language 'xyz', which is not installed\n"), "\(outcome)")
        #expect(text.contains("hint: install tesseract-ocr-xyz\n11\n"), "\(outcome)")
        #expect(text.contains("no record '李四'"), "\(outcome)")
        #expect(text.components(separatedBy: "--languages takes names").count == 5, "\(outcome)")
    }

    /// A person who stops it keeps what was read.
    @Test func whatWasReadBeforeAStopIsKept() throws {
        let sandbox = try fixture()
        let outcome = try sandbox.shell(
            """
            exec 2>&1; $Q attach add -q 张三 scan.jpg pages/scan.pdf; timeout --preserve-status -s INT 8 $Q attach ocr scan.jpg scan.pdf; echo $?
            $Q find -q --count 样张甲; $Q attach text scan.pdf; echo $?; $Q verify > none; echo $?
            """, environment: vault)
        #expect(
            outcome.text == """
                qvault: stopped: what was read is saved; 'qvault attach ocr' goes on
                1
                1
                qvault: the text of 'scan.pdf' was not read yet
                qvault: hint: 'qvault attach ocr scan.pdf' reads it
                10
                0

                """, "\(outcome)")
    }
}
