import Values

/// The program that these sources are built into.
enum Product {
    static let name = "qvault-verify"

    /// A message, with this program's name in the commands that it has; other commands stay.
    static func calling(_ message: String) -> String {
        VerbIndex.verify.all.reduce(message) { text, verb in
            replacing(["qvault", verb.name].joined(separator: " "), by: "\(name) \(verb.name)", in: text)
        }
    }

    private static func replacing(_ old: String, by new: String, in text: String) -> String {
        var (result, rest) = ([UInt8](), Array(text.utf8)[...])
        while let first = rest.first {
            let isFound = rest.starts(with: old.utf8)
            result += isFound ? Array(new.utf8) : [first]
            rest = rest.dropFirst(isFound ? old.utf8.count : 1)
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension VerbIndex {
    /// The verbs for machines that keep other people's backups.
    static let verify = VerbIndex([
        "Backups and damage": [.verify, .repair, .parityAdd, .serve.unlogged]
    ])
}
