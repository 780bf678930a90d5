import Portfolio
import VaultFormat
import VaultRecords
import VaultStore

extension Verb {
    static let policyList = Verb.reading(
        name: "policy list", summary: "the insurance policies, by person", operands: "", operandCount: 0...0,
        options: [.isPrivate, .json],
        example: ("qvault policy list", "'card show' shows all of one")
    ) { vault, arguments in
        let household = try Household(vault)
        let figures = Figures(arguments)
        let policies = household.policies.sorted { ($0.person, $0.name) < ($1.person, $1.name) }
        let widths = [policies.map { columns($0.person) }.max() ?? 0, policies.map { columns($0.name) }.max() ?? 0]
        var out = StandardOutput()
        for policy in policies {
            let json = JSON.object([
                ("id", .text(hexText(policy.id.bytes))), ("name", .text(policy.name)),
                ("insured_person", .text(policy.person)), ("annual_premium", figures.json(policy.premium)),
                ("currency", .text(policy.currency)), ("active", .bool(policy.isActive)),
                ("next_payment", policy.nextPayment.map { .text($0.text) } ?? .null),
            ])
            let state =
                policy.isActive
                ? policy.nextPayment?.text ?? "" : (policy.status == .lapsed ? Phrase("lapsed") : Phrase("ended")).said
            let line =
                "\(padded(printable(policy.person.utf8), widths[0]))  \(padded(printable(policy.name.utf8), widths[1]))  "
                + "\(padded(figures.amount(policy.premium), 12, left: true)) \(policy.currency)  \(state)"
            try out.write((arguments.has(.json) ? json.line : line.trimmingEnd()) + "\n")
        }
        try out.flush()
        return .done
    }

    static let policyRenew = Verb.changing(
        name: "policy renew", summary: "the premium is paid: the next payment is a year later", operands: "NAME",
        operandCount: 1...1,
        example: ("qvault policy renew 平安福", "of 29 February it is the 28th")
    ) { transaction, arguments in
        let entry = try CardArguments.card(
            arguments.operands[0], in: transaction.before, kind: arguments.kind, changes: true)
        let next = try renew(entry, transaction)
        try Session.commit(transaction)
        Messages.done("next payment \(next.text)", arguments)
        return .done
    }

    /// Renews a policy, or says what it lacks.
    static func renew(_ entry: Entry, _ transaction: VaultTransaction) throws -> Day {
        do { return try transaction.renewPolicy(entry).next } catch let refusal as Refusal {
            throw Failure(refusal, hint: "'qvault policy edit NAME status=active next_payment=DAY' sets what it lacks")
        }
    }
}
