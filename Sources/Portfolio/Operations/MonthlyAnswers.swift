public import Values
public import VaultFormat
import Cards
public import VaultStore

/// What a person says of a household on one evening of a month (Spec/product/assets.md, 5.1).
public struct MonthlyAnswers: Sendable {
    /// New amounts of assets and debts, by card.
    public var amounts: [RecordID: ExactDecimal] = [:]
    /// New shares of holdings, and the new cost of one, by card.
    public var lots: [RecordID: (shares: ExactDecimal, cost: ExactDecimal)] = [:]
    /// Policies whose premium is paid, with the day on which it was due.
    public var paid: [RecordID: Day] = [:]

    /// No answers yet.
    public init() {}

    /// The number of answers. One card has one.
    public var count: Int { amounts.count + lots.count + paid.count }

    /// The amounts and holdings that get another value.
    public var changedCount: Int { amounts.count + lots.count }

    /// True if nothing changes.
    public var isEmpty: Bool { amounts.isEmpty && lots.isEmpty && paid.isEmpty }
}

extension VaultTransaction {
    /// Stores answers, and a snapshot of today that has them.
    ///
    /// - Returns: the snapshot, and how many answers are left out, since somebody else removed the card, or renewed the policy,
    ///   meanwhile.
    /// - Throws: `Refusal` of a number that is none, of a holding that lists its trades, and of a policy that has no next
    ///   payment; all that reading and storing throws.
    public func store(_ answers: MonthlyAnswers, today: Day, now: Timestamp) throws -> (
        snapshot: Snapshot, leftOut: Int
    ) {
        var cards: [RecordID: Card] = [:]
        for (id, amount) in answers.amounts {
            guard let entry = try entry(id) else { continue }
            var card = try before.card(entry)
            if let complaint = card.set([("amount", amount.description)]).first {
                throw Refusal(complaint.what, key: card.title)
            }
            try put(card, as: id)
            cards[id] = card
        }
        let holdings = Dictionary(try Watchlist(before).holdings.map { ($0.id, $0) }) { first, _ in first }
        for (id, lot) in answers.lots {
            guard let holding = holdings[id], let entry = try entry(id) else { continue }
            cards[id] = try updateHolding(
                holding, before.card(entry), shares: lot.shares, cost: lot.cost, from: today, today: today, now: now)
        }
        for (id, day) in answers.paid {
            guard let entry = try entry(id), try before.card(entry).fields.texts["next_payment"] == day.text else {
                continue
            }
            cards[id] = try renewPolicy(entry).card
        }
        let watchlist = try Watchlist(before, besides: [:], cards: cards)
        let household = try Household(before, watchlist, cards: cards)
        let snapshot = Snapshot(household, day: today, valueDay: watchlist.newestHeldDay)
        _ = try snapshot.store(in: self)
        return (snapshot, answers.count - cards.count)
    }
}
