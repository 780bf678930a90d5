import VaultFormat
import Cards
import VaultStore

extension Endpoint {
    private static let request = APIObject(
        "HoldingRequest",
        [
            APIField("fund_code", .text, "of a fund that is watched"), APIField("platform", .text),
            APIField("shares", .number), APIField("cost_price", .number, "of one share"),
            APIField("purchase_date", .day, "not to come"),
        ])
    private static let change = APIObject(
        "HoldingSnapshot",
        [
            APIField("shares", .number, "above 0"), APIField("cost_price", .number, "above 0"),
            APIField("change_date", .day, "from which they hold"),
        ])
    fileprivate static let holdingItem = Shape<ValuedHolding>(
        "Holding",
        [
            .id("id", \.holding.id), .text("fund_code", \.holding.code), .text("fund_name", \.name),
            .text("platform", \.holding.lot.platform), .number("shares", \.holding.lot.shares),
            .number("cost_price", \.holding.lot.cost), .day("purchase_date", \.holding.lot.date).orNull,
            .price("latest_nav", \.netValue?.value).orNull, .day("latest_nav_date", \.netValue?.day).orNull,
            .money("market_value", \.value, "shares · latest_nav, in yuan").orNull,
            .money("pnl", \.profit, "market_value − shares · cost_price").orNull,
            .percent(
                of: "pnl_percent", { holding in holding.profit.map { _ in holding.rate ?? .zero } },
                "pnl / cost · 100; 0 for a cost of 0"
            ).orNull, .time("created_at", \.holding.created), .time("updated_at", \.holding.updated),
        ])
    private static let logLine = Shape<HoldingChange>(
        "HoldingChange",
        [
            .count("id", \.time.microseconds, "microseconds since 1970"), .id("holding_id", \.holding),
            .day("change_date", \.day), .number("old_shares", \.oldShares), .number("new_shares", \.newShares),
            .number("old_cost_price", \.oldCost), .number("new_cost_price", \.newCost),
            .number("shares_diff", { $0.newShares - $0.oldShares }, "new − old"), .time("created_at", \.time),
        ])

    static let holdings: [Endpoint] = {
        let missing = (404, "no holding has this id")
        let own = (422, "the holding lists its trades: they say what is held")
        let item = APIAnswer.json(.object(holdingItem.object))
        return [
            Endpoint(
                .get, "/api/holdings", "What is held of funds, by code, platform and purchase date",
                .json(.list(.object(holdingItem.object)))
            ) { call in
                let watchlist = try Watchlist(call.vault)
                return .list(try HeldCard.all(call.vault).map { $0.json(watchlist) })
            },
            Endpoint(
                .post, "/api/holdings", "Adds a holding", request: .object(request),
                errors: [wrongField, (422, "the fund is not watched, or is held on this platform already")], item
            ) { try HeldCard.add(request, $0) },
            Endpoint(
                .put, "/api/holdings/{id}", "Changes the fields that are given", request: .object(changeable),
                errors: [missing, wrongField, own], item
            ) { try HeldCard.change(changeable, $0) },
            Endpoint(
                .delete, "/api/holdings/{id}", "Moves the holding to the trash; its log stays", errors: [missing], .done
            ) { try HeldCard.remove($0) },
            Endpoint(
                .post, "/api/holdings/{id}/update-snapshot",
                "Notes new shares and a new cost in the log, and takes them; nothing where both are as they were",
                request: .object(change), errors: [missing, wrongField, own], item
            ) { try HeldCard.update(change, $0) },
            Endpoint(
                .get, "/api/holdings/{id}/changelog", "The changes of a holding, the newest first",
                errors: [missing], .list(logLine)
            ) { try HoldingChange.all(in: $0.vault, of: HeldCard.named($0).holding.id) },
        ]
    }()

    private static let changeable = APIObject("HoldingChanges", request.fields.filter { $0.name != "fund_code" })
        .optional
}

private struct HeldCard {
    let holding: Holding
    let card: Card

    private static let keys = ["fund_code": "code", "cost_price": "cost", "purchase_date": "date"]

    private init?(_ card: Card, _ id: RecordID, _ created: Timestamp, _ updated: Timestamp) {
        guard let holding = Holding(card, id: id, created: created, updated: updated) else { return nil }
        (self.holding, self.card) = (holding, card)
    }

