import Portfolio
import VaultFormat
import Cards
import VaultStore

extension Verb {
    static let assetUpdate = Verb.at(
        name: "asset update", summary: "walk through the amounts: Enter keeps one, and one save takes all",
        operands: "[NAME=AMOUNT…]", options: [.vault, .isPrivate, .wait, .savesAsJSON] + Option.use,
        example: "qvault asset update", note: "Ctrl-C saves nothing; NAME=AMOUNT asks nothing"
    ) { path, arguments in
        let key = try VaultSecret(path, arguments)
        let before = try Household(Session.open(path, key, arguments))
        let given = try CardArguments.fields(arguments.operands)
        let amounts = given.isEmpty ? try AssetWalk.asked(before) : try AssetWalk.given(given, before)
        let transaction = try Session.begin(path, arguments, key: key)
        let changed = try amounts.filter { id, amount in try transaction.change(id, [("amount", amount)]) }
        if !changed.isEmpty { try Session.commit(transaction) }
        Messages.done("amounts changed: \(changed.count)")
        guard !arguments.has(.json) else { return .done }
        let now = try Household(Session.open(path, key, arguments))
        let figures = Figures(arguments)
        let moved = figures.amount(now.net - before.net, isSigned: true)
        return try StandardOutput.show(Phrase("net worth \(figures.amount(now.net)) (\(moved))").said + "\n")
    }
}

/// The new amounts of `asset update`, by the id of the card.
private enum AssetWalk {
    static func given(_ values: [(key: String, value: String)], _ household: Household) throws -> [(RecordID, String)] {
        var given: Set<RecordID> = []
        return try values.map { name, value in
            try Refusal.check(unsigned: value)
            let named = household.assets.filter {
                $0.name == name || (name.utf8.count > 3 && hexText($0.id.bytes).hasPrefix(name.lowercased()))
            }
            guard named.count == 1 else {
                let near = nearest(name, among: household.assets.map(\.name))
                let shown = printable(name.utf8)
                throw Failure(
                    .notFound, named.isEmpty ? "no asset is called '\(shown)'" : "several assets are called '\(shown)'",
                    hint: named.isEmpty && near != nil
                        ? "did you mean \(near ?? "")?"
                        : "'qvault asset list --json' has their ids, which are names too")
            }
            guard given.insert(named[0].id).inserted else {
                throw Failure(.usage, "'\(printable(name.utf8))' is given twice")
            }
            return (named[0].id, value)
        }
    }

    static func asked(_ household: Household) throws -> [(RecordID, String)] {
        guard Terminal.isPresent else { throw Failure(.usage, "asset update: NAME=AMOUNT, or a terminal that answers") }
        var amounts: [(RecordID, String)] = []
        for asset in AssetCategory.allCases.flatMap(household.assets) {
            let name = "\(printable(asset.name.utf8)) [\(asset.amount) \(asset.currency)]"
            if let amount = try AmountQuestion.ask(name) { amounts.append((asset.id, amount)) }
        }
        return amounts
    }
}
