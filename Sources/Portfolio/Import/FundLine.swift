package import Values
import VaultFormat
import Cards

/// What one line of another program says of funds (Spec/product/portfolio.md, 7).
public enum FundLine: Sendable {
    /// A net value, price, estimate or rate.
    case price(PriceLine)
    /// Fields of a fund that is to be watched.
    case fund(code: String, values: [String: String])
    /// What is held of a fund on a platform.
    case holding(code: String, values: [String: String])
    /// One of the securities that a fund holds, by its report.
    case stock(code: String, line: String, reportDate: String?)

    /// Reads a line of text: a JSON object, or a price directive of ledger or beancount; none for an empty line and a
    /// comment.
    ///
    /// - Throws: `PriceLine.Problem`.
    public static func lines(_ bytes: [UInt8], source: String) throws(PriceLine.Problem) -> [FundLine] {
        guard bytes.first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "{") else {
            return try PriceLine.lines(bytes, source: source).map { .price($0) }
        }
        guard bytes.count <= byteCount else { throw PriceLine.Problem("is longer than 64 KiB") }
        return try lines(try PriceLine.object(bytes), source: source)
    }

    /// Reads a JSON object, whose members may have the names of other programs.
    ///
    /// - Throws: `PriceLine.Problem`.
    package static func lines(_ object: JSON, source: String) throws(PriceLine.Problem) -> [FundLine] {
        guard case .object(let members) = object else { throw PriceLine.Problem("is no JSON object") }
        // Most lines have the names of this program.
        guard members.contains(where: { FundColumns.isKey($0.0) == false }) else {
            return try lines(source: source) { object[$0] }
        }
        var known: [String: JSON] = [:]
        for (name, value) in members {
            guard let key = FundColumns.key(name), known[key]?.isNull ?? true else { continue }
            known[key] = value
        }
        return try lines(source: source) { known[$0] }
    }

    /// The longest line, in bytes.
    private static let byteCount = 1 << 16

    /// The code of the fund, security or currency that it is about.
    package var code: String {
        switch self {
        case .price(let price): price.code
        case .fund(let code, _), .holding(let code, _), .stock(let code, _, _): code
        }
    }

    /// What a feed may say of a fund itself.
    static let described: Set = ["name", "type", "company"]

    /// What a line of a feed says. A feed tells prices, what funds hold, and what they are called; nothing of what a person owns.
    ///
    /// - Throws: `PriceLine.Problem`.
    package static func ofFeed(_ bytes: [UInt8], source: String) throws(PriceLine.Problem) -> [FundLine] {
        guard bytes.count <= PriceLine.byteCount else { throw PriceLine.Problem("is longer than 4096 bytes") }
        let lines = try lines(bytes, source: source)
        for line in lines {
            switch line {
            case .price, .stock: break
            case .fund(_, let values):
                guard values.keys.allSatisfy(described.contains) else {
                    throw PriceLine.Problem("says more than a feed may: prices, stocks, name, type and company")
                }
            case .holding: throw PriceLine.Problem("says more than a feed may: prices, stocks, name, type and company")
            }
        }
        return lines
    }

    /// The objects of a document: its list, its `items`, the activities of Ghostfolio, or the funds of leek-fund's settings.
    package static func items(_ document: JSON) -> [JSON] {
        if let list = document.items ?? document["items"]?.items ?? document["holdings"]?.items { return list }
        if let activities = document["activities"]?.items { return Activities.holdings(activities) }
        guard let funds = document["leek-fund.funds"]?.items else { return [document] }
        let groups = document["leek-fund.fundGroups"]?.items?.map(\.text) ?? []
        func fund(_ code: JSON, _ group: String?) -> JSON {
            .object([("code", code)] + (group.map { [("group", .text($0))] } ?? []))
        }
        return funds.enumerated().flatMap { place, item in
            let group = place < groups.count ? groups[place] : nil
            return item.items.map { $0.map { fund($0, group) } } ?? [fund(item, nil)]
        }
    }

    private static let fundKeys = ["name", "group"] + (Schema.named("fund")?.fields.map(\.key) ?? [])
    private static let lotKeys = ["platform", "shares", "cost", "date", "trades", "notes"]

    /// Members that say what a person watches or owns, also beside a net value; others tell more of a fund than its price.
    private static let cardKeys = ["kind", "group", "platform", "shares", "cost", "trades"]

    static func lines(source: String, _ member: PriceLine.Member) throws(PriceLine.Problem) -> [FundLine] {
        func text(_ key: String) throws(PriceLine.Problem) -> String? {
            switch member(key) {
            case nil, .null: return nil
            case .text(let text): return text.isEmpty ? nil : text
            case let value?:
                if let number = value.decimal { return number.description }
                throw PriceLine.Problem("has a \(key) that is neither text nor number")
            }
        }
        func values(_ keys: [String]) throws(PriceLine.Problem) -> [String: String] {
            var values: [String: String] = [:]
            for key in keys where key != "code" { values[key] = try text(key) }
            return values
        }
        func has(_ key: String) -> Bool { member(key).map { !$0.isNull } ?? false }
        let prices: [FundLine] =
            PriceLine.valueKeys.contains(where: has) ? try PriceLine.lines(source, member).map { .price($0) } : []
        if !cardKeys.contains(where: has), !has("stock") {
            if !prices.isEmpty { return prices }
            if PriceLine.valueKeys.contains(where: { member($0) != nil }) {
                throw PriceLine.Problem("has no nav, price, estimate or rate")
            }
        }
        guard let given = try text("code") else { throw PriceLine.Problem("has no code") }
        let code = Check.fundCode.normalized(given)
        if let what = Check.fundCode.complaint(about: code) { throw PriceLine.Problem(what) }
        if let stock = try text("stock") {
            // What is no line is refused there: then the list of the fund stays as it is.
            let words = [stock, (try? text("weight")) ?? "?", try? text("stock_name")].compactMap(\.self)
            return prices + [
                .stock(code: code, line: words.joined(separator: " "), reportDate: try text("report_date"))
            ]
        }
        let (kind, platform, trades) = (try text("kind"), try text("platform"), try text("trades"))
        guard kind == "holding" || platform != nil || trades != nil else {
            return prices + [.fund(code: code, values: try values(fundKeys))]
        }
        let fund = try values(fundKeys.filter { !lotKeys.contains($0) })
        return prices + [.fund(code: code, values: fund), .holding(code: code, values: try values(lotKeys))]
    }
}

extension JSON {
    /// True for one that holds many objects.
    package var isDocument: Bool {
        items != nil || ["items", "holdings", "activities"].contains { self[$0]?.items != nil }
            || self["leek-fund.funds"]?.items != nil
    }
}