    static func all(_ vault: Vault) throws -> [HeldCard] {
        try FundCards(vault).items.compactMap { HeldCard($0.card, $0.entry.id, $0.entry.created, $0.entry.updated) }
            .sorted { $0.holding.place < $1.holding.place }
    }

    static func named(_ call: APICall) throws -> HeldCard {
        let id = call.parameters["id"] ?? ""
        let all = try all(call.vault)
        if let held = all.first(where: { $0.holding.id.description == id.lowercased() }) { return held }
        // A code and a platform, or a code that is held once, are names that people know.
        let found = try Watchlist(call.vault).holdings(named: id)
        guard found.count == 1, let held = all.first(where: { $0.holding.id == found[0].id }) else {
            throw APIProblem(
                404, found.isEmpty ? "no Holding \(id)" : "\(id) is held on several platforms: give the id")
        }
        return held
    }

    func json(_ watchlist: Watchlist) -> JSON {
        let item = Endpoint.holdingItem
        return .object(item.members(ValuedHolding(holding, watchlist)) + card.ownMembers(besides: item.object))
    }

    /// The answer once a card is stored.
    private static func answer(_ call: APICall, _ card: Card, _ id: RecordID, created: Timestamp) throws -> JSON {
        HeldCard(card, id, created, call.surroundings.now)?.json(try Watchlist(call.vault)) ?? .null
    }

    static func add(_ request: APIObject, _ call: APICall) throws -> JSON {
        let card = try Card("holding", call.values(request), keys)
        let (stored, id) = try named { try call.change().addHolding(card, today: call.today) }
        return try answer(call, stored, id, created: call.surroundings.now)
    }

    /// Names the fields of the API in what is refused.
    ///
    /// - Parameter day: the field of the day.
    private static func named<R>(day: String = "purchase_date", _ body: () throws -> R) throws -> R {
        do { return try body() } catch let refusal as Refusal {
            let names = ["code": "fund_code", "cost": "cost_price", "date": day]
            throw Refusal(refusal.what, key: refusal.key.map { names[$0] ?? $0 }, refusal.reason)
        }
    }

    /// - Throws: `APIProblem` 422 of a holding whose trades say what is held.
    private func values(_ object: APIObject, _ call: APICall) throws -> APIValues {
        let values = try call.values(object)
        guard card.fields.texts["trades"] == nil || values.known["shares"] ?? values.known["cost_price"] == nil else {
            throw APIProblem(422, "the holding lists its trades: 'card edit' adds one")
        }
        return values
    }

    static func change(_ request: APIObject, _ call: APICall) throws -> JSON {
        let held = try named(call)
        let values = try held.values(request, call)
        var card = held.card
        guard !held.holding.isOfFund || (values.known["platform"] == nil && values.known["purchase_date"] == nil) else {
            throw APIProblem(422, "these shares stand on the card of the fund, which has no platform and no day")
        }
        try card.change(values, keys, kept: ["shares", "cost_price", "platform"])
        guard card != held.card else { return held.json(try Watchlist(call.vault)) }
        try named { try call.change().editHolding(held.holding, card, today: call.today) }
        return try answer(call, card, held.holding.id, created: held.holding.created)
    }

    static func update(_ request: APIObject, _ call: APICall) throws -> JSON {
        let held = try named(call)
        let values = try held.values(request, call).checked()
        guard let shares = ExactDecimal(values.known["shares"] ?? ""),
            let cost = ExactDecimal(values.known["cost_price"] ?? ""),
            let day = values.known["change_date"].flatMap({ Day(stored: $0) })
        else { throw APIProblem(422, "shares, cost_price and change_date are needed") }
        var card = held.card
        for (name, value) in values.unknown { try card.keep(name, value) }
        let changed = try named(day: "change_date") {
            try call.change().updateHolding(
                held.holding, card, shares: shares, cost: cost, from: day, today: call.today,
                now: call.surroundings.now)
        }
        guard changed != held.card else { return held.json(try Watchlist(call.vault)) }
        return try answer(call, changed, held.holding.id, created: held.holding.created)
    }

    static func remove(_ call: APICall) throws -> JSON {
        let held = try named(call)
        try call.change().removeHolding(held.holding)
        return .done
    }
}
