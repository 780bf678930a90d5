import VaultFormat
import VaultRecords
import VaultStore

extension PortfolioAPI {
    private static let liquidSummary = APIObject(
        "BucketTotal",
        [
            APIField("amount", .money, "Σ amount"),
            APIField("estimated_return", .money, "a year: Σ amount · annual_rate / 100"), APIField("count", .integer),
        ])
    private static let stableSummary = APIObject(
        "StableTotal",
        liquidSummary.fields + [
            APIField("nearest_maturity_days", .integer, isOptional: true, "least number of days that is not negative")
        ])
    private static let growthSummary = APIObject(
        "GrowthTotal",
        [
            APIField("total_amount", .money, "Σ shares · newest net value; 0 without one"),
            APIField("total_cost", .money, "Σ shares · cost_price"), APIField("total_pnl", .money, "amount − cost"),
            APIField("pnl_percent", .percent, "pnl / cost · 100; 0 for a cost of 0"), APIField("count", .integer),
        ])
    private static let insuranceSummary = APIObject(
        "InsuranceTotal",
        [
            APIField("active_count", .integer), APIField("total_count", .integer),
            APIField("annual_premium", .money, "of active policies"),
            APIField("covered_persons", .integer, "of active policies"),
            APIField("nearest_renewal_days", .integer, isOptional: true, "least number of days that is not negative"),
        ])
    private static let summary = APIObject(
        "Summary",
        [
            APIField("total_assets", .money, "liquid + stable + growth; insurance is an expense"),
            APIField("total_return", .money, "both estimated returns + pnl of growth"),
            APIField("total_return_percent", .percent, "total_return / (liquid + stable + cost of growth) · 100"),
            APIField("without_rate", .list(.text), "currencies that are not counted"),
            APIField(
                "buckets",
                .object(
                    APIObject(
                        "Buckets",
                        [
                            APIField("liquid", .object(liquidSummary)), APIField("stable", .object(stableSummary)),
                            APIField("growth", .object(growthSummary)),
                            APIField("insurance", .object(insuranceSummary)),
                        ]))),
        ])
    private static let reminder = APIObject(
        "Reminder",
        [
            APIField("type", .word(HouseholdReminder.Kind.allCases.map(\.rawValue))),
            APIField("level", .word(HouseholdReminder.levels.map(\.name))), APIField("title", .text),
            APIField("detail", .text, "names, without an amount"),
            APIField("days", .integer, isOptional: true, "from today; negative once it is past"),
            APIField("link", .text, "the page of an app"),
        ])
    private static let snapshot = APIObject(
        "Snapshot",
        [
            APIField("date", .day, "of the newest net value of what is held; else today"),
            APIField("liquid_amount", .money), APIField("stable_amount", .money), APIField("growth_amount", .money),
            APIField("insurance_premium", .money), APIField("total_assets", .money),
        ])

    static let dashboard = [
        Endpoint(
            .get, "/api/health", "Tells that calls are answered",
            response: .object(APIObject("Health", [APIField("status", .word(["ok"]))]))
        ) { _ in .object([("status", .text("ok"))]) },
        Endpoint(.get, "/api/dashboard/summary", "The totals of the four buckets", response: .object(summary)) { call in
            summary(try Household(call.vault), call.today)
        },
        Endpoint(
            .get, "/api/dashboard/reminders",
            "What is past or ends within 30 days, and is not put off, by level, then by days; without days last",
            response: .list(.object(reminder))
        ) { call in
            // Only these are listed: a damaged card of another kind does not matter here.
            let kinds = ["asset", "policy"].compactMap { Schema.named($0)?.kind }
            let records = try call.vault.entries { kinds.contains($0.kind) }
            let due = try Due.all(in: call.vault, within: 30, today: call.today, among: records)
            let reminders = HouseholdReminder.all(due, try Household(call.vault))
            return .list(reminders.map { $0.json(call.surroundings.language) })
        },
        Endpoint(
            .get, "/api/dashboard/trend", "The snapshots, the earliest first",
            query: [
                APIField(
                    "days", .integer, isOptional: true, "the last so many days; 90 where it is left out, 0 for all")
            ],
            response: .list(.object(snapshot)), errors: [(422, "days is no number from 0")]
        ) { call in
            guard let days = Int64(call.query["days"] ?? "90"), days >= 0 else {
                throw APIProblem(422, "days is no number from 0")
            }
            let all = try Snapshot.all(in: call.vault)
            return .list(all.filter { days == 0 || $0.day.distance(to: call.today) < days }.map(\.json))
        },
        Endpoint(
            .post, "/api/dashboard/snapshot",
            "Keeps today's totals; a second snapshot of a date takes the place of the first",
            response: .object(snapshot)
        ) { call in
            let snapshot = try Snapshot(call.vault, today: call.today)
            _ = try snapshot.store(in: call.change())
            return snapshot.json
        },
    ]

    private static func summary(_ household: Household, _ today: Day) -> JSON {
        let (liquid, stable) = (household.bucket(.liquid, today: today), household.bucket(.stable, today: today))
        let (growth, insurance) = (household.growth, household.insurance(today: today))
        let all = household.buckets(today: today)
        func members(_ bucket: Household.Bucket) -> [(String, JSON)] {
            [
                ("amount", .money(bucket.amount)), ("estimated_return", .money(bucket.estimatedReturn)),
                ("count", .integer(Int64(bucket.count))),
            ]
        }
        let buckets: [(String, JSON)] = [
            ("liquid", .object(members(liquid))),
            ("stable", .object(members(stable) + [("nearest_maturity_days", .count(stable.nearestMaturity))])),
            (
                "growth",
                .object([
                    ("total_amount", .money(growth.amount)), ("total_cost", .money(growth.cost)),
                    ("total_pnl", .money(growth.profit)), ("pnl_percent", .percent(of: growth.rate)),
                    ("count", .integer(Int64(growth.count))),
                ])
            ),
            (
                "insurance",
                .object([
                    ("active_count", .integer(Int64(insurance.activeCount))),
                    ("total_count", .integer(Int64(insurance.count))),
                    ("annual_premium", .money(insurance.annualPremium)),
                    ("covered_persons", .integer(Int64(insurance.persons))),
                    ("nearest_renewal_days", .count(insurance.nearestRenewal)),
                ])
            ),
        ]
        return .object([
            ("total_assets", .money(all.total)), ("total_return", .money(all.totalReturn)),
            ("total_return_percent", .percent(of: all.rate)),
            ("without_rate", .texts(household.missingRates)), ("buckets", .object(buckets)),
        ])
    }
}

extension Snapshot {
    fileprivate var json: JSON {
        .object([
            ("date", .text(day.text)), ("liquid_amount", .money(liquid)),
            ("stable_amount", .money(stable)), ("growth_amount", .money(growth)),
            ("insurance_premium", .money(premium)),
            ("total_assets", .money(total)),
        ])
    }
}
