import Foundation
import Testing

/// The page that opens vaults in a browser, as the command writes it. What it does there is tried by reader_browser.py.
struct ReaderPageTests {
    /// It is one file that loads nothing; another file is replaced only if asked; standard output has the same.
    @Test func theReaderIsWritten() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shell(
            """
            umask 22; $Q reader -o r.html --json; stat -c %a r.html; $Q reader -o - | cmp - r.html && echo same
            $Q reader -o r.html; echo $?; echo x > r.html; $Q reader -o r.html --force; $Q reader -o - | cmp - r.html && echo same
            $Q reader -o no/r.html; echo $?; $Q reader; echo $?; $Q create v.qvault; $Q reader -o v.qvault --force; echo $?
            """)
        #expect(
            outcome.text == "{\"path\":\"r.html\"}\n600\nsame\n12\nsame\n10\n2\n12\n", "\(outcome)")
        let page = try String(decoding: sandbox.read("r.html"), as: UTF8.self)
        #expect(page.utf8.count <= 150_000 && page.contains("default-src 'none'") && !page.contains("unsafe-inline"))
        for word in ["src=\"", "href=\"", "url(", "@import", "import("] { #expect(!page.contains(word), "\(word)") }
    }

    /// It is laid beside a backup, in the place of an older one, and not beside what goes to standard output.
    @Test func theReaderLiesBesideABackup() throws {
        let outcome = try Sandbox().shell(
            """
            $Q create v.qvault; mkdir a; $Q reader -o - | sed '$s/$/ old/' > a/qvault-reader.html
            $Q backup v.qvault --to a --with-reader -n --json | grep -o '"reader":"[^"]*"'; ls a | wc -l
            $Q backup v.qvault --to a --with-reader --json | grep -o '"reader":"[^"]*"'; $Q reader -o - | cmp - a/qvault-reader.html && echo same
            $Q backup v.qvault --to a --json | grep -o '"reader":[a-z]*'; $Q backup v.qvault -o - --with-reader | wc -c; ls a | wc -l
            """)
        #expect(
            outcome.text == """
                "reader":"a/qvault-reader.html"
                1
                "reader":"a/qvault-reader.html"
                same
                "reader":null
                0
                3

                """, "\(outcome)")
    }

    /// Another file of its name stays as it is, and no backup is made.
    @Test func theReaderReplacesNothingElse() throws {
        let outcome = try Sandbox().shell(
            """
            $Q create v.qvault; mkdir a; echo mine > a/qvault-reader.html
            $Q backup v.qvault --to a --with-reader; echo $?; $Q backup v.qvault -o a/b.qvault --with-reader; echo $?; cat a/*
            """)
        #expect(outcome.text == "12\n12\nmine\n" && outcome.errors.contains("is no reader"), "\(outcome)")
    }
}
