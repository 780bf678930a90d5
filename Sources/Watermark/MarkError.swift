public import VaultFormat

/// Why a picture is not marked.
public enum MarkError: Error, Equatable, Sendable {
    /// Neither JPEG nor PNG.
    case notAnImage
    /// A variant that is not handled.
    case unsupported
    /// More than 64 MiB, 30,000 pixels a side, 120 million in all, 100 scans, or too much memory.
    case tooLarge
    /// Damaged or cut short, in the words of the library that reads it.
    case corrupt(String)
    /// A quantisation table with a zero.
    case badTable
    /// There is no memory.
    case noMemory
    /// No font is installed.
    case noFont
    /// No font has a character.
    case noGlyph(Unicode.Scalar)
    /// Text that runs from right to left, whose letters would have to be laid out otherwise.
    case unsupportedScript(Unicode.Scalar)
    /// A character that cannot be drawn.
    case unprintable(Unicode.Scalar)
    /// No text.
    case textEmpty
    /// More characters than a mark holds.
    case textTooLong(Int)
    /// A variable of a template that nobody gave.
    case noValue(String)
    /// The picture is so small that no stroke stands on it.
    case tooSmall
    /// The mark would have more than 30,000 pixels a side.
    case textTooLarge
    /// Its strokes are hard to see in more than a tenth of the places where they stand, here in percent.
    case faint(Int)
    /// It cannot be made as short as that.
    case tooLong

    /// For people.
    public var reason: Phrase {
        switch self {
        case .notAnImage: "is neither JPEG nor PNG"
        case .unsupported: "is a kind of picture that is not handled"
        case .tooLarge: "is too large to be marked"
        case .corrupt(let message): "is damaged or cut short (\(message))"
        case .badTable: "has a damaged table"
        case .noMemory: "takes more memory than there is"
        case .noFont: "no font is installed"
        case .noGlyph(let scalar): "no font has \(name(scalar))"
        case .unsupportedScript(let scalar): "\(name(scalar)) runs from right to left"
        case .unprintable(let scalar): "\(name(scalar)) cannot be drawn"
        case .textEmpty: "the text is empty"
        case .textTooLong(let count): "the text has \(count) characters, and 200 fit"
        case .noValue(let name): "'\(name)' has no value"
        case .tooSmall: "is too small, or has the colour of the ink: no stroke would show"
        case .textTooLarge: "the mark would have more than 30,000 pixels a side"
        case .faint(let percent): "the mark would be hard to see in \(percent) of 100 places where it stands"
        case .tooLong: "cannot be made as short as that and still be read"
        }
    }

    private func name(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
