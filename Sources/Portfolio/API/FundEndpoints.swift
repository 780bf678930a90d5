import VaultFormat
import Cards
import VaultStore

extension Endpoint {
    private static let fund = APIObject(
        "Fund",
        [
            APIField("fund_code", .text), APIField("fund_name", .text), APIField("fund_type", .text, isOptional: true),
            APIField("management_company", .text, isOptional: true),
            APIField(
                "last_updated", .time, isOptional: true, "when its card, or the net values of that month, changed last"),
            APIField("latest_nav", .number, isOptional: true), APIField("latest_nav_date", .day, isOptional: true),
        ])
    private static let allocationItem = APIObject(
        "AllocationItem",
        [
            APIField("category", .text), APIField("percentage", .percent),
            APIField("source", .word(["auto", "manual"])),
            APIField("report_date", .day, isOptional: true),
        ])
    private static let allocationRequest = APIObject(
        "AllocationRequest",
        [
            APIField("dimension", .word(AllocationLine.Dimension.allCases.map(\.rawValue))),
            APIField("category", .text),
            APIField("percentage", .percent, "0 to 100; 100 in all at most"),
            APIField("report_date", .day, isOptional: true),
        ])
    private static let allocation = APIType.map(of: "dimension", .list(.object(allocationItem)))
    private static let stock = APIObject(
        "Stock", [APIField("stock_code", .text), APIField("stock_name", .text), APIField("percentage", .percent)])
    private static let point = APIObject("NetValue", [APIField("date", .day), APIField("nav", .number)])
    private static let span = [
        APIField("start", .day, isOptional: true, "the first day"),
        APIField("end", .day, isOptional: true, "the last day"),
    ]

    private static let fundRequest = APIObject(
        "FundRequest",
        [
            APIField("fund_code", .text),
            APIField("fund_name", .text, isOptional: true, "the code where it is left out"),
            APIField("fund_type", .text, isOptional: true), APIField("management_company", .text, isOptional: true),
        ])

    /// When what is known of a fund changed last: its card, or the series that has its newest net value.
    private static func lastUpdate(
        of fund: Fund, _ netValue: (day: Day, value: ExactDecimal)?, _ vault: Vault
    ) throws -> Timestamp? {
        let series = try netValue.map { try Series.id(PortfolioSeries.netValues(day: $0.day)) }
        return try [fund.id, series].compactMap { try $0.flatMap { try vault.entry($0) }?.updated }.max()
    }

    static let funds: [Endpoint] = {
        let missing = (404, "no fund with this code is watched")
        return [
            Endpoint(
                .post, "/api/funds", "Watches a fund", request: .object(fundRequest), response: .object(fund),
                errors: [(422, "a field is missing or wrong; all are named"), (422, "the fund is watched already")]
            ) { try add($0) },
            Endpoint(.get, "/api/funds/{code}", "A fund", response: .object(fund), errors: [missing]) { call in
                let (watchlist, fund) = try named(call)
                let updated = try lastUpdate(of: fund, watchlist.netValue(fund.code), call.vault)
                return json(fund, watchlist, updated)
            },
            Endpoint(
                .get, "/api/funds/{code}/nav-history", "Its net values, the earliest first", query: span,
                response: .list(.object(point)), errors: [missing, (422, "start or end is no day")]
            ) { call in
                let (watchlist, fund) = try named(call)
                let days = try call.days()
                let values = (watchlist.netValues[fund.code] ?? []).filter { days.contains($0.day) }
                return .list(
                    values.map {
                        .object([("date", .text($0.day.text)), ("nav", .decimal($0.value))])
                    })
            },
            Endpoint(
                .post, "/api/funds/{code}/refresh", "Asks the feeds of this machine for new values",
                response: .object(APIObject("Refreshed", [APIField("ok", .flag), APIField("fund_name", .text)])),
                errors: [missing, (422, "no feed is set on this machine")]
            ) { call in
                let fund = try named(call).fund
                guard let refresh = call.surroundings.refresh else {
                    throw APIProblem(422, "no feed is set: 'qvault settings set feed.nav COMMAND'")
                }
                try refresh(fund, call.change())
                return .object([("ok", .bool(true)), ("fund_name", .text(fund.name))])
            },
            Endpoint(
                .get, "/api/funds/{code}/allocation", "Its newest report of each dimension, the largest part first",
                response: allocation, errors: [missing]
            ) { try allocation(of: named($0).fund) },
            Endpoint(
                .put, "/api/funds/{code}/allocation",
                "Takes the place of its report of the same dimensions and dates; what is given counts as `manual`",
                request: .list(.object(allocationRequest)), response: allocation,
                errors: [missing, (422, "a part is wrong, or a report has more than 100 percent")]
            ) { try change($0) },
            Endpoint(
                .get, "/api/funds/{code}/top-holdings", "What its last report names, the largest first",
                response: .list(.object(stock)), errors: [missing]
            ) { call in
                let stocks = try named(call).fund.stocks.sorted { ($1.weight, $0.code) < ($0.weight, $1.code) }
                return .list(
                    stocks.map { stock in
                        .object([
                            ("stock_code", .text(stock.code)), ("stock_name", .text(stock.name)),
                            ("percentage", .percent(stock.weight)),
                        ])
                    })
            },
        ]
    }()

