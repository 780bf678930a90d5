public import Values
import VaultFormat

/// One security that a fund holds, as its report says: a line `CODE WEIGHT [NAME]`.
public struct StockWeight: Equatable, Sendable {
    /// Its code: up to 16 letters, digits, `.` and `-`.
    public let code: String
    /// Percent of the fund's value, 0 to 100.
    public let weight: ExactDecimal
    /// Its name; may be empty.
    public let name: String

    /// Reads a line; nil where it is none.
    public init?(_ line: some StringProtocol) {
        let words = line.split(maxSplits: 2) { $0 == " " || $0 == "\t" || $0 == "\u{3000}" }
        guard words.count > 1, let weight = ExactDecimal(String(words[1])) ?? ExactDecimal(printed: String(words[1])),
            weight.sign >= 0,
            weight <= .hundred, 1...16 ~= words[0].utf8.count,
            words[0].utf8.allSatisfy({ 0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 | 0x20 || $0 == 0x2E || $0 == 0x2D })
        else { return nil }
        guard let code = Self.code(String(words[0])) else { return nil }
        (self.code, self.weight, name) = (code, weight, words.count > 2 ? String(words[2]) : "")
    }

    /// A code as prices have it: without the exchange that stands before or behind six digits (`SH600519`, `600519.SH`) or five
    /// (`00700.HK`). Nil of three digits or fewer: a spreadsheet took zeros away.
    private static func code(_ word: String) -> String? {
        let upper = word.uppercased()
        for exchange in ["SH", "SZ", "BJ", "SS", "HK"] {
            let count = exchange == "HK" ? 5 : 6
            let bare = upper.hasPrefix(exchange) ? upper.dropFirst(2) : upper[...]
            let digits = bare.hasSuffix(".\(exchange)") ? bare.dropLast(3) : bare
            if digits.utf8.count == count, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) { return String(digits) }
        }
        let isNumber = word.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        return isNumber && word.utf8.count < 4 ? nil : word
    }

    /// Lines of a fund at most.
    public static let lineCount = 1000

    /// Reads the lines of a field; lines that are none are left out.
    public static func list(_ text: String) -> [StockWeight] {
        text.split(separator: "\n").compactMap { StockWeight($0) }
    }

    static func complaint(about text: String) -> Phrase? {
        let lines = text.split(separator: "\n")
        guard lines.count <= lineCount else { return "has more than \(lineCount) lines" }
        var (sum, codes) = (ExactDecimal.zero, Set<String>())
        for line in lines {
            guard let stock = StockWeight(line) else {
                return "has a line that is no 'CODE WEIGHT [NAME]', with a weight from 0 to 100"
            }
            guard codes.insert(stock.code).inserted else { return "has \(stock.code) twice" }
            sum += stock.weight
        }
        return sum > .hundred ? "has weights of \(sum) % in all" : nil
    }

    /// Lines in one form: what parts them, and how the weight is written. Semicolons part lines too.
    static func normalized(_ text: String) -> String {
        text.fieldLines.map { line in
            guard let stock = StockWeight(line) else { return line }
            return "\(stock.code) \(stock.weight)" + (stock.name.isEmpty ? "" : " \(stock.name.trimmed)")
        }.joined(separator: "\n")
    }
}

extension String {
    /// The lines of a field that is a list; semicolons part lines too.
    var fieldLines: [String] {
        replacing("\r\n", with: "\n").replacing("；", with: "\n").replacing(";", with: "\n")
            .split(separator: "\n").map(\.trimmed).filter { !$0.isEmpty }
    }
}
