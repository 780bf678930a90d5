import CSystem
import Glibc
import Portfolio
import VaultFormat
import VaultRecords
import VaultStore

extension Verb {
    static let assetAllocation = Verb.at(
        name: "asset allocation",
        summary: "what the whole consists of: buckets, categories, platforms, or through funds",
        operands: "[BY]", operandCount: 0...1, options: [.vault, .moment, .isPrivate, .json] + Option.use,
        example: (
            "qvault asset allocation sector",
            "BY is bucket, category, platform, asset_class, geography or sector; 'fund edit CODE allocation=…' says what a fund has"
        )
    ) { path, arguments in
        let word = arguments.operands.first.map { String(decoding: $0, as: UTF8.self) } ?? "bucket"
        guard let by = Shares.By(rawValue: word) else {
            throw Failure(
                .usage, "asset allocation: by \(Shares.By.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        let vault = try Session.openAsOf(path, arguments)
        let shares = Shares(by, try Household(vault, Watchlist(vault)), try Watchlist(vault), Machine.today)
        let figures = Figures(arguments)
        try StandardOutput.print(arguments.has(.json) ? shares.json(figures) : shares.text(figures))
        return .done
    }

    static let assetTrend = Verb.at(
        name: "asset trend", summary: "draw the net worth, or the total of the buckets, by the snapshots", operands: "",
        operandCount: 0...0,
        options: [
            .vault, Option(.days, value: "N", help: "of so many days (365)"),
            Option(.of, value: "FIGURE", help: "net, total, assets, debts, liquid, stable, growth or premium (net)"),
            Option(.output, also: "-o", value: "FILE", help: "a picture (SVG), which is not encrypted"),
            Option(.force, help: "replace FILE"), .isPrivate, .json,
        ] + Option.use,
        example: ("qvault asset trend --days 365 -o net.svg", "'qvault snapshot' keeps the figures of a day")
    ) { path, arguments in
        let days = try arguments.text(.days).map(Dashboard.days) ?? 365
        let name = arguments.text(.of) ?? "net"
        guard let figure = Snapshot.figures[name] else {
            throw Failure(
                .usage, "asset trend: --of takes \(Snapshot.figures.keys.sorted().joined(separator: ", "))")
        }
        let today = Machine.today
        let snapshots = try Snapshot.all(in: Session.open(path, arguments)).filter { $0.day.distance(to: today) < days }
        guard !snapshots.isEmpty else {
            throw Failure(.notFound, "there are no snapshots of this time", hint: "'qvault snapshot' takes one")
        }
        let figures = Figures(arguments)
        let span: Phrase = "\(days) days"
        var chart = Chart(
            title: "\(Snapshot.label(name).said)  \(span.said)", points: snapshots.map { ($0.day.number, figure($0)) },
            timeText: { Day(clamping: $0).text })
        (chart.places, chart.hidesValues) = (2, figures.isHidden)
        if let output = arguments.bytes(.output) {
            try TextOutput.write(chart.svg, to: output, replacing: arguments.has(.force))
            Messages.done("wrote \(BytePath(output))", arguments)
        } else if arguments.has(.json) {
            for point in chart.points {
                let members: [(String, JSON)] = [
                    ("date", .text(chart.timeText(point.time))), ("value", figures.json(point.value)),
                ]
                try StandardOutput.print(JSON.object(members).line + "\n")
            }
        } else {
            try StandardOutput.print(chart.text(isPlain: arguments.has(.plain)))
        }
        return .done
    }
}

extension Snapshot {
    /// What can be drawn, by name.
    static let figures: [String: @Sendable (Snapshot) -> ExactDecimal] = [
        "net": { $0.net }, "total": { $0.total }, "assets": { $0.assets }, "debts": { $0.debts },
        "liquid": { $0.liquid },
        "stable": { $0.stable }, "growth": { $0.growth }, "premium": { $0.premium },
    ]

    static func label(_ figure: String) -> Phrase {
        switch figure {
        case "net": "net worth"
        case "total": "sum of the buckets"
        case "assets": "all assets"
        case "debts": "all debts"
        case "liquid": "liquid"
        case "stable": "stable"
        case "growth": "growth"
        default: "premiums"
        }
    }
}

/// The parts of a whole.
struct Shares {
    /// What the whole is divided by.
    enum By: String, CaseIterable {
        case bucket, category, platform
        case assetClass = "asset_class"
        case geography, sector
    }

    /// Name, amount and percent of each part, the largest first; of what is seen through funds there are no amounts.
    let parts: [(name: String, amount: ExactDecimal?, percent: ExactDecimal)]
    /// The share of the funds that have a report; nil of what needs none.
    let covered: ExactDecimal?

    init(_ by: By, _ household: Household, _ watchlist: Watchlist, _ today: Day) {
        if let dimension = AllocationLine.Dimension(rawValue: by.rawValue) {
            let look = LookThrough(watchlist, dimension)
            parts = look.items.map { ($0.category, nil, $0.percentage) }
            covered = look.coveredPercent
            return
        }
        covered = nil
        let amounts: [(String, ExactDecimal)] =
            switch by {
            case .category:
                AssetCategory.allCases.filter { $0 != .debt }.map { ($0.label.said, household.total($0)) }
            case .platform: Array(household.platforms(watchlist))
            default:
                [
                    (Phrase("liquid").said, household.buckets(today: today).liquid.amount),
                    (Phrase("stable").said, household.buckets(today: today).stable.amount),
                    (Phrase("growth").said, household.growth.amount),
                ]
            }
        let total = amounts.reduce(ExactDecimal.zero) { $0 + $1.1 }
        parts = amounts.filter { $0.1.sign > 0 }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map {
            ($0.0, $0.1, ($0.1 * .hundred).divided(by: total) ?? .zero)
        }
    }

    func json(_ figures: Figures) -> String {
        parts.map { part in
            JSON.object([
                ("name", .text(part.name)), ("amount", part.amount.map(figures.json) ?? .null),
                ("percent", .text(part.percent.rounded(2).description)),
            ]).line + "\n"
        }.joined()
    }

    func text(_ figures: Figures) -> String {
        guard !parts.isEmpty else { return Phrase("nothing to divide").said + "\n" }
        let names = parts.map { $0.name.isEmpty ? Phrase("not said").said : printable($0.name.utf8) }
        let width = names.map(columns).max() ?? 0
        let amounts = parts.map { $0.amount.map { figures.amount($0) } ?? "" }
        let amountWidth = amounts.map(columns).max() ?? 0
        let room = Figures.barWidth(beside: width + amountWidth + 14)
        var lines = parts.indices.map { place in
            let percent = padded("\(parts[place].percent.rounded(2))%", 7, left: true)
            let bar = Figures.bar(parts[place].percent.divided(by: .hundred) ?? .zero, width: room)
            let amount = amountWidth > 0 ? padded(amounts[place], amountWidth, left: true) + "  " : ""
            return "\(padded(names[place], width))  \(amount)\(percent)  \(bar)".trimmingEnd()
        }
        if let covered, covered != .hundred {
            let rest: Phrase = "\(covered.rounded(2))% of what is held has a report"
            lines.append(rest.said)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
