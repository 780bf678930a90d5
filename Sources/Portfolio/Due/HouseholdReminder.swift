import Values
import VaultFormat
import Cards

/// An item of `Due` as the API gives it: a policy that lapsed, ended or wants a payment, a deposit that ends, a position out of
/// its bounds (Spec/product/assets.md, 9). It adds a title and names, and decides nothing.
struct HouseholdReminder {
    /// The page of an app that it belongs to, and its name in the API.
    enum Kind: String, CaseIterable {
        case insuranceLapsed = "insurance_lapsed"
        case insuranceExpired = "insurance_expired"
        case insuranceRenewal = "insurance_renewal"
        case stableMaturity = "stable_maturity"
        case growthPosition = "growth_position"

        var link: String {
            switch self {
            case .insuranceLapsed, .insuranceExpired, .insuranceRenewal: "/insurance"
            case .stableMaturity: "/stable"
            case .growthPosition: "/growth/position"
            }
        }
    }

    /// The words of the API for the levels.
    static let levels: [(level: DueDate.Level, name: String)] = [
        (.urgent, "urgent"), (.soon, "warning"), (.later, "info"),
    ]

    let kind: Kind
    let due: Due
    let title: LocalizedLabel
    /// The name of the policy or the asset, and whom it insures or where it is; without an amount.
    let detail: String
    /// From today; nil of what is due every day anew.
    let days: Int64?

    /// The reminders among what is due, by level, then by days; those without days come last.
    static func all(_ due: [Due], _ household: Household) -> [HouseholdReminder] {
        due.compactMap { HouseholdReminder($0, household) }.sorted { one, other in
            let (days, otherDays) = (one.days ?? .max, other.days ?? .max)
            return (one.due.level, days, one.detail) < (other.due.level, otherDays, other.detail)
        }
    }

    /// Nil of what the API does not list.
    private init?(_ due: Due, _ household: Household) {
        self.due = due
        let policy = household.policies.first { $0.id.description == due.id }
        let asset = household.assets.first { $0.id.description == due.id }
        func named(_ name: String, _ rest: String) -> String { rest.isEmpty ? name : "\(name) · \(rest)" }
        switch (due.subject, due.key) {
        case (.lapsed, _):
            guard let policy else { return nil }
            (kind, title, days) = (.insuranceLapsed, LocalizedLabel("insurance lapsed", "保险已失效"), nil)
            detail = named(policy.name, policy.person)
        case (.field, "end"):
            guard let policy, due.days < 0 else { return nil }
            (kind, title, days) = (.insuranceExpired, LocalizedLabel("insurance ended", "保险已过期"), due.days)
            detail = named(policy.name, policy.person)
        case (.field, "next_payment"):
            guard let policy else { return nil }
            (kind, days, detail) = (.insuranceRenewal, due.days, named(policy.name, policy.person))
            title = due.title(
                LocalizedLabel("insurance payment overdue", "保险已逾期续费"),
                LocalizedLabel("insurance payment within a week", "保险即将续费"),
                LocalizedLabel("insurance payment", "保险续费提醒"))
        case (.field, "maturity"):
            guard let asset, asset.bucket == .stable, !asset.isDebt else { return nil }
            (kind, days, detail) = (.stableMaturity, due.days, named(asset.name, asset.platform))
            title = due.title(
                LocalizedLabel("deposit ended", "理财已到期"), LocalizedLabel("deposit ends within a week", "理财即将到期"),
                LocalizedLabel("deposit ends", "理财到期提醒"))
        case (.position(let position), _):
            let (plan, ratio) = (position.plan, position.ratio.rounded(2))
            (kind, days) = (.growthPosition, nil)
            title =
                position.isBelow
                ? LocalizedLabel("position below its bounds", "长钱仓位偏低")
                : LocalizedLabel("position above its bounds", "长钱仓位偏高")
            detail = position.isBelow ? "\(ratio)% < \(plan.least.shortest)%" : "\(ratio)% > \(plan.most.shortest)%"
        default: return nil
        }
    }

    /// Its level in the API's words.
    var level: String? { Self.levels.first { $0.level == due.level }?.name }
}

extension Due {
    /// The title of something with a day: past, within a week, or later.
    fileprivate func title(_ past: LocalizedLabel, _ near: LocalizedLabel, _ later: LocalizedLabel) -> LocalizedLabel {
        days < 0 ? past : level == .urgent ? near : later
    }
}
