import Portfolio
import VaultFormat
import Cards
import VaultIO
import VaultStore

extension Verb {
    static let api = Verb(
        name: "api", summary: "answer a call of Spec/api.md: JSON in, JSON out, no socket", operands: "[METHOD PATH]",
        options: [
            .vault, .isPrivate, Option(.at, value: "DAY", help: "reckon days from this one instead of today"), .wait,
        ] + Option.use,
        example: "qvault api GET /api/dashboard/summary",
        note: "a body comes from standard input; without METHOD and PATH it prints the list of all calls"
    ) { arguments in
        guard !arguments.operands.isEmpty else { return try StandardOutput.print(PortfolioAPI.reference) }
        guard arguments.operands.count == 2 else { throw Failure(.usage, "api: METHOD and PATH, or neither") }
        do {
            let answer = try ApiCall(arguments.words[0], arguments.words[1], arguments).answer().get()
            try StandardOutput.print(answer.text + "\n")
            return answer.isWhole ? .done : .inPart
        } catch let problem as APIProblem {
            try StandardOutput.print(["status": problem.status, "detail": problem.what])
            return problem.status == 404 ? .notFound : problem.status == 405 ? .usage : .invalid
        }
    }
}

/// One call: what it reads from standard input and from feeds, and what it does to the vault.
private struct ApiCall {
    private let call: PortfolioAPI
    private let arguments: Arguments
    private let path: BytePath
    private let today: Day

    init(_ method: String, _ target: String, _ arguments: Arguments) throws {
        call = try PortfolioAPI(method, target)
        self.arguments = arguments
        path = try Session.vaultPath(arguments)
        let day = try arguments.value(.at, or: "api: --at takes a day, like 2026-01-31") {
            Check.storedDay(Check.date.normalized($0))
        }
        today = day ?? Machine.today
    }

    /// A line of JSON, and whether all that was asked for was done: a feed may have failed.
    struct Answer {
        let text: String
        let isWhole: Bool
    }

    /// The answer, or the problem of the call; what goes wrong with the vault is thrown.
    func answer() throws -> Result<Answer, APIProblem> {
        try withVault(path) {
            do { return .success(try answered()) } catch let problem as APIProblem { return .failure(problem) }
        }
    }

    private func answered() throws -> Answer {
        let isPrivate = arguments.has(.private)
        guard call.isChange else {
            let vault = try Session.open(path, arguments)
            return Answer(text: try call.answer(vault, surroundings(), isPrivate: isPrivate), isWhole: true)
        }
        let key = try VaultSecret(path, arguments, readsInput: call.takesBody)
        // Nobody waits for the lock while a feed or a person takes time.
        let body = try call.takesBody ? body() : []
        let feed = try call.asksFeed ? feedLines(key) : nil
        let transaction = try Session.begin(path, arguments, key: key)
        let answer = try call.answer(body, in: transaction, surroundings(feed?.lines), isPrivate: isPrivate)
        if !transaction.isEmpty { try Session.commit(transaction) }
        return Answer(text: answer, isWhole: feed?.isWhole ?? true)
    }

    private func body() throws -> [UInt8] {
        let body = try StandardInput.all(upTo: Self.bodyByteCount + 1)
        guard body.count <= Self.bodyByteCount else { throw Failure(.invalid, "api: the body has more than 16 MiB") }
        return body
    }

    private static let bodyByteCount = 1 << 24

    /// What the feeds said, and false where a code has no value; nil where no feed is set.
    private func feedLines(_ key: VaultSecret) throws -> (lines: [FundLine], isWhole: Bool)? {
        guard try !FundFeeds.configured().isEmpty else { return nil }
        let watchlist = try Watchlist(Session.open(path, key, arguments))
        return try FundFeeds(arguments).ask(about: watchlist, withReports: false)
    }

    private func surroundings(_ lines: [FundLine]? = nil) -> APISurroundings {
        let now = Machine.store.now()
        guard let lines else { return APISurroundings(today: today, now: now, language: .current) }
        return APISurroundings(today: today, now: now, language: .current) { fund, transaction in
            var prices = PriceBook(transaction.before)
            let codes = Set([fund.code] + fund.quoteCodes + [fund.foreignCurrency].compactMap(\.self))
            for case .price(let line) in lines where codes.contains(line.code) { try prices.take(line) }
            try prices.takeEstimates()
            if !prices.isEmpty { try prices.store(in: transaction, now: Int64(now.seconds)) }
        }
    }
}
