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
        case .tooLong: "cannot be made as short as that and still be read"
        }
    }

    private func name(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

/// The text of a mark: lines, the constant one first, those that differ between copies last.
public struct MarkText: Equatable, Sendable {
    /// 1 and more, none of them empty.
    public let lines: [String]

    /// Names that stand for values in a template.
    public static let variables = ["recipient", "purpose", "date", "time"]
    /// Characters of a mark at most.
    public static let scalarCount = 200

    /// Templates by name, in Chinese and English.
    public static let templates: [(name: String, chinese: String, english: String)] = [
        (
            "bank", "他用无效\n仅供{recipient}{purpose}使用\n{date}",
            "void for any other use\nfor {recipient}: {purpose} only\n{date}"
        ),
        ("rental", "他用无效\n仅供{recipient}租房使用\n{date}", "void for any other use\nfor {recipient}: rental only\n{date}"),
        ("plain", "仅供{recipient}使用\n{date}", "for {recipient} only\n{date}"),
    ]

    /// A text with variables in braces.
    ///
    /// - Parameters:
    ///   - template: lines; `{name}` stands for a value.
    ///   - values: by name.
    ///   - placeholder: stands for values that are missing; without one they are an error.
    /// - Throws: `MarkError`.
    public init(_ template: String, values: [String: String], placeholder: String? = nil) throws {
        var text = ""
        var rest = Substring(template)
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else { break }
            let name = String(rest[rest.index(after: open)..<close])
            guard let value = values[name] ?? (Self.variables.contains(name) ? placeholder : nil) else {
                throw MarkError.noValue(name)
            }
            text += rest[..<open] + value
            rest = rest[rest.index(after: close)...]
        }
        text += rest
        lines = text.split(separator: "\n").map { line in
            String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }.filter { !$0.isEmpty }
        try check()
    }

    private func check() throws {
        let scalars = lines.flatMap(\.unicodeScalars)
        guard !scalars.isEmpty else { throw MarkError.textEmpty }
        guard scalars.count <= Self.scalarCount else { throw MarkError.textTooLong(scalars.count) }
        for scalar in scalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
                throw MarkError.unprintable(scalar)
            default: break
            }
            if Self.isRightToLeft(scalar) { throw MarkError.unsupportedScript(scalar) }
        }
    }

    /// Hebrew, Arabic and the other blocks whose letters run from right to left (Unicode Standard Annex 9, table 5).
    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
