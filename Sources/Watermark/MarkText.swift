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
