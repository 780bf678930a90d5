import CSystem
import Cards
import Portfolio
import Values
import VaultFormat
import VaultStore

/// The questions of `month`, in its order (Spec/product/assets.md, 5.1).
struct MonthQuestions {
    /// One of them.
    fileprivate enum Question {
        case amount(Asset)
        case shares(Holding)
        case premium(Policy, due: Day)
    }

    private let questions: [Question]
    private let watchlist: Watchlist
    /// True if the household has nothing that could be asked for.
    let isOfNothing: Bool

    init(_ vault: Vault) throws {
        let watchlist = try Watchlist(vault)
        let household = try Household(vault, watchlist)
        let limit = Machine.today.advanced(by: 31)
        questions =
            AssetCategory.allCases.flatMap(household.assets).map(Question.amount)
            + watchlist.holdings.filter { $0.lot.position == nil }.map(Question.shares)
            + household.policiesByPerson.compactMap { policy in
                guard policy.isActive(on: Machine.today), let day = policy.dueDay, day <= limit else { return nil }
                return .premium(policy, due: day)
            }
        isOfNothing = household.assets.isEmpty && household.growth.count == 0 && household.policies.isEmpty
        self.watchlist = watchlist
    }

    private func name(_ question: Question) -> String {
        switch question {
        case .amount(let asset): return printable(asset.name.utf8)
        case .shares(let holding):
            let place = holding.lot.platform.isEmpty ? "" : " " + printable(holding.lot.platform.utf8)
            return "\(holding.code) \(printable(watchlist.name(holding.code).utf8))\(place)"
        case .premium(let policy, _): return "\(printable(policy.name.utf8)), \(printable(policy.person.utf8))"
        }
    }

    // MARK: - Asked at a terminal

    /// Asks all. `isWhole` is false where the person left in the middle.
    func asked(_ figures: Figures) throws -> (answers: MonthlyAnswers, isWhole: Bool) {
        var answers = MonthlyAnswers()
        var heading = ""
        do {
            for question in questions {
                if let next = question.heading, next != heading { try Terminal.write("\n\(next)\n") }
                heading = question.heading ?? heading
                try ask(question, figures, &answers)
            }
            return (answers, true)
        } catch VaultError.cancelled {
            // The answers until then are to be saved.
            qv_forget_interrupt()
            return (answers, false)
        }
    }

    private func ask(_ question: Question, _ figures: Figures, _ answers: inout MonthlyAnswers) throws {
        let name = name(question)
        func number(_ name: String, _ old: String) throws -> ExactDecimal? {
            try AmountQuestion.ask("\(name) [\(old)]").flatMap { ExactDecimal($0) }
        }
        switch question {
        case .amount(let asset):
            let amount = try number("  " + name, "\(figures.plain(asset.amount)) \(asset.currency)")
            if let amount, amount != asset.amount { answers.amounts[asset.id] = amount }
        case .shares(let holding):
            let shares = try number("  " + name, figures.plain(holding.lot.shares))
            guard let shares, shares.sign > 0, shares != holding.lot.shares else { return }
            let question = Phrase("    cost of a share [\(figures.plain(holding.lot.cost))]").said
            let cost = try AmountQuestion.ask(question).flatMap { ExactDecimal($0) }
            answers.lots[holding.id] = (shares, cost.map { $0.sign > 0 ? $0 : holding.lot.cost } ?? holding.lot.cost)
        case .premium(let policy, let day):
            let what = "\(name): \(figures.plain(policy.premium)) \(policy.currency)"
            if try Terminal.confirm("\(what), \(day.text): is the premium paid?", standard: false) {
                answers.paid[policy.id] = day
            }
        }
    }

    // MARK: - Given

    /// The answers that arguments give; nothing else is asked.
    ///
    /// - Throws: `Failure` of a name that is none, or more than one, and of an answer that is none.
    func answers(_ given: [(key: String, value: String)]) throws -> MonthlyAnswers {
        var answers = MonthlyAnswers()
        var answered: Set<RecordID> = []
        for (word, value) in given {
            let named = questions.filter { $0.isNamed(word, among: watchlist) }
            guard named.count == 1 else {
                let shown = printable(word.utf8)
                throw Failure(
                    .notFound, named.isEmpty ? "'\(shown)' is not asked for" : "several are called '\(shown)'",
                    hint: "'qvault month --dry-run --json' lists what is asked, with ids, which are names too")
            }
            guard answered.insert(named[0].id).inserted else {
                throw Failure(.usage, "'\(printable(word.utf8))' is given twice")
            }
            try answer(named[0], value, &answers)
        }
        return answers
    }

