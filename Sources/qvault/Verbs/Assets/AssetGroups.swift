import Cards
import Portfolio
import VaultFormat

/// The assets and debts of a household in groups, as `asset list` shows them.
struct AssetGroups {
    /// What they are put together by.
    enum By: String {
        case category, bucket, platform
    }

    let all: [(name: String, members: [Asset])]

    init(_ household: Household, _ by: By) {
        let ordered = AssetCategory.allCases.flatMap(household.assets)
        func groups(_ names: [String], _ name: (Asset) -> String) -> [(name: String, members: [Asset])] {
            let parts = Dictionary(grouping: ordered, by: name)
            return names.compactMap { name in parts[name].map { (name, $0) } }
        }
        switch by {
        case .category: all = groups(AssetCategory.allCases.map(\.label.said)) { $0.category.label.said }
        case .bucket:
            let none = Phrase("in no bucket").said
            let names = AssetBucket.allCases.map(\.word.label.said) + [none, AssetCategory.debt.label.said]
            all = groups(names) { asset in
                asset.isDebt ? AssetCategory.debt.label.said : asset.bucket?.word.label.said ?? none
            }
        case .platform:
            let (none, debts) = (Phrase("not said").said, AssetCategory.debt.label.said)
            func name(_ asset: Asset) -> String {
                asset.isDebt ? debts : asset.platform.isEmpty ? none : printable(asset.platform.utf8)
            }
            let named = Set(ordered.map(name)).subtracting([none, debts]).sorted()
            all = groups(named + [none, debts], name)
        }
    }

    /// A head with its sum for each group, and a line for each asset; amounts stand beneath each other.
    func text(_ household: Household, _ figures: Figures, today: Day) -> String {
        var rows: [[String]] = []
        for (name, members) in all {
            rows.append([name, figures.amount(household.total(members), in: "CNY"), "", ""])
            rows += members.map { asset in
                let kind = [asset.subcategory, asset.platform.isEmpty ? nil : asset.platform].compactMap(\.self)
                return [
                    "  " + printable(asset.name.utf8), figures.amount(asset.amount, in: asset.currency),
                    kind.map { printable($0.utf8) }.joined(separator: " · "), Self.ending(asset, today),
                ]
            }
        }
        // Nothing is said of what kind any of them is.
        if rows.allSatisfy({ $0[2].isEmpty }) { rows = rows.map { [$0[0], $0[1], $0[3]] } }
        return inColumns(rows) { $0 == 1 }.map { $0 + "\n" }.joined()
    }

    /// The rate, and when it matures: in so many days, or long ago.
    private static func ending(_ asset: Asset, _ today: Day) -> String {
        let rate = asset.annualRate.map { "\($0)%" }
        let maturity = asset.maturity.map { day -> String in
            let days = today.distance(to: day)
            let badge: Phrase = days < 0 ? "matured" : days == 0 ? "matures today" : "matures in \(days) days"
            return "\(day.text) [\(badge.said)]"
        }
        return [rate, maturity].compactMap(\.self).joined(separator: "  ")
    }
}

extension Card {
    /// True if a new card is one that is there already: an asset of the same category and platform, or anything else of this name.
    func isSameThing(as other: Card) -> Bool {
        schema.name != "asset" || ["category", "platform"].allSatisfy { fields.texts[$0] == other.fields.texts[$0] }
    }
}
