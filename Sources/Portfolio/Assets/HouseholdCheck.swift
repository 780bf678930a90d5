public import Values
import VaultFormat
import Cards
public import VaultStore

/// A few rules that a household is held against; their limits are settings `check.*` of a vault (Spec/product/assets.md, 11).
public struct HouseholdCheck: Sendable {
    /// One rule.
    public enum Rule: String, CaseIterable, Sendable {
        /// Percent of what is held that one fund, one sector or one region may be.
        case fund, sector, region
        /// Percent of what is held that may be on one platform.
        case platform
        /// Percent of all buckets that each of them should be.
        case liquid, stable, growth
        /// The types of policies that each insured person should have.
        case policies

        /// Its name for people, and the limits where nothing is set.
        fileprivate var facts: (label: Phrase, least: Int, most: Int) {
            switch self {
            case .fund: ("share of one fund", 0, 30)
            case .sector: ("share of one sector", 0, 30)
            case .region: ("share of one region", 0, 30)
            case .platform: ("funds on one platform", 0, 70)
            case .liquid: ("share of liquid", 10, 20)
            case .stable: ("share of stable", 20, 40)
            case .growth: ("share of growth", 40, 60)
            case .policies: ("types of policies", 4, 4)
            }
        }

        /// The limits where nothing is set: percent at most, or from and to; for `policies` the number of types.
        public var standard: ClosedRange<ExactDecimal> { ExactDecimal(facts.least)...ExactDecimal(facts.most) }
    }

    /// One thing that a rule looked at.
    public struct Finding: Sendable {
        /// The rule.
        public let rule: Rule
        /// The name of a fund, a sector, a platform or a person; empty of a bucket.
        public let subject: String
        /// Percent, to 12 places; of policies the number of types.
        public let value: ExactDecimal
        /// The limits.
        public let limits: ClosedRange<ExactDecimal>

        /// True if the value is outside of the limits.
        public var isOutside: Bool { !limits.contains(value) }

        /// A line of `check`.
        package static let line = Shape<Finding>(
            "",
            [
                .word("rule", \.rule), .text("subject", \.subject), .percent("value", \.value),
                .text("min", \.limits.lowerBound.description), .text("max", \.limits.upperBound.description),
                .flag("outside", \.isOutside),
            ])

        /// The rule, its subject, the value, the limits, and whether it is within them.
        package var cells: [Phrase] {
            let (least, most, isNumber) = (limits.lowerBound, limits.upperBound, rule == .policies)
            let limit: Phrase =
                isNumber
                ? "wanted \(least.shortest)"
                : least.sign == 0 ? "at most \(most.shortest)%" : "wanted \(least.shortest) to \(most.shortest)%"
            return [
                isOutside ? "! \(rule.facts.label)" : "  \(rule.facts.label)", "\(subject)",
                isNumber ? "\(value.shortest)" : "\(value.rounded(2))%", limit,
                isOutside ? (value < least ? "too little" : "too much") : "fine",
            ]
        }
    }

    /// What the rules looked at, by rule; the largest value first.
    public let findings: [Finding]

    /// The name of the setting with the limits of a rule.
    public static func settingName(_ rule: Rule) -> String { "check.\(rule.rawValue)" }

    /// Limits as they are written: `30`, or `10-20`; nil of anything else.
    public static func limits(_ text: String, of rule: Rule) -> ClosedRange<ExactDecimal>? {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { ExactDecimal(String($0)) }
        guard 1...2 ~= numbers.count, let last = numbers.last ?? nil, let first = numbers[0], first.sign >= 0,
            first <= last, last <= .hundred
        else { return nil }
        if rule == .policies { return numbers.count == 1 && last <= ExactDecimal(4) ? last...ExactDecimal(4) : nil }
        return (numbers.count == 1 ? .zero : first)...last
    }

    /// The limits of a vault.
    ///
    /// - Throws: as `Vault.setting`.
    public static func limits(_ vault: Vault) throws -> [Rule: ClosedRange<ExactDecimal>] {
        var all: [Rule: ClosedRange<ExactDecimal>] = [:]
        for rule in Rule.allCases {
            all[rule] = rule.standard
            if case .text(let text)? = try vault.setting(settingName(rule))?.value, let own = limits(text, of: rule) {
                all[rule] = own
            }
        }
        return all
    }

    /// Looks at the household of a vault.
    ///
    /// - Throws: as `Household` and `Vault.setting`.
    public init(_ vault: Vault, _ household: Household, _ watchlist: Watchlist, today: Day) throws {
        self.init(household, watchlist, try Self.limits(vault), today: today)
    }

    /// Looks at a household. What has no value, as growth without a net value, is not looked at.
    ///
    /// - Parameters:
    ///   - limits: a rule without limits has its standard ones.
    ///   - today: days since 1970.
    public init(
        _ household: Household, _ watchlist: Watchlist, _ limits: [Rule: ClosedRange<ExactDecimal>], today: Day
    ) {
        let growth = household.growth.amount
        func percent(_ amount: ExactDecimal, of total: ExactDecimal) -> ExactDecimal? {
            (amount * .hundred).divided(by: total)
        }
        var values: [Rule: [(String, ExactDecimal)]] = [:]
        values[.fund] = watchlist.valuesByFund.compactMap { code, value in
            percent(value, of: growth).map { (watchlist.name(code), $0) }
        }
        for (rule, dimension) in [(Rule.sector, AllocationLine.Dimension.sector), (.region, .geography)] {
            values[rule] = LookThrough(watchlist, dimension).items.map { ($0.category, $0.percentage) }
        }
        values[.platform] = Growth.byPlatform(watchlist).compactMap { platform in
            platform.name.isEmpty ? nil : percent(platform.growth.amount, of: growth).map { (platform.name, $0) }
        }
        let buckets = household.buckets(today: today)
        for (rule, bucket) in zip([Rule.liquid, .stable, .growth], buckets.assets) {
            values[rule] = percent(bucket.amount, of: buckets.total).map { [("", $0)] }
        }
        values[.policies] = Dictionary(grouping: household.policies.filter { $0.isActive(on: today) }, by: \.person).map
        {
            ($0, ExactDecimal(Set($1.compactMap(\.type)).count))
        }
        findings = Rule.allCases.flatMap { rule in
            (values[rule] ?? []).sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map {
                Finding(rule: rule, subject: $0.0, value: $0.1, limits: limits[rule] ?? rule.standard)
            }
        }
    }
}

extension VaultTransaction {
    /// Sets limits, as words like `fund=25` and `liquid=10-20` give them.
    ///
    /// - Throws: `Refusal` of a rule or of limits that are none; all that storing throws.
    public func setLimits(_ values: GivenValues) throws {
        try Refusal.check(eachOnce: values.map(\.key))
        for (name, value) in values {
            guard let rule = HouseholdCheck.Rule(rawValue: name) else {
                let names = HouseholdCheck.Rule.allCases.map(\.rawValue).joined(separator: ", ")
                throw Refusal("no rule is called '\(printable(name.utf8))'", .notFound, hint: "there are \(names)")
            }
            guard HouseholdCheck.limits(value, of: rule) != nil else {
                throw Refusal("takes percent like 30 or 10-20; policies takes a number from 0 to 4", key: name)
            }
            try put(Setting(.text(value)), as: HouseholdCheck.settingName(rule))
        }
    }
}
