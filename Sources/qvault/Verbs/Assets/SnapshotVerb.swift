import Portfolio
import VaultFormat
import Cards
import VaultStore

extension Verb {
    static let snapshot = Verb.at(
        name: "snapshot", summary: "keep today's totals, one set a day, for the trend",
        options: [.vault, .ifUnlocked, .json, .wait] + Option.use,
        example: "qvault snapshot", note: "its day is that of the newest net value of a fund that is held, else today"
    ) { path, arguments in
        guard try !arguments.has(.ifUnlocked) || isUnlocked(path) else { return .done }
        let transaction = try Session.begin(path, arguments)
        let household = try Household(transaction.before)
        guard !household.assets.isEmpty || household.growth.count > 0 || !household.policies.isEmpty else {
            throw Failure(
                .invalid, "there is nothing to keep: no assets, holdings and policies",
                hint: "'qvault asset add' asks for them")
        }
        let snapshot = try Snapshot(transaction.before, today: Machine.today)
        let isNew = try snapshot.store(in: transaction)
        if isNew { try Session.commit(transaction) }
        let day = snapshot.day.text
        return try Messages.done(
            isNew ? "snapshot of \(day)" : "the snapshot of \(day) is there already", arguments,
            json: ["date": day, "new": isNew])
    }

    static let snapshotList = Verb.reading(
        name: "snapshot list", summary: "the totals that were kept, by day", options: [.isPrivate, .json],
        example: "qvault snapshot list", note: "'asset trend' draws them"
    ) { vault, arguments in
        let snapshots = try Snapshot.all(in: vault)
        guard !snapshots.isEmpty || arguments.has(.json) else {
            Messages.say("there are no snapshots: 'qvault snapshot' takes one")
            return .done
        }
        let names = ["date", "net", "assets", "debts", "total"]
        return try StandardOutput.print(
            Snapshot.line, snapshots, arguments,
            table: Snapshot.line.table(snapshots, names, isHidden: arguments.has(.private)).text(rightFrom: 1))
    }

    static let snapshotRemove = Verb.at(
        name: "snapshot rm", summary: "take the totals of a day away", operands: "DAY",
        options: [.vault, .wait, .savesAsJSON] + Option.use,
        example: "qvault snapshot rm 2026-11-24", note: "'snapshot list' lists the days; a merge may bring one back"
    ) { path, arguments in
        let text = Check.date.normalized(arguments.words[0])
        guard let day = Check.storedDay(text) else {
            throw Failure(.usage, "snapshot rm: takes a day, like 2026-01-31")
        }
        let transaction = try Session.begin(path, arguments)
        guard try Snapshot.remove(day, in: transaction) else {
            throw Failure(.notFound, "there is no snapshot of \(text)", hint: "'qvault snapshot list' lists the days")
        }
        return try Session.commit(transaction, arguments, saying: "took the snapshot of \(text) away")
    }
}
