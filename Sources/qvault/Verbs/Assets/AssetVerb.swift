import Glibc
import Portfolio
import VaultFormat
import VaultRecords
import VaultStore

extension Verb {
    static let assetAdd = Verb(
        name: "asset add", summary: "add an asset or a debt", operands: "NAME KEY=VALUE…", operandCount: 2...Int.max,
        options: [.vault, .group, .wait] + Option.use,
        example: (
            "qvault asset add 招行3年定期 category=投资理财 amount=50000 bucket=stable annual_rate=2.6 maturity=2026-12-11",
            "category is liquid, fixed, investment, receivable or debt; 'card kinds asset' lists the fields"
        )
    ) { try addCard("asset", $0) }

    static let policyAdd = Verb(
        name: "policy add", summary: "add an insurance policy", operands: "NAME KEY=VALUE…",
        operandCount: 2...Int.max, options: [.vault, .group, .wait] + Option.use,
        example: (
            "qvault policy add 平安福 insurer=平安 insured_person=老婆 annual_premium=6240 next_payment=2026-11-24",
            "'card kinds policy' lists the fields; 'attach add' keeps its scan beside it"
        )
    ) { try addCard("policy", $0) }

    private static func addCard(_ kind: String, _ arguments: Arguments) throws -> ExitCode {
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            var card = Card(
                schema: try CardArguments.schema(Array(kind.utf8)), overview: Overview(title: []),
                fields: RecordFields())
            let name = String(decoding: arguments.operands[0], as: UTF8.self)
            guard !name.contains("=") else {
                throw Failure(.usage, "\(kind) add: a NAME comes first", hint: "qvault \(kind) add NAME KEY=VALUE…")
            }
            card.overview.title = Array((try CardArguments.name(name, "NAME") ?? name).utf8)
            try card.take(CardArguments.fields(arguments.operands.dropFirst()))
            let transaction = try Session.begin(path, arguments)
            card.overview.group = try CardArguments.name(arguments.text(.group), "--group")
            try transaction.put(card, as: transaction.makeID())
            try Session.commit(transaction)
            Messages.done("added '\(printable(name.utf8))'", arguments)
            return .done
        }
    }

    static let assetList = Verb(
        name: "asset list", summary: "the assets and debts, by category", operands: "", operandCount: 0...0,
        options: [.vault, .moment, .isPrivate, .json] + Option.use,
        example: ("qvault asset list --private", "'card edit' and 'card rm' change one")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let household = try Household(Session.openAsOf(path, arguments))
            let figures = Figures(arguments)
            var out = StandardOutput()
            for category in AssetWords.categories {
                let members = household.assets.filter { $0.category == category }.sorted { $0.name < $1.name }
                if !arguments.has(.json), !members.isEmpty { try out.write(Figures.category(category).said + "\n") }
                let width = members.map { columns(printable($0.name.utf8)) }.max() ?? 0
                for asset in members {
                    let json = JSON.object([
                        ("id", .text(hexText(asset.id.bytes))), ("name", .text(asset.name)),
                        ("category", .text(category)), ("amount", figures.json(asset.amount)),
                        ("currency", .text(asset.currency)), ("bucket", asset.bucket.map { .text($0) } ?? .null),
                        ("maturity", asset.maturity.map { .text($0) } ?? .null),
                    ])
                    let amount = padded(figures.amount(asset.amount), 16, left: true)
                    let rest = [asset.annualRate.map { "\($0)%" }, asset.maturity].compactMap(\.self)
                        .joined(separator: "  ")
                    let line = "  \(padded(printable(asset.name.utf8), width))  \(amount) \(asset.currency)  \(rest)"
                    try out.write((arguments.has(.json) ? json.line : line.trimmingEnd()) + "\n")
                }
            }
            try out.flush()
            return .done
        }
    }

    static let assetSummary = Verb(
        name: "asset summary", summary: "what is owned, what is owed, and the net worth", operands: "",
        operandCount: 0...0, options: [.vault, .moment, .isPrivate, .json] + Option.use,
        example: ("qvault asset summary --private", "in yuan; other currencies at the newest rate that is stored")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let household = try Household(Session.openAsOf(path, arguments))
            try StandardOutput.print(AssetSummary(household, Figures(arguments)).text(isJSON: arguments.has(.json)))
            return .done
        }
    }

    static let assetUpdate = Verb(
        name: "asset update", summary: "walk through the amounts: Enter keeps one, and one save takes all",
        operands: "[NAME=AMOUNT…]", operandCount: 0...Int.max, options: [.vault, .isPrivate, .wait] + Option.use,
        example: ("qvault asset update", "Ctrl-C saves nothing; NAME=AMOUNT asks nothing")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let key = try VaultSecret(path, arguments)
            let before = try Household(Session.open(path, key, arguments, isSource: false))
            let given = try CardArguments.fields(arguments.operands)
            let amounts = given.isEmpty ? try AssetWalk.asked(before) : try AssetWalk.given(given, before)
            let transaction = try Session.begin(path, arguments, key: key)
            var count = 0
            for (id, amount) in amounts {
                guard let entry = try transaction.entry(id) else { continue }
                let old = try transaction.before.card(entry)
                let card = try old.changed([("amount", amount)], title: nil)
                guard card != old else { continue }
                try transaction.put(card, as: id)
                count += 1
            }
            if count > 0 { try Session.commit(transaction) }
            Messages.done("amounts changed: \(count)", arguments)
            let now = try Household(Session.open(path, key, arguments, isSource: false))
            let figures = Figures(arguments)
            let moved = figures.amount(now.net - before.net, isSigned: true)
            try StandardOutput.print(Phrase("net worth \(figures.amount(now.net)) (\(moved))").said + "\n")
            return .done
        }
    }
}

