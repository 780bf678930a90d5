/// Text in lines of at most `width` columns, broken at blanks and between Chinese characters; what does not fit anywhere
/// stays whole. No line begins with a sign that closes something.
///
/// - Parameter indent: columns before each line but the first.
func wrapped(_ text: String, _ width: Int, indent: Int) -> [String] {
    var (lines, line) = ([String](), "")
    for piece in pieces(text) {
        let isFull = columns(line) + columns(piece.trimmingEnd()) > width
        if isFull, line.contains(where: { $0 != " " }) {
            lines.append(line.trimmingEnd())
            line = String(repeating: " ", count: indent) + piece.drop { $0 == " " }
        } else {
            line += piece
        }
    }
    return lines + [line.trimmingEnd()]
}

/// Whole lines, of which the longer ones go on beneath the last column of a table that begins in the left half, or else two
/// columns further in than they begin; those at the left edge stay there.
func linesFitting(_ text: String, _ width: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        guard columns(String(line)) > width else { return String(line) }
        return wrapped(String(line), width, indent: hangingIndent(line, width)).joined(separator: "\n")
    }.joined(separator: "\n")
}

/// The columns before the further lines of a long one.
private func hangingIndent(_ line: Substring, _ width: Int) -> Int {
    var (column, blanks, leading) = (0, 0, 0)
    var indent: Int?
    for character in line {
        if character == " " {
            blanks += 1
        } else {
            if column == blanks { leading = column } else if blanks >= 2, column <= width / 2 { indent = column }
            blanks = 0
        }
        column += columns(String(character))
    }
    // Prose goes on at the left.
    return indent ?? (leading == 0 ? 0 : min(leading + 2, width / 2))
}

/// The parts that a line may be broken between: words with the blanks before them, and single Chinese characters.
private func pieces(_ text: String) -> [String] {
    var (pieces, piece, wasWide) = ([String](), "", false)
    // Characters in quotes that are still to come: a name stays whole.
    var quoted = 0
    for (index, character) in zip(text.indices, text) {
        if character == "“" {
            quoted = text[index...].prefix(24).firstIndex(of: "”").map { text.distance(from: index, to: $0) } ?? 0
        }
        let isWide = columns(String(character)) == 2
        let isClosing = "，。；：、！？）”》".contains(character)
        // A sign that opens something stays with the next character.
        let isOpened = piece.last.map("（“《".contains) ?? false
        let isQuoted = quoted > 0 && character != "“"
        quoted -= 1
        if !piece.isEmpty, !isClosing, !isOpened, !isQuoted, character == " " && piece.last != " " || isWide || wasWide
        {
            pieces.append(piece)
            piece = ""
        }
        piece.append(character)
        wasWide = isWide
    }
    return pieces + [piece]
}

extension String {
    /// Without the blanks at its end.
    func trimmingEnd() -> String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
