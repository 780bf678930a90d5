import Foundation
import Testing

/// Text from data (names, titles, fields, messages about files) never reaches the terminal with characters that steer it or
/// turn its direction. Every verb that prints is tried with hostile names.
struct TerminalTextTests {
    /// ESC, BEL, a C1 control, right-to-left override, line and paragraph separators.
    private static let hostile = "x\u{1B}[31m\u{07}\u{9B}\u{202E}\u{2028}\u{2029}y"

    private static let verbs = [
        "$Q ls", "$Q ls --json", "$Q history", "$Q history --json", #"$Q history "$N""#, #"$Q cat "$N none""#,
        #"$Q get "$N" -o "$N""#, #"$Q put "$N missing""#, #"$Q rm "$N none""#, "$Q diff --at 1",
        "$Q diff --at 1 --json",
        #"$Q search "$N none""#, "$Q search x", "$Q search x --json", "$Q card list", "$Q card list --json",
        "$Q card show card", #"$Q card show card --field "$N""#, "$Q card show card --json",
        #"$Q card show card --field "$N none""#, #"$Q card add note --title t "$N"=v"#, #"$Q card add "$N""#,
        #"$Q card edit card "$N none"=v="#, #"$Q copy card --field "$N none""#, "$Q attach list",
        "$Q attach list --json",
        #"$Q attach add card "$N""#, #"$Q tag card "$N""#, "$Q tag", #"$Q group card "$N""#, "$Q group",
        #"$Q config set "$N" v"#, #"$Q config get "$N""#, "$Q config list", #"$Q config unset "$N""#,
        #"$Q import "$N.csv""#, #"$Q import "$N.json""#, #"$Q import "$N.xml""#, #"$Q import bad.csv --kind note"#,
        "$Q import bad.json", "$Q import bad.xml", "$Q import bad.jsonl", #"$Q unpack "$N.qvault" -o "$N out""#,
        #"$Q verify "$N.qvault""#, #"$Q info "$N.qvault""#, #"$Q info "$N.qvault" --json"#,
        #"$Q backup -o "$N.qvault""#,
        #"$Q restore "$N none" -f v.qvault"#, #"$Q salvage v.qvault -o "$N.qvault""#, #"$Q merge "$N.qvault""#,
        #"$Q undelete "$N none""#, #"$Q purge "$N none""#, #"$Q watermark file "$N" --text a -o o.jpg"#,
        #"$Q watermark show "$N none""#, #"$Q share "$N none" --recipient "$N""#, "$Q shares", "$Q key list",
        #"$Q key add --label "$N" --new-password-file "$N""#, #"$Q "$N""#, #"$Q ls "--$N""#, #"$Q ls --lang "$N""#,
        #"$Q ls --at "$N""#, #"$Q create "$N.qvault""#, #"$Q destroy "$N none""#, #"$Q completion "$N""#,
        #"$Q log "$N""#, #"$Q status "$N none""#, "$Q export --format csv -o -", #"$Q ls --password-file "$N none""#,
    ]

    @Test func noVerbSteersTheTerminal() throws {
        let sandbox = try Sandbox()
        let name = Self.hostile
        try sandbox.write("names.env", "N='\(name)'\nexport QVAULT_FILE=v.qvault\n")
        try sandbox.write(name, "content")
        try sandbox.write("bad.csv", "\(name),text\nv,w\n")
        try sandbox.write(
            "bad.json", #"{"items":[{"type":1,"name":"\#(name)","fields":[{"name":"\#(name)","value":"a\u0001"}]}]}"#)
        try sandbox.write(
            "bad.xml",
            "<KeePassFile><Root><Group><Entry><String><Key>a\u{9B}\u{202E}</Key><Value Protected=\"True\">x</Value></String></Entry></Group></Root></KeePassFile>"
        )
        try sandbox.write(
            "bad.jsonl",
            #"{"format":"quickvault-export","version":1}"# + "\n"
                + #"{"kind":"note","title":"t","fields":{"\#("u\u{9B}\u{202E}")":1}}"# + "\n")
        let setUp = try sandbox.shell(
            """
            . ./names.env; $Q create v.qvault; $Q put "$N"; mkdir d; echo x > "d/$N"; $Q put d
            $Q card add note --title card text=x --field "own$(printf '\\302\\233')=v"; $Q card add note --title "$(printf 'x\\342\\200\\256y')" text=x
            cp v.qvault "$N.qvault"
            """)
        #expect(setUp.code == 0 || !setUp.errors.isEmpty)
        for verb in Self.verbs {
            let outcome = try sandbox.shell(". ./names.env; \(verb)")
            let isExport = verb.contains("export")
            for (what, text) in [("output", isExport ? "" : outcome.text), ("messages", outcome.errors)] {
                let bad = text.unicodeScalars.filter { scalar in
                    scalar != "\n" && scalar != "\t"
                        && [.control, .format, .lineSeparator, .paragraphSeparator].contains(
                            scalar.properties.generalCategory)
                }
                #expect(
                    bad.isEmpty,
                    "\(verb): \(what): \(bad.map { String($0.value, radix: 16) }): \(text.debugDescription)")
            }
            #expect(outcome.code >= 0, "\(verb)")
        }
    }
}