/// The new amounts of `asset update`, by the id of the card.
private enum AssetWalk {
    static func given(
        _ values: [(key: String, value: String)], _ household: Household
    ) throws -> [(RecordID, String)] {
        try values.map { name, value in
            let named = household.assets.filter { $0.name == name }
            guard named.count == 1 else {
                let near = nearest(name, among: household.assets.map(\.name))
                let shown = printable(name.utf8)
                throw Failure(
                    .notFound, named.isEmpty ? "no asset is called '\(shown)'" : "several assets are called '\(shown)'",
                    hint: near.map { "did you mean \($0)?" } ?? "'qvault asset list' lists them")
            }
            return (named[0].id, value)
        }
    }

    static func asked(_ household: Household) throws -> [(RecordID, String)] {
        guard Terminal.isPresent else {
            throw Failure(.usage, "asset update: NAME=AMOUNT, or a terminal that answers")
        }
        var amounts: [(RecordID, String)] = []
        let order = AssetWords.categories
        let assets = household.assets.sorted { one, other in
            (order.firstIndex(of: one.category) ?? 9, one.name) < (
                order.firstIndex(of: other.category) ?? 9, other.name
            )
        }
        for asset in assets {
            while true {
                let answer = try Terminal.ask("\(printable(asset.name.utf8)) [\(asset.amount) \(asset.currency)]: ")
                if answer.isEmpty { break }
                if answer == "?" {
                    try Terminal.write(
                        Phrase("a new amount, or Enter to keep the old one; Ctrl-C saves nothing").line + "\n")
                    continue
                }
                let amount = Check.amount.normalized(answer)
                if let what = Check.amount.complaint(about: amount) {
                    Messages.say("'\(printable(answer.utf8))' \(what)")
                    continue
                }
                amounts.append((asset.id, amount))
                break
            }
        }
        return amounts
    }
}

/// The five categories and their totals.
struct AssetSummary {
    private let household: Household
    private let figures: Figures

    init(_ household: Household, _ figures: Figures) { (self.household, self.figures) = (household, figures) }

    func text(isJSON: Bool) -> String {
        let ratio = household.debtRatio
        guard !isJSON else {
            let totals = AssetWords.categories.map { ($0, figures.json(household.total($0))) }
            return JSON.object(
                totals + [
                    ("total_assets", figures.json(household.totalAssets)),
                    ("total_debts", figures.json(household.totalDebts)), ("net", figures.json(household.net)),
                    ("debt_ratio", ratio.map { .text($0.description) } ?? .null),
                    ("without_rate", .list(household.missingRates.sorted().map { .text($0) })),
                ]
            ).line + "\n"
        }
        let totals = AssetWords.categories.map { (Figures.category($0), household.total($0)) }
        let sums: [(Phrase, ExactDecimal)] = [
            ("all assets", household.totalAssets), ("all debts", household.totalDebts), ("net worth", household.net),
        ]
        let rows =
            (totals + sums).map { ($0.0.said, figures.amount($0.1)) }
            + [(Phrase("debt ratio").said, ratio.map { percentText($0) } ?? "—")]
        let width = rows.map { columns($0.0) }.max() ?? 0
        let amounts = rows.map { columns($0.1) }.max() ?? 0
        var lines = rows.map { "\(padded($0.0, width))  \(padded($0.1, amounts, left: true))" }
        lines.insert("", at: totals.count)
        if household.growth.count > 0 {
            let growth: Phrase = "investments have \(figures.amount(household.growth.amount)) in funds"
            lines.append(growth.said)
        }
        if !household.missingRates.isEmpty {
            let missing: Phrase =
                "not counted, without a rate: \(household.missingRates.sorted().joined(separator: " "))"
            lines.append(missing.said)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
