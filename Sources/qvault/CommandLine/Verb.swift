import VaultFormat

/// One verb of the command, declared once: the parser and the help both read this.
struct Verb: Sendable {
    let name: String
    /// Its purpose, in a line.
    let summary: Phrase
    /// The operands, as the help shows them.
    let operands: String
    let operandCount: ClosedRange<Int>
    let options: [Option]
    /// A line that works, and what is to be said of it.
    private(set) var example: (command: String, note: Phrase)
    let run: @Sendable (Arguments) throws -> ExitCode
    /// False of a verb that leaves no event in the log.
    private(set) var isLogged = true
    /// Which cards it is for, where a person picks one at the terminal instead of naming it.
    private(set) var picked: PickedCards?

    /// The same, leaving no event.
    var unlogged: Verb {
        var verb = self
        verb.isLogged = false
        return verb
    }

    /// The same, for a card that is picked at the terminal where none is named.
    func picking(_ wanted: PickedCards) -> Verb {
        var verb = self
        verb.picked = wanted
        verb.example.note = "\(example.note); without a name a terminal lists the cards"
        return verb
    }

    /// Words that people type for an option that has another name.
    private static let optionWords = [
        "--to": ["--recipient", "--output"], "--for": ["--purpose"], "--out": ["--output"],
        "--name": ["--title", "--as"], "--file": ["--vault"], "--expires": ["--until"],
    ]

    /// The option that a word was meant for, which is none.
    fileprivate func option(meantBy word: String) -> String? {
        let names = allOptions.flatMap(\.names)
        // A short word has to be nearer.
        return Self.optionWords[word]?.first(where: names.contains)
            ?? nearest(word, among: names, within: max(1, (word.count - 2) / 3))
    }

    /// - Parameter operandCount: where it is another than `operands` says.
    init(
        name: String, summary: Phrase, operands: String = "", operandCount: ClosedRange<Int>? = nil,
        options: [Option] = [], example: String, note: Phrase, run: @escaping @Sendable (Arguments) throws -> ExitCode
    ) {
        (self.name, self.summary, self.operands, self.options) = (name, summary, operands, options)
        (self.operandCount, self.run) = (operandCount ?? Self.count(of: operands), run)
        self.example = (example, note)
    }

    /// The operands that a form has: `NAME [KEY=VALUE…]` one or more, `[FILE]` one at most; the value of `-o` is none.
    private static func count(of form: String) -> ClosedRange<Int> {
        var (least, most, isOptional, isValue) = (0, 0, false, false)
        for word in form.split(separator: " ") {
            isOptional = isOptional || word.hasPrefix("[")
            let isOption = word.hasPrefix("-") || word.hasPrefix("[-")
            if !isOption, !isValue {
                least += isOptional ? 0 : 1
                most = most == .max || word.contains("…") ? .max : most + 1
            }
            isValue = isOption
            if word.hasSuffix("]") { isOptional = false }
        }
        return least...most
    }

    /// The kind of cards that it is for, where that is its first word: `asset show` does what `card show` does.
    fileprivate var cardKind: String? {
        name.split(separator: " ").first.map(String.init).flatMap {
            ["asset", "policy", "app"].contains($0) ? $0 : nil
        }
    }
}

/// Cards that a person picks one of.
enum PickedCards { case all, withCodes, withAttachments }

extension Failure {
    /// A verb is given too few names.
    init(lacking verb: Verb) {
        let what: Phrase = "\(Placeholder.said(verb.operands)) is missing"
        self.init(.usage, "\(verb.name): \(what)", hint: verb.usage)
    }
}

/// The words of a command line, parsed by the declaration of a verb.
struct Arguments {
    private var values: [OptionName: [[UInt8]]] = [:]
    /// The words that are no options, as bytes: a file name need not be UTF-8.
    private(set) var operands: [[UInt8]] = []
    /// The kind of cards that the verb is for; nil where it is for all.
    let kind: String?
    /// What the person's secrets open.
    let opened: OpenedVaults
    /// True if the card that the verb is for is still to be picked.
    private(set) var isToPick = false
    /// True if the verb runs again, with a word that the person picked.
    private(set) var isAgain = false

