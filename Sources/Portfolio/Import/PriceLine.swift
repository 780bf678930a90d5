import Cards
public import VaultFormat

/// One price, net value, estimate or rate, as a line of another program gives it (Spec/product/portfolio.md, 7). Such text
/// is anybody's: what is not understood is refused.
public struct PriceLine: Sendable {
    /// What a line says.
    public enum Value: Sendable, Equatable {
        /// The net value of a fund on a day.
        case netValue(ExactDecimal, day: Day)
        /// The price of a security.
        case quote(Quote)
        /// An estimate of a fund at a time.
        case estimate(ExactDecimal, time: Int64)
        /// Yuan for a unit of a currency.
        case rate(ExactDecimal, time: Int64)
    }

    /// Digits of a fund, letters and digits of a security, or a currency.
    public let code: String
    /// What it says.
    public let value: Value
    /// Who says so.
    public let source: String
    /// The name of the fund or security, where the line has it.
    public let name: String?

    /// True if it is about a fund; a security may have the same code.
    package var isOfFund: Bool {
        switch value {
        case .netValue, .estimate: true
        case .quote, .rate: false
        }
    }

    /// Net values before estimates, each by its time: the order in which they are held against one another.
    var place: (Int, Int64) {
        switch value {
        case .netValue(_, let day): (0, day.number)
        case .estimate(_, let time): (1, time)
        case .quote(let quote): (2, quote.time)
        case .rate(_, let time): (3, time)
        }
    }

    /// Why a line is refused.
    public struct Problem: Error, Sendable {
        /// The reason.
        public let what: Phrase
        init(_ what: Phrase) { self.what = what }
    }

    /// A member of a line: a field of a row, or a member of a JSON object.
    typealias Member = (String) -> JSON?

    /// The longest line, in bytes.
    public static let byteCount = 4096

    /// Reads a line: a JSON object, a price directive of ledger, or one of beancount; none for an empty one and a comment.
    ///
    /// - Throws: `Problem`.
    public static func lines(_ line: [UInt8], source: String) throws(Problem) -> [PriceLine] {
        guard line.count <= byteCount else { throw Problem("is longer than 4096 bytes") }
        guard let text = String(validating: line, as: UTF8.self) else { throw Problem("is not UTF-8") }
        let words = text.utf8.split { [0x20, 0x09, 0x0D].contains($0) }.map { String(decoding: $0, as: UTF8.self) }
        guard let first = words.first, !first.hasPrefix(";"), !first.hasPrefix("#") else { return [] }
        if first.hasPrefix("{") {
            let object = try object(line)
            return try lines(source) { object[$0] }
        } else if first == "P", words.count >= 4 {
            // A time of the day may stand behind the day.
            let rest = words[2].contains(":") ? words.dropFirst(3) : words.dropFirst(2)
            return [try PriceLine(directive: Array(rest), words[1], source)]
        } else if words.count >= 4, words[1] == "price" {
            return [try PriceLine(directive: Array(words.dropFirst(2)), words[0], source)]
        } else {
            throw Problem("is no JSON object and no price directive")
        }
    }

    /// Refuses what is of a time to come. Clocks may differ by five minutes.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: `Problem`.
    public func check(at now: Int64) throws(Problem) {
        let isLater =
            switch value {
            case .netValue(_, let day): day > TradingClock.day(now)
            case .quote(let quote): quote.time > now + 300
            case .estimate(_, let time): time > now + 300
            case .rate(_, let time): TradingClock.day(time) > TradingClock.day(now)
            }
        if isLater { throw Problem("is of a time to come") }
    }

    /// Symbol, number, and `CNY`.
    private init(directive words: [String], _ date: String, _ source: String) throws(Problem) {
        var symbol = words[0].utf8.contains(UInt8(ascii: "\"")) ? words[0].filter { $0 != "\"" } : words[0]
        if symbol.count == 7, symbol.hasPrefix("F") { symbol.removeFirst() }
        guard words.count > 2, words[2] == "CNY" else { throw Problem("has a price that is not in CNY") }
        let written = date.utf8.contains(UInt8(ascii: "/")) ? date.replacing("/", with: "-") : date
        guard let day = Day(written), day.number >= 0 else {
            throw Problem("has no day of the calendar since 1970")
        }
        try self.init(symbol, name: nil, source: source) { () throws(Problem) in
            let number = try Self.price(words[1])
            if Check.fundCode.complaint(about: symbol) == nil { return .netValue(number, day: day) }
            guard Check.currency.complaint(about: symbol) == nil else { throw Problem("has no code of a fund") }
            return .rate(number, time: day.second + 7 * 3600)
        }
    }

