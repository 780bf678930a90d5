public import Values
public import VaultFormat
public import Cards
public import VaultStore

extension VaultTransaction {
    /// Notes that the premium of a policy is paid: the next payment is a year later, of 29 February on the 28th; nothing else
    /// moves.
    ///
    /// - Parameter entry: the card of the policy.
    /// - Returns: the card as it is stored, and the day of the next payment.
    /// - Throws: `Refusal` of a policy that is not active, or has no next payment; all that storing throws.
    public func renewPolicy(_ entry: Entry) throws -> (card: Card, next: Day) {
        var card = try before.card(entry)
        guard let policy = Policy(card, id: entry.id) else { throw Refusal("'\(card.title)' is no policy") }
        guard policy.status == .active else { throw Refusal("the policy is no longer active") }
        guard let next = policy.nextPayment.flatMap(Policy.renewed) else {
            throw Refusal("the policy has no next payment")
        }
        card.fields.texts["next_payment"] = next.text
        try put(card, as: entry.id)
        return (card, next)
    }
}