    private func answer(_ question: Question, _ value: String, _ answers: inout MonthlyAnswers) throws {
        func number(_ text: some StringProtocol) throws -> ExactDecimal {
            try Refusal.check(unsigned: String(text))
            let amount = Check.amount.normalized(String(text))
            if let what = Check.amount.complaint(about: amount) {
                throw Failure(.invalid, "\(name(question)): '\(printable(text.utf8))' \(what)")
            }
            return ExactDecimal(amount) ?? .zero
        }
        switch question {
        case .amount(let asset):
            let amount = try number(value)
            if amount != asset.amount { answers.amounts[asset.id] = amount }
        case .shares(let holding):
            let parts = value.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            let shares = try number(parts[0])
            let cost = try parts.count == 2 ? number(parts[1]) : holding.lot.cost
            guard shares.sign > 0, cost.sign > 0 else {
                throw Failure(
                    .invalid, "\(name(question)): shares and their cost are above 0",
                    hint: "'qvault holding rm' removes what was sold")
            }
            if shares != holding.lot.shares || cost != holding.lot.cost { answers.lots[holding.id] = (shares, cost) }
        case .premium(let policy, let day):
            guard ["paid", "已缴"].contains(value) else {
                throw Failure(.invalid, "\(name(question)): the answer is 'paid', or none")
            }
            answers.paid[policy.id] = day
        }
    }

    // MARK: - Listed

    /// Lists what is asked.
    func list(_ figures: Figures, _ arguments: Arguments) throws -> ExitCode {
        let cells = questions.map { question in
            let (value, currency) = question.value
            return [name(question), figures.plain(value) + (currency.map { " " + $0 } ?? ""), question.due?.text ?? ""]
        }
        return try StandardOutput.list(
            zip(questions, inColumns(cells) { $0 == 1 }), arguments,
            json: { question, _ in
                JSON(
                    joining: ["id": question.id, "question": question.word, "name": name(question)],
                    [
                        "value": figures.plain(question.value.number), "cost": question.cost.map(figures.plain),
                        "currency": question.value.currency, "heading": question.heading, "due": question.due?.text,
                    ])
            }, text: { $0.1 })
    }
}

extension MonthQuestions.Question {
    fileprivate var id: RecordID {
        switch self {
        case .amount(let asset): asset.id
        case .shares(let holding): holding.id
        case .premium(let policy, _): policy.id
        }
    }

    fileprivate var word: String {
        switch self {
        case .amount: "amount"
        case .shares: "shares"
        case .premium: "premium"
        }
    }

    /// The number that there is now, and the currency of an amount.
    fileprivate var value: (number: ExactDecimal, currency: String?) {
        switch self {
        case .amount(let asset): (asset.amount, asset.currency)
        case .shares(let holding): (holding.lot.shares, nil)
        case .premium(let policy, _): (policy.premium, policy.currency)
        }
    }

    /// The cost of a share.
    fileprivate var cost: ExactDecimal? { if case .shares(let holding) = self { holding.lot.cost } else { nil } }

    fileprivate var due: Day? { if case .premium(_, let day) = self { day } else { nil } }

    /// The words above the questions of its kind; nil for premiums, which are sentences.
    fileprivate var heading: String? {
        switch self {
        case .amount(let asset): asset.category.label.said
        case .shares: Phrase("shares of funds").said
        case .premium: nil
        }
    }

    /// True if a word is its name, its id or the start of that; of a holding also its code with the platform.
    fileprivate func isNamed(_ word: String, among watchlist: Watchlist) -> Bool {
        if word.utf8.count > 3, "\(id)".hasPrefix(word.lowercased()) { return true }
        return switch self {
        case .amount(let asset): asset.name == word
        case .shares(let holding): watchlist.holdings(named: word).contains { $0.id == holding.id }
        case .premium(let policy, _): policy.name == word
        }
    }
}