    private static func json(_ fund: Fund, _ watchlist: Watchlist, _ updated: Timestamp?) -> JSON {
        let netValue = watchlist.netValue(fund.code)
        return .object([
            ("fund_code", .text(fund.code)), ("fund_name", .text(fund.name)), ("fund_type", .optional(fund.type)),
            ("management_company", .optional(fund.company)), ("last_updated", .optional(updated?.text)),
            ("latest_nav", .number(netValue?.value)),
            ("latest_nav_date", .optional(netValue.map { $0.day.text })),
        ])
    }

    private static func add(_ call: APICall) throws -> JSON {
        guard let schema = Schema.named("fund") else { throw APIProblem(404, "no fund") }
        var values = try call.values(fundRequest)
        let code = Check.fundCode.normalized(values.known["fund_code"] ?? "")
        if values.known["fund_code"] != nil { values.known["fund_code"] = code }
        values.known["fund_name"] = values.known["fund_name"] ?? code
        var card = Card(schema: schema, overview: Overview(title: []), fields: RecordFields())
        let keys = [
            "fund_code": "code", "fund_name": "name", "fund_type": "type", "management_company": "company",
        ]
        try card.take(values, keys)
        let watchlist = try Watchlist(call.vault)
        guard !watchlist.funds.contains(where: { $0.code == code }) else {
            throw APIProblem(422, "fund \(code) is watched already")
        }
        let (id, now) = (try Fund.recordID(code), call.surroundings.now)
        try call.change().put(card, as: id)
        return Fund(card, id: id, created: now).map { json($0, watchlist, now) } ?? .null
    }

    private static func named(_ call: APICall) throws -> (watchlist: Watchlist, fund: Fund) {
        let watchlist = try Watchlist(call.vault)
        let code = call.parameters["code"] ?? ""
        guard let fund = watchlist.funds.first(where: { $0.code == code }) else {
            throw APIProblem(404, "no fund \(code) is watched")
        }
        return (watchlist, fund)
    }

    private static func allocation(of fund: Fund) -> JSON {
        .object(
            AllocationLine.Dimension.allCases.compactMap { dimension in
                let lines = fund.report(dimension).sorted {
                    ($1.percentage, $0.category) < ($0.percentage, $1.category)
                }
                guard !lines.isEmpty else { return nil }
                let items = lines.map { line in
                    JSON.object([
                        ("category", .text(line.category)), ("percentage", .percent(line.percentage)),
                        ("source", .text(line.isAutomatic ? "auto" : "manual")), ("report_date", .optional(line.day)),
                    ])
                }
                return (dimension.rawValue, .list(items))
            })
    }

    private static func change(_ call: APICall) throws -> JSON {
        let fund = try named(call).fund
        guard let items = call.body.items else { throw APIProblem(422, "the body is no list") }
        let lines = try items.enumerated().map { place, item -> AllocationLine in
            do {
                let known = try call.values(allocationRequest, item).checked().known
                guard let dimension = known["dimension"].flatMap({ AllocationLine.Dimension(rawValue: $0) }),
                    let percentage = known["percentage"].flatMap({ ExactDecimal($0) }), let category = known["category"]
                else { throw APIProblem(422, "is no part of a fund") }
                return AllocationLine(dimension, category, percentage: percentage, day: known["report_date"])
            } catch let problem as APIProblem { throw APIProblem(422, "part \(place + 1): \(problem.what)") }
        }
        let kept = fund.allocation.filter { old in
            !lines.contains { $0.dimension == old.dimension && $0.day == old.day }
        }
        let transaction = try call.change()
        guard let entry = try transaction.entry(fund.id) else {
            throw APIProblem(404, "no fund \(fund.code) is watched")
        }
        var card = try transaction.before.card(entry)
        let text = (kept + lines).map(\.line).joined(separator: "\n")
        if let wrong = card.set([("allocation", text)]).first { throw APIProblem(422, wrong.what.description) }
        try transaction.put(card, as: fund.id)
        return Fund(card, id: fund.id, created: fund.created).map(allocation) ?? .null
    }
}

extension APICall {
    /// The days from `start` to `end` of the query; all where they are left out.
    func days() throws -> ClosedRange<Day> {
        let (first, last) = (try day("start") ?? .first, try day("end") ?? .last)
        guard first <= last else { throw APIProblem(422, "end is before start") }
        return first...last
    }
}
