import Portfolio
import VaultFormat
import VaultStore

extension Verb {
    static let fundUpdate = Verb.at(
        name: "fund update", summary: "ask this machine's feeds for prices, net values and rates; one save takes all",
        options: [
            .vault, Option(.feed, value: "COMMAND", help: "ask this program, and none of the settings; for all codes"),
            .ifUnlocked, .json, .wait,
        ] + Option.use,
        example: "qvault settings set feed.nav ~/.local/lib/qvault-feeds/nav && qvault fund update",
        note: "a feed is a program of yours: it reads codes, a line each, and prints lines for 'fund import'"
    ) { path, arguments in
        guard try !arguments.has(.ifUnlocked) || isUnlocked(path) else { return .done }
        let feeds = try FundFeeds(arguments)
        let key = try VaultSecret(path, arguments)
        let watchlist = try Watchlist(Session.open(path, key, arguments))
        // Nobody waits for the lock while a feed takes its time.
        let (lines, isWhole) = try feeds.ask(about: watchlist)
        let transaction = try Session.begin(path, arguments, key: key)
        var work = try FundImport(transaction.before)
        for line in lines {
            do { try work.take(ofFeed: line) } catch let problem as PriceLine.Problem {
                Messages.say("\(line.code): \(problem.what)")
            }
        }
        let code = try work.finish(in: transaction, arguments)
        return isWhole ? code : .inPart
    }
}
