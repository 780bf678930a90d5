/// Verbs that the page may run, and the options that each may get. An entry that ends in `=` takes any value, others are
/// taken as they stand. What runs other programs, reads files of this machine by their names or takes a vault out is not among them.
enum AllowedVerbs {
    private static let mark: Set<String> = [
        "--recipient=", "--purpose=", "--until=", "--opacity=", "--clear", "--strong", "--light", "--text=",
        "--template=",
        "--hide=", "--for=", "--width=", "--no-sign", "--no-trace", "--allow-faint",
    ]

    static let all: [String: Set<String>] = [
        "app list": ["--json", "--preset=", "--sort="],
        "app presets": ["--json"],
        "app show": ["--json"],
        "app text": [],
        "attach add": ["--as="],
        "attach rm": [],
        "attach straighten": ["--corners=", "--turn=", "--as=", "--dry-run"],
        "asset update": [],
        "backup": ["--to=", "--with-reader", "--json"],
        "card add": ["--title=", "--group=", "--tag=", "--json"],
        "card edit": ["--title=", "--group=", "--ungroup", "--tag=", "--untag="],
        "card kinds": ["--json"],
        "card rm": [],
        "config rm": [],
        "config set": ["--type="],
        "dashboard": ["--json"],
        "diff": ["--at=", "--json"],
        "due": ["--json", "--within="],
        "due done": [],
        "due snooze": [],
        "fund": ["--json"],
        "fund chart": ["--today", "--days=", "--json"],
        "fund import": ["--json"],
        "fund update": [],
        "group": ["--off"],
        "key list": ["--json"],
        "key recovery": [],
        "ls": ["--trash", "--json"],
        "month": ["--dry-run", "--json", "--yes"],
        "mv": [],
        "pin": ["--off"],
        "position": ["--json"],
        "position set": ["--reason="],
        "put": ["--as="],
        "rekey password": [],
        "restore": ["--drill", "--json"],
        "rm": [],
        "share": mark.union(["--note=", "--layout=", "--output=-", "--preview"]),
        "shares": ["--json"],
        "shares revoke": [],
        "snapshot": [],
        "snapshot list": ["--json"],
        "tag": ["--off"],
        "trace": ["--json"],
        "undelete": [],
        "undo": ["--json"],
        "verify-copy": ["--json"],
        "watermark templates": ["--json"],
    ]

    /// Options without which a verb would do more than the page may, or write a file of this machine.
    private static let required: [String: String] = ["restore": "--drill", "share": "--output=-"]

    /// Verbs that want the secret once more, which a session does not replace.
    private static let again: Set<String> = ["key recovery", "rekey password"]

    /// Verbs that take no vault.
    private static let withoutVault: Set<String> = ["card kinds", "verify-copy", "watermark templates"]

    /// A call in its parts.
    struct Call {
        let verb: [String], options: [String], operands: [String]

        var wantsSecret: Bool { again.contains(verb.joined(separator: " ")) }

        var takesVault: Bool { !withoutVault.contains(verb.joined(separator: " ")) }
    }

    /// Verbs of which an operand would be another vault.
    private static let withoutOperands: Set<String> = ["diff"]

    /// Verbs to which `-` is the file on their standard input.
    private static let reading: Set<String> = ["fund import", "put"]

    /// The operands of a verb that are files: these have to be such as the page has sent.
    private static let files: [String: PartialRangeFrom<Int>] = [
        "fund import": 0..., "put": 0..., "attach add": 1..., "trace": 0..., "verify-copy": 0...,
    ]

    /// Reads `verb words…, options…, --, operands…`; nil where that is nothing that the page may do.
    ///
    /// - Parameters:
    ///   - paths: the files that the page has sent along, as the command finds them.
    ///   - hasInput: whether one of them is the command's standard input.
    static func call(_ words: [String], paths: [String], hasInput: Bool) -> Call? {
        let end = words.firstIndex(of: "--") ?? words.endIndex
        let head = words[..<end]
        let options = head.drop { !$0.hasPrefix("-") }
        let verb = head.prefix { !$0.hasPrefix("-") }.joined(separator: " ")
        let operands = Array(words[end...].dropFirst())
        guard let allowed = all[verb] else { return nil }
        let areAllowed = options.allSatisfy { option in
            let name = option.firstIndex(of: "=").map { String(option[...$0]) }
            return allowed.contains(option) || name.map(allowed.contains) ?? false
        }
        let sent = paths + (hasInput && reading.contains(verb) ? ["-"] : [])
        let areSent = files[verb].map { places in
            operands.indices.allSatisfy { !places.contains($0) || sent.contains(operands[$0]) }
        }
        let isWhole = required[verb].map(options.contains) ?? true
        let areMeant = operands.isEmpty || !withoutOperands.contains(verb)
        guard areAllowed, areSent ?? true, areMeant, isWhole else { return nil }
        return Call(verb: verb.split(separator: " ").map(String.init), options: Array(options), operands: operands)
    }
}
