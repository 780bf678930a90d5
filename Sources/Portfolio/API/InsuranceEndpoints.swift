import VaultFormat
import Cards
import VaultStore

extension Endpoint {
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
    private static let summary = Shape<Household.Insurance>(
        "PolicySummary",
        [
            .money("total_annual_premium", \.annualPremium, "of active ones"), .count("active_count", \.activeCount),
            .count("total_count", \.count), .count("covered_persons", \.persons, "of active ones"),
        ])
    private static let list = Shape<(items: [CardResource.Stored], total: Household.Insurance)>(
        "PolicyList", [cards.list(\.items), .object("summary", summary, \.total)])

    static let insurance =
        cards.endpoints(
            Endpoint(
                .get, "/api/insurance", "The policies, by insured person, then by name",
                query: [APIField("insured_person", .text, isOptional: true, "only of this person; the summary too")],
                list
            ) { call in
                func person(_ stored: CardResource.Stored) -> String {
                    stored.card.fields.texts["insured_person"] ?? ""
                }
                let only = call.query["insured_person"]
                let policies = try cards.all(call.vault).filter { only == nil || person($0) == only }.sorted {
                    (person($0), $0.card.title, $0.id) < (person($1), $1.card.title, $1.id)
                }
                let household = try Household(call.vault).only(policies.compactMap { Policy($0.card, id: $0.id) })
                return (policies, household.insurance(today: call.today))
            }, (new: "a policy", known: "the policy"), missing: "no policy has this id or name") + [
            Endpoint(
                .post, "/api/insurance/{id}/renew",
                "The premium is paid: the next payment is a year later, of 29 February the 28th; nothing else moves",
                response: .object(item),
                errors: [
                    (404, "no policy has this id or name"),
                    (422, "the policy is no longer active, or has no next payment"),
                ]
            ) { call in
                let (stored, transaction) = (try cards.named(call), try call.change())
                guard let entry = try transaction.entry(stored.id) else { throw APIProblem(404, "no policy") }
                let card = try transaction.renewPolicy(entry).card
                return cards.json(
                    .init(card: card, id: stored.id, created: stored.created, updated: call.surroundings.now))
            }
        ]
}
