/// The breaking of a text into lines, before it is drawn.
enum DrawnLines {
    /// The lines that a text takes, by an estimate of its width.
    static func wrapped(_ text: String, ems: Double) -> [String] {
        var lines: [String] = []
        var (line, length) = ("", 0.0)
        for word in words(text) {
            let count = word.unicodeScalars.reduce(0) { $0 + width($1) }
            if length + count > ems, !line.isEmpty {
                lines.append(line)
                (line, length) = ("", 0)
                if word == " " { continue }
            }
            line += word
            length += count
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }

    /// The pieces between which a line may break.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var isOpen = false
        for character in text {
            let isAlone = character == " " || width(character.unicodeScalars.first!) == 1
            if isAlone || !isOpen { words.append(String(character)) } else { words[words.count - 1].append(character) }
            isOpen = !isAlone && character != "-"
        }
        // A word that is too long for any line is broken all the same.
        return words.flatMap { $0.count <= 24 ? [$0] : $0.map { String($0) } }
    }

    /// Ems of a character, about.
    private static func width(_ scalar: Unicode.Scalar) -> Double {
        switch scalar.value {
        case 0x2E80...0x9FFF, 0xAC00...0xD7FF, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60, 0x20000...: 1
        default: 0.62
        }
    }
}
