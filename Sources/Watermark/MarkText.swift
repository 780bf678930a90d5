/// The text of a mark: lines, which layouts of rows put one behind the other.
public struct MarkText: Equatable, Sendable {
    /// 1 and more, none of them empty.
    public let lines: [String]
    /// The lines in parts: what stands in the template, and what its variables were replaced by.
    package let parts: [[Part]]

    /// A part of a line.
    package struct Part: Equatable, Sendable {
        package var text: String
        /// True if it differs from copy to copy.
        package var isVariable: Bool
    }

    /// Names that stand for values in a template.
    public static let variables = ["recipient", "purpose", "date", "time", "until"]
    /// Characters of a mark at most.
    public static let scalarCount = 200

    /// A text with variables in braces.
    ///
    /// - Parameters:
    ///   - template: lines; `{name}` stands for a value.
    ///   - values: by name.
    ///   - placeholder: stands for values that are missing; without one they are an error.
    /// - Throws: `MarkError`.
    public init(_ template: String, values: [String: String], placeholder: String? = nil) throws {
        var parts: [Part] = []
        var rest = Substring(template)
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else { break }
            let name = String(rest[rest.index(after: open)..<close])
            guard let value = values[name] ?? (Self.variables.contains(name) ? placeholder : nil) else {
                throw MarkError.noValue(name)
            }
            parts += [
                Part(text: String(rest[..<open]), isVariable: false), Part(text: value, isVariable: true),
            ]
            rest = rest[rest.index(after: close)...]
        }
        parts.append(Part(text: String(rest), isVariable: false))
        self.parts = Self.lines(parts)
        lines = self.parts.map { $0.map(\.text).joined() }
        try check()
    }

    /// Parts line by line, without blanks at the ends of a line; two variables side by side are one part.
    private static func lines(_ parts: [Part]) -> [[Part]] {
        var lines: [[Part]] = [[]]
        for part in parts {
            for (number, piece) in part.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                if number > 0 { lines.append([]) }
                guard !piece.isEmpty else { continue }
                if let last = lines[lines.count - 1].last, last.isVariable == part.isVariable {
                    lines[lines.count - 1][lines[lines.count - 1].count - 1].text += piece
                } else {
                    lines[lines.count - 1].append(Part(text: String(piece), isVariable: part.isVariable))
                }
            }
        }
        return lines.map(trimmed).filter { !$0.isEmpty }
    }

    private static func trimmed(_ line: [Part]) -> [Part] {
        var line = line
        while let first = line.first {
            let text = String(first.text.drop { $0 == " " })
            guard text.isEmpty else {
                line[0].text = text
                break
            }
            line.removeFirst()
        }
        while let last = line.last {
            let text = String(last.text.reversed().drop { $0 == " " }.reversed())
            guard text.isEmpty else {
                line[line.count - 1].text = text
                break
            }
            line.removeLast()
        }
        return line
    }

    /// Cuts a line into parts of as many characters each.
    static func cut(_ line: String, _ count: Int) -> [String] {
        let characters = Array(line)
        let step = (characters.count + count - 1) / count
        return stride(from: 0, to: characters.count, by: step).map { start in
            String(characters[start..<min(start + step, characters.count)])
        }
    }

    /// Cuts a line into parts of about as many characters each, between words; words of Chinese have one character.
    package static func wrapped(_ line: String, _ count: Int) -> [String] {
        let step = (line.count + count - 1) / count
        var words: [String] = []
        for character in line {
            // A sign stays with the word before it, a blank too.
            let begins =
                words.last.map { isIdeographic(character) || $0.last == " " || $0.last.map(isIdeographic) == true }
                ?? true
            if begins && !(character.isPunctuation || character == " ") || words.isEmpty {
                words.append(String(character))
            } else {
                words[words.count - 1].append(character)
            }
        }
        var parts: [String] = []
        for word in words.flatMap({ $0.count > step ? cut($0, ($0.count + step - 1) / step) : [$0] }) {
            if let last = parts.last, last.count + word.count <= step {
                parts[parts.count - 1] += word
            } else {
                parts.append(word)
            }
        }
        return parts
    }

    private static func isIdeographic(_ character: Character) -> Bool {
        character.unicodeScalars.contains { $0.properties.isIdeographic }
    }

    /// The lines, with what was put for variables in braces, and a backslash before a brace or backslash of the text: all
    /// that drawing it again takes.
    public var slotted: String {
        func escaped(_ text: String) -> String {
            String(text.flatMap { "{}\\".contains($0) ? ["\\", $0] : [$0] })
        }
        return parts.map { line in
            line.map { $0.isVariable ? "{" + escaped($0.text) + "}" : escaped($0.text) }.joined()
        }.joined(separator: "\n")
    }

    /// Reads `slotted`.
    ///
    /// - Throws: `MarkError`.
    public init(slotted text: String) throws {
        var parts = [Part(text: "", isVariable: false)]
        var isEscaped = false
        for character in text {
            switch character {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "{" where !isEscaped: parts.append(Part(text: "", isVariable: true))
            case "}" where !isEscaped: parts.append(Part(text: "", isVariable: false))
            case "\n": parts += [Part(text: "\n", isVariable: false), Part(text: "", isVariable: false)]
            default: parts[parts.count - 1].text.append(character)
            }
            isEscaped = false
        }
        self.parts = Self.lines(parts)
        lines = self.parts.map { $0.map(\.text).joined() }
        try check()
    }

    private func check() throws {
        let scalars = lines.flatMap(\.unicodeScalars)
        guard !scalars.isEmpty else { throw MarkError.textEmpty }
        guard scalars.count <= Self.scalarCount else { throw MarkError.textTooLong(scalars.count) }
        try Self.check(scalars)
    }

    /// Makes sure that text can be drawn.
    ///
    /// - Throws: `MarkError`.
    static func check(_ scalars: some Sequence<Unicode.Scalar>) throws {
        for scalar in scalars {
            switch scalar.properties.generalCategory {
            // Joiners: names of Persian, Hindi and emoji are written with them.
            case .format where scalar == "\u{200C}" || scalar == "\u{200D}": break
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
                throw MarkError.unprintable(scalar)
            default: break
            }
        }
    }
}
