public import Values
import VaultFormat

/// One security that a fund holds, as its report says: a line `CODE WEIGHT [NAME]`.
public struct StockWeight: FieldLine, Equatable {
    /// Its code: up to 16 letters, digits, `.` and `-`.
    public let code: String
    /// Percent of the fund's value, 0 to 100.
    public let weight: ExactDecimal
    /// Its name; may be empty.
    public let name: String

    /// Reads a line; nil where it is none.
    public init?(_ line: some StringProtocol) {
        let words = line.fieldWords(maxSplits: 2)
        guard words.count > 1, let weight = ExactDecimal(words[1]) ?? ExactDecimal(printed: words[1]),
            weight.sign >= 0, weight <= .hundred, 1...16 ~= words[0].utf8.count,
            words[0].utf8.allSatisfy({ 0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 | 0x20 || $0 == 0x2E || $0 == 0x2D }),
            let code = Self.code(words[0])
        else { return nil }
        (self.code, self.weight, name) = (code, weight, words.count > 2 ? words[2] : "")
    }

    /// A code as prices have it: without the exchange that stands before or behind six digits (`SH600519`, `600519.SH`) or five
    /// (`00700.HK`). Nil of three digits or fewer: a spreadsheet took zeros away.
    private static func code(_ word: String) -> String? {
        guard !word.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return word.utf8.count < 4 ? nil : word }
        let upper = word.uppercased()
        for exchange in ["SH", "SZ", "BJ", "SS", "HK"] {
            let count = exchange == "HK" ? 5 : 6
            let bare = upper.hasPrefix(exchange) ? upper.dropFirst(2) : upper[...]
            let digits = bare.hasSuffix(".\(exchange)") ? bare.dropLast(3) : bare
            if digits.utf8.count == count, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) { return String(digits) }
        }
        return word
    }

    /// Lines of a fund at most.
    public static let lineCount = 1000

    /// The form of a line.
    public static let wrongLine: Phrase = "has a line that is no 'CODE WEIGHT [NAME]', with a weight from 0 to 100"

    /// The line: code, weight, and the name where there is one.
    public var line: String { "\(code) \(weight)" + (name.isEmpty ? "" : " \(name.trimmed)") }

    /// A code that stands there twice, and weights of more than 100 percent.
    public static func complaint(aboutAll stocks: [StockWeight]) -> Phrase? {
        var (sum, codes) = (ExactDecimal.zero, Set<String>())
        for stock in stocks {
            guard codes.insert(stock.code).inserted else { return "has \(stock.code) twice" }
            sum += stock.weight
        }
        return sum > .hundred ? "has weights of \(sum) % in all" : nil
    }
}
