import Portfolio
import VaultFormat
import VaultRecords
import VaultStore

extension Verb {
    static let fundUpdate = Verb(
        name: "fund update", summary: "ask this machine's feeds for prices, net values and rates; one save takes all",
        operands: "", operandCount: 0...0,
        options: [
            .vault, Option(.feed, value: "COMMAND", help: "ask this program, and none of the settings; for all codes"),
            .ifUnlocked, .json, .wait,
        ] + Option.use,
        example: (
            "qvault settings set feed.nav ~/.local/lib/qvault-feeds/nav && qvault fund update",
            "a feed is a program of yours: it reads codes, a line each, and prints lines for 'fund import'"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            guard try !arguments.has(.ifUnlocked) || isUnlocked(path) else { return .done }
            let feeds = try FeedKind.chosen(arguments)
            guard feeds.contains(where: { !$0.1.isEmpty }) else {
                throw Failure(
                    .usage, "fund update: no feed is set on this machine",
                    hint: "'qvault settings set feed.nav COMMAND'; it reads codes, and prints lines for 'fund import'")
            }
            let key = try VaultSecret(path, arguments)
            let watchlist = try Watchlist(Session.open(path, key, arguments, isSource: false))
            // Nobody waits for the lock while a feed takes its time.
            var lines: [PriceLine] = []
            var isWhole = true
            for (kind, feeds) in feeds {
                let codes = kind.codes(of: watchlist)
                guard !codes.isEmpty, !feeds.isEmpty else { continue }
                let (found, missing) = try kind.ask(feeds, codes)
                lines += found
                guard !missing.isEmpty else { continue }
                isWhole = false
                Messages.say("\(kind.said): no value for \(missing.joined(separator: " ")); the stored ones count")
            }
            let transaction = try Session.begin(path, arguments, key: key)
            var work = try FundImport(transaction.before)
            for line in lines { try work.take(.price(line)) }
            let code = try work.finish(in: transaction, arguments)
            return isWhole ? code : .failure
        }
    }
}

/// What a feed is asked for.
private enum FeedKind: CaseIterable {
    case netValues, quotes, rates
    /// One program for all codes.
    case all

    var said: Phrase {
        switch self {
        case .netValues: "net values"
        case .quotes: "prices"
        case .rates: "rates of exchange"
        case .all: "values"
        }
    }

    /// The kinds to ask for, and the feeds of each: that of the command line, or those of the configuration.
    static func chosen(_ arguments: Arguments) throws -> [(FeedKind, [Feed])] {
        guard let command = arguments.text(.feed) else {
            return try [netValues, quotes, rates].map { ($0, try $0.feeds()) }
        }
        return [(.all, [Feed(command, in: ".", milliseconds: try Config.milliseconds(.feedTimeout))])]
    }

    /// The feeds of the configuration, the first one first.
    func feeds() throws -> [Feed] {
        let keys: [Config.Key] =
            switch self {
            case .netValues: [.feedNetValues, .feedNetValues2]
            case .quotes: [.feedQuotes, .feedQuotes2]
            case .rates: [.feedRates, .feedRates2]
            case .all: []
            }
        let milliseconds = try Config.milliseconds(.feedTimeout)
        return try keys.compactMap { try Config.command($0) }.map { Feed($0, milliseconds: milliseconds) }
    }

    func codes(of watchlist: Watchlist) -> [String] {
        let codes =
            switch self {
            case .netValues: watchlist.funds.map(\.code)
            case .quotes: watchlist.funds.flatMap(\.quoteCodes)
            case .rates: watchlist.funds.compactMap(\.foreignCurrency)
            case .all: [Self.netValues, .quotes, .rates].flatMap { $0.codes(of: watchlist) }
            }
        return Set(codes).sorted()
    }

    /// Asks one feed after the other for what is still missing.
    ///
    /// - Returns: lines about these codes, and the codes without one.
    func ask(_ feeds: [Feed], _ codes: [String]) throws -> (lines: [PriceLine], missing: [String]) {
        var (lines, missing) = ([PriceLine](), codes)
        for feed in feeds where !missing.isEmpty {
            do {
                let found = try parse(feed.output(for: missing), feed, Set(missing))
                lines += found
                let known = Set(found.map(\.code))
                missing.removeAll { known.contains($0) }
            } catch let problem as Feed.Problem {
                Messages.say("\(said): '\(printable(feed.command.utf8))' \(problem.what)")
            }
        }
        return (lines, missing)
    }

    private func parse(_ output: [UInt8], _ feed: Feed, _ codes: Set<String>) throws -> [PriceLine] {
        let now = Int64(Machine.store.now().seconds)
        let name = feed.command.split(separator: " ").first?.split(separator: "/").last.map(String.init) ?? "feed"
        var (lines, strange, problems) = ([PriceLine](), 0, 0)
        for text in output.split(separator: 0x0A) {
            do {
                guard let line = try PriceLine(Array(text), source: String(name.prefix(30))) else { continue }
                try line.check(at: now)
                if codes.contains(line.code) { lines.append(line) } else { strange += 1 }
            } catch {
                problems += 1
                if problems == 1 { Messages.say("\(said): '\(printable(feed.command.utf8))': a line \(error.what)") }
            }
        }
        if problems > 1 { Messages.say("\(said): lines that were refused: \(problems)") }
        if strange > 0 { Messages.say("\(said): lines about other codes, left out: \(strange)") }
        return lines
    }
}
