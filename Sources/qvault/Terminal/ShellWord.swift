import Values

/// A name as a shell takes it: in quotes where it has blanks or signs.
func shellWord(_ name: [UInt8]) -> String {
    let text = printable(name)
    let isPlain = text.allSatisfy { $0.isLetter || $0.isNumber || "._/@+-".contains($0) }
    return isPlain && !text.isEmpty ? text : "'" + text.replacing("'", with: #"'\''"#) + "'"
}
