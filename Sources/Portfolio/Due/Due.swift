public import Values
public import VaultFormat
public import Cards
public import VaultStore

/// Something that a person has to look at: a date of a record, a policy that lapsed, a position out of its bounds, a
/// reminder that fired, a task that keeps a vault safe (Spec/product/records.md, 4.1; assets.md, 9). There is one list of
/// what is due: the verb, home, the dashboard, the report, the calendar, the notification and the API show parts of it.
public struct Due: Sendable {
    /// The thing that is due.
    public enum Subject: Sendable {
        /// A field of a card that ends.
        case field(Card.Line)
        /// The time for which a copy was given away, to whom.
        case share(recipient: String?, card: String?)
        /// A policy that lapsed.
        case lapsed
        /// The position in funds, which is out of its bounds.
        case position(Position)
        /// A reminder of a fund that fired.
        case reminder(FiredReminder)
        /// The report of a fund, which is too old to be built on.
        case report(Fund)
        /// A task that keeps the vault safe.
        case task(Task)
    }

    /// A task that comes back, and has to be done by a day.
    public struct Task: Sendable {
        /// Its name, `backup`, `check` or `drill`, and the command that does it.
        public let name: String, command: String
        /// The day by which it has to be done.
        public let day: Day
        /// Days from one time to the next. A task that is late by as many is urgent.
        public let interval: Int64

        /// A task.
        public init(name: String, command: String, day: Day, interval: Int64) {
            (self.name, self.command, self.day, self.interval) = (name, command, day, interval)
        }
    }

    /// The thing that is due.
    public let subject: Subject
    /// The id of its record in hexadecimal, or its name: `position`, or that of a task. Answers name it.
    public let id: String
    /// The record that it belongs to: of a copy the attachment.
    public let parent: RecordID?
    /// The field's key, or a word of its own. Answers name it.
    public let key: String
    /// The title of the record; the command of a task.
    public let title: String
    /// The kind of the record; nil where there is none.
    public let schema: Schema?
    /// The day; today where it is due every day anew.
    public let day: Day
    /// From today to that day; negative once it is past.
    public let days: Int64
    /// The time at which it ends, where that is known to the second.
    public let time: Timestamp?
    /// The class of its distance.
    public let level: DueDate.Level

    /// - Parameter day: today where it is due every day anew.
    private init(
        _ subject: Subject, id: String, parent: RecordID? = nil, key: String, title: String, schema: Schema? = nil,
        day: Day? = nil, time: Timestamp? = nil, today: Day, level: DueDate.Level
    ) {
        self.time = time
        (self.subject, self.id, self.parent, self.key) = (subject, id, parent, key)
        (self.title, self.schema, self.day, self.level) = (title, schema, day ?? today, level)
        days = today.distance(to: self.day)
    }

    /// The id and the key of the position in funds.
    public static let positionName = "position"
    /// Days for which a reminder that fired is shown.
    private static let reminderDays: Int64 = 7

    /// All that is due, by level, then by day.
    ///
    /// - Parameters:
    ///   - limit: days from today at most.
    ///   - now: the time, as `Vault.dueDates` takes it.
    ///   - records: cards and copies, where they are at hand.
    ///   - tasks: those that keep the vault safe, as this machine knows them; nil where reminders of funds are left out too, as
    ///     for a state of the past.
    ///   - damaged: told which records cannot be read; the rest is listed if it returns.
    /// - Throws: as `Vault.dueDates`, `Watchlist` and `Household`.
    public static func all(
        in vault: Vault, within limit: Int64, today: Day, now: Timestamp? = nil, among records: [Entry]? = nil,
        tasks: [Task]? = nil,
        damaged: (Entry, FormatError) throws -> Void = { throw $1 }
    ) throws -> [Due] {
        let dates = try vault.dueDates(today: today, now: now, within: limit, among: records, damaged: damaged)
            .map { Due($0, today) }
        var rest = try lapsedPolicies(vault, today) + position(vault, today) + oldReports(vault, today)
        if let tasks {
            rest += tasks.map { Due($0, today) }.filter { $0.days <= 0 }
            rest += try reminders(vault, today)
        }
        if !rest.isEmpty {
            let answers = try vault.dueAnswers()
            rest = rest.filter { item in !answers.contains { item.isHidden(by: $0, today) } }
        }
        return (dates + rest).sorted {
            ($0.level, $0.days, $0.time ?? .max, $0.id) < ($1.level, $1.days, $1.time ?? .max, $1.id)
        }
    }

