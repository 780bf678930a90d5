import CSystem
import Portfolio
import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let fundWatch = Verb.at(
        name: "fund watch", summary: "the list, renewed every few seconds while shares are traded",
        options: [
            .vault, Option(.every, value: "TIME", help: "15s, 30s or 60s; else the setting fund-refresh (15s)"),
            .onlyFundGroup,
            Option(.feed, value: "COMMAND", help: "ask this program, and none of the settings; for all codes"), .wait,
        ] + Option.use,
        example: "qvault fund watch --every 30s",
        note:
            "q ends it, r asks now, up and down choose the fund of the chart; prices are saved at the end, and every 20 minutes"
    ) { path, arguments in
        let asked = try arguments.text(.every) ?? Config.text(.fundRefresh) ?? Config.Key.fundRefresh.standard
        let seconds = asked.flatMap(TimeSpan.seconds)
        guard let seconds, [15, 30, 60].contains(seconds) else {
            throw Failure(.usage, "fund watch: --every and the setting fund-refresh take 15s, 30s or 60s")
        }
        let feeds = try FundFeeds(arguments)
        var watch = try FundWatch(path, VaultSecret(path, arguments), feeds, arguments)
        return try watch.run(every: Int(seconds))
    }
}

/// A watchlist on the screen: prices come in and are kept in memory, until a save takes all of them.
private struct FundWatch {
    private let path: BytePath
    private let key: VaultSecret
    private let arguments: Arguments
    private let feeds: FundFeeds
    private let paint: Paint
    private var vault: Vault
    private var book: PriceBook
    private var watchlist: Watchlist
    /// What came in since the last save.
    private var lines: [PriceLine] = []
    private var savedAt: Int64
    private var selected = 0

    /// Seconds between two estimates that are kept of a fund.
    private static let spacing: Int64 = 60
    /// Seconds between two saves.
    private static let savePause: Int64 = 1200

    init(_ path: BytePath, _ key: VaultSecret, _ feeds: FundFeeds, _ arguments: Arguments) throws {
        (self.path, self.key, self.feeds, self.arguments) = (path, key, feeds, arguments)
        paint = try Paint(arguments)
        vault = try Session.open(path, key, arguments)
        (book, watchlist, savedAt) = (PriceBook(vault, spacing: Self.spacing), try Watchlist(vault), Self.now)
    }

    private static var now: Int64 { Int64(Machine.store.now().seconds) }

    mutating func run(every seconds: Int) throws -> ExitCode {
        let screen = try LiveScreen(arguments)
        defer { screen.close() }
        do { try loop(screen, every: seconds) } catch VaultError.cancelled {
            // Ctrl-C is an end like any other: what came in is saved.
            qv_forget_interrupt()
        }
        screen.close()
        try save()
        return .done
    }

    private mutating func loop(_ screen: LiveScreen, every seconds: Int) throws {
        var next = Self.now
        while true {
            if next <= Self.now {
                if watchlist.isOpen(Self.now) { try ask() }
                next = Self.now + Int64(seconds)
                if Self.now - savedAt >= Self.savePause { try save() }
            }
            try draw(screen, next: next)
            switch try screen.key(within: max(1, Int(next - Self.now))) {
            case .character("q"), .character("Q"), .gone: return
            case .character("r"), .character("R"), .character(" "): try ask()
            case .character("k"), .up: selected = max(0, selected - 1)
            case .character("j"), .down: selected += 1
            default: break
            }
        }
    }

    private mutating func ask() throws {
        for case .price(let line) in try feeds.ask(about: watchlist, withReports: false, isQuiet: true).lines {
            do {
                try book.take(line)
                lines.append(line)
            } catch is PriceLine.Problem {}
        }
        try book.takeEstimates()
        watchlist = try book.watchlist()
    }

    /// Stores what came in, over whatever others stored meanwhile.
    private mutating func save() throws {
        guard !book.isEmpty else { return }
        let transaction = try Session.begin(path, arguments, key: key)
        var all = PriceBook(transaction.before, spacing: Self.spacing)
        for line in lines { try all.take(line) }
        try all.takeEstimates(from: book)
        try all.takeEstimates()
        try all.store(in: transaction, now: Self.now)
        try Session.commit(transaction)
        for reminder in all.fired { Messages.say(reminder.said) }
        vault = try Session.open(path, key, arguments)
        (book, watchlist, lines, savedAt) = (
            PriceBook(vault, spacing: Self.spacing), try Watchlist(vault), [], Self.now
        )
    }

    private mutating func draw(_ screen: LiveScreen, next: Int64) throws {
        let group = arguments.text(.group)
        let funds = watchlist.funds.filter { group == nil || $0.group == group }
        let rows = funds.map { FundFigures($0, watchlist) }
        let (width, height) = screen.size
        var text = FundTable(rows, watchlist, title: group, paint: paint).text(width: width)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let state: Phrase =
            watchlist.isOpen(Self.now)
            ? "the next prices in \(max(0, next - Self.now)) s"
            : "closed: prices are asked for while shares are traded; r asks now"
        text[text.count - 1] = "\(TradingClock.clock(Self.now))  \(state.said)"
        selected = min(selected, max(0, funds.count - 1))
        // A chart of what is left of the screen.
        let room = min(12, height - text.count - 3)
        if height < .max, room >= 4, funds.indices.contains(selected),
            let chart = Chart(estimatesOf: funds[selected], watchlist, say: \.said)
        {
            text += ["", clipped(chart.title, width)] + chart.lines(width: min(width, 100), height: room)
        }
        try screen.draw(text)
    }
}
