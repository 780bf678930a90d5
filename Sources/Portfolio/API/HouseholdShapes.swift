import Values
import VaultFormat
import Cards

// The shapes of assets, policies and totals, for the API and the command.

extension Household.Bucket {
    static let shape = Shape<Self>(
        "BucketTotal",
        [
            .money("amount", \.amount, "Σ amount"),
            .money("estimated_return", \.estimatedReturn, "a year: Σ amount · annual_rate / 100"),
            .count("count", \.count),
        ])
    static let stableShape = Shape<Self>(
        "StableTotal",
        shape.fields + [
            .count("nearest_maturity_days", \.nearestMaturity, "least number of days that is not negative").orNull
        ])
}

extension Growth {
    static let shape = Shape<Self>(
        "GrowthTotal",
        [
            .money("total_amount", \.amount, "Σ shares · newest net value; 0 without one"),
            .money("total_cost", \.cost, "Σ shares · cost_price"), .money("total_pnl", \.profit, "amount − cost"),
            .percent(of: "pnl_percent", \.rate, "pnl / cost · 100; 0 for a cost of 0"), .count("count", \.count),
        ])
}

extension Household.Insurance {
    static let shape = Shape<Self>(
        "InsuranceTotal",
        [
            .count("active_count", \.activeCount), .count("total_count", \.count),
            .money("annual_premium", \.annualPremium, "of active policies"),
            .count("covered_persons", \.persons, "of active policies"),
            .count("nearest_renewal_days", \.nearestRenewal, "least number of days that is not negative").orNull,
        ])
}

extension Household.Buckets {
    private static let totals: [ShapeField<Self>] = [
        .money("total_assets", \.total, "liquid + stable + growth; insurance is an expense"),
        .money("total_return", \.totalReturn, "both estimated returns + pnl of growth"),
        .percent(of: "total_return_percent", \.rate, "total_return / (liquid + stable + cost of growth) · 100"),
    ]
    private static let withoutRate = ShapeField<Self>.texts(
        "without_rate", { $0.missingRates.sorted() }, "currencies that are not counted")
    private static let rest: [ShapeField<Self>] = [
        .object("stable", Household.Bucket.stableShape, \.stable), .object("growth", Growth.shape, \.growth),
        .object("insurance", Household.Insurance.shape, \.insurance),
    ]

    static let shape = Shape<Self>(
        "Summary",
        totals + [
            withoutRate,
            .object("buckets", Shape("Buckets", [.object("liquid", Household.Bucket.shape, \.liquid)] + rest)) { $0 },
        ])
    /// The same as `dashboard --json` gives it.
    package static let line = Shape<Self>(
        "", totals + [.object("liquid", Household.Bucket.stableShape, \.liquid)] + rest + [withoutRate])
}

extension Household {
    /// The totals of `asset summary --json`.
    package static let line = Shape<Self>(
        "",
        AssetCategory.allCases.map { category in .money(category.rawValue) { $0.total(category) } } + [
            .money("total_assets", \.totalAssets), .money("total_debts", \.totalDebts), .money("net", \.net),
            .text("debt_ratio", \.debtRatio?.description), .texts("without_rate") { $0.missingRates.sorted() },
        ])
}

extension Snapshot {
    static let shape = Shape<Self>(
        "Snapshot",
        [
            .day("date", \.day, "on which it was made"),
            .money("liquid_amount", \.liquid), .money("stable_amount", \.stable), .money("growth_amount", \.growth),
            .money("insurance_premium", \.premium), .money("total_assets", \.total),
        ])
}
