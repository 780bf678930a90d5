import Portfolio
import VaultFormat
import VaultIO

/// The feeds that are asked for the values of a watchlist: that of the command line, or those of the configuration.
struct FundFeeds {
    private let feeds: [(FeedKind, [Feed])]

    init(_ arguments: Arguments) throws {
        feeds = try FeedKind.chosen(arguments)
        guard feeds.contains(where: { !$0.1.isEmpty }) else {
            throw Failure(
                .usage, "no feed is set on this machine",
                hint: "'qvault fund feeds add' lists examples; 'qvault settings set feed.nav COMMAND' sets one of yours"
            )
        }
    }

    /// The feeds of the configuration, by the names of their settings.
    static func configured() throws -> [(key: String, feed: Feed)] {
        try FeedKind.allCases.flatMap { try $0.feeds() }
    }

    /// Asks all of them, and says what is missing.
    ///
    /// - Parameter withReports: also for what funds hold, which changes once a quarter.
    /// - Returns: what they said; false where a code has no value.
    func ask(
        about watchlist: Watchlist, withReports: Bool = true, isQuiet: Bool = false
    ) throws -> (lines: [FundLine], isWhole: Bool) {
        var (lines, isWhole) = ([FundLine](), true)
        for (kind, feeds) in feeds where withReports || kind != .holdings {
            let codes = kind.codes(of: watchlist)
            guard !codes.isEmpty, !feeds.isEmpty else { continue }
            let (found, missing) = try kind.ask(feeds, codes, isQuiet: isQuiet)
            lines += found
            guard !missing.isEmpty else { continue }
            isWhole = false
            if !isQuiet {
                Messages.say("\(kind.said): no value for \(missing.joined(separator: " ")); the stored ones count")
            }
        }
        return (lines, isWhole)
    }
}

/// What a feed is asked for.
private enum FeedKind: CaseIterable {
    case netValues, quotes, rates, holdings
    /// One program for all codes.
    case all

    var said: Phrase {
        switch self {
        case .netValues: "net values"
        case .quotes: "prices"
        case .rates: "rates of exchange"
        case .holdings: "reports of what funds hold"
        case .all: "values"
        }
    }

    /// The kinds to ask for, and the feeds of each: that of the command line, or those of the configuration.
    static func chosen(_ arguments: Arguments) throws -> [(FeedKind, [Feed])] {
        guard let command = arguments.text(.feed) else {
            return try [netValues, quotes, rates, holdings].map { ($0, try $0.feeds().map(\.feed)) }
        }
        return [(.all, [try Feed(command, in: ".")])]
    }

    /// The feeds of the configuration by the names of their settings, the first one first.
    func feeds() throws -> [(key: String, feed: Feed)] {
        let keys: [Config.Key] =
            switch self {
            case .netValues: [.feedNetValues, .feedNetValues2]
            case .quotes: [.feedQuotes, .feedQuotes2]
            case .rates: [.feedRates, .feedRates2]
            case .holdings: [.feedHoldings]
            case .all: []
            }
        return try keys.compactMap { key in try Config.command(key).map { (key.rawValue, try Feed($0)) } }
    }

    func codes(of watchlist: Watchlist) -> [String] {
        let codes =
            switch self {
            case .netValues: watchlist.funds.map(\.code)
            case .quotes: watchlist.funds.flatMap(\.quoteCodes)
            case .rates: watchlist.funds.compactMap(\.foreignCurrency)
            case .holdings: watchlist.funds.filter(\.isValuedByReport).map(\.code)
            case .all: [Self.netValues, .quotes, .rates].flatMap { $0.codes(of: watchlist) }
            }
        return Set(codes).sorted()
    }

    /// Asks one feed after the other for what is still missing.
    ///
    /// - Returns: lines about these codes, and the codes without one.
    func ask(_ feeds: [Feed], _ codes: [String], isQuiet: Bool) throws -> (lines: [FundLine], missing: [String]) {
        var (lines, missing) = ([FundLine](), codes)
        for feed in feeds where !missing.isEmpty {
            do {
                let found = try parse(feed.output(for: missing), feed, Set(missing), isQuiet)
                lines += found
                let known = Set(found.compactMap(answeredCode))
                missing.removeAll { known.contains($0) }
            } catch let problem as Feed.Problem {
                EventLog.explain("\(said): a feed \(problem.what)")
                if !isQuiet { Messages.say("\(said): '\(printable(feed.command.utf8))' \(problem.what)") }
            }
        }
        return (lines, missing)
    }

    /// The code that a line has a value for, of those that this kind is asked for; nil where it says something else.
    private func answeredCode(_ line: FundLine) -> String? {
        switch line {
        case .price(let price): self == .holdings ? nil : price.code
        case .stock(let code, _, _): self == .holdings ? code : nil
        case .fund, .holding: nil
        }
    }

    private func parse(_ output: [UInt8], _ feed: Feed, _ codes: Set<String>, _ isQuiet: Bool) throws -> [FundLine] {
        let now = Int64(Machine.store.now().seconds)
        let word = feed.command.split(separator: " ").first?.split(separator: "/").last.map(String.init) ?? ""
        let isName = !word.isEmpty && word.allSatisfy { $0.isLetter || $0.isNumber || "._-".contains($0) }
        let name = isName ? word : "feed"
        var (lines, strange, problems) = ([FundLine](), 0, 0)
        for text in output.split(separator: 0x0A) {
            do {
                let found = try FundLine.ofFeed(Array(text), source: String(name.prefix(30)))
                for case .price(let line) in found { try line.check(at: now) }
                for line in found { if codes.contains(line.code) { lines.append(line) } else { strange += 1 } }
            } catch {
                problems += 1
                if problems == 1, !isQuiet {
                    Messages.say("\(said): '\(printable(feed.command.utf8))': a line \(error.what)")
                }
            }
        }
        if problems > 0 { EventLog.explain("\(said): lines that were refused: \(problems)") }
        guard !isQuiet else { return lines }
        if problems > 1 { Messages.say("\(said): lines that were refused: \(problems)") }
        if strange > 0 { Messages.say("\(said): lines about other codes, left out: \(strange)") }
        return lines
    }
}
