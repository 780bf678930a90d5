public import Values
import VaultFormat
import Cards
public import VaultStore

// Operations on the list of funds and on what is kept beside it (Spec/product/portfolio.md, 6.1, 10 and 11).

extension VaultTransaction {
    /// Puts a fund at another place of the list, from 1.
    ///
    /// - Throws: `Refusal` of a place that the list does not have; all that storing throws.
    public func moveFund(_ fund: Fund, to place: String) throws {
        var codes = try Watchlist(before).funds.map(\.code)
        guard let number = Int(place), 1...max(1, codes.count) ~= number else {
            throw Refusal("fund move: PLACE is a number from 1 to \(codes.count)", .misused)
        }
        codes.removeAll { $0 == fund.code }
        codes.insert(fund.code, at: min(number - 1, codes.count))
        try FundSettings.put(codes, as: FundSettings.order, in: self)
    }

    /// Adds days on which nothing is traded, `YYYY-MM-DD`.
    ///
    /// - Returns: the number of them all; nil where none is new.
    /// - Throws: all that storing throws.
    public func addHolidays(_ days: [String]) throws -> Int? {
        let old = try FundSettings.list(FundSettings.holidays, in: before)
        let all = Set(old).union(days).sorted()
        guard all != old else { return nil }
        try FundSettings.put(all, as: FundSettings.holidays, in: self)
        return all.count
    }

    /// Keeps a search in place of the same one before, with the code that was chosen, where the vault asks for that.
    ///
    /// - Throws: all that storing throws.
    public func keepSearch(_ text: String, chosen code: String?) throws {
        guard case .flag(true)? = try before.setting(FundSettings.keepsSearches)?.value else { return }
        let old = try FundSettings.list(FundSettings.searches, in: before).filter {
            $0.split(separator: "\t").first != text[...]
        }
        let all = (old + [text + (code.map { "\t\($0)" } ?? "")]).suffix(FundSettings.searchCount)
        try FundSettings.put(Array(all), as: FundSettings.searches, in: self)
    }

    /// Takes the searches away that were kept.
    ///
    /// - Throws: all that storing throws.
    public func forgetSearches() throws {
        guard try !FundSettings.list(FundSettings.searches, in: before).isEmpty else { return }
        try FundSettings.put([], as: FundSettings.searches, in: self)
    }

    /// Watches funds of the directory.
    ///
    /// - Throws: all that storing throws.
    public func watch(_ funds: [FundDirectory.Item], today: Day) throws {
        var book = try FundBook(before)
        for item in funds {
            let values = ["name": item.name, "type": item.type, "company": item.company].filter { !$0.value.isEmpty }
            try book.take([.fund(code: item.code, values: values)], today: today)
        }
        try book.store(in: self)
    }
}

extension Watchlist {
    /// The coefficient with which the estimates of a fund would have been nearest to its net values.
    ///
    /// - Throws: `Refusal` of a method without a coefficient, and where no coefficient fits.
    public func fittedCoefficient(_ fund: Fund) throws -> FittedCoefficient {
        guard [.top10, .index].contains(fund.method), fund.foreignCurrency == nil else {
            throw Refusal("only the methods top10 and index have a coefficient, and not of a QDII fund")
        }
        let days = (accuracy[fund.code] ?? []).filter { $0.method == fund.method.rawValue }
        guard let fitted = FittedCoefficient(days, netValues: netValues[fund.code] ?? []) else {
            throw Refusal(
                "fund \(fund.code) has too few days with estimate and net value, or no coefficient fits",
                hint: "'qvault fund accuracy \(fund.code)' counts the days; five are needed")
        }
        return fitted
    }
}
