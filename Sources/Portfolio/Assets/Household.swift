public import Values
import VaultFormat
public import Cards
public import VaultStore

/// All that a family owns, owes and is insured for, in yuan. Amounts in another currency count at the newest rate that is
/// stored; without one they are left out, and named.
public struct Household: Sendable {
    /// Assets and debts.
    public let assets: [Asset]
    /// Policies.
    public let policies: [Policy]
    /// The holdings of funds, at the newest net values: a fund without one is worth 0.
    public let growth: Growth
    /// Currencies without a rate, of which nothing is counted.
    public let missingRates: Set<String>
    /// Titles of cards that do not count: copies that a merge left.
    public let mergeCopies: [String]
    /// Titles of assets and policies that do not count: another program wrote a category, a type or an amount that is none.
    public let unreadCards: [String]
    private let rates: [String: ExactDecimal]
    private let fundsWithoutRate: [String: ExactDecimal]

    /// Reads a vault.
    ///
    /// - Throws: as `Vault.cards` and `Watchlist`.
    public init(_ vault: Vault) throws { try self.init(vault, Watchlist(vault)) }

    /// The same with the watchlist of the vault at hand.
    ///
    /// - Throws: as `Vault.cards`.
    public init(_ vault: Vault, _ watchlist: Watchlist) throws { try self.init(vault, watchlist, cards: [:]) }

    /// The same with other cards in the place of the vault's, by id.
    init(_ vault: Vault, _ watchlist: Watchlist, cards changed: [RecordID: Card]) throws {
        let (entries, copies) = try Self.entries(vault, ["asset", "policy"])
        let cards = zip(entries, try vault.cards(entries)).map { ($0, changed[$0.id] ?? $1) }
        let (assets, policies) = (cards.compactMap { Asset($1, id: $0.id) }, cards.compactMap { Policy($1, id: $0.id) })
        let read = Set(assets.map(\.id) + policies.map(\.id))
        self.init(
            assets: assets, policies: policies,
            growth: Growth(watchlist), rates: watchlist.prices.rates.compactMapValues { $0.last?.rate },
            fundsWithoutRate: watchlist.amountsWithoutRate,
            mergeCopies: copies.map(\.title).sorted() + watchlist.mergeCopies,
            unreadCards: cards.filter { !read.contains($0.0.id) }.map(\.1.title).sorted())
    }

    /// The live cards of some kinds that count, and those that do not: copies that a merge left beside the other card.
    ///
    /// - Throws: as `Vault.entries`.
    static func entries(_ vault: Vault, _ names: [String]) throws -> (counted: [Entry], copies: [Entry]) {
        let kinds = names.compactMap { Schema.named($0)?.kind }
        let all = try vault.entries { kinds.contains($0.kind) }
        let titles = Set(all.map { CardHome(kind: $0.kind, title: $0.overview.title) })
        func isCopy(_ entry: Entry) -> Bool {
            entry.titleBeforeMerge.map { titles.contains(CardHome(kind: entry.kind, title: $0)) } ?? false
        }
        return (all.filter { !isCopy($0) }, all.filter(isCopy))
    }

    /// The same of values.
    ///
    /// - Parameter rates: yuan for one unit, by currency.
    public init(
        assets: [Asset], policies: [Policy], growth: Growth, rates: [String: ExactDecimal],
        fundsWithoutRate: [String: ExactDecimal] = [:], mergeCopies: [String] = [], unreadCards: [String] = []
    ) {
        (self.mergeCopies, self.unreadCards, self.fundsWithoutRate) = (mergeCopies, unreadCards, fundsWithoutRate)
        (self.assets, self.policies, self.growth) = (assets, policies, growth)
        self.rates = rates.merging(["CNY": .one]) { $1 }
        let known = self.rates
        missingRates = Set((assets.map(\.currency) + policies.map(\.currency)).filter { known[$0] == nil }).union(
            fundsWithoutRate.keys)
    }

    /// What there is in each currency without a rate: assets minus debts.
    public var totalsWithoutRate: [String: ExactDecimal] {
        let amounts = assets.filter { missingRates.contains($0.currency) }
            .map { ($0.currency, $0.isDebt ? -$0.amount : $0.amount) }
        let premiums = missingRates.map { ($0, ExactDecimal.zero) }
        return Dictionary(amounts + premiums + fundsWithoutRate.map { ($0, $1) }, uniquingKeysWith: +)
    }

    /// The same household with other policies.
    func only(_ policies: [Policy]) -> Household {
        Household(
            assets: assets, policies: policies, growth: growth, rates: rates,
            fundsWithoutRate: fundsWithoutRate, mergeCopies: mergeCopies, unreadCards: unreadCards)
    }

    private func yuan(_ amount: ExactDecimal, _ currency: String) -> ExactDecimal {
        rates[currency].map { amount * $0 } ?? .zero
    }

    /// The sum of some assets in yuan, debts as what they are.
    package func total(_ assets: [Asset]) -> ExactDecimal { sum(assets) }

    private func sum(_ assets: [Asset]) -> ExactDecimal { assets.sum { yuan($0.amount, $0.currency) } }

    /// Debts as a part of the assets, for people.
    package var debtRatioText: String { debtRatio.map { percentText($0) } ?? "—" }

