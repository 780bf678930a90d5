public import Values
import VaultFormat

/// One trade of a holding: a line `DAY buy SHARES PRICE [FEE]`, `DAY sell SHARES PRICE [FEE]`, `DAY reinvest SHARES` or
/// `DAY cash AMOUNT` (Spec/product/portfolio.md, 5.1).
public struct Trade: FieldLine, Equatable {
    /// The kind of a trade.
    public enum Kind: String, CaseIterable, Sendable {
        /// Shares for money.
        case buy
        /// Money for shares.
        case sell
        /// A dividend that was paid in shares.
        case reinvest
        /// A dividend that was paid in money.
        case cash

        fileprivate init?(_ word: String) {
            let other = ["买入": Kind.buy, "申购": .buy, "卖出": .sell, "赎回": .sell, "红利再投": .reinvest, "现金分红": .cash]
            guard let kind = Kind(rawValue: word.lowercased()) ?? other[word] else { return nil }
            self = kind
        }
    }

    /// `YYYY-MM-DD`.
    public let day: String
    /// Its kind.
    public let kind: Kind
    /// Shares; 0 of a dividend in money.
    public let shares: ExactDecimal
    /// Money that was paid, negative, or that came in: fees included.
    public let flow: ExactDecimal

    /// The line, with its numbers in one form.
    public let line: String

    /// Reads a line; nil where it is none.
    public init?(_ line: some StringProtocol) {
        var words = line.fieldWords()
        guard words.count > 2, let kind = Kind(words[1]) else { return nil }
        words[0] = words[0].replacing("/", with: "-")
        words[1] = kind.rawValue
        let numbers = words.dropFirst(2).compactMap { ExactDecimal(printed: $0) }
        let isTrade = kind == .buy || kind == .sell
        guard Day(stored: words[0]) != nil, numbers.count == words.count - 2,
            numbers.allSatisfy({ $0.sign >= 0 }), numbers[0].sign > 0, (isTrade ? 2...3 : 1...1) ~= numbers.count
        else { return nil }
        (day, self.kind, shares) = (words[0], kind, kind == .cash ? .zero : numbers[0])
        let fee = numbers.count > 2 ? numbers[2] : .zero
        flow =
            switch kind {
            case .buy: -(numbers[0] * numbers[1] + fee)
            case .sell: numbers[0] * numbers[1] - fee
            case .reinvest: .zero
            case .cash: numbers[0]
            }
        self.line = (words.prefix(2) + numbers.map(\.description)).joined(separator: " ")
    }

    /// Trades of a holding at most.
    public static let lineCount = 10_000
    /// The form of most lines.
    public static let wrongLine: Phrase = "has a line that is no 'DAY buy|sell SHARES PRICE [FEE]'"

    /// A sale of more shares than there are.
    public static func complaint(aboutAll trades: [Trade]) -> Phrase? {
        TradedPosition(trades) == nil ? "sells more shares than there are" : nil
    }

    /// By day; trades of one day as they are given.
    public static func ordered(_ trades: [Trade]) -> [Trade] {
        trades.enumerated().sorted { ($0.element.day, $0.offset) < ($1.element.day, $1.offset) }.map(\.element)
    }
}

/// What the trades of a holding come to.
public struct TradedPosition: Equatable, Sendable {
    /// Shares that are held.
    public private(set) var shares: ExactDecimal = .zero
    /// What the shares that are held were bought for, by the running average: a sale takes its part of it away.
    public private(set) var averageCost: ExactDecimal = .zero
    /// All that was paid minus all that came in: a sale at a profit makes the rest cheaper.
    public private(set) var dilutedCost: ExactDecimal = .zero
    /// Money by day; negative where it was paid.
    public private(set) var flows: [(day: String, amount: ExactDecimal)] = []

    /// - Parameter trades: by day.
    /// - Returns: nil where more is sold than there is.
    public init?(_ trades: [Trade]) {
        for trade in trades {
            dilutedCost = dilutedCost - trade.flow
            if trade.flow.sign != 0 { flows.append((trade.day, trade.flow)) }
            switch trade.kind {
            case .buy:
                averageCost = averageCost - trade.flow
                shares += trade.shares
            case .sell:
                guard trade.shares <= shares else { return nil }
                let rest = shares - trade.shares
                averageCost = (averageCost * rest).divided(by: shares) ?? .zero
                shares = rest
            case .reinvest: shares += trade.shares
            case .cash: break
            }
        }
    }

    /// The cost of a share by the running average, to 12 places; nil without shares.
    public var averageCostOfShare: ExactDecimal? { averageCost.divided(by: shares) }
    /// The diluted cost of a share, to 12 places; nil without shares.
    public var dilutedCostOfShare: ExactDecimal? { dilutedCost.divided(by: shares) }

    /// True if all figures are the same.
    public static func == (one: TradedPosition, other: TradedPosition) -> Bool {
        one.shares == other.shares && one.averageCost == other.averageCost && one.dilutedCost == other.dilutedCost
            && one.flows.map(\.day) == other.flows.map(\.day) && one.flows.map(\.amount) == other.flows.map(\.amount)
    }
}
