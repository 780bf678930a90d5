import Portfolio
import VaultFormat
import Cards
import VaultStore

extension Due {
    /// All that is due today of a vault on this machine.
    ///
    /// - Parameters:
    ///   - records: cards and copies, where they are at hand.
    ///   - report: told what cannot be read.
    ///   - isPresent: also the tasks that keep the vault safe, and the reminders of funds.
    static func today(
        in vault: Vault, within limit: Int64, _ report: ProblemReport = ProblemReport(), among records: [Entry]? = nil,
        isPresent: Bool = true
    ) throws -> [Due] {
        try all(
            in: vault, within: limit, today: Machine.today, now: Machine.now, among: records,
            tasks: isPresent ? Upkeep(vault).tasks(vault.path) : nil, damaged: report.add)
    }

    /// The name of what ends, in the person's language.
    var label: String {
        switch subject {
        case .field(let line): line.label?.said ?? line.key
        case .share: Phrase("shared copy").said
        case .lapsed: Phrase("lapsed").said
        case .position: Phrase("position").said
        case .reminder: Phrase("fund").said
        case .report: Phrase("report of a fund").said
        case .task(let task): Upkeep.Task(rawValue: task.name)?.label.said ?? task.name
        }
    }

    /// The name of the record for people, or the command that does the task; as it is, not for a terminal.
    var rawTitle: String {
        switch subject {
        case .field, .lapsed: "\(schema?.label.said ?? "") \(title)"
        case .share(let recipient, let card):
            (card.map { "\($0)/\(title)" } ?? title) + (recipient.map { " → \($0)" } ?? "")
        case .position(let position): "\(position.ratio.rounded(2))%, \(position.plan.wanted.said): qvault position"
        case .report(let fund): "\(fund.code) \(title): \(fund.reportDate ?? "")"
        case .reminder(let reminder): "\(reminder.code) \(title): \(reminder.figures.said)"
        case .task: title
        }
    }

    fileprivate var levelName: Phrase {
        switch level {
        case .urgent: if case .task = subject { "urgent" } else { days < 0 ? "ended" : "urgent" }
        case .soon: "soon"
        case .later: "later"
        }
    }

    fileprivate var distance: Phrase {
        if let hours = hoursLeft, hours < 24 { return hours == 0 ? "within an hour" : "in \(hours) hours" }
        return days < 0 ? "\(-days) days ago" : days == 0 ? "today" : "in \(days) days"
    }

    /// Whole hours to its end; nil of what ends with a day.
    private var hoursLeft: Int64? { time.map { max(0, $0.seconds - Machine.now.seconds) / 3600 } }

    /// When it ends: a day, or a minute.
    fileprivate var end: String { time.map { timeText($0, local: true) } ?? day.text }

    /// The reminder that fired; nil of all else.
    private var fired: FiredReminder? { if case .reminder(let reminder) = subject { reminder } else { nil } }

    /// The code of the fund that it is about; nil of all else.
    private var code: String? { if case .report(let fund) = subject { fund.code } else { fired?.code } }

    /// The title of the card whose attachment was copied; nil of all else.
    private var card: String? { if case .share(_, let card) = subject { card } else { nil } }

    /// For whom the copy is; nil of all else.
    private var recipient: String? { if case .share(let recipient, _) = subject { recipient } else { nil } }

    /// A line of JSON (Spec/product/json.md).
    var json: JSON {
        let kind: String? = if case .share = subject { "share" } else { schema?.name }
        return [
            "level": level.rawValue, "days": days, "date": day.text, "time": time, "field": key, "id": id, "kind": kind,
            "title": title, "card": card, "recipient": recipient, "code": code, "value": fired?.value,
            "change": fired?.change,
        ]
    }
}

extension [Due] {
    /// `2 urgent, 3 soon`.
    var counts: Phrase {
        let urgent = count { $0.level == .urgent }
        return "\(urgent) urgent, \(count - urgent) soon"
    }

    /// A row for each, in columns.
    var rows: [String] {
        let rows = map { item in
            [
                item.levelName.said, item.distance.said, item.end, printable(item.label.utf8),
                printable(item.rawTitle.utf8),
            ]
        }
        return inColumns(rows) { $0 == 1 }
    }
}