    /// The policies by person, then by name.
    package var policiesByPerson: [Policy] { policies.sorted { ($0.person, $0.name) < ($1.person, $1.name) } }

    /// The assets of a category, by name.
    package func assets(of category: AssetCategory) -> [Asset] {
        assets.filter { $0.category == category }.sorted { $0.name < $1.name }
    }

    // MARK: Five categories

    /// The sum of a category; what is held of funds is part of investments.
    public func total(_ category: AssetCategory) -> ExactDecimal {
        let sum = sum(assets.filter { $0.category == category })
        return category == .investment ? sum + growth.amount : sum
    }

    /// Σ of all that is not owed.
    public var totalAssets: ExactDecimal { AssetCategory.allCases.filter { $0 != .debt }.sum(total) }

    /// Σ of what is owed.
    public var totalDebts: ExactDecimal { total(.debt) }

    /// Assets minus debts.
    public var net: ExactDecimal { totalAssets - totalDebts }

    /// Debts / assets, to 12 places; nil without assets.
    public var debtRatio: ExactDecimal? { totalDebts.divided(by: totalAssets) }

    /// What is kept where, in yuan: assets, and what is held of funds.
    public func platforms(_ watchlist: Watchlist) -> [String: ExactDecimal] {
        let kept = assets.filter { !$0.isDebt }.map {
            (FundColumns.platform($0.platform), yuan($0.amount, $0.currency))
        }
        let held = watchlist.holdings.map { ($0.platformName, watchlist.value($0) ?? .zero) }
        return Dictionary(kept + held, uniquingKeysWith: +)
    }

    // MARK: Four buckets

    /// Liquid funds and investments that are in no bucket: how many, and what they are worth; nil where all are in one.
    public var withoutBucket: (count: Int, amount: ExactDecimal)? {
        let rest = assets.filter { $0.bucket == nil && [.liquid, .investment].contains($0.category) }
        return rest.isEmpty ? nil : (rest.count, sum(rest))
    }

    /// A bucket of assets.
    public struct Bucket: Sendable {
        /// Σ amount.
        public let amount: ExactDecimal
        /// Σ amount · rate / 100, of those with a rate.
        public let estimatedReturn: ExactDecimal
        /// The number of assets.
        public let count: Int
        /// Days to the next maturity that is not past; nil without one.
        public let nearestMaturity: Int64?
    }

    package func bucket(_ name: AssetBucket, today: Day) -> Bucket {
        let members = assets.filter { $0.bucket == name && !$0.isDebt }
        let returns = members.sum { yuan($0.amount, $0.currency) * ($0.annualRate?.divided(by: .hundred) ?? .zero) }
        return Bucket(
            amount: sum(members), estimatedReturn: returns, count: members.count,
            nearestMaturity: today.nearest(members.compactMap(\.maturity)))
    }

    /// The policies that are active.
    public struct Insurance: Sendable {
        /// Active ones, and all of them.
        public let activeCount: Int, count: Int
        /// Σ premium of active ones.
        public let annualPremium: ExactDecimal
        /// Persons whom active ones insure.
        public let persons: Int
        /// Days to the next payment that is not past; nil without one.
        public let nearestRenewal: Int64?
    }

    /// The policies.
    public func insurance(today: Day) -> Insurance {
        let active = policies.filter { $0.isActive(on: today) }
        return Insurance(
            activeCount: active.count, count: policies.count,
            annualPremium: active.sum { yuan($0.premium, $0.currency) }, persons: Set(active.map(\.person)).count,
            nearestRenewal: today.nearest(active.compactMap(\.nextPayment)))
    }

    /// The four buckets. Insurance is an expense, and no asset.
    public struct Buckets: Sendable {
        /// The buckets of assets.
        public let liquid: Bucket, stable: Bucket
        /// The holdings of funds.
        public let growth: Growth
        /// The policies.
        public let insurance: Insurance
        /// Currencies without a rate, of which nothing is counted.
        public let missingRates: Set<String>

        /// Σ of the three that are assets.
        public var total: ExactDecimal { liquid.amount + stable.amount + growth.amount }
        /// The returns of liquid and stable, and the profit of growth.
        public var totalReturn: ExactDecimal { liquid.estimatedReturn + stable.estimatedReturn + growth.profit }
        /// totalReturn / (liquid + stable + cost of growth); 0 where that is 0.
        public var rate: ExactDecimal { totalReturn.divided(by: liquid.amount + stable.amount + growth.cost) ?? .zero }

        /// The three that are assets, with their names.
        public var assets: [(name: Phrase, amount: ExactDecimal)] {
            [("liquid", liquid.amount), ("stable", stable.amount), ("growth", growth.amount)]
        }
    }

    /// The buckets on a day.
    public func buckets(today: Day) -> Buckets {
        Buckets(
            liquid: bucket(.liquid, today: today), stable: bucket(.stable, today: today), growth: growth,
            insurance: insurance(today: today), missingRates: missingRates)
    }
}

extension Day {
    /// The least number of days to one of these that is not past; nil where there is none.
    fileprivate func nearest(_ days: [Day]) -> Int64? { days.map { distance(to: $0) }.filter { $0 >= 0 }.min() }
}

/// What tells two cards of a household apart for a person.
private struct CardHome: Hashable {
    let kind: Entry.Kind
    let title: [UInt8]
}
