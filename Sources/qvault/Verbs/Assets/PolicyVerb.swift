import Cards
import Portfolio
import VaultFormat
import VaultStore

extension Verb {
    static let policyList = Verb.reading(
        name: "policy list", summary: "the insurance policies, by person", options: [.isPrivate, .json],
        example: "qvault policy list", note: "'card show' shows all of one"
    ) { vault, arguments in
        let household = try Household(vault)
        let figures = Figures(arguments)
        let policies = household.policiesByPerson
        let widths = [policies.map { columns($0.person) }.max() ?? 0, policies.map { columns($0.name) }.max() ?? 0]
        let dated = policies.map { (policy: $0, isActive: $0.isActive(on: Machine.today)) }
        return try StandardOutput.print(Policy.line, dated, arguments) { policy, isActive in
            let state =
                isActive
                ? policy.nextPayment?.text ?? "" : (policy.status == .lapsed ? Phrase("lapsed") : Phrase("ended")).said
            let names = zip([policy.person, policy.name], widths).map { padded(printable($0.utf8), $1) }
            let premium = padded(figures.amount(policy.premium), 12, left: true)
            return "\(names[0])  \(names[1])  \(premium) \(policy.currency)  \(state)"
        }
    }

    static let policyRenew = Verb.changing(
        name: "policy renew", summary: "the premium is paid: the next payment is a year later", operands: "NAME",
        example: "qvault policy renew 平安福", note: "of 29 February it is the 28th"
    ) { transaction, arguments in
        let entry = try CardArguments.card(
            arguments.operands[0], in: transaction.before, kind: arguments.kind, changes: true)
        let next = try renew(entry, transaction)
        return try Session.commit(transaction, arguments, saying: "next payment \(next.text)")
    }

    /// Renews a policy, or says what it lacks.
    static func renew(_ entry: Entry, _ transaction: VaultTransaction) throws -> Day {
        do { return try transaction.renewPolicy(entry).next } catch let refusal as Refusal {
            throw Failure(refusal, hint: "'qvault policy edit NAME status=active next_payment=DAY' sets what it lacks")
        }
    }
}
