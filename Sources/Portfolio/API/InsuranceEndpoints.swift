import VaultFormat
import VaultRecords
import VaultStore

extension PortfolioAPI {
    private static let request = APIObject(
        "PolicyRequest",
        [
            APIField("name", .text), APIField("type", .words(PolicyType.self)),
            APIField("policy_number", .text, isOptional: true), APIField("insurer", .text),
            APIField("insured_person", .text), APIField("annual_premium", .money, "in `currency`"),
            APIField("currency", .text, isOptional: true, "ISO 4217; CNY where it is left out"),
            APIField("coverage_amount", .money, isOptional: true),
            APIField("coverage_summary", .note, isOptional: true),
            APIField("start_date", .day, isOptional: true),
            APIField("end_date", .day, isOptional: true, "none for life"),
            APIField("payment_years", .number, isOptional: true),
            APIField("next_payment_date", .day, isOptional: true),
            APIField(
                "status", .words(PolicyStatus.self), isOptional: true, "`active` where it is left out"),
        ])
    private static let item = APIObject(
        "Policy",
        [APIField("id", .id)]
            + request.fields.map { field in
                let isOptional = field.isOptional && field.name != "status" || field.name == "type"
                return APIField(field.name, field.type, isOptional: isOptional, field.note)
            } + [APIField("updated_at", .time)])
    private static let cards = CardResource(
        kind: "policy", item: item, request: request,
        keys: ["start_date": "start", "end_date": "end", "next_payment_date": "next_payment"])
    private static let list = APIObject(
        "PolicyList",
        [
            APIField("items", .list(.object(item))),
            APIField(
                "summary",
                .object(
                    APIObject(
                        "PolicySummary",
                        [
                            APIField("total_annual_premium", .money, "of active ones"),
                            APIField("active_count", .integer), APIField("total_count", .integer),
                            APIField("covered_persons", .integer, "of active ones"),
                        ]))),
        ])

    static let insurance: [Endpoint] = {
        let missing = (404, "no policy has this id or name")
        let wrong = (422, "a field is missing or wrong; all are named")
        return [
            Endpoint(
                .get, "/api/insurance", "The policies, by insured person, then by name",
                query: [APIField("insured_person", .text, isOptional: true, "only of this person; the summary too")],
                response: .object(list)
            ) { call in
                let person = call.query["insured_person"]
                let policies = try cards.all(call.vault) { card in
                    person.map { card.fields.texts["insured_person"] == $0 } ?? true
                }.sorted { one, other in
                    let keys = [one, other].map { ($0.card.fields.texts["insured_person"] ?? "", $0.card.title, $0.id) }
                    return keys[0] < keys[1]
                }
                let household = try Household(call.vault).only(policies.compactMap { Policy($0.card, id: $0.id) })
                let total = household.insurance(today: call.today)
                return .object([
                    ("items", .list(policies.map(cards.json))),
                    (
                        "summary",
                        .object([
                            ("total_annual_premium", .money(total.annualPremium)),
                            ("active_count", .integer(Int64(total.activeCount))),
                            ("total_count", .integer(Int64(total.count))),
                            ("covered_persons", .integer(Int64(total.persons))),
                        ])
                    ),
                ])
            },
            Endpoint(
                .post, "/api/insurance", "Adds a policy", request: .object(request), response: .object(item),
                errors: [wrong]
            ) { try cards.add($0) },
            Endpoint(
                .put, "/api/insurance/{id}", "Changes the fields that are given; null takes one away",
                request: .object(request.optional), response: .object(item), errors: [missing, wrong]
            ) { try cards.change($0, among: cards.all($0.vault)) },
            Endpoint(
                .delete, "/api/insurance/{id}", "Moves the policy to the trash", response: CardResource.removed,
                errors: [missing]
            ) { try cards.remove($0, among: cards.all($0.vault)) },
            Endpoint(
                .post, "/api/insurance/{id}/renew",
                "The premium is paid: the next payment is a year later, of 29 February the 28th; nothing else moves",
                response: .object(item),
                errors: [missing, (422, "the policy is no longer active, or has no next payment")]
            ) { call in
                var stored = try cards.named(call.parameters["id"] ?? "", among: cards.all(call.vault))
                let transaction = try call.change()
                guard let entry = try transaction.entry(stored.id) else { throw APIProblem(404, "no policy") }
                stored.card = try transaction.renewPolicy(entry).card
                return cards.json(
                    .init(card: stored.card, id: stored.id, created: stored.created, updated: call.surroundings.now))
            },
        ]
    }()
}
