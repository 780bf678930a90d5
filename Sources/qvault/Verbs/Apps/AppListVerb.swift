import Cards
import VaultFormat
import VaultStore

extension Verb {
    static let appList = Verb.reading(
        name: "app list", summary: "the wish list of apps, those that were found last first", operands: "[QUERY…]",
        options: [
            Option(
                .preset, value: "NAME", help: "only a choice that 'app presets' lists; of several all", repeats: true),
            Option(.sort, value: "BY", help: "found, value (what one saves), rating, price or until"), .json,
        ],
        example: "qvault app list is:free --preset price-10-50 --sort value",
        note: "QUERY as for 'find'; with words the best match comes first"
    ) { vault, arguments in
        let clock = QueryArguments.clock
        let order: AppOrder? = try arguments.value(
            .sort, or: "--sort takes found, value, rating, price or until")
        let presets = try arguments.texts(.preset).map(preset)
        let query = try AppChoice.query(
            presets, QueryArguments.text(arguments.operands[...]), in: vault, clock)
        let report = ProblemReport()
        let apps = try AppChoice.apps(query, in: vault, clock, report)
        guard !apps.isEmpty || report.exitCode() != .done || presets.isEmpty && arguments.operands.isEmpty else {
            throw Failure(
                .notFound, "no app answers '\(QueryArguments.shown(query.term))'",
                hint: "'qvault app presets' says how many answer each choice")
        }
        let sorted = (order ?? (query.hasWords ? .match : .found)).sorted(apps)
        if !arguments.has(.json), !presets.isEmpty || !arguments.operands.isEmpty {
            let new = sorted.count { $0.app.has(.new, at: clock.now) }
            Messages.done("apps: \(sorted.count), of these new: \(new)")
        }
        let rows = sorted.map { $0.row(clock.now) }
        try StandardOutput.list(
            zip(sorted, inColumns(rows) { [2, 3, 4].contains($0) }), arguments, json: { $0.0.json(clock.now) },
            text: { $0.1 })
        return report.exitCode(hint: "'qvault verify' tells more of damage")
    }

    static let appPresets = Verb.reading(
        name: "app presets", summary: "choices of apps that have a name, and how many apps each has now",
        options: [.json], example: "qvault app presets",
        note: "'app list --preset' takes them; 'query save' makes one of one's own"
    ) { vault, arguments in
        let clock = QueryArguments.clock
        let rows = try AppPreset.all.map { preset in
            let query = try AppChoice.query([preset], "", in: vault, clock)
            return (preset: preset, count: try vault.count(query, clock: clock).records)
        }
        let cells = rows.map { [$0.preset.name.english, $0.preset.name.chinese, "\($0.count)", $0.preset.query] }
        return try StandardOutput.list(
            zip(rows, inColumns(cells) { $0 == 2 }), arguments,
            json: { item in
                let preset = item.0.preset
                return [
                    "preset": preset.name.english, "label_zh": preset.name.chinese, "query": preset.query,
                    "apps": item.0.count,
                ]
            }, text: \.1)
    }

    private static func preset(_ name: String) throws -> AppPreset {
        guard let preset = AppPreset.named(name) else {
            let known = AppPreset.all.flatMap { [$0.name.english, $0.name.chinese] }
            throw Failure(
                .usage, "no choice of apps is called '\(printable(name.utf8))'",
                hint: .meant(name, among: known, else: "'qvault app presets' lists them"))
        }
        return preset
    }
}

/// Apps that answer a query.
enum AppChoice {
    /// The query for apps that are in all of some choices, and answer a text.
    static func query(_ presets: [AppPreset], _ text: String, in vault: Vault, _ clock: QueryClock) throws -> Query {
        // An error is to point at what the person wrote.
        if !text.isEmpty { _ = try QueryArguments.query(text, in: vault, clock) }
        let parts = (presets.map(\.query) + [text]).filter { !$0.isBlank }.map { " (\($0))" }
        return try QueryArguments.query("kind:app" + parts.joined(), in: vault, clock)
    }

