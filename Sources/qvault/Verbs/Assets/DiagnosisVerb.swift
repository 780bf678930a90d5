import Portfolio
import VaultFormat
import Cards
import VaultIO

extension Verb {
    static let diagnosisImport = Verb.at(
        name: "diagnosis import", summary: "keep a report that somebody wrote on the figures of 'report --json'",
        operands: "FILE|-", options: [.vault, .wait, .savesAsJSON] + Option.use,
        example: "qvault diagnosis import report.json",
        note: "JSON with issues_summary: a list of objects with issue, severity and detail"
    ) { path, arguments in
        let isPiped = arguments.operands[0] == Array("-".utf8)
        let bytes = try isPiped ? StandardInput.all(upTo: Setting.byteCount) : file(BytePath(arguments.operands[0]))
        guard let report = Diagnosis(bytes) else {
            throw Failure(
                .invalid, "\(printable(arguments.operands[0])) is no report",
                hint: "a JSON object of up to 16 MiB with the list issues_summary: Spec/product/assets.md, 10")
        }
        let transaction = try Session.begin(path, arguments, readsInput: isPiped)
        try report.store(in: transaction)
        return try Session.commit(
            transaction, arguments, saying: "kept a report with issues: \(report.issues.count), score \(report.score)")
    }

    private static func file(_ path: BytePath) throws -> [UInt8] {
        let file = try Machine.store.files.openFile(path, writing: false)
        return try file.bytes(at: 0, count: Int(min(file.status().size, UInt64(Setting.byteCount))))
    }

    static let diagnosisShow = Verb.reading(
        name: "diagnosis show", summary: "show the report that is kept: its score, issues and recommendations",
        options: [.isPrivate, .json],
        example: "qvault diagnosis show",
        note: "the score is 100, minus 10 for each high issue and 3 for each other one"
    ) { vault, arguments in
        guard let report = try Diagnosis(vault) else {
            throw Failure(.notFound, "no report is kept", hint: "'qvault diagnosis import FILE' keeps one")
        }
        return try StandardOutput.print(Diagnosis.line, [report], arguments) { $0.text(arguments.has(.private)) }
    }
}

extension Diagnosis {
    /// What the report says; with amounts hidden its titles alone, without digits.
    fileprivate func text(_ isPrivate: Bool) -> String {
        func shown(_ text: String) -> String {
            let text = printable(text.utf8)
            return isPrivate ? String(text.map { $0.isNumber ? "*" : $0 }) : text
        }
        let state: Phrase = score >= 80 ? "good" : score >= 60 ? "look at it" : "bad"
        let head: Phrase = "score \(score) (\(state))"
        var lines = [[date.map { printable($0.utf8) }, head.said].compactMap(\.self).joined(separator: "  ")]
        for issue in issues {
            lines.append("\(padded(printable(issue.severity.utf8), 6))  \(shown(issue.title))")
            if !isPrivate, !issue.detail.isEmpty { lines.append("        \(shown(issue.detail))") }
        }
        for (title, approach) in recommendations {
            lines.append("→ \(shown(title))" + (isPrivate || approach.isEmpty ? "" : ": \(shown(approach))"))
        }
        return lines.joined(separator: "\n")
    }
}
