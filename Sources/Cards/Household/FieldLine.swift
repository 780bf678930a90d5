public import Values
import VaultFormat

/// A line of a field that is a list: what a fund holds or consists of, trades of a holding, reminders.
public protocol FieldLine: Sendable {
    /// Reads a line; nil where it is none.
    init?(_ line: some StringProtocol)
    /// The line in the one form that is stored.
    var line: String { get }
    /// Lines of a field at most.
    static var lineCount: Int { get }
    /// The error of a field with a line that is none.
    static var wrongLine: Phrase { get }
    /// The error in lines of which each is right by itself; nil if there is none.
    static func complaint(aboutAll lines: [Self]) -> Phrase?
    /// The lines in the order in which they are stored; as they are given, unless a type says otherwise.
    static func ordered(_ lines: [Self]) -> [Self]
}

extension FieldLine {
    /// The lines as they are.
    public static func ordered(_ lines: [Self]) -> [Self] { lines }

    /// Reads the lines of a field; lines that are none are left out.
    public static func list(_ text: String) -> [Self] {
        text.utf8.split(separator: 0x0A).compactMap { Self(Substring($0)) }
    }

    /// The error in a field; nil if there is none.
    static func complaint(about text: String) -> Phrase? {
        let (lines, read) = (text.split(separator: "\n"), list(text))
        guard lines.count <= lineCount else { return "has more than \(lineCount) lines" }
        return read.count == lines.count ? complaint(aboutAll: read) : wrongLine
    }

    /// Lines in one form. Semicolons part lines too. Among lines that are none the others keep their order.
    static func normalized(_ text: String) -> String {
        let lines = text.replacing("\r\n", with: "\n").replacing("；", with: "\n").replacing(";", with: "\n")
            .split(separator: "\n").map(\.trimmed).filter { !$0.isEmpty }
        let read = lines.compactMap { Self($0) }
        let stored = read.count == lines.count ? ordered(read).map(\.line) : lines.map { Self($0)?.line ?? $0 }
        return stored.joined(separator: "\n")
    }
}

extension StringProtocol {
    /// The words of a line, with blanks of either width or tabs between.
    func fieldWords(maxSplits: Int = .max) -> [String] { String(self).words(maxSplits: maxSplits) }
}

extension String {
    /// The words of a String, whose bytes are read without a call for each.
    fileprivate func words(maxSplits: Int) -> [String] {
        // Only the wide blank begins with this byte, and much else.
        guard !utf8.contains(0xE3) else {
            return split(maxSplits: maxSplits) { $0 == " " || $0 == "\t" || $0 == "\u{3000}" }.map { String($0) }
        }
        return utf8.split(maxSplits: maxSplits) { $0 == 0x20 || $0 == 0x09 }.map { String(decoding: $0, as: UTF8.self) }
    }
}
