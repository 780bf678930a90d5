import Foundation
import Testing

/// `qvault open`, and what it needs of the command. The window itself is tried by window_browser.py and window.py.
struct WindowTests {
    /// Arguments come from a descriptor, as they are: empty ones, with line breaks, that look like options.
    @Test func argumentsComeFromADescriptor() throws {
        let outcome = try Sandbox().shell(
            #"""
            $Q create v.qvault
            printf 'card\0add\0note\0--title\0a b\0-f\0v.qvault\0text=-x\n y\0' > words; $Q --arguments-fd 3 3< words
            printf 'card\0show\0--field\0text\0-f\0v.qvault\0--\0a b\0' > words; $Q --arguments-fd=3 3< words
            printf 'card\0show\0-f\0v.qvault\0--\0\0' > words; $Q --arguments-fd=3 3< words; echo $?
            """#)
        #expect(outcome.text == "-x\n y\n2\n", "\(outcome)")
    }

    /// What is no list of words is refused: a descriptor that is not open, words without an end, more than one argument.
    @Test func argumentsThatAreNoneAreRefused() throws {
        let outcome = try Sandbox().shell(
            #"""
            $Q --arguments-fd 9; echo $?; printf 'status' > words; $Q --arguments-fd 3 3< words; echo $?
            printf '' > words; $Q --arguments-fd 3 3< words; echo $?; printf 'help\0' > words; $Q --arguments-fd 3 help 3< words; echo $?
            $Q --arguments-fd x; echo $?; head -c 17000000 /dev/zero > words; $Q --arguments-fd 3 3< words; echo $?
            """#)
        #expect(outcome.text == "2\n2\n2\n2\n2\n2\n", "\(outcome)")
    }

    /// It says what is wrong before it serves: the port, the folder, a program that is missing.
    @Test func theWindowIsRefused() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            $Q open --port 0; echo $?; $Q open --port x; echo $?; $Q open -f no/v.qvault --no-browser; echo $?
            cp $(readlink -f $Q) alone; ./alone open --no-browser; echo $?
            $Q open --no-browser -f "$(printf 'a\\377.qvault')"; echo $?
            """)
        #expect(outcome.text == "2\n2\n10\n15\n11\n", "\(outcome)")
        #expect(outcome.errors.contains("qvault-window, which is not installed"), "\(outcome)")
    }

    /// The address has a token, the port that was asked for, and no second server on it; a signal ends it with 0.
    @Test func theWindowServes() throws {
        let outcome = try Sandbox().shell(
            """
            $Q create v.qvault
            $Q open --no-browser --json -f v.qvault > first & one=$!
            until test -s first; do sleep 0.05; done
            port=$(sed 's/.*127.0.0.1:\\([0-9]*\\).*/\\1/' first); grep -c '/#[0-9a-f]\\{64\\}"}$' first
            $Q open --no-browser --port $port -f v.qvault; echo $?
            kill $one; wait $one; echo $?
            # The first vault of a person, whose folder is not there yet.
            XDG_DATA_HOME=$PWD/data/new $Q open --no-browser > second & one=$!
            until test -s second; do sleep 0.05; done
            ls data/new; kill $one; wait $one; echo $?
            """)
        #expect(outcome.text == "1\n13\n0\nquickvault\n0\n", "\(outcome)")
        #expect(outcome.errors.contains("cannot serve on 127.0.0.1:"), "\(outcome)")
    }

    /// A preview goes to standard output, is signed by nobody, and is not noted; a page is a PDF there.
    @Test func previewsGoToStandardOutput() throws {
        let sandbox = try Sandbox()
        try sandbox.write("front.jpg", Sandbox.jpeg())
        let outcome = try sandbox.shell(
            """
            $Q create v.qvault; export QVAULT_FILE=v.qvault; $Q card add note --title n text=x; $Q attach add n front.jpg
            $Q share front.jpg --recipient A --purpose B --preview -o - > p.jpg; head -c 2 p.jpg | od -An -tx1; $Q shares | wc -l
            $Q share front.jpg --recipient A --purpose B --preview -o p2.jpg; echo $?
            $Q share n --layout a4 --recipient A --purpose B --preview -o - | head -c 2 | od -An -tx1
            $Q share n --layout a4 --recipient A --purpose B -o - | head -c 5; echo; $Q shares | wc -l
            $Q watermark file front.jpg --recipient A --purpose B --preview -o - | head -c 2 | od -An -tx1
            """)
        #expect(outcome.text == " ff d8\n0\n2\n ff d8\n%PDF-\n1\n ff d8\n", "\(outcome)")
    }
}