    static func object(_ line: [UInt8]) throws(Problem) -> JSON {
        do {
            let object = try JSON(parsing: line)
            if case .object = object { return object }
        } catch {}
        throw Problem("is no JSON")
    }

    /// The members that hold a value.
    static let valueKeys = ["nav", "estimate", "rate", "price"]

    /// What a line with named members says, an object or a row of a table: a net value, and what the day brought beside it.
    static func lines(_ source: String, _ member: Member) throws(Problem) -> [PriceLine] {
        func has(_ key: String) -> Bool { member(key).map { !$0.isNull } ?? false }
        // Some programs give the price of a fund beside its net value; it is the same.
        let given = valueKeys.filter { has($0) && ($0 != "price" || has("previous_close") || !has("nav")) }
        var lines: [PriceLine] = []
        for key in given.isEmpty ? ["price"] : given {
            lines.append(try PriceLine(source) { !valueKeys.contains($0) || $0 == key ? member($0) : nil })
        }
        return lines
    }

    private init(_ source: String, _ member: Member) throws(Problem) {
        guard let code = member("code")?.text else { throw Problem("has no code") }
        let from = member("source")?.text ?? source
        func number(_ key: String) throws(Problem) -> ExactDecimal? {
            guard let json = member(key), !json.isNull else { return nil }
            guard let text = json.text ?? json.decimal?.description else {
                throw Problem("has a price that is no number")
            }
            return try Self.price(text)
        }
        try self.init(code, name: member("name")?.text, source: from) { () throws(Problem) in
            if let netValue = try number("nav") {
                guard let day = member("nav_date")?.text.map(Check.date.normalized).flatMap({ Day($0) }),
                    day.number >= 0
                else { throw Problem("has no nav_date, a day since 1970") }
                return .netValue(netValue, day: day)
            }
            guard let text = member("time")?.text, let time = FileTime(text), time.nanoseconds >= 0 else {
                throw Problem("has no time, like 2026-11-24T14:46:10+08:00")
            }
            if let rate = try number("rate") { return .rate(rate, time: time.seconds) }
            if let estimate = try number("estimate") { return .estimate(estimate, time: time.seconds) }
            guard let price = try number("price"), let close = try number("previous_close") else {
                throw Problem("has no nav, estimate or rate, and no price with previous_close")
            }
            return .quote(Quote(price: price, previousClose: close, time: time.seconds, source: from))
        }
    }

    private init(_ code: String, name: String?, source: String, _ value: () throws(Problem) -> Value) throws(Problem) {
        guard 1...16 ~= code.utf8.count,
            code.utf8.allSatisfy({ 0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 | 0x20 || $0 == 0x2E || $0 == 0x2D })
        else { throw Problem("has a code that is none") }
        for text in [source, name ?? ""] where text.utf8.count > 100 || Check.line.complaint(about: text) != nil {
            throw Problem("has a name or source that is no short line")
        }
        (self.code, self.name, self.source, self.value) = (code, name, source, try value())
        switch self.value {
        case .netValue, .estimate:
            if Check.fundCode.complaint(about: code) != nil { throw Problem("has no code of a fund: 6 digits") }
        case .rate: if Check.currency.complaint(about: code) != nil { throw Problem("has no currency: three capitals") }
        case .quote: break
        }
    }

    /// A number above 0 and below 10^12, of 12 places at most.
    private static func price(_ text: String) throws(Problem) -> ExactDecimal {
        guard let number = ExactDecimal(printed: text), number.sign > 0, number < largest, number.rounded(12) == number
        else { throw Problem("has a price that is no number above 0 with at most 12 places") }
        return number
    }

    private static let largest = ExactDecimal(1_000_000_000_000)
}