    /// True if an answer is about it. What is due every day anew has no date of its own.
    private func isHidden(by answer: DueAnswer, _ today: Day) -> Bool {
        switch subject {
        case .lapsed, .position: answer.hides(subject: id, key: key, date: answer.date, today: today)
        default: answer.hides(subject: id, key: key, date: day.text, today: today)
        }
    }

    private init(_ date: DueDate, _ today: Day) {
        let (subject, schema): (Subject, Schema?) =
            switch date.subject {
            case .field(let line): (.field(line), Schema.of(date.entry.kind))
            case .share(let recipient, let card): (.share(recipient: recipient, card: card), nil)
            }
        self.init(
            subject, id: date.entry.id.description, parent: schema == nil ? date.entry.parent : nil, key: date.key,
            title: date.entry.title, schema: schema, day: date.day, time: date.time, today: today,
            level: date.level)
    }

    private init(_ task: Task, _ today: Day) {
        let isLate = today.distance(to: task.day) <= -task.interval
        self.init(
            .task(task), id: task.name, key: "upkeep", title: task.command, day: task.day, today: today,
            level: isLate ? .urgent : .soon)
    }

    /// Funds whose report is at least 184 days old.
    private static func oldReports(_ vault: Vault, _ today: Day) throws -> [Due] {
        // The cards alone: prices take longer to read.
        try FundCards(vault).items.compactMap { entry, card in
            guard let fund = Fund(card, id: entry.id, created: entry.created), fund.isReportOld(on: today) else {
                return nil
            }
            return Due(
                .report(fund), id: fund.id.description, key: "report_date", title: fund.name, schema: .named("fund"),
                day: fund.endOfReport, today: today, level: .soon)
        }
    }

    private static func reminders(_ vault: Vault, _ today: Day) throws -> [Due] {
        let fired = try vault.firedReminders(since: today.advanced(by: -reminderDays))
        guard !fired.isEmpty else { return [] }
        let funds = try Watchlist(vault).fundsByCode
        return fired.compactMap { reminder in
            funds[reminder.code].map { fund in
                Due(
                    .reminder(reminder), id: fund.id.description, key: reminder.key, title: fund.name,
                    schema: .named("fund"), day: reminder.day, today: today, level: .soon)
            }
        }
    }

    private static func lapsedPolicies(_ vault: Vault, _ today: Day) throws -> [Due] {
        guard let schema = Schema.named("policy") else { return [] }
        let entries = try vault.entries { $0.kind == schema.kind }
        return try zip(entries, vault.cards(entries)).compactMap { entry, card in
            guard let policy = Policy(card, id: entry.id), policy.status == .lapsed else { return nil }
            return Due(
                .lapsed, id: policy.id.description, key: "status", title: policy.name, schema: schema, today: today,
                level: .urgent)
        }
    }

    private static func position(_ vault: Vault, _ today: Day) throws -> [Due] {
        guard try PositionPlan(vault).budget.sign > 0 else { return [] }
        let position = try Position(vault, Household(vault))
        guard position.isBelow || position.isAbove else { return [] }
        let (subject, name) = (Subject.position(position), positionName)
        return [Due(subject, id: name, key: name, title: name, today: today, level: .soon)]
    }
}

extension DueAnswer {
    /// An answer to something that is due: put off until a day, or done.
    public init(_ item: Due, until day: Day?) {
        self.init(subject: item.id, key: item.key, date: item.day.text, until: day?.text)
    }
}
