import Glibc
import Portfolio
import VaultFormat
import Cards
import VaultStore

/// `asset add` without a name: five steps, a category each, and one save at the end.
enum AssetGuide {
    private struct Draft {
        let category: AssetCategory
        let name: String
        let subcategory: String?
        let amount: String
    }

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard Terminal.isPresent else {
            throw Failure(
                .usage, "asset add: a NAME, or a terminal that answers", hint: "qvault asset add NAME KEY=VALUE…")
        }
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            Saving.begin(path)
            let key = try VaultSecret(path, arguments)
            let known = try Household(Session.open(path, key, arguments))
            try Terminal.say("Five steps, one for each category. Enter goes on to the next; Ctrl-C stores nothing.")
            var drafts: [Draft] = []
            for (place, category) in AssetCategory.allCases.enumerated() {
                try Terminal.write("\n\(place + 1)/5  \(category.label.said)\n")
                for asset in known.assets where asset.category == category {
                    try Terminal.write("     \(printable(asset.name.utf8))  \(asset.amount) \(asset.currency)\n")
                }
                while let draft = try asked(category, besides: known.assets.map(\.name) + drafts.map(\.name)) {
                    drafts.append(draft)
                }
            }
            guard !drafts.isEmpty else { return Messages.done("nothing was added") }
            let transaction = try Session.begin(path, arguments, key: key)
            for draft in drafts { try transaction.put(card(draft), as: transaction.makeID()) }
            try Session.commit(transaction)
            Messages.done("assets added: \(drafts.count)")
            guard !arguments.has(.json) else { return .done }
            let now = try Household(Session.open(path, key, arguments))
            return try StandardOutput.print(now.summary(Figures(arguments)) + "\n")
        }
    }

    /// One asset; nil where the person goes on to the next category.
    private static func asked(_ category: AssetCategory, besides names: [String]) throws -> Draft? {
        let presets = category.presets
        let list = presets.enumerated().map { "\($0 + 1) \($1)" }.joined(separator: "  ")
        try Terminal.write("     \(list)\n")
        while true {
            let answer = try Terminal.ask("a number, or a name of your own (Enter: next step): ").trimmed
            if answer.isEmpty { return nil }
            let preset = Int(answer).flatMap { presets.indices.contains($0 - 1) ? presets[$0 - 1] : nil }
            if preset == nil, answer.allSatisfy({ $0.isNumber || ".,".contains($0) }) {
                try say("'\(printable(answer.utf8))' is no number of this list; a name has letters")
                continue
            }
            let name = preset ?? answer
            if let what = Card.complaint(aboutName: name) {
                try say("'\(printable(name.utf8))' \(what)")
            } else if names.contains(name) {
                try say("'\(printable(name.utf8))' is there already: give another name, like the bank's")
            } else if let amount = try amount(of: name) {
                return Draft(category: category, name: name, subcategory: preset, amount: amount)
            }
        }
    }

    /// The amount; nil where the person thought better of it.
    private static func amount(of name: String) throws -> String? {
        while true {
            let answer = try Terminal.ask("amount of \(printable(name.utf8)) (Enter: leave it out): ")
            if answer.isEmpty { return nil }
            let amount = Check.amount.normalized(answer)
            guard let what = Check.amount.complaint(about: amount) else { return amount }
            try say("'\(printable(answer.utf8))' \(what)")
        }
    }

    private static func say(_ what: Phrase) throws { try Terminal.write("     \(what.said)\n") }

    private static func card(_ draft: Draft) throws -> Card {
        var card = try Card(of: "asset")
        card.overview.title = Array(draft.name.utf8)
        let bucket = draft.category.bucket(ofPreset: draft.subcategory)?.rawValue ?? ""
        try card.take(
            [("bucket", bucket), ("category", draft.category.rawValue), ("amount", draft.amount)]
                + (draft.subcategory.map { [("subcategory", $0)] } ?? []))
        return card
    }
}
