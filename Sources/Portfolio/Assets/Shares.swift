package import Values
import VaultFormat
import Cards

/// The parts of what a family owns.
package struct Shares: Sendable {
    /// The dimension by which the whole is divided.
    package enum By: String, CaseIterable, Sendable {
        case bucket, category, platform
        case assetClass = "asset_class"
        case geography, sector
    }

    /// A part; of what is seen through funds there is no amount.
    package struct Part: Sendable {
        /// Its name in the person's language; empty where nothing is said.
        package let name: String
        package let amount: ExactDecimal?
        /// Its percent of the whole, to 12 places.
        package let percent: ExactDecimal

        /// A line of `asset allocation`.
        package static let line = Shape<Part>(
            "", [.text("name", \.name), .money("amount", \.amount), .percent("percent", \.percent)])
    }

    /// The parts, the largest first.
    package let parts: [Part]
    /// The share of the funds that have a report; nil of what needs none.
    package let covered: ExactDecimal?

    /// - Parameter say: the words of the person's language.
    package init(_ by: By, _ household: Household, _ watchlist: Watchlist, _ today: Day, say: (Phrase) -> String) {
        if let dimension = AllocationLine.Dimension(rawValue: by.rawValue) {
            let look = LookThrough(watchlist, dimension)
            parts = look.items.map { Part(name: $0.category, amount: nil, percent: $0.percentage) }
            covered = look.coveredPercent
            return
        }
        let amounts: [(name: String, amount: ExactDecimal)] =
            switch by {
            case .category: AssetCategory.allCases.filter { $0 != .debt }.map { (say($0.label), household.total($0)) }
            case .platform: household.platforms(watchlist).map { ($0, $1) }
            default: household.buckets(today: today).assets.map { (say($0.name), $0.amount) }
            }
        let total = amounts.sum(\.amount)
        parts = amounts.filter { $0.amount.sign > 0 }.sorted { ($1.amount, $0.name) < ($0.amount, $1.name) }.map {
            Part(name: $0.name, amount: $0.amount, percent: ($0.amount * .hundred).divided(by: total) ?? .zero)
        }
        covered = nil
    }
}
