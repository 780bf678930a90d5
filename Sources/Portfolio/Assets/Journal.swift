import Cards
public import Values
import VaultFormat
public import VaultStore

/// What a family owns and owes as a journal of plain-text accounting: one opening entry, holdings as lots with their cost, and
/// the net values as price directives (Spec/product/assets.md, 6). Both programs show the totals of `asset summary` from it.
public struct Journal {
    /// The program that reads it.
    public enum Format: String, CaseIterable, Sendable {
        /// hledger and ledger.
        case hledger
        /// beancount.
        case beancount
    }

    private let household: Household
    private let watchlist: Watchlist

    /// What a vault holds.
    ///
    /// - Throws: as `Household` and `Watchlist`.
    public init(_ vault: Vault) throws {
        watchlist = try Watchlist(vault)
        household = try Household(vault, watchlist)
    }

    /// The lines, without what ends them.
    ///
    /// - Parameter today: the day of the opening entry.
    public func lines(_ format: Format, today: Day) -> [String] {
        let day = today.text
        var names: Set<String> = []
        let postings = assets(format, &names) + lots(format, &names)
        let prices = prices(format, upTo: today)
        switch format {
        case .hledger:
            let entry = postings.map { "    \($0.account)    \($0.amount)" }
            return prices + ["", "\(day) opening balances"] + entry + ["    equity:opening balances"]
        case .beancount:
            let accounts = postings.map { "\(day) open \($0.account)" } + ["\(day) open Equity:Opening-Balances"]
            // Beancount infers one amount of each currency.
            let currencies = Set(postings.map(\.currency)).sorted()
            let entry = postings.map { "  \($0.account)  \($0.amount)" }
            let equity = currencies.map { currency in
                "  Equity:Opening-Balances  \(-sum(postings, currency)) \(currency)"
            }
            return [#"option "operating_currency" "CNY""#] + accounts + prices + ["", #"\#(day) * "opening balances""#]
                + entry + equity
        }
    }

    /// A line of the opening entry, and what it weighs in the currency that it is paid in.
    private typealias Posting = (account: String, amount: String, weight: ExactDecimal, currency: String)

    private func sum(_ postings: [Posting], _ currency: String) -> ExactDecimal {
        postings.filter { $0.currency == currency }.sum(\.weight)
    }

    private func assets(_ format: Format, _ names: inout Set<String>) -> [Posting] {
        household.assets.sorted { ($0.category.rawValue, $0.name) < ($1.category.rawValue, $1.name) }.map { asset in
            let root = asset.isDebt ? ["liabilities"] : ["assets", asset.category.rawValue]
            let weight = asset.isDebt ? -asset.amount : asset.amount
            let account = Self.account(root + [asset.name], format, &names)
            return (account, "\(weight) \(asset.currency)", weight, asset.currency)
        }
    }

    private func lots(_ format: Format, _ names: inout Set<String>) -> [Posting] {
        watchlist.holdings.filter { $0.lot.shares.sign > 0 }.map { holding in
            let (code, lot) = (holding.code, holding.lot)
            let place = lot.platform.isEmpty ? code : lot.platform
            let account = Self.account(["assets", "investment", "fund", place], format, &names)
            let (cost, currency) = (lot.cost.shortest, watchlist.currency(code))
            let amount =
                format == .hledger
                ? "\(lot.shares) \"\(code)\" (@) \(cost) \(currency)" : "\(lot.shares) F\(code) {\(cost) \(currency)}"
            return (account, amount, lot.shares * cost, currency)
        }
    }

    private func prices(_ format: Format, upTo today: Day) -> [String] {
        func line(_ day: Day, _ symbol: String, _ value: ExactDecimal, _ currency: String = "CNY") -> String {
            let (day, price) = (day.text, "\(value) \(currency)")
            return format == .hledger ? "P \(day) \(symbol) \(price)" : "\(day) price \(symbol) \(price)"
        }
        let held = Set(watchlist.holdings.map(\.code))
        let netValues = held.sorted().flatMap { code in
            (watchlist.netValues[code] ?? []).filter { $0.day <= today }.map {
                line($0.day, format == .hledger ? "\"\(code)\"" : "F\(code)", $0.value, watchlist.currency(code))
            }
        }
        let currencies = Set(household.assets.map(\.currency) + held.map(watchlist.currency)).subtracting(["CNY"])
            .sorted()
        return netValues
            + currencies.flatMap { currency in
                (watchlist.prices.rates[currency] ?? []).filter { $0.day <= today }.map {
                    line($0.day, currency, $0.rate)
                }
            }
    }

    /// The name of an account, which no other one has. Beancount's have letters, digits and dashes, and begin with a capital.
    private static func account(_ parts: [String], _ format: Format, _ names: inout Set<String>) -> String {
        func word(_ text: String) -> String {
            guard format == .beancount else {
                // Two blanks, a colon and a semicolon have meanings.
                return String(text.map { ":;\"()[]\t\n".contains($0) ? "-" : $0 }).replacing("  ", with: " ")
            }
            let plain = String(text.map { $0.isLetter || $0.isNumber ? $0 : "-" })
            let first = plain.first.map { "A"..."Z" ~= $0 || "0"..."9" ~= $0 } ?? false
            return first
                ? plain
                : plain.first.map { "a"..."z" ~= $0 } ?? false
                    ? plain.prefix(1).uppercased() + plain.dropFirst() : "X" + plain
        }
        let base = parts.map(word).joined(separator: ":")
        let name = ([base] + (2...10_000).map { "\(base)-\($0)" }).first { !names.contains($0) } ?? base
        names.insert(name)
        return name
    }
}
