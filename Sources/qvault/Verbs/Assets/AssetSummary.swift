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
        var lines = Figures.table(rows, rightFrom: 1).split(separator: "\n").map(String.init)
        lines.insert("", at: totals.count)
        if growth.count > 0 {
            let funds: Phrase = "investments have \(figures.amount(growth.amount)) in funds"
            lines.append(funds.said)
        }
        return (lines + figures.withoutRate(self)).joined(separator: "\n")
    }
}
