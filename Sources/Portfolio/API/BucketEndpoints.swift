import VaultFormat
import VaultRecords

extension PortfolioAPI {
    private static let keys = ["start_date": "start", "maturity_date": "maturity"]

    private static let currency = APIField("currency", .text, isOptional: true, "ISO 4217; CNY where it is left out")
    private static let liquidRequest = [
        APIField("name", .text), APIField("type", .word([AssetType.deposit, .moneyFund].map(\.rawValue))),
        APIField("platform", .text),
        APIField("amount", .money, "in `currency`"),
        APIField("annual_rate", .percent, isOptional: true, "percent a year"),
        currency,
    ]
    private static let stableRequest = [
        APIField("name", .text), APIField("type", .word([AssetType.termDeposit, .bankProduct].map(\.rawValue))),
        APIField("platform", .text),
        APIField("amount", .money, "in `currency`"), APIField("annual_rate", .percent, "percent a year"), currency,
        APIField("start_date", .day, isOptional: true),
        APIField("maturity_date", .day, isOptional: true, "not before start_date"),
    ]

    /// An item: what a new one takes; of cards that were made elsewhere type and rate may be missing.
    private static func item(_ name: String, _ request: [APIField]) -> APIObject {
        let fields = request.map { field in
            APIField(
                field.name, field.type, isOptional: !["name", "amount", "platform"].contains(field.name), field.note)
        }
        return APIObject(name, [APIField("id", .id)] + fields + [APIField("updated_at", .time)])
    }

    private static let liquidCards = CardResource(
        kind: "asset", item: item("LiquidItem", liquidRequest), request: APIObject("LiquidRequest", liquidRequest),
        keys: keys, fixed: [("category", "liquid"), ("bucket", "liquid")])
    private static let stableCards = CardResource(
        kind: "asset", item: item("StableItem", stableRequest), request: APIObject("StableRequest", stableRequest),
        keys: keys, fixed: [("category", "investment"), ("bucket", "stable")])

    private static let summary = APIObject(
        "BucketSummary",
        [
            APIField("total_amount", .money, "in yuan"), APIField("estimated_annual_return", .money, "in yuan"),
            APIField("count", .integer), APIField("without_rate", .list(.text), "currencies that are not counted"),
        ])

    static let liquid = endpoints(.liquid, "by name", liquidCards)
    static let stable = endpoints(.stable, "by maturity, then by name; without a maturity last", stableCards)

    private static func endpoints(_ bucket: AssetBucket, _ order: String, _ cards: CardResource) -> [Endpoint] {
        let path = "/api/\(bucket)"
        let list = APIObject(
            cards.item.name.replacing("Item", with: "List"),
            [APIField("items", .list(.object(cards.item))), APIField("summary", .object(summary))])
        let missing = (404, "no item has this id or name")
        let wrong = (422, "a field is missing or wrong; all are named")
        let members: @Sendable (APICall) throws -> [CardResource.Stored] = { call in
            try cards.all(call.vault) {
                $0.fields.texts["bucket"] == bucket.rawValue
                    && $0.fields.texts["category"] != AssetCategory.debt.rawValue
            }
        }
        return [
            Endpoint(.get, path, "The assets of the bucket `\(bucket)`, \(order)", response: .object(list)) { call in
                let household = try Household(call.vault)
                let total = household.bucket(bucket, today: call.today)
                let items = try members(call).sorted { one, other in
                    let keys = [one, other].map { ($0.card.fields.texts["maturity"] ?? "9999", $0.card.title, $0.id) }
                    return keys[0] < keys[1]
                }
                return .object([
                    ("items", .list(items.map(cards.json))),
                    (
                        "summary",
                        .object([
                            ("total_amount", .money(total.amount)),
                            ("estimated_annual_return", .money(total.estimatedReturn)),
                            ("count", .integer(Int64(total.count))), ("without_rate", .texts(household.missingRates)),
                        ])
                    ),
                ])
            },
            Endpoint(
                .post, path, "Adds an asset to the bucket", request: .object(cards.request),
                response: .object(cards.item), errors: [wrong]
            ) { try cards.add($0) },
            Endpoint(
                .put, "\(path)/{id}", "Changes the fields that are given; null takes one away",
                request: .object(cards.request.optional), response: .object(cards.item), errors: [missing, wrong]
            ) { try cards.change($0, among: members($0)) },
            Endpoint(
                .delete, "\(path)/{id}", "Moves the asset to the trash", response: CardResource.removed,
                errors: [missing]
            ) { try cards.remove($0, among: members($0)) },
        ]
    }
}