    /// - Parameter opened: what the person's secrets opened already.
    init(_ words: [[UInt8]], for verb: Verb, _ opened: OpenedVaults = OpenedVaults()) throws {
        (kind, self.opened) = (verb.cardKind, opened)
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == Array("--".utf8) {
                operands += rest
                break
            }
            guard word.first == UInt8(ascii: "-"), word.count > 1 else {
                operands.append(word)
                continue
            }
            for part in Self.unbundled(word, verb) { try take(part, &rest, verb) }
        }
        if let language = text(.lang) { try Language.check(language) }
        if has(.help) { return }
        if operands.contains([]) { throw Failure(.usage, "\(verb.name): an empty name") }
        try checkVault(verb)
        // A query or a list stands for the names.
        isToPick = operands.isEmpty && verb.picked != nil && !has(.find)
        let least = verb.operandCount.lowerBound - (has(.find) || has(.filesFrom) || isToPick ? 1 : 0)
        guard operands.count >= least else { throw Failure(lacking: verb) }
        let most = verb.operandCount.upperBound
        guard operands.count <= most else {
            let what: Phrase = "'\(printable(operands[most]))' is one too many"
            throw Failure(
                .usage, "\(verb.name): \(what)", hint: verb.usage)
        }
    }

    /// Refuses a vault file before other operands: it was meant for `-f`.
    private func checkVault(_ verb: Verb) throws {
        let takesVaults = ["unpack", "verify", "salvage", "pack", "watermark file"].contains(verb.name)
        guard operands.count > 1, !has(.vault), !takesVaults, verb.options.contains(where: { $0.name == .vault }),
            operands[0].suffix(7) == Array(".qvault".utf8)[...]
        else { return }
        let name = printable(operands[0])
        throw Failure(
            .usage, "\(verb.name): '\(name)' is a vault; did you mean -f \(name)?",
            hint: "with -f VAULT before the verb, such a name is an operand like any other")
    }

    /// `-rq` as `-r -q`, `-fFILE` as `-f=FILE`.
    private static func unbundled(_ word: [UInt8], _ verb: Verb) -> [[UInt8]] {
        guard word.count > 2, word[1] != UInt8(ascii: "-"), word[2] != UInt8(ascii: "=") else { return [word] }
        var parts: [[UInt8]] = []
        for (index, letter) in word.enumerated().dropFirst() {
            let name = [UInt8(ascii: "-"), letter]
            guard
                let option = verb.allOptions.first(where: { $0.names.contains(String(decoding: name, as: UTF8.self)) })
            else { return [word] }
            if option.value != nil {
                let rest = word[(index + 1)...]
                return parts + [rest.isEmpty ? name : name + [UInt8(ascii: "=")] + rest]
            }
            parts.append(name)
        }
        return parts
    }

    private mutating func take(_ word: [UInt8], _ rest: inout ArraySlice<[UInt8]>, _ verb: Verb) throws {
        let parts = word.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(decoding: parts[0], as: UTF8.self)
        guard let option = verb.allOptions.first(where: { $0.names.contains(name) || $0.oldName == name }) else {
            throw Failure(
                .usage, "\(verb.name): unknown option '\(printable(parts[0]))'",
                hint: verb.option(meantBy: name).map { "did you mean \($0)?" }
                    ?? "'qvault \(verb.name) --help' lists the options")
        }
        guard option.value != nil else {
            guard parts.count == 1 else { throw Failure(.usage, "\(verb.name): \(name) takes no value") }
            values[option.name, default: []].append([])
            return
        }
        guard let value = parts.count == 2 ? Array(parts[1]) : rest.popFirst(), !value.isEmpty else {
            throw Failure(.usage, "\(verb.name): \(name) needs a value, \(option.value ?? "")")
        }
        guard values[option.name] == nil || option.repeats else {
            throw Failure(.usage, "\(verb.name): \(name) is given twice")
        }
        values[option.name, default: []].append(value)
    }

    /// The same, with the card that was picked.
    func picking(_ id: RecordID) -> Arguments {
        var changed = self
        (changed.operands, changed.isToPick) = ([Array(hexText(id.bytes).utf8)], false)
        return changed
    }

    /// The same with another word in the place of an operand.
    func replacing(_ place: Int, with word: [UInt8]) -> Arguments {
        var changed = self
        (changed.operands[place], changed.isAgain) = (word, true)
        return changed
    }

    /// The same with other values of an option; without it, if there are none.
    func setting(_ name: OptionName, _ texts: [String]) -> Arguments {
        var changed = self
        changed.values[name] = texts.isEmpty ? nil : texts.map { Array($0.utf8) }
        return changed
    }

    func has(_ name: OptionName) -> Bool { values[name] != nil }

    func bytes(_ name: OptionName) -> [UInt8]? { values[name]?.last }

    /// All values of an option that may be given more than once.
    func all(_ name: OptionName) -> [[UInt8]] { values[name] ?? [] }

    /// The same as text.
    func texts(_ name: OptionName) -> [String] { all(name).map { String(decoding: $0, as: UTF8.self) } }

    func text(_ name: OptionName) -> String? { bytes(name).map { String(decoding: $0, as: UTF8.self) } }

    /// The operands as text.
    var words: [String] { operands.map { String(decoding: $0, as: UTF8.self) } }

    /// A word that is stored, or looked for.
    static func text(_ word: [UInt8]) throws -> String {
        guard let text = String(validating: word, as: UTF8.self) else {
            throw Failure(.invalid, "'\(printable(word))' is not UTF-8")
        }
        return text
    }

    /// A text that is stored or drawn.
    func validText(_ name: OptionName) throws -> String? {
        guard let bytes = bytes(name) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.invalid, "\(name.word): is not UTF-8")
        }
        return text
    }

    /// The destination of a verb that writes files.
    ///
    /// - Parameter mayStream: `-` stands for standard output (`StreamedFile`).
    func output(_ verb: String, _ what: String, mayStream: Bool = false) throws -> BytePath {
        guard let output = bytes(.output) else { throw Failure(.usage, "\(verb): where to? give -o \(what)") }
        guard output == Array("-".utf8) else { return BytePath(output) }
        guard mayStream else {
            throw Failure(.usage, "\(verb): does not write to standard output", hint: "'qvault cat' does")
        }
        guard !has(.json) || has(.dryRun) else {
            throw Failure(.usage, "\(verb): -o - and --json both write to standard output; give one")
        }
        return BytePath(output)
    }

    /// The value of an option as something else; `complaint` is the failure of what is none.
    func value<Value>(_ name: OptionName, or complaint: Phrase, _ read: (String) -> Value?) throws -> Value? {
        guard let text = text(name) else { return nil }
        guard let value = read(text) else { throw Failure(.usage, complaint) }
        return value
    }

    /// The value of an option as one of some words.
    func value<Word: RawRepresentable<String>>(_ name: OptionName, or complaint: Phrase) throws -> Word? {
        try value(name, or: complaint) { Word(rawValue: $0) }
    }

    /// The days of `--days`.
    func days(or complaint: Phrase) throws -> Int64? {
        try value(.days, or: complaint) { text in Int64(text).flatMap { 1...36_600 ~= $0 ? $0 : nil } }
    }

    /// A whole number in a range.
    func number(_ name: OptionName, in range: ClosedRange<Int>) throws -> Int? {
        try value(name, or: "\(name.word) takes a whole number from \(range.lowerBound) to \(range.upperBound)") {
            text in Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension Verb {
    /// Its options and those that every verb has.
    var allOptions: [Option] { options + [.quiet, .plain, .lang, .help] }

    /// Options, a line each.
    static func rows(_ options: [Option]) -> String {
        inColumns(options.map { ["  " + $0.usage, $0.help.said] }).map { $0 + "\n" }.joined()
    }

    /// The command with its operands.
    fileprivate var usage: Phrase { "\(Product.name) \(name) \(Placeholder.said(operands))" }

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
