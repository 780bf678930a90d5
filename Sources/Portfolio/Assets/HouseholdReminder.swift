public import Values
import VaultFormat
import VaultRecords

/// What a household has to look at: policies that lapsed or want a payment, deposits that end, a position out of its bounds
/// (Spec/product/assets.md, 9).
public struct HouseholdReminder: Sendable {
    /// What it is about.
    public enum Kind: String, CaseIterable, Sendable {
        case insuranceLapsed = "insurance_lapsed"
        case insuranceExpired = "insurance_expired"
        case insuranceRenewal = "insurance_renewal"
        case stableMaturity = "stable_maturity"
        case growthPosition = "growth_position"

        /// The page of an app that it belongs to.
        public var link: String {
            switch self {
            case .insuranceLapsed, .insuranceExpired, .insuranceRenewal: "/insurance"
            case .stableMaturity: "/stable"
            case .growthPosition: "/growth/position"
            }
        }
    }

    /// How near it is.
    public enum Level: String, CaseIterable, Sendable {
        /// Past, or within 7 days.
        case urgent
        /// Within 30 days.
        case warning
        /// Anything else.
        case info
    }

    /// What it is about.
    public let kind: Kind
    /// How near it is.
    public let level: Level
    /// In Chinese, as the product's pages have it.
    public let title: String
    /// The name of the policy or the asset, and whom it insures; without an amount.
    public let detail: String
    /// From today; negative once it is past. Nil where there is no day.
    public let days: Int64?

    /// The reminders of a household, by level, then by days; those without a day come last.
    public static func all(_ household: Household, _ position: Position, today: Day) -> [HouseholdReminder] {
        let policies = household.policies.flatMap { of($0, today) }
        let stable = household.assets.filter { $0.bucket == "stable" && !$0.isDebt }.compactMap { asset in
            distance(asset.maturity, today).flatMap { days in
                ended(
                    .stableMaturity, days, ["理财已到期", "理财即将到期", "理财到期提醒"],
                    asset.platform.isEmpty ? asset.name : "\(asset.name) · \(asset.platform)")
            }
        }
        let ratio = position.ratio.rounded(2)
        var bounds: [HouseholdReminder] = []
        if position.isBelow {
            bounds = [out("长钱仓位偏低", "\(ratio)% < \(position.plan.least.shortest)%")]
        } else if position.isAbove {
            bounds = [out("长钱仓位偏高", "\(ratio)% > \(position.plan.most.shortest)%")]
        }
        let order = Level.allCases
        return (policies + stable + bounds).sorted { one, other in
            let levels = (order.firstIndex(of: one.level) ?? 0, order.firstIndex(of: other.level) ?? 0)
            return (levels.0, one.days ?? 999, one.detail) < (levels.1, other.days ?? 999, other.detail)
        }
    }

    private static func distance(_ day: Day?, _ today: Day) -> Int64? { day.map { today.distance(to: $0) } }

    private static func out(_ title: String, _ detail: String) -> HouseholdReminder {
        HouseholdReminder(kind: .growthPosition, level: .warning, title: title, detail: detail, days: nil)
    }

    private static func of(_ policy: Policy, _ today: Day) -> [HouseholdReminder] {
        let detail = policy.person.isEmpty ? policy.name : "\(policy.name) · \(policy.person)"
        guard policy.status != "lapsed" else {
            return [.init(kind: .insuranceLapsed, level: .urgent, title: "保险已失效", detail: detail, days: nil)]
        }
        guard policy.isActive else { return [] }
        let end = distance(policy.end, today).flatMap { $0 < 0 ? $0 : nil }.map {
            HouseholdReminder(kind: .insuranceExpired, level: .urgent, title: "保险已过期", detail: detail, days: $0)
        }
        let titles = ["保险已逾期续费", "保险即将续费", "保险续费提醒"]
        let payment = distance(policy.nextPayment, today).flatMap { ended(.insuranceRenewal, $0, titles, detail) }
        return [end, payment].compactMap(\.self)
    }

    /// Nil of what is more than 30 days away.
    private static func ended(_ kind: Kind, _ days: Int64, _ titles: [String], _ detail: String) -> HouseholdReminder? {
        guard days <= 30 else { return nil }
        return HouseholdReminder(
            kind: kind, level: days <= 7 ? .urgent : .warning, title: titles[days < 0 ? 0 : days <= 7 ? 1 : 2],
            detail: detail, days: days)
    }
}
