import Portfolio
import VaultFormat
import VaultRecords
import VaultStore

/// One line of what is due: a date of a record, or a task that keeps the vault safe.
struct DueItem {
    /// The record in hexadecimal, or the task's name.
    let subject: String
    /// The attachment that a copy was made of.
    let parent: String?
    /// The field's key, `share`, or `upkeep`.
    let key: String
    /// The name of what ends, in the person's language.
    let label: String
    /// The name of the record for people, or the command that does the task; as it is, not for a terminal.
    let rawTitle: String
    /// The title of the record; the command of a task.
    let title: String
    let kind: String?
    let date: String
    let days: Int64
    let level: DueDate.Level

    /// All that is due, the earliest first.
    ///
    /// - Parameters:
    ///   - records: cards and copies, where they are at hand.
    ///   - isPresent: also the tasks that keep the vault safe.
    static func all(
        in vault: Vault, within limit: Int64, _ report: ProblemReport, among records: [Entry]? = nil, isPresent: Bool
    ) throws -> [DueItem] {
        let today = Machine.today
        let dates = try vault.dueDates(today: today, within: limit, among: records) { entry, error in
            report.add(TreeProblem(path: BytePath(entry.overview.title), reason: .unreadableRecord(error)))
        }
        let household = try lapsedPolicies(of: vault, today) + position(of: vault, today)
        let tasks = try household + (isPresent ? tasks(of: vault, today) + reminders(of: vault, today) : [])
        let order = Dictionary(uniqueKeysWithValues: DueDate.Level.allCases.enumerated().map { ($1, $0) })
        return (dates.map { DueItem($0) } + tasks).sorted { one, other in
            (order[one.level] ?? 0, one.days, one.subject) < (order[other.level] ?? 0, other.days, other.subject)
        }
    }

    private init(_ date: DueDate) {
        subject = hexText(date.entry.id.bytes)
        (key, self.date, days, level) = (date.key, date.date, date.days, date.level)
        let title = String(decoding: date.entry.overview.title, as: UTF8.self)
        self.title = title
        switch date.subject {
        case .field(let line):
            label = line.label?.said ?? line.key
            rawTitle = "\(Schema.of(date.entry.kind)?.label.said ?? "") \(title)"
            (kind, parent) = (Names.kindName(date.entry.kind), nil)
        case .share(let recipient):
            label = Phrase("shared copy").said
            rawTitle = recipient.map { "\(title) → \($0)" } ?? title
            (kind, parent) = ("share", date.entry.parent.map { hexText($0.bytes) })
        }
    }

    private init(_ task: Upkeep.Task, _ command: String, _ day: Day, _ today: Day, age: Int64) {
        (subject, parent, key, kind) = (task.rawValue, nil, "upkeep", nil)
        (label, title, rawTitle) = (task.label.said, command, command)
        (date, days) = (day.text, today.distance(to: day))
        // Twice as old as asked is urgent.
        level = -days >= age ? .urgent : .soon
    }

    /// The tasks whose time has come.
    private static func tasks(of vault: Vault, _ today: Day) throws -> [DueItem] {
        let (upkeep, answers) = (Upkeep(vault.id), try vault.dueAnswers())
        return try Upkeep.Task.allCases.compactMap { task in
            let age = Int64(try Config.milliseconds(task.setting) / TimeArgument.day)
            let day = Day(second: Int64(clamping: upkeep.since(task))).advanced(by: age)
            let item = DueItem(task, task.command(vault.path), day, today, age: age)
            guard item.days <= 0 else { return nil }
            let isAnswered = answers.contains {
                $0.hides(subject: item.subject, key: item.key, date: item.date, today: today)
            }
            return isAnswered ? nil : item
        }
    }

    /// The reminders of funds that fired within the last days.
    private static func reminders(of vault: Vault, _ today: Day) throws -> [DueItem] {
        let fired = try vault.firedReminders(since: today.advanced(by: -reminderDays))
        guard !fired.isEmpty else { return [] }
        let answers = try vault.dueAnswers()
        let funds = Dictionary(try Watchlist(vault).funds.map { ($0.code, $0) }) { first, _ in first }
        return fired.compactMap { reminder in
            guard let fund = funds[reminder.code] else { return nil }
            let item = DueItem(reminder, fund, today)
            let isAnswered = answers.contains {
                $0.hides(subject: item.subject, key: item.key, date: item.date, today: today)
            }
            return isAnswered ? nil : item
        }
    }

