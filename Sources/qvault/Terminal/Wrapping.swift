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

/// The parts that a line may be broken between: words with the blanks before them, and single Chinese characters.
private func pieces(_ text: String) -> [String] {
    var (pieces, piece, wasWide) = ([String](), "", false)
    for character in text {
        let isWide = columns(String(character)) == 2
        let isClosing = "，。；：、！？）”》".contains(character)
        if !piece.isEmpty, !isClosing, character == " " && piece.last != " " || isWide || wasWide {
            pieces.append(piece)
            piece = ""
        }
        piece.append(character)
        // What opens something stays with the next character.
        wasWide = isWide && !"（“《".contains(character)
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
