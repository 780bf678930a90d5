import CSystem
import Glibc
import Portfolio
import VaultFormat
import Cards

extension Verb {
    static let assetAllocation = Verb.at(
        name: "asset allocation",
        summary: "what the whole consists of: buckets, categories, platforms, or through funds", operands: "[BY]",
        options: [.vault, .moment, .isPrivate, .json] + Option.use,
        example: "qvault asset allocation sector",
        note:
            "BY is bucket, category, platform, asset_class, geography or sector; 'fund edit CODE allocation=…' says what a fund has"
    ) { path, arguments in
        let word = arguments.words.first ?? "bucket"
        guard let by = Shares.By(rawValue: word) else {
            throw Failure(.usage, "asset allocation: by \(Shares.By.allCases.map(\.rawValue).listed)")
        }
        let vault = try Session.openAsOf(path, arguments)
        let watchlist = try Watchlist(vault)
        let shares = Shares(by, try Household(vault, watchlist), watchlist, Machine.today, say: \.said)
        return try StandardOutput.print(
            Shares.Part.line, shares.parts, arguments, table: shares.text(Figures(arguments)))
    }

    static let assetTrend = Verb.at(
        name: "asset trend", summary: "draw the net worth, or any other total, by the snapshots",
        options: [
            .vault, Option(.days, value: "N", help: "of so many days (365)"),
            Option(.of, value: "FIGURE", help: "net, assets, debts, investments, fixed_assets, total and more (net)"),
            Option(.output, also: "-o", value: "FILE", help: "a picture (SVG), which is not encrypted"),
            Option(.force, help: "replace FILE"), .isPrivate, .json,
        ] + Option.use,
        example: "qvault asset trend --days 365 -o net.svg", note: "'qvault snapshot' keeps the figures of a day"
    ) { path, arguments in
        let days = try arguments.days(or: Dashboard.daysComplaint) ?? 365
        let asked = arguments.text(.of) ?? "net"
        let name = Snapshot.line.amounts.first { Snapshot.line.amount($0)?.label.said == asked } ?? asked
        guard let figure = Snapshot.line.amount(name) else {
            throw Failure(.usage, "asset trend: --of takes \(Snapshot.line.amounts.listed)")
        }
        let today = Machine.today
        let snapshots = try Snapshot.all(in: Session.open(path, arguments)).filter { $0.day.distance(to: today) < days }
        guard !snapshots.isEmpty else {
            throw Failure(.notFound, "there are no snapshots of this time", hint: "'qvault snapshot' takes one")
        }
        return try Chart(
            "\(figure.label.said)  \(Phrase("\(days) days").said)", of: snapshots, figure.value,
            hidesValues: arguments.has(.private)
        ).write(arguments, timeKey: "date")
    }
}

extension Shares {
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
            lines.append(Phrase("\(covered.rounded(2))% of what is held has a report").said)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
