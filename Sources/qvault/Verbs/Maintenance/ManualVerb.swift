import Glibc
import VaultFormat

extension Verb {
    /// - Parameter index: all verbs, as for `completion`.
    static func manual(_ index: @escaping @Sendable () -> VerbIndex) -> Verb {
        Verb(
            name: "man", summary: "read a manual page: of qvault, or of a verb", operands: "[VERB]",
            operandCount: 0...2,
            example: "qvault man pack", note: "in the pager; not to a terminal, the page is printed as roff"
        ) { arguments in
            let words = arguments.operands[...]
            // Also as the pages are called: key-list.
            let parts = words.count == 1 ? words[0].split(separator: UInt8(ascii: "-")).map(Array.init)[...] : words
            let page = try words.isEmpty ? Manual.page(index().all) : Manual.page(of: index().named(parts).verb)
            guard isatty(STDOUT_FILENO) == 1, isInstalled("man") else { return try StandardOutput.print(page) }
            let file = try MemoryFile("manual")
            try file.write(Array(page.utf8).span)
            return file.run("man -l") ? .done : .failure
        }
    }
}

/// Manual pages in the man macros of roff, from the verbs' declarations.
private enum Manual {
    private static func said(_ phrase: Phrase) -> String { escaped(phrase.said) }

    /// Backslashes, hyphens that are meant as such, and what roff would take for a command.
    private static func escaped(_ text: String) -> String {
        let plain = text.map { character in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            // A line may end behind any Chinese character.
            case "\u{2E80}"...: "\(character)\\:"
            default: String(character)
            }
        }.joined()
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }

    private static func head(_ name: String, _ summary: Phrase) -> String {
        """
        .TH \(name.uppercased()) 1 "" "qvault \(Program.version)"
        .nh
        .ad l
        .SH \(said("NAME"))
        \(escaped(name)) \\- \(said(summary))

        """
    }

    static func page(of verb: Verb) -> String {
        """
        \(head("qvault-\(verb.pageName)", verb.summary)).SH \(said("SYNOPSIS"))
        .B qvault \(verb.name)
        \(escaped(Placeholder.said(verb.operands)))
        .SH \(said("OPTIONS"))
        \(entries(verb.allOptions.map { ($0.usage, $0.help) })).SH \(said("EXAMPLE"))
        .EX
        \(escaped(verb.example.command))
        .EE
        .PP
        \(said(verb.example.note))
        .SH \(said("SEE ALSO"))
        .BR qvault (1)

        """
    }

    /// Words, each with what it means.
    private static func entries(_ rows: [(String, Phrase)]) -> String {
        rows.map { ".TP\n.B \(escaped($0))\n\(said($1))\n" }.joined()
    }

    static func page(_ all: [Verb]) -> String {
        let verbs = all.map { ".TP\n.BR \(escaped("qvault-" + $0.pageName)) (1)\n\(said($0.summary))\n" }.joined()
        let codes = entries(ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) })
        let settings = entries(Config.Key.allCases.map { ($0.usage, $0.meaning) })
        let examples = all.prefix(3).map {
            ".EX\n\(escaped($0.example.command))\n.EE\n.PP\n\(said($0.example.note))\n.PP\n"
        }.joined()
        return """
            \(head("qvault", "keep files in one encrypted file")).SH \(said("SYNOPSIS"))
            .B qvault
            \(escaped("VERB [OPTION…] …"))
            .SH \(said("DESCRIPTION"))
            \(said(description))
            .PP
            \(said(names))
            .SH \(said("VERBS"))
            \(verbs).SH \(said("ENVIRONMENT"))
            \(entries(environment)).SH \(said("EXIT STATUS"))
            \(codes).SH \(said("FILES"))
            \(entries(files)).SH \(said("CONFIGURATION"))
            \(settings).SH \(said("EXAMPLES"))
            \(examples)
            """
    }

    private static let description: Phrase = """
        A vault is one file that holds files and folders, encrypted and authenticated under a password. Saves are \
        appended: old versions stay until they are purged, and a save that is cut short leaves the one before. Damage is \
        told from tampering, and both from a wrong password, by the exit status.
        """
    private static let names: Phrase = """
        A name is a path in the vault, a title that is unique, kind:path, the first four or more digits of an \
        id, or a pattern such as 'scans/*.jpg'. Results go to standard output, all else to standard error.
        """

    private static let environment: [(String, Phrase)] = [
        ("QVAULT_FILE", "the vault, when no option names one"),
        ("QVAULT_PASSWORD_FILE", "the file that holds the password"),
        ("QVAULT_PASSWORD_COMMAND", "the command that prints the password"),
        ("QVAULT_LOG", "what is logged: info (all), warning, error, or off"),
        ("LC_ALL, LC_MESSAGES, LANG", "the language: Chinese where the first that is set begins with zh"),
    ]

    private static let files: [(String, Phrase)] = [
        ("$XDG_DATA_HOME/quickvault/default.qvault", "the vault when none is named"),
        ("$XDG_STATE_HOME/quickvault/log/", "what was done and how it ended, without names, for 30 days"),
        ("$XDG_STATE_HOME/quickvault/witness/", "the newest save that this machine has seen of each vault"),
        (
            "$XDG_STATE_HOME/quickvault/unlock/",
            "wrong attempts to unlock each vault, and the key slot that opened last"
        ),
        ("$XDG_CONFIG_HOME/quickvault/config", "settings for all vaults, a line each"),
    ]
}

extension Verb {
    /// As the names of manual pages have it.
    fileprivate var pageName: String { name.split(separator: " ").joined(separator: "-") }
}