    /// The policies that lapsed: they have no day to come, and stay until somebody answers.
    private static func lapsedPolicies(of vault: Vault, _ today: Day) throws -> [DueItem] {
        guard let schema = Schema.named("policy") else { return [] }
        let entries = try vault.entries { $0.kind == schema.kind }
        guard !entries.isEmpty else { return [] }
        let answers = try vault.dueAnswers()
        return try zip(entries, vault.cards(entries)).compactMap { entry, card in
            guard let policy = Policy(card, id: entry.id), policy.status == "lapsed" else { return nil }
            let item = DueItem(lapsed: policy, today)
            return answers.contains { $0.isAboutAnyDate(of: item, today) } ? nil : item
        }
    }

    /// The position in funds, where it is out of its bounds.
    private static func position(of vault: Vault, _ today: Day) throws -> [DueItem] {
        guard try PositionPlan(vault).budget.sign > 0 else { return [] }
        let position = try Position(vault, Household(vault))
        guard position.isBelow || position.isAbove else { return [] }
        let item = DueItem(position, today)
        return try vault.dueAnswers().contains { $0.isAboutAnyDate(of: item, today) } ? [] : [item]
    }

    /// The subject of the position in funds.
    static let positionName = "position"

    private init(lapsed policy: Policy, _ today: Day) {
        (subject, parent, key, kind) = (hexText(policy.id.bytes), nil, "status", "policy")
        (label, title) = (Phrase("lapsed").said, policy.name)
        rawTitle = "\(Schema.named("policy")?.label.said ?? "") \(policy.name)"
        date = today.text
        (days, level) = (0, .urgent)
    }

    private init(_ position: Position, _ today: Day) {
        (subject, parent, key, kind) = (Self.positionName, nil, Self.positionName, nil)
        let wanted: Phrase = "wanted \(position.plan.least.shortest) to \(position.plan.most.shortest)%"
        (label, title) = (Phrase("position").said, Self.positionName)
        rawTitle = "\(position.ratio.rounded(2))%, \(wanted.said): qvault position"
        date = today.text
        (days, level) = (0, .soon)
    }

    private static let reminderDays: Int64 = 7

    private init(_ reminder: FiredReminder, _ fund: Fund, _ today: Day) {
        (subject, parent, key, kind) = (hexText(fund.id.bytes), nil, reminder.key, "fund")
        (label, title, rawTitle) = (Phrase("fund").said, fund.name, "\(fund.code) \(fund.name): \(reminder.figures)")
        (date, days, level) = (reminder.day.text, today.distance(to: reminder.day), .soon)
    }

    /// `2 urgent, 3 soon`.
    static func counts(_ items: [DueItem]) -> Phrase {
        let urgent = items.count { $0.level == .urgent }
        return "\(urgent) urgent, \(items.count - urgent) soon"
    }

    static func table(_ items: [DueItem]) -> [String] {
        let levels = items.map { $0.levelName.said }
        let counts = items.map {
            ($0.days < 0 ? Phrase("\(-$0.days) days ago") : $0.days == 0 ? "today" : Phrase("in \($0.days) days")).said
        }
        let labels = items.map { printable($0.label.utf8) }
        let widths = [levels, counts, labels].map { $0.map(columns).max() ?? 0 }
        return items.indices.map { index in
            [
                padded(levels[index], widths[0]), padded(counts[index], widths[1], left: true), items[index].date,
                padded(labels[index], widths[2]), printable(items[index].rawTitle.utf8),
            ].joined(separator: "  ")
        }
    }

    private var levelName: Phrase {
        switch level {
        case .urgent: days < 0 && key != "upkeep" ? "ended" : "urgent"
        case .soon: "soon"
        case .later: "later"
        }
    }

    var json: JSON {
        .object([
            ("level", .text(level.rawValue)), ("days", .integer(days)), ("date", .text(date)), ("field", .text(key)),
            ("id", .text(subject)), ("kind", kind.map { .text($0) } ?? .null), ("title", .text(title)),
        ])
    }
}

extension DueAnswer {
    /// True if it hides something that is due every day anew.
    fileprivate func isAboutAnyDate(of item: DueItem, _ today: Day) -> Bool {
        hides(subject: item.subject, key: item.key, date: date, today: today)
    }
}