    static func apps(
        _ query: Query, in vault: Vault, _ clock: QueryClock, _ report: ProblemReport
    ) throws -> [ListedApp] {
        let hits = try vault.find(query, clock: clock, damaged: report.add).hits
        return try hits.compactMap { hit in
            do { return try ListedApp(hit, vault.card(hit.entry), clock.now) } catch let error as FormatError {
                report.add(hit.entry, error)
                return nil
            }
        }
    }
}

/// An app in a list.
struct ListedApp {
    let entry: Entry
    let card: Card
    let app: App
    fileprivate let match: CardQuery.Match?
    /// The saving of today.
    fileprivate let saving: ExactDecimal?

    fileprivate init(_ hit: QueryHit, _ card: Card, _ now: Timestamp) {
        (entry, self.card, match) = (hit.entry, card, hit.match)
        app = App(card.fields.texts, created: hit.entry.created)
        saving = app.saving(at: now)
    }

    private func text(_ key: String) -> String { card.fields.texts[key].map { printable($0.utf8) } ?? "" }

    /// Title, developer, rating, size, price, marks, end.
    fileprivate func row(_ now: Timestamp) -> [String] {
        [
            printable(entry.overview.title), text("developer"), text("rating"),
            card.fields.texts["download_size"].flatMap { UInt64($0) }.map(sizeText) ?? "", card.priceText,
            app.marks(at: now).map(\.label.said).joined(separator: " "),
            app.isFree(at: now) ? app.freeUntil.map { timeText($0, local: true) } ?? "" : "",
        ]
    }

    fileprivate func json(_ now: Timestamp) -> JSON {
        JSON(
            joining: CardArguments.members(of: entry),
            ["fields": JSON.object(card.lines.map { ($0.key, .text($0.shown(isRevealed: false))) })], app.json(now))
    }
}

extension Card {
    /// `25.00 → 0 CNY` of an app, or its one price; empty where it has none.
    var priceText: String {
        let currency = fields.texts["currency"].map { " " + printable($0.utf8) } ?? ""
        let (price, current) = (fields.texts["price"], fields.texts["current_price"])
        guard let first = price ?? current else { return "" }
        guard let current, let price, ExactDecimal(price) != ExactDecimal(current) else { return first + currency }
        return "\(price) → \(current)\(currency)"
    }
}

extension App {
    /// What follows from the time, in JSON.
    func json(_ now: Timestamp) -> JSON {
        let left = freeUntil.map { $0.seconds - now.seconds }
        return [
            "saving": saving(at: now)?.description, "marks": marks(at: now).map(\.rawValue),
            "seconds_left": isFree(at: now) ? left : nil,
        ]
    }
}

/// The orders of a list of apps.
private enum AppOrder: String {
    case found, value, rating, price, until
    /// By how well words are found, then by rating, then by when it was found.
    case match

    init?(rawValue: String) {
        switch rawValue {
        case "found", "发现": self = .found
        case "value", "价值": self = .value
        case "rating", "评分": self = .rating
        case "price", "价格": self = .price
        case "until", "结束": self = .until
        default: return nil
        }
    }

    func sorted(_ apps: [ListedApp]) -> [ListedApp] {
        let places = apps.indices.sorted { one, other in
            precedes(apps[one], apps[other]) || !precedes(apps[other], apps[one]) && one < other
        }
        return places.map { apps[$0] }
    }

    private func precedes(_ one: ListedApp, _ other: ListedApp) -> Bool {
        switch self {
        case .found: one.app.found > other.app.found
        case .value: (one.saving ?? .zero) > (other.saving ?? .zero)
        case .rating: (one.app.rating ?? .zero) > (other.app.rating ?? .zero)
        case .price:
            switch (one.app.price, other.app.price) {
            case (let a?, let b?): a < b
            case (_?, nil): true
            default: false
            }
        case .until: (one.app.freeUntil ?? .max) < (other.app.freeUntil ?? .max)
        case .match: one.rank < other.rank
        }
    }
}

extension ListedApp {
    fileprivate var rank: (CardQuery.Level, CardQuery.Place, ExactDecimal, UInt64) {
        (
            match?.level ?? .exact, match?.place ?? .title, ExactDecimal.zero - (app.rating ?? .zero),
            .max - app.found.microseconds
        )
    }
}
