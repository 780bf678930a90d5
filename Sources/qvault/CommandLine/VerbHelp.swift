import VaultFormat

extension Verb {
    /// Its options and those that every verb has.
    var allOptions: [Option] { options + [.quiet, .plain, .lang, .help] }

    /// Options, a line each.
    static func rows(_ options: [Option]) -> String {
        inColumns(options.map { ["  " + $0.usage, $0.help.said] }).map { $0 + "\n" }.joined()
    }

    /// The command with its operands.
    var usage: Phrase { "\(Product.name) \(name) \(Placeholder.said(operands))" }

    /// The text of `qvault VERB --help`.
    var help: String {
        let common = Set(Option.common.map(\.name))
        let options = Self.rows(allOptions.filter { !common.contains($0.name) })
        let names = allOptions.filter { common.contains($0.name) }.map(\.name.word)
        let rest: Phrase = "common options, for 'qvault help options': \(names.joined(separator: ", "))"
        let title: (Phrase, Phrase, Phrase) = ("usage:", "options:", "example:")
        return """
            \(summary.said)

            \(title.0.said) \(usage)

            \(title.1.said)
            \(options)  \(rest.said)

            \(title.2.said)
              \(Product.calling(example.command))
                  \(example.note.said)

            """
    }
}

extension Option {
    /// Its names and its value, as help and manual show them.
    var usage: String { names.joined(separator: ", ") + (value.map { " " + Placeholder.said($0) } ?? "") }
}
