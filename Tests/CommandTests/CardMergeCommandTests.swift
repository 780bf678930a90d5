import Foundation
import Testing

/// Two copies of one vault were changed: whatever either side did is there after a merge, whoever merges.
struct CardMergeCommandTests {
    /// What is done on a side to card T, which has the file `old.pdf`, and what must be there after a merge in either
    /// direction: words of `card show` and `attach list`.
    struct Case: CustomTestStringConvertible, Sendable {
        let name, mine, theirs: String
        let shown: [String]
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "a tag and a pin", mine: "tag T aa", theirs: "pin T", shown: ["pinned", "tags: aa"]),
        Case(name: "two tags", mine: "tag T aa", theirs: "tag T bb", shown: ["aa, bb"]),
        Case(
            name: "a title, and a tag before an edit", mine: "card edit T --title NEW",
            theirs: "tag T bb && q card edit T username=w", shown: ["NEW", "tags: bb", " w"]),
        Case(
            name: "removed and brought back, and a title", mine: "card rm T && q undelete T",
            theirs: "card edit T --title TB", shown: ["TB", "old.pdf"]),
        Case(
            name: "removed, and edited", mine: "card rm T", theirs: "card edit T username=w", shown: [" w", "old.pdf"]),
        Case(
            name: "removed, and a file more", mine: "card rm T", theirs: "attach add T new.pdf",
            shown: ["T", "old.pdf", "new.pdf"]),
        Case(
            name: "purged, and a file more", mine: "purge T --yes", theirs: "attach add T new.pdf",
            shown: ["T", "old.pdf", "new.pdf"]),
        Case(
            name: "a file of one name", mine: "attach add T new.pdf", theirs: "attach add T other/new.pdf",
            shown: ["/new.pdf", "new (conflict"]),
        Case(
            name: "a password in other code points", mine: "card edit T password=$(printf 'e\\314\\201')",
            theirs: "card edit T username=w", shown: [" w", "e\u{301}"]),
        Case(
            name: "own fields on both", mine: "card edit T b=1 && q card edit T c=2", theirs: "card edit T a=3",
            shown: [" 1", " 2", " 3"]),
    ]

    @Test(arguments: cases) func nothingIsLost(_ item: Case) throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            set -e; for f in old new other/new; do mkdir -p other; echo "%PDF-1.4 $f" > $f.pdf; done
            $Q create a.qvault; $Q card add login --title T username=u password=\u{E9} -f a.qvault
            $Q attach add T old.pdf -f a.qvault; cp a.qvault b.qvault
            export QVAULT_FILE; q() { $Q "$@" --allow-rollback; }
            QVAULT_FILE=a.qvault; q \(item.mine); QVAULT_FILE=b.qvault; q \(item.theirs)
            cp a.qvault a0.qvault; cp b.qvault b0.qvault
            for pair in "a b0" "b a0"; do
                set -- $pair; QVAULT_FILE=$1.qvault; q merge $2.qvault > said; $Q verify > said
                name=$($Q card list --json --allow-rollback | grep -o '"title":"[^"]*"' | head -1 | cut -d'"' -f4)
                q card show "$name" --reveal; q attach list; echo =
            done
            for round in 1 2; do
                QVAULT_FILE=a.qvault; q merge b.qvault > last; QVAULT_FILE=b.qvault; q merge a.qvault >> last
            done
            q diff a.qvault | grep -v conflict || true; cat last
            """)
        #expect(outcome.code == 0, "\(outcome)")
        let parts = outcome.text.components(separatedBy: "=\n")
        for part in parts.prefix(2) {
            for word in item.shown { #expect(part.contains(word), "\(word): \(outcome.text)") }
        }
        if item.name != "a file of one name" { #expect(parts.count == 3 && parts[2].isEmpty, "\(outcome.text)") }
    }

    /// The answers to what is due are joined; a value that both set otherwise is kept under a name of a setting.
    @Test func settingsAreMerged() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            set -e; export QVAULT_FILE=a.qvault; day=$(date -d '+20 days' +%F); q() { $Q "$@" --allow-rollback; }
            $Q create a.qvault; for n in 1 2; do
                $Q card add passport --title P$n name=a number=E1234567$n valid_until=$day; done
            cp a.qvault b.qvault; q due snooze P1 2w; q config set x.y 1
            QVAULT_FILE=b.qvault; q due done P2; q config set x.y 2
            QVAULT_FILE=a.qvault; q merge b.qvault > said; q due --within 30d | grep -c P || true; q config list | cut -c1-20
            q config set due.answers text; q due done P1 || echo $?; q config get due.answers
            """)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.text.hasPrefix("0\ndue.answers"), "\(outcome)")
        #expect(outcome.text.contains("x.y-conflict-") && outcome.text.hasSuffix("11\ntext\n"), "\(outcome)")
    }

    /// `resolve` takes what the copy has with what hides it, and its files with marks and shares; it leaves alone what is
    /// no copy.
    @Test func resolveLosesNothing() throws {
        let sandbox = try Sandbox()
        try sandbox.write("mine/p.jpg", Sandbox.jpeg())
        try sandbox.write("theirs/p.jpg", Sandbox.jpeg() + Data([0]))
        let outcome = try sandbox.shell(
            """
            set -e; export QVAULT_FILE=a.qvault; q() { $Q "$@" --allow-rollback; }; $Q create a.qvault
            $Q card add login --title S username=u; $Q card add note --title N text=t
            $Q card add note --title 'N (conflict 1990)' text=own; cp a.qvault b.qvault; cp a.qvault c.qvault
            q card edit S username=a; q attach add S mine/p.jpg
            QVAULT_FILE=b.qvault; q card edit S username=b; q pin S; q attach add S theirs/p.jpg
            q watermark set S/p.jpg --text MARK; q share S/p.jpg -o out.jpg --recipient Bob --purpose rent --text '{recipient} {purpose}'
            printf '{"format":"quickvault-export","version":1}\\n' > pin; $Q export -o - --allow-rollback | grep '"S"' |
                sed 's/"username":"b"}/"username":"b"},"own":[{"label":"PIN","value":"1234","sensitive":true}]/' >> pin
            q import pin
            QVAULT_FILE=c.qvault; q card edit S username=c extra=1
            QVAULT_FILE=a.qvault; q merge b.qvault > said; q merge c.qvault > said; q card list | grep -c 'S (conflict'
            q resolve --all; q card list | grep -c conflict; q card show S; q card show S --field PIN
            $Q cat S/p.jpg | cmp - mine/p.jpg
            name=$(q attach list S | grep -o 'S/.*p.*jpg' | grep -v 'S/p.jpg'); $Q cat "$name" | cmp - theirs/p.jpg
            q shares | grep -c Bob; q card show 'N (conflict 1990)' | tail -1; $Q verify | cut -c 1-15
            """)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.text.hasPrefix("2\n1\nS  (login)") || outcome.text.contains("2\n1\n"), "\(outcome)")
        for word in ["pinned", " a\n", "extra", "PIN", "****", "MARK", "1234\n1\n", "own\n", "sound"] {
            #expect(outcome.text.contains(word), "\(word): \(outcome)")
        }
    }

    /// Which of two cards of one name a copy belongs to is not guessed.
    @Test func resolveDoesNotGuess() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            set -e; export QVAULT_FILE=a.qvault; q() { $Q "$@" --allow-rollback; }; $Q create a.qvault
            $Q card add login --title S username=u; cp a.qvault b.qvault; q card edit S username=a
            QVAULT_FILE=b.qvault; q card edit S username=b; QVAULT_FILE=a.qvault; q merge b.qvault > said
            q card add login --title S username=second; q resolve --all || echo $?; q card list | wc -l
            ids=$(q card list --json | jq -r 'select(.title != "S") | .id[0:8]') first=$(q card list --json |
                jq -r 'select(.title == "S") | .id' | while read id; do
                    test "$(q card show $id --field username)" = a && echo $id; done)
            q resolve --all $first $ids; q card list | wc -l; q card show $first --field username
            """)
        #expect(outcome.text == "1\n3\n2\na\n", "\(outcome)")
        #expect(outcome.errors.contains("it is not known which card"), "\(outcome)")
    }

    /// The settings file keeps its other lines, comments, line ends and symbolic link.
    @Test func settingsKeepTheFile() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            mkdir -p .config/quickvault real; printf 'language = en\\r\\nlockout = 60s # slow\\r\\n# \\377\\r\\n' > real/config
            ln -s ../../real/config .config/quickvault/config; $Q settings lockout; $Q settings set lockout 90s
            $Q settings set viewer feh; test -L .config/quickvault/config && od -An -c real/config | tr -d ' \\n'
            """)
        #expect(outcome.text.contains("60s"), "\(outcome)")
        #expect(
            outcome.text.hasSuffix(#"language=en\r\nlockout=90s#slow\r\n#377\r\nviewer=feh\n"#), "\(outcome)")
    }

    /// Two machines that changed different fields of a card have one card afterwards, and both the same.
    @Test func cardsAreMergedByField() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            set -e; $Q create a.qvault; q() { v=$1; shift; $Q "$@" -f $v.qvault; }
            q a card add login --title site username=li password=old url=https://a
            q a card add login --title both username=li; cp a.qvault b.qvault
            q a card edit site password=new; q a tag site work; q a card edit both username=mine
            q b card edit site url=https://b pin=12 --allow-rollback; q b card edit both username=theirs
            $Q merge -f a.qvault b.qvault --allow-rollback | sort
            q a card show site --reveal | tail -n +2; q a card list | wc -l; $Q merge -f a.qvault b.qvault | wc -l
            $Q merge -f b.qvault a.qvault --allow-rollback | cut -d' ' -f1 | sort -u; $Q diff -f a.qvault b.qvault | grep -c site || true
            q a card edit site username=wang; $Q diff -f b.qvault a.qvault | grep -c 'site  (username)'
            """)
        let site = """
            tags: work
            user name  li
            password   new
            web site   https://b
            pin        12

            """
        #expect(
            outcome.text.contains(site) && outcome.text.hasPrefix("joined        site\nkept both     both")
                && outcome.text.hasSuffix("\n3\n0\ntaken\n0\n1\n"), "\(outcome)")
    }

    /// A conflict is walked through at the terminal, and the copy that Syncthing left is found.
    @Test func conflictsAreResolved() throws {
        let sandbox = try Sandbox()
        let typist = "/usr/bin/python3 $REPOSITORY/Tests/Scripts/typist.py $Q"
        try sandbox.write("p.jpg", Sandbox.jpeg())
        let outcome = try sandbox.shell(
            """
            set -e; $Q create a.qvault; q() { v=$1; shift; $Q "$@" -f $v; }; b=a.sync-conflict-20260101-120000-ABC.qvault
            q a.qvault card add login --title site username=li url=https://a; cp a.qvault $b
            q a.qvault card edit site username=mine url=https://m
            q $b card edit site username=theirs url=https://t pin=12 --allow-rollback; q $b attach add site p.jpg
            $Q -f a.qvault | grep -c sync-conflict; $Q merge -f a.qvault --allow-rollback > merged; grep -c 'kept both' merged
            \(typist) resolve -f a.qvault -- 'user name' 2 'web site' 1 > said
            q a.qvault card list | wc -l; q a.qvault card show site | tail -n +2; $Q resolve -f a.qvault
            """)
        #expect(outcome.code == 0 && outcome.text.hasPrefix("1\n1\n1\n"), "\(outcome)")
        for value in ["theirs", "https://m", "pin        12", "p.jpg"] {
            #expect(outcome.text.contains(value), "\(outcome)")
        }
    }
}
