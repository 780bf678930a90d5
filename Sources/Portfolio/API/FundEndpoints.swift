import VaultFormat
import Cards
import VaultStore

extension Endpoint {
    private static let fund = Shape<Known>(
        "Fund",
        [
            .text("fund_code", \.fund.code), .text("fund_name", \.fund.name), .text("fund_type", \.fund.type).orNull,
            .text("management_company", \.fund.company).orNull,
            .time("last_updated", \.updated, "when its card, or the net values of that month, changed last").orNull,
            .price("latest_nav", \.netValue?.value).orNull, .day("latest_nav_date", \.netValue?.day).orNull,
        ])
    private static let line = Shape<AllocationLine>(
        "AllocationItem",
        [
            .text("category", \.category), .percent("percentage", \.percentage),
            ShapeField("source", .word(["auto", "manual"])) { .text($0.isAutomatic ? "auto" : "manual") },
            ShapeField("report_date", .day, isOptional: true) { .optional($0.day) },
        ])
    private static let allocationRequest = APIObject(
        "AllocationRequest",
        [
            APIField("dimension", .words(AllocationLine.Dimension.self)), APIField("category", .text),
            APIField("percentage", .percent, "0 to 100; 100 in all at most"),
            APIField("report_date", .day, isOptional: true),
        ])
    private static let allocation = APIType.map(of: "dimension", .list(.object(line.object)))
    private static let stock = Shape<StockWeight>(
        "Stock", [.text("stock_code", \.code), .text("stock_name", \.name), .percent("percentage", \.weight)])
    private static let point = Shape<Estimate.NetValue>("NetValue", [.day("date", \.day), .price("nav", \.value)])

    private static let fundRequest = APIObject(
        "FundRequest",
        [
            APIField("fund_code", .text),
            APIField("fund_name", .text, isOptional: true, "the code where it is left out"),
            APIField("fund_type", .text, isOptional: true), APIField("management_company", .text, isOptional: true),
        ])

    /// A fund, its newest net value, and when its card or the series with that value changed last.
    private typealias Known = (fund: Fund, netValue: Estimate.NetValue?, updated: Timestamp?)

    private static func known(_ call: APICall) throws -> Known {
        let (watchlist, fund) = try named(call)
        let netValue = watchlist.netValue(fund.code)
        let series = try netValue.map { try Series.id(PortfolioSeries.netValues(day: $0.day)) }
        let times = try [fund.id, series].compactMap { try $0.flatMap { try call.vault.entry($0) }?.updated }
        return (fund, netValue, times.max())
    }

    static let funds: [Endpoint] = {
        let missing = (404, "no fund with this code is watched")
        return [
            Endpoint(
                .post, "/api/funds", "Watches a fund", request: .object(fundRequest),
                errors: [wrongField, (422, "the fund is watched already")], .object(fund), of: add),
            Endpoint(.get, "/api/funds/{code}", "A fund", errors: [missing], .object(fund), of: known),
            Endpoint(
                .get, "/api/funds/{code}/nav-history", "Its net values, the earliest first", query: APIField.span,
                errors: [missing, (422, "start or end is no day")], .list(point)
            ) { call in
                let (watchlist, fund) = try named(call)
                let days = try call.days()
                return (watchlist.netValues[fund.code] ?? []).filter { days.contains($0.day) }
            },
            Endpoint(
                .post, "/api/funds/{code}/refresh", "Asks the feeds of this machine for new values",
                errors: [missing, (422, "no feed is set on this machine")],
                .json(.object(APIObject("Refreshed", [APIField("ok", .flag), APIField("fund_name", .text)])))
            ) { call in
                let fund = try named(call).fund
                guard let refresh = call.surroundings.refresh else {
                    throw APIProblem(422, "no feed is set: 'qvault settings set feed.nav COMMAND'")
                }
                try refresh(fund, call.change())
                return ["ok": true, "fund_name": fund.name]
            },
            Endpoint(
                .get, "/api/funds/{code}/allocation", "Its newest report of each dimension, the largest part first",
                errors: [missing], .json(allocation)
            ) { try allocation(of: named($0).fund) },
            Endpoint(
                .put, "/api/funds/{code}/allocation",
                "Takes the place of its report of the same dimensions and dates; what is given counts as `manual`",
                request: .list(.object(allocationRequest)),
                errors: [missing, (422, "a part is wrong, or a report has more than 100 percent")], .json(allocation),
                of: change),
            Endpoint(
                .get, "/api/funds/{code}/top-holdings", "What its last report names, the largest first",
                errors: [missing], .list(stock)
            ) { try named($0).fund.stocks.sorted { ($1.weight, $0.code) < ($0.weight, $1.code) } },
        ]
    }()

    private static func add(_ call: APICall) throws -> Known {
        var values = try call.values(fundRequest)
        let code = Check.fundCode.normalized(values.known["fund_code"] ?? "")
        if values.known["fund_code"] != nil { values.known["fund_code"] = code }
        values.known["fund_name"] = values.known["fund_name"] ?? code
        let keys = ["fund_code": "code", "fund_name": "name", "fund_type": "type", "management_company": "company"]
        let card = try Card("fund", values, keys)
        let watchlist = try Watchlist(call.vault)
        guard !watchlist.funds.contains(where: { $0.code == code }) else {
            throw APIProblem(422, "fund \(code) is watched already")
        }
        let (id, now) = (try Fund.recordID(code), call.surroundings.now)
        try call.change().put(card, as: id)
        guard let fund = Fund(card, id: id, created: now) else { throw APIProblem(422, "fund_code is missing") }
        return (fund, watchlist.netValue(code), now)
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
                return lines.isEmpty ? nil : (dimension.rawValue, .list(lines.map(line.json)))
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

extension APIField {
    /// The first and the last day of a list.
    static let span = [
        APIField("start", .day, isOptional: true, "the first day"),
        APIField("end", .day, isOptional: true, "the last day"),
    ]
}

extension APICall {
    /// The days from `start` to `end` of the query; all where they are left out.
    func days() throws -> ClosedRange<Day> {
        let (first, last) = (try day("start") ?? .first, try day("end") ?? .last)
        guard first <= last else { throw APIProblem(422, "end is before start") }
        return first...last
    }
}
