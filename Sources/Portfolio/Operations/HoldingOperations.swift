public import Values
public import VaultFormat
public import Cards
public import VaultStore

// Operations on holdings (Spec/product/assets.md, 6). The verbs and the calls of the API only read and print.

extension VaultTransaction {
    /// Stores a new holding.
    ///
    /// - Parameters:
    ///   - card: of kind `holding`, with its fields; it gets the title.
    ///   - today: nothing is bought later.
    /// - Returns: the card as it is stored, and its id, which is the same in every copy of a vault.
    /// - Throws: `Refusal` of a fund that is not watched, or is held on this platform already, and of a day to come; all that
    ///   storing throws.
    public func addHolding(_ card: Card, today: Day) throws -> (card: Card, id: RecordID) {
        var card = card
        let (code, platform) = (card.fields.texts["code"] ?? "", card.fields.texts["platform"] ?? "")
        let watchlist = try Watchlist(before)
        if let what = watchlist.obstacle(toHolding: code, platform: platform) { throw Refusal(what) }
        try card.requireNoDayToCome(today)
        let title = "\(watchlist.name(code)) \(platform)".trimmed
        card.overview.title = Array(title.utf8.prefix(Card.titleByteCount))
        let id = try Holding.recordID(card)
        try put(card, as: id)
        return (card, id)
    }

    /// Stores other fields of a holding.
    ///
    /// - Parameters:
    ///   - card: the new one.
    ///   - today: nothing is bought later.
    /// - Throws: `Refusal` of a platform where the fund is held already, and of a day to come; all that storing throws.
    public func editHolding(_ holding: Holding, _ card: Card, today: Day) throws {
        let platform = card.fields.texts["platform"] ?? ""
        if platform != holding.lot.platform,
            let what = try Watchlist(before).obstacle(toHolding: holding.code, platform: platform, besides: holding.id)
        {
            throw Refusal(what)
        }
        try card.requireNoDayToCome(today)
        try put(card, as: holding.id)
    }

    /// Takes new shares and a new cost of a holding, and notes the change in its log; does nothing where both are as they were.
    ///
    /// - Parameters:
    ///   - card: of the holding, as it is.
    ///   - day: from which they hold.
    ///   - today: no day to come.
    /// - Returns: the card as it will be.
    /// - Throws: `Refusal` of a holding whose trades say what is held, of numbers that are not above 0, and of a day to come; all
    ///   that storing throws.
    public func updateHolding(
        _ holding: Holding, _ card: Card, shares: ExactDecimal, cost: ExactDecimal, from day: Day, today: Day,
        now: Timestamp
    ) throws -> Card {
        guard holding.lot.position == nil else { throw Refusal("the holding lists its trades: they say what is held") }
        for (key, number) in [("shares", shares), ("cost", cost)] where number.sign <= 0 {
            throw Refusal("takes a number above 0", key: key)
        }
        guard day <= today else { throw Refusal("is a day to come", key: "date") }
        guard shares != holding.lot.shares || cost != holding.lot.cost else { return card }
        var card = card
        card.fields.texts["shares"] = shares.shortest.description
        card.fields.texts["cost"] = cost.shortest.description
        try HoldingChange(holding, shares: shares, cost: cost, day: day, at: now).store(in: self)
        try put(card, as: holding.id)
        return card
    }

    /// Takes a holding away: its card goes into the trash, and its log stays. Of shares that stand on the card of the fund
    /// itself the two fields go.
    ///
    /// - Throws: all that storing throws.
    public func removeHolding(_ holding: Holding) throws {
        guard let entry = try entry(holding.id) else { return }
        guard holding.isOfFund else { return try trash(entry) }
        var card = try before.card(entry)
        (card.fields.texts["shares"], card.fields.texts["cost"]) = (nil, nil)
        try put(card, as: holding.id)
    }
}

extension Holding {
    /// New shares, a new cost and the day from which they hold, from words like `shares=1500`; what is not given stays as it is.
    ///
    /// - Throws: `Refusal`.
    public func change(
        _ values: GivenValues, today: Day
    ) throws -> (shares: ExactDecimal, cost: ExactDecimal, day: Day) {
        var (shares, cost, day) = (lot.shares, lot.cost, today)
        let schema = Schema.named("holding")
        let values = values.map { (key: schema?.field(called: $0.key)?.key ?? $0.key, value: $0.value) }
        try Refusal.check(eachOnce: values.map(\.key))
        for (key, value) in values {
            switch key {
            case "shares", "cost":
                try Refusal.check(unsigned: value)
                guard let number = ExactDecimal(Check.amount.normalized(value)) else {
                    throw Refusal("takes a number above 0", key: key)
                }
                if key == "shares" { shares = number } else { cost = number }
            case "date": day = Check.storedDay(try Check.date.stored(value, of: key)) ?? day
            default: throw Refusal("holding update: shares=N, cost=N or date=DAY", .misused)
            }
        }
        return (shares, cost, day)
    }
}

extension Card {
    fileprivate func requireNoDayToCome(_ today: Day) throws {
        if let complaint = complaintOfDays(after: today) { throw Refusal(complaint.what, key: complaint.key) }
    }
}
