import Portfolio
import VaultFormat
import VaultRecords

/// The five categories and their totals.
struct AssetSummary {
    private let household: Household
    private let figures: Figures

    init(_ household: Household, _ figures: Figures) { (self.household, self.figures) = (household, figures) }

    func text(isJSON: Bool) -> String {
        let ratio = household.debtRatio
        guard !isJSON else {
            let totals = AssetCategory.allCases.map { ($0.rawValue, figures.json(household.total($0))) }
            return JSON.object(
                totals + [
                    ("total_assets", figures.json(household.totalAssets)),
                    ("total_debts", figures.json(household.totalDebts)), ("net", figures.json(household.net)),
                    ("debt_ratio", ratio.map { .text($0.description) } ?? .null),
                    ("without_rate", .list(household.missingRates.sorted().map { .text($0) })),
                ]
            ).line + "\n"
        }
        let totals = AssetCategory.allCases.map { ($0.label, household.total($0)) }
        let sums: [(Phrase, ExactDecimal)] = [
            ("all assets", household.totalAssets), ("all debts", household.totalDebts), ("net worth", household.net),
        ]
        let rows =
            (totals + sums).map { ($0.0.said, figures.amount($0.1)) }
            + [(Phrase("debt ratio").said, ratio.map { percentText($0) } ?? "—")]
        let width = rows.map { columns($0.0) }.max() ?? 0
        let amounts = rows.map { columns($0.1) }.max() ?? 0
        var lines = rows.map { "\(padded($0.0, width))  \(padded($0.1, amounts, left: true))" }
        lines.insert("", at: totals.count)
        if household.growth.count > 0 {
            let growth: Phrase = "investments have \(figures.amount(household.growth.amount)) in funds"
            lines.append(growth.said)
        }
        lines += figures.withoutRate(household)
        return lines.joined(separator: "\n") + "\n"
    }
}
