import Glibc
import Portfolio
import VaultFormat
import Cards
import VaultStore

extension Verb {
    static let assetAdd = Verb(
        name: "asset add", summary: "add an asset or a debt; without a name it asks for all of them",
        operands: "[NAME KEY=VALUE…]", options: [.vault, .group, .wait, .savesAsJSON] + Option.use,
        example: "qvault asset add 招行3年定期 category=投资理财 amount=50000 bucket=stable annual_rate=2.6 maturity=2026-12-11",
        note: "category is liquid, fixed, investment, receivable or debt; 'card kinds asset' lists the fields"
    ) { $0.operands.isEmpty ? try AssetGuide.run($0) : try addCard("asset", $0) }

    static let policyAdd = Verb(
        name: "policy add", summary: "add an insurance policy", operands: "NAME KEY=VALUE…", operandCount: 0...Int.max,
        options: [.vault, .group, .wait, .savesAsJSON] + Option.use,
        example: "qvault policy add 平安福 insurer=平安 insured_person=老婆 annual_premium=6240 next_payment=2026-11-24",
        note: "'card kinds policy' lists the fields; 'attach add' keeps its scan beside it"
    ) { try addCard("policy", $0) }

    static func addCard(_ kind: String, _ arguments: Arguments) throws -> ExitCode {
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            var card = try Card(of: kind)
            let name = arguments.words.first ?? "="
            guard !name.contains("="), arguments.operands.count > 1 else {
                throw Failure(
                    .usage, "\(kind) add: a NAME comes first, then KEY=VALUE for each field",
                    hint:
                        "'qvault card add \(kind)' asks for each at a terminal; 'qvault card kinds \(kind)' lists them")
            }
            card.overview.title = Array((try CardArguments.name(name, "NAME") ?? name).utf8)
            try card.take(CardArguments.fields(arguments.operands.dropFirst()))
            let transaction = try Session.begin(path, arguments)
            let title = card.overview.title
            let named = try transaction.before.cards(
                transaction.before.entries { $0.kind == card.schema.kind && $0.overview.title == title })
            guard !named.contains(where: { $0.isSameThing(as: card) }) else {
                throw Failure(
                    .invalid, "'\(printable(title))' is there already",
                    hint: kind == "asset"
                        ? "'qvault asset edit' changes it; another category or platform tells two apart"
                        : "'qvault \(kind) edit' changes it")
            }
            card.overview.group = try arguments.name(.group)
            try transaction.store(card, as: transaction.makeID())
            return try Session.commit(transaction, arguments, saying: "added '\(printable(name.utf8))'")
        }
    }

    static let assetList = Verb.reading(
        name: "asset list", summary: "the assets and debts, by category, with sums",
        options: [Option(.by, value: "WHAT", help: "category, bucket or platform (category)"), .isPrivate, .json],
        example: "qvault asset list --by bucket", note: "'asset edit' and 'asset rm' change one"
    ) { vault, arguments in
        let household = try Household(vault)
        household.nameWhatDoesNotCount()
        let by: AssetGroups.By =
            try arguments.value(.by, or: "asset list: --by takes category, bucket or platform") ?? .category
        let groups = AssetGroups(household, by)
        guard !arguments.has(.json) else {
            return try StandardOutput.print(Asset.line, groups.all.flatMap(\.members), arguments) { _ in "" }
        }
        return try StandardOutput.show(groups.text(household, Figures(arguments), today: Machine.today))
    }

    static let assetSummary = Verb.reading(
        name: "asset summary", summary: "what is owned, what is owed, and the net worth", options: [.isPrivate, .json],
        example: "qvault asset summary --private", note: "in yuan; other currencies at the newest rate that is stored"
    ) { vault, arguments in
        let household = try Household(vault)
        household.nameWhatDoesNotCount()
        return try StandardOutput.print(Household.line, [household], arguments) { $0.summary(Figures(arguments)) }
    }
}
