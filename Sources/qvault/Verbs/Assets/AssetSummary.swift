import Portfolio
import VaultFormat
import Cards

extension Household {
    /// The five categories and their totals, for people.
    func summary(_ figures: Figures) -> String {
        let totals = AssetCategory.allCases.map { ($0.label, total($0)) }
        let sums: [(Phrase, ExactDecimal)] = [
            ("all assets", totalAssets), ("all debts", totalDebts), ("net worth", net),
        ]
        let rows =
            (totals + sums).map { [$0.0.said, figures.amount($0.1)] } + [[Phrase("debt ratio").said, debtRatioText]]
        var lines = inColumns(rows) { $0 >= 1 }
        lines.insert("", at: totals.count)
        if growth.count > 0 { lines.append(Phrase("investments have \(figures.amount(growth.amount)) in funds").said) }
        return (lines + figures.withoutRate(self)).joined(separator: "\n")
    }
}
