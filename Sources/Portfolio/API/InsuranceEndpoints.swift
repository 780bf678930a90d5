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
            .currency, APIField("coverage_amount", .money, isOptional: true),
            APIField("coverage_summary", .note, isOptional: true), APIField("start_date", .day, isOptional: true),
            APIField("end_date", .day, isOptional: true, "none for life"),
            APIField("payment_years", .number, isOptional: true),
            APIField("next_payment_date", .day, isOptional: true),
            APIField("status", .words(PolicyStatus.self), isOptional: true, "`active` where it is left out"),
        ])
    private static let item = request.item(
        "Policy", having: ["name", "insurer", "insured_person", "annual_premium", "status"])
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
                .object(list)
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
                errors: [
                    (404, "no policy has this id or name"),
                    (422, "the policy is no longer active, or has no next payment"),
                ], .json(.object(item))
            ) { call in
                var stored = try cards.named(call)
                let transaction = try call.change()
                guard let entry = try transaction.entry(stored.id) else { throw APIProblem(404, "no policy") }
                (stored.card, stored.updated) = (try transaction.renewPolicy(entry).card, call.surroundings.now)
                return cards.json(stored)
            }
        ]
}
