import VaultFormat
import Cards

extension Endpoint {
    private static let keys = ["start_date": "start", "maturity_date": "maturity"]

    private static let liquidRequest = APIObject(
        "LiquidRequest",
        [
            APIField("name", .text), APIField("type", .word([AssetType.deposit, .moneyFund].map(\.rawValue))),
            APIField("platform", .text), APIField("amount", .money, "in `currency`"),
            APIField("annual_rate", .percent, isOptional: true, "percent a year"), .currency,
        ])
    private static let stableRequest = APIObject(
        "StableRequest",
        [
            APIField("name", .text), APIField("type", .word([AssetType.termDeposit, .bankProduct].map(\.rawValue))),
            APIField("platform", .text), APIField("amount", .money, "in `currency`"),
            APIField("annual_rate", .percent, "percent a year"), .currency,
            APIField("start_date", .day, isOptional: true),
            APIField("maturity_date", .day, isOptional: true, "not before start_date"),
        ])

    private static let summary = Shape<(bucket: Household.Bucket, household: Household)>(
        "BucketSummary",
        [
            .money("total_amount", \.bucket.amount, "in yuan"),
            .money("estimated_annual_return", \.bucket.estimatedReturn, "in yuan"), .count("count", \.bucket.count),
            .texts("without_rate", { $0.household.missingRates.sorted() }, "currencies that are not counted"),
        ])

    static let liquid = endpoints(.liquid, .liquid, "Liquid", liquidRequest, "by name")
    static let stable = endpoints(
        .stable, .investment, "Stable", stableRequest, "by maturity, then by name; without a maturity last")

    private static func endpoints(
        _ bucket: AssetBucket, _ category: AssetCategory, _ name: String, _ request: APIObject, _ order: String
    ) -> [Endpoint] {
        let cards = CardResource(
            kind: "asset", item: request.item("\(name)Item", having: ["name", "amount", "platform"]), request: request,
            keys: keys, fixed: [("category", category.rawValue), ("bucket", bucket.rawValue)]
        ) { card in
            let texts = card.fields.texts
            return texts["bucket"] == bucket.rawValue && texts["category"] != AssetCategory.debt.rawValue
        }
        let list = Shape<(items: [CardResource.Stored], total: (Household.Bucket, Household))>(
            "\(name)List", [cards.list(\.items), .object("summary", summary, \.total)])
        return cards.endpoints(
            Endpoint(.get, "/api/\(bucket)", "The assets of the bucket `\(bucket)`, \(order)", .object(list)) { call in
                let household = try Household(call.vault)
                let items = try cards.all(call.vault).sorted { one, other in
                    let keys = [one, other].map { ($0.card.fields.texts["maturity"] ?? "9999", $0.card.title, $0.id) }
                    return keys[0] < keys[1]
                }
                return (items, (household.bucket(bucket, today: call.today), household))
            }, (new: "an asset to the bucket", known: "the asset"), missing: "no item has this id or name")
    }
}
