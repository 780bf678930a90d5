import Foundation
import Testing

/// Cards as people type them, and what goes wrong with them.
struct CardCommandTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let script: String
        let code: Int32
        let says: String

        init(_ name: String, _ script: String, _ code: Int32, _ says: String) {
            (self.name, self.script, self.code, self.says) = (name, script, code, says)
        }

        var testDescription: String { name }
    }

    static let refusals: [Case] = [
        .init("an unknown kind", "$Q card add adress x=y", 11, "did you mean address?"),
        .init("an unknown field", "$Q card add contact name=a emial=b", 11, "did you mean email?"),
        .init("no field", "$Q card add contact name", 2, "give it as KEY=VALUE"),
        .init("a field twice", "$Q card add contact name=a name=b", 11, "name: is given twice"),
        .init("a required field that is blank", "$Q card add contact 'name=  '", 11, "name: is missing"),
        .init("two lines in a line", "$Q card add contact \"name=$(printf 'a\\nb')\"", 11, "more than one line"),
        .init("a control character", "$Q card add note \"text=$(printf 'a\\033[2Jb')\"", 11, "control characters"),
        .init("bytes that are no text", "$Q card add note \"text=$(printf '\\377')\"", 11, "is not UTF-8"),
        .init("a title that is too long", "$Q card edit n --title $(printf %0256d 0)", 11, "longer than 255 bytes"),
        .init("fields, and a tag that is none", "$Q card edit n text=other --tag a,b", 11, "a tag has no comma"),
        .init("a group and none", "$Q card edit n --group g --ungroup", 2, "do not go together"),
        .init("a setting of an empty input", "$Q config set a.b --type secret", 2, "standard input has no value"),
        .init("a tag of two lines", "$Q tag n \"$(printf 'a\\nb')\"", 11, "more than one line"),
        .init("33 tags", "$Q tag n $(seq 33)", 11, "takes 32 tags, not 33"),
        .init("a card that is not there", "$Q card show m", 10, "no record 'm'"),
        .init("a field that is not there", "$Q card show n --field x", 10, "no field 'x'"),
        .init("an editor that fails", "EDITOR=false $Q card edit n", 15, "nothing was saved"),
        .init("no clipboard", "env -u DISPLAY -u WAYLAND_DISPLAY setsid $Q copy n", 15, "--stdout prints it"),
        .init("a page of the clipboard that is not there", "$Q search old --copy 2 --stdout", 10, "only 1 cards"),
        .init("tags to be taken from nothing", "$Q tag --off", 2, "which tags?"),
        .init("a group that nothing leaves", "$Q group --off", 2, "which records?"),
        .init("standard output of nothing", "$Q search old --stdout", 2, "goes with --copy N"),
        .init("nothing to search for", "$Q search ' '", 2, "what for?"),
    ]

    @Test(arguments: refusals) func isRefusedAndNothingIsSaved(_ item: Case) throws {
        let sandbox = try Sandbox.withNote()
        let before = try sandbox.read("v.qvault")
        let outcome = try sandbox.shell("export QVAULT_FILE=v.qvault; \(item.script) </dev/null")
        #expect(outcome.code == item.code && outcome.errors.contains(item.says), "\(outcome)")
        #expect(try sandbox.read("v.qvault") == before)
    }

    /// Fields, title, group and tags of a card are one save, which `undo` takes back as one.
    @Test func oneSaveChangesAll() throws {
        let outcome = try Sandbox.withNote().shell(
            """
            export QVAULT_FILE=v.qvault; show() { $Q card show "$1" --json | grep -o '"title.*"tags":[^]]*]'; }
            $Q card edit n -q --group 家 --tag a --tag b
            $Q card edit n -q text=other --title m --group work --untag a --tag c --tag b; show m; $Q card show m --field text
            $Q undo -q; show n; $Q card edit n -q --ungroup --untag none; show n
            $Q card edit n --tag b; echo $?
            """)
        #expect(
            outcome.text == """
                "title":"m","group":"work","tags":["b","c"]
                other
                "title":"n","group":"家","tags":["a","b"]
                "title":"n","group":null,"tags":["a","b"]
                0

                """, "\(outcome)")
    }

    /// Typed text comes back as it was typed, and harms no terminal.
    @Test func whateverIsTyped() throws {
        let sandbox = try Sandbox.withNote()
        let values = [
            "👨‍👩‍👧 🏠", "\u{202E}abc\u{202C}", "é e\u{301}", "a\tb\nc\n\n  d ", "“quoted” \"\\n\" $HOME `x`", "=a=b",
        ]
        for value in values {
            try sandbox.write("value", value)
            try sandbox.shell("$Q card edit -f v.qvault n \"text=$(cat value; echo x)\"")
            let shown = try sandbox.shell("$Q copy -f v.qvault n --stdout --field text").text
            #expect(shown == value + "x\n")
            let json = try sandbox.shell("$Q card show -f v.qvault n --json").text
            let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
            #expect((object?["fields"] as? [String: String])?["text"] == value + "x")
            let terminal = try sandbox.shell("$Q card show -f v.qvault n").text
            #expect(!terminal.unicodeScalars.contains { $0.value == 0x202E || $0.value == 0x1B })
        }
    }

    /// 1 MiB is taken, a byte more is not.
    @Test func aMebibyteOfText() throws {
        let sandbox = try Sandbox.withNote()
        let edit = "printf '#!/bin/sh\\ncat sheet > \"$1\"\\n' > e; chmod +x e; EDITOR=./e $Q card edit -f v.qvault n"
        try sandbox.write("sheet", "title: n\ntext: " + String(repeating: "x", count: 1 << 20) + "\n")
        #expect(try sandbox.shell(edit).code == 0)
        #expect(try sandbox.shell("$Q copy -f v.qvault n --stdout --field text").text.utf8.count == 1 << 20 | 1)
        try sandbox.write("sheet", "title: n\ntext: " + String(repeating: "x", count: 1 << 20 | 1) + "\n")
        let outcome = try sandbox.shell(edit)
        #expect(outcome.code == 11 && outcome.errors.contains("longer than 1 MiB"))
    }

    @Test func twoCardsOfOneTitle() throws {
        let sandbox = try Sandbox.withNote()
        try sandbox.shell("$Q card add -f v.qvault text --title n text=two && echo x > n && $Q put -f v.qvault n")
        let outcome = try sandbox.shell("$Q card show -f v.qvault n")
        #expect(outcome.code == 10 && outcome.errors.contains("'n' is ambiguous"))
        #expect(try sandbox.shell("$Q card show -f v.qvault text:n && $Q cat -f v.qvault n").code == 0)
    }

    /// An id names one record; nothing else of the same title goes.
    @Test func onlyWhatWasNamedGoes() throws {
        let sandbox = try Sandbox.withNote()
        let add = "$Q card add text text=x --title"
        try sandbox.shell(
            "export QVAULT_FILE=v.qvault; \(add) n; \(add) n/sub; echo x > n; $Q put n; $Q card rm note:n")
        let ids = try sandbox.shell("$Q card list -f v.qvault --kind text --json | grep '\"n\"' | cut -d'\"' -f4").text
        let id = ids.trimmingCharacters(in: .newlines)
        #expect(try sandbox.shell("$Q rm -f v.qvault \(id) && $Q ls -f v.qvault --trash | wc -l").text == "2\n")
        #expect(try sandbox.shell("$Q undelete -f v.qvault \(id) && $Q ls -f v.qvault --trash | wc -l").text == "1\n")
        #expect(try sandbox.shell("$Q purge -f v.qvault \(id) && $Q ls -f v.qvault | wc -l").text == "2\n")
        #expect(try sandbox.shell("$Q cat -f v.qvault n && $Q card show -f v.qvault n/sub").code == 0)
    }

    /// The editor works on memory; no file is made for it.
    @Test func noPlaintextOnDisk() throws {
        let sandbox = try Sandbox.withNote()
        try sandbox.shell("printf '#!/bin/sh\\nt=$(sed s/old/new/ \"$1\"); echo \"$t\" > \"$1\"\\n' > e; chmod +x e")
        let trace = "strace -f -e trace=openat,creat,memfd_create,mkdir,mknod -o trace"
        #expect(try sandbox.shell("EDITOR=./e \(trace) $Q card edit -f v.qvault n").code == 0)
        let calls = String(decoding: try sandbox.read("trace"), as: UTF8.self).split(separator: "\n")
        let made = calls.filter { ($0.contains("O_CREAT") || $0.contains("O_WRONLY")) && !$0.contains("= -1") }
        #expect(
            made.allSatisfy { $0.contains("/proc/self/fd/") || $0.contains("/log/") || $0.contains("/witness/") },
            "\(made)")
        #expect(calls.contains { $0.contains("memfd_create") })
        #expect(try sandbox.shell("$Q copy -f v.qvault n --stdout").text == "text: new\n")
    }

    @Test func removedAndPurged() throws {
        let sandbox = try Sandbox.withNote()
        try sandbox.shell("export QVAULT_FILE=v.qvault; $Q card add note --title m text=x && $Q card rm n")
        #expect(try sandbox.shell("$Q card list -f v.qvault").text.contains("  m\n"))
        #expect(try sandbox.shell("$Q undelete -f v.qvault n && $Q card rm -f v.qvault n m --purge").code == 0)
        #expect(try sandbox.shell("$Q ls -f v.qvault && $Q ls -f v.qvault --trash").text == "")
        #expect(try sandbox.qvault("verify", "v.qvault").code == 0)
    }

    /// A damaged card hides no other.
    @Test func searchGoesOnBesideDamage() throws {
        let sandbox = try Sandbox.withNote()
        let place = try sandbox.shell(
            "$Q card add -f v.qvault note --title m text=old '到期=2001-01-01'; $Q card edit -f v.qvault n '到期=2001-01-01'; $Q verify v.qvault --json >/dev/null; $Q info v.qvault --json"
        )
        #expect(place.code == 0)
        let size = try sandbox.read("v.qvault").count
        // Each card's stored record is somewhere behind the pages: one byte after the other until one card is hit.
        var isFound = false
        for offset in stride(from: size - 16_384, to: size, by: 64) where !isFound {
            let before = try sandbox.read("v.qvault")
            try sandbox.patch("v.qvault", at: offset) { $0 ^ 1 }
            let outcome = try sandbox.qvault("search", "-f", "v.qvault", "old", "--allow-rollback")
            if outcome.code == 5 || outcome.code == 6, outcome.errors.contains("left out") {
                #expect(outcome.text.split(separator: "\n").count == 1, "\(outcome)")
                let due = try sandbox.qvault("due", "-f", "v.qvault", "--allow-rollback")
                #expect(due.code == outcome.code && due.text.split(separator: "\n").count == 1, "\(due)")
                isFound = true
            }
            try sandbox.write("v.qvault", before)
        }
        #expect(isFound)
    }

    /// The bank of a card follows from its number, where the prefix is known; a person may say another.
    @Test func theBankFollowsFromTheNumber() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            $Q create v.qvault; export QVAULT_FILE=v.qvault; $Q card add bankcard --title a 'number=6222 0210 0111 6241 8'
            $Q card add bankcard --title b number=4111111111111111; echo $?
            $Q card add bankcard --title c number=4111111111111111 bank=Test && $Q card show c --field bank
            $Q card list | wc -l; $Q card show a --field bank
            """)
        #expect(outcome.text == "11\nTest\n2\n中国工商银行\n" && outcome.errors.contains("bank: is missing"), "\(outcome)")
    }

    /// A terminal that draws shows the thumbnails of a card; a pipe gets none.
    @Test func thumbnailsAreDrawn() throws {
        let sandbox = try Sandbox()
        try sandbox.write("p.jpg", Sandbox.jpeg())
        let outcome = try sandbox.shell(
            """
            $Q create v.qvault; export QVAULT_FILE=v.qvault KITTY_WINDOW_ID=1; $Q card add note --title n text=x
            $Q attach add n p.jpg; typist="/usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py"
            $typist $Q card show n -- | grep -c 'a=T,f=24'; $typist $Q card show n --plain -- | grep -c 'a=T,f=24'
            $Q card show n | grep -c 'a=T,f=24'
            """)
        #expect(outcome.text == "1\n0\n0\n", "\(outcome)")
    }

    /// One group in two spellings is one.
    @Test func groupsAreNotMadeTwice() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            $Q create v.qvault; export QVAULT_FILE=v.qvault; $Q card add note --title a text=x --group Personal
            $Q card add note --title b text=x --group personal; $Q card add note --title c text=x; $Q group c PERSONAL
            $Q group
            """)
        #expect(outcome.text == "Personal  3\n" && outcome.errors.contains("is called 'Personal' here"), "\(outcome)")
    }

    /// What a newcomer types next, and what the answers are: names with blanks, the one picture of a card, the order of words.
    @Test(arguments: [
        ("share 'Li Ming' --recipient A --purpose b -o s.jpg && ls s.jpg", "s.jpg", 0),
        ("watermark set Two --text x", "Two/a.jpg, Two/b.jpg", 10),
        ("share Two --recipient A --purpose b && ls", "b-A-20", 0), ("add card note", "did you mean card add?", 2),
        ("crad show", "did you mean card show?", 2), ("--verison", "did you mean --version?", 2),
        ("card add login username=u totp=123456", "(totp): ", 11), ("card show Twin", "(note)", 10),
        ("backup --to none", "is the disk plugged in?", 10),
        ("card add contact name=a birthday=2026-13-40", "is no day of the calendar", 11),
        ("card add address name=a phone=+447700900123 province=a city=b district=c address=d", "", 0),
    ])
    func whatNewcomersType(_ words: String, _ said: String, _ code: Int) throws {
        let sandbox = try Sandbox()
        try sandbox.write("a.jpg", Sandbox.jpeg())
        let outcome = try sandbox.shell(
            """
            $Q create v.qvault; export QVAULT_FILE=v.qvault; cp a.jpg b.jpg
            $Q card add note --title 'Li Ming' text=x; $Q attach add 'Li Ming' a.jpg
            $Q card add note --title 'Two' text=x; $Q attach add 'Two' a.jpg b.jpg
            $Q card add note --title Twin text=x; $Q card add login --title Twin username=u
            $Q \(words)
            """)
        #expect(
            Int(outcome.code) == code && (said.isEmpty || (outcome.text + outcome.errors).contains(said)), "\(outcome)")
    }

    /// Somebody saves while another has the card in the editor: both changes are kept.
    @Test func editedByTwo() throws {
        let sandbox = try Sandbox.withNote()
        let outcome = try sandbox.shell(
            """
            export QVAULT_FILE=v.qvault; $Q card edit n mine=1 theirs=1 both=1
            printf '#!/bin/sh\n$Q card edit n theirs=2 both=2; t=$(sed "s/^mine: 1/mine: 3/; s/^both: 1/both: 3/" "$1"); echo "$t" > "$1"\n' > e
            chmod +x e; EDITOR=./e $Q card edit n; $Q copy n --stdout
            """)
        #expect(outcome.text == "text: old\nmine: 3\ntheirs: 2\nboth: 3\n", "\(outcome)")
        #expect(outcome.errors.contains("both: was changed meanwhile too"), "\(outcome)")
    }
}
